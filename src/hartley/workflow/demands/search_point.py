"""The point that a demand asks for: requirements that combine, a limit on bits, a cap on the loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hartley.errors import UnreachableError, option
from hartley.frontiers import Point
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.model import Partition
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.words import SLACK
from hartley.search.demands.find_cheapest import cheapest
from hartley.search.demands.question import DemandAnswer
from hartley.search.effort import Effort
from hartley.workflow.demands.few_points import few_point
from hartley.workflow.question import Question, asked_for, cost_of
from hartley.workflow.request.time_limit import compiling_in_time
from hartley.workflow.search_demand import (
    frontier_of_demands,
    points_of_components,
    without_bounds,
)


def demanded_point(
    question: Question, demand: Demand, effort: Effort, starts: Sequence[Partition] = ()
) -> Point:
    """Find the point that a demand asks for, by the search for demands, no worse than the starts."""
    few = few_point(question, demand, effort)
    if few is not None:
        return few
    if demand.utility_weight is not None:
        return frontier_of_demands(question, effort).meeting(demand)
    if demand.cap is not None:
        # A cap is on the worst class.
        question = replace(question, objective="worst")
    asked = asked_for(question, demand)
    if question.leakage == "istar" and asked.demanded().is_over_columns:
        found = points_of_components(asked, effort)
        return question.frontier(found, search="optimal", complete=True).meeting(demand)
    with compiling_in_time(effort):
        if question.joint.side is not None and any(one.name == "l0" for one in asked.limits):
            return _within_bits(asked, demand, effort)
        answer = cheapest(asked.demanded(), effort, starts)
        if demand.cap is None:
            return replace(asked.point_of(answer), proven_optimal=answer.is_proven)
        return _within_cap(asked, demand, answer, effort)


def _within_bits(question: Question, demand: Demand, effort: Effort) -> Point:
    """Return the cheapest point found that reveals few bits beside side information.

    What is revealed is counted from what each side value leaves, so no count of candidates says it. Levels of
    candidates are tried in turn, and everything as one cluster, which reveals nothing.
    """
    bits = min(one.wanted for one in question.limits if one.name == "l0")
    points: list[Point] = []
    least: float | None = None
    for level in range(1, question.levels + 1):
        try:
            answer = cheapest(question.demanded([Requirement(question.axis, level)]), effort)
        except UnreachableError:
            if level == 1:
                raise
            break
        least = answer.lower_bound_cost if level == 1 else least
        points.append(question.point_of(answer))
        if _fits(points[-1], question, demand, bits) or effort.should_stop():
            break
    whole = Partition.whole(question.joint.public.size)
    cost = float(question.utility.costs(whole).max())
    if np.isfinite(cost):
        points.append(question.point_of(DemandAnswer(partition=whole, cost=cost, lower_bound_cost=None)))
    fitting = [point for point in points if _fits(point, question, demand, bits)]
    if not fitting:
        raise UnreachableError(f"no release leaks at most {bits:g} bits beside what a reader knows already")
    best = min(fitting, key=cost_of)
    return replace(without_bounds(best), lower_bound_cost=least)


def _fits(point: Point, question: Question, demand: Demand, bits: float) -> bool:
    """Tell whether a point reveals few enough bits, by plain candidates, and stays within the cap."""
    released = question.joint.release(point.partition)
    is_open = demand.cap is None or _size(point, demand) <= demand.cap.number + SLACK
    return is_open and max_uncertainty_reduction(released) <= bits + SLACK


def _within_cap(question: Question, demand: Demand, answer: DemandAnswer, effort: Effort) -> Point:
    """Return the point that keeps most within a cap: the highest level whose least cost stays below it.

    A limit on what is certain, where that is kept small, asks for no candidates.
    """
    assert demand.cap is not None  # noqa: S101 (asked only with a cap)
    number = demand.cap.number
    point = question.point_of(answer)
    if _size(point, demand) > number + SLACK:
        raise UnreachableError(
            f"what is required needs {option(demand.cap.kind, format(_size(point, demand), 'g'))} at least, "
            f"and {number:g} is allowed"
        )
    is_certain = question.leakage == "istar" and question.most_components is not None
    low, high = 1, 1 if is_certain else question.levels
    while low < high and not effort.should_stop():
        level = (low + high + 1) // 2
        try:
            tried = question.point_of(
                cheapest(question.demanded([Requirement(question.axis, level)]), effort)
            )
        except UnreachableError:
            high = level - 1
            continue
        if _size(tried, demand) <= number + SLACK:
            low, point = level, tried
        else:
            high = level - 1
    return point


def _size(point: Point, demand: Demand) -> float:
    assert demand.cap is not None  # noqa: S101 (asked only with a cap)
    return point.largest_cluster if demand.cap.kind == "largest_cluster" else cost_of(point)
