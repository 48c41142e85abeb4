"""Withhold the public value of a few rows, so that all others can be kept finer.

A set W of public values within the budget of rows is released as one value, which costs nothing and must be
enough like any other. Cells that were missing before join it: their rows do not count, what they hold does.
Facts:

* W holds no more values than rows, so a budget below what is wanted of any count buys nothing (Theorem W1).
* Without the demand on W some optimum withholds nothing inside the span of a cluster (midpoint, member;
  Theorem W2), and
  a dynamic program over intervals is exact among intervals: least rows, then most intervals, then least
  total width.
* The demand makes it NP-hard. What the program withholds is topped up: one value after another is forced
  in, the one that brings most for each extra row; or a whole cluster; or a higher cost is tried, by halving.
* Bound for any shape: a value that is in no window which is cheap enough and holds enough must be withheld,
  so the rows of these must be within the budget (Theorem W3).

Ties: least cost; fewest rows withheld; most clusters; least total width; latest start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hartley.errors import OptionError, UnreachableError
from hartley.model import Partition
from hartley.model.arrays import Places
from hartley.search.answer import NOTHING, Answer
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.borders import Borders
from hartley.search.line.bounds import STEPS
from hartley.search.line.cheapest import Shape, cheapest_clusters
from hartley.search.line.loops import fewest_withheld, uncovered_rows
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.top_up import Kept, TopUp
from hartley.search.line.windows import Bracket, least_passing

BISECTIONS = 60


@dataclass(frozen=True, eq=False)
class WithheldQuestion:
    """Which rows to withhold of which values; what is withheld joins those without a position."""

    values: OrderedValues
    budget: int
    """The most rows that may be withheld."""
    borders: Borders

    @classmethod
    def of(cls, values: OrderedValues, budget: int, borders: Borders | None = None) -> WithheldQuestion:
        """Build the question; without borders they may lie anywhere."""
        if budget < 0:
            raise OptionError(f"no fewer than 0 rows can be withheld, not {budget}")
        return cls(values, budget, borders or Borders.anywhere(values.positions))

    @property
    def joins(self) -> Places:
        """Places of cells that were missing before."""
        return self.values.alone

    @cached_property
    def least_budget(self) -> int:
        """The fewest rows that can be enough to be withheld: a row brings at most one value to each count."""
        whole = self.values.whole
        held = whole.counts_of(self.joins) if len(self.joins) else np.zeros(len(whole.least), dtype=np.int64)
        return max(1, int((whole.least - held).max(initial=0)))

    @property
    def rows_of_use(self) -> int:
        """The rows that may be withheld, 0 where the budget buys nothing."""
        return self.budget if self.budget >= self.least_budget else 0

    @cached_property
    def stands_alone(self) -> bool:
        """Whether nothing need be withheld: each cell that was missing is enough by itself."""
        return all(self.values.whole.is_enough([int(place)]) for place in self.values.alone)

    def is_enough(self, withheld: Places) -> bool:
        """Tell whether ranks may be withheld together."""
        if not len(withheld):
            return self.stands_alone
        return self.values.whole.is_enough(np.concatenate((self.values.order[withheld], self.joins)))


def least_cost_withholding(
    values: OrderedValues,
    budget: int,
    shape: Shape = "any",
    borders: Borders | None = None,
    effort: Effort = UNLIMITED,
) -> Answer:
    """Return the least cost with at most so many rows withheld, as far as it is known, and the bound.

    Raises
    ------
    UnreachableError
        Where nothing is enough; says the least budget that could help where cells that were missing are too
        few.
    """
    question = WithheldQuestion.of(values, budget, borders)
    if not question.rows_of_use:
        return _without(question, shape, effort)
    search = _Search(question, effort)
    any_bound = search.any_bound()
    relaxed = search.relaxed(any_bound)
    found = search.settled(relaxed.high)
    bound = any_bound if shape == "any" else search.bound_of_intervals(relaxed.low, any_bound)
    answer = answer_of(question, found, bound, any_bound)
    if answer.cost > relaxed.high and question.stands_alone:
        untouched = _without(question, shape, effort)
        if untouched.cost <= answer.cost:
            return replace(untouched, lower_bound_cost=answer.lower_bound_cost, any_bound=answer.any_bound)
    return answer


def _without(question: WithheldQuestion, shape: Shape, effort: Effort) -> Answer:
    values = question.values
    if not question.stands_alone and values.whole.best_reachable() != values.whole.best_reachable(
        [[int(place)] for place in values.alone]
    ):
        raise UnreachableError(
            "the missing cells are too few to be a released value of their own; withhold at least "
            f"{question.least_budget} rows to join them"
        )
    borders = None if question.borders.are_anywhere else question.borders
    return cheapest_clusters(values, shape, borders, effort)


class _Search:
    """A search under way for one question."""

    def __init__(self, question: WithheldQuestion, effort: Effort) -> None:
        self.question = question
        self.values = question.values
        self.effort = effort
        self.rows = question.rows_of_use
        self.top_up = TopUp(question.values, question.borders, question.is_enough, effort)

    @cached_property
    def widest(self) -> float:
        """What one cluster of the whole line costs."""
        return self.values.cost_of_labels(np.zeros(self.values.whole.size, dtype=np.int64), self.values.alone)

    def any_bound(self) -> float:
        """Return the cost below which too many rows are in no window that is cheap and holds enough."""
        values = self.values
        if values.cost_name == "size":
            return 1.0
        loop = uncovered_rows.for_size(values.size * STEPS)

        def passes(earliest: Places) -> bool:
            return int(loop(earliest, values.latest, values.enough.rows)) <= self.rows

        least = least_passing(values.windows, passes, 0.0, self.effort).low
        return values.in_units(max(least - values.rounding, 0.0))

    def relaxed(self, bound: float) -> Bracket:
        """Return where the least cost of intervals lies if what is withheld need not be enough."""
        if self.values.cost_name == "centroid":
            return self._relaxed_centroid(bound)
        values, windows = self.values, self.values.windows
        loop = fewest_withheld.for_size(values.size * STEPS)

        def passes(earliest: Places) -> bool:
            found = int(loop(earliest, values.latest, self.question.borders.allowed, values.enough.rows))
            return found <= self.rows

        least = least_passing(windows, passes, values.ticks_within(bound), self.effort)
        return Bracket(values.in_units(least.low), values.in_units(least.high))

    def bound_of_intervals(self, relaxed: float, any_bound: float) -> float:
        """Return what intervals cost at least, given their least cost with nothing withheld inside of them.

        Half a span, and the distance to a member, gain nothing from a value withheld inside. A number of
        values falls by as many as the budget can withhold, and a centroid may move to the middle.
        """
        if self.values.cost_name == "centroid":
            return any_bound
        if self.values.cost_name != "size":
            return relaxed
        most = int(np.searchsorted(np.cumsum(np.sort(self.values.enough.rows)), self.rows, side="right"))
        return max(relaxed - most, any_bound)

    def _relaxed_centroid(self, bound: float) -> Bracket:
        low, high = bound, self.widest
        for _ in range(BISECTIONS):
            if high - low <= 1e-9 * max(high, 1e-300) or self.effort.should_stop():
                break
            middle = (low + high) / 2
            kept = self.top_up.solved(middle, NOTHING)
            if kept is not None and kept.rows <= self.rows:
                high = self.top_up.cost_of(kept)
            else:
                low = middle
        return Bracket(low, high)

    def settled(self, relaxed: float) -> Kept:
        """Return the way of least cost that is found from the relaxed cost on."""
        found = self.top_up.within(relaxed, self.rows)
        if found is None:
            found = self._bisected(relaxed)
        if found is None:
            raise UnreachableError("no rows found to withhold that are enough to be a released value")
        again = self.top_up.within(self.top_up.cost_of(found), self.rows)
        return found if again is None else again

    def _bisected(self, low: float) -> Kept | None:
        high = self.widest
        best = self.top_up.within(high, self.rows)
        for _ in range(BISECTIONS):
            if best is None or high - low <= 1e-9 * max(high, 1e-300) or self.effort.should_stop():
                break
            if self._has_none_between(low, high):
                break
            middle = (low + high) / 2
            found = self.top_up.within(middle, self.rows)
            if found is None:
                low = middle
            else:
                best, high = found, min(middle, self.top_up.cost_of(found))
        return best

    def _has_none_between(self, low: float, high: float) -> bool:
        """Tell whether no cluster can cost more than one number and less than another."""
        if self.values.cost_name == "centroid":
            return False
        above = self.values.windows.next_cost(self.values.ticks_within(low))
        return self.values.in_units(above) >= high


def answer_of(question: WithheldQuestion, kept: Kept, lower_bound: float, any_bound: float) -> Answer:
    """Return clusters of ranks, and what is withheld, as an answer."""
    values, borders = question.values, question.borders
    cluster_of = kept.cluster_of
    withheld = np.flatnonzero(cluster_of < 0)
    shifted = cluster_of.copy()
    shifted[withheld] = int(cluster_of.max(initial=-1)) + 1
    labels = values.labels_of_ranks(shifted)
    if len(withheld):
        labels[question.joins] = shifted[withheld[0]]
    exempt = np.concatenate((values.order[withheld], question.joins if len(withheld) else NOTHING))
    cost = values.cost_of_labels(labels, exempt)
    return Answer(
        partition=Partition(labels),
        cost=cost,
        lower_bound_cost=min(lower_bound, cost),
        any_bound=min(any_bound, cost),
        withheld=values.order[withheld],
        withheld_rows=int(values.enough.rows[withheld].sum()),
        borders=borders,
    )
