"""How much of a column's detail a band loses: 0 where the value is kept, 1 where nothing is told."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.model.arrays import Flags, Floats, Ints
from hartley.search.codebooks.column import PublicColumn
from hartley.search.codebooks.problem import CodebookProblem


def band_widths(column: PublicColumn, labels: npt.NDArray[np.int32]) -> Floats:
    """Return the relative width of each band of a codebook.

    On a line it is the span of the members over the range, elsewhere one less than their number over one
    less than the number of values.
    """
    bands = int(labels.max(initial=-1)) + 1
    extent = column.extent
    if extent <= 0:
        return np.zeros(bands)
    if not column.is_line:
        return (np.bincount(labels, minlength=bands) - 1) / extent
    low, high = np.full(bands, np.inf), np.full(bands, -np.inf)
    placed = labels[: len(column.values)]
    np.minimum.at(low, placed, column.positions)
    np.maximum.at(high, placed, column.positions)
    # A band of missing cells alone has no span.
    return np.asarray(np.where(high >= low, (high - low) / extent, 0.0))


def box_width(problem: CodebookProblem, cell: Ints, is_withheld: Flags) -> float:
    """Return the mean width that the members of a row's combination span; 1 for a withheld row.

    ``cell`` is the combination of each public tuple. Never more than the loss, which takes bands as full.
    """
    cells = int(cell.max()) + 1
    width = np.zeros(len(cell))
    for column, weight in zip(problem.columns, problem.weights, strict=True):
        if column.extent <= 0:
            continue
        if column.is_line:
            at = np.r_[column.positions, np.nan][column.codes]
            low, high = np.full(cells, np.inf), np.full(cells, -np.inf)
            np.fmin.at(low, cell, at)
            np.fmax.at(high, cell, at)
            found = np.maximum(high - low, 0.0)
        else:
            pairs = np.unique(cell.astype(np.int64) * column.size + column.codes)
            found = np.bincount(pairs // column.size, minlength=cells) - 1.0
        width += weight * found[cell] / column.extent
    rows = problem.demand.rows
    return float(rows @ np.where(is_withheld, 1.0, width)) / problem.rows
