"""A table before anything is asked of it: its columns, what kind they are, and a few cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hartley.model import Kind
from hartley.model.alphabet import label_to_json
from hartley.tables import ReadOptions, Table, open_table

EXAMPLES = 4
LOOKED_AT = 200
"""Rows from the start in which examples are looked for."""
NEARLY_ALL = 0.95
"""The share of rows with a value of their own from which a column looks like a name or an identifier."""
COUNTED_AT_ONCE = 50
"""Columns whose different values are counted in one pass; the engine takes much memory for each."""
FEWEST_ROWS = 10
"""Values of fewer rows than this are often all different by chance."""


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
    is_identifier: bool = False
    """Whether it looks like a name or an identifier: text or whole numbers, nearly all different."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "values": self.values,
            "missing": self.missing,
            "examples": [label_to_json(cell) for cell in self.examples],
        }


@dataclass(frozen=True, kw_only=True)
class TableDescription:
    """A table: its name, how many rows, and its columns."""

    name: str
    rows: int
    columns: tuple[ColumnDescription, ...]

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
    table = open_table(source, options or ReadOptions())
    kinds = {column.name: column.kind for column in table.columns}
    usable = [name for name, kind in kinds.items() if kind is not None]
    counts = _counts(table, usable)
    examples = _examples(table, list(kinds))
    identifiers = identifier_columns(table, {name: values for name, (values, _) in counts.items()})
    return TableDescription(
        name=table.name,
        rows=table.row_count,
        columns=tuple(
            ColumnDescription(
                name=name,
                kind=kind,
                values=counts[name][0] if name in counts else None,
                missing=counts[name][1] if name in counts else None,
                examples=examples[name],
                is_identifier=name in identifiers,
            )
            for name, kind in kinds.items()
        ),
    )


def identifier_columns(table: Table, values: Mapping[str, int]) -> tuple[str, ...]:
    """Name the columns that look like names or identifiers, by the number of their different values.

    >>> import pyarrow as pa
    >>> table = open_table(pa.table({"id": list(range(20)), "sex": ["f", "m"] * 10}))
    >>> identifier_columns(table, {"id": 20, "sex": 2})
    ('id',)
    """
    if table.row_count < FEWEST_ROWS:
        return ()
    many = [name for name, count in values.items() if count >= NEARLY_ALL * table.row_count]
    return tuple(
        column.name
        for column in table.typed_columns(many)
        if column.kind == "text" or (column.kind == "number" and column.carrier == "integer")
    )


def count_values(table: Table, names: Sequence[str]) -> dict[str, int]:
    """Count the different values of some columns, those of a missing cell not counted."""
    return {name: values for name, (values, _) in _counts(table, list(names)).items()}


def column_names(source: Any, options: ReadOptions | None = None) -> tuple[str, ...]:
    """Name the columns of a table."""
    return tuple(open_table(source, options or ReadOptions()).column_names)


def _counts(table: Table, names: list[str]) -> dict[str, tuple[int, int]]:
    """Count the different values and the missing ones of each column, so many columns at a time."""
    counts: dict[str, tuple[int, int]] = {}
    for start in range(0, len(names), COUNTED_AT_ONCE):
        some = names[start : start + COUNTED_AT_ONCE]
        asked = ", ".join(f"count(DISTINCT v{i}), count(*) - count(v{i})" for i in range(len(some)))
        # The query holds only names that are ours: v0, v1, ...
        query = f"SELECT {asked} FROM ({table.rows_sql([], typed=some)})"  # noqa: S608
        found = table.connection.execute(query).fetchone()
        if found is not None:
            counts |= {name: (found[2 * i], found[2 * i + 1]) for i, name in enumerate(some)}
    return counts


def _examples(table: Table, names: list[str]) -> dict[str, tuple[Any, ...]]:
    rows = table.connection.execute(f"{table.rows_sql(names)} LIMIT {LOOKED_AT}").fetchall()
    return {
        name: tuple(dict.fromkeys(str(row[i + 1]) for row in rows if row[i + 1] is not None))[:EXAMPLES]
        for i, name in enumerate(names)
    }
