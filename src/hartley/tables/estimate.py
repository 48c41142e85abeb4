"""What reading a table will take, from its metadata, before anything heavy starts."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hartley.errors import HartleyError
from hartley.tables.locations import FileKind, Files, find_files, is_database
from hartley.tables.other_databases import file_of, is_other_database
from hartley.tables.sources.database_session import Database, product_of, selected
from hartley.tables.text_files import packing

# Bytes and rows that one core of an ordinary machine gets through in a second; orders of magnitude.
BYTES_PER_SECOND: dict[FileKind, float] = {
    "csv": 4e7,
    "json": 2e7,
    "arrow": 3e8,
    "workbook": 2e6,
    "stata": 2e7,
    "spss": 2e7,
}
PARQUET_ROWS_PER_SECOND = 1e7
DATABASE_ROWS_PER_SECOND = 1e6
SQLITE_BYTES_PER_SECOND = 2e7
UNPACKED = 5
"""How many times longer packed text is than its file, roughly."""


@dataclass(frozen=True)
class Estimate:
    """How large a table is, and how long it takes to read once, roughly."""

    bytes: int
    rows: int | None
    """Known without reading for Parquet files only; PostgreSQL has a guess."""
    seconds: float
    is_guess: bool = False

    def __str__(self) -> str:
        rows = "" if self.rows is None else f"{'about ' * self.is_guess}{self.rows:,} rows, "
        size = f"{self.bytes / 1e9:.1f} GB" if self.bytes >= 1e9 else f"{self.bytes / 1e6:.0f} MB"
        minutes = self.seconds / 60
        time = f"{self.seconds:.0f} seconds" if minutes < 2 else f"{minutes:.0f} minutes"
        return f"{rows}{size}; reading takes about {time}"


def estimate(source: Any, query: str | None = None) -> Estimate | None:
    """Estimate what reading a table takes; nothing for frames, or what cannot be read.

    A database that cannot be reached is refused: asking once more would take as long.

    >>> str(Estimate(606_000_000, 100_000_000, 10.0))
    '100,000,000 rows, 606 MB; reading takes about 10 seconds'
    """
    if not isinstance(source, (str, Path)):
        return None
    if is_database(source) and is_other_database(str(source)):
        return None
    if is_database(source):
        return _of_database(str(source), query)
    path = Path(source)
    if path.is_file() and packing(path):
        return _of(Files("csv", (path,)), UNPACKED)
    try:
        return _of(find_files(source), 1)
    except HartleyError:
        return None


def _of_database(url: str, query: str | None) -> Estimate | None:
    if product_of(url) == "sqlite":
        path = Path(file_of(url))
        size = path.stat().st_size if path.is_file() else 0
        return Estimate(size, None, size / SQLITE_BYTES_PER_SECOND)
    with closing(Database(url)) as database:
        try:
            rows, width = database.planned(f"SELECT * FROM {selected(query, url)}")  # noqa: S608 (as it is read)
        except HartleyError:
            return None
    return Estimate(rows * width, rows, rows / DATABASE_ROWS_PER_SECOND, is_guess=True)


def _of(files: Files, unpacked: int) -> Estimate:
    size = sum(path.stat().st_size for path in files.paths)
    if files.kind != "parquet":
        return Estimate(size, None, size * unpacked / BYTES_PER_SECOND[files.kind])
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = sum(pq.read_metadata(path).num_rows for path in files.paths)
    except (pa.ArrowException, OSError, ValueError):
        return Estimate(size, None, 0.0)
    return Estimate(size, rows, rows / PARQUET_ROWS_PER_SECOND)
