"""The cheapest boxes over several columns that keep a demand, and those that leave few components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from hartley.measures.overlap import components
from hartley.measures.utility.several_columns import CategoryColumn, ColumnsDistortion, NumberColumn
from hartley.model import Partition
from hartley.model.words import SAME_COST
from hartley.search.columns.cells import CategoryCells, Column, NumberCells, cells_of
from hartley.search.columns.components import ComponentSearch, Joining
from hartley.search.columns.costs import relative_loss
from hartley.search.columns.search import present, search_columns
from hartley.search.columns.withheld import withhold_tuples
from hartley.search.demands.question import DemandAnswer, DemandQuestion, too_many_components
from hartley.search.effort import Effort
from hartley.search.enough import Enough


def cells_of_utility(utility: ColumnsDistortion) -> list[Column]:
    """Return the columns of a utility as the search over columns takes them."""
    columns: list[Column] = []
    for column in utility.columns:
        if isinstance(column, NumberColumn):
            here = column.positions[~np.isnan(column.positions)]
            columns.append(
                NumberCells(column.positions, importance=_importance(np.ptp(here) if len(here) else 0.0))
            )
        elif isinstance(column, CategoryColumn):
            table = column.table
            is_plain = table is None or bool((table == 1.0 - np.eye(len(table))).all())
            widest = 1.0 if is_plain or table is None else float(table.max(initial=0.0))
            columns.append(
                CategoryCells(column.codes, table=None if is_plain else table, importance=_importance(widest))
            )
    return columns


def _importance(widest: float) -> float:
    """Return how much the relative width of a column counts: as much as its values lie apart at most."""
    return float(widest) if widest > 0 and abs(widest - 1) > SAME_COST else 1.0


def columns_answer(
    enough: Enough,
    utility: ColumnsDistortion,
    effort: Effort,
    starts: Sequence[Partition],
    budget: int,
    few: DemandAnswer | None,
) -> DemandAnswer:
    """Return the boxes found, less what a budget withholds; ``few`` is the best of all, if known."""
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
    )
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
