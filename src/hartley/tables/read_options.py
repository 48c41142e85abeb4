"""How a table is to be read."""

from __future__ import annotations

from dataclasses import dataclass

from hartley.argument_kinds import require_field_kinds
from hartley.errors import OptionError, option, quoted
from hartley.tables.engine import memory_bytes

DATE_FORMATS = {
    "dd.mm.yyyy": (".", "%d.%m.%Y"),
    "dd-mm-yyyy": ("-", "%d-%m-%Y"),
    "dd/mm/yyyy": ("/", "%d/%m/%Y"),
    "mm/dd/yyyy": ("/", "%m/%d/%Y"),
}
"""The ways to write a date besides ISO: the mark between its parts, and the format that engines know."""


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What the reader of a table is told from outside.

    Parameters
    ----------
    text : tuple of str
        Columns to take as text, whatever their cells look like.
    number : tuple of str
        Columns to take as numbers: then 007 is 7, +5 is 5, and spaces around a number are no part of it.
    encoding : str
        The encoding of a CSV, TSV or JSON-lines file.
    delimiter : str, optional
        What separates the cells of a CSV file; by default a comma, in a TSV file a tab, or another mark
        where the header has only that.
    decimal : str
        What separates a whole number from its fraction in a CSV or TSV file: ``"."``, or ``","``.
    dates : tuple of str
        How dates are written in a CSV or TSV file where that is not ISO: ``("dd.mm.yyyy",)``, or of one
        column ``("born=mm/dd/yyyy",)``; by default the cells tell, where they can.
    missing_words : tuple of str
        Cells of a CSV or TSV file that mean that a value is missing, such as ``("NA", ".")``, or of one
        column ``("age=99",)``.
    sheet : str, optional
        The sheet of a workbook; by default the one with most rows.
    query : str, optional
        What to select where the table is a database: a SELECT, or the name of a table.
    memory_limit : str, optional
        How much memory the engine may take, such as ``2GB``; what does not fit is spilled to disk.

    Raises
    ------
    OptionError
        If a column is both text and number, or a delimiter, decimal sign, missing word or
        memory limit is none.

    Examples
    --------
    >>> import hartley
    >>> hartley.ReadOptions(text=("postcode",)).text
    ('postcode',)
    """

    text: tuple[str, ...] = ()
    number: tuple[str, ...] = ()
    encoding: str = "utf-8"
    delimiter: str | None = None
    decimal: str = "."
    dates: tuple[str, ...] = ()
    missing_words: tuple[str, ...] = ()
    sheet: str | None = None
    query: str | None = None
    memory_limit: str | None = None

    def __post_init__(self) -> None:
        require_field_kinds(self)
        for name in ("text", "number", "missing_words", "dates"):
            given = getattr(self, name)
            if isinstance(given, str):
                what = {"missing_words": "words", "dates": "ways to write dates"}.get(name, "column names")
                raise OptionError(f"{name} must be a tuple of {what}, not the text {given!r}")
            object.__setattr__(self, name, tuple(given))
        both = [name for name in self.text if name in self.number]
        if both:
            raise OptionError(f"column {quoted(both)} cannot be both text and number")
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '"\r\n\0'
        ):
            raise OptionError(f"the delimiter must be one ASCII character, not {self.delimiter!r}")
        if self.decimal not in (".", ","):
            raise OptionError(f"the decimal sign must be '.' or ',', not {self.decimal!r}")
        if self.decimal == self.delimiter:
            raise OptionError(
                "a comma cannot both separate cells and stand in numbers; name another delimiter"
            )
        self._require_dates()
        for word in self.missing_words:
            if any("\ud800" <= letter <= "\udfff" for letter in word):
                raise OptionError(f"a word for a missing cell must be a text in UTF-8, not {word!r}")
        if self.memory_limit is not None:
            memory_bytes(self.memory_limit)

    @property
    def dates_by_column(self) -> dict[str | None, str]:
        """How the dates of a column are written; those of all columns under ``None``."""
        said = (one.rpartition("=") for one in self.dates)
        return {name if mark else None: written for name, mark, written in said}

    def missing_words_of(self, column: str) -> tuple[str, ...]:
        """Return the cells of a column that mean that a value is missing.

        >>> ReadOptions(missing_words=("NA", "age=99")).missing_words_of("age")
        ('NA', 'age=99', '99')
        """
        mark = f"{column}="
        its_own = (word.removeprefix(mark) for word in self.missing_words if word.startswith(mark))
        return (*self.missing_words, *its_own)

    def _require_dates(self) -> None:
        for one in self.dates:
            if one.rpartition("=")[2] not in DATE_FORMATS:
                raise OptionError.unknown("way to write dates", one.rpartition("=")[2], tuple(DATE_FORMATS))
        by_column = self.dates_by_column
        if len(by_column) < len(self.dates):
            raise OptionError(f"{option('dates')} is given twice for the same columns; say it once")
        both = [name for name in by_column if name in (*self.text, *self.number)]
        if both:
            raise OptionError(f"column {both[0]!r} cannot be both dates and text or number")


AS_IT_IS = ReadOptions()
"""What is taken where nothing is said."""
