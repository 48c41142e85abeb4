"""What reading a table will take, from its metadata, before anything heavy starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hartley.errors import HartleyError
from hartley.tables.locations import FileKind, Files, find_files, is_database
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
UNPACKED = 5
"""How many times longer packed text is than its file, roughly."""


@dataclass(frozen=True)
class Estimate:
    """How large a table is, and how long it takes to read once, roughly."""

    bytes: int
    rows: int | None
    """Known without reading for Parquet files only."""
    seconds: float

    def __str__(self) -> str:
        rows = "" if self.rows is None else f"{self.rows:,} rows, "
        size = f"{self.bytes / 1e9:.1f} GB" if self.bytes >= 1e9 else f"{self.bytes / 1e6:.0f} MB"
        minutes = self.seconds / 60
        time = f"{self.seconds:.0f} seconds" if minutes < 2 else f"{minutes:.0f} minutes"
        return f"{rows}{size}; reading takes about {time}"


def estimate(source: Any) -> Estimate | None:
    """Estimate what reading files takes; nothing for databases and frames, or what cannot be read.

    >>> str(Estimate(606_000_000, 100_000_000, 10.0))
    '100,000,000 rows, 606 MB; reading takes about 10 seconds'
    """
    if is_database(source) or not isinstance(source, (str, Path)):
        return None
    path = Path(source)
    if path.is_file() and packing(path):
        return _of(Files("csv", (path,)), UNPACKED)
    try:
        return _of(find_files(source), 1)
    except HartleyError:
        return None


def _of(files: Files, unpacked: int) -> Estimate:
    size = sum(path.stat().st_size for path in files.paths)
    if files.kind != "parquet":
        return Estimate(size, None, size * unpacked / BYTES_PER_SECOND[files.kind])
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = sum(pq.read_metadata(path).num_rows for path in files.paths)
    except (pa.ArrowException, OSError):
        return Estimate(size, None, 0.0)
    return Estimate(size, rows, rows / PARQUET_ROWS_PER_SECOND)
