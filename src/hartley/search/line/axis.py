"""Least cost on a line for each level of one requirement, beside whatever else is required.

Most often the level is the number of candidates: the leakage is ``log2(|S| / distinct_l)``, so a frontier is
the least cost for every ``distinct_l``. It never falls as the level grows. So a bound for a lower level holds
for a higher one, a partition for a higher level serves for a lower one, and levels between two that meet need
no search.

What is tried for one level comes in stages, the cheap ones first. Every level is brought through one stage
before any comes to the next, so that a search that is cut short knows something of all of them.

A level's bound in bits: no partition within its cost reaches a higher level than the greatest one whose own
least cost is not proven to be higher.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from math import inf, log2

from hartley.errors import OptionError, UnreachableError
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Level, Levels, in_time
from hartley.search.line.centroid import STAGES as CENTROID_STAGES
from hartley.search.line.least_cost import LeastCost, Stage, by_intervals, by_sweeps, one_cluster
from hartley.search.line.ordered_values import NOTHING, OrderedValues

STAGES: dict[str, tuple[Stage, ...]] = {
    "midpoint": (by_intervals, by_sweeps),
    "member": (by_intervals, by_sweeps),
    "centroid": CENTROID_STAGES,
    "size": (by_intervals,),
}
"""What is tried for one demand, the cheap before the dear."""


def least_cost(values: OrderedValues, effort: Effort = UNLIMITED) -> LeastCost:
    """Return the least cost of one demand, going through the stages until bound and cost meet.

    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    >>> values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 2)])
    >>> found = least_cost(values)
    >>> found.cost, found.is_settled, found.cut()
    (1.0, True, Partition({0, 2}, {1, 3}))
    """
    known = one_cluster(values)
    for number, stage in enumerate(STAGES[values.cost_name] if values.size else ()):
        if known.is_settled or (number and effort.should_stop()):
            break
        known = stage(values, known, effort)
    return known


def any_partition(partition: Partition) -> bool:
    """Admit every partition."""
    del partition
    return True


class AxisSearch:
    """What is known so far about every level of one count of a demand."""

    def __init__(
        self,
        values: OrderedValues,
        effort: Effort,
        starts: Sequence[Partition] = (),
        *,
        count: int = 0,
        stages: Sequence[Stage] | None = None,
        admits: Callable[[Partition], bool] = any_partition,
    ) -> None:
        self.values = values
        self.count = count
        self.stages = STAGES[values.cost_name] if stages is None else tuple(stages)
        self.effort = effort
        self.admits = admits
        self.solved: dict[int, LeastCost] = {}
        self.stage_of: dict[int, int] = {}
        self.given: list[tuple[int, float, Callable[[], Partition]]] = []
        self.offer(Partition.singletons(values.whole.size))
        if values.size:
            self.offer(values.partition_of_starts(NOTHING))
        for start in in_time(starts, effort):
            self.offer(start)

    @property
    def least(self) -> int:
        """The level that is required in any case."""
        return max(1, int(self.values.whole.least[self.count]))

    @cached_property
    def most(self) -> int:
        """The greatest level that any partition allowed can reach."""
        return self.values.most_of(self.count)

    def reached_by(self, partition: Partition) -> int:
        """Return the level that a partition reaches: the least of its clusters."""
        return self.values.whole.reached_by(partition, self.count)

    def offer(self, partition: Partition) -> None:
        """Take note of a partition known from elsewhere."""
        cost = self.values.ticks_of(partition)
        if cost < inf and self.values.whole.is_met_by(partition) and self.admits(partition):
            self.given.append((self.reached_by(partition), cost, partial(_same, partition)))

    def require(self, level: int) -> None:
        """Refuse a number of candidates that no partition reaches."""
        if level < 1:
            raise OptionError(f"a released value leaves at least 1 candidate, not {level}")
        if level > self.most:
            raise UnreachableError(
                f"no release leaves {level} candidates for every released value; "
                f"the most that can be reached is {self.most}"
            )

    def known(self, level: int) -> LeastCost:
        """Gather what is known of one level: of itself, of the others, of partitions given."""
        cost, cut = self.cheapest(level)
        own = self.solved.get(level)
        if own is not None and own.cost <= cost:
            cost, cut = own.cost, own.cut
        bound = max((one.bound for number, one in self.solved.items() if number <= level), default=0.0)
        return LeastCost(cost=cost, bound=min(bound, cost), cut=cut)

    def cheapest(self, level: int) -> tuple[float, Callable[[], Partition]]:
        """Return the cheapest partition known that reaches a level."""
        known = [(cost, cut) for reached, cost, cut in self.given if reached >= level]
        known += [(one.cost, one.cut) for number, one in self.solved.items() if number >= level]
        return min(known, key=_first)

    def solve(self, level: int, stages: int | None = None) -> LeastCost:
        """Search for one level through so many stages, or all; each stage once."""
        known = self.known(level)
        values = self.values.asking(self.count, level)
        last = len(self.stages) if stages is None else stages
        for stage in range(self.stage_of.get(level, 0), last):
            if known.is_settled or not values.size or (stage and self.effort.should_stop()):
                break
            found = self.stages[stage](values, known, self.effort)
            if found.cut is not known.cut:
                # It may reach more than it was asked for.
                self.given.append((self.reached_by(found.cut()), found.cost, found.cut))
            known = found
            self.stage_of[level] = stage + 1
        self.solved[level] = known
        return known

    def solve_within(self, max_distortion: float) -> Level:
        """Bisect for the highest level within a cost, given in units."""
        if not max_distortion >= 0:
            raise OptionError(f"a distortion is 0 or more, not {max_distortion:g}")
        most = self.values.ticks_within(max_distortion)
        self.highest_within(most)
        if all(cost > most for _, cost, _ in self.given):
            least = self.values.in_units(min(cost for _, cost, _ in self.given))
            raise UnreachableError(
                f"no release found distorts at most {max_distortion:g}; the least found is {least:g}"
            )
        return self.level(most)

    def highest_within(self, most: float) -> tuple[int, float, Callable[[], Partition]]:
        """Bisect for the highest level within a cost, in ticks; give it with its cost and partition."""
        low, high = self.least - 1, self.most + 1
        while high - low > 1 and not self.effort.should_stop():
            middle = (low + high) // 2
            if self.solve(middle).cost <= most:
                low = middle
            else:
                high = middle
        return self.reach(most)

    def solve_all(self) -> bool:
        """Bring every number of candidates through all stages; tell whether that was reached."""
        return all(self._solve_all(stage) for stage in range(1, len(self.stages) + 1))

    def _solve_all(self, stage: int) -> bool:
        """Bring the numbers that others do not settle through a stage, coarse to fine."""
        self.solve(self.most, stage)
        self.solve(self.least, stage)
        open_ranges = deque([(self.least, self.most)])
        while open_ranges:
            low, high = open_ranges.popleft()
            settled = self.known(high).cost <= self.known(low).bound
            if high - low < 2 or settled:
                continue
            if self.effort.should_stop():
                return False
            middle = (low + high) // 2
            self.solve(middle, stage)
            self.effort.progress(len(self.solved), self.most, "least cost for each number of candidates")
            self.effort.found(self.levels)
            open_ranges += [(low, middle), (middle, high)]
        return not self.effort.should_stop()

    def levels(self) -> Iterable[Level]:
        """Return the levels that no other dominates, from the least cost to the greatest."""
        costs = sorted({s.cost for s in self.solved.values()} | {cost for _, cost, _ in self.given})
        reached = 0
        for cost in costs:
            level = self.reach(cost)[0]
            if level > reached:
                reached = level
                yield self.level(cost)

    def reach(self, cost: float) -> tuple[int, float, Callable[[], Partition]]:
        """Return the most candidates known within a cost, at the least cost."""
        known = [*self.given, *((number, one.cost, one.cut) for number, one in self.solved.items())]
        return max((k for k in known if k[1] <= cost), key=_reach)

    def level(self, cost: float) -> Level:
        """Return the best partition known within a cost, and what no partition can beat."""
        level, exact_cost, cut = self.reach(cost)
        refuted = min((number for number, one in self.solved.items() if one.bound > cost), default=None)
        most = self.most if refuted is None else refuted - 1
        begin, end = self.values.whole.offsets[self.count : self.count + 2].tolist()
        return Level(
            cost=self.values.in_units(exact_cost),
            leakage_bits=log2((end - begin) / level),
            lower_bound_bits=log2((end - begin) / most),
            lower_bound_cost=self.values.in_units(self.known(level).bound),
            cut=cut,
        )


def _same(partition: Partition) -> Partition:
    return partition


def _first(known: tuple[float, Callable[[], Partition]]) -> float:
    return known[0]


def _reach(known: tuple[int, float, Callable[[], Partition]]) -> tuple[int, float]:
    return known[0], -known[1]


def least_distortion(
    joint: JointRange,
    utility: LineDistortion,
    distinct_l: int,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> LeastCost:
    """Return the least cost, in ticks, at which every released value leaves this many candidates."""
    search = candidate_search(joint, utility, effort, starts)
    search.require(distinct_l)
    return search.solve(distinct_l)


def most_candidates_within(
    joint: JointRange,
    utility: LineDistortion,
    max_distortion: float,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Level:
    """Return the partition with the most candidates among those that distort no more than this.

    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    >>> level = most_candidates_within(joint, LineDistortion.of(joint.public), 1.2)
    >>> level.cost, level.leakage_bits, level.proven_optimal
    (1.0, 0.0, True)
    """
    return candidate_search(joint, utility, effort, starts).solve_within(max_distortion)


def l0_distortion_levels(
    joint: JointRange,
    utility: LineDistortion,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Levels:
    """Return the frontier of worst-case leakage and distortion: a level for every number of candidates.

    ``starts`` are partitions known from elsewhere; no level is worse than any of them. ``complete`` says
    that every number of candidates was searched, or lies between two that settle it.

    >>> from hartley.examples import toy
    >>> joint = toy()
    >>> found = l0_distortion_levels(joint, LineDistortion.of(joint.public))
    >>> [level.cost for level in found.levels], all(level.proven_optimal for level in found.levels)
    ([0.0, 0.25, 0.45, 0.65, 0.7], True)
    """
    search = candidate_search(joint, utility, effort, starts)
    complete = search.solve_all()
    return Levels(levels=tuple(search.levels()), complete=complete)


def candidate_search(
    joint: JointRange, utility: LineDistortion, effort: Effort, starts: Sequence[Partition]
) -> AxisSearch:
    """Return the search for every number of candidates of a table, with nothing else required."""
    values = OrderedValues.of(joint, utility, [Requirement("distinct-l", 1)])
    return AxisSearch(values, effort, starts)
