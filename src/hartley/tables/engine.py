"""DuckDB, as we use it: an engine of our own for each table, and SQL that cannot be escaped from."""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def connect() -> DuckDBPyConnection:
    """Open an engine of our own: it installs nothing, and spills to the system's temporary folder."""
    import duckdb

    spill = Path(tempfile.gettempdir()) / f"hartley-{uuid.uuid4().hex}"
    connection = duckdb.connect(
        config={"autoinstall_known_extensions": "false", "temp_directory": str(spill)}
    )
    connection.execute("SET enable_progress_bar = false")
    # The statistics of Parquet files leave NaN out, and from them DuckDB concludes that isnan() is false.
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def one_row(connection: DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    """Run a query that gives one row, such as an aggregate."""
    (row,) = connection.execute(query).fetchall()
    return tuple(row)


def literal(text: str) -> str:
    """Write a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def path_literal(path: Path) -> str:
    """Write a path as an SQL literal that names this one file, whatever characters it holds."""
    plain = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path))
    return literal(plain)
