"""Points of which each public column has one codebook: a single one, or the loss at every level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import ceil

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point
from hartley.measures.separation import separated_values
from hartley.measures.uncertainty import rows_of_values
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.words import MOST_BITS, SLACK
from hartley.search.codebooks import (
    CellDemand,
    Codebooks,
    PublicColumn,
    codebooks_by_demand,
    find_codebooks,
)
from hartley.search.demands.question import DemandAnswer
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.workflow.question import Question
from hartley.workflow.request.column_choices import ColumnChoices
from hartley.workflow.request.time_limit import compiling_in_time

EVERY_LEVEL = 10
"""Up to here a frontier has every level; beyond, round ones."""
ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
FRONTIER_ROUNDS = 30
"""Rounds for each level of a frontier; a single release takes its time."""


def public_columns(question: Question) -> list[PublicColumn]:
    """Return the public columns as the search sees them, with what is said about each."""
    choices = question.columns or ColumnChoices()
    coordinates = question.joint.public.coordinates
    choices.require_among(coordinate.name for coordinate in coordinates)
    return [
        PublicColumn.of_coordinate(
            coordinate, choices.settings(coordinate, keep=coordinate.name in question.kept)
        )
        for coordinate in coordinates
    ]


def cell_demand(question: Question, more: Iterable[Requirement] = ()) -> CellDemand:
    """Return what every released combination must keep."""
    asked = question.demanded(more)
    enough = Enough.of(question.joint, asked.requirements, question.closeness)
    enough.require_reachable()
    return CellDemand(
        value_ptr=enough.value_ptr,
        value_code=enough.value_code.astype(np.int32),
        next_code=enough.next_code,
        offsets=enough.offsets,
        wanted=enough.wanted,
        rows=enough.rows,
        row_k=enough.row_k,
    )


def codebooks_point(question: Question, demand: Demand, effort: Effort) -> Point:
    """Find the codebooks that keep what is required and lose least."""
    _require_carried(question, demand)
    bits = [one.wanted for one in demand.requirements if one.name == "l0"]
    if demand.max_leakage is not None:
        bits.append(demand.max_leakage)
    wanted = [one for one in demand.requirements if one.is_monotone]
    asked = replace(question, requirements=tuple(wanted)) if wanted else question
    more: list[Requirement] = []
    if bits:
        fewest = ceil(_most(question) / 2 ** min(min(bits) + SLACK, MOST_BITS))
        more.append(Requirement(question.axis, fewest))
    columns = public_columns(question)
    choices = question.columns or ColumnChoices()
    with compiling_in_time(effort):
        found = find_codebooks(
            columns,
            cell_demand(asked, more),
            withhold=question.budget,
            options=choices.options(),
            effort=effort,
        )
    return point_of_codebooks(asked, found)


def frontier_of_codebooks(question: Question, effort: Effort) -> Frontier:
    """Search the codebooks of least loss for every level of candidates, or for round ones of many."""
    _require_carried(question, Demand())
    columns = public_columns(question)
    choices = question.columns or ColumnChoices()
    most = _most(question)
    levels = _levels(most)
    demands = [cell_demand(question, [Requirement(question.axis, level)]) for level in levels]
    with compiling_in_time(effort):
        found = codebooks_by_demand(
            columns,
            demands,
            withhold=question.budget,
            options=choices.options(rounds=FRONTIER_ROUNDS),
            effort=effort,
        )
    points = [point_of_codebooks(question, one) for one in found if one is not None]
    if not points:
        raise UnreachableError("no codebooks of the columns keep what is required")
    return question.frontier(points, search="optimal", complete=not effort.should_stop())


def point_of_codebooks(question: Question, found: Codebooks) -> Point:
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
    point = question.point_of(
        DemandAnswer(
            partition=found.partition,
            cost=found.loss,
            lower_bound_cost=found.lower_bound,
            withheld=withheld.astype(np.int64),
            withheld_rows=found.withheld_rows,
            loss=found.loss,
        )
    )
    is_proven = found.loss <= found.lower_bound * (1 + 1e-12)
    return replace(point, max_distortion=None, proven_optimal=is_proven, codebooks=found)


def _most(question: Question) -> int:
    if question.axis == "separated-l":
        return separated_values(question.joint, question.closeness)
    return question.joint.sensitive.size


def _levels(most: int) -> list[int]:
    """Return the levels of a frontier, the highest included.

    >>> _levels(13), _levels(40)[-6:]
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


def _require_carried(question: Question, demand: Demand) -> None:
    """Refuse what a search for codebooks does not look at."""
    here = option("shape", "columns")
    if question.joint.side is not None:
        raise OptionError(f"{here} does not look at side information or earlier releases; leave them out")
    for one in demand.requirements:
        if one.name == "istar":
            raise OptionError(f"{here} does not look at what is certain; leave {one.text} out")
    if demand.cap is not None:
        raise OptionError(
            f"{here} has no cap {demand.cap.option}; it keeps most detail that the requirements allow"
        )
    if demand.utility_weight is not None:
        raise OptionError(f"{here} weighs nothing by {option('utility_weight')}; say what must be kept")
