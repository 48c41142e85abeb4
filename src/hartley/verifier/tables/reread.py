"""Reading tables once more, for the verifier: cells as they stand, by readers of its own.

Text files are split here, JSON is read by the standard library, Parquet and frames by
Arrow; the engine that wrote the release takes no part in it. Cells of text files come as
text, cells of JSON numbers as :class:`Digits`, others as Python values; missing is ``None``.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import re
from collections.abc import Hashable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.errors import ColumnError, TableError
from hartley.releases.formats import Format
from hartley.releases.policy import Reading
from hartley.verifier.tables.delimited import Delimited, is_plain, translated
from hartley.verifier.tables.other_cells import (
    batches_of,
    frame_cells,
    labelled_cells,
    row_total,
    schema_of,
    workbook_cells,
)

_FINE = re.compile(r"(.*[.,]\d{6})(\d+)(\D.*|)")
"""A moment with more than six decimals of a second."""
SECONDS_A_DAY = 86400
_OBJECTS_AT_ONCE = 1 << 16


class Digits(str):
    """A number of a JSON file, as its digits stand there; never equal to text."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digits) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(("digits", str(self)))


class RereadTable:
    """A table read once more: the names of its columns, and its rows."""

    def __init__(self, source: Any, reading: Reading | None = None) -> None:
        self._source = source
        self._reading = reading or Reading()
        self.format: Format | None = None
        self.name = "the table"
        self._texts: set[str] = set()
        self._singles: set[str] = set()
        if isinstance(source, (str, Path)):
            path = Path(source)
            self.name = path.name
            self.format = Format.of(path)
            self._source = path.absolute()  # ~t.csv and file:t.csv mean something else to some readers
        self.columns = self._columns()

    @property
    def is_text(self) -> bool:
        """Whether cells are text without types."""
        return self.format is not None and self.format.name == "csv"

    @property
    def is_json(self) -> bool:
        """Whether cells are those of JSON objects."""
        return self.format is not None and self.format.name == "json"

    def has_text(self, name: str) -> bool:
        """Whether the cells of a column are text, whatever they mean."""
        return self.is_text or name in self._texts

    def is_single(self, name: str) -> bool:
        """Whether a column holds floats of single precision."""
        return name in self._singles

    @property
    def has_order(self) -> bool:
        """Whether the rows come in an order of their own."""
        return not hasattr(self._source, "counted")

    def batches(self, names: list[str]) -> Iterator[tuple[list[Any], npt.NDArray[np.int64] | None]]:
        """Return columns batch by batch, and how often each row occurs where that is not once.

        They are Arrow columns, but for lists of the cells of JSON.
        """
        if hasattr(self._source, "counted"):
            for batch in self._source.counted(names).to_batches():
                *columns, counts = batch.columns
                yield columns, counts.to_numpy(zero_copy_only=False).astype(np.int64)
            return
        if self.is_text:
            found = self._delimited().columns([self.columns.index(name) for name in names])
            for columns in found if is_plain(self._reading) else translated(found, names, self._reading):
                yield columns, None
            return
        if self.is_json:
            objects = self._objects()
            while some := list(islice(objects, _OBJECTS_AT_ONCE)):
                yield [[one.get(name) for one in some] for name in names], None
            return
        if self.format is not None and self.format.name == "parquet":
            iterator = batches_of(self._source, names)
        else:
            if lost := [name for name in names if name not in self._cells.column_names]:
                raise ColumnError(f"column {lost[0]!r} holds cells that cannot be read as Arrow")
            iterator = iter(self._cells.select(names).to_batches())
        while (batch := self._failing_clearly(lambda: next(iterator, None))) is not None:
            yield [batch.column(name) for name in names], None

    def rows_nearly(self) -> int:
        """Say how many rows will come, nearly."""
        if hasattr(self._source, "counted"):
            return 0  # they are counted before they come
        if self.format is not None and self.format.name == "parquet":
            return int(self._failing_clearly(lambda: row_total(self._source)))
        is_text = self.is_text or self.is_json
        return self._text().count("\n") if is_text else int(self._cells.num_rows)

    def _columns(self) -> list[str]:
        if hasattr(self._source, "counted"):
            return self._of_schema(self._source.schema)
        if self.format is None:
            self._of_schema(self._cells.schema)
            return self._frame[0]
        if self.format.name in ("arrow", "stata", "spss", "workbook"):
            return self._of_schema(self._cells.schema)
        if self.format.name == "parquet":
            return self._of_schema(self._failing_clearly(lambda: schema_of(self._source)))
        if self.format.name == "csv":
            return self._delimited().header()
        others: dict[str, bool] = {}
        for found in self._objects():
            for name, cell in found.items():
                others[name] = others.get(name, False) or not (cell is None or type(cell) is str)
        self._texts = {name for name, is_other in others.items() if not is_other}
        return list(others)

    def _of_schema(self, schema: Any) -> list[str]:
        import pyarrow as pa

        kinds = dict(zip(schema.names, schema.types, strict=True))
        if len(kinds) < len(schema.names):
            raise TableError(f"{self.name}: two columns have the same name; give each its own")
        self._texts = {
            name for name, kind in kinds.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind)
        }
        self._singles = {
            name for name, kind in kinds.items() if pa.types.is_float32(kind) or pa.types.is_float16(kind)
        }
        return list(kinds)

    def _failing_clearly(self, read: Any) -> Any:
        import pyarrow as pa

        try:
            return read()
        except (pa.ArrowException, OSError, ValueError):
            raise TableError(f"{self.name}: the file cannot be read as its name says") from None

    def _text(self) -> str:
        path = Path(self._source)
        try:
            content = path.read_bytes()
            content = gzip.decompress(content) if path.suffix.lower() == ".gz" else content
            return content.decode(self._reading.encoding).removeprefix("\ufeff")
        except (OSError, EOFError, gzip.zlib.error):  # type: ignore[attr-defined]
            raise TableError(f"{str(path)!r} cannot be read") from None
        except (UnicodeError, LookupError, ValueError):
            raise TableError(f"{self.name}: the file is not {self._reading.encoding}") from None

    def _delimited(self) -> Delimited:
        assert self.format is not None  # noqa: S101 (asked for CSV only)
        return Delimited(self._text(), self._reading.delimiter or self.format.delimiter, self.name)

    def _objects(self) -> Iterator[dict[str, Any]]:
        for line in self._text().split("\n"):
            if not line.strip():
                continue
            try:
                found = json.loads(line, parse_float=Digits, parse_int=Digits)
            except (ValueError, RecursionError):
                raise TableError(f"{self.name}: a line is not JSON, or nested too deep") from None
            if not isinstance(found, dict):
                raise TableError(f"{self.name}: a line is not a JSON object")
            yield found

    @cached_property
    def _cells(self) -> Any:
        """The cells of a frame, or of a file that is read at once: read and computed a single time."""
        if self.format is None:
            return self._frame[1]
        readers = {"arrow": _arrow_file, "workbook": workbook_cells}
        read = readers.get(self.format.name, labelled_cells)
        return self._failing_clearly(lambda: read(self._source))

    @cached_property
    def _frame(self) -> tuple[list[str], Any]:
        return frame_cells(self._source)


def python_cells(column: Any, name: str) -> list[Any]:
    """Return the cells of an Arrow column as Python values; refuse dates that Python does not know."""
    try:
        found: list[Any] = column.to_pylist()
    except (OverflowError, ValueError):
        raise ColumnError(
            f"column {name!r} holds dates outside the years 1 to 9999, which cannot be verified; "
            "turn them into text first"
        ) from None
    return found


def _arrow_file(path: Any) -> Any:
    import pyarrow as pa

    with pa.memory_map(str(path)) as stream:
        table = pa.ipc.open_file(stream).read_all()
    table.validate(full=True)
    return table


def as_kind(cell: Any, kind: str | None) -> Hashable:
    """Return the value that a cell means in a column of a kind: equal values are equal keys.

    A cell that is not of the kind gets a key that no value has.

    >>> as_kind("1.10", "number") == as_kind(1.1, "number")
    True
    >>> as_kind("1.10", "text") == as_kind("1.1", "text")
    False
    """
    if cell is None or (isinstance(cell, float) and cell != cell):
        return None
    try:
        if kind == "number":
            return _number(cell)
        if kind == "boolean":
            return {"true": True, "false": False, 1.0: True, 0.0: False}[
                cell if isinstance(cell, str) else float(cell)
            ]
        if kind in ("date", "timestamp"):
            return _moment(cell, kind)
    except (ValueError, ArithmeticError, KeyError, TypeError):
        return "not of its kind", repr(cell)
    if kind == "text":
        return _plain_text(cell)
    if isinstance(cell, dt.time):
        return _time_of_day(cell)
    return cell if isinstance(cell, str) else repr(cell)


def position(cell: Any) -> Fraction:
    """Return where a cell lies on a line: a number, a day, a second."""
    if isinstance(cell, Decimal | int):
        return Fraction(cell)
    if isinstance(cell, tuple):  # a moment, and nanoseconds
        return position(cell[0]) + Fraction(cell[1], 10**9)
    if isinstance(cell, dt.datetime):
        # Plain numbers of the clock: a moment of pandas has a narrower range than the difference.
        seconds = (cell.toordinal() - 1) * SECONDS_A_DAY + cell.hour * 3600 + cell.minute * 60 + cell.second
        return Fraction((seconds * 10**6 + cell.microsecond) * 1000 + getattr(cell, "nanosecond", 0), 10**9)
    if isinstance(cell, dt.date):
        return Fraction(cell.toordinal())
    return Fraction(cell)


def _number(cell: Any) -> Hashable:
    if isinstance(cell, str):
        text = cell.strip()
        return Decimal(text) if text else None
    if isinstance(cell, bool):
        return Decimal(int(cell))
    return Decimal(repr(cell)) if isinstance(cell, float) else Decimal(cell)


def _moment(cell: Any, kind: str) -> Hashable:
    if isinstance(cell, str):
        if not cell:
            return None
        return dt.date.fromisoformat(cell) if kind == "date" else _read_moment(cell)
    if kind == "date":
        day: Hashable = cell
        return day
    # Pandas has moments that are finer than those of Python.
    fine = getattr(cell, "nanosecond", 0)
    return _instant(cell.replace(nanosecond=0).to_pydatetime(), fine) if fine else _instant(cell)


def _read_moment(text: str) -> Hashable:
    found = _FINE.fullmatch(text)
    if found is None:
        return _instant(dt.datetime.fromisoformat(text))
    # Python would leave the digits beyond six away.
    start, finer, zone = found.groups()
    return _instant(dt.datetime.fromisoformat(start + zone), int(finer.rstrip("0").ljust(3, "0")))


def _instant(moment: dt.datetime, nanoseconds: int = 0) -> Hashable:
    moment = moment if moment.tzinfo is None else moment.astimezone(dt.UTC)
    return (moment, nanoseconds) if nanoseconds else moment


def _time_of_day(cell: dt.time) -> str:
    text = cell.isoformat()
    return text.rstrip("0") if "." in text else text


def _plain_text(cell: Any) -> str:
    """Return a cell of a column that was declared text as the engine writes it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return repr(cell + 0.0)
    if isinstance(cell, Decimal):
        return format(cell, "f")
    if isinstance(cell, dt.time):
        return _time_of_day(cell)
    if isinstance(cell, dt.datetime):
        instant = "" if cell.tzinfo is None else "+00"
        text = str(cell if cell.tzinfo is None else cell.astimezone(dt.UTC).replace(tzinfo=None))
        return (text.rstrip("0") if "." in text else text) + instant
    return str(cell)
