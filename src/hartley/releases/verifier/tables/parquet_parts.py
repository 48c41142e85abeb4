"""Parquet as the verifier reads it: one file, or a folder of files that Spark wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hartley.errors import TableError

BATCH = 1 << 20


def parts(path: Path) -> list[Path]:
    """Return the files of a table, in the order of their names; marks that Spark leaves are none of them."""
    if not path.is_dir():
        return [path]
    found = sorted(part for part in path.iterdir() if not part.name.startswith(("_", ".")))
    if not found:
        raise TableError(f"{path.name}: the folder holds no Parquet file")
    return found


def schema_of(path: Path) -> Any:
    """Read the schema of the first file; the others must have it, too."""
    import pyarrow.parquet as pq

    first, *rest = parts(path)
    schema = pq.read_schema(first)
    if any(pq.read_schema(part).names != schema.names for part in rest):
        raise TableError(f"{path.name}: the files of the folder have different columns")
    return schema


def row_total(path: Path) -> int:
    """Return the number of rows that the files say they have."""
    import pyarrow.parquet as pq

    return sum(int(pq.read_metadata(part).num_rows) for part in parts(path))


def batches_of(path: Path, names: list[str]) -> Iterator[Any]:
    """Return the rows of some columns, batch by batch."""
    import pyarrow.parquet as pq

    for part in parts(path):
        # Not read ahead: what is read ahead is kept until the last batch.
        yield from pq.ParquetFile(part, pre_buffer=False).iter_batches(batch_size=BATCH, columns=names)
