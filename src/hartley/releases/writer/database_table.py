"""A release written back into a database: a new table, filled and checked in one transaction."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hartley.errors import OptionError, TableError, WriteError, option
from hartley.tables.locations import is_database

if TYPE_CHECKING:
    from hartley.tables.sources.database_session import Database


def database_for(into: str | None, url: str | None, source: Any, output: Path) -> str:
    """Say which database the release goes into as well."""
    if into is None:
        raise OptionError(f"{option('into_database')} needs the name of a new table ({option('into')})")
    place = url if url is not None else source
    if not is_database(place):
        raise OptionError(
            f"{option('into')} needs a database: TABLE must be the URL of one, or give "
            f"{option('into_database')}"
        )
    from hartley.tables.sources.database_session import require_new_name

    require_new_name(into, str(place))
    if output.suffix.lower() not in (".parquet", ".pq"):
        raise OptionError(
            f"{option('into')} needs OUT to be a Parquet file: it holds the types of the new table"
        )
    return str(place)


@contextmanager
def new_table(url: str, name: str, released: Path) -> Iterator[Callable[[], None]]:
    """Fill a new table with a released file, and give what makes it visible; it is not there otherwise."""
    from hartley.tables.sources.database_session import Database

    database = Database(url, is_writing=True)
    try:
        try:
            _fill(database, name, released)
        except TableError as error:
            raise WriteError(f"{error.message}; nothing was written") from None
        yield partial(_commit, database)
    finally:
        database.close()


def _commit(database: Database) -> None:
    try:
        database.commit()
    except TableError as error:
        raise WriteError(f"{error.message}; the files were written, but not the table") from None


def require_no_table(url: str, name: str) -> None:
    """Refuse a table that is there already, before any work."""
    from hartley.tables.sources.database_session import TAKEN, Database, quoted_table

    table = quoted_table(name)
    database = Database(url, is_writing=True)
    try:
        with suppress(TableError):
            database.fetch_arrow(f"SELECT 1 AS one FROM {table} LIMIT 0")
            raise WriteError(f"{database.name}: {TAKEN}; nothing was written")
    finally:
        database.close()


def _fill(database: Database, name: str, released: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from hartley.tables.sources.database_session import quoted_name, quoted_table

    file = pq.ParquetFile(released)
    schema = file.schema_arrow
    if database.product == "sqlite":
        schema = pa.schema(
            [field.with_type(pa.string()) if _is_instant(field) else field for field in schema]
        )
    batches = (_with_zones(batch, schema) for batch in file.iter_batches())
    database.ingest(name, pa.RecordBatchReader.from_batches(schema, batches))
    columns = file.schema_arrow.names
    cells = ", ".join(quoted_name(column) for column in columns)
    table = quoted_table(name)
    counted = f"SELECT {cells}, count(*) AS hartley_rows FROM {table} GROUP BY {cells}"
    # Text is compared as it is; of other cells a database may have another spelling.
    values = [_same if pa.types.is_string(kind) else _value for kind in file.schema_arrow.types]
    written: Counter[tuple[Hashable, ...]] = Counter()
    fetched = database.fetch_arrow(counted)
    if fetched.column_names[:-1] != columns:
        raise TableError(f"{database.name}: it does not keep the names of the columns; give shorter ones")
    *found, numbers = fetched.columns
    for row, number in zip(_rows(values, found), numbers.to_pylist(), strict=True):
        written[row] += int(number)
    expected: Counter[tuple[Hashable, ...]] = Counter()
    for batch in file.iter_batches():
        expected.update(_rows(values, batch.columns))
    if written != expected:
        raise TableError(f"{database.name}: the new table does not hold what was released")


def _is_instant(field: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_timestamp(field.type) and field.type.tz is not None


def _with_zones(batch: Any, schema: Any) -> Any:
    """Return a batch in the types of a schema: instants as text that says so, where it wants text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [
        pc.strftime(column.cast(pa.timestamp("us", "UTC")), format="%Y-%m-%dT%H:%M:%SZ")
        if pa.types.is_string(field.type) and pa.types.is_timestamp(column.type)
        else column
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.record_batch(columns, schema=schema)


def _rows(
    values: Sequence[Callable[[Any], Hashable]], columns: Sequence[Any]
) -> Iterator[tuple[Hashable, ...]]:
    cells = (map(value, column.to_pylist()) for value, column in zip(values, columns, strict=True))
    return zip(*cells, strict=True)


def _same(cell: Any) -> Hashable:
    return cell if cell is None or isinstance(cell, str) else repr(cell)


def _value(cell: Any) -> Hashable:
    """Return what a cell says, whatever type a database has for it."""
    if isinstance(cell, bool):
        return Decimal(int(cell))
    if isinstance(cell, float):
        return "NaN" if cell != cell else Decimal(repr(cell + 0.0))
    if isinstance(cell, (int, Decimal)):
        return Decimal(cell)
    if isinstance(cell, dt.datetime):
        return (cell if cell.tzinfo is None else cell.astimezone(dt.UTC)).isoformat()
    if isinstance(cell, dt.date):
        return cell.isoformat()
    if isinstance(cell, str):
        return _number_or_moment(cell)
    return None if cell is None else repr(cell)


def _number_or_moment(text: str) -> Hashable:
    # Decimals come from PostgreSQL as their digits; a moment from SQLite as text, always with a fraction.
    try:
        return Decimal(text)
    except ArithmeticError:
        pass
    try:
        return dt.datetime.fromisoformat(text).isoformat() if len(text) > len("2024-02-29") else text
    except ValueError:
        return text
