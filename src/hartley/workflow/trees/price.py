"""The price of transparency: what a release that holds for a reader who knows the program loses more."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hartley.errors import OptionError, UnreachableError
from hartley.frontiers import Point
from hartley.measures.usefulness import Usefulness
from hartley.model.demand import Demand
from hartley.model.shapes.shape import ANY_SHAPE
from hartley.search.effort import Effort
from hartley.search.points.demanded_point import point_for
from hartley.search.problem import Problem
from hartley.workflow.trees.search_tree import MOST_GROWN_CELLS, transparent_loss


@dataclass(frozen=True)
class TransparencyPrice:
    """Mean shares of a column that a row's class spans."""

    transparent: float
    best: float
    """Of the best release that was found without that promise."""


def price_of_transparency(
    question: Problem, demand: Demand, point: Point, effort: Effort
) -> TransparencyPrice | None:
    """Return the price for a point that meets a demand; nothing where it is not known in seconds."""
    joint = question.joint
    asked = question.asking(*(one for one in demand.requirements if not one.is_limit))
    cells = joint.public.size * len(joint.public.columns)
    if cells > MOST_GROWN_CELLS or joint.side is not None or not asked.counts or demand.cap is not None:
        return None
    here = Usefulness.of(joint, point.partition).loss
    if question.transparent is None:
        theirs = transparent_loss(asked, effort)
        return None if theirs is None else TransparencyPrice(theirs, here)
    plain = replace(question, shape=ANY_SHAPE, transparent=None, prior=None, columns=None)
    if plain.kept or not plain.is_over_columns:
        return None
    try:
        best = point_for(plain, demand, effort)
    except (OptionError, UnreachableError):
        return None
    return TransparencyPrice(here, Usefulness.of(joint, best.partition).loss)
