"""What generalisation and suppression end in: a partition, and how much of the table it keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hartley.measures.uncertainty import rows_of_values
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s


@dataclass(frozen=True, kw_only=True)
class Generalisation:
    """A table generalised, as which public values share a released value.

    The suppressed values are one cluster of the partition: either released as ``"*"``, or
    left out of the release with their rows, as the search was told.
    """

    partition: Partition
    suppressed: tuple[int, ...]
    """Places of the public values that are suppressed, in order."""
    levels: tuple[int, ...]
    """The highest level used in each column by a value that is not suppressed."""
    precision: float
    """Sweeney's Prec: 1 when every cell is as it was, 0 when none tells anything."""

    def suppressed_rows(self, joint: JointRange) -> int:
        """Count the rows of the suppressed values."""
        if not self.suppressed:
            return 0
        return int(rows_of_values(joint)[list(self.suppressed)].sum())


def precision(joint: JointRange, levels: Int64s, heights: Sequence[int]) -> float:
    r"""Measure how much of the cells is left, Sweeney's Prec.

    .. math:: 1 - \frac{\sum_{i,j} \text{level}_{ij} / \text{height}_j}{\text{rows} \cdot \text{columns}}

    ``levels`` holds the level of every public value (first axis) in every column (second);
    a suppressed cell counts as its column's top.

    >>> from hartley.examples import toy
    >>> precision(toy(), np.array([[0], [0], [0], [1], [1], [2], [2]]), [2])
    0.625
    """
    share = (levels / np.asarray(heights)).mean(axis=1)
    rows = rows_of_values(joint)
    return float(1 - (share * rows).sum() / rows.sum())
