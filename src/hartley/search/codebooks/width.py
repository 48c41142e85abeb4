"""How much of a column's detail a band loses: 0 where the value is kept, 1 where nothing is told."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.model.arrays import Floats
from hartley.search.codebooks.column import PublicColumn


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
