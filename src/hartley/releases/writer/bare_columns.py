"""Columns with nothing in them but their cells.

In memory a column holds more than it shows: categories that no row has, what stood in a cell before it was
made missing, cells of rows that were cut off, notes about itself. Whoever pickles a frame, or writes it as an
Arrow file, hands all of that on. Frames are released without it, and without their index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.tables.sources.arrow_columns import types_within

if TYPE_CHECKING:
    import narwhals as nw


def without_remains(column: Any) -> Any:
    """Return an Arrow column with nothing in the place of missing cells.

    Arrow has room for them as for any other, and the engine leaves there what was in memory: a
    pointer, or a cell of a row or column that is not published.
    """
    return bare_array(column) if column.null_count else column


def bare_array(column: Any) -> Any:
    """Return an Arrow array of the same cells and type that shares no memory with the one given."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        codes = column.indices.fill_null(0).to_numpy(zero_copy_only=False)
        is_missing = column.is_null().to_numpy(zero_copy_only=False)
        used, places = np.unique(codes[~is_missing], return_inverse=True)
        codes = np.zeros(len(codes), dtype=np.int64)
        codes[~is_missing] = places
        indices = pa.array(codes, mask=is_missing).cast(kind.index_type)
        values = bare_array(column.dictionary.take(pa.array(used)))
        return pa.DictionaryArray.from_arrays(indices, values, ordered=kind.ordered)
    if any(map(pa.types.is_dictionary, types_within(kind))):
        return pa.array(column.to_pylist(), kind)
    is_missing = column.is_null().to_numpy(zero_copy_only=False)
    # What is taken from no place is zero.
    return pc.take(column, pa.array(np.arange(len(column)), mask=is_missing))


def bare_frame(frame: nw.DataFrame[Any]) -> Any:
    """Return the native frame of the same library and cells; an index counts from 0."""
    if frame.implementation.is_pyarrow():
        return _bare_table(frame.to_native())
    if frame.implementation.is_polars():
        return frame.to_native().select(map(_bare_polars, frame.to_native().iter_columns()))
    native = frame.to_native().reset_index(drop=True).rename_axis(columns=None)
    for name in native.columns:
        native[name] = _bare_pandas(native[name])
    native.attrs = {}
    return native


def _bare_table(table: Any) -> Any:
    import pyarrow as pa

    return pa.table(
        {
            name: pa.chunked_array([bare_array(chunk) for chunk in column.chunks], column.type)
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )


def _bare_polars(column: Any) -> Any:
    import polars as pl

    places = pl.int_range(len(column), eager=True).set(column.is_null(), None)
    bare = column.gather(places)
    if not isinstance(column.dtype, pl.Enum):
        return bare
    text = bare.cast(pl.String)
    used = set(text.unique())
    return text.cast(pl.Enum([one for one in column.dtype.categories if one in used]))


def _bare_pandas(column: Any) -> Any:
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.remove_unused_categories()
    masked = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
    if isinstance(column.array, (*masked, pd.arrays.ArrowExtensionArray)):
        return column.astype(object).astype(column.dtype)
    return column
