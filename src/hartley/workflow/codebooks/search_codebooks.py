"""Points of which each public column has one codebook: a single one, or the loss at every level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point
from hartley.measures.uncertainty import rows_of_values
from hartley.model import JointRange
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.search.answer import Answer
from hartley.search.codebooks import (
    CodebookProblem,
    Codebooks,
    ColumnSettings,
    PublicColumn,
    codebooks_by_demand,
    codebooks_of,
)
from hartley.search.effort import Effort, compiling_in_time
from hartley.search.enough import Enough
from hartley.search.points.demanded_point import asked_for
from hartley.search.points.measured import frontier_of, point_of
from hartley.search.problem import Problem
from hartley.workflow.request.column_choices import ColumnChoices

EVERY_LEVEL = 10
"""Up to here a frontier has every level; beyond, round ones."""
ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
FRONTIER_ROUNDS = 30
"""Rounds for each level of a frontier; a single release takes its time."""


def public_columns(question: Problem) -> list[PublicColumn]:
    """Return the public columns as the search sees them, with what is said about each."""
    choices = question.columns or ColumnChoices()
    coordinates = question.joint.public.coordinates
    choices.require_among(coordinate.name for coordinate in coordinates)
    return [
        PublicColumn.of_coordinate(
            coordinate, choices.settings(coordinate, keep=coordinate.name in question.kept, has_ranges=True)
        )
        for coordinate in coordinates
    ]


def codebook_problem(question: Problem, more: Iterable[Requirement] = ()) -> CodebookProblem:
    """Return the public columns and what every released combination must keep.

    With side information, kept out of the table or from an earlier release, a combination must keep it
    together with every side value that is seen beside it: the side value is a column that stays as it is.
    """
    columns = public_columns(question)
    joint = question.joint
    published = CodebookProblem(tuple(columns), _demand_on(question, joint.without_side(), more))
    if joint.side is None or joint.observed_side is None:
        return published
    observed = joint.by_observation()
    of_public = joint.public_of.astype(np.int64)
    beside = PublicColumn.of_values(
        "what is seen beside the release",
        [str(number) for number in range(joint.side.size)],
        joint.observed_side.astype(np.int64),
        ColumnSettings(keep=True),
    )
    spread = (replace(column, codes=column.codes[of_public]) for column in columns)
    return CodebookProblem((*spread, beside), _demand_on(question, observed, more), published)


def _demand_on(question: Problem, joint: JointRange, more: Iterable[Requirement]) -> Enough:
    """Return what every set of a table's public values must keep."""
    enough = Enough.of(joint, question.asking(*more).held, question.closeness)
    enough.require_reachable()
    return enough


def codebooks_point(question: Problem, demand: Demand, effort: Effort) -> Point:
    """Find the codebooks that keep what is required and lose least."""
    require_codebooks(question, demand)
    asked = asked_for(question, demand)
    choices = question.columns or ColumnChoices()
    with compiling_in_time(effort):
        found = codebooks_of(
            codebook_problem(asked), withhold=question.budget, options=choices.options(), effort=effort
        )
    return point_of_codebooks(asked, found)


def frontier_of_codebooks(question: Problem, effort: Effort) -> Frontier:
    """Search the codebooks of least loss for every level of candidates, or for round ones of many."""
    require_codebooks(question, Demand(requirements=question.requirements))
    choices = question.columns or ColumnChoices()
    levels = frontier_levels(question.levels)
    problems = [codebook_problem(question, [Requirement(question.axis, level)]) for level in levels]
    with compiling_in_time(effort):
        found = codebooks_by_demand(
            problems, withhold=question.budget, options=choices.options(rounds=FRONTIER_ROUNDS), effort=effort
        )
    points = [point_of_codebooks(question, one) for one in found if one is not None]
    if question.joint.side is not None:
        # Less may leak beside what a reader knows though no more candidates are left.
        points = [replace(one, proven_optimal=one.proven_optimal and not one.leakage_bits) for one in points]
    if not points:
        raise UnreachableError("no codebooks of the columns keep what is required")
    return frontier_of(question, points, complete=not effort.should_stop())


def point_of_codebooks(question: Problem, found: Codebooks) -> Point:
    """Measure codebooks as a point of a frontier; its utility is minus the loss."""
    joint = question.joint
    was_missing = np.logical_and.reduce([one.missing for one in joint.public.coordinates])
    withheld = np.flatnonzero((found.clusters == found.combinations) & ~was_missing)
    rows = rows_of_values(joint)
    # What was missing in every column is released as it was, whatever joins it.
    found = replace(
        found,
        withheld=tuple(one for one in found.withheld if any(cell is not None for cell in one)),
        withheld_rows=int(rows[withheld].sum()),
    )
    point = point_of(
        question,
        Answer(
            partition=found.partition,
            cost=found.loss,
            lower_bound_cost=found.lower_bound,
            withheld=withheld.astype(np.int64),
            withheld_rows=found.withheld_rows,
            loss=found.loss,
        ),
    )
    is_proven = found.loss <= found.lower_bound * (1 + 1e-12)
    return replace(point, utility=-found.loss, max_distortion=None, proven_optimal=is_proven, codebooks=found)


def frontier_levels(most: int) -> list[int]:
    """Return the levels of a frontier, the highest included.

    >>> frontier_levels(13), frontier_levels(40)[-6:]
    ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13], [12, 15, 20, 25, 30, 40])
    """
    found = list(range(1, min(most, EVERY_LEVEL) + 1))
    power = EVERY_LEVEL
    while power < most:
        found += [int(power * factor) for factor in ROUND[1:] if power * factor <= most]
        power *= 10
        if power <= most:
            found.append(power)
    return sorted({*found, most})


def frontier_of_every_level(
    question: Problem, levels: Sequence[int], point_of_level: Callable[[Problem], Point], effort: Effort
) -> Frontier:
    """Find the point of every level of candidates, up to the first that is out of reach."""
    points: list[Point] = []
    for at, level in enumerate(levels):
        effort.progress(at, len(levels), f"level {level} of {question.axis}")
        try:
            points.append(point_of_level(question.asking(Requirement(question.axis, level))))
        except UnreachableError:
            break
        if effort.should_stop():
            break
    if not points:
        raise UnreachableError("the table as a whole lacks what is required, so no class can keep it")
    return frontier_of(question, points, complete=len(points) == len(levels))


def require_codebooks(question: Problem, demand: Demand) -> None:
    """Refuse what a search for codebooks does not look at."""
    here = option("shape", "columns")
    has_bits = demand.max_leakage is not None or any(one.name == "l0" for one in demand.requirements)
    if question.joint.side is not None and question.budget:
        raise OptionError(
            f"{here} withholds no rows beside side information or an earlier release: merging bands could "
            f"then withhold more, and the search would not be exact; leave {option('withhold')} out"
        )
    if question.joint.side is not None and has_bits:
        raise OptionError(
            f"{here} counts candidates beside side information or an earlier release, and no bits; "
            f"say {option('distinct_l')} instead"
        )
    for one in demand.requirements:
        if one.name == "istar":
            raise OptionError(
                f"{here} looks at one combination at a time, and what is certain is of the whole release; "
                f"leave {one.text} out"
            )
    if demand.cap is not None:
        raise OptionError(
            f"{here} has no cap {demand.cap.option}; it keeps most detail that the requirements allow"
        )
    if demand.utility_weight is not None:
        raise OptionError(f"{here} weighs nothing by {option('utility_weight')}; say what must be kept")
