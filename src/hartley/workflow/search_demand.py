"""Frontiers that keep a demand: combined requirements, tolerance, shape, withheld rows, several columns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, log2

import numpy as np

from hartley.errors import UnreachableError
from hartley.frontiers import Frontier, Point
from hartley.measures.separation import linked_range
from hartley.measures.uncertainty import rows_of_values
from hartley.measures.utility import Resolution
from hartley.model import JointRange
from hartley.model.requirement import Requirement
from hartley.model.words import ROUNDING, SLACK
from hartley.search.by_size.withheld import component_levels
from hartley.search.demands.find_cheapest import bands_of_components, cheapest, fewest_components
from hartley.search.demands.question import DemandAnswer
from hartley.search.dispatch import optimal_levels
from hartley.search.effort import Effort
from hartley.search.levels import Level
from hartley.search.line.cheapest import Searches
from hartley.search.withheld import joining_values, most_touched, without_values
from hartley.workflow.question import Question, cost_of
from hartley.workflow.request.time_limit import compiling_in_time

SoFar = Callable[[Callable[[], Frontier]], None]
"""Is offered the frontier as it grows; it is measured only when called for."""
GLANCES = 64
"""Levels that are glanced at before any is searched at length, at most, where there is a limit of time."""


def frontier_of_demands(
    question: Question, effort: Effort, so_far: SoFar | None = None, known: Sequence[Point] = ()
) -> Frontier:
    """Search the cheapest partition at every level of candidates, beside what every point must keep.

    A level that a cheaper partition reaches anyway is skipped. What is proven of a cost bounds the bits
    as well: nothing reaches the next level below its own bound. No level costs more than a point that is
    ``known`` to answer the same question within a smaller budget.
    """
    # The axis of a frontier is the worst class; a release of one of its levels is searched by the objective.
    question = replace(question, objective="worst")
    if question.is_of_components:
        with compiling_in_time(effort):
            return _frontier_of_components(question, effort, known)
    if question.is_of_certain_bands:
        with compiling_in_time(effort):
            return _frontier_of_certain_bands(question, effort)
    if question.leakage == "istar" and question.demanded().is_over_columns:
        return _frontier_over_columns(question, effort)
    if question.demanded().is_over_columns:
        return _frontier_from_both_ends(question, effort, so_far)
    found: list[tuple[int, Point]] = []
    searches: Searches = {}
    complete = True
    most = question.levels
    level = 1

    def so_far_found() -> Frontier:
        return question.frontier(_bounded(question, found, most), search="optimal", complete=False)

    with compiling_in_time(effort):
        if effort.remaining() < inf:
            known = (*known, *_glanced(question, most, effort))
        while level <= most:
            effort.progress(level - 1, most, f"level {level} of {question.axis}")
            try:
                answer = cheapest(
                    question.demanded([Requirement(question.axis, level)]), effort, searches=searches
                )
            except UnreachableError:
                if not found:
                    raise
                break
            point = _no_worse(question, question.point_of(answer), level, known)
            found.append((level, point))
            if so_far is not None:
                so_far(so_far_found)
            level = max(level, _reached(question, point)) + 1
            if effort.should_stop():
                # The last level may have been cut short, too.
                complete = level > most and answer.is_proven
                break
    points = _bounded(question, found, most)
    if not complete:
        points += [without_bounds(point) for point in known]
    return question.frontier(points, search="optimal", complete=complete)


def _glanced(question: Question, most: int, effort: Effort) -> list[Point]:
    """Return what levels cost at most, by searches stopped as they begin; the highest level first."""
    at_once = replace(effort, should_stop=lambda: True, remaining=lambda: 0.0)
    levels = np.unique(np.geomspace(1, most, min(most, GLANCES)).round().astype(int))
    points: list[Point] = []
    for level in levels[::-1].tolist():
        if effort.should_stop():
            break
        try:
            answer = cheapest(question.demanded([Requirement(question.axis, level)]), at_once)
        except UnreachableError:
            continue
        points.append(question.point_of(answer))
    return points


def _frontier_from_both_ends(question: Question, effort: Effort, so_far: SoFar | None) -> Frontier:
    """Search the lowest level and the highest, then between two that do not meet, over several columns.

    What keeps more costs no less: where the higher of two levels costs no more than the lower is bound to, no
    level between them is worth a search. A partition for a higher level is a start for a lower one.
    """
    most = question.levels
    found: dict[int, tuple[DemandAnswer, Point]] = {}

    def points() -> list[Point]:
        levels = [(level, point) for level, (_, point) in sorted(found.items())]
        return _bounded(question, levels, most)

    def search(level: int) -> None:
        effort.progress(len(found), most, f"level {level} of {question.axis}")
        above = [answer.partition for other, (answer, _) in sorted(found.items()) if other > level]
        asked = question.demanded([Requirement(question.axis, level)])
        answer = cheapest(asked, effort, above[:1])
        found[level] = answer, question.point_of(answer)
        if so_far is not None:
            so_far(lambda: question.frontier(points(), search="optimal", complete=False))

    with compiling_in_time(effort):
        search(1)
        if most > 1:
            search(most)
        open_ranges = deque([(1, most)])
        while open_ranges and not effort.should_stop():
            low, high = open_ranges.popleft()
            (lower, point), (upper, _) = found[low], found[high]
            reached = max(low, point.distinct_l)
            if high - reached < 2 or upper.cost <= (lower.lower_bound_cost or 0.0) * (1 + SLACK):
                continue
            middle = (reached + high) // 2
            search(middle)
            open_ranges += [(low, middle), (middle, high)]
    return question.frontier(points(), search="optimal", complete=not open_ranges)


def _frontier_over_columns(question: Question, effort: Effort) -> Frontier:
    """Return the frontier of what is certain over several columns: ever fewer components."""
    with compiling_in_time(effort):
        points = points_of_components(question, effort)
    return question.frontier(points, search="optimal", complete=not effort.should_stop())


def points_of_components(question: Question, effort: Effort) -> list[Point]:
    """Return a point for every number of components, with what no recoding of its cost goes below."""
    search, answers = fewest_components(question.demanded(), effort)
    cheapest_last: dict[float, DemandAnswer] = {answer.cost: answer for answer in answers}
    points = []
    for answer in cheapest_last.values():
        point = question.point_of(answer)
        bound = log2(max(search.fewest(2 * cost_of(point) * (1 + SLACK)), 1))
        is_least = answer.is_proven and point.leakage_bits <= bound + ROUNDING
        points.append(replace(point, lower_bound_bits=bound, proven_optimal=is_least))
    return points


def _reached(question: Question, point: Point) -> int:
    return int((point.separated_l if question.axis == "separated-l" else point.distinct_l) or 1)


def without_bounds(point: Point) -> Point:
    """Return a point of which nothing is proven."""
    return replace(
        point, lower_bound_bits=None, lower_bound_cost=None, shape_price=None, proven_optimal=False
    )


def _no_worse(question: Question, point: Point, level: int, known: Sequence[Point]) -> Point:
    """Return a point, or one that is known to reach the level at less cost, with the bound of the first."""
    better = [
        one
        for one in known
        if _reached(question, one) >= level
        and (cost_of(one), one.withheld_rows) < (cost_of(point), point.withheld_rows)
    ]
    best = min(better, key=lambda one: (cost_of(one), one.withheld_rows), default=None)
    if best is None:
        return point
    return replace(without_bounds(best), lower_bound_cost=point.lower_bound_cost)


def _frontier_of_components(question: Question, effort: Effort, known: Sequence[Point]) -> Frontier:
    """Search the fewest components at every cost: in closed form where a cluster costs its number of values.

    Under distortion one value of each component is withheld, the cheapest first, beside the best partitions
    of the whole table. What is withheld joins no more components than it can touch, which is the bound.
    """
    joint, utility = question.joint, question.utility
    linked = _linked(question)
    points: list[Point] = []
    missing = np.flatnonzero(question.demanded().missing)
    if question.budget and isinstance(utility, Resolution) and not len(missing):
        for closed in component_levels(linked, question.budget):
            largest = np.delete(closed.partition.sizes, closed.partition.labels[closed.withheld[:1]])
            answer = DemandAnswer(
                partition=closed.partition,
                cost=float(largest.max(initial=1)),
                lower_bound_cost=float(largest.max(initial=1)),
                withheld=closed.withheld,
                withheld_rows=closed.withheld_rows,
            )
            bits = log2(closed.components)
            points.append(replace(question.point_of(answer), lower_bound_bits=bits, proven_optimal=True))
        return question.frontier(points, search="optimal", complete=True)
    found = optimal_levels(linked, "istar", utility, effort)
    for level in found.levels:
        answer = DemandAnswer(
            partition=level.partition, cost=level.cost, lower_bound_cost=level.lower_bound_cost
        )
        point = question.point_of(answer)
        if not question.budget:
            proven = level.proven_optimal
            points.append(replace(point, lower_bound_bits=level.lower_bound_bits, proven_optimal=proven))
            continue
        points.append(without_bounds(point))
        withheld = joining_values(linked, level.partition, question.budget, missing)
        if len(withheld):
            joined = without_values(level.partition, np.union1d(withheld, missing))
            costs = np.delete(utility.costs(joined), joined.labels[withheld[0]])
            answer = DemandAnswer(
                partition=joined,
                cost=float(costs.max(initial=0.0)),
                lower_bound_cost=None,
                withheld=withheld,
                withheld_rows=int(rows_of_values(joint)[withheld].sum()),
            )
            points.append(question.point_of(answer))
    points += [without_bounds(point) for point in known]
    if question.budget:
        touched = most_touched(linked, question.budget, missing)
        points = [_bounded_by_touch(point, found.levels, touched) for point in points]
    points.sort(key=lambda point: point.withheld_rows)
    return question.frontier(points, search="optimal", complete=found.complete)


def _frontier_of_certain_bands(question: Question, effort: Effort) -> Frontier:
    """Search the cheapest bands at every number of components that some recoding of any shape leaves.

    What is proven of any shape bounds bands as well.
    """
    linked = _linked(question)
    found = optimal_levels(linked, "istar", question.utility, effort)
    points: list[Point] = []
    for level in found.levels:
        most = round(2**level.leakage_bits)
        try:
            answer = bands_of_components(question.demanded(), linked, most, effort)
        except UnreachableError:
            if level is found.levels[-1] and not points:
                raise
            continue
        points.append(_bounded_by_any(question.point_of(answer), found.levels))
    return question.frontier(points, search="optimal", complete=found.complete)


def _linked(question: Question) -> JointRange:
    """Return the table whose components count: where there is a tolerance, close values are linked."""
    if question.closeness.is_empty:
        return question.joint
    return linked_range(question.joint, question.closeness)[0]


def _bounded_by_any(point: Point, levels: Sequence[Level]) -> Point:
    """Add the bounds on components and on cost that hold for any shape, and so for bands."""
    dearer = [level.lower_bound_bits for level in levels if level.cost >= cost_of(point) * (1 - SLACK)]
    bound = max(dearer, default=0.0)
    as_good = [
        level.lower_bound_cost or 0.0
        for level in levels
        if level.leakage_bits >= point.leakage_bits - ROUNDING
    ]
    least = min(max(as_good, default=0.0), cost_of(point))
    return replace(
        point,
        lower_bound_bits=bound,
        lower_bound_cost=max(least, point.lower_bound_cost or 0.0),
        shape_price=None,
        proven_optimal=point.leakage_bits <= bound + ROUNDING and cost_of(point) <= least * (1 + SLACK),
    )


def _bounded_by_touch(point: Point, levels: Sequence[Level], touched: int) -> Point:
    """Add the bounds on components and on cost: those with nothing withheld, less what can be joined."""
    fewest = [max(1, round(2**level.lower_bound_bits) - max(0, touched - 1)) for level in levels]
    of_levels = list(zip(levels, fewest, strict=True))
    within = [count for level, count in of_levels if level.cost >= cost_of(point) * (1 - SLACK)]
    bound = log2(max(within, default=1))
    least = max((level.cost for level, count in of_levels if count > point.components), default=0.0)
    return replace(
        point,
        lower_bound_bits=bound,
        lower_bound_cost=min(least, cost_of(point)),
        proven_optimal=point.leakage_bits <= bound + ROUNDING and cost_of(point) <= least * (1 + SLACK),
    )


def _bounded(question: Question, found: Sequence[tuple[int, Point]], most: int) -> list[Point]:
    """Add to each point the bound on bits at its cost that the bounds on costs imply."""
    points: list[Point] = []
    has_bits = question.joint.side is None and question.leakage != "istar"
    for _, point in found:
        excluded = [
            level
            for level, other in found
            if other.lower_bound_cost is not None and other.lower_bound_cost > cost_of(point) * (1 + 1e-12)
        ]
        best = min(excluded, default=most + 1) - 1
        bound = log2(most / best) if has_bits else None
        proven = (
            bound is not None
            and point.leakage_bits <= bound + ROUNDING
            and point.lower_bound_cost is not None
            and cost_of(point) <= point.lower_bound_cost * (1 + 1e-12)
        )
        points.append(replace(point, lower_bound_bits=bound, proven_optimal=proven))
    if question.leakage == "istar":
        # A level of candidates bounds nothing that is certain; what the first costs, everything does.
        least = found[0][1].lower_bound_cost if found else None
        return [replace(point, lower_bound_cost=least, shape_price=None) for point in points]
    return points
