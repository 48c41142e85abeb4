"""Stata and SPSS files: codes with value labels, which stay beside the data.

A cell is its code, a number or text, as the file holds it; its label is for people. An
empty text is missing, as these formats have no other missing text. The codes that an SPSS file
declares missing (``-9 = refused``) are values, since they tell rows apart; Stata's extended
missing values ``.a`` to ``.z`` are refused.
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from hartley.errors import TableError
from hartley.tables.locations import Files
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.frames import EagerFrame
from hartley.tables.sources.source import required

STATA_EPOCH = dt.datetime(1960, 1, 1)
SPSS_EPOCH = dt.datetime(1582, 10, 14)


@dataclass(frozen=True)
class FileLabels:
    """How a Stata or SPSS file says that cells are to be read."""

    kind: Literal["stata", "spss"]
    of_values: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    missing_ranges: Mapping[str, list[Any]] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)


def labelled_source(files: Files, options: ReadOptions) -> EagerFrame:
    """Read a Stata or SPSS file into memory."""
    import narwhals as nw

    table, labels, refusals = read_labelled(files.paths[0])
    frame = nw.from_native(table, eager_only=True)
    source = EagerFrame(frame, options, name=files.name, refusals=refusals)
    source.labels = labels
    return source


def read_labelled(path: Path) -> tuple[Any, FileLabels, dict[str, str]]:
    """Return the cells as an Arrow table, the labels, and why some columns cannot be measured."""
    import pyarrow as pa

    statistics = required("pyreadstat", f"reading {path.name}", "stats")
    is_stata = path.suffix.lower() == ".dta"
    read = partial(
        statistics.read_dta if is_stata else statistics.read_sav,
        str(path),
        user_missing=True,
        output_format="dict",
    )
    try:
        with warnings.catch_warnings():
            # That a name stands twice is a warning there, and the column gets another.
            warnings.simplefilter("error", UserWarning)
            numbers, meta = read(disable_datetime_conversion=True)
            cells = _with_times(numbers, read)
    except UserWarning:
        raise TableError(f"{path.name}: a column appears twice; give each column its own name") from None
    except (
        statistics.ReadstatError,
        statistics.PyreadstatError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
    ):  # the reader's own, or what Python says where a damaged file leads it astray
        kind = "Stata" if is_stata else "SPSS"
        raise TableError(f"{path.name}: the file is not a {kind} file that can be read") from None
    arrays: dict[str, Any] = {}
    refusals: dict[str, str] = {}
    for name, column in cells.items():
        values = [None if cell is None or cell != cell or cell == "" else cell for cell in column]
        if not _shows_all(numbers[name], column, is_stata):
            refusals[name] = (
                "holds dates with a time of day, or times outside a day, that its format does not show; "
                "give it another format, or make it a plain number"
            )
        if name in (meta.missing_user_values or {}):
            refusals[name] = "holds extended missing values (.a to .z); turn them into codes or plain missing"
            values = [None if cell is None else str(cell) for cell in values]
        try:
            arrays[name] = pa.array(values, _type(meta.readstat_variable_types[name], values))
        except (pa.ArrowException, TypeError):
            refusals[name] = "mixes kinds of values"
            arrays[name] = pa.array([None if cell is None else str(cell) for cell in values], pa.string())
    if not arrays:
        raise TableError(f"{path.name}: the file has no columns")
    labels = FileLabels(
        kind="stata" if is_stata else "spss",
        of_values=dict(meta.variable_value_labels),
        formats=dict(meta.original_variable_types),
        missing_ranges={} if is_stata else dict(meta.missing_ranges),
        measures={} if is_stata else dict(meta.variable_measure),
    )
    return pa.table(arrays), labels, refusals


def _with_times(numbers: dict[str, list[Any]], read: Callable[..., Any]) -> dict[str, list[Any]]:
    """Return the columns with dates and times as such; those that Python has no dates for stay numbers."""
    try:
        found: dict[str, list[Any]] = read()[0]
        return found
    except (OverflowError, ValueError):
        return {name: _column_with_times(name, column, read) for name, column in numbers.items()}


def _column_with_times(name: str, numbers: list[Any], read: Callable[..., Any]) -> list[Any]:
    try:
        found: list[Any] = read(usecols=[name])[0][name]
        return found
    except (OverflowError, ValueError):
        return numbers


def _shows_all(numbers: list[Any], column: list[Any], is_stata: bool) -> bool:
    """Tell whether dates and times mean just the numbers that the file has for them."""
    pairs = [(number, cell) for number, cell in zip(numbers, column, strict=True) if _is_time(cell)]
    if len({number for number, _ in pairs}) != len({cell for _, cell in pairs}):
        return False
    return all(abs(_number(cell, is_stata) - number) <= _slack(cell, is_stata) for number, cell in pairs)


def _is_time(cell: Any) -> bool:
    return isinstance(cell, (dt.date, dt.time))


def _number(cell: dt.date | dt.time, is_stata: bool) -> float:
    """Return the number by which a file says a date (a day, a second) or time (a millisecond, a second)."""
    unit = dt.timedelta(milliseconds=1) if is_stata else dt.timedelta(seconds=1)
    if isinstance(cell, dt.datetime):
        return (cell - (STATA_EPOCH if is_stata else SPSS_EPOCH)) / unit
    if isinstance(cell, dt.time):
        return (dt.datetime.combine(STATA_EPOCH, cell) - STATA_EPOCH) / unit
    epoch = STATA_EPOCH if is_stata else SPSS_EPOCH
    days = float((cell - epoch.date()).days)
    return days if is_stata else days * 86400


def _slack(cell: Any, is_stata: bool) -> float:
    """Return how far a number may be from what is said by it: seconds have digits that no float has."""
    is_day = not isinstance(cell, (dt.datetime, dt.time))
    return 0.0 if is_day else 0.01 if is_stata else 0.00001


def _type(own: str, values: list[Any]) -> Any:
    """Return the type of a column that has no value in it; of others, Arrow sees it."""
    import pyarrow as pa

    if any(value is not None for value in values):
        return None
    return pa.string() if own.startswith("string") else pa.float64()
