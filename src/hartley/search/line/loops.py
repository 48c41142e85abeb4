"""Loops of the dynamic programs along a line.

A prefix of the line ends after some rank. ``earliest`` and ``latest`` tell for each last rank between which
starts an interval is cheap enough and holds enough; both only move forward, so a queue of starts that are
still of use is all that is needed. ``allowed`` tells after how many ranks a border may lie; ``low`` and
``high`` are where the cell of a rank begins and ends. A border is always allowed before the first value and
after the last.
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Flags, Floats, Places

FROM_OPEN, FROM_SHUT = -1, -2
"""A value is withheld after a prefix that can be followed by a band, or after one that cannot yet."""
NEVER = 1 << 60
"""More rows than any table has."""


@hot_loop
def can_cut(earliest: Places, latest: Places, allowed: Flags) -> bool:
    """Tell whether the line can be cut into intervals that are cheap enough and hold enough."""
    size = len(earliest)
    nearest = np.zeros(size + 1, dtype=np.int64)  # the longest prefix up to here that can be cut
    is_cut = True
    for end in range(size):
        is_cut = allowed[end + 1] and latest[end] >= 0 and nearest[latest[end]] >= earliest[end]
        nearest[end + 1] = end + 1 if is_cut else nearest[end]
    return is_cut


@hot_loop
def uncovered_rows(earliest: Places, latest: Places, rows: Places) -> int:
    """Return the rows of the values that are in no window that is cheap enough and holds enough."""
    size = len(earliest)
    opened = np.zeros(size + 1, dtype=np.int64)
    for end in range(size):
        if latest[end] >= earliest[end]:
            opened[earliest[end]] += 1
            opened[end + 1] -= 1
    covering, left = 0, 0
    for rank in range(size):
        covering += opened[rank]
        if covering == 0:
            left += rows[rank]
    return left


@hot_loop
def fewest_withheld(earliest: Places, latest: Places, allowed: Flags, rows: Places) -> int:
    """Return the fewest rows to withhold so that the rest can be cut into intervals with borders allowed."""
    size = len(earliest)
    opened = np.full(size + 1, NEVER, dtype=np.int64)  # a band may follow
    shut = np.full(size + 1, NEVER, dtype=np.int64)  # no border was passed since the last band
    queue = np.empty(size + 1, dtype=np.int64)
    head, tail, added = 0, 0, 0
    opened[0] = 0
    for end in range(size):
        while added <= latest[end]:
            while tail > head and opened[queue[tail - 1]] >= opened[added]:
                tail -= 1
            queue[tail] = added
            tail += 1
            added += 1
        while head < tail and queue[head] < earliest[end]:
            head += 1
        banded = opened[queue[head]] if head < tail else NEVER
        after = opened[end] + rows[end] if opened[end] < NEVER else NEVER
        held = shut[end] + rows[end] if shut[end] < NEVER else NEVER
        if allowed[end + 1]:
            opened[end + 1] = min(banded, after, held)
        else:
            opened[end + 1] = after
            shut[end + 1] = min(banded, held)
    return int(opened[size])


@hot_loop
def is_better(
    rows: int, count: int, total: float, best_rows: int, best_count: int, best_total: float
) -> bool:
    """Tell whether fewer rows are withheld; then whether there are more bands; then if they are narrower."""
    if rows != best_rows:
        return rows < best_rows
    if count != best_count:
        return count > best_count
    return total < best_total


@hot_loop
def withhold_next(
    end: int, here: int, rows: int, choice: Places, least: Places, count: Places, total: Floats
) -> None:
    """Withhold the value after each kind of prefix, where that is better than what is chosen there."""
    for kind in range(2):
        into = here if kind == 1 else 0
        if (
            rows < NEVER
            and least[end, kind] < NEVER
            and is_better(
                least[end, kind] + rows,
                count[end, kind],
                total[end, kind],
                least[end + 1, into],
                count[end + 1, into],
                total[end + 1, into],
            )
        ):
            choice[end + 1, into] = FROM_OPEN if kind == 0 else FROM_SHUT
            least[end + 1, into] = least[end, kind] + rows
            count[end + 1, into] = count[end, kind]
            total[end + 1, into] = total[end, kind]


@hot_loop
def withheld_choices(
    earliest: Places, latest: Places, allowed: Flags, rows: Places, low: Floats, high: Floats
) -> Places:
    """Return the last choice for each prefix: fewest rows withheld, then most bands, then least total width.

    Column 0 is for prefixes that a band may follow, column 1 for those that none may follow yet. A choice
    is the start of a band, or which kind of prefix a withheld value comes after. ``NEVER`` rows of a value
    mean that it may not be withheld. Ties go to the latest start.
    """
    size = len(earliest)
    choice = np.full((size + 1, 2), FROM_OPEN, dtype=np.int64)
    least = np.full((size + 1, 2), NEVER, dtype=np.int64)
    count = np.zeros((size + 1, 2), dtype=np.int64)
    total = np.zeros((size + 1, 2))
    queue = np.empty(size + 1, dtype=np.int64)
    head, tail, added = 0, 0, 0
    least[0, 0] = 0
    for end in range(size):
        while added <= latest[end]:
            while tail > head:
                last = queue[tail - 1]
                if is_better(
                    least[last, 0],
                    count[last, 0],
                    total[last, 0] - low[last],
                    least[added, 0],
                    count[added, 0],
                    total[added, 0] - low[added],
                ):
                    break
                tail -= 1
            queue[tail] = added
            tail += 1
            added += 1
        while head < tail and queue[head] < earliest[end]:
            head += 1
        here = 0 if allowed[end + 1] else 1
        if head < tail and least[queue[head], 0] < NEVER:
            start = queue[head]
            choice[end + 1, here] = start
            least[end + 1, here] = least[start, 0]
            count[end + 1, here] = count[start, 0] + 1
            total[end + 1, here] = total[start, 0] + high[end] - low[start]
        withhold_next(end, here, rows[end], choice, least, count, total)
    return choice


@hot_loop
def clusters_of_choices(choice: Places) -> Places:
    """Walk back from the end and return the band of each rank, counted from the end; -1 for withheld."""
    size = len(choice) - 1
    cluster_of = np.full(size, -1, dtype=np.int64)
    prefix, kind, number = size, 0, 0
    while prefix > 0:
        chosen = choice[prefix, kind]
        if chosen < 0:
            kind = 0 if chosen == FROM_OPEN else 1
            prefix -= 1
            continue
        for rank in range(chosen, prefix):
            cluster_of[rank] = number
        number += 1
        prefix, kind = chosen, 0
    return cluster_of


@hot_loop
def radius(positions: Floats, sums: Floats, start: int, end: int) -> float:
    """Return the distance from the mean of an interval to its farthest member; both ends are included."""
    count = end - start + 1
    total = sums[end + 1] - sums[start]
    return float(max(count * positions[end] - total, total - count * positions[start]) / count)


@hot_loop
def extend_radius(
    positions: Floats,
    sums: Floats,
    latest: Places,
    allowed: Flags,
    best: Floats,
    is_cut: Flags,
    begin: int,
    steps: int,
) -> int:
    """Carry the program for the least worst radius on from a rank until the steps are used up.

    ``best`` holds the least worst radius of every prefix, at first one that is not to be exceeded, and
    ``is_cut`` whether it can be cut at that. Gives the next rank.
    """
    end = begin
    while end < len(positions) and steps > 0:
        if allowed[end + 1]:
            for start in range(latest[end], -1, -1):
                steps -= 1
                if (positions[end] - positions[start]) / 2 >= best[end + 1]:
                    break
                if not is_cut[start] or best[start] >= best[end + 1]:
                    continue
                worst = max(best[start], radius(positions, sums, start, end))
                if worst < best[end + 1]:
                    best[end + 1] = worst
                    is_cut[end + 1] = True
        end += 1
    return end


@hot_loop
def centroid_choices(
    positions: Floats,
    sums: Floats,
    latest: Places,
    allowed: Flags,
    rows: Places,
    low: Floats,
    high: Floats,
    cost: float,
) -> Places:
    """Return the last choice for each prefix, as :func:`withheld_choices` does."""
    size = len(positions)
    choice = np.full((size + 1, 2), FROM_OPEN, dtype=np.int64)
    least = np.full((size + 1, 2), NEVER, dtype=np.int64)
    count = np.zeros((size + 1, 2), dtype=np.int64)
    total = np.zeros((size + 1, 2))
    least[0, 0] = 0
    for end in range(size):
        here = 0 if allowed[end + 1] else 1
        for start in range(latest[end], -1, -1):
            if (positions[end] - positions[start]) / 2 > cost:
                break
            if least[start, 0] >= NEVER or radius(positions, sums, start, end) > cost:
                continue
            width = total[start, 0] + high[end] - low[start]
            if is_better(
                least[start, 0],
                count[start, 0] + 1,
                width,
                least[end + 1, here],
                count[end + 1, here],
                total[end + 1, here],
            ):
                choice[end + 1, here] = start
                least[end + 1, here] = least[start, 0]
                count[end + 1, here] = count[start, 0] + 1
                total[end + 1, here] = width
        withhold_next(end, here, rows[end], choice, least, count, total)
    # The rows that must be withheld in all, told to the caller without a second array.
    choice[0, 1] = least[size, 0]
    return choice
