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
    import pyarrow as pa

    content = [b"" if text is None else text.encode() for text in texts]
    ends = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum(np.fromiter(map(len, content), dtype=np.int32, count=len(texts)), out=ends[1:])
    is_missing = np.fromiter((text is None for text in texts), dtype=np.bool_, count=len(texts))
    buffers = [_present(is_missing), pa.py_buffer(ends), pa.py_buffer(b"".join(content))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def _present(is_missing: npt.NDArray[np.bool_] | None) -> Any:
    import pyarrow as pa

    if is_missing is None or not is_missing.any():
        return None
    return pa.py_buffer(np.packbits(~is_missing, bitorder="little"))
