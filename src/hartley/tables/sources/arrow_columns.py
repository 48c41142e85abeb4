"""Columns of data frames as Arrow that DuckDB can scan, or the reason why there is none."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

MIXED = "mixes kinds of values; make them one kind first"
LONG_DECIMALS = "holds decimals of more than 38 digits; turn it into text first"
OBJECTS = "holds Python objects; turn them into text, numbers or dates first"
UNKNOWN = "is of a type that cannot be read; turn it into text, numbers or dates first"
ZONED = "holds times of day with a zone; turn it into text first"
TOO_FINE = "holds times finer than a microsecond; turn it into text first"
KNOWN_EXTENSIONS = ("arrow.uuid", "arrow.json", "arrow.bool8")
"""Types beyond Arrow's own whose values DuckDB knows; of others it would take what they are stored as."""


def as_arrow(series: nw.Series[Any]) -> Any:
    """Return a column as Arrow that DuckDB can scan, or the reason why there is none."""
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.compute as pc

    native = series.to_native()
    if isinstance(native, pa.ChunkedArray) and getattr(native.type, "scale", 0) < 0:
        return native.cast(pa.decimal128(38, 0))
    if series.dtype in (nw.Int128, nw.UInt128):
        return _digits(series.cast(nw.String).to_arrow())
    if series.dtype == nw.Object and series.implementation.is_polars():
        return OBJECTS
    try:
        array = series.to_arrow()
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return _whole_numbers(series.to_list())
    for inner in types_within(array.type):
        if isinstance(inner, pa.BaseExtensionType) and inner.extension_name not in KNOWN_EXTENSIONS:
            return f"is of type {inner.extension_name}; turn it into text, numbers or dates first"
        if pa.types.is_struct(inner) and len({field.name.casefold() for field in inner}) < inner.num_fields:
            return "holds structures with two fields of one name; give each field its own"
    if series.implementation.is_pandas_like() and (reason := _lossy_objects(native, array.type)):
        return reason
    if is_odd(array.type) and pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    if is_odd(array.type) and pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if getattr(kind, "scale", 0) < 0:
        return array.cast(pa.decimal128(38, 0))
    if pa.types.is_float16(kind):
        return array.cast(pa.float32())
    if pa.types.is_decimal256(kind) or pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        try:
            return array.cast(pa.decimal128(38, kind.scale))
        except pa.ArrowInvalid:
            return LONG_DECIMALS
    return array


def types_within(kind: pa.DataType) -> Iterator[pa.DataType]:
    """Return a type, and those of what it is made of."""
    import pyarrow as pa

    yield kind
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        yield from types_within(kind.value_type)
    elif pa.types.is_nested(kind):
        for place in range(kind.num_fields):
            yield from types_within(kind.field(place).type)


def is_odd(kind: pa.DataType) -> bool:
    """Tell whether DuckDB cannot scan a type, or takes it for what it is stored as."""
    import pyarrow as pa

    tests = (pa.types.is_float16, pa.types.is_decimal256, pa.types.is_decimal32, pa.types.is_decimal64)
    return any(
        getattr(inner, "scale", 0) < 0
        or isinstance(inner, pa.BaseExtensionType)
        or any(test(inner) for test in tests)
        for inner in types_within(kind)
    )


def _lossy_objects(native: Any, kind: pa.DataType) -> str | None:
    """Say what of Python's values Arrow has changed or left away: it judges a column by some of them."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind) and hasattr(native, "cat"):
        native, kind = native.cat.categories, kind.value_type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if native.dtype != object or is_text or pa.types.is_boolean(kind):
        return None
    cells = [cell for cell in native if not _is_missing(cell)]
    if pa.types.is_date(kind):
        return MIXED if any(isinstance(cell, dt.datetime) for cell in cells) else None
    if pa.types.is_timestamp(kind):
        if any((getattr(cell, "tzinfo", None) is None) != (kind.tz is None) for cell in cells):
            return MIXED
        return TOO_FINE if any(getattr(cell, "nanosecond", 0) for cell in cells) else None
    if pa.types.is_time(kind):
        return ZONED if any(cell.tzinfo is not None for cell in cells) else None
    if pa.types.is_nested(kind):
        return OBJECTS if any(isinstance(cell, (set, frozenset)) for cell in cells) else None
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if is_number and any(type(cell).__name__ in ("bool", "bool_") for cell in cells):
        return MIXED
    return MIXED if pa.types.is_binary(kind) and any(isinstance(cell, str) for cell in cells) else None


def _is_missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)
    except (TypeError, ValueError):  # the NA of pandas has no truth value, and neither has an array
        return type(cell).__name__ == "NAType"


def _whole_numbers(cells: list[Any]) -> Any:
    """Return a column of Python integers beyond 64 bits as decimals, or the reason why not."""
    if not all(type(cell) is int or _is_missing(cell) for cell in cells):
        return MIXED
    return _digits([str(cell) if type(cell) is int else None for cell in cells])


def _digits(cells: Any) -> Any:
    import pyarrow as pa

    texts = cells.to_pylist() if hasattr(cells, "to_pylist") else cells
    try:
        return pa.array([None if text is None else Decimal(text) for text in texts], pa.decimal128(38, 0))
    except (pa.ArrowException, InvalidOperation):
        return "holds numbers of more than 38 digits; turn it into text first"
