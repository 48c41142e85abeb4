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

from collections.abc import Sequence
from dataclasses import replace

from hartley.errors import OptionError, option
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Partition
from hartley.search.by_size.withheld import least_largest_withholding
from hartley.search.columns.components import ComponentSearch
from hartley.search.demands.merges import joined, less_its_worst, merged
from hartley.search.demands.one_column import arranged_answer, joined_bands, line_answer
from hartley.search.demands.question import DemandAnswer, DemandQuestion, answer_of
from hartley.search.demands.several_columns import (
    after_joins,
    columns_answer,
    component_search,
    joined_columns,
)
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.line.every_partition import MOST_VALUES
from hartley.search.line.resolution import least_largest_cluster
from hartley.search.withheld.of_few import best_of_all, costs_of_subsets

MOST_TURNS = 200
"""Numbers of components that a frontier over several columns shows at most."""


def cheapest(
    question: DemandQuestion, effort: Effort = UNLIMITED, starts: Sequence[Partition] = ()
) -> DemandAnswer:
    """Return the cheapest partition found that keeps a demand, and what nothing can beat.

    >>> from hartley.examples import toy
    >>> from hartley.model.requirement import Requirement
    >>> asked = DemandQuestion(
    ...     joint=toy(), utility=Resolution(7), requirements=(Requirement("distinct-l", 3),)
    ... )
    >>> answer = cheapest(asked)
    >>> answer.cost, answer.is_proven
    (4.0, True)
    """
    found = _searched(question, effort, starts)
    if question.most_components is None:
        return found
    if question.is_over_columns:
        return joined_columns(question, found, effort)
    return joined(question, found) if question.shape.is_any else joined_bands(question, found, effort)


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


def _searched(question: DemandQuestion, effort: Effort, starts: Sequence[Partition]) -> DemandAnswer:
    joint, utility = question.joint, question.utility
    if joint.side is None and isinstance(utility, LineDistortion):
        return line_answer(question, utility, effort)
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
                least_largest_withholding(enough, question.budget, effort)
                if question.budget
                else least_largest_cluster(enough, effort)
            )
            return answer_of(by_size)
        few = _of_few(enough, utility, question.budget) if joint.public.size <= MOST_VALUES else None
        if isinstance(utility, ColumnsDistortion) and utility.codeword == "midpoint":
            known = starts if few is None or len(few.withheld) else (*starts, few.partition)
            return columns_answer(enough, utility, effort, known, question.budget, few)
        if few is not None:
            return few
    return less_its_worst(question, merged(question, effort, starts))


def _of_few(enough: Enough, utility: Utility, budget: int) -> DemandAnswer:
    """Look at every partition of a few values, and every block of it that may be withheld."""
    enough.require_reachable()
    costs = costs_of_subsets(utility, enough.size)
    return answer_of(best_of_all(enough, costs, costs, budget))
