"""How other programs and countries write a text file: separators, encodings, decimals, missing words.

A word for a missing cell makes every cell that is exactly that word missing; ``age=99`` does so in the column
``age`` alone. With a decimal comma, a column
is one of numbers where every cell is a number with a comma (``-3``, ``1,10``, ``1e5``): its commas become
points, in what is measured and in what is released. Every other column stays as it is, and points make no
number in it: ``1.234`` may be a thousand. A column that the user declares a number has commas for certain,
and a point in it is an error; one that is declared text is left alone.

What looks as if it should be read another way is said, never done unasked.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from hartley.errors import option, quoted
from hartley.notes import is_heard, note
from hartley.tables.engine import literal, one_row
from hartley.tables.read_options import ReadOptions
from hartley.tables.text_dates import iso_cell
from hartley.tables.text_types import NUMBER, TextRule

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COMMA_NUMBER = r"-?(0|[1-9][0-9]*)(,[0-9]+)?([eE][+-]?[0-9]+)?"


def translated_cells(
    connection: DuckDBPyConnection,
    source: str,
    names: Sequence[str],
    options: ReadOptions,
    dates: Mapping[str, str],
) -> list[tuple[str, TextRule]]:
    """Return for each column ``c0, c1, ...`` of a source its cell as SQL, and the rule that types it.

    ``dates`` are the columns of dates that are not written as ISO has them, and the way they are written.
    """
    cells = _present_cells(names, options)
    cells = [
        iso_cell(cell, dates[name]) if name in dates else cell
        for name, cell in zip(names, cells, strict=True)
    ]
    if options.decimal == ".":
        return [(cell, "any") for cell in cells]
    asked = ", ".join(
        f"coalesce(bool_and({cell} = '' OR regexp_full_match({cell}, '{COMMA_NUMBER}')), true)"
        for cell in cells
    )
    are_numbers = one_row(connection, f"SELECT {asked} FROM {source}")
    return [
        _with_points(cell, name, options, is_number)
        for cell, name, is_number in zip(cells, names, are_numbers, strict=True)
    ]


def present_cells(source: str, names: Sequence[str], options: ReadOptions) -> str:
    """Return what the cells can be selected from with nothing in place of words for a missing one."""
    if not options.missing_words:
        return source
    cells = ", ".join(f"{cell} AS c{place}" for place, cell in enumerate(_present_cells(names, options)))
    return f"(SELECT {cells} FROM {source})"


def note_idle_words(
    connection: DuckDBPyConnection, source: str, name: str, names: Sequence[str], options: ReadOptions
) -> None:
    """Note the words for a missing cell that no cell is, such as 9 where 9.0 is written."""
    asked = [
        " OR ".join(
            f"c{place} IN ({_literals(meant)})"
            for place, column in enumerate(names)
            if (meant := ReadOptions(missing_words=(word,)).missing_words_of(column))
        )
        for word in options.missing_words
    ]
    if not asked or not is_heard():
        return
    met = one_row(connection, f"SELECT {', '.join(f'bool_or({one})' for one in asked)} FROM {source}")
    idle = [word for word, is_met in zip(options.missing_words, met, strict=True) if not is_met]
    if idle:
        note(
            f"no cell of {name} is {quoted(idle, last=' or ')} ({option('missing_words')}); cells are "
            "compared as they are written"
        )


def _present_cells(names: Sequence[str], options: ReadOptions) -> list[str]:
    """Return each cell as SQL, with nothing in place of a word for a missing one."""
    cells = [f"c{place}" for place in range(len(names))]
    if not options.missing_words:
        return cells
    return [
        f"CASE WHEN {cell} IN ({_literals(options.missing_words_of(name))}) THEN NULL ELSE {cell} END"
        for cell, name in zip(cells, names, strict=True)
    ]


def _literals(words: Sequence[str]) -> str:
    return ", ".join(map(literal, words))


def _with_points(cell: str, name: str, options: ReadOptions, is_number: bool) -> tuple[str, TextRule]:
    if name in options.text:
        return cell, "any"
    if name in options.number:
        return f"replace(replace({cell}, '.', '?'), ',', '.')", "any"
    return (f"replace({cell}, ',', '.')", "any") if is_number else (cell, "no numbers")


OTHERS = {";": "semicolons", "\t": "tabs", "|": "vertical bars", ",": "commas"}
LONGEST_HEADER = 1 << 20
_QUOTED = re.compile(rb'"(?:[^"]|"")*"')


def found_delimiter(stream: BinaryIO, usual: str) -> str:
    r"""Return what separates the cells: the usual mark, or another where the header has only that.

    >>> from io import BytesIO
    >>> found_delimiter(BytesIO(b"age;chol\n41;180,5\n"), ","), found_delimiter(BytesIO(b"age\n41\n"), ",")
    (';', ',')
    """
    header = _QUOTED.sub(b"", stream.readline(LONGEST_HEADER))
    if usual.encode() in header:
        return usual
    counts = {mark: header.count(mark.encode()) for mark in OTHERS if mark != usual}
    most = max(counts, key=lambda mark: counts[mark])
    return most if counts[most] else usual


def note_delimiter(name: str, found: str, usual: str) -> None:
    """Say that another mark than the usual one separates the cells."""
    note(
        f"{name}: the header has {OTHERS[found]} and no {OTHERS[usual]}, so the cells are read as separated "
        f"by {OTHERS[found]}; {option('delimiter')} says otherwise"
    )


WESTERN = "äöüßÄÖÜéèêëàâáãåæçîïíìñóòôõøœúùûÿÉÈÀÁÂÅÆÇÍÎÑÓÔØÚ€„“”‚‘’–—«»°²³µ§"
CENTRAL = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňóřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽőűŐŰöüÖÜľĺŕôäăâîșțşţđ€„“”‚‘’–—°§"
NAMES = {
    "cp1252": "Windows-1252 (Western Europe)",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
}
_RUN = re.compile(rb"[\x80-\xff]+")


def likely_encoding(content: bytes) -> str:
    """Return the Windows encoding that a text is likely to be in, by its letters.

    >>> likely_encoding("Straße".encode("cp1252")), likely_encoding("Łódź".encode("cp1250"))
    ('cp1252', 'cp1250')
    >>> likely_encoding("Москва".encode("cp1251"))
    'cp1251'
    """
    runs = _RUN.findall(content)
    # Cyrillic words are runs of such letters; in Latin ones they mostly stand alone.
    if sum(len(run) for run in runs if len(run) >= 3) * 2 > sum(map(len, runs)):
        return "cp1251"
    letters = b"".join(runs)
    western = sum(letter in WESTERN for letter in letters.decode("cp1252", "replace"))
    central = sum(letter in CENTRAL for letter in letters.decode("cp1250", "replace"))
    return "cp1250" if central > western else "cp1252"


MISSING_WORDS = (
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "NaN",
    "nan",
    "NULL",
    "null",
    "None",
    "none",
    "missing",
    ".",
    "-",
    "?",
)
MARKED = (
    r"[-+]?([$€£] ?)?[0-9]{1,3}((,[0-9]{3})+(\.[0-9]*)?|(\.[0-9]{3})+(,[0-9]*)?"
    r"|([ \x{a0}\x{202f}\x{2019}\x{27}][0-9]{3})+([.,][0-9]*)?)( ?[$€£%])?"
    r"|[-+]?[$€£] ?[0-9]+([.,][0-9]+)?|[-+]?[0-9]+([.,][0-9]+)?[ \x{a0}]?[$€£%]"
)
"""A number with marks between its thousands, of money or of percent."""
MOST_STRANGE = 0.05
"""The share of cells up to which other ones in a column of numbers are likely to be there by mistake."""
MOST_NAMED = 4
LOOKED_AT = 100_000
"""Rows from the start that are looked at: a hint is no more than that."""


def note_other_reading(
    connection: DuckDBPyConnection, source: str, columns: Sequence[tuple[str, str]], *, has_commas: bool
) -> None:
    """Note how columns of text, given as (name, SQL of the cell), would be read as numbers.

    ``has_commas`` tells that decimal commas are read already.
    """
    if not is_heard() or not columns:
        return
    listed = ", ".join(map(literal, MISSING_WORDS))
    hints: dict[str, list[str]] = {}
    for name, cell in columns:
        found = one_row(
            connection,
            f"""
            SELECT count(v), count(*) FILTER (v IN ({listed})),
                   count(*) FILTER (NOT regexp_matches(v, '[0-9]')),
                   count(*) FILTER (regexp_full_match(v, '{NUMBER}')),
                   count(*) FILTER (regexp_full_match(v, '{COMMA_NUMBER}')),
                   bool_or(regexp_full_match(v, '{MARKED}')),
                   bool_and(v IN ({listed}) OR regexp_full_match(v, '{NUMBER}|{COMMA_NUMBER}|{MARKED}')),
                   list_sort(list(DISTINCT v) FILTER (v IN ({listed})))
            FROM (SELECT nullif({cell}, '') AS v FROM {source} LIMIT {LOOKED_AT})
            """,
        )
        said = _hint(_Counted(*found), has_commas=has_commas)
        if said:
            hints.setdefault(said, []).append(name)
    for said, alike in hints.items():
        more = len(alike) - MOST_NAMED
        some = f"{quoted(alike[:MOST_NAMED])} and {more} more" if more > 0 else quoted(alike, last=" and ")
        note(
            f"column {some} is read as text; it looks like numbers {said}"
            if len(alike) == 1
            else f"columns {some} are read as text; they look like numbers {said}"
        )


@dataclass(frozen=True)
class _Counted:
    """What the cells of a column of text look like."""

    cells: int
    missing: int
    """Cells with a word for a missing one."""
    wordy: int
    """Cells without a digit."""
    numbers: int
    commas: int
    has_marks: bool | None
    """Whether one has marks between thousands, of money or of percent."""
    are_numbers: bool | None
    """Whether all could be numbers, or missing."""
    words: Sequence[str] | None
    """The words for a missing cell that occur."""


def _hint(found: _Counted, *, has_commas: bool = False) -> str:
    """Say how a column would be one of numbers; nothing where it would not.

    >>> _hint(_Counted(10, 0, 0, 4, 10, False, True, None)).replace(chr(30), "").replace(chr(31), "")
    'with a decimal comma: decimal=,'
    >>> _hint(_Counted(10, 0, 0, 0, 4, True, True, None))
    'with marks between thousands, of money or percent: write them without, as 12500'
    """
    options = [option("missing_words", word) for word in found.words or ()]
    plain = found.commas if has_commas else found.numbers
    if found.missing and plain and found.missing + plain == found.cells:
        return f"with words for empty cells: {', '.join(options)}"
    if found.has_marks and found.are_numbers:
        return "with marks between thousands, of money or percent: write them without, as 12500"
    if found.commas > found.numbers and found.missing + found.commas == found.cells:
        also = f", and words for empty cells: {', '.join(options)}" if found.missing else ""
        return f"with a decimal comma: {option('decimal', ',')}{also}"
    # A row of sums below a table, or a word for a cell that is empty, makes text of a column of numbers.
    strange = found.wordy - found.missing
    most = max(found.numbers, found.commas)
    if 0 < strange <= MOST_STRANGE * found.cells and found.wordy + most == found.cells:
        some, them = ("1 cell", "it") if strange == 1 else (f"{strange:,} cells", "them")
        read = f"or read such words as empty ({option('missing_words')})"
        return f"but for {some} of {found.cells:,}: correct {them}, {read}"
    return ""
