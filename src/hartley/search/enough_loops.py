"""A window of public values that counts what it holds while values go in and out, and tells if it is enough.

Codes that are present are bits of words, with two levels of words above them, so that the next code present
is found in a few steps. Where every two codes of a count are apart, their number is kept; else the chain of
codes that are apart, as a list of its links. The chain is mended at each change, which goes on only until it
meets an old link.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Flags, Ints, Places

BITS, MASK = 5, 31
"""A word has 32 bits, so that it is never negative."""


class WindowDemand(NamedTuple):
    """What a window must hold, for loops; see :class:`~hartley.search.enough.Enough`."""

    value_ptr: Places
    value_code: Ints
    next_code: Places
    offsets: Places
    wanted: Places
    is_plain: Flags
    """Whether every two codes of a count are apart."""
    rows: Places
    row_k: int


class Window(NamedTuple):
    """What a window holds; loops change the arrays in place."""

    held: npt.NDArray[np.int32]
    """In how many values of the window each code is."""
    low: Places
    middle: Places
    top: Places
    """Which codes are present, as bits of words, and which words of the level below are not empty."""
    chain: Places
    """The links of the chain of each count, ascending, from the offset of the count on."""
    fresh: Places
    """Room for new links."""
    length: Places
    """The length of the chain of each count."""
    rows: Places
    """One number: the rows of the window."""


def empty_window(width: int, counts: int) -> Window:
    """Return a window that holds nothing."""
    low = (width >> BITS) + 1
    middle = (low >> BITS) + 1
    return Window(
        held=np.zeros(width, dtype=np.int32),
        low=np.zeros(low, dtype=np.int64),
        middle=np.zeros(middle, dtype=np.int64),
        top=np.zeros((middle >> BITS) + 1, dtype=np.int64),
        chain=np.empty(width + 1, dtype=np.int64),
        fresh=np.empty(width + 1, dtype=np.int64),
        length=np.zeros(counts, dtype=np.int64),
        rows=np.zeros(1, dtype=np.int64),
    )


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
def put(code: int, low: Places, middle: Places, top: Places) -> None:
    """Mark a code as present."""
    low[code >> BITS] |= 1 << (code & MASK)
    code >>= BITS
    middle[code >> BITS] |= 1 << (code & MASK)
    code >>= BITS
    top[code >> BITS] |= 1 << (code & MASK)


@hot_part
def drop(code: int, low: Places, middle: Places, top: Places) -> None:
    """Mark a code as absent."""
    low[code >> BITS] &= ~(1 << (code & MASK))
    code >>= BITS
    if low[code] == 0:
        middle[code >> BITS] &= ~(1 << (code & MASK))
        code >>= BITS
        if middle[code] == 0:
            top[code >> BITS] &= ~(1 << (code & MASK))


@hot_part
def next_in(code: int, width: int, low: Places, middle: Places, top: Places) -> int:
    """Return the first code present from this one on; ``width`` where there is none."""
    if code >= width:
        return width
    at = code >> BITS
    word = low[at] >> (code & MASK)
    if word:
        return code + first_bit(word)
    at += 1
    above = at >> BITS
    if above >= len(middle):
        return width
    word = middle[above] >> (at & MASK)
    if word:
        at += first_bit(word)
        return (at << BITS) + first_bit(low[at])
    above += 1
    highest = above >> BITS
    if highest >= len(top):
        return width
    word = top[highest] >> (above & MASK)
    if word:
        above += first_bit(word)
    else:
        highest += 1
        while highest < len(top) and top[highest] == 0:
            highest += 1
        if highest >= len(top):
            return width
        above = (highest << BITS) + first_bit(top[highest])
    at = (above << BITS) + first_bit(middle[above])
    return (at << BITS) + first_bit(low[at])


@hot_part
def links_before(code: int, begin: int, length: int, chain: Places) -> int:
    """Return where in a chain that begins at a place the first link from a code on stands."""
    low, high = begin, begin + length
    while low < high:
        middle = (low + high) >> 1
        if chain[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low


@hot_part
def relink(
    place: int, old: int, link: int, begin: int, end: int, length: int, next_code: Places, window: Window
) -> int:
    """Let a chain go on with ``link`` at a place, up to where it meets an old link; return its new length.

    ``old`` is where the first old link stands that may be met; ``end`` is where the codes of the count end.
    """
    chain, fresh = window.chain, window.fresh
    low, middle, top = window.low, window.middle, window.top
    last = begin + length
    count = 0
    while True:
        while old < last and chain[old] < link:
            old += 1
        if link >= end or (old < last and chain[old] == link):
            break
        fresh[count] = link
        count += 1
        link = next_in(next_code[link], end, low, middle, top)
    if link >= end:
        old = last
    change = place + count - old
    if change > 0:
        for at in range(last - 1, old - 1, -1):
            chain[at + change] = chain[at]
    elif change < 0:
        for at in range(old, last):
            chain[at + change] = chain[at]
    for at in range(count):
        chain[place + at] = fresh[at]
    return length + change


@hot_part
def insert_code(code: int, count: int, demand: WindowDemand, window: Window) -> None:
    """Put a code in that was absent."""
    length = window.length[count]
    if demand.is_plain[count]:
        window.length[count] = length + 1
        return
    put(code, window.low, window.middle, window.top)
    begin, end = demand.offsets[count], demand.offsets[count + 1]
    place = links_before(code, begin, length, window.chain)
    if place > begin and code < demand.next_code[window.chain[place - 1]]:
        return
    window.length[count] = relink(place, place, code, begin, end, length, demand.next_code, window)


@hot_part
def remove_code(code: int, count: int, demand: WindowDemand, window: Window) -> None:
    """Take a code out that was present."""
    length = window.length[count]
    if demand.is_plain[count]:
        window.length[count] = length - 1
        return
    drop(code, window.low, window.middle, window.top)
    begin, end = demand.offsets[count], demand.offsets[count + 1]
    place = links_before(code, begin, length, window.chain)
    if place >= begin + length or window.chain[place] != code:
        return
    start = demand.next_code[window.chain[place - 1]] if place > begin else begin
    link = next_in(start, end, window.low, window.middle, window.top)
    window.length[count] = relink(place, place + 1, link, begin, end, length, demand.next_code, window)


@hot_part
def insert(value: int, demand: WindowDemand, window: Window) -> None:
    """Put a public value into a window."""
    window.rows[0] += demand.rows[value]
    count = 0
    for entry in range(demand.value_ptr[value], demand.value_ptr[value + 1]):
        code = demand.value_code[entry]
        while code >= demand.offsets[count + 1]:
            count += 1
        window.held[code] += 1
        if window.held[code] == 1:
            insert_code(code, count, demand, window)


@hot_part
def remove(value: int, demand: WindowDemand, window: Window) -> None:
    """Take a public value out of a window."""
    window.rows[0] -= demand.rows[value]
    count = 0
    for entry in range(demand.value_ptr[value], demand.value_ptr[value + 1]):
        code = demand.value_code[entry]
        while code >= demand.offsets[count + 1]:
            count += 1
        window.held[code] -= 1
        if window.held[code] == 0:
            remove_code(code, count, demand, window)


@hot_part
def is_enough(demand: WindowDemand, window: Window) -> bool:
    """Tell whether a window holds what is wanted."""
    if window.rows[0] < demand.row_k:
        return False
    for count in range(len(demand.wanted)):  # noqa: SIM110 - the compiler knows no generators
        if window.length[count] < demand.wanted[count]:
            return False
    return True


@hot_loop
def latest_enough_starts(demand: WindowDemand, window: Window) -> Places:
    """Return, for each last value, the latest start of a window that is enough; -1 where none is.

    The values are taken in their order; the window must be empty. It holds what comes after the latest start,
    which is not enough: so every value goes in once and out once.
    """
    size = len(demand.rows)
    latest = np.full(size, -1, dtype=np.int64)
    start = 0
    for end in range(size):
        insert(end, demand, window)
        while start <= end and is_enough(demand, window):
            remove(start, demand, window)
            start += 1
        latest[end] = start - 1
    return latest


@hot_loop
def latest_distinct_starts(value_ptr: Places, value_code: Ints, width: int, wanted: int) -> Places:
    """Return the same for one count whose codes are all apart, and no demand on rows: quicker."""
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


def steps_of(demand: WindowDemand) -> int:
    """Return about how many elementary steps it takes to move a window along all values."""
    return 8 * (len(demand.value_code) + len(demand.rows))


def plain_counts(next_code: Any, offsets: Any) -> Flags:
    """Tell of each count whether every two of its codes are apart."""
    following = next_code == np.arange(1, len(next_code) + 1)
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    return np.array([bool(following[begin:end].all()) for begin, end in bounds], dtype=bool)
