"""Several public columns: the least worst cost, proven where a bound meets it, then the least loss.

:func:`search_columns` finds a partition, :func:`midpoint_costs` measures any.

Read ``search`` first.
"""

from hartley.search.columns.cells import CategoryCells, Column, Combination, NumberCells, cells_of
from hartley.search.columns.costs import midpoint_costs, relative_loss, relative_widths
from hartley.search.columns.search import ColumnsResult, search_columns

__all__ = [
    "CategoryCells",
    "Column",
    "ColumnsResult",
    "Combination",
    "NumberCells",
    "cells_of",
    "midpoint_costs",
    "relative_loss",
    "relative_widths",
    "search_columns",
]
