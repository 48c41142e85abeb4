"""Where a demand cannot be met: the best that can be reached of each part of it, the others kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, log2

from hartley.errors import UnreachableError, option
from hartley.frontiers import Point
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.words import MOST_BITS, SLACK
from hartley.search.effort import Effort
from hartley.search.points.measured import point_of
from hartley.search.problem import Problem, combined
from hartley.search.solve import solve


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """A demand in parts: counts, bits as a count of candidates, and a cap."""

    counts: tuple[Requirement, ...]
    bits: float | None
    cap: float | None
    cap_kind: str | None

    @classmethod
    def of(cls, demand: Demand) -> _Parts:
        bits = [one.wanted for one in demand.requirements if one.name == "l0"]
        if demand.max_leakage is not None:
            bits.append(demand.max_leakage)
        return cls(
            counts=tuple(one for one in demand.requirements if one.is_monotone),
            bits=min(bits, default=None),
            cap=None if demand.cap is None else demand.cap.number,
            cap_kind=None if demand.cap is None else demand.cap.kind,
        )

    @property
    def number(self) -> int:
        """How many parts there are."""
        return len(self.counts) + (self.bits is not None) + (self.cap is not None)


def explained(problem: Problem, demand: Demand, effort: Effort, error: UnreachableError) -> UnreachableError:
    """Return the error with the best of each part of the demand that can be reached, the others kept."""
    parts = _Parts.of(demand)
    is_beside = problem.joint.side is not None and parts.bits is not None
    if parts.number < 2 or is_beside or problem.leakage == "istar" or problem.shape.name == "columns":
        return error
    offers = list(_offers(problem, parts, effort))
    if not offers:
        return error
    return UnreachableError(
        f"{error.message}. With the rest as asked, this can be reached: {'; or '.join(offers)}"
    )


def _offers(problem: Problem, parts: _Parts, effort: Effort) -> Iterator[str]:
    """Yield what can be reached, each part in turn lowered as little as it takes."""
    for place, requirement in enumerate(parts.counts):
        others = replace(parts, counts=(*parts.counts[:place], *parts.counts[place + 1 :]))
        best = _most(problem, others, requirement, effort)
        if best:
            yield f"{replace(requirement, wanted=best).text} in place of {requirement.wanted:g}"
    if parts.bits is not None:
        axis = Requirement("distinct-l", _fewest(problem, parts.bits))
        best = _most(problem, replace(parts, bits=None), axis, effort)
        if best:
            least = log2(problem.joint.sensitive.size / best)
            yield f"{option('max_leakage', f'{least:.4g}')} in place of {parts.bits:g}"
    if parts.cap is not None and parts.cap_kind is not None:
        point = _met(problem, replace(parts, cap=None, cap_kind=None), effort)
        if point is not None:
            size = point.largest_cluster if parts.cap_kind == "largest_cluster" else point.cost
            yield f"{option(parts.cap_kind, f'{size:g}')} in place of {parts.cap:g}"


def _most(problem: Problem, others: _Parts, requirement: Requirement, effort: Effort) -> int:
    """Return the most of a requirement, below what was wanted, that is found with the others; 0 if none."""
    low, high = 0, int(requirement.wanted)
    while high - low > 1 and not effort.should_stop():
        middle = (low + high) // 2
        asked = replace(others, counts=(*others.counts, replace(requirement, wanted=middle)))
        low, high = (middle, high) if _met(problem, asked, effort) is not None else (low, middle)
    return low


def _met(problem: Problem, parts: _Parts, effort: Effort) -> Point | None:
    """Return the cheapest point that keeps some parts, or nothing."""
    more = [] if parts.bits is None else [Requirement("distinct-l", _fewest(problem, parts.bits))]
    limits = tuple(one for one in problem.limits if one.name == "istar")
    asked = replace(problem, requirements=combined(limits, [*parts.counts, *more]))
    try:
        point = point_of(asked, solve(asked, effort))
    except UnreachableError:
        return None
    size = point.largest_cluster if parts.cap_kind == "largest_cluster" else point.cost
    return point if parts.cap is None or size <= parts.cap + SLACK else None


def _fewest(problem: Problem, bits: float) -> int:
    """Return the candidates that a limit on bits leaves."""
    return ceil(problem.joint.sensitive.size / 2 ** min(bits + SLACK, MOST_BITS))
