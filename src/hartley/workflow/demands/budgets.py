"""Frontiers for several budgets of withheld rows, side by side, and what each budget buys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hartley.errors import UnreachableError
from hartley.frontiers import Frontier, Point
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model.requirement import Requirement
from hartley.model.words import SAME_COST, SLACK
from hartley.search.effort import Effort
from hartley.search.problem import Problem
from hartley.search.solve import solve
from hartley.workflow.request.objective import Budget

Search = Callable[[Problem, Sequence[Point]], Frontier]
"""Searches a frontier, no worse than points that are known."""


@dataclass(frozen=True, kw_only=True)
class BudgetGain:
    """What a budget buys at the same protection."""

    protection: Point
    """The point with least withheld that the others are held against."""
    point: Point
    """The point that protects as well, within the budget."""
    helpful_rows: int | None = None
    """Where the budget buys nothing, the fewest rows that were found to help; ``None`` if none were."""
    needed_rows: int = 0
    """Fewer rows than these cannot keep what is required of every released value."""
    is_of_components: bool = False
    """Whether components are compared, rather than candidates."""

    @property
    def is_gain(self) -> bool:
        """Whether all others keep more detail."""
        return self.point.cost < self.protection.cost * (1 - SAME_COST)


@dataclass(frozen=True, kw_only=True)
class BudgetFrontier:
    """The frontier for one budget of withheld rows."""

    withhold: Budget
    rows: int
    """The most rows of this table that may be withheld."""
    frontier: Frontier
    gain: BudgetGain | None = None
    """What it buys beside the smallest budget; ``None`` for the smallest itself."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        gain = self.gain
        return {
            "withhold": str(self.withhold),
            "rows": self.rows,
            "complete": self.frontier.complete,
            "points": [point.to_dict() for point in self.frontier.points],
            "buys": None
            if gain is None
            else {
                "distinct_l": gain.protection.distinct_l,
                "cost": gain.point.cost,
                "cost_before": gain.protection.cost,
                "withheld_rows": gain.point.withheld_rows,
                "helpful_rows": gain.helpful_rows,
            },
        }


def frontiers_by_budget(
    question: Problem, budgets: Sequence[Budget], search: Search, effort: Effort
) -> tuple[BudgetFrontier, ...]:
    """Search one frontier for each budget, the smallest first; none rises with the budget.

    A larger budget allows whatever a smaller one does, so what was found for the smaller is known to it.
    """
    total = question.joint.row_count
    by_rows: dict[int, Frontier] = {}
    for rows in sorted({budget.rows_of(total) for budget in budgets}):
        known = [point for frontier in by_rows.values() for point in frontier.points]
        by_rows[rows] = search(replace(question, budget=rows), known)
    least = min(by_rows)
    found = []
    for budget in budgets:
        rows = budget.rows_of(total)
        gain = None
        if rows > least and len(by_rows) > 1:
            gain = _gain(replace(question, budget=rows), by_rows[least], by_rows[rows], effort)
        found.append(BudgetFrontier(withhold=budget, rows=rows, frontier=by_rows[rows], gain=gain))
    return tuple(found)


def _gain(question: Problem, least: Frontier, frontier: Frontier, effort: Effort) -> BudgetGain | None:
    """Compare two frontiers at one protection: what is required, or the balanced point of the first."""
    at = least.points[0] if question.counts else least.balanced()
    best = next((one for one in frontier.points if one.leakage_bits <= at.leakage_bits + SLACK), None)
    if best is None:
        return None
    level = int((at.separated_l if question.axis == "separated-l" else at.distinct_l) or 1)
    gain = BudgetGain(
        protection=at,
        point=best,
        needed_rows=needed_rows(question, level),
        is_of_components=question.leakage == "istar",
    )
    if gain.is_gain or at.cost <= (1 if question.utility.name == "resolution" else 0):
        return gain
    return replace(gain, helpful_rows=least_helpful_rows(question, at.cost, level, effort))


def unused_budget(question: Problem, frontier: Frontier, effort: Effort) -> BudgetGain | None:
    """Return what would help where a budget withholds nothing at any point; ``None`` where it does."""
    if not question.budget or any(point.withheld_rows for point in frontier.points):
        return None
    return _gain(question, frontier, frontier, effort)


def needed_rows(question: Problem, level: int) -> int:
    """Return how many rows must be withheld at the least: what is withheld is a released value itself.

    It holds no more of anything than it has rows. Where it joins cells that were missing before, one row may
    do; where components alone count, one value of each of two.
    """
    if any(coordinate.missing.any() for coordinate in question.joint.public.coordinates):
        return 1
    required = (one.wanted for one in question.requirements if one.is_monotone)
    return int(max([2 if question.leakage == "istar" else level, *required]))


def least_helpful_rows(question: Problem, cost: float, level: int, effort: Effort) -> int | None:
    """Return the fewest rows above the budget that were found to lower a cost at a level of candidates.

    ``None`` where none were, or where the search takes too long to be asked again and again.
    """
    utility = question.utility
    is_quick = isinstance(utility, Resolution) or (
        isinstance(utility, LineDistortion) and utility.codeword != "centroid"
    )
    is_of_columns = question.shape.name in ("columns", "tree")
    if not is_quick or is_of_columns or question.joint.side is not None or question.leakage == "istar":
        return None

    def helps(rows: int) -> bool:
        asked = replace(question, budget=rows).asking(Requirement(question.axis, level))
        try:
            return solve(asked, effort).cost < cost * (1 - SAME_COST)
        except UnreachableError:
            return False

    low, high = question.budget, max(question.budget + 1, level)
    total = question.joint.row_count
    while not helps(high):
        if high >= total // 2 or effort.should_stop():
            return None
        low, high = high, min(2 * high, total // 2)
    while high - low > 1 and not effort.should_stop():
        middle = (low + high) // 2
        low, high = (low, middle) if helps(middle) else (middle, high)
    return high
