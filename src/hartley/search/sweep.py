"""Least cost for each level of one requirement, beside whatever else is required: one sweep for every search.

Most often the level is the number of candidates: the leakage is ``log2(|S| / distinct_l)``, so a frontier is
the least cost for every ``distinct_l``. Where components count, a level is a number of them that is joined.
The cost never falls as the level grows (Theorem C7). So a bound for a lower level holds for a higher one, a
partition for a higher level serves for a lower one, and levels between two that cost the same need no search.

What is tried for one level comes in stages, the cheap ones first. Every level is brought through one stage
before any comes to the next, so that a search that is cut short knows something of all of them.

A level's bound in bits: no partition within its cost reaches a higher level than the greatest one whose own
least cost is not proven to be higher.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from math import inf
from typing import Any, TypeAlias

from hartley.errors import OptionError, UnreachableError
from hartley.model import Partition
from hartley.search.answer import Answer, in_time
from hartley.search.effort import UNLIMITED, Effort

Stage: TypeAlias = Callable[[Any, Any, Effort], Answer]
"""Improves the answer that is known of a level, if one is; the level is as :meth:`Axis.asking` gives it."""
Reached: TypeAlias = tuple[int, Answer]
"""A level, and an answer that reaches it."""


class Axis:
    """The levels of one requirement, numbered from ``least`` to ``most``, and what a partition costs."""

    stages: tuple[Stage, ...]
    """What is tried for one level, the cheap before the dear."""
    least: int = 1
    """The level that is required in any case."""
    most: int
    """The greatest level that any partition allowed can reach."""
    is_of_components: bool = False
    """Whether a level is a number of components."""
    what: str = "least cost for each level"
    """What a search along it is about, for whoever watches."""
    sharing: int = 0
    """Up to which level people ask most: these come first, and each takes an equal part of the time left."""
    reaches_far: bool = True
    """Whether the highest level of the least cost is looked for; where not, what is found has to do."""

    def begin(self) -> Iterable[Partition]:
        """Return partitions that are known before any search."""
        return ()

    def met(self) -> Iterable[Reached]:
        """Return what stages have met besides their answers."""
        return ()

    def beyond(self, level: int) -> UnreachableError:
        """Return the refusal of a level that no partition reaches."""
        return UnreachableError(
            f"no release leaves {level} candidates for every released value; "
            f"the most that can be reached is {self.most}"
        )

    def asking(self, level: int) -> Any:
        """Return what the stages are asked for one level; ``None`` where there is nothing to search."""
        return level

    def admits(self, partition: Partition) -> bool:
        """Tell whether a partition meets whatever else is required."""
        del partition
        return True

    def reached_by(self, partition: Partition) -> int:
        """Return the level that a partition reaches."""
        raise NotImplementedError

    def cost_of(self, partition: Partition) -> float:
        """Return what the worst cluster of a partition costs, infinite where it is not allowed."""
        raise NotImplementedError

    def counting_bound(self, level: int) -> float | None:
        """Return a cost below which no partition reaches a level, as far as that is told at once.

        ``None`` where the stages may know of no bound at all.
        """
        del level
        return 0.0

    def look_within(self, cost: float, known: Answer, effort: Effort) -> bool:
        """Search for the highest level at a cost, if that is done at once; ``known`` is within it."""
        del cost, known, effort
        return False

    def bits(self, level: int) -> float | None:
        """Return what leaks at a level; ``None`` where a level does not tell."""
        raise NotImplementedError

    def in_units(self, cost: float) -> float:
        """Return a cost as the utility gives it."""
        return cost

    def within(self, cost: float) -> float:
        """Return the greatest cost that the search reckons with which is no more than this one in units."""
        return cost

    def finer(self, answer: Answer, effort: Effort | None) -> Answer:
        """Return an answer that is finer and as good; without an effort only where that takes no time."""
        del effort
        return answer

    def firsts(self, stage: int) -> Sequence[int]:
        """Return the levels that a stage searches before those between them; stages count from 1."""
        del stage
        return (self.most, self.least)

    def between(self, stage: int, low: int, reached: int, high: int) -> int:
        """Return the level to search next between two, of which the lower one's answer reaches a third."""
        del stage, reached
        return (low + high) // 2

    def most_searched(self, stage: int) -> float:
        """Return how many levels a stage searches at most."""
        del stage
        return inf


class Sweep:
    """What is known so far about every level of an axis."""

    def __init__(self, axis: Axis, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()) -> None:
        self.axis, self.stages, self.effort = axis, axis.stages, effort
        self.solved: dict[int, Answer] = {}
        self.stage_of: dict[int, int] = {}
        self.given: list[Reached] = []
        self.most = axis.most
        self.was_cut = False
        for partition in chain(axis.begin(), in_time(starts, effort)):
            cost = axis.cost_of(partition)
            if cost < inf and axis.admits(partition):
                self.offer(Answer(partition=partition, cost=cost))

    def offer(self, answer: Answer) -> None:
        """Take note of an answer known from elsewhere; nothing is said of its bounds."""
        self.given.append((self.axis.reached_by(answer.partition), replace(answer, lower_bound_cost=None)))

    def require(self, level: int) -> None:
        """Refuse a level that no partition reaches."""
        if level < 1:
            raise OptionError(f"a released value leaves at least 1 candidate, not {level}")
        if level > self.most:
            raise self.axis.beyond(level)

    def known(self, level: int) -> Answer | None:
        """Gather what is known of one level: of itself, of the others, of partitions given."""
        serving = [answer for reached, answer in self._partitions() if reached >= level]
        best = min(serving, key=_price, default=None)
        return None if best is None else self._bounded(best, level)

    def _bounded(self, answer: Answer, level: int) -> Answer:
        """Return an answer with what is known of the bound of a level that it reaches."""
        bounds = [one.lower_bound_cost for number, one in self.solved.items() if number <= level]
        told = [bound for bound in (*bounds, self.axis.counting_bound(level)) if bound is not None]
        return replace(answer, lower_bound_cost=min(max(told), answer.cost) if told else None)

    def _partitions(self) -> Iterable[Reached]:
        """Return all answers known that reach what is required, with the level they reach."""
        every = chain(self.solved.items(), self.given, self.axis.met())
        return (one for one in every if one[0] >= self.axis.least)

    def solve(self, level: int, stages: int | None = None, effort: Effort | None = None) -> Answer:
        """Search for one level through so many stages, or all; each stage once."""
        effort = effort or self.effort
        known, asked = self.known(level), self.axis.asking(level)
        last = len(self.stages) if stages is None else stages
        for stage in range(self.stage_of.get(level, 0), last):
            is_late = stage and known is not None and effort.should_stop()
            if asked is None or is_late or (known is not None and known.is_proven):
                break
            found = self.stages[stage](asked, known, effort)
            if known is None or found.partition is not known.partition:
                # It may reach more than it was asked for.
                self.offer(found)
            is_dearer = known is not None and _price(known) < _price(found)
            known = known.with_bound(found.bound) if known is not None and is_dearer else found
            self.stage_of[level] = stage + 1
        if known is None:
            raise UnreachableError(f"no release reaches level {level}")
        self.solved[level] = known
        return known

    def best(self, level: int) -> Answer:
        """Search for the least cost of a level, and return the highest level found within it, in units."""
        self.require(level)
        cost = self.solve(level).cost
        if self.axis.reaches_far:
            self._climb(cost)
        return self.answer(cost)

    def best_within(self, most_cost: float) -> Answer:
        """Return the highest level found within a cost, given in units."""
        if not most_cost >= 0:
            raise OptionError(f"a distortion is 0 or more, not {most_cost:g}")
        most = self.axis.within(most_cost)
        least = min(answer.cost for _, answer in self._partitions())
        if least <= most and self.axis.look_within(most, self._reach(most)[1], self.effort):
            # Less may cost as little.
            self.solve(self._reach(most)[0])
        else:
            self._climb(most)
        least = min(answer.cost for _, answer in self._partitions())
        if least > most:
            raise UnreachableError(
                f"no release found distorts at most {most_cost:g}; "
                f"the least found is {self.axis.in_units(least):g}"
            )
        return self.answer(most)

    def _climb(self, most: float) -> None:
        """Search for the highest level within a cost.

        Looks near the highest one known, then twice as far each time, then between by halves.
        """
        known = [reached for reached, answer in self._partitions() if answer.cost <= most]
        low, high, step = max(known, default=self.axis.least - 1), self.most + 1, 1
        while high - low > 1 and not self.effort.should_stop():
            middle = min(low + step, (low + high) // 2)
            try:
                is_within = self.solve(middle).cost <= most
            except UnreachableError:
                self.most, is_within = min(self.most, middle - 1), False
            if is_within:
                low, step = middle, 2 * step
            else:
                high, step = middle, high

    def run(self) -> bool:
        """Bring every level through all stages; tell whether that was reached."""
        self.require(self.axis.least)
        return all(self._run(stage) for stage in range(1, len(self.stages) + 1)) and not self.was_cut

    def _run(self, stage: int) -> bool:
        """Bring the levels that others do not settle through a stage, in the order of the axis."""
        firsts = list(dict.fromkeys(self.axis.firsts(stage)))
        before: int | None = None
        left = self.axis.most_searched(stage) - len(firsts)
        for level in firsts:
            if self.axis.sharing and self.solved and self.effort.should_stop():
                return False
            if before is None or level < before or not self._costs_as_much(before, level):
                self._search(level, stage)
            before = level
        ends = sorted({*firsts, self.most + 1} if max(firsts) < self.most else firsts)
        open_ranges = deque(pairwise(ends))
        while open_ranges and left > 0:
            low, high = open_ranges.popleft()
            high = min(high, self.most + 1)
            if high - low < 2 or self._costs_as_much(low, high):
                continue
            if self.effort.should_stop():
                return False
            reached = max(number for number, answer in self._partitions() if answer.cost <= self._cost(low))
            middle = self.axis.between(stage, low, min(reached, high - 1), high)
            if middle <= low or middle >= high:
                continue
            left -= 1
            self._search(middle, stage)
            for one in ((low, middle), (middle, high)):
                if one[1] <= self.axis.sharing:
                    open_ranges.appendleft(one)
                else:
                    open_ranges.append(one)
        return not self.effort.should_stop()

    def _search(self, level: int, stage: int) -> None:
        """Search one level; where it cannot be reached, none above it can."""
        if level > self.most:
            return
        effort = self.effort.share(self.axis.sharing - len(self.solved))
        try:
            found = self.solve(level, stage, effort)
        except UnreachableError:
            if level <= self.axis.least:
                raise
            self.most = min(self.most, level - 1)
            return
        self.was_cut |= effort is not self.effort and effort.should_stop() and not found.is_proven
        self.effort.progress(len(self.solved), self.axis.most, self.axis.what)
        self.effort.found(self.answers)

    def _cost(self, level: int) -> float:
        known = self.known(level)
        return inf if known is None else known.cost

    def _costs_as_much(self, low: int, high: int) -> bool:
        """Tell whether a higher level is known to cost no more than a lower one."""
        return self._cost(high) <= self._cost(low) < inf

    def answers(self) -> Iterator[Answer]:
        """Return the answers that no other dominates, from the least cost to the greatest, in units."""
        reached = 0
        for cost in sorted({answer.cost for _, answer in self._partitions()}):
            level = self._reach(cost)[0]
            if level > reached:
                reached = level
                yield self.answer(cost)

    def _reach(self, cost: float) -> Reached:
        """Return the highest level known within a cost, at the least cost."""
        within = (known for known in self._partitions() if known[1].cost <= cost)
        return max(within, key=lambda known: (known[0], -known[1].cost))

    def answer(self, cost: float) -> Answer:
        """Return the best answer known within a cost, in units, and what no partition can beat."""
        level, found = self._reach(cost)
        beyond = (number - 1 for number, one in self.solved.items() if one.bound > cost)
        low, most = level, min(beyond, default=max(level, self.most))
        while low < most:
            middle = (low + most + 1) // 2
            is_open = (self.axis.counting_bound(middle) or 0.0) <= cost
            low, most = (middle, most) if is_open else (low, middle - 1)
        bound = self._bounded(found, level).lower_bound_cost
        bound = None if bound is None else self.axis.in_units(bound)
        return replace(
            found,
            cost=self.axis.in_units(found.cost),
            lower_bound_cost=bound,
            leakage_bits=self.axis.bits(level),
            lower_bound_bits=self.axis.bits(max(most, level)),
        )


def _price(answer: Answer) -> tuple[float, int]:
    """Return by what answers are compared: the cost, then the rows withheld."""
    return answer.cost, answer.withheld_rows
