"""Frontiers: :func:`~hartley.search.solve.solve` along an axis.

What keeps more costs no less (Theorem C7). So what no partition for a lower level goes below, none for a
higher one does, and a partition for a higher level serves for a lower one: one sweep for every problem
(:mod:`~hartley.search.sweep`). The paper's greedy run is where it starts from: no level is worse than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import inf, log2

import numpy as np

from hartley.errors import UnreachableError
from hartley.frontiers import Frontier, Point
from hartley.measures.uncertainty import rows_of_values
from hartley.measures.utility import Resolution, Utility
from hartley.model import JointRange, Partition
from hartley.model.words import ROUNDING, SLACK
from hartley.search.answer import Answer
from hartley.search.effort import UNLIMITED, Effort, compiling_in_time
from hartley.search.few_values.walk import best_of_few, is_walked
from hartley.search.points.measured import (
    answer_again,
    frontier_of,
    greedy_points,
    point_of,
    point_of_answer,
    starts_of,
    without_bounds,
)
from hartley.search.problem import Problem
from hartley.search.sizes.withheld import Withholding, sizes_of_components
from hartley.search.solve import bands_of_components, counted, fewest_components, kind_of, row_of, sweep_of
from hartley.search.withheld import joining_values, most_touched, without_values

SoFar = Callable[[Callable[[], Frontier]], None]
"""Is offered the frontier as it grows; it is measured only when called for."""


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
        certain = certain_frontier(problem, effort, known)
        return _swept(problem, effort, so_far, known) if certain is None else certain


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
    for answer in found:
        point = point_of(problem, answer)
        bits = None if is_cheapest else point.leakage_bits
        points.append(replace(point, lower_bound_bits=bits, proven_optimal=True))
    return frontier_of(problem, points, complete=True)


def _swept(problem: Problem, effort: Effort, so_far: SoFar | None, known: Sequence[Point]) -> Frontier:
    """Sweep over the levels of the axis, from the greedy run and from what is known."""
    greedy = greedy_points(problem, effort)

    def measured(answers: Iterable[Answer], *, complete: bool) -> Frontier:
        points = [point_of_answer(problem, sweep, answer, effort) for answer in answers]
        if problem.leakage == "istar" and not sweep.axis.is_of_components:
            # A level of candidates bounds nothing that is certain; what the first costs, everything does.
            least = points[0].lower_bound_cost if points else None
            points = [_bounded_by_first(point, least) for point in points]
        if not complete:
            points += [_beside(point, points) for point in greedy]
            points += [without_bounds(point) for point in known]
        return frontier_of(problem, points, complete=complete)

    heard = effort
    if so_far is not None:
        heard = replace(effort, found=lambda answers: so_far(lambda: measured(answers(), complete=False)))
    starts = starts_of(problem, greedy, effort)
    # Ratios of candidates before and after are levels where nothing else is required; else candidates are.
    asked = counted(problem) if problem.held else problem
    sweep = sweep_of(asked, heard, starts, is_glanced=effort.remaining() < inf)
    for point in known:
        sweep.offer(answer_again(problem, point.partition, point))
    complete = sweep.run()
    return measured(sweep.answers(), complete=complete)


def _beside(point: Point, points: Sequence[Point]) -> Point:
    """Return a point of the greedy frontier that a search may not have got to, with what bounds it.

    What no partition of a greater cost goes below, none of this cost does.
    """
    bound = max((one.lower_bound_bits or 0.0 for one in points if one.cost >= point.cost), default=0.0)
    proven = point.leakage_bits <= bound + ROUNDING
    return replace(point, lower_bound_bits=bound, proven_optimal=proven, step=None)


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
    is_closed = has_more or isinstance(problem.utility, Resolution)
    if is_closed and problem.shape.is_any and not problem.held:
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
    if isinstance(utility, Resolution) and not (problem.budget and len(missing)):
        asked = Withholding(linked, problem.budget)
        for size in sizes_of_components(asked):
            point = replace(point_of(problem, asked.answer(size)), proven_optimal=True)
            # A million values may have a thousand levels.
            points.append(replace(point, cut=partial(_partition_of_size, asked, size)))
        return frontier_of(problem, points, complete=True)
    found, complete = _levels_of_components(linked, utility, effort)
    for answer in found:
        point = point_of(problem, answer)
        if not problem.budget:
            points.append(replace(point, proven_optimal=answer.proven_optimal))
            continue
        points.append(without_bounds(point))
        withheld = joining_values(linked, answer.partition, problem.budget, missing)
        if len(withheld):
            joined = without_values(answer.partition, np.union1d(withheld, missing))
            costs = np.delete(utility.costs(joined), joined.labels[withheld[0]])
            fewer = Answer(
                partition=joined,
                cost=float(costs.max(initial=0.0)),
                withheld=withheld,
                withheld_rows=int(rows_of_values(problem.joint)[withheld].sum()),
            )
            points.append(point_of(problem, fewer))
    points += [without_bounds(point) for point in known]
    if problem.budget:
        touched = most_touched(linked, problem.budget, missing)
        points = [_bounded_by_touch(point, found, touched) for point in points]
    points.sort(key=lambda point: point.withheld_rows)
    return frontier_of(problem, points, complete=complete)


def _partition_of_size(asked: Withholding, size: int) -> Partition:
    return asked.answer(size).partition


def _levels_of_components(linked: JointRange, utility: Utility, effort: Effort) -> tuple[list[Answer], bool]:
    """Return what each number of components of a table costs at least, as far as it is known."""
    problem = Problem(joint=linked, utility=utility, leakage="istar")
    few = best_of_few(problem, "istar", effort) if is_walked(problem) else None
    if few is not None:
        return list(few), True
    sweep = sweep_of(problem, effort)
    complete = sweep.run()
    return list(sweep.answers()), complete


def _frontier_of_certain_bands(problem: Problem, effort: Effort) -> Frontier:
    """Search the cheapest bands at every number of components that some recoding of any shape leaves.

    What is proven of any shape bounds bands as well.
    """
    found, complete = _levels_of_components(problem.linked, problem.utility, effort)
    points: list[Point] = []
    for level in found:
        most = round(2 ** (level.leakage_bits or 0.0))
        try:
            answer = bands_of_components(problem, problem.linked, most, effort)
        except UnreachableError:
            if level is found[-1] and not points:
                raise
            continue
        points.append(_bounded_by_any(point_of(problem, answer), found))
    return frontier_of(problem, points, complete=complete)


def _bounded_by_any(point: Point, levels: Sequence[Answer]) -> Point:
    """Add the bounds on components and on cost that hold for any shape, and so for bands."""
    dearer = [level.lower_bound_bits or 0.0 for level in levels if level.cost >= point.cost * (1 - SLACK)]
    bound = max(dearer, default=0.0)
    as_good = [
        level.lower_bound_cost or 0.0
        for level in levels
        if (level.leakage_bits or 0.0) >= point.leakage_bits - ROUNDING
    ]
    least = min(max(as_good, default=0.0), point.cost)
    return replace(
        point,
        lower_bound_bits=bound,
        lower_bound_cost=max(least, point.lower_bound_cost or 0.0),
        shape_price=None,
        proven_optimal=point.leakage_bits <= bound + ROUNDING and point.cost <= least * (1 + SLACK),
    )


def _bounded_by_touch(point: Point, levels: Sequence[Answer], touched: int) -> Point:
    """Add the bounds on components and on cost: those with nothing withheld, less what can be joined."""
    fewest = [max(1, round(2 ** (level.lower_bound_bits or 0.0)) - max(0, touched - 1)) for level in levels]
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
