"""A table before anything is asked of it: its columns, what kind they are, and a few cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hartley.model import Kind
from hartley.model.alphabet import label_to_json
from hartley.tables import ReadOptions, Table, open_table
from hartley.tables.looks.codes import are_codes, missing_code
from hartley.tables.looks.identifiers import (
    ColumnLook,
    are_dates,
    column_looks,
    counted_values,
    identifier_reason,
    repeats_persons,
)
from hartley.tables.looks.orders import Ordered, order_of
from hartley.tables.looks.possible_answers import alike_values

EXAMPLES = 4
LOOKED_AT = 200
"""Rows from the start in which examples are looked for."""


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
    counts = counted_values(table, usable)
    examples = _examples(table, list(kinds))
    looks = {one.name: one for one in column_looks(table, {name: found[0] for name, found in counts.items()})}
    return TableDescription(
        name=table.name,
        rows=table.row_count,
        has_text_cells=table.source.is_delimited,
        columns=tuple(
            ColumnDescription(
                name=name,
                kind=kind,
                values=counts[name][0] if name in counts else None,
                missing=counts[name][1] if name in counts else None,
                examples=examples[name],
                **(
                    _noticed(looks[name], reading, has_types=not table.source.is_delimited)
                    if name in looks
                    else {}
                ),
            )
            for name, kind in kinds.items()
        ),
    )


def _noticed(look: ColumnLook, reading: ReadOptions, *, has_types: bool) -> dict[str, Any]:
    """Return what is noticed of a column, as fields of its description."""
    reason = identifier_reason(look)
    if reason is not None:
        return {"identifier": reason, "rows_each": look.repeats if repeats_persons(look) else None}
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


def column_names(source: Any, options: ReadOptions | None = None) -> tuple[str, ...]:
    """Name the columns of a table."""
    return tuple(open_table(source, options or ReadOptions()).column_names)


def _examples(table: Table, names: list[str]) -> dict[str, tuple[Any, ...]]:
    rows = table.first_rows(names, LOOKED_AT)
    return {
        name: tuple(dict.fromkeys(str(row[i]) for row in rows if row[i] is not None))[:EXAMPLES]
        for i, name in enumerate(names)
    }
