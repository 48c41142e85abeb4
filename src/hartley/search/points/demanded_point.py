"""The point of a frontier that a demand asks for: requirements that combine, bits, a cap on the cost.

A cap asks for the last point of the axis within it.
"""

from __future__ import annotations

from dataclasses import replace
from math import log2

from hartley.errors import UnreachableError, option
from hartley.frontiers import Frontier, Point
from hartley.measures.verdicts import verdicts
from hartley.model import Partition
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.words import ROUNDING, SLACK
from hartley.search.effort import UNLIMITED, Effort, compiling_in_time
from hartley.search.frontier import certain_frontier, few_frontier, frontier, points_of_components
from hartley.search.levels import Answer
from hartley.search.points.ladders import Starts
from hartley.search.points.measured import frontier_of, point_of
from hartley.search.problem import Problem, combined, too_many_components
from hartley.search.solve import row_of, solve


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
        if replace(asked, requirements=()).is_plain:
            point = _plain_point(asked, demand, effort)
            if point is not None:
                return point
        if asked.leakage == "istar" and asked.is_over_columns:
            most = asked.most_components or asked.joint.sensitive.size
            found = [one for one in points_of_components(asked, effort) if one.components <= most]
            if not found:
                raise too_many_components(most)
            return frontier_of(asked, found, complete=True).meeting(Demand(cap=demand.cap))
        if demand.cap is not None:
            point = _certain_within(asked, demand, effort)
            if point is not None:
                return point
        answer = solve(asked, effort)
        if demand.cap is None:
            return replace(point_of(asked, answer), proven_optimal=answer.is_proven)
        return _within_cap(asked, demand, answer, effort)


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


def _plain_point(asked: Problem, demand: Demand, effort: Effort) -> Point | None:
    """Return the point that one target asks for on the paper's frontier; ``None`` where more is asked."""
    bare, cap = replace(asked, requirements=()), demand.cap
    if cap is not None:
        if asked.held or asked.limits:
            return None
        by_size = asked.utility.name == "resolution"
        is_of_cost = by_size == (cap.kind == "largest_cluster")
        point = Starts.of(bare, effort).within(cap.number) if is_of_cost else None
        return point or frontier(bare, effort).meeting(demand)
    if asked.is_informed and asked.limits:
        # What leaks is counted from what the side value leaves, which differs from value to value.
        is_one = not asked.held and demand.max_leakage is not None and len(asked.limits) == 1
        return frontier(bare, effort).meeting(demand) if is_one else None
    is_joint_goal = asked.most_components in (None, 1) if asked.held else True
    if asked.candidates is None or not is_joint_goal:
        return None
    if asked.is_polished:
        return _polished_point(asked, effort) if asked.most_components is None else None
    return Starts.of(bare, effort).solved(asked)


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
    known = Starts.of(replace(asked, requirements=()), effort).exchanged(asked)
    if known.cost > point.cost * (1 + SLACK):
        return point
    if known.cost < point.cost * (1 - SLACK):
        point = polished(known.partition)
    return replace(
        point,
        lower_bound_bits=known.lower_bound_bits,
        lower_bound_cost=known.lower_bound_cost,
        proven_optimal=known.proven_optimal,
    )


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


def _within_cap(problem: Problem, demand: Demand, answer: Answer, effort: Effort) -> Point:
    """Return the point that keeps most within a cap: the highest level whose least cost stays below it.

    A limit on what is certain, where that is kept small, asks for no candidates.
    """
    assert demand.cap is not None  # noqa: S101 (asked only with a cap)
    number = demand.cap.number
    is_of_cost = (problem.utility.name == "resolution") == (demand.cap.kind == "largest_cluster")
    point = point_of(problem, answer)
    if _size(point, demand) > number + SLACK:
        raise _over_the_cap(demand, _size(point, demand), is_least=answer.is_proven)
    is_certain = problem.leakage == "istar" and problem.most_components is not None
    low, high = 1, 1 if is_certain else problem.levels
    excluded = problem.levels + 1
    while low < high and not effort.should_stop():
        level = (low + high + 1) // 2
        try:
            tried = solve(problem.asking(Requirement(problem.axis, level)), effort)
        except UnreachableError:
            high = level - 1
            continue
        found = point_of(problem, tried)
        if _size(found, demand) <= number + SLACK:
            low, point, answer = level, found, tried
        else:
            high = level - 1
            if is_of_cost and (tried.lower_bound_cost or 0.0) > number + SLACK:
                excluded = level
    if problem.is_informed or problem.leakage == "istar":
        return point
    # Nothing within the cap reaches a level that is proven to cost more.
    bits = log2(problem.levels / (excluded - 1))
    is_least = answer.is_proven and point.leakage_bits <= bits + ROUNDING
    return replace(point, lower_bound_bits=bits, proven_optimal=is_least)


def _certain_within(problem: Problem, demand: Demand, effort: Effort) -> Point | None:
    """Return the last point within a cap along components; ``None`` where no search goes along them."""
    found = certain_frontier(problem, effort)
    if found is None:
        return None
    assert demand.cap is not None  # noqa: S101 (asked only with a cap)
    points = offered(problem, found, effort).points
    within = [point for point in points if _size(point, demand) <= demand.cap.number + SLACK]
    if not within:
        raise _over_the_cap(demand, _size(points[0], demand), is_least=points[0].proven_optimal)
    return within[-1]


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
