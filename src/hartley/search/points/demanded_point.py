"""The point of a frontier that a demand asks for: requirements that combine, bits, a cap on the cost.

A cap asks for the last point of the axis within it.
"""

from __future__ import annotations

from dataclasses import replace

from hartley.errors import UnreachableError, option
from hartley.frontiers import Frontier, Point
from hartley.measures.verdicts import verdicts
from hartley.model import Partition
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.words import ROUNDING, SLACK
from hartley.search.any_utility import AnyAxis
from hartley.search.effort import UNLIMITED, Effort, compiling_in_time
from hartley.search.frontier import few_frontier, frontier, points_of_components
from hartley.search.points.measured import (
    frontier_of,
    greedy_points,
    point_of,
    point_of_answer,
    starts_of,
)
from hartley.search.problem import Problem, combined, too_many_components
from hartley.search.solve import row_of, solve, sweep_of
from hartley.search.sweep import Sweep


def asked_for(problem: Problem, demand: Demand) -> Problem:
    """Return the problem with what a demand requires besides."""
    more = list(demand.requirements)
    if demand.max_leakage is not None:
        more.append(Requirement("istar" if problem.leakage == "istar" else "l0", demand.max_leakage))
    return replace(problem, requirements=combined(problem.requirements, more))


def point_for(problem: Problem, demand: Demand, effort: Effort = UNLIMITED) -> Point:
    """Find the point that a demand asks for."""
    few = few_point(problem, demand, effort)
    if few is not None:
        return few
    if demand.utility_weight is not None:
        return frontier(problem, effort).meeting(demand)
    asked = asked_for(problem, demand)
    if demand.cap is not None:
        # A cap is on the worst class.
        asked = replace(asked, objective="worst")
    row_of(asked)
    with compiling_in_time(effort):
        if asked.leakage == "istar" and asked.is_over_columns:
            most = asked.most_components or asked.joint.sensitive.size
            found = [one for one in points_of_components(asked, effort) if one.components <= most]
            if not found:
                raise too_many_components(most)
            return frontier_of(asked, found, complete=True).meeting(Demand(cap=demand.cap))
        if demand.cap is not None:
            return _within_cap(asked, demand, effort)
        if asked.is_informed and asked.limits and not asked.held and len(asked.limits) == 1:
            # What leaks is counted from what the side value leaves, which differs from value to value.
            bare = replace(asked, requirements=())
            if bare.is_plain and demand.max_leakage is not None:
                return frontier(bare, effort).meeting(demand)
        if asked.is_polished and asked.joint.side is not None:
            return _polished_point(asked, effort)
        return _cheapest_point(asked, effort)


def _starts(asked: Problem, effort: Effort) -> tuple[tuple[Point, ...], tuple[Partition, ...]]:
    """Return the points of the greedy run and its partitions, where candidates alone count."""
    bare = replace(asked, requirements=())
    if asked.candidates is None and not asked.limits:
        return (), ()
    points = greedy_points(bare, effort)
    return points, starts_of(bare, points, effort)


def _cheapest_point(asked: Problem, effort: Effort) -> Point:
    """Return the cheapest point that keeps what is asked, and no dearer than one of the greedy run."""
    greedy, starts = _starts(asked, effort)
    answer = solve(asked, effort, starts)
    point = point_of(asked, answer)
    is_told = asked.candidates is not None and not asked.is_informed
    bits = answer.lower_bound_bits if is_told and replace(asked, requirements=()).is_plain else None
    is_least = bits is None or point.leakage_bits <= bits + ROUNDING
    point = replace(point, lower_bound_bits=bits, proven_optimal=answer.is_proven and is_least)
    if not effort.should_stop():
        return point
    most, wanted = asked.most_components, asked.candidates or 1
    better = [
        one
        for one in greedy
        if one.distinct_l >= wanted and (most is None or one.components <= most) and one.cost < point.cost
    ]
    best = min(better, key=lambda one: one.cost, default=None)
    return point if best is None else replace(best, lower_bound_bits=0.0, step=None)


def few_point(problem: Problem, demand: Demand, effort: Effort) -> Point | None:
    """Return the point that a demand asks for; ``None`` where the values are too many to walk over."""
    cap = demand.cap
    if demand.utility_weight is not None or (problem.is_by_mean and cap is None):
        return None
    asked = asked_for(problem, demand)
    is_of_clusters = (
        cap is not None and cap.kind == "largest_cluster" and problem.utility.name != "resolution"
    )
    found = few_frontier(
        asked,
        effort,
        largest=int(cap.number) if cap is not None and is_of_clusters else None,
        is_cheapest=cap is None and asked.is_over_columns,
    )
    if found is None or cap is None or is_of_clusters:
        return None if found is None else found.points[0 if cap is None else -1]
    within = [point for point in found.points if point.cost <= cap.number + SLACK]
    if not within:
        raise _over_the_cap(demand, found.points[0].cost)
    return within[-1]


def _polished_point(asked: Problem, effort: Effort) -> Point:
    """Find the point of the least mean loss for a reader who sees something beside several columns.

    Where the worst class comes first, the search of any utility tells how small it can be.
    """

    def polished(*starts: Partition) -> Point:
        answer = solve(asked, effort, starts)
        return replace(point_of(asked, answer), proven_optimal=answer.is_proven)

    point = polished()
    if asked.objective == "mean":
        return point
    if asked.candidates is None or asked.most_components is not None:
        return point
    _, starts = _starts(asked, effort)
    axis = AnyAxis(asked.joint.knowing(0), asked.utility, "l0", effort)
    known = Sweep(axis, effort, starts).best(asked.candidates)
    if known.cost > point.cost * (1 + SLACK):
        return point
    if known.cost < point.cost * (1 - SLACK):
        point = polished(known.partition)
    return replace(point, lower_bound_cost=known.lower_bound_cost, proven_optimal=known.is_proven)


def _over_the_cap(demand: Demand, least: float, *, is_least: bool = True) -> UnreachableError:
    assert demand.cap is not None  # noqa: S101 (asked only with a cap)
    if not is_least:
        return UnreachableError(
            f"no release was found that keeps what is required within "
            f"{option(demand.cap.kind, f'{demand.cap.number:g}')}; the best that was found needs {least:g}"
        )
    return UnreachableError(
        f"what is required needs {option(demand.cap.kind, format(least, 'g'))} at least, and "
        f"{demand.cap.number:g} is allowed"
    )


def _within_cap(problem: Problem, demand: Demand, effort: Effort) -> Point:
    """Return the last point of the axis within a cap.

    Where the cap is on what the axis costs, it is the highest level whose least cost stays below it; else,
    and where no single number is a level, the frontier tells.
    """
    assert demand.cap is not None  # noqa: S101 (asked only with a cap)
    number = demand.cap.number
    is_of_cost = (problem.utility.name == "resolution") == (demand.cap.kind == "largest_cluster")
    if not is_of_cost or problem.joint.side is not None or problem.leakage != "l0":
        points = offered(problem, frontier(problem, effort), effort).points
        within = [point for point in points if _size(point, demand) <= number + SLACK]
        if not within:
            raise _over_the_cap(demand, _size(points[0], demand), is_least=points[0].proven_optimal)
        return within[-1]
    greedy, starts = _starts(problem, effort)
    sweep = sweep_of(problem, effort, starts)
    first = sweep.solve(sweep.axis.least)
    least = sweep.axis.in_units(first.cost)
    if least > number + SLACK:
        raise _over_the_cap(demand, least, is_least=first.is_proven)
    point = point_of_answer(problem, sweep, sweep.best_within(number + SLACK), effort)
    better = [
        one for one in greedy if one.cost <= number and one.leakage_bits < point.leakage_bits - ROUNDING
    ]
    best = min(better, key=lambda one: (one.leakage_bits, one.cost), default=None)
    if best is None or not effort.should_stop():
        return point
    return replace(best, lower_bound_bits=0.0, step=None)


def _size(point: Point, demand: Demand) -> float:
    assert demand.cap is not None  # noqa: S101 (asked only with a cap)
    return point.largest_cluster if demand.cap.kind == "largest_cluster" else point.cost


def offered(problem: Problem, found: Frontier, effort: Effort) -> Frontier:
    """Return a frontier of the points that meet every limit on bits, each measured; raise where none does."""
    limits = problem.limits
    if not limits:
        return found
    points = [held for point in found.points if (held := _offered(problem, point))]
    if not points and found.search == "optimal" and problem.shape.name != "columns":
        held = _offered(problem, point_for(problem, Demand(), effort))
        points = [held] if held else []
    if not points:
        asked = " and ".join(one.text for one in limits)
        raise UnreachableError(f"no point of the frontier meets {asked}")
    return replace(found, points=tuple(points))


def _offered(problem: Problem, point: Point) -> Point | None:
    """Return a point with what it keeps of the limits; nothing where it breaks one."""
    seen, limits = problem.joint.release(point.partition), problem.limits
    found = verdicts(seen, limits, problem.closeness)
    if not all(one.holds for one in found):
        return None
    return replace(point, verdicts=(*point.verdicts, *found))
