"""Numbers for the different cells of a column, as they come, for the verifier."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.verifier.tables.arrow_arrays import flags, whole_numbers
from hartley.verifier.tables.plain_keys import PlainKeys, float_key
from hartley.verifier.tables.reread import python_cells

Ints = npt.NDArray[np.integer]


class CellNumbers:
    """The different cells of a column, numbered as they come."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: dict[Hashable, int] = {}
        self._seen: Any = None
        """The different Arrow cells that have come: floats as bits, for to Arrow -0.0 is 0.0."""
        self._type: Any = None
        """The type that the column itself has."""
        self._codes: Ints = np.zeros(0, dtype=np.int32)
        """The number of each; each has its own place as number while cells are held as an array."""
        self._is_array = True

    def __len__(self) -> int:
        return len(self._seen) if self._is_array and self._seen is not None else len(self._found)

    def keys(self) -> Sequence[Hashable]:
        """Return the different cells in the order of their numbers."""
        if not self._is_array or self._seen is None:
            return list(self._found)
        return PlainKeys(self._different())

    def listed(self, cells: Iterable[Any]) -> Ints:
        """Return the numbers of cells."""
        self._list()
        found = self._found
        return np.array([found.setdefault(_key(cell), len(found)) for cell in cells], dtype=np.int32)

    def _list(self) -> None:
        """Hold the cells one by one from now on."""
        if self._is_array:
            self._is_array = False
            if self._seen is not None:
                self.listed(python_cells(self._different(), self._name))

    def _different(self) -> Any:
        """Return the different Arrow cells that have come, floats as floats."""
        import pyarrow as pa

        return self._seen.view(self._type) if pa.types.is_floating(self._type) else self._seen

    def codes(self, column: Any) -> Ints:
        """Return the numbers of the cells of an Arrow column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        self._type = column.type
        plain = _plain_cells(column)
        if plain is None:
            self._list()
            if not _is_plain(column.type):
                return self.listed(python_cells(column, self._name))
            plain = column
        if self._seen is None:
            self._seen = pa.nulls(0, plain.type)
        held = len(self._seen)
        places = pc.index_in(plain, value_set=self._seen) if held else None
        found = np.zeros(len(plain), dtype=np.int32) if places is None else whole_numbers(places)
        if places is None or places.null_count:
            is_fresh = None if places is None else places.is_null()
            # Of those that are new, the first of each gets the next number.
            coded = (plain if is_fresh is None else plain.filter(is_fresh)).dictionary_encode(
                null_encoding="encode"
            )
            fresh = coded.dictionary
            self._seen = pa.concat_arrays([self._seen, fresh]) if held else fresh
            more: Ints
            if self._is_array:
                more = np.arange(held, held + len(fresh), dtype=np.int32)
            else:
                more = self.listed(python_cells(fresh, self._name))
            self._codes = np.concatenate([self._codes, more])
            found = found.copy()
            found[slice(None) if is_fresh is None else flags(is_fresh)] = whole_numbers(coded.indices) + held
        numbers: Ints = found.astype(np.int32, copy=False) if self._is_array else self._codes[found]
        return numbers


def _is_plain(kind: Any) -> bool:
    """Whether Arrow tells the cells of a type apart as they are."""
    import pyarrow as pa

    tests = ("integer", "string", "large_string", "date", "boolean", "timestamp", "decimal128")
    return any(getattr(pa.types, f"is_{test}")(kind) for test in tests)


def _plain_cells(column: Any) -> Any:
    """Return whole numbers in one type, texts in one type, floats as their bits; nothing of other cells."""
    import pyarrow as pa

    kind = column.type
    bits = {pa.float32(): pa.int32(), pa.float64(): pa.int64()}.get(kind)
    if bits is not None:
        return column.view(bits)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column.cast(pa.string())
    is_whole = pa.types.is_integer(kind) and not pa.types.is_uint64(kind)
    return column.cast(pa.int64()) if is_whole else None


def _key(cell: Any) -> Hashable:
    """Make equal cells equal keys: -0.0 is not 0.0 here, and NaN is itself."""
    if isinstance(cell, float):
        return float_key(cell)
    return cell if isinstance(cell, Hashable) else repr(cell)
