"""The cheapest partition that keeps a demand, by whichever search answers the question.

==========================  =============================================  ==========================
utility                     search                                         proof
==========================  =============================================  ==========================
distortion on a line        intervals, withheld rows, borders              windows; all partitions of few
distortion over columns     boxes, mended worst first; far tuples withheld reach and windows of boxes
... by the mean, or where   boxes, polished                                none
side information is seen
resolution                  swaps, deals, matchings; cheap values withheld counting
anything else, or where     merging what keeps too little with whatever    none
side information is seen    costs least
==========================  =============================================  ==========================

Every requirement stays true when a cluster grows, so merging ends in a partition that keeps the demand
wherever the whole table does, and clusters that keep it may be withheld together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, cast

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.measures.overlap import components
from hartley.measures.utility import LineDistortion, Resolution
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import JointRange, Partition
from hartley.model.arrays import Places
from hartley.model.requirement import Requirement
from hartley.model.shapes.shape import ANY_SHAPE
from hartley.model.words import ObjectiveName
from hartley.search.by_size.least_largest import least_largest_cluster
from hartley.search.by_size.withheld import least_largest_withholding
from hartley.search.columns.cells import Column, cells_of, cells_of_utility
from hartley.search.columns.components import ComponentSearch, Joining
from hartley.search.columns.costs import relative_loss
from hartley.search.columns.search import present, search_columns
from hartley.search.columns.withheld import withhold_tuples
from hartley.search.demands.merges import joined, joining_missing, less_its_worst, merged
from hartley.search.demands.question import (
    NOTHING,
    DemandAnswer,
    DemandQuestion,
    answer_of,
    too_many_components,
)
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.few_values.walk import best_of_few, is_walked
from hartley.search.line.borders import Borders
from hartley.search.line.cheapest import Searches, cheapest_clusters
from hartley.search.line.equal_width import best_equal_width
from hartley.search.line.intervals import finest_free_grid, least_cost_of_components
from hartley.search.line.ordered_values import LineUtility, OrderedValues
from hartley.search.line.withheld import WithheldQuestion, least_cost_withholding


def columns_answer(
    enough: Enough,
    utility: ColumnsDistortion,
    effort: Effort,
    starts: Sequence[Partition],
    budget: int,
    objective: ObjectiveName,
    missing: Places = NOTHING,
) -> DemandAnswer:
    """Return the boxes found, less what a budget withholds.

    Tuples that were ``missing`` before join what is withheld, and their rows do not count. So the bound is
    that of a budget with their rows, and so is what is withheld where it keeps to the budget without them.
    """
    if not enough.is_beside:
        enough.require_reachable()
    demand = replace(enough, row_k=max(1, enough.row_k))
    fitting = [start.labels for start in starts if demand.is_met_by(start)]
    weighed = cells_of_utility(utility)
    columns: list[Column] = [replace(column, importance=1.0) for column in weighed]
    found = search_columns(
        columns if budget else weighed,
        demand,
        combination=utility.combination,
        starts=fitting,
        effort=effort,
        objective=objective,
    )
    if budget:
        withhold = partial(
            withhold_tuples,
            columns,
            demand,
            base=found,
            combination=utility.combination,
            effort=effort,
            objective=objective,
        )
        held = withhold(budget + int(demand.rows[missing].sum()))
        least = None if objective == "mean" else held.bound
        if demand.rows[np.setdiff1d(held.withheld, missing)].sum() > budget:
            held = withhold(budget)
        gone = np.setdiff1d(held.withheld, missing)
        labels = held.labels.copy()
        others = np.setdiff1d(np.arange(len(labels)), missing)
        if len(gone) and not np.isin(labels[others], labels[missing]).any():
            labels[missing] = labels[gone[0]]
        return DemandAnswer(
            partition=Partition(labels),
            cost=held.worst,
            lower_bound_cost=least,
            any_bound=least,
            withheld=gone,
            withheld_rows=int(demand.rows[gone].sum()),
            loss=held.loss,
        )
    bound = None if enough.is_beside or objective == "mean" else found.bound
    return DemandAnswer(
        partition=Partition(found.labels),
        cost=found.worst,
        lower_bound_cost=bound,
        any_bound=bound,
        loss=relative_loss(cells_of(columns, utility.combination), found.labels, enough.rows)
        if present(columns, demand.size).all()
        else found.loss,
    )


def component_search(question: DemandQuestion) -> ComponentSearch:
    """Return the search for few components among the boxes of the public columns."""
    utility = cast("ColumnsDistortion", question.utility)
    cells = cells_of(cells_of_utility(utility), utility.combination)
    return ComponentSearch(cells, components(question.joint).labels)


def joined_columns(question: DemandQuestion, found: DemandAnswer, effort: Effort) -> DemandAnswer:
    """Join clusters over several columns until few components are left; the contraction bound counts too."""
    search, most = component_search(question), question.most_components or 1
    joining = search.joining(found.partition.labels, most, effort)
    if joining.components - len(joining.joins) > most:
        raise too_many_components(most)
    return after_joins(question, found, joining, search, len(joining.joins))


def after_joins(
    question: DemandQuestion, found: DemandAnswer, joining: Joining, search: ComponentSearch, count: int
) -> DemandAnswer:
    """Return the answer once the first so many joins are made, with its bound."""
    partition = Partition(joining.after(count))
    cost = float(question.utility.costs(partition).max())
    bound = max(found.lower_bound_cost or 0.0, search.bound(joining.components - count) / 2)
    return replace(
        found, partition=partition, cost=cost, lower_bound_cost=min(bound, cost), any_bound=min(bound, cost)
    )


MOST_TURNS = 200
"""Numbers of components that a frontier over several columns shows at most."""


def cheapest(
    question: DemandQuestion,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
    searches: Searches | None = None,
) -> DemandAnswer:
    """Return the cheapest partition found that keeps a demand, and what nothing can beat.

    Whoever asks for one level after another hands on ``searches``, in which what is known along a line stays.

    >>> from hartley.examples import toy
    >>> from hartley.model.requirement import Requirement
    >>> asked = DemandQuestion(
    ...     joint=toy(), utility=Resolution(7), requirements=(Requirement("distinct-l", 3),)
    ... )
    >>> answer = cheapest(asked)
    >>> answer.cost, answer.is_proven
    (4, True)
    """
    by_mean = question.objective == "mean" and isinstance(question.utility, ColumnsDistortion)
    if not by_mean and is_walked(question) and (few := best_of_few(question, None, effort)) is not None:
        return few[0].answer
    try:
        found = _searched(question, effort, starts, searches)
        if question.most_components is None:
            return found
        if question.is_over_columns:
            return joined_columns(question, found, effort)
        join = joined if question.shape.is_any else joined_bands
        return join(question, found, effort)
    except UnreachableError:
        rescued = joining_missing(question, effort)
        if rescued is None:
            raise
        return rescued


def fewest_components(
    question: DemandQuestion, effort: Effort = UNLIMITED
) -> tuple[ComponentSearch, list[DemandAnswer]]:
    """Return answers over several columns with ever fewer components, each cheapest for its number as found.

    Every answer keeps the requirements. The search tells the bounds.
    """
    start = replace(question, most_components=None)
    if question.requirements:
        found = _searched(start, effort, ())
    else:
        singles = Partition.singletons(question.joint.public.size)
        found = DemandAnswer(partition=singles, cost=0.0, lower_bound_cost=0.0, any_bound=0.0)
    search = component_search(question)
    joining = search.joining(found.partition.labels, effort=effort)
    counts = joining.turns(MOST_TURNS)
    return search, [after_joins(question, found, joining, search, count) for count in counts]


def _searched(
    question: DemandQuestion, effort: Effort, starts: Sequence[Partition], searches: Searches | None = None
) -> DemandAnswer:
    joint, utility = question.joint, question.utility
    if joint.side is None and isinstance(utility, LineDistortion):
        return _of_values(question, _in_order(question, utility), effort, starts, searches)
    if joint.side is None and isinstance(utility, Resolution) and question.shape.name == "intervals":
        return arranged_answer(question, utility, effort)
    if not question.shape.is_any:
        if len(joint.public.columns) > 1:
            raise OptionError(
                f"{option('shape', 'intervals')} is of one public column; for several there is "
                f"{option('shape', 'columns')}, one codebook for each"
            )
        if joint.side is not None:
            raise OptionError(
                "beside side information, kept columns or an earlier release a longer band may leave fewer "
                f"candidates, and {option('shape', 'intervals')} has no search for that; "
                f"{option('shape', 'columns')} has one, also for a single column"
            )
        raise OptionError(
            f"{option('shape', question.shape.name)} needs one ordered public column, under distortion or "
            "resolution"
        )
    if joint.side is None:
        enough = Enough.of(joint, question.requirements, question.closeness)
        if isinstance(utility, Resolution):
            by_size = (
                least_largest_withholding(enough, question.budget, effort, np.flatnonzero(question.missing))
                if question.budget
                else least_largest_cluster(enough, effort)
            )
            return answer_of(by_size)
        if isinstance(utility, ColumnsDistortion) and utility.codeword == "midpoint":
            missing = np.flatnonzero(question.missing)
            return columns_answer(
                enough, utility, effort, starts, question.budget, question.objective, missing
            )
    elif isinstance(utility, ColumnsDistortion) and utility.codeword == "midpoint":
        enough = Enough.beside(joint, question.requirements, question.closeness)
        found = columns_answer(enough, utility, effort, starts, 0, question.objective)
        return less_its_worst(question, found)
    return less_its_worst(question, merged(question, effort, starts))


def arranged_answer(question: DemandQuestion, utility: Resolution, effort: Effort) -> DemandAnswer:
    """Return clusters of neighbours, the largest as small as can be: of a line, a taxonomy, or a tree."""
    joint, known, shape = question.joint, question.arrangement, question.shape
    if known is not None and (known.tree is not None or known.edges is not None):
        if question.budget or shape != replace(ANY_SHAPE, name=shape.name):
            raise OptionError(
                f"groups and neighbours of categories do not go with {option('withhold')}, borders or widths"
            )
        return answer_of(known.least(Enough.of(joint, question.requirements, question.closeness)))
    if known is not None and shape != replace(ANY_SHAPE, name=shape.name):
        raise OptionError(
            f"column {joint.public.columns[0]!r} is text; borders and widths are of numbers and dates"
        )
    return _of_values(question, _in_order(question, utility), effort, ())


def joined_bands(question: DemandQuestion, found: DemandAnswer, effort: Effort) -> DemandAnswer:
    """Return bands that leave few enough components, where those that were found leave too many.

    They withhold nothing. The bound is that of the bands that were found, which have less to keep.
    """
    most = question.most_components or 1
    if components(question.joint.release(found.partition)).size <= most:
        return found
    if question.budget:
        return joined(question, found, effort)
    fewer = bands_of_components(question, question.joint, most, effort)
    return replace(fewer, lower_bound_cost=found.lower_bound_cost, any_bound=found.any_bound)


def bands_of_components(
    question: DemandQuestion, linked: JointRange, most: int, effort: Effort
) -> DemandAnswer:
    """Return bands that keep the requirements and leave at most so many components of a linked table."""
    known, shape = question.arrangement, question.shape
    is_grouped = known is not None and (known.tree is not None or known.edges is not None)
    if shape.equal_width or is_grouped:
        raise OptionError(
            f"bands that leave few groups apart for certain ({option('leakage', 'joint')} or istar) are "
            f"found only of any width: leave out {option('equal_width')}, {option('hierarchy')} and "
            f"{option('neighbours')}"
        )
    values = _in_order(question, cast("LineUtility", question.utility))
    return answer_of(least_cost_of_components(values, linked, most, _borders(question, values), effort))


def _in_order(question: DemandQuestion, utility: LineUtility) -> OrderedValues:
    """Return the public values in the order of the line, or in the one that is known of a text column."""
    positions = None if question.arrangement is None else question.arrangement.positions
    asked = question.asking(Requirement(question.axis, 1))
    return OrderedValues.of(asked.joint, utility, asked.requirements, asked.closeness, positions)


def _of_values(
    question: DemandQuestion,
    values: OrderedValues,
    effort: Effort,
    starts: Sequence[Partition],
    searches: Searches | None = None,
) -> DemandAnswer:
    shape = question.shape
    if shape.name == "columns":
        raise OptionError(
            f"{option('shape', 'columns')} is of several public columns; name more, or use intervals"
        )
    if shape.equal_width:
        if question.budget:
            raise OptionError(f"{option('equal_width')} does not go with {option('withhold')}")
        step = shape.borders if isinstance(shape.borders, float) else None
        return answer_of(
            best_equal_width(
                values, open_ends=shape.open_ends, step=step, offset=shape.offset or None, effort=effort
            )
        )
    kind: Literal["any", "intervals"] = "any" if shape.is_any else "intervals"
    if shape.borders == "auto" and not question.budget:
        unit = _calendar_unit(question)
        grids = None if unit is None else Borders.calendars(values.positions, unit)
        return answer_of(finest_free_grid(values, effort, shape.offset, grids))
    borders = _borders(question, values)
    if question.budget:
        asked = WithheldQuestion.of(values, question.budget, borders)
        if question.budget < asked.least_budget and not values.can_be_met:
            raise UnreachableError(
                f"withholding {question.budget} rows buys nothing here; at least {asked.least_budget} rows "
                "must be withheld for what is withheld to keep the requirements itself"
            )
        return answer_of(least_cost_withholding(values, question.budget, kind, borders, effort=effort))
    names = [(one.name, one.column) for one in values.whole.requirements]
    count = values.whole.count_of[names.index((question.axis, None))]
    return answer_of(cheapest_clusters(values, kind, borders, effort, starts, count, searches))


def _calendar_unit(question: DemandQuestion) -> Literal["day", "second"] | None:
    """Return what positions of the column count, ``None`` where it holds no dates."""
    kind = question.joint.public.coordinates[0].kind
    if kind == "date":
        return "day"
    return "second" if kind == "timestamp" else None


def _borders(question: DemandQuestion, values: OrderedValues) -> Borders | None:
    return Borders.of_shape(question.shape, values.positions, question.joint.public.coordinates[0])
