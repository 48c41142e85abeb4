r"""How many clusters can be enough at all: longest sequences of values that are spaced (Theorem A1).

q clusters with k values each that are apart need a sequence of kq pairs of public and sensitive value, in
the order of the sensitive ones, in which each is apart from the one q places before it: choose k such pairs
in every cluster; of any q + 1 in order two are of the same cluster. The longest such sequence is found by
taking what can be taken from the left, T(q). So :math:`k \le T(q) / q`. Where every two values are apart
this is :math:`\sum_s \min(f_s, q)`.
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Ints, Places
from hartley.search.enough import Enough


@hot_loop
def spaced_length(codes: Ints, next_code: Places, clusters: int, taken: Places) -> int:
    """Return the length of the longest sequence for so many clusters; codes are in ascending order.

    ``taken`` is filled with the entries of the sequence.
    """
    length = 0
    for entry in range(len(codes)):
        if length < clusters or codes[entry] >= next_code[codes[taken[length - clusters]]]:
            taken[length] = entry
            length += 1
    return length


def most_clusters(enough: Enough) -> int:
    """Return the most clusters that counting allows to be enough, all requirements together; 0 for none."""
    most = enough.size
    if enough.row_k > 0:
        most = min(most, int(enough.rows.sum()) // enough.row_k)
    for count, wanted in enumerate(enough.wanted.tolist()):
        most = _fitting(enough, count, wanted, most)
    return most


def _fitting(enough: Enough, count: int, wanted: int, most: int) -> int:
    """Return the most clusters up to ``most`` that can have as many of one count as wanted."""
    if wanted < 1 or most < 1:
        return most
    begin, end = int(enough.offsets[count]), int(enough.offsets[count + 1])
    inside = (enough.value_code >= begin) & (enough.value_code < end)
    codes = np.sort(enough.value_code[inside].astype(np.int64))
    is_plain = bool((enough.next_code[begin:end] == np.arange(begin + 1, end + 1)).all())
    seen = np.bincount(codes - begin, minlength=end - begin)
    taken = np.empty(len(codes), dtype=np.int64)
    loop = spaced_length.for_size(len(codes) * 4)
    low, high = 0, min(most, len(codes) // wanted)
    while low < high:
        middle = (low + high + 1) // 2
        if is_plain:
            length = int(np.minimum(seen, middle).sum())
        else:
            length = int(loop(codes, enough.next_code, middle, taken))
        low, high = (middle, high) if length >= middle * wanted else (low, middle - 1)
    return low
