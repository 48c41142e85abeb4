"""Points of a frontier that meet limits on bits, each measured by itself.

A limit on bits (``l0``, ``istar``) is no demand that the searches of a frontier keep: merging may lower what
is revealed at one point and not at the next. So every point is measured for the reader of a release, and what
breaks a limit is not offered. With a tolerance both counts have to keep it, that of all values and that of
values which are apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hartley.errors import UnreachableError
from hartley.frontiers import Frontier, Point
from hartley.measures.separation import max_separated_reduction, separated_information
from hartley.measures.verdicts import verdicts
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.search.effort import Effort
from hartley.workflow.demands.search_point import demanded_point
from hartley.workflow.publication.reader import Reader
from hartley.workflow.question import Question


def asked_for_certain(question: Question) -> Question:
    """Return the question in which nothing may be certain, where that is required beside the worst case."""
    is_nothing = any(one.name == "istar" and one.wanted == 0 for one in question.limits)
    is_known = question.leakage != "istar" and question.shape.name not in ("columns", "tree")
    if not (is_nothing and is_known):
        return question
    others = tuple(one for one in question.limits if one.name != "istar")
    return replace(question, leakage="joint", limits=others)


def offered(
    question: Question,
    frontier: Frontier,
    requirements: Sequence[Requirement],
    known: int,
    effort: Effort,
) -> Frontier:
    """Return the frontier of the points that meet every limit on bits; raise where none is found.

    ``known`` is how many columns of the side information the reader knows and does not see.
    """
    limits = [one for one in requirements if not one.is_monotone]
    if not limits:
        return frontier
    reader = Reader(joint=question.joint, known=known)
    points = [held for point in frontier.points if (held := _held(question, reader, point, limits))]
    if not points and frontier.search == "optimal" and question.shape.name != "columns":
        found = demanded_point(question, Demand(requirements=tuple(requirements)), effort)
        held = _held(question, reader, found, limits)
        points = [held] if held else []
    if not points:
        asked = " and ".join(one.text for one in limits)
        raise UnreachableError(f"no point of the frontier meets {asked}")
    return replace(frontier, points=tuple(points))


def _held(question: Question, reader: Reader, point: Point, limits: Sequence[Requirement]) -> Point | None:
    """Return a point with what it keeps of the limits; nothing where it breaks one."""
    seen = reader.sees(point.partition)
    found = verdicts(seen, limits)
    bits = [one.found for one in found]
    if not question.closeness.is_empty:
        measures = {"l0": max_separated_reduction, "istar": separated_information}
        bits += [measures[one.name](seen, question.closeness) for one in limits]
    if not all(one.is_met_by(number) for one, number in zip([*limits, *limits], bits, strict=False)):
        return None
    return replace(point, verdicts=(*point.verdicts, *found))
