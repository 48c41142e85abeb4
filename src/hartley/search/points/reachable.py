"""Where a demand cannot be met: the best that can be reached of each part of it, the others kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, log2

from hartley.errors import UnreachableError, option
from hartley.frontiers import Point
from hartley.model.demand import Demand, Target
from hartley.model.requirement import Requirement
from hartley.model.words import MOST_BITS, SLACK
from hartley.search.effort import Effort
from hartley.search.points.measured import point_of
from hartley.search.problem import Problem, combined
from hartley.search.solve import solve


def explained(problem: Problem, demand: Demand, effort: Effort, error: UnreachableError) -> UnreachableError:
    """Return the error with the best of each part of the demand that can be reached, the others kept."""
    asked = [one for one in demand.requirements if one.is_monotone]
    limits = [one.wanted for one in demand.requirements if one.name == "l0"]
    if demand.max_leakage is not None:
        limits.append(demand.max_leakage)
    bits = min(limits, default=None)
    if bits is not None:
        share = 2 ** min(bits + SLACK, MOST_BITS)
        asked.append(Requirement("distinct-l", ceil(problem.joint.sensitive.size / share)))
    is_beside = problem.joint.side is not None and bits is not None
    is_single = len(asked) + (demand.cap is not None) < 2
    if is_single or is_beside or problem.leakage == "istar" or problem.shape.name == "columns":
        return error
    offers = list(_offers(problem, asked, bits, demand.cap, effort))
    if not offers:
        return error
    return UnreachableError(
        f"{error.message}. With the rest as asked, this can be reached: {'; or '.join(offers)}"
    )


def _offers(
    problem: Problem, asked: Sequence[Requirement], bits: float | None, cap: Target | None, effort: Effort
) -> Iterator[str]:
    """Yield what can be reached, each part in turn lowered as little as it takes.

    Where ``bits`` are limited the last requirement is the number of candidates that they leave.
    """
    for place, requirement in enumerate(asked):
        others = [*asked[:place], *asked[place + 1 :]]
        best = _most(problem, others, requirement, cap, effort)
        if best and bits is not None and place == len(asked) - 1:
            least = log2(problem.joint.sensitive.size / best)
            yield f"{option('max_leakage', f'{least:.4g}')} in place of {bits:g}"
        elif best:
            yield f"{replace(requirement, wanted=best).text} in place of {requirement.wanted:g}"
    if cap is not None:
        point = _met(problem, asked, None, effort)
        if point is not None:
            yield f"{option(cap.kind, f'{_size(point, cap):g}')} in place of {cap.number:g}"


def _most(
    problem: Problem, others: Sequence[Requirement], one: Requirement, cap: Target | None, effort: Effort
) -> int:
    """Return the most of a requirement, below what was wanted, that is found with the others; 0 if none."""
    low, high = 0, int(one.wanted)
    while high - low > 1 and not effort.should_stop():
        middle = (low + high) // 2
        is_met = _met(problem, [*others, replace(one, wanted=middle)], cap, effort) is not None
        low, high = (middle, high) if is_met else (low, middle)
    return low


def _met(problem: Problem, asked: Sequence[Requirement], cap: Target | None, effort: Effort) -> Point | None:
    """Return the cheapest point that keeps some requirements within a cap, or nothing."""
    limits = tuple(one for one in problem.limits if one.name == "istar")
    asking = replace(problem, requirements=combined(limits, asked))
    try:
        point = point_of(asking, solve(asking, effort))
    except UnreachableError:
        return None
    return point if cap is None or _size(point, cap) <= cap.number + SLACK else None


def _size(point: Point, cap: Target) -> float:
    return point.largest_cluster if cap.kind == "largest_cluster" else point.cost
