"""Points of a few public values, by the walk over everything that can be released of them."""

from __future__ import annotations

from dataclasses import replace

from hartley.errors import UnreachableError, option
from hartley.frontiers import Frontier, Point
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.words import SLACK
from hartley.search.effort import Effort
from hartley.search.few_values.walk import best_of_few, is_walked
from hartley.workflow.question import Question, cost_of
from hartley.workflow.request.time_limit import compiling_in_time


def few_frontier(
    question: Question,
    effort: Effort,
    *,
    largest: int | None = None,
    linking: Closeness | None = None,
    is_cheapest: bool = False,
) -> Frontier | None:
    """Return the whole frontier, every point proven; ``None`` where the values are too many to walk over.

    ``is_cheapest``: the cheapest point alone, with most detail left of several columns.
    """
    asked = replace(
        question.demanded(),
        requirements=(*question.requirements, *question.limits),
        most_components=1 if is_cheapest and question.leakage == "joint" else None,
    )
    if not is_walked(asked):
        return None
    with compiling_in_time(effort):
        found = best_of_few(
            asked, None if is_cheapest else question.leakage, effort, largest=largest, linking=linking
        )
    if found is None:
        return None
    points = []
    for best in found:
        point = question.point_of(best.answer)
        bits = None if is_cheapest else point.leakage_bits
        points.append(replace(point, lower_bound_bits=bits, proven_optimal=True))
    return question.frontier(points, search="optimal", complete=True)


def few_point(question: Question, demand: Demand, effort: Effort) -> Point | None:
    """Return the point that a demand asks for; ``None`` where the values are too many to walk over."""
    by_mean = question.objective == "mean" and isinstance(question.utility, ColumnsDistortion)
    if demand.utility_weight is not None or (by_mean and demand.cap is None):
        return None
    requirements = {(one.name, one.column): one for one in (*question.requirements, *question.limits)}
    requirements |= {(one.name, one.column): one for one in demand.requirements}
    if demand.max_leakage is not None:
        name = "istar" if question.leakage == "istar" else "l0"
        known = requirements.get((name, None))
        bits = demand.max_leakage if known is None else min(known.wanted, demand.max_leakage)
        requirements[name, None] = Requirement(name, bits)
    given = tuple(requirements.values())
    asked = replace(
        question,
        requirements=tuple(one for one in given if one.is_monotone),
        limits=tuple(one for one in given if not one.is_monotone),
    )
    by_size = question.utility.name == "resolution"
    cap = demand.cap
    is_of_clusters = cap is not None and cap.kind == "largest_cluster" and not by_size
    found = few_frontier(
        asked,
        effort,
        largest=int(cap.number) if cap is not None and is_of_clusters else None,
        # A certificate says of different values, not of those apart, that nothing is certain.
        linking=NO_CLOSENESS if question.leakage == "joint" or ("istar", None) in requirements else None,
        is_cheapest=cap is None and asked.demanded().is_over_columns,
    )
    if found is None or cap is None or is_of_clusters:
        return None if found is None else found.points[0 if cap is None else -1]
    within = [point for point in found.points if cost_of(point) <= cap.number + SLACK]
    if not within:
        least = cost_of(found.points[0])
        raise UnreachableError(
            f"what is required needs {option(cap.kind, format(least, 'g'))} at least, and {cap.number:g} is "
            "allowed"
        )
    return within[-1]
