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
        self._is_array = True
        """Whether all cells so far are of one type of texts or numbers: then the place is the number."""
        self._seen: Any = None
        """The different cells of the last type that has come, as Arrow tells them apart."""
        self._kind: Any = None
        """That type."""
        self._codes: Ints = np.zeros(0, dtype=np.int32)
        """The number of each of these, where cells are held one by one."""
        self._found: dict[Hashable, int] = {}
        """All cells, where they are held one by one."""

    def __len__(self) -> int:
        return len(self._seen) if self._is_array and self._seen is not None else len(self._found)

    def keys(self) -> Sequence[Hashable]:
        """Return the different cells in the order of their numbers."""
        if not self._is_array or self._seen is None:
            return list(self._found)
        return PlainKeys(self._typed(self._seen))

    def codes(self, column: Any) -> Ints:
        """Return the numbers of the cells of an Arrow column, or of a list."""
        import pyarrow as pa

        kind: Any
        plain: Any
        kind, plain = (None, None) if isinstance(column, list) else _comparable(column)
        if kind is None or (kind != self._kind and (self._kind is not None or not _are_keys(kind))):
            self._hold_one_by_one()
        if kind is None:
            cells = column if isinstance(column, list) else python_cells(column, self._name)
            return self._listed(cells)
        if kind != self._kind:
            self._kind, self._seen, self._codes = kind, pa.nulls(0, plain.type), self._codes[:0]
        found, fresh = self._places(plain)
        if len(fresh):
            self._seen = pa.concat_arrays([self._seen, fresh])
            if not self._is_array:
                cells = python_cells(self._typed(fresh), self._name)
                self._codes = np.concatenate([self._codes, self._listed(cells)])
        return found if self._is_array else self._codes[found]

    def _places(self, plain: Any) -> tuple[Ints, Any]:
        """Return the place of each cell among those that have been seen, and the new ones that come after."""
        import pyarrow.compute as pc

        held = len(self._seen)
        places = pc.index_in(plain, value_set=self._seen) if held else None
        if places is not None and not places.null_count:
            return whole_numbers(places), plain[:0]
        is_fresh = None if places is None else places.is_null()
        coded = (plain if is_fresh is None else plain.filter(is_fresh)).dictionary_encode("encode")
        fresh: Ints = whole_numbers(coded.indices) + held
        if is_fresh is None:
            return fresh, coded.dictionary
        found: Ints = whole_numbers(places).copy()
        found[flags(is_fresh)] = fresh
        return found, coded.dictionary

    def _typed(self, cells: Any) -> Any:
        """Return different cells in the type of the column: floats are held by their bits."""
        return cells if cells.type == self._kind else cells.view(self._kind)

    def _listed(self, cells: Iterable[Any]) -> Ints:
        found = self._found
        return np.array([found.setdefault(_key(cell), len(found)) for cell in cells], dtype=np.int32)

    def _hold_one_by_one(self) -> None:
        """Hold the cells one by one from now on."""
        if self._is_array and self._seen is not None:
            self._codes = self._listed(python_cells(self._typed(self._seen), self._name))
        self._is_array = False


def _comparable(column: Any) -> tuple[Any, Any]:
    """Return a type, and cells in which Arrow tells those of a column of that type apart; or nothing."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return pa.string(), column.cast(pa.string())
    if pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return pa.int64(), column.cast(pa.int64())
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        # By its bits, for Arrow takes -0.0 and 0.0 for the same.
        return kind, column.view(pa.int32() if kind == pa.float32() else pa.int64())
    tests = ("integer", "date", "boolean", "timestamp", "decimal128")
    is_plain = any(getattr(pa.types, f"is_{test}")(kind) for test in tests)
    return (kind, column) if is_plain else (None, None)


def _are_keys(kind: Any) -> bool:
    """Tell whether an array of cells can be keys as it is: texts, whole numbers of 64 bits, and floats."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_int64(kind) or pa.types.is_floating(kind))


def _key(cell: Any) -> Hashable:
    """Make equal cells equal keys: -0.0 is not 0.0 here, and NaN is itself."""
    if isinstance(cell, float):
        return float_key(cell)
    return cell if isinstance(cell, Hashable) else repr(cell)
