"""Worst-case leakage under distortion, one numeric column: least distortion for each number of candidates.

The leakage is ``log2(|S| / distinct_l)``, so a frontier is the least distortion for every ``distinct_l``.
It never falls as ``distinct_l`` grows. So a bound for fewer candidates holds for more, a partition for more
candidates serves for fewer, and numbers between two that meet need no search.

What is tried for one number comes in stages, the cheap ones first. Every number is brought through one stage
before any comes to the next, so that a search that is cut short knows something of all of them.

A level's bound in bits: no partition within its distortion leaves more candidates than the greatest
number whose own least distortion is not proven to be higher.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import inf, log2

import numpy as np

from hartley.errors import OptionError, UnreachableError
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.search.distortion.centroid import STAGES as CENTROID_STAGES
from hartley.search.distortion.least_cost import LeastDistortion, by_intervals, by_sweeps
from hartley.search.distortion.line import Line
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Level, Levels, in_time

Solver = Callable[[Line, LeastDistortion, Effort], LeastDistortion]
"""Improves what is known about the least distortion for one number of candidates; costs are in ticks."""


def any_partition(partition: Partition) -> bool:
    """Admit every partition."""
    del partition
    return True


class CandidateSearch:
    """What is known so far about every number of candidates."""

    def __init__(
        self,
        line: Line,
        stages: Sequence[Solver],
        effort: Effort,
        starts: Sequence[Partition],
        admits: Callable[[Partition], bool] = any_partition,
    ) -> None:
        self.line = line
        self.stages = tuple(stages)
        self.effort = effort
        self.admits = admits
        self.most = line.most_candidates
        self.solved: dict[int, LeastDistortion] = {}
        self.stage_of: dict[int, int] = {}
        self.given: list[tuple[int, float, Callable[[], Partition]]] = []
        size = line.joint.public.size
        self.offer(Partition.singletons(size))
        if line.size:
            self.offer(line.partition_of_starts(_NO_STARTS))
        for start in in_time(starts, effort):
            self.offer(start)

    def offer(self, partition: Partition) -> None:
        """Take note of a partition known from elsewhere."""
        cost = self.line.cost_of(partition)
        if cost < inf and self.admits(partition):
            self.given.append((self.line.distinct_l_of(partition), cost, partial(_same, partition)))

    def require(self, distinct_l: int) -> None:
        """Refuse a number of candidates that no partition reaches."""
        if distinct_l < 1:
            raise OptionError(f"a released value leaves at least 1 candidate, not {distinct_l}")
        if distinct_l > self.most:
            raise UnreachableError(
                f"no release leaves {distinct_l} candidates for every released value; "
                f"the most that can be reached is {self.most}"
            )

    def known(self, distinct_l: int) -> LeastDistortion:
        """Gather what is known of one number of candidates: of itself, of the others, of partitions given."""
        cost, cut = self.cheapest(distinct_l)
        solved = [s for number, s in self.solved.items() if number <= distinct_l]
        bound = max(solved, key=_bound, default=None)
        own = self.solved.get(distinct_l)
        if own is not None and own.cost <= cost:
            cost, cut = own.cost, own.cut
        return LeastDistortion(
            distinct_l=distinct_l,
            cost=cost,
            lower_bound=0.0 if bound is None else min(bound.lower_bound, cost),
            certificate=None if bound is None else bound.certificate,
            cut=cut,
        )

    def cheapest(self, distinct_l: int) -> tuple[float, Callable[[], Partition]]:
        """Return the cheapest partition known that leaves this many candidates."""
        known = [(cost, cut) for reached, cost, cut in self.given if reached >= distinct_l]
        known += [(s.cost, s.cut) for number, s in self.solved.items() if number >= distinct_l]
        return min(known, key=_first)

    def solve(self, distinct_l: int, stages: int | None = None) -> LeastDistortion:
        """Search for one number of candidates through so many stages, or all; each stage once."""
        known = self.known(distinct_l)
        last = len(self.stages) if stages is None else stages
        for stage in range(self.stage_of.get(distinct_l, 0), last):
            if known.proven_optimal or not self.line.size or (stage and self.effort.should_stop()):
                break
            found = self.stages[stage](self.line, known, self.effort)
            if found.cut is not known.cut:
                # It may leave more candidates than it was asked for.
                self.given.append((self.line.distinct_l_of(found.cut()), found.cost, found.cut))
            known = found
            self.stage_of[distinct_l] = stage + 1
        self.solved[distinct_l] = known
        return known

    def solve_within(self, max_distortion: float) -> Level:
        """Bisect for the most candidates within a distortion, given in units."""
        if not max_distortion >= 0:
            raise OptionError(f"a distortion is 0 or more, not {max_distortion:g}")
        most = self.line.ticks_within(max_distortion)
        low, high = 0, self.most + 1
        while high - low > 1 and not self.effort.should_stop():
            middle = (low + high) // 2
            if self.solve(middle).cost <= most:
                low = middle
            else:
                high = middle
        if all(cost > most for _, cost, _ in self.given):
            least = self.line.in_units(min(cost for _, cost, _ in self.given))
            raise UnreachableError(
                f"no release found distorts at most {max_distortion:g}; the least found is {least:g}"
            )
        return self.level(most)

    def solve_all(self) -> bool:
        """Bring every number of candidates through all stages; tell whether that was reached."""
        return all(self._solve_all(stage) for stage in range(1, len(self.stages) + 1))

    def _solve_all(self, stage: int) -> bool:
        """Bring the numbers that others do not settle through a stage, coarse to fine."""
        self.solve(self.most, stage)
        self.solve(1, stage)
        open_ranges = deque([(1, self.most)])
        while open_ranges:
            low, high = open_ranges.popleft()
            settled = self.known(high).cost <= self.known(low).lower_bound
            if high - low < 2 or settled:
                continue
            if self.effort.should_stop():
                return False
            middle = (low + high) // 2
            self.solve(middle, stage)
            self.effort.progress(
                len(self.solved), self.most, "least distortion for each number of candidates"
            )
            self.effort.found(self.levels)
            open_ranges += [(low, middle), (middle, high)]
        return not self.effort.should_stop()

    def levels(self) -> Iterable[Level]:
        """Return the levels that no other dominates, from the least cost to the greatest."""
        costs = sorted({s.cost for s in self.solved.values()} | {cost for _, cost, _ in self.given})
        reached = 0
        for cost in costs:
            distinct_l = self.reach(cost)[0]
            if distinct_l > reached:
                reached = distinct_l
                yield self.level(cost)

    def reach(self, cost: float) -> tuple[int, float, Callable[[], Partition]]:
        """Return the most candidates known within a cost, at the least cost."""
        known = [*self.given, *((number, s.cost, s.cut) for number, s in self.solved.items())]
        return max((k for k in known if k[1] <= cost), key=_reach)

    def level(self, cost: float) -> Level:
        """Return the best partition known within a cost, and what no partition can beat."""
        distinct_l, exact_cost, cut = self.reach(cost)
        known = self.known(distinct_l)
        refuted = min((s for s in self.solved.values() if s.lower_bound > cost), key=_number, default=None)
        most = self.most if refuted is None else refuted.distinct_l - 1
        values = self.line.sensitive_size
        return Level(
            cost=self.line.in_units(exact_cost),
            leakage_bits=log2(values / distinct_l),
            lower_bound_bits=log2(values / most),
            lower_bound_cost=self.line.in_units(known.lower_bound),
            certificate=None if refuted is None else refuted.certificate,
            cut=cut,
        )


_NO_STARTS = np.zeros(0, dtype=np.int64)


def _same(partition: Partition) -> Partition:
    return partition


def _bound(known: LeastDistortion) -> float:
    return known.lower_bound


def _number(known: LeastDistortion) -> int:
    return known.distinct_l


def _first(known: tuple[float, Callable[[], Partition]]) -> float:
    return known[0]


def _reach(known: tuple[int, float, Callable[[], Partition]]) -> tuple[int, float]:
    return known[0], -known[1]


STAGES: dict[str, tuple[Solver, ...]] = {
    "midpoint": (by_intervals, by_sweeps),
    "member": (by_intervals, by_sweeps),
    "centroid": CENTROID_STAGES,
}
"""What is tried for one number of candidates, the cheap before the dear."""


def least_distortion(
    joint: JointRange,
    utility: LineDistortion,
    distinct_l: int,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> LeastDistortion:
    """Return the least distortion at which every released value leaves this many candidates.

    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    >>> best = least_distortion(joint, LineDistortion.of(joint.public), 2)
    >>> best.cost, best.proven_optimal, best.partition
    (1.0, True, Partition({0, 2}, {1, 3}))
    """
    search = _search(joint, utility, effort, starts)
    search.require(distinct_l)
    return search.solve(distinct_l).in_units(search.line)


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
    return _search(joint, utility, effort, starts).solve_within(max_distortion)


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
    search = _search(joint, utility, effort, starts)
    complete = search.solve_all()
    return Levels(levels=tuple(search.levels()), complete=complete)


def _search(
    joint: JointRange, utility: LineDistortion, effort: Effort, starts: Sequence[Partition]
) -> CandidateSearch:
    return CandidateSearch(Line.of(joint, utility), STAGES[utility.codeword], effort, starts)
