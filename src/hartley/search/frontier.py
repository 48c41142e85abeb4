"""Frontiers: :func:`~hartley.search.solve.solve` along an axis.

What keeps more costs no less (Theorem C7). So what no partition for a lower level goes below, none for a
higher one does, and a partition for a higher level serves for a lower one. A level that a cheaper one reaches
is skipped. Where nothing but the axis is asked for, :mod:`~hartley.search.points.ladders` knows all levels at
once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from math import inf, log2

import numpy as np

from hartley.errors import UnreachableError
from hartley.frontiers import Frontier, Point
from hartley.measures.uncertainty import rows_of_values
from hartley.measures.utility import Resolution
from hartley.model.requirement import Requirement
from hartley.model.words import ROUNDING, SLACK
from hartley.search.effort import UNLIMITED, Effort, compiling_in_time
from hartley.search.few_values.walk import best_of_few, is_walked
from hartley.search.levels import Answer, Level
from hartley.search.line.cheapest import Searches
from hartley.search.points.ladders import SoFar, Starts, optimal_levels
from hartley.search.points.measured import frontier_of, point_of, without_bounds
from hartley.search.problem import Problem
from hartley.search.sizes.withheld import component_levels
from hartley.search.solve import bands_of_components, fewest_components, kind_of, row_of, solve
from hartley.search.withheld import joining_values, most_touched, without_values

USUAL = 10
"""Few ask for more candidates than this."""
GLANCES = 64
"""Levels that are glanced at before any is searched at length, at most, where there is a limit of time."""


def frontier(
    problem: Problem, effort: Effort = UNLIMITED, so_far: SoFar | None = None, known: Sequence[Point] = ()
) -> Frontier:
    """Search every level of the axis for the best partition, with bounds that none can beat.

    ``so_far`` is offered the frontier as it grows, to be measured only when called for. Points that are
    ``known`` answer the same problem within a smaller budget of withheld rows.
    """
    few = few_frontier(problem, effort)
    if few is not None:
        return few
    row_of(problem)
    # The axis of a frontier is the worst class; a release of one of its levels is searched by the objective.
    problem = replace(problem, objective="worst")
    with compiling_in_time(effort):
        if problem.is_plain:
            return Starts.of(problem, effort).frontier(so_far)
        certain = certain_frontier(problem, effort, known)
        return _sweep(problem, effort, so_far, known) if certain is None else certain


def few_frontier(
    problem: Problem,
    effort: Effort,
    *,
    largest: int | None = None,
    is_cheapest: bool = False,
) -> Frontier | None:
    """Return the whole frontier, every point proven; ``None`` where the values are too many to walk over.

    ``is_cheapest``: the cheapest point alone, with most detail left of several columns.
    """
    if not is_walked(problem):
        return None
    axis = None if is_cheapest else problem.leakage
    with compiling_in_time(effort):
        found = best_of_few(problem, axis, effort, largest=largest)
    if found is None:
        return None
    points = []
    for best in found:
        point = point_of(problem, best.answer)
        bits = None if is_cheapest else point.leakage_bits
        points.append(replace(point, lower_bound_bits=bits, proven_optimal=True))
    return frontier_of(problem, points, complete=True)


def _sweep(problem: Problem, effort: Effort, so_far: SoFar | None, known: Sequence[Point]) -> Frontier:
    """Search the cheapest partition at every level of candidates, beside what every point must keep.

    From the lowest on; over several columns the lowest and the levels that people ask for first, then the
    highest, and between two levels that do not meet. Each of these first levels may take an equal part of the
    time that is left.
    No level costs more than a point that is ``known`` to answer the same problem within a smaller budget.
    """
    found: dict[int, tuple[Answer, Point]] = {}
    searches: Searches = {}
    most, from_both_ends = problem.levels, problem.is_over_columns
    if effort.remaining() < inf and not from_both_ends:
        known = (*known, *_glanced(problem, most, effort))

    def points() -> list[Point]:
        return _bounded(problem, [(level, point) for level, (_, point) in sorted(found.items())])

    def reached_at(low: int) -> int:
        return max(low, _reached(problem, found[low][1])) if low else 0

    open_ranges = deque([(0, most + 1)])

    def leave_open(*ranges: tuple[int, int]) -> None:
        for one in ranges:
            if from_both_ends and one[1] <= USUAL:
                open_ranges.appendleft(one)
            else:
                open_ranges.append(one)

    was_cut = False
    while open_ranges and not (found and effort.should_stop()):
        low, high = open_ranges.popleft()
        reached = reached_at(low)
        is_met = low in found and high in found
        if high - reached < 2 or (
            is_met and found[high][0].cost <= (found[low][0].lower_bound_cost or 0.0) * (1 + SLACK)
        ):
            continue
        level = reached + 1
        if from_both_ends and low:
            level = (reached + high) // 2 if high in found else high - 1
            level = USUAL if reached < USUAL < level and high not in found else level
        effort.progress(len(found) if from_both_ends else level - 1, most, f"level {level} of {problem.axis}")
        above = [answer.partition for other, (answer, _) in sorted(found.items()) if other > level]
        own = effort.share(min(USUAL, most) - len(found)) if from_both_ends else effort
        try:
            answer = solve(problem.asking(Requirement(problem.axis, level)), own, above[:1], searches)
        except UnreachableError:
            if not found:
                raise
            leave_open((low, level))
            continue
        was_cut |= own.should_stop() and not answer.is_proven
        found[level] = answer, _no_worse(problem, point_of(problem, answer), level, known)
        leave_open((level, high), (low, level))
        if so_far is not None:
            so_far(lambda: frontier_of(problem, points(), complete=False))
    is_done = all(high - reached_at(low) < 2 for low, high in open_ranges)
    complete = is_done and not was_cut
    offered = points()
    if not complete:
        offered += [without_bounds(point) for point in known]
    return frontier_of(problem, offered, complete=complete)


def _glanced(problem: Problem, most: int, effort: Effort) -> list[Point]:
    """Return what levels cost at most, by searches stopped as they begin; the highest level first."""
    at_once = replace(effort, should_stop=lambda: True, remaining=lambda: 0.0)
    levels = np.unique(np.geomspace(1, most, min(most, GLANCES)).round().astype(int))
    points: list[Point] = []
    for level in levels[::-1].tolist():
        if effort.should_stop():
            break
        try:
            points.append(point_of(problem, solve(problem.asking(Requirement(problem.axis, level)), at_once)))
        except UnreachableError:
            continue
    return points


def _reached(problem: Problem, point: Point) -> int:
    return int((point.separated_l if problem.axis == "separated-l" else point.distinct_l) or 1)


def _no_worse(problem: Problem, point: Point, level: int, known: Sequence[Point]) -> Point:
    """Return a point, or one that is known to reach the level at less cost, with the bound of the first."""
    better = [
        one
        for one in known
        if _reached(problem, one) >= level
        and (one.cost, one.withheld_rows) < (point.cost, point.withheld_rows)
    ]
    best = min(better, key=lambda one: (one.cost, one.withheld_rows), default=None)
    if best is None:
        return point
    return replace(without_bounds(best), lower_bound_cost=point.lower_bound_cost)


def _bounded(problem: Problem, found: Sequence[tuple[int, Point]]) -> list[Point]:
    """Add to each point the bound on bits at its cost that the bounds on costs imply.

    Nothing reaches a level below the bound of any lower one.
    """
    points: list[Point] = []
    has_bits = not problem.is_informed and problem.leakage != "istar"
    most, least = problem.levels, 0.0
    bounds: list[tuple[int, float]] = []
    for level, point in found:
        least = max(least, point.lower_bound_cost or 0.0)
        bounds.append((level, least))
    for (_, point), (_, bound_cost) in zip(found, bounds, strict=True):
        if point.lower_bound_cost is not None:
            point = replace(point, lower_bound_cost=min(bound_cost, point.cost))
        excluded = [level for level, bound in bounds if bound > point.cost * (1 + 1e-12)]
        best = min(excluded, default=most + 1) - 1
        bits = log2(most / best) if has_bits else None
        proven = (
            bits is not None
            and point.leakage_bits <= bits + ROUNDING
            and point.lower_bound_cost is not None
            and point.cost <= point.lower_bound_cost * (1 + 1e-12)
        )
        points.append(replace(point, lower_bound_bits=bits, proven_optimal=proven))
    if problem.leakage == "istar":
        # A level of candidates bounds nothing that is certain; what the first costs, everything does.
        least_cost = found[0][1].lower_bound_cost if found else None
        return [_bounded_by_first(point, least_cost) for point in points]
    return points


def _bounded_by_first(point: Point, least: float | None) -> Point:
    """Add the bound on the cost of every level; nothing is certain is the least there is."""
    is_least = least is not None and point.cost <= least * (1 + SLACK)
    proven = is_least and point.leakage_bits <= ROUNDING
    return replace(
        point, lower_bound_cost=least, lower_bound_bits=0.0, shape_price=None, proven_optimal=proven
    )


# Along the number of components.


def certain_frontier(problem: Problem, effort: Effort, known: Sequence[Point] = ()) -> Frontier | None:
    """Return the frontier along the number of components; ``None`` where no search goes along that."""
    if problem.leakage != "istar" or problem.joint.side is not None:
        return None
    if problem.is_over_columns:
        points = points_of_components(problem, effort)
        return frontier_of(problem, points, complete=not effort.should_stop())
    has_more = not problem.closeness.is_empty or problem.budget > 0
    if has_more and problem.shape.is_any and not problem.held:
        return _frontier_of_components(problem, effort, known)
    if kind_of(problem)[1] == "bands" and not problem.budget:
        return _frontier_of_certain_bands(problem, effort)
    return None


def points_of_components(problem: Problem, effort: Effort) -> list[Point]:
    """Return a point over several columns for every number of components, with what none goes below."""
    search, answers = fewest_components(problem, effort)
    cheapest_last: dict[float, Answer] = {answer.cost: answer for answer in answers}
    points = []
    for answer in cheapest_last.values():
        point = point_of(problem, answer)
        bound = log2(max(search.fewest(2 * point.cost * (1 + SLACK)), 1))
        is_least = answer.is_proven and point.leakage_bits <= bound + ROUNDING
        points.append(replace(point, lower_bound_bits=bound, proven_optimal=is_least))
    return points


def _frontier_of_components(problem: Problem, effort: Effort, known: Sequence[Point]) -> Frontier:
    """Search the fewest components at every cost: in closed form where a cluster costs its number of values.

    Under distortion one value of each component is withheld, the cheapest first, beside the best partitions
    of the whole table. What is withheld joins no more components than it can touch, which is the bound.
    """
    utility, linked = problem.utility, problem.linked
    points: list[Point] = []
    missing = np.flatnonzero(problem.missing)
    if problem.budget and isinstance(utility, Resolution) and not len(missing):
        for closed in component_levels(linked, problem.budget):
            largest = np.delete(closed.partition.sizes, closed.partition.labels[closed.withheld[:1]])
            answer = Answer(
                partition=closed.partition,
                cost=float(largest.max(initial=1)),
                lower_bound_cost=float(largest.max(initial=1)),
                withheld=closed.withheld,
                withheld_rows=closed.withheld_rows,
            )
            bits = log2(closed.components)
            points.append(replace(point_of(problem, answer), lower_bound_bits=bits, proven_optimal=True))
        return frontier_of(problem, points, complete=True)
    found = optimal_levels(linked, "istar", utility, effort)
    for level in found.levels:
        point = point_of(problem, Answer.of_level(level))
        if not problem.budget:
            proven = level.proven_optimal
            points.append(replace(point, lower_bound_bits=level.lower_bound_bits, proven_optimal=proven))
            continue
        points.append(without_bounds(point))
        withheld = joining_values(linked, level.partition, problem.budget, missing)
        if len(withheld):
            joined = without_values(level.partition, np.union1d(withheld, missing))
            costs = np.delete(utility.costs(joined), joined.labels[withheld[0]])
            answer = Answer(
                partition=joined,
                cost=float(costs.max(initial=0.0)),
                lower_bound_cost=None,
                withheld=withheld,
                withheld_rows=int(rows_of_values(problem.joint)[withheld].sum()),
            )
            points.append(point_of(problem, answer))
    points += [without_bounds(point) for point in known]
    if problem.budget:
        touched = most_touched(linked, problem.budget, missing)
        points = [_bounded_by_touch(point, found.levels, touched) for point in points]
    points.sort(key=lambda point: point.withheld_rows)
    return frontier_of(problem, points, complete=found.complete)


def _frontier_of_certain_bands(problem: Problem, effort: Effort) -> Frontier:
    """Search the cheapest bands at every number of components that some recoding of any shape leaves.

    What is proven of any shape bounds bands as well.
    """
    found = optimal_levels(problem.linked, "istar", problem.utility, effort)
    points: list[Point] = []
    for level in found.levels:
        most = round(2**level.leakage_bits)
        try:
            answer = bands_of_components(problem, problem.linked, most, effort)
        except UnreachableError:
            if level is found.levels[-1] and not points:
                raise
            continue
        points.append(_bounded_by_any(point_of(problem, answer), found.levels))
    return frontier_of(problem, points, complete=found.complete)


def _bounded_by_any(point: Point, levels: Sequence[Level]) -> Point:
    """Add the bounds on components and on cost that hold for any shape, and so for bands."""
    dearer = [level.lower_bound_bits for level in levels if level.cost >= point.cost * (1 - SLACK)]
    bound = max(dearer, default=0.0)
    as_good = [
        level.lower_bound_cost or 0.0
        for level in levels
        if level.leakage_bits >= point.leakage_bits - ROUNDING
    ]
    least = min(max(as_good, default=0.0), point.cost)
    return replace(
        point,
        lower_bound_bits=bound,
        lower_bound_cost=max(least, point.lower_bound_cost or 0.0),
        shape_price=None,
        proven_optimal=point.leakage_bits <= bound + ROUNDING and point.cost <= least * (1 + SLACK),
    )


def _bounded_by_touch(point: Point, levels: Sequence[Level], touched: int) -> Point:
    """Add the bounds on components and on cost: those with nothing withheld, less what can be joined."""
    fewest = [max(1, round(2**level.lower_bound_bits) - max(0, touched - 1)) for level in levels]
    of_levels = list(zip(levels, fewest, strict=True))
    within = [count for level, count in of_levels if level.cost >= point.cost * (1 - SLACK)]
    bound = log2(max(within, default=1))
    least = max((level.cost for level, count in of_levels if count > point.components), default=0.0)
    return replace(
        point,
        lower_bound_bits=bound,
        lower_bound_cost=min(least, point.cost),
        proven_optimal=point.leakage_bits <= bound + ROUNDING and point.cost <= least * (1 + SLACK),
    )
