"""Published tables of counts: categories, a count in the last column, margins in rows that say "total".

A count may be suppressed: an empty cell or one of ``x * c - . : ..`` may be anything, ``<5``, ``<=4``,
``1-4`` and ``>=10``
say what they say. A rounded table gives each number with a margin of what rounding may have changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from hartley.errors import OptionError, TableError, option
from hartley.tables.value_files import table_records

TOTALS = {"total", "all", "sum", "both", "overall", "gesamt", "totaal", "totale", "insgesamt"}
"""Words that stand for all categories of a column, in small letters."""
SUPPRESSED = {"", "x", "*", "c", "-", ".", ":", "..", "...", "s", "suppressed", "n/a", "na"}
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_ROUNDED = re.compile(r"(random:)?(\d+)")


@dataclass(frozen=True)
class PublishedCount:
    """One published number: which categories it counts, and between which numbers it lies."""

    where: tuple[tuple[str, str], ...]
    """Columns with their category; a column that is not there is summed over."""
    low: int
    high: float
    is_suppressed: bool
    """Whether no number stands there."""


@dataclass(frozen=True)
class PublishedTable:
    """A table of counts as it was published."""

    name: str
    columns: tuple[str, ...]
    counts: tuple[PublishedCount, ...]


@dataclass(frozen=True)
class Rounding:
    """How published counts were rounded: to the nearest multiple, or to one of both neighbours at random."""

    base: int = 1
    is_random: bool = False

    @classmethod
    def parse(cls, text: str | int | None) -> Rounding:
        """Read ``5`` or ``random:3``."""
        if text is None:
            return cls()
        found = _ROUNDED.fullmatch(str(text).strip())
        if found is None or not 1 <= int(found[2]) <= 10**6:
            raise OptionError(
                f"cannot read {option('rounded')} {text!r}; write the base, as 5, or random:3 where it is "
                f"random"
            )
        return cls(int(found[2]), found[1] is not None)

    @property
    def margin(self) -> int:
        """How far the true count may lie from the published one."""
        return self.base - 1 if self.is_random else self.base // 2


def read_counts(path: str | Path, rounding: Rounding) -> PublishedTable:
    """Read a table of counts; raise where it has no categories, a count is none, or a cell stands twice."""
    file = Path(path)
    header, records = table_records(file)
    rows = list(records)
    if not rows or len(header) < 2:
        raise TableError(f"{file.name} needs a header, a column of categories and a last column of counts")
    columns = tuple(name.strip() for name in header[:-1])
    if _is_crossed(header, [record for _, record in rows]):
        raise TableError(
            f"{file.name} has a column for each category and one of totals; write a line for each count, "
            "with its categories before it and the count last"
        )
    if len(set(columns)) < len(columns) or not all(columns):
        raise TableError(f"{file.name}: every column of categories needs a name of its own")
    found: dict[tuple[tuple[str, str], ...], PublishedCount] = {}
    for line, record in rows:
        where = tuple(
            (name, cell.strip())
            for name, cell in zip(columns, record[:-1], strict=True)
            if cell.strip().lower() not in TOTALS
        )
        if where in found:
            raise TableError(f"{file.name}: line {line} counts what a line above has counted")
        found[where] = _count(where, record[-1].strip(), rounding, f"{file.name}: line {line}")
    return PublishedTable(file.name, columns, tuple(found.values()))


def _is_crossed(header: Sequence[str], rows: list[list[str]]) -> bool:
    """Tell a table with a column for each category: the last is called a total and adds up the others."""
    if len(header) < 4 or header[-1].strip().lower() not in TOTALS:
        return False
    whole = [list(map(int, row[1:])) for row in rows if all(cell.strip().isdecimal() for cell in row[1:])]
    return bool(whole) and all(sum(counts[:-1]) == counts[-1] for counts in whole)


def _count(where: tuple[tuple[str, str], ...], cell: str, rounding: Rounding, place: str) -> PublishedCount:
    if cell.lower() in SUPPRESSED:
        return PublishedCount(where, 0, inf, True)
    if _NUMBER.fullmatch(cell):
        number = int(cell.replace(",", ""))
        low, high = number - rounding.margin, number + rounding.margin
        return PublishedCount(where, max(low, 0), high, False)
    said = re.fullmatch(r"(<=|<|>=|>)\s*(\d+)", cell)
    if said:
        number = int(said[2])
        ends: dict[str, tuple[int, float]] = {
            "<": (0, number - 1),
            "<=": (0, number),
            ">": (number + 1, inf),
            ">=": (number, inf),
        }
        if ends[said[1]][1] < 0:
            raise TableError(f"{place} holds a count below zero")
        return PublishedCount(where, *ends[said[1]], True)
    between = re.fullmatch(r"(\d+)\s*(?:-|\u2013|to)\s*(\d+)", cell)
    if between and int(between[1]) <= int(between[2]):
        return PublishedCount(where, int(between[1]), int(between[2]), True)
    raise TableError(
        f"{place}: the last column holds no count; write a whole number, leave the cell empty where it is "
        "suppressed, or say what it lies between, as <5 or 1-4"
    )
