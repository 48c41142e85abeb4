"""Dates as people write them in text files: 28.03.1927, 03/28/1927, 28/03/1927.

A column in which every cell is such a date is read as dates, with a note. Dots and hyphens have the day
first. Slashes have the day first in Europe and the month first in the United States; a number above 12 tells
which, in the column itself or in another one of the file. Where nothing tells, the column stays text, and the
note names the option that reads it. A column that is declared text is left alone.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hartley.errors import ColumnError, option, quoted
from hartley.notes import note
from hartley.tables.engine import one_row
from hartley.tables.read_options import DATE_FORMATS, ReadOptions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LOOKED_AT = 50
"""Rows from the start that tell which columns may hold dates."""
WRITTEN = re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{4}")


def date_columns(
    connection: DuckDBPyConnection, source: str, names: Sequence[str], options: ReadOptions
) -> dict[str, str]:
    """Return the columns ``c0, c1, ...`` of a source that hold dates, each with the way they are written."""
    asked = options.dates_by_column
    absent = [name for name in asked if name is not None and name not in names]
    if absent:
        raise ColumnError.absent(absent[0], names)
    marks = _marks(connection, source, names)
    for name in asked:
        if name is not None:
            marks[name] = DATE_FORMATS[asked[name]][0]
    left_alone = {*options.text, *options.number}
    fits = {
        name: _fitting(connection, source, f"c{names.index(name)}", mark)
        for name, mark in marks.items()
        if name not in left_alone
    }
    return _chosen(fits, asked)


def iso_cell(cell: str, written: str) -> str:
    """Return the SQL of a date as it stands in ISO, from the SQL of its cell and the way it is written."""
    return f"strftime(strptime(nullif({cell}, ''), '{DATE_FORMATS[written][1]}'), '%Y-%m-%d')"


def _marks(connection: DuckDBPyConnection, source: str, names: Sequence[str]) -> dict[str, str]:
    """Return the columns whose first cells look like dates, with the mark between their parts."""
    rows = connection.execute(f"SELECT * FROM {source} LIMIT {LOOKED_AT}").fetchall()
    found = {}
    for name, cells in zip(names, zip(*rows, strict=True), strict=False):
        marks = {None if (date := WRITTEN.fullmatch(cell)) is None else date[1] for cell in cells if cell}
        if len(marks) == 1 and (mark := marks.pop()) is not None:
            found[name] = mark
    return found


def _fitting(connection: DuckDBPyConnection, source: str, cell: str, mark: str) -> tuple[str, ...]:
    """Return the ways of writing dates with a mark that every cell of a column fits."""
    ways = [way for way, (own, _) in DATE_FORMATS.items() if own == mark]
    pattern = WRITTEN.pattern.replace(r"([./-])", f"[{mark}]").replace(r"\1", f"[{mark}]")
    asked = ", ".join(
        f"bool_and(regexp_full_match(v, '{pattern}') "
        f"AND try_strptime(v, '{DATE_FORMATS[way][1]}') IS NOT NULL)"
        for way in ways
    )
    found = one_row(
        connection, f"SELECT {asked} FROM (SELECT nullif({cell}, '') AS v FROM {source}) WHERE v IS NOT NULL"
    )
    return tuple(way for way, fits in zip(ways, found, strict=True) if fits)


def _chosen(fits: Mapping[str, tuple[str, ...]], asked: Mapping[str | None, str]) -> dict[str, str]:
    """Choose the way of each column, and note what was chosen, or what must be said."""
    certain = {ways[0] for ways in fits.values() if len(ways) == 1 and DATE_FORMATS[ways[0]][0] == "/"}
    told = asked.get(None) or (certain.pop() if len(certain) == 1 else None)
    chosen: dict[str, str] = {}
    unclear: list[str] = []
    for name, ways in fits.items():
        if name in asked and asked[name] not in ways:
            raise ColumnError(
                f"column {name!r} holds cells that are no dates written {asked[name]}; name another way to "
                f"read it ({option('dates')}), or leave it out"
            )
        way = asked.get(name) or (told if told in ways else None) or (ways[0] if len(ways) == 1 else None)
        if way is not None:
            chosen[name] = way
        elif ways:
            unclear.append(name)
    for way in dict.fromkeys(chosen.values()):
        alike = [name for name, own in chosen.items() if own == way]
        one = len(alike) == 1
        if not (set(alike) <= set(asked) or asked.get(None) == way):
            note(
                f"column{'' if one else 's'} {quoted(alike, last=' and ')} {'is' if one else 'are'} read as "
                f"dates written {way}; {option('text', alike[0])} reads it as text"
            )
    if unclear:
        note(
            f"column {quoted(unclear, last=' and ')} looks like dates, and nothing tells whether the day or "
            f"the month comes first: say {option('dates', 'dd/mm/yyyy')} or {option('dates', 'mm/dd/yyyy')}"
        )
    return chosen
