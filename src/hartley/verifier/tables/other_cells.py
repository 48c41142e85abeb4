"""Tables that are not text, as the verifier reads them: column by column, into Arrow.

Data frames, Stata and SPSS files, and Parquet: one file, or a folder of files that Spark wrote.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Iterator
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from hartley.errors import TableError

BATCH = 1 << 20
_ROW = re.compile(rb"""\br\s{0,9}=\s{0,9}["'][A-Za-z]{0,9}([0-9]{1,18})""")
_COLUMN = re.compile(rb"""\br\s{0,9}=\s{0,9}["']([A-Za-z]{1,9})[0-9]""")
FEW_CELLS, SPARSE = 10_000_000, 20
"""A sheet may reach over so many cells, and over so many more for each one that is there."""


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


def frame_cells(source: Any) -> tuple[list[str], Any]:
    """Return the names of all columns, and an Arrow table of those that Arrow can hold.

    An index of pandas is no column. What the frame's own engine says may hold a cell, and is not passed on.
    """
    import narwhals as nw
    import pyarrow as pa

    try:
        frame: Any = nw.from_native(source)
        names = frame.columns if isinstance(frame, nw.DataFrame) else frame.collect_schema().names()
        if isinstance(frame, nw.LazyFrame):
            # Arrow has no integers of 128 bits; polars has.
            frame = frame.collect(None if frame.implementation.is_polars() else "pyarrow")
    except Exception as error:
        raise TableError(
            f"the frame cannot be computed ({type(error).__name__}); try it in its own library"
        ) from None
    found = {name: _column(frame.get_column(name)) for name in names}
    return names, pa.table({name: column for name, column in found.items() if column is not None})


def _column(series: Any) -> Any:
    """Return a column as Arrow, whole numbers beyond 64 bits as decimals; nothing where there is no way."""
    import narwhals as nw
    import pyarrow as pa

    try:
        return series.to_arrow()
    except Exception:
        if series.dtype in (nw.Int128, nw.UInt128):
            return series.cast(nw.String).to_arrow().cast(pa.decimal256(39, 0))
        cells = series.to_list()
    if not all(type(cell) is int or _is_missing(cell) for cell in cells):
        return None
    return pa.array([Decimal(cell) if type(cell) is int else None for cell in cells])


def _is_missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)
    except TypeError:  # whether the NA of pandas is itself is NA
        return True


def workbook_cells(path: Any) -> Any:
    """Read the first sheet of a workbook; a cell without anything is missing."""
    import pyarrow as pa
    import python_calamine

    try:
        _require_near(path)
        with python_calamine.CalamineWorkbook.from_path(str(path)) as book:
            header, *rows = book.get_sheet_by_index(0).to_python(skip_empty_area=False)
    except (python_calamine.CalamineError, BadZipFile, zlib.error, ValueError, NotImplementedError):
        raise OSError(f"{path} is no such file") from None
    cells = [[None if row[place] == "" else row[place] for row in rows] for place in range(len(header))]
    return pa.table([pa.array(column) for column in cells], names=[str(name) for name in header])


def _require_near(path: Any) -> None:
    """Refuse a workbook with a cell so far away that all between would not fit into memory."""
    with ZipFile(path) as file:
        for name in file.namelist():
            if name.lower().startswith("xl/worksheets/") and name.lower().endswith(".xml"):
                content = file.read(name)
                rows = max(map(int, {b"0", *_ROW.findall(content)}))
                columns = max(map(_number, {b"", *_COLUMN.findall(content)}))
                if rows * columns > SPARSE * content.count(b"<c") + FEW_CELLS:
                    raise ValueError("far away")


def _number(letters: bytes) -> int:
    """Return the number of a column by its letters: 27 for AA."""
    return reduce(lambda before, letter: 26 * before + letter - 64, letters.upper(), 0)


def labelled_cells(path: Any) -> Any:
    """Read a Stata or SPSS file; an empty text is missing, for these formats have no other.

    Dates and times that Python does not have, or that their format does not tell apart, stay numbers.
    """
    import pyarrow as pa
    import pyreadstat

    read = pyreadstat.read_dta if str(path).lower().endswith(".dta") else pyreadstat.read_sav

    def columns(**more: Any) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = read(str(path), user_missing=True, output_format="dict", **more)[0]
        return found

    def with_times(name: str) -> list[Any]:
        try:
            return columns(usecols=[name])[name]
        except OverflowError:
            return stored[name]

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # a name that stands twice
            stored = columns(disable_datetime_conversion=True)
            try:
                shown = columns()
            except OverflowError:
                shown = {name: with_times(name) for name in stored}
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UserWarning):
        raise OSError(f"{path} is no such file") from None
    return pa.table(
        {
            name: pa.array(
                [None if cell == "" or cell != cell else cell for cell in _told_apart(stored[name], column)]
            )
            for name, column in shown.items()
        }
    )


def _told_apart(stored: list[Any], shown: list[Any]) -> list[Any]:
    different = len(set(map(repr, stored)))
    return stored if len(set(map(repr, shown))) < different else shown
