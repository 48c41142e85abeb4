"""Columns that name or number people: found by what they are called and by what is in their cells.

A column of measurements is none, however different its values are: fractions never count, and whole
numbers count only where their name says so, they run without gaps, or all have the same number of digits.
Rules, in order:

* cells of a form that only identifiers have (e-mail, IBAN, phone, ...): one;
* a sure name (``id``, ``name``, ``ssn``) with many values, text or whole numbers: one;
* a name with a number word (``staff no``), and a value for every second row or a run that repeats: one, and
  so is a column called ``nr`` and nothing else;
* text of which nearly every row has its own, codes such as ``P-001`` that repeat a few times, and people with
  titles, initials or common first names, however often they repeat: one, unless the name says a thing;
* text in which phone numbers or e-mail addresses stand, and sentences that hardly repeat: one;
* whole numbers of which nearly every row has its own, in a run without gaps, all of one length, or rising
  from row to row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from hartley.errors import TableError, option
from hartley.model import Alphabet
from hartley.notes import is_heard, note
from hartley.tables.looks.given_names import are_people
from hartley.tables.looks.identifier_cells import are_codes, are_names, are_sentences, form_of, held_in
from hartley.tables.looks.identifier_names import (
    is_a_helper,
    is_a_name,
    is_a_person,
    is_name_of_a_person,
    is_of_a_thing,
    is_only_a_number,
    name_strength,
    words_of,
)
from hartley.tables.looks.words import word_list
from hartley.tables.table import Table

LOOKED_THROUGH = 10_000
"""Rows from the start that tell what cells look like."""
CELLS_LOOKED_AT = 1_000
COUNTED_AT_ONCE = 50
"""Columns that are looked at in one pass; the engine takes much memory to count the values of each."""
PERSONS_REPEAT = 1.2
"""Rows of one person on average from which a column is said to repeat."""
FEWEST_VALUES = 2
FEWEST_ROWS = 10
"""Values of fewer rows than this are often all different by chance."""
NEARLY_ALL = 0.95
MANY = 20
"""Different values from which a column is not a handful of answers."""
FEW_NAMES = r"([^\W\d]+[ ,]+)*[A-ZÀ-Ý][^\d]*"
FEWEST_NAMES, FEWEST_PANEL = 8, 5
"""Values from which a handful may be people: texts written as names, numbers of a column called "subject"."""
MOST_REPEATS = 50
FREE_REPEATS = 5
"""Rows for each text up to which long texts are no categories."""
LONG_NUMBER = 8
"""Digits from which numbers of one length, all different, are hardly measurements."""
FEWEST_RISING = 50
"""Rows from which numbers that rise from row to row are hardly measurements."""
FIRST_YEAR, LAST_YEAR = 1500, 2100
TIMES = frozenset(word_list("times"))


POSTCODES = frozenset(word_list("postcodes"))


@dataclass(frozen=True)
class ColumnLook:
    """What is looked at of a column: how often its values repeat, and some of its different cells."""

    name: str
    is_text: bool
    is_whole: bool
    """Whether all its numbers are whole."""
    rows: int
    """Rows that have a value."""
    values: int
    cells: Sequence[str]
    """Some of its different cells, as text."""

    @property
    def repeats(self) -> float:
        """In how many rows a value stands on average."""
        return self.rows / max(self.values, 1)

    @property
    def is_nearly_all_different(self) -> bool:
        """Whether nearly every row has a value of its own."""
        return self.values >= NEARLY_ALL * self.rows and self.rows >= FEWEST_ROWS


def identifier_reason(column: ColumnLook) -> str | None:
    """Say why a column looks like it names people, to read on from "looks like"; nothing where it does not.

    >>> identifier_reason(ColumnLook("Patient ID", False, True, 100, 50, ["17", "18"]))
    'a name or number of persons, by its name'
    >>> identifier_reason(ColumnLook("income", False, True, 100, 100, ["20000", "31400", "9000"])) is None
    True
    """
    if not (column.is_text or column.is_whole) or column.values < 3 or are_dates(column.cells):
        return None
    if column.is_text and is_name_of_a_person(column.name):
        return "names of persons, by its name"
    form = form_of(column.cells)
    strength = name_strength(column.name)
    if column.is_text and is_a_person(column.name, is_text=True):
        strength = "sure"
    if not column.is_text and words_of(column.name)[:1] == ["nombre"]:
        strength = "none"  # French for number
    is_many = column.values > MANY or column.values * 4 >= column.rows
    if form is not None and is_many and (column.is_text or strength != "none" or not _may_measure(column)):
        return form
    if strength == "sure" and column.repeats <= MOST_REPEATS and (is_many or _are_a_few_people(column)):
        return "a name or number of persons, by its name"
    if strength == "number" and column.rows >= FEWEST_ROWS and _is_number_of_persons(column):
        return "a number of persons, by its name"
    if column.is_text:
        if column.is_nearly_all_different and not _are_numbers(column.cells) and not _is_postcode(column):
            return "a name or identifier: nearly every row has a value of its own"
        if is_many and (held := held_in(column.cells)) is not None:
            return f"texts that hold {held}"
        if is_of_a_thing(column.name):
            return None
        if column.values > MANY and column.repeats <= FREE_REPEATS and are_sentences(column.cells):
            return "free text, which may name people"
        if column.values > MANY and column.repeats <= 20 and are_codes(column.cells):
            return "a number of persons: its codes stand in a few rows each"
        if column.values > MANY and column.repeats <= 2 and are_names(column.cells):
            return "names of persons"
        if column.values >= FEWEST_NAMES and column.repeats <= MOST_REPEATS and are_people(column.cells):
            return "names of persons"
        return None
    if column.is_nearly_all_different and not _may_measure(column):
        return "an identifier: nearly every row has a number of its own"
    return None


def is_free_text(column: ColumnLook) -> bool:
    """Tell whether cells are texts about people, such as remarks, and none is anybody's name or number."""
    return column.is_text and (are_sentences(column.cells) or held_in(column.cells) is not None)


def are_dates(cells: Sequence[str]) -> bool:
    """Tell whether nearly all cells are written as dates.

    >>> are_dates(["2020-01-05", "2021-12-31T10:00"]), are_dates(["05.01.2020", "05-01-2020"])
    (True, True)
    >>> are_dates(["5-1"]), are_dates(["12-34-56"])
    (False, False)
    """
    form = re.compile(
        r"\d{4}-\d\d-\d\d.*|\d{1,2}[./]\d{1,2}[./](\d{4}|\d\d)( .*)?|[0-3]?\d-[0-3]?\d-(19|20)\d\d( .*)?"
    )
    return bool(cells) and sum(form.fullmatch(one) is not None for one in cells) >= NEARLY_ALL * len(cells)


def written_dates(public: Alphabet, declared: Collection[str]) -> list[str]:
    """Name the columns of dates that are read as text, without those that the curator ``declared`` text."""
    return [
        one.name
        for one in public.coordinates
        if one.kind == "text"
        and one.name not in declared
        and are_dates([str(cell) for cell in one.cells[:CELLS_LOOKED_AT] if cell is not None])
    ]


def _are_a_few_people(column: ColumnLook) -> bool:
    """Tell whether few values name or number people: capital letters first, or a number for several rows."""
    if column.is_text:
        written = sum(re.fullmatch(FEW_NAMES, cell) is not None for cell in column.cells)
        return column.values >= FEWEST_NAMES and written >= NEARLY_ALL * len(column.cells)
    return column.values >= FEWEST_PANEL and column.repeats >= 2 and is_a_person(column.name)


def _is_number_of_persons(column: ColumnLook) -> bool:
    if column.values * 2 >= column.rows:
        return True
    is_run = is_only_a_number(column.name) or _is_run(column)
    return column.values > MANY and column.repeats <= MOST_REPEATS and is_run


def is_whole_number(cell: str) -> bool:
    """Tell whether a cell is a whole number.

    >>> [is_whole_number(cell) for cell in ("17", "-9", "3.0", "3.5", "x")]
    [True, True, True, False, False]
    """
    return re.fullmatch(r"\s*[+-]?\d{1,30}([.,]0+)?\s*", cell) is not None


def whole_numbers(column: ColumnLook) -> list[int]:
    """Return the cells of a column that are whole numbers."""
    return [int(re.split("[.,]", cell)[0]) for cell in column.cells if is_whole_number(cell)]


def _is_run(column: ColumnLook) -> bool:
    numbers = whole_numbers(column)
    return len(numbers) >= 3 and max(numbers) - min(numbers) < 1.5 * column.values


def _may_measure(column: ColumnLook) -> bool:
    """Tell whether whole numbers may be measurements or times: gaps, different lengths, or by their name."""
    if TIMES.intersection(words_of(column.name)):
        return True
    numbers = whole_numbers(column)
    if len(numbers) < 3 or min(numbers) < 0:
        return True
    if all(FIRST_YEAR <= number <= LAST_YEAR for number in numbers):
        return True
    lengths = {len(str(number)) for number in numbers}
    if lengths == {max(lengths)} and max(lengths) >= LONG_NUMBER:
        return sum(number % 10 == 0 for number in numbers) > 0.3 * len(numbers)
    steps = [last - first for first, last in pairwise(numbers)]
    # Squares of a time rise by ever more, numbers that were handed out by anything.
    if column.rows >= FEWEST_RISING and min(steps) > 0 and steps != sorted(steps):
        return column.values < column.rows
    return not (min(numbers) in (0, 1) and _is_run(column))


def _is_postcode(column: ColumnLook) -> bool:
    return not POSTCODES.isdisjoint(words_of(column.name)) and all(len(cell) <= 10 for cell in column.cells)


def _are_numbers(cells: Sequence[str]) -> bool:
    """Tell whether nearly all cells hold a number or a date with a few signs, as measurements do."""
    if all(re.fullmatch(r"\d{1,3} ?[-–] ?\d{1,3}", cell) for cell in cells):
        return True
    few = sum(sum(letter.isalpha() for letter in cell) <= 2 and any(map(str.isdigit, cell)) for cell in cells)
    return few >= NEARLY_ALL * len(cells) and any(mark in cell for cell in cells for mark in ".,%<>:/")


def identifier_columns(table: Table, values: Mapping[str, int | None]) -> dict[str, str]:
    """Return the columns that look like they name people, each with the reason.

    ``values`` are the different values of each column; where it is ``None``, the first rows tell.

    >>> import pyarrow as pa
    >>> from hartley.tables import open_table
    >>> table = open_table(pa.table({"id": list(range(20)), "sex": ["f", "m"] * 10}))
    >>> identifier_columns(table, {"id": 20, "sex": 2})
    {'id': 'a name or number of persons, by its name'}
    """
    looks = ((one.name, identifier_reason(one)) for one in column_looks(table, values))
    return {name: reason for name, reason in looks if reason is not None}


def column_looks(table: Table, values: Mapping[str, int | None]) -> Iterator[ColumnLook]:
    """Look at columns of text and numbers: how often values repeat, and some of their cells."""
    few = [name for name, count in values.items() if count is None or count >= FEWEST_VALUES]
    kinds = {column.name: column.kind for column in table.typed_columns(few)}
    asked = [name for name in few if kinds[name] in ("text", "number")]
    for start in range(0, len(asked), COUNTED_AT_ONCE):
        some = asked[start : start + COUNTED_AT_ONCE]
        rows = _first_rows(table, some)
        for place, name in enumerate(some):
            cells = [str(row[place]) for row in rows if row[place] is not None]
            different = list(dict.fromkeys(cells))
            counted = values[name]
            share = len(cells) / len(rows) if rows else 1.0
            yield ColumnLook(
                name=name,
                is_text=kinds[name] == "text",
                is_whole=kinds[name] == "number" and all(map(is_whole_number, different)),
                rows=len(cells) if counted is None else round(share * table.row_count),
                values=len(different) if counted is None else counted,
                cells=different[:CELLS_LOOKED_AT],
            )


def repeats_persons(column: ColumnLook) -> bool:
    """Tell whether a column that numbers persons has several rows of one."""
    return column.repeats >= PERSONS_REPEAT and not is_free_text(column) and not is_a_helper(column.name)


def counted_values(table: Table, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Count the different values and the missing ones of each column, so many columns at a time."""
    counts: dict[str, tuple[int, int]] = {}
    for start in range(0, len(names), COUNTED_AT_ONCE):
        counts |= table.value_counts(names[start : start + COUNTED_AT_ONCE])
    return counts


def count_values(table: Table, names: Sequence[str]) -> dict[str, int]:
    """Count the different values of some columns, those of a missing cell not counted."""
    return {name: values for name, (values, _) in counted_values(table, names).items()}


def note_persons(table: Table, *used: Collection[str]) -> None:
    """Note where a column without a role is called as persons' numbers are, and repeats: rows are counted."""
    if not is_heard() or table.source.is_remote:
        return
    named = [
        one.name
        for one in table.columns
        if one.kind is not None and one.name not in chain(*used) and name_strength(one.name) == "sure"
    ]
    counts = count_values(table, [name for name in named if not (is_a_name(name) or is_a_helper(name))])
    looks = [look for look in column_looks(table, counts) if identifier_reason(look) is not None]
    repeating = list(filter(repeats_persons, looks))
    if repeating:
        one = max(repeating, key=lambda look: look.values)
        note(
            f"rows are counted as people, and column {one.name!r} repeats: {one.values:,} persons with "
            f"{one.repeats:.2g} rows each on average. If a reader can link them, say "
            f"{option('person', one.name)}"
        )


def _first_rows(table: Table, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Fetch some rows to look at; none of a table elsewhere that hands out fewer different ones."""
    try:
        return table.first_rows(names, LOOKED_THROUGH)
    except TableError:
        return []
