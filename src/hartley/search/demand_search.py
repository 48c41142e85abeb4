"""The cheapest partition that keeps a demand, by whichever search answers the question.

==========================  =============================================  ==========================
utility                     search                                         proof
==========================  =============================================  ==========================
distortion on a line        intervals, withheld rows, borders              windows; all partitions of few
distortion over columns     boxes, mended worst first; far tuples withheld reach and windows of boxes
resolution                  swaps, deals, matchings; cheap values withheld counting
anything else, or where     merging what keeps too little with whatever    none
side information is seen    costs least
==========================  =============================================  ==========================

Every requirement stays true when a cluster grows, so merging ends in a partition that keeps the demand
wherever the whole table does, and clusters that keep it may be withheld together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.measures.overlap import components
from hartley.measures.uncertainty import rows_of_values
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.several_columns import CategoryColumn, ColumnsDistortion, NumberColumn
from hartley.measures.verdicts import kept_by_each
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Int64s
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import Requirement
from hartley.model.shapes.border_grid import CALENDARS
from hartley.model.shapes.shape import ANY_SHAPE, Shape
from hartley.search.by_size.categories import CategoryArrangement
from hartley.search.by_size.withheld import least_largest_withholding
from hartley.search.columns.cells import CategoryCells, Column, NumberCells, cells_of
from hartley.search.columns.components import ComponentSearch, Joining
from hartley.search.columns.demand import ClusterDemand
from hartley.search.columns.search import search_columns
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.line.answer import Band, LineAnswer
from hartley.search.line.borders import Borders
from hartley.search.line.equal_width import best_equal_width
from hartley.search.line.every_partition import MOST_VALUES
from hartley.search.line.intervals import finest_free_grid
from hartley.search.line.least_cost import least_cost
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.resolution import least_largest_cluster
from hartley.search.line.withheld import WithheldQuestion, least_cost_withholding
from hartley.search.withheld.of_few import best_of_all, costs_of_subsets
from hartley.search.withheld.of_partition import without_values, worst_clusters
from hartley.search.withheld.of_tuples import withhold_tuples

MOST_TURNS = 200
"""Numbers of components that a frontier over several columns shows at most."""
NOTHING: Int64s = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class DemandQuestion:
    """What must be kept, at the least cost."""

    joint: JointRange
    utility: Utility
    requirements: tuple[Requirement, ...]
    """Those that stay true when a cluster grows."""
    closeness: Closeness = NO_CLOSENESS
    shape: Shape = ANY_SHAPE
    budget: int = 0
    """The most rows whose public value may be withheld."""
    is_single: bool = False
    """Whether a single component must be left, so that nothing is known for certain."""
    arrangement: CategoryArrangement | None = None
    """What is known of the values of a column of text."""

    @property
    def is_over_columns(self) -> bool:
        """Whether it has the search over several columns to answer it."""
        return (
            isinstance(self.utility, ColumnsDistortion)
            and self.utility.codeword == "midpoint"
            and self.joint.side is None
            and self.closeness.is_empty
            and not self.budget
        )

    def asking(self, requirement: Requirement) -> DemandQuestion:
        """Return the question with one more requirement, or more of one."""
        others = tuple(
            one
            for one in self.requirements
            if (one.name, one.column) != (requirement.name, requirement.column)
            or one.wanted > requirement.wanted
        )
        known = any((one.name, one.column) == (requirement.name, requirement.column) for one in others)
        return replace(self, requirements=others if known else (*others, requirement))


@dataclass(frozen=True, kw_only=True, eq=False)
class DemandAnswer:
    """The cheapest partition found that keeps a demand, and what is proven of it."""

    partition: Partition
    cost: float
    lower_bound_cost: float | None
    """No partition of the shape and budget asked for costs less; ``None`` where no bound is known."""
    any_bound: float | None = None
    """No partition of any shape within the budget costs less."""
    withheld: Int64s = field(default_factory=lambda: NOTHING)
    """Places of the public values that are withheld; they are one cluster."""
    withheld_rows: int = 0
    bands: tuple[Band, ...] = ()
    loss: float | None = None
    """The mean over rows of the relative width of their cluster, over several columns."""

    @property
    def is_proven(self) -> bool:
        """Whether nothing of the shape and budget asked for costs less."""
        return self.lower_bound_cost is not None and self.cost <= self.lower_bound_cost * (1 + 1e-12)


def cheapest(
    question: DemandQuestion, effort: Effort = UNLIMITED, starts: Sequence[Partition] = ()
) -> DemandAnswer:
    """Return the cheapest partition found that keeps a demand, and what nothing can beat.

    >>> from hartley.examples import toy
    >>> asked = DemandQuestion(
    ...     joint=toy(), utility=Resolution(7), requirements=(Requirement("distinct-l", 3),)
    ... )
    >>> answer = cheapest(asked)
    >>> answer.cost, answer.is_proven
    (4.0, True)
    """
    found = _searched(question, effort, starts)
    if question.is_single:
        found = (
            _joined_columns(question, found, effort) if question.is_over_columns else _joined(question, found)
        )
    return found


def fewest_components(
    question: DemandQuestion, effort: Effort = UNLIMITED
) -> tuple[ComponentSearch, list[DemandAnswer]]:
    """Return answers over several columns with ever fewer components, each cheapest for its number as found.

    Every answer keeps the requirements. The search tells the bounds.
    """
    start = replace(question, is_single=False)
    if question.requirements:
        found = _searched(start, effort, ())
    else:
        singles = Partition.singletons(question.joint.public.size)
        found = DemandAnswer(partition=singles, cost=0.0, lower_bound_cost=0.0, any_bound=0.0)
    search = _component_search(question)
    joining = search.joining(found.partition.labels, effort=effort)
    counts = joining.turns(MOST_TURNS)
    return search, [_after_joins(question, found, joining, search, count) for count in counts]


def _component_search(question: DemandQuestion) -> ComponentSearch:
    utility = cast("ColumnsDistortion", question.utility)
    cells = cells_of(cells_of_utility(utility), utility.combination)
    return ComponentSearch(cells, components(question.joint).labels)


def _joined_columns(question: DemandQuestion, found: DemandAnswer, effort: Effort) -> DemandAnswer:
    """Join clusters over several columns until one component is left; the contraction bound counts too."""
    search = _component_search(question)
    joining = search.joining(found.partition.labels, effort=effort)
    if joining.components - len(joining.joins) > 1:
        raise UnreachableError("no release leaves a single group of sensitive values (I* = 0)")
    return _after_joins(question, found, joining, search, len(joining.joins))


def _after_joins(
    question: DemandQuestion, found: DemandAnswer, joining: Joining, search: ComponentSearch, count: int
) -> DemandAnswer:
    partition = Partition(joining.after(count))
    cost = float(question.utility.costs(partition).max())
    bound = max(found.lower_bound_cost or 0.0, search.bound(joining.components - count) / 2)
    return replace(
        found, partition=partition, cost=cost, lower_bound_cost=min(bound, cost), any_bound=min(bound, cost)
    )


def _searched(question: DemandQuestion, effort: Effort, starts: Sequence[Partition]) -> DemandAnswer:
    joint, utility = question.joint, question.utility
    if joint.side is None and isinstance(utility, LineDistortion):
        return _of_line(question, utility, effort)
    if joint.side is None and isinstance(utility, Resolution) and question.shape.name == "intervals":
        return _of_arranged(question, utility, effort)
    if not question.shape.is_any:
        if len(joint.public.columns) > 1:
            raise OptionError(
                f"{option('shape', 'intervals')} is of one public column; for several there is "
                f"{option('shape', 'columns')}, one codebook for each"
            )
        if joint.side is not None:
            raise OptionError(
                f"beside side information, kept columns or an earlier release a longer band may leave fewer "
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
                least_largest_withholding(enough, question.budget, effort)
                if question.budget
                else least_largest_cluster(enough, effort)
            )
            return _of_answer(by_size)
        few = _of_few(enough, utility, question.budget) if joint.public.size <= MOST_VALUES else None
        if isinstance(utility, ColumnsDistortion) and utility.codeword == "midpoint":
            known = starts if few is None or len(few.withheld) else (*starts, few.partition)
            return _of_columns(enough, utility, effort, known, question.budget, few)
        if few is not None:
            return few
    return _less_its_worst(question, _merged(question, effort, starts))


def _less_its_worst(question: DemandQuestion, found: DemandAnswer) -> DemandAnswer:
    """Withhold the clusters of greatest cost together, as far as the budget goes."""
    if not question.budget:
        return found
    partition = found.partition
    rows = np.bincount(partition.labels, weights=rows_of_values(question.joint)).astype(np.int64)
    chosen = worst_clusters(question.utility.costs(partition), rows, question.budget)
    if not len(chosen):
        return replace(found, lower_bound_cost=None, any_bound=None)
    withheld = np.flatnonzero(np.isin(partition.labels, chosen)).astype(np.int64)
    joined = without_values(partition, withheld)
    others = np.delete(question.utility.costs(partition), chosen)
    return DemandAnswer(
        partition=joined,
        cost=float(others.max(initial=0.0)),
        lower_bound_cost=None,
        withheld=withheld,
        withheld_rows=int(rows[chosen].sum()),
    )


def _of_few(enough: Enough, utility: Utility, budget: int) -> DemandAnswer:
    """Look at every partition of a few values, and every block of it that may be withheld."""
    enough.require_reachable()
    costs = costs_of_subsets(utility, enough.size)
    return _of_answer(best_of_all(enough, costs, costs, budget))


def _of_arranged(question: DemandQuestion, utility: Resolution, effort: Effort) -> DemandAnswer:
    """Return clusters of neighbours, the largest as small as can be: of a line, a taxonomy, or a tree."""
    joint, known, shape = question.joint, question.arrangement, question.shape
    if known is not None and (known.tree is not None or known.edges is not None):
        if question.budget or shape != replace(ANY_SHAPE, name=shape.name):
            raise OptionError(
                f"groups and neighbours of categories do not go with {option('withhold')}, borders or widths"
            )
        return _of_answer(known.least(Enough.of(joint, question.requirements, question.closeness)))
    positions = joint.public.positions if known is None else known.positions
    if known is not None and shape != replace(ANY_SHAPE, name=shape.name):
        raise OptionError(
            f"column {joint.public.columns[0]!r} is text; borders and widths are of numbers and dates"
        )
    values = OrderedValues.of(joint, utility, question.requirements, question.closeness, positions)
    return _of_values(question, values, effort)


def _of_line(question: DemandQuestion, utility: LineDistortion, effort: Effort) -> DemandAnswer:
    values = OrderedValues.of(question.joint, utility, question.requirements, question.closeness)
    return _of_values(question, values, effort)


def _of_values(question: DemandQuestion, values: OrderedValues, effort: Effort) -> DemandAnswer:
    shape = question.shape
    if shape.name == "columns":
        raise OptionError(
            f"{option('shape', 'columns')} is of several public columns; name more, or use intervals"
        )
    if shape.equal_width:
        if question.budget:
            raise OptionError(f"{option('equal_width')} does not go with {option('withhold')}")
        step = shape.borders if isinstance(shape.borders, float) else None
        return _of_answer(
            best_equal_width(
                values, open_ends=shape.open_ends, step=step, offset=shape.offset or None, effort=effort
            )
        )
    kind: Literal["any", "intervals"] = "any" if shape.is_any else "intervals"
    if shape.borders == "auto" and not question.budget:
        unit = _calendar_unit(question)
        grids = None if unit is None else Borders.calendars(values.positions, unit)
        return _of_answer(finest_free_grid(values, effort, shape.offset, grids))
    borders = _borders(question, values)
    if question.budget:
        asked = WithheldQuestion.of(values, question.budget, borders)
        if question.budget < asked.least_budget and not values.can_be_met:
            raise UnreachableError(
                f"withholding {question.budget} rows buys nothing here; at least {asked.least_budget} rows "
                "must be withheld for what is withheld to keep the requirements itself"
            )
        return _of_answer(least_cost_withholding(values, question.budget, kind, borders, effort=effort))
    return _of_answer(least_cost(values, kind, borders, effort))


def _calendar_unit(question: DemandQuestion) -> Literal["day", "second"] | None:
    """Return what positions of the column count, ``None`` where it holds no dates."""
    kind = question.joint.public.coordinates[0].kind
    if kind == "date":
        return "day"
    return "second" if kind == "timestamp" else None


def _borders(question: DemandQuestion, values: OrderedValues) -> Borders | None:
    shape, column = question.shape, question.joint.public.coordinates[0]
    if shape.borders is None or shape.borders == "auto":
        return None
    if shape.borders in CALENDARS:
        unit = _calendar_unit(question)
        if unit is None:
            raise OptionError(
                f"borders by {shape.borders} are of dates; column {column.name!r} is a {column.kind}"
            )
        return Borders.in_calendar(values.positions, shape.borders, unit)
    return Borders.on_grid(values.positions, cast("float", shape.borders), shape.offset)


def _of_answer(found: LineAnswer) -> DemandAnswer:
    return DemandAnswer(
        partition=found.partition,
        cost=found.cost,
        lower_bound_cost=found.lower_bound,
        any_bound=found.any_bound,
        withheld=found.withheld,
        withheld_rows=found.withheld_rows,
        bands=found.bands,
    )


def cells_of_utility(utility: ColumnsDistortion) -> list[Column]:
    """Return the columns of a utility as the search over columns takes them."""
    columns: list[Column] = []
    for column in utility.columns:
        if isinstance(column, NumberColumn):
            columns.append(NumberCells(column.positions))
        elif isinstance(column, CategoryColumn):
            table = column.table
            is_plain = table is None or bool((table == 1.0 - np.eye(len(table))).all())
            columns.append(CategoryCells(column.codes, table=None if is_plain else table))
    return columns


def _of_columns(
    enough: Enough,
    utility: ColumnsDistortion,
    effort: Effort,
    starts: Sequence[Partition],
    budget: int,
    few: DemandAnswer | None,
) -> DemandAnswer:
    demand = ClusterDemand(
        value_ptr=enough.value_ptr,
        value_code=enough.value_code.astype(np.int32),
        next_code=enough.next_code,
        offsets=enough.offsets,
        wanted=enough.wanted,
        rows=enough.rows,
        row_k=max(1, enough.row_k),
    )
    fitting = [start.labels for start in starts if demand.enough(start.labels).all()]
    columns = cells_of_utility(utility)
    found = search_columns(columns, demand, combination=utility.combination, starts=fitting, effort=effort)
    if budget:
        held = withhold_tuples(
            columns,
            demand,
            budget,
            found,
            None if few is None else (few.partition.labels.astype(np.int64), few.withheld),
            combination=utility.combination,
            effort=effort,
        )
        return DemandAnswer(
            partition=Partition(held.labels),
            cost=held.worst,
            lower_bound_cost=held.bound if few is None else few.cost,
            any_bound=held.bound if few is None else few.cost,
            withheld=held.withheld,
            withheld_rows=held.withheld_rows,
            loss=held.loss,
        )
    bound = found.bound if few is None else few.cost
    return DemandAnswer(
        partition=Partition(found.labels),
        cost=found.worst,
        lower_bound_cost=bound,
        any_bound=bound,
        loss=found.loss,
    )


def _merged(question: DemandQuestion, effort: Effort, starts: Sequence[Partition]) -> DemandAnswer:
    """Merge whatever keeps too little with what costs least, from each start and from nothing merged."""
    joint, utility = question.joint, question.utility
    size = joint.public.size
    best: DemandAnswer | None = None
    for start in (*starts, Partition.singletons(size)):
        grown = _grown(question, start)
        if grown is not None:
            cost = float(utility.costs(grown).max())
            if np.isfinite(cost) and (best is None or cost < best.cost):
                best = DemandAnswer(partition=grown, cost=cost, lower_bound_cost=None)
        if effort.should_stop() and best is not None:
            break
    if best is None:
        raise UnreachableError("no merging of the public values keeps what is required")
    return best


def _grown(question: DemandQuestion, start: Partition) -> Partition | None:
    joint = question.joint
    unions = question.utility.union_costs()
    labels = start.labels.astype(np.int64).copy()
    first: dict[int, int] = {}
    for place, label in enumerate(labels.tolist()):
        if label in first:
            unions.merge(first[label], place)
        else:
            first[label] = place
    root = np.array([first[label] for label in labels.tolist()])
    lacking = _lacking(question)
    while True:
        poor = lacking(joint, root)
        if not poor.any():
            return Partition(root)
        place = int(np.flatnonzero(poor)[0])
        costs = unions.with_each(place)
        costs[place] = np.inf
        partner = int(np.argmin(costs))
        if not np.isfinite(costs[partner]):
            return None
        kept, joined = min(place, partner), max(place, partner)
        unions.merge(kept, joined)
        root[root == joined] = kept


def _lacking(question: DemandQuestion) -> Callable[[JointRange, Int64s], Flags]:
    """Return what tells, by the first place of each cluster, which clusters keep too little."""

    def poor(joint: JointRange, root: Int64s) -> Flags:
        partition = Partition(root)
        released = joint.release(partition)
        found = np.zeros(joint.public.size, dtype=np.bool_)
        firsts = np.unique(root, return_index=True)[1]
        of_cluster = {int(partition.labels[first]): int(root[first]) for first in firsts.tolist()}
        clusters = released.public_of
        for requirement in question.requirements:
            lacks = kept_by_each(released, requirement, question.closeness) < requirement.wanted
            for cluster in np.unique(clusters[lacks]).tolist():
                found[of_cluster[cluster]] = True
        return found

    return poor


def _joined(question: DemandQuestion, found: DemandAnswer) -> DemandAnswer:
    """Merge clusters of different components, the cheapest first, until one component is left.

    What is withheld is merged with nothing, unless there is no other way.
    """
    joint, utility = question.joint, question.utility
    partition, withheld = found.partition, found.withheld
    if components(joint.release(partition)).size == 1:
        return found
    unions = utility.union_costs()
    first = np.array([cluster[0] for cluster in partition.clusters()])
    root = first[partition.labels]
    held = root == root[withheld[0]] if len(withheld) else np.zeros(len(root), dtype=np.bool_)
    for place in range(joint.public.size):
        if root[place] != place:
            unions.merge(int(root[place]), place)
    while True:
        now = Partition(root)
        parts = components(joint.release(now))
        if parts.size == 1:
            costs = np.delete(utility.costs(now), np.unique(now.labels[held]))
            return replace(found, partition=now, cost=float(costs.max(initial=0.0)), bands=())
        part_of = parts.labels[now.labels]
        best = (np.inf, 0, 0)
        for place in np.unique(root[~held]).tolist():
            costs = unions.with_each(place)
            costs[(part_of == part_of[place]) | (root != np.arange(len(root))) | held] = np.inf
            partner = int(np.argmin(costs))
            best = min(best, (float(costs[partner]), min(place, partner), max(place, partner)))
        if not np.isfinite(best[0]) and len(withheld):
            return _joined(question, replace(found, withheld=NOTHING, withheld_rows=0))
        if not np.isfinite(best[0]):
            raise UnreachableError("no release leaves a single group of sensitive values (I* = 0)")
        unions.merge(best[1], best[2])
        root[root == best[2]] = best[1]
