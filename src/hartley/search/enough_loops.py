"""Loops over what windows, clusters and values hold: the latest starts of windows, chains, counts.

The chain of some codes is the first one, then the first that is apart from it, and so on.

**Windows where some codes are close.** Codes are cut into cells: each begins with the first code that is
apart from the first of the cell before. So two codes of one cell are close, and codes of cells that are not
neighbours are apart: a cell has one link of the chain at most, which depends on the codes of the cell and on
the link of the cell before alone. A code that comes or goes changes the link of its cell, and those of the
cells behind as far as one changes the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Flags, Int64s, Ints, Places

BITS, MASK = 5, 31
"""A word has 32 bits, so that it is never negative."""
NONE = -1


@hot_loop
def latest_distinct_starts(value_ptr: Places, value_code: Ints, width: int, wanted: int) -> Places:
    """Return, for each last value, the latest start of a window with enough different codes, or -1."""
    size = len(value_ptr) - 1
    held = np.zeros(width, dtype=np.int32)
    latest = np.full(size, -1, dtype=np.int64)
    start, distinct = 0, 0
    for end in range(size):
        for entry in range(value_ptr[end], value_ptr[end + 1]):
            if held[value_code[entry]] == 0:
                distinct += 1
            held[value_code[entry]] += 1
        while start <= end and distinct >= wanted:
            for entry in range(value_ptr[start], value_ptr[start + 1]):
                held[value_code[entry]] -= 1
                if held[value_code[entry]] == 0:
                    distinct -= 1
            start += 1
        latest[end] = start - 1
    return latest


def cells_of_codes(next_code: Int64s) -> tuple[Ints, Int64s]:
    """Return the cell of each code, and where each cell begins; one cell more, which stays empty."""
    begins = [0]
    while begins[-1] < len(next_code):
        begins.append(int(next_code[begins[-1]]))
    lengths = np.diff(begins)
    cell_of = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    return cell_of, np.array([*begins, begins[-1]], dtype=np.int64)


@hot_part
def first_bit(word: int) -> int:
    """Return the place of the lowest bit of a word that is not 0."""
    place = 0
    if word & 0xFFFF == 0:
        place += 16
        word >>= 16
    if word & 0xFF == 0:
        place += 8
        word >>= 8
    if word & 0xF == 0:
        place += 4
        word >>= 4
    if word & 0x3 == 0:
        place += 2
        word >>= 2
    if word & 0x1 == 0:
        place += 1
    return place


@hot_part
def first_from(code: int, cell: int, count: Int64s, total: Int64s, begins: Int64s, words: Int64s) -> int:
    """Return the first code of a cell from one on; ``NONE`` where the cell has none."""
    end = begins[cell + 1]
    if count[cell] == 0 or code >= end:
        return NONE
    if count[cell] == 1:
        return int(total[cell]) if total[cell] >= code else NONE
    at = code >> BITS
    word = (words[at] >> (code & MASK)) << (code & MASK)
    while word == 0 and ((at + 1) << BITS) < end:
        at += 1
        word = words[at]
    if word == 0:
        return NONE
    found = (at << BITS) + first_bit(word)
    return int(found) if found < end else NONE


@hot_part
def relink(
    cell: int,
    count: Int64s,
    total: Int64s,
    begins: Int64s,
    words: Int64s,
    next_code: Int64s,
    link: Int64s,
) -> int:
    """Mend the chain from a cell on whose codes have changed; return how many links it has more."""
    more = 0
    while True:
        # The last cell is always empty, and so is what stands before the first.
        before = link[cell - 1]
        code = begins[cell] if before == NONE else next_code[before]
        found = first_from(code, cell, count, total, begins, words)
        if found == link[cell]:
            return more
        more += 1 if link[cell] == NONE else 0
        more -= 1 if found == NONE else 0
        link[cell] = found
        cell += 1


@hot_loop
def latest_separated_starts(
    value_ptr: Int64s, value_code: Ints, cell_of: Ints, begins: Int64s, next_code: Int64s, wanted: int
) -> Int64s:
    """Return, for each last value, the latest start of a window that holds enough; -1 where none does.

    ``cell_of`` is the cell of each code. The window holds what comes after the latest start, which is not
    enough: so every value goes in once and out once.
    """
    size = len(value_ptr) - 1
    held = np.zeros(len(next_code), dtype=np.int32)
    words = np.zeros((len(next_code) >> BITS) + 1, dtype=np.int64)
    count = np.zeros(len(begins), dtype=np.int64)
    total = np.zeros(len(begins), dtype=np.int64)
    link = np.full(len(begins), NONE, dtype=np.int64)
    latest = np.full(size, -1, dtype=np.int64)
    start, length = 0, 0
    for end in range(size):
        for entry in range(value_ptr[end], value_ptr[end + 1]):
            code = value_code[entry]
            held[code] += 1
            if held[code] > 1:
                continue
            cell = cell_of[code]
            words[code >> BITS] |= 1 << (code & MASK)
            count[cell] += 1
            total[cell] += code
            length += relink(cell, count, total, begins, words, next_code, link)
        while start <= end and length >= wanted:
            for entry in range(value_ptr[start], value_ptr[start + 1]):
                code = value_code[entry]
                held[code] -= 1
                if held[code] > 0:
                    continue
                cell = cell_of[code]
                words[code >> BITS] &= ~(1 << (code & MASK))
                count[cell] -= 1
                total[cell] -= code
                length += relink(cell, count, total, begins, words, next_code, link)
            start += 1
        latest[end] = start - 1
    return latest


@hot_loop
def chain_lengths(clusters: Ints, codes: Ints, next_code: Places, offsets: Places, lengths: Places) -> None:
    """Add up the chains of clusters, given pairs of cluster and code in ascending order, into ``lengths``.

    ``lengths`` has a row for each cluster and a column for each count.
    """
    cluster, count, reach = -1, 0, 0
    for entry in range(len(codes)):
        if clusters[entry] != cluster:
            cluster, count, reach = clusters[entry], 0, 0
        code = codes[entry]
        while code >= offsets[count + 1]:
            count += 1
        if code >= reach:
            lengths[cluster, count] += 1
            reach = next_code[code]


@hot_loop
def fewest_held(
    order: Places, sizes: Places, value_ptr: Places, value_code: Ints, first: int, end: int
) -> int:
    """Return the fewest different codes from ``first`` up to ``end`` that a cluster holds.

    Clusters are stretches of ``order``, of these sizes.
    """
    seen_in = np.full(end - first, -1, dtype=np.int64)
    fewest = end - first
    begin = 0
    for cluster in range(len(sizes)):
        held = 0
        for at in range(begin, begin + sizes[cluster]):
            for entry in range(value_ptr[order[at]], value_ptr[order[at] + 1]):
                code = value_code[entry] - first
                if 0 <= code < end - first and seen_in[code] != cluster:
                    seen_in[code] = cluster
                    held += 1
        begin += sizes[cluster]
        fewest = min(fewest, held)
    return fewest


def plain_counts(next_code: Any, offsets: Any) -> Flags:
    """Tell of each count whether every two of its codes are apart."""
    following = next_code == np.arange(1, len(next_code) + 1)
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    return np.array([bool(following[begin:end].all()) for begin, end in bounds], dtype=bool)
