"""Boxes of sets of tuples: a lowest and a highest cell in each column."""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_part
from hartley.model.arrays import Floats, Int32s
from hartley.search.columns.loops.cells import Cells


@hot_part
def box_into(cells: Cells, members: Int32s, first: int, last: int, low: Floats, high: Floats) -> None:
    """Write the box of ``members[first:last]``."""
    for column in range(len(cells.kind)):
        low[column] = np.inf
        high[column] = -np.inf
    for i in range(first, last):
        row = cells.place[members[i]]
        for column in range(len(row)):
            cell = row[column]
            if cell < low[column]:
                low[column] = cell
            if cell > high[column]:
                high[column] = cell


@hot_part
def take_into(cells: Cells, one: int, low: Floats, high: Floats) -> None:
    """Widen a box by a tuple."""
    row = cells.place[one]
    for column in range(len(row)):
        cell = row[column]
        low[column] = min(low[column], cell)
        high[column] = max(high[column], cell)


@hot_part
def added_share(cells: Cells, low: Floats, high: Floats, one: int) -> float:
    """Return how much relative width a box gains with a tuple; a category outside its run is one more."""
    gain, row = 0.0, cells.place[one]
    for column in range(len(row)):
        cell = row[column]
        if cells.kind[column] == 0:
            gain += cells.share[column] * (max(low[column] - cell, 0.0) + max(cell - high[column], 0.0))
        elif cell < low[column] or cell > high[column]:
            gain += cells.share[column]
    return gain
