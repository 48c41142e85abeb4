"""The cheapest partition that keeps what is required, by the one table of which method answers which problem.

The first row of :data:`TABLE` that fits a problem is taken. Of few public values a walk over all partitions
answers, and is exact.

Every count stays true when a cluster grows, so merging ends in a partition that keeps the requirements
wherever the whole table does, and clusters that keep them may be withheld together. What a method finds
with too many components is joined until few enough are left; its bound stays true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf, log2
from typing import Literal, TypeAlias, cast

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.measures.overlap import components, overlap_partition
from hartley.measures.uncertainty import candidate_counts
from hartley.measures.utility import LineDistortion, Resolution
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.measures.verdicts import ToleranceMeasures, bits_of
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.model.shapes.shape import ANY_SHAPE
from hartley.model.words import SAME_COST, Leakage
from hartley.search.answer import Answer
from hartley.search.any_utility import AnyAxis
from hartley.search.columns.cells import Column, cells_of, cells_of_utility
from hartley.search.columns.components import ComponentSearch, Joining
from hartley.search.columns.costs import relative_loss
from hartley.search.columns.search import present, search_columns
from hartley.search.columns.withheld import withhold_tuples
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.few_values.walk import best_of_few, is_walked
from hartley.search.line.axis import LineAxis
from hartley.search.line.borders import Borders
from hartley.search.line.cheapest import cheapest_clusters
from hartley.search.line.components.connected import ConnectedAxis
from hartley.search.line.components.fewest import ComponentAxis
from hartley.search.line.intervals import finest_free_grid, least_cost_of_components
from hartley.search.line.ordered_values import LineUtility, OrderedValues
from hartley.search.line.withheld import WithheldQuestion, least_cost_withholding
from hartley.search.merges import joined, less_its_worst, merged, withholding_sets
from hartley.search.problem import Problem, combined, too_many_components
from hartley.search.sizes.frontier import CountAxis, RatioAxis, TieAxis
from hartley.search.sizes.withheld import least_largest_withholding
from hartley.search.sweep import Axis, Sweep

Method: TypeAlias = Callable[[Problem, Effort, Sequence[Partition]], Answer]
"""Answers a problem with an effort, from partitions to start from."""
Way: TypeAlias = Callable[[Problem, Effort, Sequence[Partition]], Axis | None]
"""Returns the axis along which all levels of a problem are searched together, if they are."""
MOST_WITHHELD_SETS = 40
"""Up to so many values it is tried what else could be withheld."""
NO_BOUND = "none"
"""What bounds a method that tells of no bound."""
USUAL = 10
"""Few ask for more candidates than this."""
GLANCES = 64
"""Levels that are glanced at before any is searched at length, at most, where there is a limit of time."""
MOST_TURNS = 200
"""Numbers of components that a frontier over several columns shows at most."""


def _alone(*_: object) -> None:
    """Have each level answered by itself."""


@dataclass(frozen=True)
class Row:
    """Which method answers problems of one kind, and what bounds it; or why they are refused."""

    cost: str
    shape: str
    reader: str
    withheld: str
    certain: str
    """Whether the number of components is limited."""
    method: str
    """What it does, in words; what is said where the problem is refused."""
    bound: str = ""
    run: Method | None = None
    along: Way = _alone

    def fits(self, kind: tuple[str, ...]) -> bool:
        """Tell whether it answers problems of a kind."""
        mine = (self.cost, self.shape, self.reader, self.withheld, self.certain)
        return all(one in ("any", other) for one, other in zip(mine, kind, strict=True))


def kind_of(problem: Problem) -> tuple[str, ...]:
    """Name cost, shape, reader, withheld rows and limit on components of a problem, as the table does.

    >>> from hartley.examples import toy
    >>> kind_of(Problem(joint=toy(), utility=Resolution(7), leakage="joint"))
    ('size', 'every', 'plain', 'none', 'limited')
    """
    utility = problem.utility
    cost = "other"
    if isinstance(utility, Resolution):
        cost = "size"
    elif isinstance(utility, LineDistortion):
        cost = "line"
    elif isinstance(utility, ColumnsDistortion) and utility.codeword == "midpoint":
        cost = "columns"
    return (
        cost,
        _shape_of(problem),
        "plain" if problem.joint.side is None else "beside",
        "some" if problem.budget else "none",
        "free" if problem.most_components is None else "limited",
    )


def _shape_of(problem: Problem) -> str:
    shape, known = problem.shape, problem.arrangement
    if shape.name in ("columns", "tree"):
        return shape.name
    if shape.is_any:
        return "every"
    if len(problem.joint.public.columns) > 1:
        return "bands of several"
    has_detail = shape != replace(ANY_SHAPE, name=shape.name)
    if known is not None and known.tree is not None:
        return "grouped bands" if has_detail else "groups"
    if known is not None and has_detail:
        return "borders of text"
    return "bands"


def row_of(problem: Problem) -> Row:
    """Return the row of the table for a problem; raise where it is refused."""
    kind = kind_of(problem)
    row = next(row for row in TABLE if row.fits(kind))
    if row.run is None:
        raise OptionError(row.method)
    return row


def solve(problem: Problem, effort: Effort = UNLIMITED, starts: Sequence[Partition] = ()) -> Answer:
    """Return the cheapest partition found that keeps what is required, and what nothing can beat.

    >>> from hartley.examples import toy
    >>> answer = solve(
    ...     Problem(joint=toy(), utility=Resolution(7), requirements=(Requirement("distinct-l", 3),))
    ... )
    >>> answer.cost, answer.is_proven
    (4, True)
    """
    row_of(problem)
    if not problem.is_by_mean and is_walked(problem):
        few = best_of_few(problem, None, effort)
        if few is not None:
            return few[0]
    found = sweep_of(counted(problem), effort, starts)
    answer = found.axis.finer(found.best(level_of(problem, found.axis)), effort)
    return replace(answer, lower_bound_bits=None) if problem.is_informed else answer


def counted(problem: Problem) -> Problem:
    """Return the problem for a reader who knew nothing: to whom leakage counts candidates alone."""
    if not problem.is_informed or problem.has_bits_beside:
        return problem
    return replace(problem, joint=problem.joint.knowing(0))


def sweep_of(
    problem: Problem,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
    *,
    is_glanced: bool = False,
) -> Sweep:
    """Return the sweep over all levels of a problem, by the method of its row.

    ``is_glanced``: levels that are answered one by one are glanced at first.
    """
    row = row_of(problem)
    axis = row.along(problem, effort, starts)
    if axis is not None:
        axis.least = max(axis.least, 1 if axis.is_of_components else level_of(problem, axis))
        return Sweep(axis, effort, starts)
    return Sweep(EachAlone(problem, row, starts, is_glanced=is_glanced), effort)


def level_of(problem: Problem, axis: Axis) -> int:
    """Return the level of an axis at which a problem is answered."""
    if axis.is_of_components:
        count = overlap_partition(problem.linked).size
        return count - min(problem.most_components or count, count) + 1
    asked = [int(one.wanted) for one in problem.held if (one.name, one.column) == (problem.axis, None)]
    return max([1, *asked])


class EachAlone(Axis):
    """The levels of candidates of a problem, each of which a method answers by itself, from the lowest on.

    Over several columns the lowest, the highest that people often ask for and those between come first, then
    the highest, and between two levels that do not meet; each of the first may take an equal part of time.
    Where time is limited, levels are glanced at first, by searches that are stopped as they begin.
    """

    reaches_far = False

    def __init__(
        self, problem: Problem, row: Row, starts: Sequence[Partition], *, is_glanced: bool = False
    ) -> None:
        self.problem, self.row, self.starts = problem, row, starts
        self.most, self.what = max(problem.levels, level_of(problem, self)), f"levels of {problem.axis}"
        self.least = level_of(problem, self)
        self.sharing = min(USUAL, self.most) if problem.is_over_columns else 0
        is_glanced = is_glanced and not problem.is_over_columns
        self.stages = (self._glanced, self._answered) if is_glanced else (self._answered,)

    def reached_by(self, partition: Partition) -> int:
        """Return how many candidates every released value leaves."""
        seen = self.problem.joint.release(partition)
        if self.problem.closeness.is_empty:
            return int(candidate_counts(seen).min())
        return ToleranceMeasures.of(seen, self.problem.closeness).separated_l

    def counting_bound(self, level: int) -> None:
        """Return nothing: some methods tell of no bound."""
        del level

    def bits(self, level: int) -> float | None:
        """Return what leaks; ``None`` where candidates do not tell."""
        problem = self.problem
        is_told = not problem.is_informed and problem.leakage != "istar"
        return log2(problem.levels / level) if is_told else None

    def firsts(self, stage: int) -> Sequence[int]:
        """Return the levels that a stage searches first."""
        if self.sharing:
            return (self.least, max(self.least, self.sharing))
        return (self.least,) if stage == len(self.stages) else (self.least, self.most)

    def between(self, stage: int, low: int, reached: int, high: int) -> int:
        """Return the next level that is not reached, or one halfway, but the highest before that."""
        del low
        if self.sharing and high > self.most:
            return self.most
        if self.sharing or stage < len(self.stages):
            return (reached + high) // 2
        return reached + 1

    def most_searched(self, stage: int) -> float:
        """Return how many levels are glanced at."""
        return GLANCES if stage < len(self.stages) else inf

    def _glanced(self, level: int, known: Answer | None, effort: Effort) -> Answer:
        at_once = replace(effort, should_stop=lambda: True, remaining=lambda: 0.0)
        return self._answered(level, known, at_once)

    def _answered(self, level: int, known: Answer | None, effort: Effort) -> Answer:
        near = [] if known is None else [known.partition]
        asked = self.problem.asking(Requirement(self.problem.axis, level))
        return answered(asked, self.row, effort, [*self.starts, *near])


def answered(problem: Problem, row: Row, effort: Effort, starts: Sequence[Partition]) -> Answer:
    """Return what the method of a row finds, few enough components left, and what else may be withheld."""
    assert row.run is not None  # noqa: S101 (asked in row_of)
    try:
        found = row.run(problem, effort, starts)
        if problem.most_components is not None:
            join = joined if problem.shape.is_any else joined_bands
            found = (joined_columns if problem.is_over_columns else join)(problem, found, effort)
    except UnreachableError:
        rescued = _withheld_otherwise(problem, effort, starts)
        if rescued is None:
            raise
        return rescued
    is_large = problem.joint.public.size > MOST_WITHHELD_SETS
    if found.is_proven or (is_large and row.bound != NO_BOUND):
        return found
    other = _withheld_otherwise(problem, effort, starts, in_turn=not is_large)
    if other is None or other.cost >= found.cost * (1 - SAME_COST):
        return found
    least = None if found.lower_bound_cost is None else min(found.lower_bound_cost, other.cost)
    return replace(other, lower_bound_cost=least)


def _withheld_otherwise(
    problem: Problem, effort: Effort, starts: Sequence[Partition], *, in_turn: bool = True
) -> Answer | None:
    """Return the cheapest found with sets of values withheld ``in_turn``, and with nothing withheld."""
    if not problem.budget:
        return None
    found = [withholding_sets(problem, effort)] if in_turn else []
    with suppress(UnreachableError):
        untouched = solve(replace(problem, budget=0), effort, starts)
        found.append(replace(untouched, lower_bound_cost=None, any_bound=None))
    return min((one for one in found if one is not None), key=lambda one: one.cost, default=None)


def _without_components(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Answer:
    """Return the answer where any number of components may be left; they are joined afterwards.

    Where nothing else is required, few components are what is searched for.
    """
    if not problem.held:
        return solve(replace(problem, leakage="istar"), effort, starts)
    others = tuple(one for one in problem.requirements if one.name != "istar")
    return solve(replace(problem, leakage="l0", requirements=others), effort, starts)


def _is_of_components(problem: Problem) -> bool:
    """Tell whether components are the axis and alone count."""
    return not problem.held and problem.leakage == "istar"


def _is_searched_together(problem: Problem) -> bool:
    """Tell whether all levels may be searched together: any shape, nothing withheld, one leakage."""
    if not problem.shape.is_any or problem.budget or problem.has_bits_beside:
        return False
    return problem.most_components in (None, 1) or _is_of_components(problem)


# By size.


def _along_sizes(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Axis | None:
    """Return the axis of candidates or of components of clusters that cost their number of values."""
    del effort, starts
    joint, one = problem.joint, problem.most_components
    if not _is_searched_together(problem):
        return None
    if _is_of_components(problem):
        return TieAxis(problem.linked)
    linked = None if one is None else problem.linked
    if joint.side is not None:
        return RatioAxis(joint, linked) if problem.candidates is not None else None
    enough = _enough(problem)
    enough.require_reachable()
    names = [(asked.name, asked.column) for asked in enough.requirements]
    return CountAxis(joint, enough, enough.count_of[names.index((problem.axis, None))], linked)


def _enough(problem: Problem) -> Enough:
    """Return what every cluster must hold, with a count of the axis."""
    return Enough.of(problem.joint, combined(problem.held, [Requirement(problem.axis, 1)]), problem.closeness)


def _by_size(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Answer:
    if not problem.budget:
        return _without_components(problem, effort, starts)
    return least_largest_withholding(
        _enough(problem), problem.budget, effort, np.flatnonzero(problem.missing)
    )


def _of_groups(problem: Problem, *_: object) -> Answer:
    assert problem.arrangement is not None  # noqa: S101 (asked in kind_of)
    return problem.arrangement.least(Enough.of(problem.joint, problem.held, problem.closeness))


# Along a line.


def _along_a_line(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Axis | None:
    """Return the axis of candidates or of components along a line."""
    if not _is_searched_together(problem):
        return None
    values = _in_order(problem)
    if _is_of_components(problem):
        return ComponentAxis(problem.linked, values)
    values.require_reachable()
    names = [(one.name, one.column) for one in values.whole.requirements]
    count = values.whole.count_of[names.index((problem.axis, None))]
    if problem.most_components is None:
        return LineAxis(values, count)
    return ConnectedAxis(problem.linked, values, count, effort, starts)


def _on_a_line(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Answer:
    shape = problem.shape
    if shape.is_any and not problem.budget:
        return _without_components(problem, effort, starts)
    values = _in_order(problem)
    if shape.borders == "auto" and not problem.budget:
        coordinate = problem.joint.public.coordinates[0].kind
        unit: Literal["day", "second"] | None = None
        if coordinate in ("date", "timestamp"):
            unit = "day" if coordinate == "date" else "second"
        grids = None if unit is None else Borders.calendars(values.positions, unit)
        return finest_free_grid(values, effort, grids)
    kind: Literal["any", "intervals"] = "any" if shape.is_any else "intervals"
    borders = _borders(problem, values)
    if problem.budget:
        asked = WithheldQuestion.of(values, problem.budget, borders)
        if problem.budget < asked.least_budget and not values.can_be_met:
            raise UnreachableError(
                f"withholding {problem.budget} rows buys nothing here; at least {asked.least_budget} rows "
                "must be withheld for what is withheld to keep the requirements itself"
            )
        return least_cost_withholding(values, problem.budget, kind, borders, effort=effort)
    names = [(one.name, one.column) for one in values.whole.requirements]
    count = values.whole.count_of[names.index((problem.axis, None))]
    return cheapest_clusters(values, kind, borders, effort, starts, count)


def _in_order(problem: Problem) -> OrderedValues:
    """Return the public values in the order of the line, or in the one that is known of a text column."""
    positions = None if problem.arrangement is None else problem.arrangement.positions
    held = combined(problem.held, [Requirement(problem.axis, 1)])
    utility = cast("LineUtility", problem.utility)
    return OrderedValues.of(problem.joint, utility, held, problem.closeness, positions)


def _borders(problem: Problem, values: OrderedValues) -> Borders | None:
    return Borders.of_shape(problem.shape, values.positions, problem.joint.public.coordinates[0])


def joined_bands(problem: Problem, found: Answer, effort: Effort) -> Answer:
    """Return bands that leave few enough components, where those that were found leave too many.

    They withhold nothing. The bound is that of the bands that were found, which have less to keep.
    """
    most = problem.most_components or 1
    if overlap_partition(problem.linked.release(found.partition)).size <= most:
        return found
    if problem.budget:
        return joined(problem, found, effort)
    fewer = bands_of_components(problem, problem.linked, most, effort)
    return replace(fewer, lower_bound_cost=found.lower_bound_cost, any_bound=found.any_bound)


def bands_of_components(problem: Problem, linked: JointRange, most: int, effort: Effort) -> Answer:
    """Return bands that keep the requirements and leave at most so many components of a linked table."""
    values = _in_order(problem)
    return least_cost_of_components(values, linked, most, _borders(problem, values), effort)


# Over several columns.


def _over_columns(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Answer:
    """Return the boxes found, less what a budget withholds.

    Tuples that were missing before join what is withheld, and their rows do not count. So the bound is
    that of a budget with their rows, and so is what is withheld where it keeps to the budget without them.
    """
    if problem.has_bits_beside:
        return _any_cost(problem, effort, starts)
    utility = cast("ColumnsDistortion", problem.utility)
    is_beside = problem.joint.side is not None
    laid_out = Enough.beside if is_beside else Enough.of
    enough = laid_out(problem.joint, problem.held, problem.closeness)
    if not is_beside:
        enough.require_reachable()
    budget = 0 if is_beside else problem.budget
    demand = replace(enough, row_k=max(1, enough.row_k))
    singles = Partition.singletons(problem.joint.public.size)
    if is_beside and demand.is_met_by(singles):
        # Boxes are cut for readers who see nothing besides, and would not come down to single tuples.
        return Answer(partition=singles, cost=0.0, lower_bound_cost=0.0, any_bound=0.0, loss=0.0)
    fitting = [start.labels for start in starts if demand.is_met_by(start)]
    weighed = cells_of_utility(utility)
    columns: list[Column] = [replace(column, importance=1.0) for column in weighed]
    found = search_columns(
        columns if budget else weighed,
        demand,
        combination=utility.combination,
        starts=fitting,
        effort=effort,
        objective=problem.objective,
    )
    if not budget:
        bound = None if is_beside or problem.objective == "mean" else found.bound
        answer = Answer(
            partition=Partition(found.labels),
            cost=found.worst,
            lower_bound_cost=bound,
            any_bound=bound,
            loss=relative_loss(cells_of(columns, utility.combination), found.labels, enough.rows)
            if present(columns, demand.size).all()
            else found.loss,
        )
        return less_its_worst(problem, answer) if is_beside else answer
    withhold = partial(
        withhold_tuples,
        columns,
        demand,
        base=found,
        combination=utility.combination,
        effort=effort,
        objective=problem.objective,
    )
    missing = np.flatnonzero(problem.missing)
    held = withhold(budget + int(demand.rows[missing].sum()))
    least = None if problem.objective == "mean" else held.bound
    if demand.rows[np.setdiff1d(held.withheld, missing)].sum() > budget:
        held = withhold(budget)
    gone = np.setdiff1d(held.withheld, missing)
    labels = held.labels.copy()
    others = np.setdiff1d(np.arange(len(labels)), missing)
    if len(gone) and not np.isin(labels[others], labels[missing]).any():
        labels[missing] = labels[gone[0]]
    return Answer(
        partition=Partition(labels),
        cost=held.worst,
        lower_bound_cost=least,
        any_bound=least,
        withheld=gone,
        withheld_rows=int(demand.rows[gone].sum()),
        loss=held.loss,
    )


def _component_search(problem: Problem) -> ComponentSearch:
    """Return the search for few components among the boxes of the public columns."""
    utility = cast("ColumnsDistortion", problem.utility)
    cells = cells_of(cells_of_utility(utility), utility.combination)
    return ComponentSearch(cells, components(problem.joint).labels)


def joined_columns(problem: Problem, found: Answer, effort: Effort) -> Answer:
    """Join clusters over several columns until few components are left; the contraction bound counts too."""
    search, most = _component_search(problem), problem.most_components or 1
    joining = search.joining(found.partition.labels, most, effort)
    if joining.components - len(joining.joins) > most:
        raise too_many_components(most)
    return _after_joins(problem, found, joining, search, len(joining.joins))


def _after_joins(
    problem: Problem, found: Answer, joining: Joining, search: ComponentSearch, count: int
) -> Answer:
    """Return the answer once the first so many joins are made, with its bound."""
    partition = Partition(joining.after(count))
    cost = float(problem.utility.costs(partition).max())
    bound = min(max(found.lower_bound_cost or 0.0, search.bound(joining.components - count) / 2), cost)
    return replace(found, partition=partition, cost=cost, lower_bound_cost=bound, any_bound=bound)


def fewest_components(problem: Problem, effort: Effort = UNLIMITED) -> tuple[ComponentSearch, list[Answer]]:
    """Return answers over several columns with ever fewer components, each cheapest for its number as found.

    Every answer keeps the requirements. The search tells the bounds.
    """
    if problem.held:
        found = _over_columns(problem, effort, ())
    else:
        singles = Partition.singletons(problem.joint.public.size)
        found = Answer(partition=singles, cost=0.0, lower_bound_cost=0.0, any_bound=0.0)
    search = _component_search(problem)
    joining = search.joining(found.partition.labels, effort=effort)
    counts = joining.turns(MOST_TURNS)
    return search, [_after_joins(problem, found, joining, search, count) for count in counts]


# Any other cost.


def _along_any_cost(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Axis | None:
    """Return the axis of what leaks by any cost, where candidates alone count or components do."""
    if isinstance(problem.utility, Resolution):
        return _along_sizes(problem, effort, starts)
    if not _is_searched_together(problem) or problem.candidates is None:
        return None
    is_joint = problem.most_components == 1 and not _is_of_components(problem)
    leakage: Leakage = "joint" if is_joint else "istar" if _is_of_components(problem) else "l0"
    return AnyAxis(problem.joint, problem.utility, leakage, effort)


def _beside_columns(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Axis | None:
    """Return the axis of what leaks where nothing else is asked for: boxes know of no ratios."""
    return _along_any_cost(problem, effort, starts) if problem.is_papers else None


def _any_cost(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Answer:
    """Merge what keeps too little with whatever costs least."""
    if problem.has_bits_beside:
        return _few_bits_beside(problem, effort, starts)
    return less_its_worst(problem, merged(problem, effort, starts))


def _few_bits_beside(problem: Problem, effort: Effort, starts: Sequence[Partition]) -> Answer:
    """Return the cheapest found that reveals few bits beside what a reader knows.

    What is revealed is counted from what each side value leaves, so no count of candidates says it. Numbers
    of candidates are tried in turn, then merging what reveals too much, and everything as one cluster, which
    reveals nothing. What the first number costs, everything does.
    """
    others = tuple(one for one in problem.requirements if one.name != "l0")
    counted = replace(problem, requirements=others)
    found: list[Answer] = []
    least: float | None = None
    is_reachable = False
    first = max((int(one.wanted) for one in counted.held if one.name == problem.axis), default=1)
    for level in range(first, problem.levels + 1):
        try:
            answer = solve(counted.asking(Requirement(problem.axis, level)), effort, starts)
        except UnreachableError:
            break
        least, is_reachable = answer.lower_bound_cost if level == first else least, True
        if _keeps_bits(problem, answer.partition):
            found.append(answer)
        if found or effort.should_stop():
            break
    with suppress(UnreachableError):
        found.append(less_its_worst(problem, merged(problem, effort, starts)))
    whole = Partition.whole(problem.joint.public.size)
    cost = float(problem.utility.costs(whole).max())
    if is_reachable and np.isfinite(cost):
        found.append(Answer(partition=whole, cost=cost, lower_bound_cost=None))
    if not found:
        bits = min(one.wanted for one in problem.limits if one.name == "l0")
        raise UnreachableError(
            f"no release was found that leaks at most {bits:g} bits beside what a reader knows already"
        )
    return replace(min(found, key=lambda one: one.cost), lower_bound_cost=least, any_bound=least)


def _keeps_bits(problem: Problem, partition: Partition) -> bool:
    """Tell whether a partition reveals few enough bits; with a tolerance, of values that are apart."""
    bits = bits_of(problem.joint.release(partition), problem.closeness)["l0"]
    return all(one.is_met_by(bits) for one in problem.limits if one.name == "l0")


def _by_workflow(*_: object) -> Answer:
    raise AssertionError("codebooks and trees are searched where their columns are read")


SEVERAL = (
    f"{option('shape', 'intervals')} is of one public column; for several there is "
    f"{option('shape', 'columns')}, one codebook for each"
)
BESIDE = (
    "beside side information, kept columns or an earlier release a longer band may leave fewer candidates, "
    f"and {option('shape', 'intervals')} has no search for that; {option('shape', 'columns')} has one, also "
    "for a single column"
)
ORDERED = f"{option('shape', 'intervals')} needs one ordered public column, under distortion or resolution"
GROUPED = f"groups of categories do not go with {option('withhold')} or borders"
CERTAIN = (
    f"bands that leave few groups apart for certain ({option('leakage', 'joint')} or istar) are not found "
    f"along a taxonomy: leave out {option('hierarchy')}"
)
TEXT = "borders are of numbers and dates, and the public column is text"

TABLE = (
    Row(
        "size", "every", "plain", "none", "any", "swaps, deals, matchings", "counting", _by_size, _along_sizes
    ),
    Row(
        "size",
        "every",
        "plain",
        "some",
        "any",
        "the same, cheap values withheld",
        "counting",
        _by_size,
        _along_sizes,
    ),
    Row(
        "line",
        "every",
        "plain",
        "none",
        "any",
        "intervals, sweeps",
        "windows, exact sweeps",
        _on_a_line,
        _along_a_line,
    ),
    Row(
        "line",
        "every",
        "plain",
        "some",
        "any",
        "the same, rows withheld",
        "windows",
        _on_a_line,
        _along_a_line,
    ),
    Row(
        "columns",
        "every",
        "plain",
        "none",
        "any",
        "boxes, mended worst first",
        "reach, windows of boxes",
        _over_columns,
    ),
    Row("columns", "every", "plain", "some", "any", "the same, far tuples withheld", "reach", _over_columns),
    Row(
        "columns",
        "every",
        "beside",
        "any",
        "any",
        "boxes, polished",
        NO_BOUND,
        _over_columns,
        _beside_columns,
    ),
    Row(
        "any",
        "every",
        "any",
        "any",
        "any",
        "merging what keeps too little with whatever costs least",
        NO_BOUND,
        _any_cost,
        _along_any_cost,
    ),
    Row("any", "columns", "any", "any", "any", "codebooks by column", "none", _by_workflow),
    Row("any", "tree", "any", "any", "any", "a tree of cuts", "none", _by_workflow),
    Row("any", "bands of several", "any", "any", "any", SEVERAL),
    Row("any", "any", "beside", "any", "any", BESIDE),
    Row("other", "any", "any", "any", "any", ORDERED),
    Row("any", "grouped bands", "any", "any", "any", GROUPED),
    Row("any", "groups", "any", "some", "any", GROUPED),
    Row("any", "groups", "any", "any", "limited", CERTAIN),
    Row(
        "size",
        "groups",
        "plain",
        "none",
        "free",
        "cuts of the groups",
        "exact",
        _of_groups,
    ),
    Row("any", "borders of text", "any", "any", "any", TEXT),
    Row("any", "bands", "plain", "none", "any", "programs along the line", "exact", _on_a_line),
    Row(
        "any",
        "bands",
        "plain",
        "some",
        "any",
        "the same, rows withheld",
        "exact but for what is withheld",
        _on_a_line,
    ),
)
"""Cost, shape, reader, withheld rows, limit on components; the method and its bound, or the refusal.

Costs: the number of values (size), a distance along one column (line), boxes over several (columns), any
other. A reader sees the labels alone (plain), or knows or sees something beside them.
"""
