"""A table before anything is asked of it: its columns, what kind they are, and a few cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hartley.errors import TableError
from hartley.model import Kind
from hartley.model.alphabet import label_to_json
from hartley.tables import ReadOptions, Table, open_table
from hartley.tables.engine import one_row
from hartley.tables.looks.codes import are_codes, missing_code
from hartley.tables.looks.identifiers import ColumnLook, are_dates, identifier_reason, is_whole_number
from hartley.tables.looks.orders import Ordered, order_of

EXAMPLES = 4
LOOKED_AT = 200
"""Rows from the start in which examples are looked for."""
LOOKED_THROUGH = 10_000
"""Rows from the start that tell what cells look like."""
CELLS_LOOKED_AT = 1_000
COUNTED_AT_ONCE = 50
"""Columns whose different values are counted in one pass; the engine takes much memory for each."""
FEWEST_VALUES = 2
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
        } | ({} if self.identifier is None else {"identifier": self.identifier})


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
    looks = {one.name: one for one in column_looks(table, {name: found[0] for name, found in counts.items()})}
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
                **(_noticed(looks[name]) if name in looks else {}),
            )
            for name, kind in kinds.items()
        ),
    )


def _noticed(look: ColumnLook) -> dict[str, Any]:
    """Return what is noticed of a column, as fields of its description."""
    reason = identifier_reason(look)
    if reason is not None:
        return {"identifier": reason, "rows_each": look.repeats if look.repeats >= PERSONS_REPEAT else None}
    return {
        "is_coded": are_codes(look),
        "is_written_date": look.is_text and are_dates(look.cells),
        "order": order_of(look),
        "missing_code": None if look.is_text else missing_code(look),
    }


def identifier_columns(table: Table, values: Mapping[str, int | None]) -> dict[str, str]:
    """Return the columns that look like they name people, each with the reason.

    ``values`` are the different values of each column; where it is ``None``, the first rows tell.

    >>> import pyarrow as pa
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
        for place, name in enumerate(some, 1):
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


def _first_rows(table: Table, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Fetch some rows to look at; none of a table elsewhere that hands out fewer different ones."""
    try:
        asked = f"{table.rows_sql(names)} LIMIT {LOOKED_THROUGH}"
    except TableError:
        return []
    return table.connection.execute(asked).fetchall()


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
        found = one_row(table.connection, query)
        counts |= {name: (found[2 * i], found[2 * i + 1]) for i, name in enumerate(some)}
    return counts


def _examples(table: Table, names: list[str]) -> dict[str, tuple[Any, ...]]:
    rows = table.connection.execute(f"{table.rows_sql(names)} LIMIT {LOOKED_AT}").fetchall()
    return {
        name: tuple(dict.fromkeys(str(row[i + 1]) for row in rows if row[i + 1] is not None))[:EXAMPLES]
        for i, name in enumerate(names)
    }
