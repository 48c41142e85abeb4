"""Least distortion for every number of candidates: what is known of one bounds the others.

The least distortion never falls as the number of candidates grows. So a bound for fewer candidates
holds for more, a partition for more candidates serves for fewer, and numbers between two that meet need
no search.

What is tried for one number comes in stages, the cheap ones first. Every number is brought through one stage
before any comes to the next, so that a search that is cut short knows something of all of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import inf, log2

import numpy as np

from hartley.errors import OptionError, UnreachableError
from hartley.model import Partition
from hartley.search.distortion.least_cost import LeastDistortion
from hartley.search.distortion.line import Line
from hartley.search.effort import Effort
from hartley.search.levels import Level, in_time

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
            cost_certificate=known.certificate,
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
