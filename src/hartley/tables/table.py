"""A table: its columns, and the joint range of any roles; the only code that meets rows.

For a release there is :meth:`Table.rows_sql`. It selects, inside DuckDB and in the order of the
source, for each row

* ``r``: the number of the row, from 1 (sort by it after a join, which may change the order);
* ``o0, o1, ...``: the asked columns as the source has them, untouched: for CSV and TSV the text
  of the cell to the character (NULL for a cell without anything, the empty text for an empty pair
  of quotes, which ``COPY ... (FORMAT csv)`` writes back the same way); for Parquet and frames the value
  in its own type; for JSON lines the value as text;
* ``v0, v1, ...``: the same columns by the rule of types, in the carrier that
  :mod:`~hartley.tables.column_types` describes, with NULL for missing. Equal carriers are equal values of
  the alphabet.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hartley.errors import ColumnError, option
from hartley.model import Kind
from hartley.tables.column_types import RefusedColumn, TypedColumn
from hartley.tables.counting.different_rows import DifferentRows, own_engine
from hartley.tables.counting.fetch_range import COUNTED_FROM, RangeRead, read_range
from hartley.tables.counting.first_look import first_look
from hartley.tables.counting.grid import grid_room, read_on_grid
from hartley.tables.counting.held_rows import HeldRows, is_held
from hartley.tables.counting.sql_summary import SummaryRead, read_summary
from hartley.tables.engine import one_row, with_statistics
from hartley.tables.read_options import ReadOptions
from hartley.tables.roles import Roles
from hartley.tables.sources.source import KeptRows, Missing, RawColumn, Scan, Source, typed_without_looking
from hartley.tables.text_dialect import note_other_reading
from hartley.tables.text_types import TextRule, typed_texts

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PLAIN_NAME = re.compile(r"c[0-9]+")
FEW_PAIRS = 8
"""Pairs are few where there are this many times more rows: DuckDB counts them faster than rows are sorted."""


@dataclass(frozen=True)
class TableColumn:
    """A column as the user sees it."""

    name: str
    kind: Kind | None
    """``None`` where the column cannot stand in a role, such as a list; naming it in one says why."""


class Table:
    """Rows from a file or a frame, asked only for what is measured.

    >>> import pyarrow as pa
    >>> from hartley.tables import open_table
    >>> table = open_table(pa.table({"age": [30, 41, 41], "chol": [180, 214, None]}))
    >>> table.columns
    (TableColumn(name='age', kind='number'), TableColumn(name='chol', kind='number'))
    >>> table.joint_range(Roles(sensitive=("age",), public=("chol",))).joint
    JointRange(3 public values, 2 sensitive values, 3 pairs)
    """

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.source = source
        """Where the rows are, and how a file says that they are to be read."""
        self._options = options
        self._typed: dict[str, TypedColumn | RefusedColumn] = {}
        self._raw = {column.name: column for column in source.columns}
        self.require_columns(options.text + options.number)

    @property
    def name(self) -> str:
        """What messages call the table: the file's name, or ``the table``."""
        return self.source.name

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self._raw)

    @property
    def columns(self) -> tuple[TableColumn, ...]:
        """The columns in order, with their kinds; cells are looked at where the rule of types needs it."""
        self._type(self.column_names)
        found = (self._typed[name] for name in self.column_names)
        return tuple(
            TableColumn(column.name, column.kind if isinstance(column, TypedColumn) else None)
            for column in found
        )

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return self.source.row_count

    @property
    def connection(self) -> DuckDBPyConnection:
        """The engine in which :meth:`rows_sql` can be run."""
        return self.source.connection

    def require_columns(self, names: Iterable[str]) -> None:
        """Refuse a name that is no column, with the nearest names."""
        for name in names:
            if name not in self._raw:
                raise ColumnError.absent(name, self.column_names)

    def type_here(self, name: str) -> str:
        """Say what DuckDB takes the cells of a column for."""
        return self._raw[name].duckdb_type

    def require_cells(self, names: Iterable[str]) -> None:
        """Refuse a column whose cells the source cannot give as they are, measured or not."""
        for name in names:
            raw = self._raw[name]
            if raw.refusal is not None and raw.duckdb_type != "VARCHAR":
                raise ColumnError(f"column {name!r} {raw.refusal}")

    def joint_range(
        self, roles: Roles, *, missing: Missing = "value", missing_at: float | None = None
    ) -> RangeRead:
        """Read which values of the roles occur together.

        Values are sorted: numbers ascending, text by code point, then missing; of several
        columns by the first, then the next. With ``missing="drop"`` rows that lack a value in any
        column of the roles are left out and counted. ``missing_at`` puts a missing number of a public
        column in that number's place.
        """
        typed = dict(zip(roles.columns, self.typed_columns(roles.columns), strict=True))
        scan = self._scan(roles)
        is_long = self.row_count >= COUNTED_FROM
        with self._counted(scan, roles) if is_long else nullcontext(scan) as counted:
            return read_range(first_look(self.connection, counted, typed, roles, missing), missing_at)

    def range_summary(self, roles: Roles, *, missing: Missing = "value") -> SummaryRead | None:
        """Count what an audit needs; neither rows nor pairs stay here.

        Another engine that holds the rows counts them itself, if they are many. Else codes stream by,
        and are marked on a grid of public and sensitive values where there is room for one. Where there
        is none, DuckDB counts the pairs if they are few or the rows very many. Nothing is given where
        fetching the joint range costs less than any of this.
        """
        typed = dict(zip(roles.columns, self.typed_columns(roles.columns), strict=True))
        found = self.source.summary(typed, roles, missing)
        if found is not None or self.source.gives_distinct_rows:
            return found
        scan = self._scan(roles)
        look = first_look(self.connection, scan, typed, roles, missing)
        on_grid = read_on_grid(look, grid_room(look.records, self._options.memory_limit))
        if on_grid is not None:
            return on_grid
        pairs_are_few = FEW_PAIRS * look.pairs_nearly() < look.records
        if look.records < COUNTED_FROM and not pairs_are_few:
            return None
        with self._counted(scan, roles) as counted:
            return read_summary(first_look(self.connection, counted, typed, roles, missing))

    @property
    def most_held(self) -> int | None:
        """How many different rows may come here; nothing where only memory is a limit."""
        return getattr(self.source, "most_held", None)

    def different_rows(self, roles: Roles, *, missing: Missing = "value") -> DifferentRows | None:
        """Keep the different rows of some roles in the engine that has them.

        Nothing where another engine tells values apart as we do not, or cannot keep tables, and where cells
        are text that is still to be read as values.
        """
        typed = dict(zip(roles.columns, self.typed_columns(roles.columns), strict=True))
        find = getattr(self.source, "engine_table", None)
        table = own_engine(self.source, typed) if find is None else find(typed, roles)
        return None if table is None else DifferentRows(table, roles, missing)

    def several_counts(
        self, role_sets: Sequence[Roles], *, missing: Missing = "value"
    ) -> Iterator[SummaryRead | RangeRead]:
        """Count what audits of several sets of roles need, one after the other.

        The table is read once where its cells are few enough to be held here, or where each question
        would parse a file again; other sources read no column that is not asked for.
        """
        if not role_sets:
            return
        names = tuple(dict.fromkeys(name for roles in role_sets for name in roles.columns))
        typed = self.typed_columns(names)
        if not self.source.is_remote and is_held(self.row_count, len(names)):
            scan = self.source.scan([self._raw[name] for name in names])
            held = HeldRows(self.connection, scan, typed, self.row_count)
            yield from (held.joint_range(roles, missing) for roles in role_sets)
            return
        if not self.source.is_parsed_again or len(role_sets) == 1:
            yield from (self._count(roles, missing) for roles in role_sets)
            return
        kept = Table(KeptRows(self.source, typed), ReadOptions(memory_limit=self._options.memory_limit))
        kept._typed |= {column.name: replace(column, sql=f"c{place}") for place, column in enumerate(typed)}
        try:
            yield from (kept._count(roles, missing) for roles in role_sets)
        finally:
            kept.close()

    def _count(self, roles: Roles, missing: Missing) -> SummaryRead | RangeRead:
        found = self.range_summary(roles, missing=missing)
        return self.joint_range(roles, missing=missing) if found is None else found

    def _scan(self, roles: Roles) -> Scan:
        return self.source.scan([self._raw[name] for name in roles.columns])

    @contextmanager
    def _counted(self, scan: Scan, roles: Roles) -> Iterator[Scan]:
        """Have DuckDB count equal rows first, where that has not been done and cells can be grouped."""
        raw = [self._raw[name] for name in roles.columns]
        is_plain = all(_PLAIN_NAME.fullmatch(column.sql) for column in raw)
        if scan.rows is not None or not is_plain:
            yield scan
            return
        names = ", ".join(dict.fromkeys(column.sql for column in raw))
        with with_statistics(self.connection):
            self.connection.execute(
                f"CREATE OR REPLACE TEMP TABLE hartley_distinct AS "
                f"SELECT {names}, count(*) AS n FROM {scan.source} GROUP BY {names}"
            )
        try:
            # Different cells can be one value: NaN and missing, 0.0 and -0.0, the texts 1.10 and 1.1.
            is_exact = all(
                column.text_rule is None and column.duckdb_type not in ("FLOAT", "DOUBLE") for column in raw
            )
            is_declared = set(roles.columns) & set(self._options.number)
            yield Scan("hartley_distinct", "n", is_distinct=is_exact and not is_declared)
        finally:
            self.connection.execute("DROP TABLE IF EXISTS hartley_distinct")

    def typed_columns(self, names: Sequence[str]) -> list[TypedColumn]:
        """Return columns by the rule of types; refuse one that cannot be measured."""
        self.require_columns(names)
        self._type(names)
        typed = []
        for name in names:
            column = self._typed[name]
            if isinstance(column, RefusedColumn):
                raise ColumnError(f"column {name!r} {column.reason}")
            typed.append(column)
        return typed

    def rows_sql(self, names: Sequence[str], *, typed: Sequence[str] = ()) -> str:
        """Return the query for the rows, as the text at the top of this module says.

        ``names`` come as ``o0, o1, ...`` untouched, ``typed`` as ``v0, v1, ...`` by the rule of types.
        """
        values = self.typed_columns(typed)
        self.require_columns(names)
        cells = [f"{self._raw[name].sql} AS o{place}" for place, name in enumerate(names)]
        cells += [f"{column.sql} AS v{place}" for place, column in enumerate(values)]
        source = self.source.rows([self._raw[name] for name in dict.fromkeys((*names, *typed))])
        return f"SELECT {', '.join(['row_number() OVER () AS r', *cells])} FROM {source}"

    def first_rows(
        self, names: Sequence[str], most: int, *, typed: Sequence[str] = ()
    ) -> list[tuple[Any, ...]]:
        """Fetch the first rows, with the cells that :meth:`rows_sql` would select."""
        query = f"{self.rows_sql(names, typed=typed)} LIMIT {most}"
        return [row[1:] for row in self.connection.execute(query).fetchall()]

    def value_counts(self, names: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Count the different values and the missing ones of each of some columns, in one reading."""
        asked = ", ".join(f"count(DISTINCT v{i}), count(*) - count(v{i})" for i in range(len(names)))
        # The query holds only names that are ours: v0, v1, ...
        query = f"SELECT {asked} FROM ({self.rows_sql([], typed=names)})"
        found = one_row(self.connection, query)
        return {name: (found[2 * i], found[2 * i + 1]) for i, name in enumerate(names)}

    def close(self) -> None:
        """Let go of files and memory."""
        self.source.close()

    def _type(self, names: Iterable[str]) -> None:
        unseen: list[tuple[RawColumn, TextRule]] = []
        for name in dict.fromkeys(names):
            if name in self._typed:
                continue
            raw = self._raw[name]
            if name in self._options.number and raw.duckdb_type == "VARCHAR":
                unseen.append((raw, "number"))
                continue
            column = typed_without_looking(raw, name in self._options.text)
            if column is None:
                unseen.append((raw, raw.text_rule or "any"))
                continue
            if (
                name in self._options.number
                and isinstance(column, TypedColumn)
                and column.kind not in ("number", "boolean")
            ):
                raise ColumnError(
                    f"column {name!r} is a {column.kind}; only text can be declared a number "
                    f"({option('number')})"
                )
            self._typed[name] = column
        if unseen:
            scan = self.source.scan([raw for raw, _ in unseen])
            asked = [(raw.name, raw.sql, rule) for raw, rule in unseen]
            for column in typed_texts(self.connection, scan.source, asked, self.source.where):
                self._typed[column.name] = column
            texts = [
                (raw.name, raw.sql)
                for raw, _ in unseen
                if self.source.is_delimited and self._is_text(raw.name)
            ]
            has_commas = self._options.decimal == ","
            note_other_reading(self.connection, scan.source, texts, has_commas=has_commas)

    def _is_text(self, name: str) -> bool:
        column = self._typed[name]
        return isinstance(column, TypedColumn) and column.kind == "text"
