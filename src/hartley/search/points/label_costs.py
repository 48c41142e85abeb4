"""What labels cost where they cannot lie anywhere.

Dates stay dates: the middle of two days may lie half a day beside the label, and then the worst value moves
half a day farther than the search counts. Such a cost is the next whole number of days. Moments that are not
whole seconds have labels in microseconds.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor

import numpy as np

from hartley.frontiers import Frontier, Point, non_dominated
from hartley.measures.utility import LineDistortion
from hartley.model.arrays import different
from hartley.model.demand import Demand, Target
from hartley.model.words import ROUNDING, SLACK
from hartley.search.problem import Problem

_NEARLY = 1e-6
"""Costs that miss a whole number of units by this part of one are whole."""


def label_unit(question: Problem) -> float | None:
    """Return the unit of which labels of one column are whole numbers; nothing where they may lie anywhere.

    >>> import datetime as dt
    >>> from hartley.model import Alphabet, JointRange
    >>> days = Alphabet.of_values([dt.date(2024, 5, 1), dt.date(2024, 5, 4)], columns=("seen",))
    >>> joint = JointRange.from_codes(public_codes=[0, 1], sensitive_codes=[0, 1], public=days)
    >>> label_unit(Problem(joint=joint, leakage="l0", utility=LineDistortion.of(days)))
    1.0
    """
    is_line = isinstance(question.utility, LineDistortion) and len(question.joint.public.coordinates) == 1
    if not is_line or not question.shape.is_any:
        return None
    (column,) = question.joint.public.coordinates
    if column.kind == "date":
        return 1.0
    if column.kind == "timestamp" and any(cell is not None and cell.microsecond for cell in column.cells):
        return 1e-6
    return None


def within_labels(demand: Demand, unit: float | None) -> Demand:
    """Lower a cap on distortion to a whole number of units, which is the most that labels can have."""
    cap = demand.cap
    if cap is None or cap.kind != "max_distortion" or unit is None:
        return demand
    return replace(demand, cap=Target(cap.kind, floor(cap.number / unit + _NEARLY) * unit))


def with_label_cost(question: Problem, point: Point, unit: float | None) -> Point:
    """Return a point with the cost of its labels, and with the bounds that hold for labels."""
    cost, least = point.max_distortion, point.lower_bound_cost
    if unit is None or cost is None:
        return point
    whole = _rounded_up(cost, unit)
    if least is not None:
        point = replace(point, lower_bound_cost=min(whole, _rounded_up(least, unit)))
    if whole <= cost * (1 + SLACK):
        return point
    point = replace(point, max_distortion=whole, utility=question.utility.of_cost(whole))
    if _holds_between(question, cost, whole):
        return point
    # Within the greater cost there are further partitions, of which nothing was proven.
    return replace(point, lower_bound_bits=None, proven_optimal=False)


def with_label_costs(question: Problem, frontier: Frontier) -> Frontier:
    """Return a frontier with the costs of labels; bounds of a dearer point hold for a cheaper one."""
    unit = label_unit(question)
    if unit is None:
        return frontier
    kept = non_dominated(with_label_cost(question, point, unit) for point in frontier.points)
    points = []
    for number, point in enumerate(kept):
        bounds = [one.lower_bound_bits for one in kept[number:] if one.lower_bound_bits is not None]
        bound = max(bounds, default=None)
        is_met = bound is not None and point.leakage_bits <= bound + ROUNDING
        points.append(replace(point, lower_bound_bits=bound, proven_optimal=point.proven_optimal or is_met))
    return replace(frontier, points=tuple(points))


def _rounded_up(cost: float, unit: float) -> float:
    return ceil(cost / unit - _NEARLY) * unit


def _holds_between(question: Problem, cost: float, whole: float) -> bool:
    """Tell whether no cluster by midpoints costs more than the one and no more than the other."""
    utility = question.utility
    if not isinstance(utility, LineDistortion) or utility.codeword != "midpoint":
        return False
    placed = different(utility.positions[~np.isnan(utility.positions)])
    nearest = np.searchsorted(placed, placed + 2 * cost * (1 + SLACK), side="right")
    here = nearest < len(placed)
    widths = placed[nearest[here]] - placed[here]
    return not bool((widths <= 2 * whole * (1 + SLACK)).any())
