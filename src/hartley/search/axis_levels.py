"""A whole frontier with requirements as conditions: the least cost for every number wanted of one count.

The axis is a count, of candidates or of values that are apart; the other requirements stay as they are.
What is wanted more costs no less. So a bound for fewer holds for more, a partition for more serves for
fewer, and numbers between two that meet need no search.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.line.answer import LineAnswer

Solver = Callable[[Enough], LineAnswer]
"""Answers the question for one demand; such as ``lambda enough: least_cost(values.under(enough))``."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AxisLevel:
    """The best partition known within a cost, and what none within it can beat."""

    cost: float
    kept: int
    """How much of the count every released value keeps."""
    most: int
    """No partition within this cost, of the shape and budget asked for, keeps more."""
    answer: LineAnswer

    @property
    def proven(self) -> bool:
        """Whether nothing within this cost keeps more."""
        return self.kept >= self.most


@dataclass(frozen=True)
class AxisLevels:
    """Levels from the least cost to the greatest, none better than another in both."""

    levels: tuple[AxisLevel, ...]
    complete: bool
    """Whether every number that matters was searched."""


def axis_levels(
    enough: Enough, count: int, solve: Solver, most: int | None = None, effort: Effort = UNLIMITED
) -> AxisLevels:
    """Return the least cost for every number of one count that is worth asking for.

    ``count`` is the number of the count in ``enough``, and what is wanted of it there is where the frontier
    begins. ``most`` is the greatest number to ask for; without it, what one cluster of everything holds.
    """
    enough.require_reachable()
    first = max(1, int(enough.wanted[count]))
    if most is None:
        most = int(enough.counts_of(range(enough.size))[count])
    solved: dict[int, LineAnswer] = {}

    def solve_once(wanted: int) -> LineAnswer:
        if wanted not in solved:
            solved[wanted] = solve(enough.asking(count, wanted))
            effort.progress(len(solved), most - first + 1, "least cost for each number that is kept")
        return solved[wanted]

    solve_once(first)
    if most > first:
        solve_once(most)
    open_ranges = deque([(first, most)])
    complete = True
    while open_ranges:
        low, high = open_ranges.popleft()
        if high - low < 2 or solved[high].cost <= solved[low].lower_bound:
            continue
        if effort.should_stop():
            complete = False
            break
        middle = (low + high) // 2
        solve_once(middle)
        open_ranges += [(low, middle), (middle, high)]
    return AxisLevels(_levels(enough, count, solved, most), complete)


def _levels(enough: Enough, count: int, solved: dict[int, LineAnswer], most: int) -> tuple[AxisLevel, ...]:
    known = [
        (answer.cost, -_kept(enough, count, answer, wanted), answer) for wanted, answer in solved.items()
    ]
    known.sort(key=lambda item: item[:2])
    levels: list[AxisLevel] = []
    for cost, minus_kept, answer in known:
        if not levels or -minus_kept > levels[-1].kept:
            refuted = [wanted for wanted, other in solved.items() if other.lower_bound > cost]
            level = AxisLevel(
                cost=cost, kept=-minus_kept, most=min(refuted, default=most + 1) - 1, answer=answer
            )
            if levels and levels[-1].cost == cost:
                levels.pop()
            levels.append(level)
    return tuple(levels)


def _kept(enough: Enough, count: int, answer: LineAnswer, wanted: int) -> int:
    """Return how much of the count the partition keeps; it may be more than was asked for."""
    held = enough.counts_of_clusters(answer.partition.labels, answer.partition.size)
    return max(wanted, int(held[:, count].min()))
