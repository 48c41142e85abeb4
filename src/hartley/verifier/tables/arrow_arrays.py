"""Between Arrow and NumPy, for the verifier: by the buffers, without a detour through pandas.

Arrow's own ways load pandas wherever it is installed, which takes longer than to verify a small release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def whole_numbers(column: Any) -> npt.NDArray[Any]:
    """Return an Arrow column of whole numbers as an array; what stands for a missing one has no meaning."""
    import pyarrow as pa

    word = column.type.bit_width // 8
    kind = f"{'i' if pa.types.is_signed_integer(column.type) else 'u'}{word}"
    if not len(column):
        return np.zeros(0, dtype=kind)
    return np.frombuffer(column.buffers()[1], dtype=kind, count=len(column), offset=column.offset * word)


def flags(column: Any) -> npt.NDArray[np.bool_]:
    """Return an Arrow column of truth values, none of them missing, as an array."""
    if not len(column):
        return np.zeros(0, dtype=np.bool_)
    bits = np.frombuffer(column.buffers()[1], dtype=np.uint8)
    end = column.offset + len(column)
    return np.unpackbits(bits, count=end, bitorder="little")[column.offset :].view(np.bool_)


def arrow_numbers(numbers: npt.NDArray[Any], is_missing: npt.NDArray[np.bool_] | None = None) -> Any:
    """Return whole numbers as an Arrow array, some of them missing."""
    import pyarrow as pa

    kind = pa.int32() if numbers.dtype.itemsize == 4 else pa.int64()
    own = np.ascontiguousarray(numbers, dtype=f"i{kind.bit_width // 8}")
    return pa.Array.from_buffers(kind, len(own), [_present(is_missing), pa.py_buffer(own)])


def arrow_texts(texts: Sequence[str | None]) -> Any:
    """Return texts as an Arrow array; UnicodeError where one cannot be written."""
    present: Sequence[str] = [text or "" for text in texts]
    content = "".join(present)
    encoded = content.encode()
    if len(encoded) == len(content):
        sizes = np.fromiter(map(len, present), dtype=np.int64, count=len(present))
    else:
        sizes = np.fromiter((len(text.encode()) for text in present), dtype=np.int64, count=len(present))
    is_missing = np.fromiter((text is None for text in texts), dtype=np.bool_, count=len(texts))
    return with_missing(texts_at(sizes, encoded), is_missing)


def texts_at(sizes: npt.NDArray[Any], content: bytes) -> Any:
    """Return texts that stand one after the other, each of so many bytes, as an Arrow array."""
    import pyarrow as pa

    ends = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=ends[1:])
    is_short = int(ends[-1]) < 1 << 31
    kind = pa.string() if is_short else pa.large_string()
    places = pa.py_buffer(ends.astype(np.int32) if is_short else ends)
    return pa.Array.from_buffers(kind, len(sizes), [None, places, pa.py_buffer(content)])


def with_missing(column: Any, is_missing: npt.NDArray[np.bool_]) -> Any:
    """Return an Arrow column, of which no cell is missing yet, with some missing."""
    import pyarrow as pa

    buffers = [_present(is_missing), *column.buffers()[1:]]
    return pa.Array.from_buffers(column.type, len(column), buffers, offset=column.offset)


def _present(is_missing: npt.NDArray[np.bool_] | None) -> Any:
    import pyarrow as pa

    if is_missing is None or not is_missing.any():
        return None
    return pa.py_buffer(np.packbits(~is_missing, bitorder="little"))
