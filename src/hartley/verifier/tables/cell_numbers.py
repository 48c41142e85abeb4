"""Numbers for the different cells of a column, as they come, for the verifier."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.verifier.tables.arrow_arrays import flags, whole_numbers
from hartley.verifier.tables.plain_keys import PlainKeys
from hartley.verifier.tables.reread import python_cells

Ints = npt.NDArray[np.integer]


class CellNumbers:
    """The different cells of a column, numbered as they come."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: dict[Hashable, int] = {}
        self._seen: Any = None
        """The different Arrow cells that have come."""
        self._codes: Ints = np.zeros(0, dtype=np.int32)
        """The number of each; each has its own place as number while cells are held as an array."""
        self._is_array = True

    def __len__(self) -> int:
        return len(self._seen) if self._is_array and self._seen is not None else len(self._found)

    def keys(self) -> Sequence[Hashable]:
        """Return the different cells in the order of their numbers."""
        return PlainKeys(self._seen) if self._is_array and self._seen is not None else list(self._found)

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
                self.listed(python_cells(self._seen, self._name))

    def codes(self, column: Any) -> Ints:
        """Return the numbers of the cells of an Arrow column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = column.type
        plain = _plain_cells(column)
        if plain is None:
            self._list()
        # By its bits, for Arrow takes -0.0 and 0.0 for the same.
        bits = {pa.float32(): pa.int32(), pa.float64(): pa.int64()}.get(kind)
        if plain is None and bits is None and not _is_plain(kind):
            return self.listed(python_cells(column, self._name))
        if plain is None:
            plain = column if bits is None else column.view(bits)
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
                cells = fresh if bits is None else fresh.view(kind)
                more = self.listed(python_cells(cells, self._name))
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
    """Return whole numbers in one type, and texts in one type; nothing of other cells."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column.cast(pa.string())
    is_whole = pa.types.is_integer(kind) and not pa.types.is_uint64(kind)
    return column.cast(pa.int64()) if is_whole else None


def _key(cell: Any) -> Hashable:
    """Make equal cells equal keys: -0.0 is not 0.0 here, and NaN is itself."""
    if isinstance(cell, float):
        return _NAN if cell != cell else _Float(cell)
    return cell if isinstance(cell, Hashable) else repr(cell)


class _Float(float):
    """A float that tells -0.0 from 0.0 as a key."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and repr(float(self)) == repr(float(other))

    def __hash__(self) -> int:
        return hash(repr(float(self)))

    def __repr__(self) -> str:
        return repr(float(self))


_NAN = float("nan")
