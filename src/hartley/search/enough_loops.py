"""A window of public values that counts what it holds while values go in and out, and tells if it is enough.

Codes that are present are bits of words, with two levels of words above them, so that the next code present
is found in a few steps. A count is kept in one of three ways: where every two codes are apart, by their
number; where few are wanted, by jumping along the chain when it is asked for; where many are wanted, by
mending the chain at each change, which goes on only until the chain meets the old one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part

Ints = npt.NDArray[np.integer]
Places = npt.NDArray[np.int64]

BITS, MASK = 5, 31
"""A word has 32 bits, so that it is never negative."""
PLAIN, JUMPED, MENDED = 0, 1, 2
"""How a count is kept."""
MENDED_FROM = 32
"""So many codes are wanted where mending the chain is quicker than jumping along it."""


class WindowDemand(NamedTuple):
    """What a window must hold, for loops; see :class:`~hartley.search.enough.Enough`."""

    value_ptr: Places
    value_code: Ints
    next_code: Places
    offsets: Places
    wanted: Places
    kept_by: Places
    """``PLAIN``, ``JUMPED`` or ``MENDED`` for each count."""
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
    link_low: Places
    link_middle: Places
    link_top: Places
    """Which codes are links of a mended chain."""
    length: Places
    """The length of each chain; of one that is jumped along, no more than what is wanted."""
    is_stale: npt.NDArray[np.bool_]
    """Whether a chain that is jumped along has changed since it was last looked at."""
    rows: Places
    """One number: the rows of the window."""


def empty_window(width: int, counts: int) -> Window:
    """Return a window that holds nothing."""
    low = (width >> BITS) + 1
    middle = (low >> BITS) + 1
    top = (middle >> BITS) + 1

    def words(size: int) -> Places:
        return np.zeros(size, dtype=np.int64)

    return Window(
        held=np.zeros(width, dtype=np.int32),
        low=words(low),
        middle=words(middle),
        top=words(top),
        link_low=words(low),
        link_middle=words(middle),
        link_top=words(top),
        length=words(counts),
        is_stale=np.zeros(counts, dtype=np.bool_),
        rows=words(1),
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
def last_bit(word: int) -> int:
    """Return the place of the highest bit of a word that is not 0."""
    place = 0
    if word >> 16:
        place += 16
        word >>= 16
    if word >> 8:
        place += 8
        word >>= 8
    if word >> 4:
        place += 4
        word >>= 4
    if word >> 2:
        place += 2
        word >>= 2
    if word >> 1:
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
def previous_in(code: int, low: Places, middle: Places, top: Places) -> int:
    """Return the last code present up to this one; -1 where there is none."""
    if code < 0:
        return -1
    at = code >> BITS
    word = low[at] & ((2 << (code & MASK)) - 1)
    if word:
        return (at << BITS) + last_bit(word)
    above = at >> BITS
    word = middle[above] & ((1 << (at & MASK)) - 1)
    if word == 0:
        highest = above >> BITS
        word = top[highest] & ((1 << (above & MASK)) - 1)
        while word == 0:
            highest -= 1
            if highest < 0:
                return -1
            word = top[highest]
        above = (highest << BITS) + last_bit(word)
        word = middle[above]
    at = (above << BITS) + last_bit(word)
    return (at << BITS) + last_bit(low[at])


@hot_part
def mend(link: int, old: int, end: int, next_code: Places, window: Window) -> int:
    """Let a chain go on with ``link``; ``old`` is its first old link not yet passed. Return the links gained.

    ``end`` is where the codes of the count end.
    """
    gained = 0
    while True:
        while old < link:
            drop(old, window.link_low, window.link_middle, window.link_top)
            gained -= 1
            old = next_in(old + 1, end, window.link_low, window.link_middle, window.link_top)
        # A link of the next count must not stop this chain.
        if old > end:
            old = end
        if old == link or link >= end:
            return gained
        put(link, window.link_low, window.link_middle, window.link_top)
        gained += 1
        link = next_in(next_code[link], end, window.low, window.middle, window.top)
        if link > end:
            link = end


@hot_part
def insert_code(code: int, count: int, demand: WindowDemand, window: Window) -> None:
    """Put a code in that was absent."""
    if demand.kept_by[count] == PLAIN:
        window.length[count] += 1
        return
    put(code, window.low, window.middle, window.top)
    if demand.kept_by[count] == JUMPED:
        if window.length[count] < demand.wanted[count]:
            window.is_stale[count] = True
        return
    begin, end = demand.offsets[count], demand.offsets[count + 1]
    before = previous_in(code - 1, window.link_low, window.link_middle, window.link_top)
    if before >= begin and code < demand.next_code[before]:
        return
    old = next_in(code + 1, end, window.link_low, window.link_middle, window.link_top)
    window.length[count] += mend(code, old, end, demand.next_code, window)


@hot_part
def remove_code(code: int, count: int, demand: WindowDemand, window: Window) -> None:
    """Take a code out that was present."""
    if demand.kept_by[count] == PLAIN:
        window.length[count] -= 1
        return
    drop(code, window.low, window.middle, window.top)
    if demand.kept_by[count] == JUMPED:
        if window.length[count] >= demand.wanted[count]:
            window.is_stale[count] = True
        return
    if not window.link_low[code >> BITS] >> (code & MASK) & 1:
        return
    begin, end = demand.offsets[count], demand.offsets[count + 1]
    drop(code, window.link_low, window.link_middle, window.link_top)
    before = previous_in(code - 1, window.link_low, window.link_middle, window.link_top)
    start = demand.next_code[before] if before >= begin else begin
    link = min(end, next_in(start, end, window.low, window.middle, window.top))
    old = min(end, next_in(code + 1, end, window.link_low, window.link_middle, window.link_top))
    window.length[count] += mend(link, old, end, demand.next_code, window) - 1


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
def chain_length(count: int, most: int, demand: WindowDemand, window: Window) -> int:
    """Return the length of a chain, found by jumping along it; no more than ``most``."""
    end = demand.offsets[count + 1]
    code = next_in(demand.offsets[count], end, window.low, window.middle, window.top)
    length = 0
    while code < end and length < most:
        length += 1
        code = next_in(demand.next_code[code], end, window.low, window.middle, window.top)
    return length


@hot_part
def is_enough(demand: WindowDemand, window: Window) -> bool:
    """Tell whether a window holds what is wanted."""
    if window.rows[0] < demand.row_k:
        return False
    for count in range(len(demand.wanted)):
        if window.is_stale[count]:
            window.length[count] = chain_length(count, demand.wanted[count], demand, window)
            window.is_stale[count] = False
        if window.length[count] < demand.wanted[count]:
            return False
    return True


@hot_loop
def latest_enough_starts(demand: WindowDemand, window: Window) -> Places:
    """Return, for each last value, the latest start of a window that is enough; -1 where none is.

    The values are taken in their order; the window must be empty.
    """
    size = len(demand.rows)
    latest = np.full(size, -1, dtype=np.int64)
    start = 0
    for end in range(size):
        insert(end, demand, window)
        if not is_enough(demand, window):
            continue
        while start < end:
            remove(start, demand, window)
            if not is_enough(demand, window):
                insert(start, demand, window)
                for count in range(len(demand.wanted)):
                    if demand.kept_by[count] == JUMPED:
                        # It was enough before the last value went out and came in again.
                        window.length[count] = demand.wanted[count]
                        window.is_stale[count] = False
                break
            start += 1
        latest[end] = start
    return latest


@hot_loop
def latest_distinct_starts(value_ptr: Places, value_code: Ints, width: int, wanted: int) -> Places:
    """Return the same for one count whose codes are all apart, and no demand on rows: quicker."""
    size = len(value_ptr) - 1
    held = np.zeros(width, dtype=np.int32)
    latest = np.full(size, -1, dtype=np.int64)
    distinct = 0
    start = 0
    for end in range(size):
        for entry in range(value_ptr[end], value_ptr[end + 1]):
            if held[value_code[entry]] == 0:
                distinct += 1
            held[value_code[entry]] += 1
        while start < end and distinct >= wanted:
            lost = 0
            for entry in range(value_ptr[start], value_ptr[start + 1]):
                if held[value_code[entry]] == 1:
                    lost += 1
            if distinct - lost < wanted:
                break
            for entry in range(value_ptr[start], value_ptr[start + 1]):
                held[value_code[entry]] -= 1
            distinct -= lost
            start += 1
        if distinct >= wanted:
            latest[end] = start
    return latest


@hot_part
def is_spaced(wanted: int, next_code: Places, low: Places, middle: Places, top: Places) -> bool:
    """Tell whether the chain of the codes present is as long as wanted."""
    width = len(next_code)
    code = next_in(0, width, low, middle, top)
    for _ in range(wanted - 1):
        if code >= width:
            return False
        code = next_in(next_code[code], width, low, middle, top)
    return code < width


@hot_loop
def latest_spaced_starts(value_ptr: Places, value_code: Ints, next_code: Places, wanted: int) -> Places:
    """Return the same for one count that is jumped along, and no demand on rows: quicker."""
    size = len(value_ptr) - 1
    words = (len(next_code) >> BITS) + 1
    held = np.zeros(len(next_code), dtype=np.int32)
    low = np.zeros(words, dtype=np.int64)
    middle = np.zeros((words >> BITS) + 1, dtype=np.int64)
    top = np.zeros((words >> BITS >> BITS) + 1, dtype=np.int64)
    latest = np.full(size, -1, dtype=np.int64)
    start = 0
    enough = wanted < 1
    for end in range(size):
        is_new = False
        for entry in range(value_ptr[end], value_ptr[end + 1]):
            code = value_code[entry]
            if held[code] == 0:
                put(code, low, middle, top)
                is_new = True
            held[code] += 1
        if not enough and is_new:
            enough = is_spaced(wanted, next_code, low, middle, top)
        if not enough:
            continue
        while start < end:
            is_lost = False
            for entry in range(value_ptr[start], value_ptr[start + 1]):
                code = value_code[entry]
                held[code] -= 1
                if held[code] == 0:
                    drop(code, low, middle, top)
                    is_lost = True
            if is_lost and not is_spaced(wanted, next_code, low, middle, top):
                for entry in range(value_ptr[start], value_ptr[start + 1]):
                    code = value_code[entry]
                    if held[code] == 0:
                        put(code, low, middle, top)
                    held[code] += 1
                break
            start += 1
        latest[end] = start
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


def steps_of(demand: WindowDemand) -> int:
    """Return about how many elementary steps it takes to move a window along all values."""
    return 8 * (len(demand.value_code) + len(demand.rows))


def mark_counts(next_code: Any, offsets: Any, wanted: Any) -> Places:
    """Return how each count is best kept."""
    kept_by = np.empty(len(wanted), dtype=np.int64)
    for count in range(len(wanted)):
        begin, end = int(offsets[count]), int(offsets[count + 1])
        if bool((next_code[begin:end] == np.arange(begin + 1, end + 1)).all()):
            kept_by[count] = PLAIN
        else:
            kept_by[count] = JUMPED if wanted[count] < MENDED_FROM else MENDED
    return kept_by
