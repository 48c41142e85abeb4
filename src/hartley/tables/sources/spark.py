"""A Spark table: rows stay in Spark.

For an audit, distinct rows that are few come to the driver in one job of Spark and are counted there, which
is quicker by far than the hundred stages that count them in Spark. Of many, only counts leave it. A release
is searched and verified on the driver, by the distinct rows of the columns that it looks at with the number
of each. There may be few of them however many rows there are; where there are too many, the release is
refused.
"""

# ruff: noqa: S608 (names are quoted where they are not ours)

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.errors import TableError, option, quoted
from hartley.tables.column_types import RefusedColumn, TypedColumn, typed_native
from hartley.tables.counting.remote_summary import EngineColumn, EngineTable
from hartley.tables.counting.sql_summary import Columns, SummaryRead
from hartley.tables.read_options import ReadOptions
from hartley.tables.roles import Roles
from hartley.tables.sources.frames import ROWS, LazyFrame, computed, given, register
from hartley.tables.sources.source import Missing, RawColumn

if TYPE_CHECKING:
    import narwhals as nw

MOST_DIFFERENT = 4_000_000
"""How many distinct rows the driver takes at most, where its session says nothing else."""
SETTING = "spark.hartley.differentRows"
"""The setting of a Spark session that says so."""
FEW_DIFFERENT = 1_000_000
"""Up to how many distinct rows an audit fetches instead of counting them in Spark."""
VIEW = "hartley_table"
_TABLES = re.compile(r"\bhartley_\w+")
"""Names of our tables in a query; its columns are all called ``c0``, ``x0`` and the like."""


class SparkFrame(LazyFrame):
    """A Spark frame: joint ranges come here as distinct rows, audits of many such rows as counts."""

    is_remote = True
    gives_distinct_rows = True

    def __init__(self, frame: nw.LazyFrame[Any], options: ReadOptions) -> None:
        super().__init__(frame, options)
        self._native = self._frame.to_native()
        self._fetched: dict[tuple[str, ...], Any] = {}
        types = [field.dataType for field in frame.to_native().schema.fields]
        self.columns = tuple(
            column
            if _has_arrow(own)
            else replace(
                column, refusal=f"is of type {own.simpleString()}; read it as text ({option('text')})"
            )
            for column, own in zip(self.columns, types, strict=True)
        )

    def _by_place(self, frame: nw.LazyFrame[Any], names: Sequence[str]) -> nw.LazyFrame[Any]:
        import narwhals as nw

        del names
        by_place: nw.LazyFrame[Any] = nw.from_native(placed(frame.to_native()))
        return by_place

    def _counted(self, columns: Sequence[RawColumn]) -> nw.DataFrame[Any]:
        """Have distinct rows counted, and fetch them unless they are too many."""
        import narwhals as nw

        found = self._fetched.pop(tuple(column.sql for column in columns), None)
        if found is None:
            found = fetched_few(self._grouped(columns), [column.name for column in columns])
        return nw.from_native(found, eager_only=True)

    def _grouped(self, columns: Sequence[RawColumn]) -> Any:
        from pyspark.sql import functions as f

        return self._native.groupBy(*(column.sql for column in columns)).agg(f.count("*").alias(ROWS))

    def _has_few(self, columns: Sequence[RawColumn]) -> bool:
        """Fetch the distinct rows if they are few, and keep them until they are asked for."""
        grouped = self._grouped(columns)
        few = min(FEW_DIFFERENT, most_different(grouped.sparkSession))
        found = grouped.limit(few + 1).toArrow()
        if found.num_rows > few:
            return False
        self._fetched[tuple(column.sql for column in columns)] = found
        return True

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Return rows again from their counts: rows of Spark have no order, and only distinct ones come."""
        import narwhals as nw

        with self._computed():
            counted = counted_rows(self._native, {column.sql: column.name for column in columns})
        frame = nw.from_native(counted, eager_only=True)
        arrays = {column.sql: given(frame.get_column(column.sql), column.name) for column in columns}
        register(self.connection, "hartley_batch", {**arrays, "n": counted["count"]})
        self.connection.execute("CREATE OR REPLACE TEMP TABLE hartley_counted AS FROM hartley_batch")
        self.connection.unregister("hartley_batch")
        names = ", ".join(column.sql for column in columns)
        return f"(SELECT {names} FROM hartley_counted, range(hartley_counted.n))"

    def summary(
        self, columns: Mapping[str, TypedColumn], roles: Roles, missing: Missing
    ) -> SummaryRead | None:
        """Count in Spark, where there is much to count and its values are equal exactly where ours are."""
        table = self.engine_table(columns, roles)
        if table is None:
            return None
        try:
            with self._computed():
                if self._has_few([self.columns[table.places[name]] for name in roles.columns]):
                    return None
                return table.summary(roles, missing)
        finally:
            table.engine.drop(VIEW)

    @property
    def most_held(self) -> int:
        """How many different rows the driver takes at most."""
        return most_different(self._native.sparkSession)

    def engine_table(self, columns: Mapping[str, TypedColumn], roles: Roles) -> EngineTable | None:
        """Return the table in Spark, where values are equal there exactly where they are here."""
        own = {
            column.name: typed_native(column.name, column.sql, column.duckdb_type) for column in self.columns
        }
        for name in roles.columns:
            native = own[name]
            if isinstance(native, RefusedColumn) or native.kind != columns[name].kind:
                return None
        places = {column.name: place for place, column in enumerate(self.columns)}
        engine = SparkCounting(self._native.sparkSession)
        # A frame of its own: what the user has persisted stays so when ours is dropped.
        engine.show(VIEW, self._native.select("*"))
        return EngineTable(
            engine=engine,
            source=VIEW,
            row_count=self.row_count,
            columns={name: _column(f"c{places[name]}", columns[name]) for name in roles.columns},
            typed=columns,
            places=places,
            connection=self.connection,
            cells_here={name: f"c{places[name]}" for name in roles.columns},
        )


def most_different(session: Any) -> int:
    """Return how many distinct rows the driver takes at most, as the session says."""
    told = str(session.conf.get(SETTING, str(MOST_DIFFERENT)))
    if not told.isdecimal():
        raise TableError(f"{SETTING} must be a whole number, such as {MOST_DIFFERENT}")
    return int(told)


def fetched_few(frame: Any, names: Sequence[str]) -> Any:
    """Return a frame of distinct rows as Arrow; refuse it where the driver would get too many."""
    most = most_different(frame.sparkSession)
    found = frame.limit(most + 1).toArrow()
    if found.num_rows > most:
        held = "column {} holds more than {:,} different values"
        if len(names) > 1:
            held = "columns {} together hold more than {:,} different rows"
        columns = quoted(names, last=" and ")
        raise TableError(
            f"{held.format(columns, most)}, and the Spark driver takes no more: leave out columns that "
            "are nearly all different, round them in Spark, release the table from a Parquet "
            f"file, ask for {option('shape', 'tree')} of public and sensitive columns alone, which is "
            f"searched in Spark, or give the driver memory and set {SETTING}"
        )
    return found


def counted_rows(frame: Any, names: Mapping[str, str]) -> Any:
    """Return distinct rows of some columns as Arrow, with the number of each as the last column, ``count``.

    To Spark -0.0 is 0.0 in a group; here it stays what it is. Columns are given by place, with their names.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyspark.sql import functions as f

    places = list(names)
    types = {field.name: field.dataType.typeName() for field in frame.schema.fields}
    signs = {place: f"{place}_sign" for place in places if types[place] in ("float", "double")}
    marked = frame.select(
        *places,
        *(
            ((f.col(place) == 0) & f.col(place).cast("string").startswith("-")).alias(sign)
            for place, sign in signs.items()
        ),
    )
    found = fetched_few(marked.groupBy(*places, *signs.values()).count(), list(names.values()))
    for place, sign in signs.items():
        column = found[place]
        minus = pa.scalar(-0.0, column.type)
        column = pc.if_else(pc.fill_null(found[sign], False), minus, column)
        found = found.set_column(found.column_names.index(place), place, column)
    return found.select([*places, "count"])


def placed(frame: Any) -> Any:
    """Return a Spark frame with columns ``c0, c1, ...``, cast so that equal cells are the same in both."""
    from pyspark.sql import functions as f

    types = [field.dataType for field in frame.schema.fields]
    renamed = frame.toDF(*(f"c{place}" for place in range(len(types))))
    if not any(map(_needs_change, types)):
        return renamed
    cells = (plain_cell(f.col(f"c{place}"), own).alias(f"c{place}") for place, own in enumerate(types))
    return renamed.select(*cells)


def plain_cell(cell: Any, own: Any) -> Any:
    """Return a cell by code point where it has a collation, and as text where Arrow has no type for it."""
    from pyspark.sql import functions as f

    if not _needs_change(own):
        return cell
    return f.collate(cell, "UTF8_BINARY") if own.typeName() == "string" else cell.cast("string")


def plain_type(own: Any) -> Any:
    """Return the type of a plain cell."""
    from pyspark.sql.types import StringType

    return StringType() if _needs_change(own) else own


def _needs_change(own: Any) -> bool:
    if own.typeName() == "string":
        return not own.isUTF8BinaryCollation()
    return own.typeName() == "void" or not _has_arrow(own)


def _has_arrow(own: Any) -> bool:
    from pyspark.errors import PySparkTypeError
    from pyspark.sql.pandas.types import to_arrow_type

    try:
        to_arrow_type(own, timezone="UTC")
    except PySparkTypeError:
        return False
    return True


def _column(cell: str, typed: TypedColumn) -> EngineColumn:
    # In groups and joins Spark takes -0.0 for 0.0, as we do.
    value = f"CASE WHEN isnan({cell}) THEN NULL ELSE {cell} END" if typed.carrier == "float" else cell
    return EngineColumn(value, lambda kept, place: f"{kept} AS c{place}")


class SparkCounting:
    """Spark as an engine that keeps tables and counts in them.

    All of a session share its temporary views. So the names of ours end in letters of their own, and
    several audits can be under way in one session.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._ending = f"_{secrets.token_hex(6)}"
        self._kept: dict[str, Any] = {}
        self.bytes_fetched = 0
        """What has come to the driver so far."""

    def keep(self, name: str, query: str) -> None:
        """Keep the outcome of a query in the memory and on the disks of the workers."""
        self.show(name, self._session.sql(self._ours(query)).persist())

    def show(self, name: str, frame: Any) -> None:
        """Register a frame for queries under a name."""
        self._kept[name] = frame
        frame.createOrReplaceTempView(self._ours(name))

    def fetch_arrow(self, query: str) -> Any:
        """Fetch the outcome of a query."""
        with computed("pyspark"):
            table = self._session.sql(self._ours(query)).toArrow()
        self.bytes_fetched += table.nbytes
        return table

    def fetch(self, query: str) -> Columns:
        """Fetch a few columns of numbers."""
        table = self.fetch_arrow(query)
        return {name: np.asarray(table[name].to_numpy()) for name in table.column_names}

    def same(self, one: str, other: str) -> str:
        """Compare two values, missing ones included."""
        return f"{one} <=> {other}"

    def drop(self, name: str) -> None:
        """Forget a kept table."""
        kept = self._kept.pop(name, None)
        if kept is not None:
            self._session.catalog.dropTempView(self._ours(name))
            kept.unpersist()

    def _ours(self, query: str) -> str:
        """Return the names of our tables their ending."""
        return _TABLES.sub(lambda name: name[0] + self._ending, query)
