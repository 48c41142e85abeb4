"""A table before anything is asked of it: its columns, what kind they are, and a few cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from hartley.errors import option
from hartley.model import Kind
from hartley.model.alphabet import label_to_json
from hartley.notes import is_heard, note
from hartley.tables import ReadOptions, Table, open_table
from hartley.tables.looks.codes import are_codes, missing_code
from hartley.tables.looks.identifier_names import is_a_helper, is_a_name, name_strength
from hartley.tables.looks.identifiers import (
    COUNTED_AT_ONCE,
    ColumnLook,
    are_dates,
    column_looks,
    identifier_reason,
    is_free_text,
)
from hartley.tables.looks.orders import Ordered, order_of
from hartley.tables.looks.possible_answers import alike_values

EXAMPLES = 4
LOOKED_AT = 200
"""Rows from the start in which examples are looked for."""
PERSONS_REPEAT = 1.2
"""Rows of one person on average from which a column is said to repeat."""


@dataclass(frozen=True, kw_only=True)
class ColumnDescription:
    """A column as it is shown to somebody who has to give it a role."""

    name: str
    kind: Kind | None
    """``None`` where it cannot stand in a role."""
    values: int | None
    """Different values, a missing one not counted; ``None`` where it cannot stand in a role."""
    missing: int | None
    """Rows without a value."""
    examples: tuple[Any, ...]
    """The first few different cells, as they stand in the table."""
    identifier: str | None = None
    """Why it looks like it names people, to read on from "looks like"; ``None`` where it does not."""
    is_coded: bool = False
    """Whether its whole numbers look like codes, which are read as text better."""
    is_written_date: bool = False
    """Whether it is text that looks like dates."""
    alike: int = 0
    """How many of its texts are another one but for spaces and capital letters."""
    missing_code: str | None = None
    """The cell of a number at its edge that may mean "missing"; ``None`` where there is none."""
    order: Ordered | None = None
    """Whether its categories have an order that is known, or is to be asked for; ``None`` where neither."""
    rows_each: float | None = None
    """In how many rows one of the people stands whom it names, where that is more than one."""

    @property
    def is_identifier(self) -> bool:
        """Whether it looks like it names people."""
        return self.identifier is not None

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "values": self.values,
            "missing": self.missing,
            "examples": [label_to_json(cell) for cell in self.examples],
            **({} if self.identifier is None else {"identifier": self.identifier}),
            **({"codes": True} if self.is_coded else {}),
        }


@dataclass(frozen=True, kw_only=True)
class TableDescription:
    """A table: its name, how many rows, and its columns."""

    name: str
    rows: int
    columns: tuple[ColumnDescription, ...]
    has_text_cells: bool = True
    """Whether words in it can be read as missing cells."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "name": self.name,
            "rows": self.rows,
            "columns": [column.to_dict() for column in self.columns],
        }


def describe(source: Any, options: ReadOptions | None = None) -> TableDescription:
    """Describe the columns of a table for the choice of roles.

    >>> import pyarrow as pa
    >>> found = describe(pa.table({"age": [30, 41, 41], "sex": ["f", None, "m"]}))
    >>> [(column.name, column.kind, column.values, column.missing) for column in found.columns]
    [('age', 'number', 2, 0), ('sex', 'text', 2, 1)]
    """
    reading = options or ReadOptions()
    table = open_table(source, reading)
    kinds = {column.name: column.kind for column in table.columns}
    usable = [name for name, kind in kinds.items() if kind is not None]
    counts = _counts(table, usable)
    examples = _examples(table, list(kinds))
    looks = {one.name: one for one in column_looks(table, {name: found[0] for name, found in counts.items()})}
    return TableDescription(
        name=table.name,
        rows=table.row_count,
        has_text_cells=table.is_delimited,
        columns=tuple(
            ColumnDescription(
                name=name,
                kind=kind,
                values=counts[name][0] if name in counts else None,
                missing=counts[name][1] if name in counts else None,
                examples=examples[name],
                **(_noticed(looks[name], reading, has_types=not table.is_delimited) if name in looks else {}),
            )
            for name, kind in kinds.items()
        ),
    )


def _noticed(look: ColumnLook, reading: ReadOptions, *, has_types: bool) -> dict[str, Any]:
    """Return what is noticed of a column, as fields of its description."""
    reason = identifier_reason(look)
    if reason is not None:
        repeats = look.repeats >= PERSONS_REPEAT and not is_free_text(look)
        repeats = repeats and not is_a_helper(look.name)
        return {"identifier": reason, "rows_each": look.repeats if repeats else None}
    code = None if look.is_text else missing_code(look)
    if code is not None:
        # As it is written: nobody typed the ".0" of a cell that is a number, nor the point for a comma.
        code = code.removesuffix(".0") if has_types else code.replace(".", reading.decimal)
    return {
        "is_coded": are_codes(look),
        "is_written_date": look.is_text and are_dates(look.cells),
        "alike": alike_values(look.cells) if look.is_text else 0,
        "order": order_of(look),
        "missing_code": code,
    }


def count_values(table: Table, names: Sequence[str]) -> dict[str, int]:
    """Count the different values of some columns, those of a missing cell not counted."""
    return {name: values for name, (values, _) in _counts(table, list(names)).items()}


def note_persons(table: Table, *used: Collection[str]) -> None:
    """Note where a column without a role is called as persons' numbers are, and repeats: rows are counted."""
    if not is_heard() or table.is_remote:
        return
    named = [
        one.name
        for one in table.columns
        if one.kind is not None and one.name not in chain(*used) and name_strength(one.name) == "sure"
    ]
    counts = count_values(table, [name for name in named if not (is_a_name(name) or is_a_helper(name))])
    noticed = [(look, _noticed(look, ReadOptions(), has_types=False)) for look in column_looks(table, counts)]
    repeating = [look for look, found in noticed if found.get("rows_each") is not None]
    if repeating:
        one = max(repeating, key=lambda look: look.values)
        note(
            f"rows are counted as people, and column {one.name!r} repeats: {one.values:,} persons with "
            f"{one.repeats:.2g} rows each on average. If a reader can link them, say "
            f"{option('person', one.name)}"
        )


def column_names(source: Any, options: ReadOptions | None = None) -> tuple[str, ...]:
    """Name the columns of a table."""
    return tuple(open_table(source, options or ReadOptions()).column_names)


def _counts(table: Table, names: list[str]) -> dict[str, tuple[int, int]]:
    """Count the different values and the missing ones of each column, so many columns at a time."""
    counts: dict[str, tuple[int, int]] = {}
    for start in range(0, len(names), COUNTED_AT_ONCE):
        counts |= table.value_counts(names[start : start + COUNTED_AT_ONCE])
    return counts


def _examples(table: Table, names: list[str]) -> dict[str, tuple[Any, ...]]:
    rows = table.first_rows(names, LOOKED_AT)
    return {
        name: tuple(dict.fromkeys(str(row[i]) for row in rows if row[i] is not None))[:EXAMPLES]
        for i, name in enumerate(names)
    }
