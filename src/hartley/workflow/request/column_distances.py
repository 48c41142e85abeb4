"""What is said about single columns, as distances: weights, orders, hierarchies and dissimilarities.

A weight multiplies the distances of a column. The values of an ordered column lie evenly from 0 to 1. Two
values of a hierarchy are as far apart as the lowest group that holds both is high; the top is 1 high. Or
it is said of each two values how unlike they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from hartley.errors import InputError, OptionError, option
from hartley.model import Alphabet, Coordinate, Label
from hartley.workflow.request.column_choices import ColumnChoices
from hartley.workflow.request.utility_choice import UtilityChoice

Distances = dict[tuple[Label, Label], float]
Paths = dict[Label, tuple[Label, ...]]
"""The ever wider groups of each value, itself first."""


def with_distances(choice: UtilityChoice, said: ColumnChoices, public: Alphabet) -> UtilityChoice:
    """Return a choice of utility with the distances that are said for single columns."""
    named = {*said.weight, *said.order, *said.hierarchy, *said.dissimilarity}
    if not named:
        return choice
    said.require_among(public.columns)
    if len(public.columns) < 2:
        raise OptionError(
            f"{option(said.said[0])} is of several public columns; name more, or choose "
            f"{option('shape', 'columns')}"
        )
    scales, tables = dict(choice.scales), dict(choice.dissimilarities)
    for place, column in enumerate(public.coordinates):
        if column.name not in named:
            continue
        weight = float(said.weight.get(column.name, 1.0))
        # The settings refuse an order, a hierarchy or dissimilarities of a column that is no text.
        settings = said.settings(column, keep=False)
        if settings.hierarchy is not None:
            tables[column.name] = _weighed(_by_hierarchy(public, place, settings.hierarchy), weight)
        elif settings.order is not None:
            tables[column.name] = _weighed(_by_order(column, settings.order), weight)
        elif column.name in said.dissimilarity:
            tables[column.name] = _weighed(said.dissimilarities(column.name), weight)
        elif column.name in tables:
            tables[column.name] = _weighed(tables[column.name], weight)
        elif column.kind == "text":
            tables[column.name] = dict.fromkeys(combinations(_cells(column), 2), weight)
        else:
            scales[column.name] = scales.get(column.name, _range(column)) / weight
    return replace(choice, scales=scales, dissimilarities=tables)


def _weighed(distances: Mapping[Any, float], weight: float) -> Distances:
    return {pair: weight * distance for pair, distance in distances.items()}


def _cells(column: Coordinate) -> list[Label]:
    return list(dict.fromkeys(column.cell(place) for place in range(len(column.values))))


def _range(column: Coordinate) -> float:
    positions = column.positions
    here = positions[~np.isnan(positions)] if positions is not None else np.zeros(0)
    return (float(np.ptp(here)) if len(here) else 0.0) or 1.0


def _by_order(column: Coordinate, order: Sequence[str]) -> Distances:
    rank = {value: place for place, value in enumerate(order)}
    cells = _cells(column)
    lacking = [cell for cell in cells if cell is not None and str(cell) not in rank]
    if lacking:
        raise InputError(f"the order lacks {len(lacking)} of the values of column {column.name!r}")
    length = max(len(order) - 1, 1)

    def distance(one: Label, other: Label) -> float:
        if one is None or other is None:
            return 1.0
        return abs(rank[str(one)] - rank[str(other)]) / length

    return {(one, other): distance(one, other) for one, other in combinations(cells, 2)}


def groups_said(said: ColumnChoices, public: Alphabet) -> dict[str, Paths]:
    """Return the ever wider groups of the values of each column that has a hierarchy."""
    found = {}
    for place, column in enumerate(public.coordinates):
        rows = said.settings(column, keep=False).hierarchy if column.name in said.hierarchy else None
        if rows is not None:
            found[column.name] = _paths(public, place, rows)
    return found


def _paths(public: Alphabet, place: int, rows: Sequence[Sequence[str]]) -> Paths:
    # Loaded where there is a hierarchy: with it come all searches that others have.
    from hartley.search.baselines.hierarchy import Hierarchy

    column = public.coordinates[place]
    try:
        words = Hierarchy.of_rows(public, rows, column=place).words
    except InputError as error:
        raise InputError(f"hierarchy of {column.name!r}: {error.message}") from None
    return {column.cell(at): tuple(level[at] for level in words) for at in range(public.size)}


def _by_hierarchy(public: Alphabet, place: int, rows: Sequence[Sequence[str]]) -> Distances:
    path = _paths(public, place, rows)
    top = max(len(next(iter(path.values()))) - 1, 1)

    def height(one: Label, other: Label) -> float:
        pairs = zip(path[one], path[other], strict=True)
        return next((level for level, (a, b) in enumerate(pairs) if a == b), top) / top

    return {(one, other): height(one, other) for one, other in combinations(path, 2)}
