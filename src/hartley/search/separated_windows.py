"""Windows along a line that hold enough values which are apart, for sparse windows: by cells of codes.

Codes are cut into cells: each begins with the first code that is apart from the first of the cell before. So
two codes of one cell are close, and codes of cells that are not neighbours are apart. What a window holds
is the sum over runs of neighbouring cells that are not empty. A code that comes into a cell of its own, with
empty cells beside it, adds one; else its run is counted anew. Where windows fill most cells of a region, runs
are long, and the chain of :mod:`hartley.search.enough_loops` is quicker: the loop gives up and says so.
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Int64s, Ints
from hartley.search.enough_loops import first_bit

BITS, MASK = 5, 31
"""A word has 32 bits, so that it is never negative."""
MOST_CELLS = 12
"""The loop gives up where so many cells are counted anew for each entry, after the first thousands."""
FIRST_CELLS = 20_000


def cells_of_codes(next_code: Int64s) -> tuple[Ints, Int64s]:
    """Return the cell of each code, and where each cell begins; one cell more, which stays empty.

    >>> cells, begins = cells_of_codes(np.array([2, 3, 4, 4]))
    >>> cells.tolist(), begins.tolist()
    ([0, 0, 1, 1], [0, 2, 4, 4])
    """
    begins = [0]
    while begins[-1] < len(next_code):
        begins.append(int(next_code[begins[-1]]))
    lengths = np.diff(begins)
    cell_of = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    return cell_of, np.array([*begins, begins[-1]], dtype=np.int64)


@hot_part
def first_from(code: int, cell: int, count: Int64s, total: Int64s, begins: Int64s, words: Int64s) -> int:
    """Return the first code of a cell from one on; where the cell ends, if there is none."""
    end = begins[cell + 1]
    if count[cell] == 0:
        return int(end)
    if count[cell] == 1:
        return int(total[cell]) if total[cell] >= code else int(end)
    code = max(code, begins[cell])
    at = code >> BITS
    word = (words[at] >> (code & MASK)) << (code & MASK)
    while word == 0 and ((at + 1) << BITS) < end:
        at += 1
        word = words[at]
    if word == 0:
        return int(end)
    return int(min((at << BITS) + first_bit(word), end))


@hot_part
def count_of_run(
    first: int,
    last: int,
    count: Int64s,
    total: Int64s,
    begins: Int64s,
    words: Int64s,
    codes: tuple[Int64s, Ints],
) -> int:
    """Return how many codes of some neighbouring cells are apart: the first, then the next from it on."""
    next_code, cell_of = codes
    apart, cell, code = 0, first, 0
    while cell <= last:
        found = first_from(code, cell, count, total, begins, words)
        if found >= begins[cell + 1]:
            cell += 1
            continue
        apart += 1
        code = next_code[found]
        if code >= len(cell_of):
            break
        cell = cell_of[code]
    return apart


@hot_part
def change_of_run(
    code: int,
    cell: int,
    sign: int,
    count: Int64s,
    total: Int64s,
    begins: Int64s,
    words: Int64s,
    codes: tuple[Int64s, Ints],
) -> tuple[int, int]:
    """Put a code into a run or take it out; return how many more are apart, and the cells of the run."""
    first, last = cell, cell
    while first > 0 and count[first - 1] > 0:
        first -= 1
    while count[last + 1] > 0:
        last += 1
    before = count_of_run(first, last, count, total, begins, words, codes)
    words[code >> BITS] ^= 1 << (code & MASK)
    count[cell] += sign
    total[cell] += sign * code
    after = count_of_run(first, last, count, total, begins, words, codes)
    return after - before, last - first + 1


@hot_loop
def latest_separated_starts(
    value_ptr: Int64s,
    value_code: Ints,
    value_cell: Ints,
    codes: tuple[Int64s, Ints],
    begins: Int64s,
    wanted: int,
) -> Int64s:
    """Return, for each last value, the latest start of a window that holds enough; -1 where none does.

    Nothing is returned where runs are too long. ``value_cell`` is the cell of each entry of ``value_code``;
    ``codes`` are the next code that is apart from each, and the cell of each.
    """
    size = len(value_ptr) - 1
    held = np.zeros(len(codes[0]), dtype=np.int32)
    words = np.zeros((len(codes[0]) >> BITS) + 1, dtype=np.int64)
    count = np.zeros(len(begins), dtype=np.int64)
    total = np.zeros(len(begins), dtype=np.int64)
    latest = np.full(size, -1, dtype=np.int64)
    start, apart, walked = 0, 0, 0
    for end in range(size):
        for entry in range(value_ptr[end], value_ptr[end + 1]):
            code = value_code[entry]
            held[code] += 1
            if held[code] > 1:
                continue
            cell = value_cell[entry]
            # The last cell is always empty, and so is what stands before the first.
            if count[cell - 1] + count[cell + 1] > 0:
                change, cells = change_of_run(code, cell, 1, count, total, begins, words, codes)
                apart, walked = apart + change, walked + cells
                continue
            apart += 1 if count[cell] == 0 else 0
            words[code >> BITS] ^= 1 << (code & MASK)
            count[cell] += 1
            total[cell] += code
        while start <= end and apart >= wanted:
            for entry in range(value_ptr[start], value_ptr[start + 1]):
                code = value_code[entry]
                held[code] -= 1
                if held[code] > 0:
                    continue
                cell = value_cell[entry]
                if count[cell - 1] + count[cell + 1] > 0:
                    change, cells = change_of_run(code, cell, -1, count, total, begins, words, codes)
                    apart, walked = apart + change, walked + cells
                    continue
                words[code >> BITS] ^= 1 << (code & MASK)
                count[cell] -= 1
                total[cell] -= code
                apart -= 1 if count[cell] == 0 else 0
            start += 1
        latest[end] = start - 1
        if walked > FIRST_CELLS + MOST_CELLS * value_ptr[end + 1]:
            return latest[:0]
    return latest
