"""A table before anything is asked of it: its columns, what kind they are, and a few cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hartley.model import Kind
from hartley.model.alphabet import label_to_json
from hartley.tables import ReadOptions, Table, open_table

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
            )
            for name, kind in kinds.items()
        ),
    )


def column_names(source: Any, options: ReadOptions | None = None) -> tuple[str, ...]:
    """Name the columns of a table."""
    return tuple(open_table(source, options or ReadOptions()).column_names)


def _counts(table: Table, names: list[str]) -> dict[str, tuple[int, int]]:
    """Count the different values and the missing ones of each column."""
    if not names:
        return {}
    asked = ", ".join(f"count(DISTINCT v{i}), count(*) - count(v{i})" for i in range(len(names)))
    # The query holds only names that are ours: v0, v1, ...
    query = f"SELECT {asked} FROM ({table.rows_sql([], typed=names)})"  # noqa: S608
    found = table.connection.execute(query).fetchone()
    if found is None:
        return {}
    return {name: (found[2 * i], found[2 * i + 1]) for i, name in enumerate(names)}


def _examples(table: Table, names: list[str]) -> dict[str, tuple[Any, ...]]:
    rows = table.connection.execute(f"{table.rows_sql(names)} LIMIT {LOOKED_AT}").fetchall()
    return {
        name: tuple(dict.fromkeys(str(row[i + 1]) for row in rows if row[i + 1] is not None))[:EXAMPLES]
        for i, name in enumerate(names)
    }
