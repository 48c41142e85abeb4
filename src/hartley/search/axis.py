"""Least cost for each level of one requirement, beside whatever else is required: one sweep for every search.

Most often the level is the number of candidates: the leakage is ``log2(|S| / distinct_l)``, so a frontier is
the least cost for every ``distinct_l``. It never falls as the level grows. So a bound for a lower level holds
for a higher one, a partition for a higher level serves for a lower one, and levels between two that cost the
same need no search.

What is tried for one level comes in stages, the cheap ones first. Every level is brought through one stage
before any comes to the next, so that a search that is cut short knows something of all of them.

A level's bound in bits: no partition within its cost reaches a higher level than the greatest one whose own
least cost is not proven to be higher.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, Protocol, TypeAlias

from hartley.errors import OptionError, UnreachableError
from hartley.model import Partition
from hartley.search.effort import Effort
from hartley.search.levels import Level, Levels, as_it_is, in_time, is_reached

Cut: TypeAlias = Callable[[], Partition]
"""Builds a partition when it is asked for."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LeastCost:
    """What is known of the least cost of a demand, in the unit in which the search reckons."""

    cost: float
    """What the worst cluster of the partition found costs."""
    bound: float = 0.0
    """No partition that is enough everywhere costs less."""
    cut: Cut

    @property
    def is_settled(self) -> bool:
        """Whether partition and bound meet."""
        return is_reached(self.cost, self.bound)

    def with_bound(self, bound: float) -> LeastCost:
        """Return the same knowledge with a higher bound; a bound that says less is left out."""
        return self if bound <= self.bound else replace(self, bound=min(bound, self.cost))

    def with_partition(self, cost: float, cut: Cut) -> LeastCost:
        """Return the same knowledge with a partition that serves, if it costs less."""
        return replace(self, cost=cost, cut=cut) if cost < self.cost else self


Stage: TypeAlias = Callable[[Any, LeastCost, Effort], LeastCost]
"""Improves what is known of the least cost of a demand, as :meth:`LevelAxis.asking` gives it."""


class LevelAxis(Protocol):
    """The levels of one requirement, numbered from ``least`` to ``most``, and what a partition costs."""

    @property
    def least(self) -> int:
        """The level that is required in any case."""

    @property
    def most(self) -> int:
        """The greatest level that any partition allowed can reach."""

    def asking(self, level: int) -> Any:
        """Return what the stages are asked for one level."""

    def admits(self, partition: Partition) -> bool:
        """Tell whether a partition meets whatever else is required."""

    def reached_by(self, partition: Partition) -> int:
        """Return the level that a partition reaches."""

    def cost_of(self, partition: Partition) -> float:
        """Return what the worst cluster of a partition costs, infinite where it is not allowed."""

    def counting_bound(self, level: int) -> float:
        """Return a cost below which no partition reaches a level, as far as that is told at once."""

    def bits(self, level: int) -> float:
        """Return what leaks at a level."""

    def in_units(self, cost: float) -> float:
        """Return a cost as the utility gives it."""

    def within(self, cost: float) -> float:
        """Return the greatest cost that the search reckons with which is no more than this one in units."""


class AxisSearch:
    """What is known so far about every level of an axis."""

    def __init__(
        self,
        axis: LevelAxis,
        stages: Sequence[Stage],
        effort: Effort,
        always: Iterable[Partition],
        starts: Sequence[Partition],
    ) -> None:
        self.axis, self.stages, self.effort = axis, tuple(stages), effort
        self.solved: dict[int, LeastCost] = {}
        self.stage_of: dict[int, int] = {}
        self.given: list[tuple[int, float, Cut]] = []
        for partition in always:
            self.offer(partition)
        for start in in_time(starts, effort):
            self.offer(start)

    def offer(self, partition: Partition) -> None:
        """Take note of a partition known from elsewhere."""
        cost = self.axis.cost_of(partition)
        if cost < inf and self.axis.admits(partition):
            self.given.append((self.axis.reached_by(partition), cost, partial(as_it_is, partition)))

    def require(self, level: int) -> None:
        """Refuse a number of candidates that no partition reaches."""
        if level < 1:
            raise OptionError(f"a released value leaves at least 1 candidate, not {level}")
        if level > self.axis.most:
            raise UnreachableError(
                f"no release leaves {level} candidates for every released value; "
                f"the most that can be reached is {self.axis.most}"
            )

    def known(self, level: int) -> LeastCost:
        """Gather what is known of one level: of itself, of the others, of partitions given."""
        cost, cut = min(
            ((cost, cut) for reached, cost, cut in self._partitions() if reached >= level),
            key=lambda one: one[0],
        )
        bound = max((one.bound for number, one in self.solved.items() if number <= level), default=0.0)
        bound = max(bound, self.axis.counting_bound(level))
        return LeastCost(cost=cost, bound=min(bound, cost), cut=cut)

    def _partitions(self) -> Iterable[tuple[int, float, Cut]]:
        """Return all partitions known: the level they reach, their cost, and how to build them."""
        return [*((number, one.cost, one.cut) for number, one in self.solved.items()), *self.given]

    def solve(self, level: int, stages: int | None = None) -> LeastCost:
        """Search for one level through so many stages, or all; each stage once."""
        known = self.known(level)
        asked = self.axis.asking(level)
        last = len(self.stages) if stages is None else stages
        for stage in range(self.stage_of.get(level, 0), last):
            if known.is_settled or asked is None or (stage and self.effort.should_stop()):
                break
            found = self.stages[stage](asked, known, self.effort)
            if found.cut is not known.cut:
                # It may reach more than it was asked for.
                self.given.append((self.axis.reached_by(found.cut()), found.cost, found.cut))
            known = found
            self.stage_of[level] = stage + 1
        self.solved[level] = known
        return known

    def solve_within(self, most_cost: float) -> Level:
        """Bisect for the highest level within a cost, given in units."""
        if not most_cost >= 0:
            raise OptionError(f"a distortion is 0 or more, not {most_cost:g}")
        most = self.axis.within(most_cost)
        self.highest_within(most)
        if all(cost > most for _, cost, _ in self.given):
            least = self.axis.in_units(min(cost for _, cost, _ in self.given))
            raise UnreachableError(
                f"no release found distorts at most {most_cost:g}; the least found is {least:g}"
            )
        return self.level(most)

    def highest_within(self, most: float) -> tuple[int, float, Cut]:
        """Find the highest level within a cost; give it with its cost and partition.

        Looks near the highest one known, then twice as far each time, then between by halves.
        """
        known = [reached for reached, cost, _ in self._partitions() if cost <= most]
        low, high, step = max(known, default=self.axis.least - 1), self.axis.most + 1, 1
        while high - low > 1 and not self.effort.should_stop():
            middle = min(low + step, (low + high) // 2)
            if self.solve(middle).cost <= most:
                low, step = middle, 2 * step
            else:
                high, step = middle, high
        return self.reach(most)

    def frontier(self) -> Levels:
        """Return the least cost of every level, as far as the effort goes."""
        complete = self.solve_all()
        return Levels(levels=tuple(self.levels()), complete=complete)

    def solve_all(self) -> bool:
        """Bring every level through all stages; tell whether that was reached."""
        return all(self._solve_all(stage) for stage in range(1, len(self.stages) + 1))

    def _solve_all(self, stage: int) -> bool:
        """Bring the levels that others do not settle through a stage, coarse to fine."""
        self.solve(self.axis.most, stage)
        self.solve(self.axis.least, stage)
        self.effort.found(self.levels)
        open_ranges = deque([(self.axis.least, self.axis.most)])
        while open_ranges:
            low, high = open_ranges.popleft()
            if high - low < 2 or self.known(high).cost <= self.known(low).cost:
                continue
            if self.effort.should_stop():
                return False
            middle = (low + high) // 2
            self.solve(middle, stage)
            self.effort.progress(len(self.solved), self.axis.most, "least cost for each level")
            self.effort.found(self.levels)
            open_ranges += [(low, middle), (middle, high)]
        return not self.effort.should_stop()

    def levels(self) -> Iterable[Level]:
        """Return the levels that no other dominates, from the least cost to the greatest."""
        reached = 0
        for cost in sorted({cost for _, cost, _ in self._partitions()}):
            level = self.reach(cost)[0]
            if level > reached:
                reached = level
                yield self.level(cost)

    def reach(self, cost: float) -> tuple[int, float, Cut]:
        """Return the highest level known within a cost, at the least cost."""
        return max((k for k in self._partitions() if k[1] <= cost), key=lambda k: (k[0], -k[1]))

    def level(self, cost: float) -> Level:
        """Return the best partition known within a cost, and what no partition can beat."""
        level, exact_cost, cut = self.reach(cost)
        most = min(
            (number - 1 for number, one in self.solved.items() if one.bound > cost), default=self.axis.most
        )
        low = level
        while low < most:
            middle = (low + most + 1) // 2
            low, most = (middle, most) if self.axis.counting_bound(middle) <= cost else (low, middle - 1)
        return Level(
            cost=self.axis.in_units(exact_cost),
            leakage_bits=self.axis.bits(level),
            lower_bound_bits=self.axis.bits(max(most, level)),
            lower_bound_cost=self.axis.in_units(self.known(level).bound),
            cut=cut,
        )
