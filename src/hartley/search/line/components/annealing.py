"""Better breaks by annealing: break, join and shift the borders of intervals at random.

The random numbers are handed in, so that the same seed gives the same breaks, compiled or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Flags, Floats, Int64s
from hartley.search.effort import Effort
from hartley.search.line.components.forest_bound import joined

STEPS_PER_CALL = 2_000_000
"""Elementary steps between two looks at whether to stop."""
WARM, COLD = 0.7, 0.05
"""Temperatures at which the annealing begins and ends, in components."""


@hot_loop
def is_allowed(
    start: int,
    end: int,
    earliest: Int64s,
    latest: Int64s,
    positions: Floats,
    sums: Floats,
    cost: float,
    by_centroid: bool,
) -> Any:
    """Tell whether the ranks from start to end may form an interval."""
    if start < earliest[end] or start > latest[end]:
        return False
    if not by_centroid:
        return True
    count = end - start + 1
    total = sums[end + 1] - sums[start]
    return max(positions[end] * count - total, total - positions[start] * count) / count <= cost


@hot_loop
def anneal(
    groups: Int64s,
    earliest: Int64s,
    latest: Int64s,
    positions: Floats,
    sums: Floats,
    cost: float,
    by_centroid: bool,
    broken: Flags,
    best: Flags,
    parent: Int64s,
    chances: Floats,
    temperatures: Floats,
    target: int,
) -> int:
    """Change the breaks step by step, keeping the best ones met; give how many components those join."""
    size = len(groups)
    links = size - 1
    current = joined(groups, broken, parent)
    most = joined(groups, best, parent)
    for step in range(len(temperatures)):
        if most >= target:
            break
        link = int(chances[step, 0] * links)
        left = link - 1
        while left >= 0 and not broken[left]:
            left -= 1
        right = link + 1
        while right < links and not broken[right]:
            right += 1
        # The link lies inside, or between, ranks left + 1 .. right.
        healed = -1
        opened = -1
        if broken[link]:
            if is_allowed(left + 1, right, earliest, latest, positions, sums, cost, by_centroid):
                healed = link
            else:
                shift = 1 + int(chances[step, 1] * 3)
                other = link + shift if chances[step, 2] < 0.5 else link - shift
                if (
                    left < other < right
                    and is_allowed(left + 1, other, earliest, latest, positions, sums, cost, by_centroid)
                    and is_allowed(other + 1, right, earliest, latest, positions, sums, cost, by_centroid)
                ):
                    healed = link
                    opened = other
            if healed < 0:
                continue
        else:
            before = left - 1
            while before >= 0 and not broken[before]:
                before -= 1
            after = right + 1
            while after < links and not broken[after]:
                after += 1
            first_fits = is_allowed(left + 1, link, earliest, latest, positions, sums, cost, by_centroid)
            last_fits = is_allowed(link + 1, right, earliest, latest, positions, sums, cost, by_centroid)
            to_left = (
                left >= 0
                and last_fits
                and is_allowed(before + 1, link, earliest, latest, positions, sums, cost, by_centroid)
            )
            to_right = (
                right < links
                and first_fits
                and is_allowed(
                    link + 1, min(after, links), earliest, latest, positions, sums, cost, by_centroid
                )
            )
            if to_left and (not to_right or chances[step, 1] < 0.5):
                healed = left
            elif to_right:
                healed = right
            elif not (first_fits and last_fits):
                continue
            opened = link
        if healed >= 0:
            broken[healed] = False
        if opened >= 0:
            broken[opened] = True
        reached = joined(groups, broken, parent)
        if reached >= current or chances[step, 3] < np.exp((reached - current) / temperatures[step]):
            current = reached
            if reached > most:
                most = reached
                best[:] = broken
        else:
            if opened >= 0:
                broken[opened] = False
            if healed >= 0:
                broken[healed] = True
    return most


def annealed(
    groups: Int64s,
    count: int,
    earliest: Int64s,
    latest: Int64s,
    begin: Flags,
    target: int,
    steps: int,
    effort: Effort,
    random: np.random.Generator,
    centroid: tuple[Floats, float] | None = None,
) -> tuple[Flags, int]:
    """Improve breaks until they join ``target`` components or the steps are used up.

    ``centroid`` gives positions and the distortion where intervals are costed by their mean.
    """
    size = len(groups)
    positions, cost = (np.zeros(size), 0.0) if centroid is None else centroid
    shifted = positions - np.rint(positions[size // 2])
    sums = np.concatenate(([0.0], np.cumsum(shifted)))
    broken, best = begin.copy(), begin.copy()
    parent = np.empty(count, dtype=np.int64)
    per_call = max(16, min(steps, STEPS_PER_CALL // max(size, 1)))
    temperatures: Floats = WARM * (COLD / WARM) ** np.linspace(0.0, 1.0, max(steps, 1))
    most = -1
    for done in range(0, steps, per_call):
        part = temperatures[done : done + per_call]
        chances = random.random((len(part), 4))
        at = 0
        while at < len(part):
            loop = anneal.for_size(steps * size, in_pieces=True)
            until = at + anneal.piece(loop, per_call)
            most = int(
                loop(
                    groups,
                    earliest,
                    latest,
                    shifted,
                    sums,
                    cost,
                    centroid is not None,
                    broken,
                    best,
                    parent,
                    chances[at:until],
                    part[at:until],
                    target,
                )
            )
            if most >= target or effort.should_stop():
                return best, most
            at = until
    return best, most
