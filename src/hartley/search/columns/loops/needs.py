"""A demand as the loops take it: whether a set of tuples is enough.

What it means is said in :mod:`hartley.search.columns.demand`.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from hartley.model.arrays import Places
from hartley.search.columns.loops.cells import inner_part, sort_codes

NONE = cast("int", np.int64(-1))
ZERO = cast("int", np.int64(0))
ONE = cast("int", np.int64(1))
"""Numbers that loops hand to loops; for each one written out, the compiler makes a version of the callee."""


class Needs(NamedTuple):
    """A demand, as the loops take it."""

    ptr: Places
    code: npt.NDArray[np.int32]
    next_code: Places
    offsets: Places
    count_of: Places
    """The count of each code."""
    wanted: Places
    rows: Places
    row_k: int
    plain: bool
    """Whether it is one count of different codes and nothing else."""
    tolerant: bool
    """Whether some codes are too near each other to count as two."""


class Marks(NamedTuple):
    """Scratch paper: which codes were met under the stamp of now."""

    seen: Places
    kept: Places
    """Like ``seen``, for a set that is built up while others are looked at."""
    codes: Places
    tally: Places
    stamp: Places


@inner_part
def is_enough(members: Places, start: int, stop: int, without: int, needs: Needs, marks: Marks) -> bool:
    """Tell whether ``members[start:stop]`` without one of them (-1: with all) hold what is wanted."""
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    if needs.plain:
        left = needs.wanted[0]
        for i in range(start, stop):
            one = members[i]
            if one != without:
                for at in range(needs.ptr[one], needs.ptr[one + 1]):
                    code = needs.code[at]
                    if marks.seen[code] != stamp:
                        marks.seen[code] = stamp
                        left -= 1
                if left <= 0:
                    return True
        return bool(left <= 0)
    counts = len(needs.wanted)
    for count in range(counts):
        marks.tally[count] = 0
    rows, met = ZERO, ZERO
    for i in range(start, stop):
        one = members[i]
        if one == without:
            continue
        rows += needs.rows[one]
        for at in range(needs.ptr[one], needs.ptr[one + 1]):
            code = needs.code[at]
            if marks.seen[code] != stamp:
                marks.seen[code] = stamp
                marks.tally[needs.count_of[code]] += 1
                marks.codes[met] = code
                met += 1
    if rows < needs.row_k:
        return False
    for count in range(counts):
        if marks.tally[count] < needs.wanted[count]:
            return False
    if not needs.tolerant:
        return True
    sort_codes(marks.codes, met)
    at = 0
    for count in range(counts):
        length, least = 0, needs.offsets[count]
        while at < met and marks.codes[at] < needs.offsets[count + 1]:
            if marks.codes[at] >= least:
                length += 1
                least = needs.next_code[marks.codes[at]]
            at += 1
        if length < needs.wanted[count]:
            return False
    return True


@inner_part
def needed_from_start(members: Places, size: int, needs: Needs, marks: Marks) -> int:
    """Return how many of the first members are enough, or one more than there are if all of them are not."""
    if needs.plain:
        marks.stamp[0] += 1
        stamp = marks.stamp[0]
        left = needs.wanted[0]
        for i in range(size):
            one = members[i]
            for at in range(needs.ptr[one], needs.ptr[one + 1]):
                code = needs.code[at]
                if marks.seen[code] != stamp:
                    marks.seen[code] = stamp
                    left -= 1
            if left <= 0:
                return i + 1
        return size + 1
    return least_between(members, ZERO, size, ONE, needs, marks)


@inner_part
def needed_from_end(members: Places, size: int, needs: Needs, marks: Marks) -> int:
    """Return how many of the last members are enough, or one more than there are if all of them are not."""
    if needs.plain:
        marks.stamp[0] += 1
        stamp = marks.stamp[0]
        left = needs.wanted[0]
        for i in range(size):
            one = members[size - 1 - i]
            for at in range(needs.ptr[one], needs.ptr[one + 1]):
                code = needs.code[at]
                if marks.seen[code] != stamp:
                    marks.seen[code] = stamp
                    left -= 1
            if left <= 0:
                return i + 1
        return size + 1
    return least_between(members, ZERO, size, ZERO, needs, marks)


@inner_part
def least_between(members: Places, low: int, size: int, forward: int, needs: Needs, marks: Marks) -> int:
    """Return the least number of members from one end that is enough, by doubling and halving."""
    high = low + 1
    while True:
        high = min(high, size)
        start = ZERO if forward else size - high
        if is_enough(members, start, start + high, NONE, needs, marks):
            break
        if high >= size:
            return size + 1
        low = high
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        start = ZERO if forward else size - middle
        if is_enough(members, start, start + middle, NONE, needs, marks):
            high = middle
        else:
            low = middle
    return high
