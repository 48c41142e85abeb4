"""pMSE: how well a small tree tells the rows of a release from those of the original.

All rows of both files are put together, and a tree of cuts is grown on the bins of the columns that predicts
from which file a row
is. pMSE is the mean of (p - c) squared, where p is the share of released rows in a row's leaf and c that of
all rows (Snoke, Raab,
Nowok, Dibben and Slavkovic 2018): 0 where the files cannot be told apart, c (1 - c) where they are told
apart always.

A cut is chosen that lowers the Gini impurity most; of equal ones that of the first column and the least bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hartley.measures.likeness.binned_columns import SharedColumn
from hartley.model.arrays import Flags, Int64s

DEPTH = 5
LEAST_LEAF = 0.005
"""The least share of all rows that a leaf may hold."""
FEWEST = 20
"""The fewest rows that a leaf may hold."""


@dataclass(frozen=True)
class Propensity:
    """How well the two files are told apart."""

    pmse: float
    share_of_worst: float
    """pMSE as a share of what it is where the files are told apart always."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"pmse": self.pmse, "share_of_worst": self.share_of_worst}


def propensity(columns: Sequence[SharedColumn]) -> Propensity:
    """Return how well a small tree tells released rows from original ones, as pMSE and beside the worst."""
    parts = [column.bins() for column in columns]
    bins = [np.concatenate([one, other]) for one, other, _ in parts]
    sizes = [size for *_, size in parts]
    originals = len(parts[0][0])
    is_released = np.arange(len(bins[0])) >= originals
    share = float(is_released.mean())
    total = 0.0
    waiting: list[tuple[Int64s, int]] = [(np.arange(len(is_released)), 0)]
    least = max(FEWEST, int(LEAST_LEAF * len(is_released)))
    while waiting:
        rows, depth = waiting.pop()
        cut = None if depth == DEPTH else _best_cut(rows, bins, sizes, is_released, least)
        if cut is None:
            total += len(rows) * (float(is_released[rows].mean()) - share) ** 2
            continue
        column, bound = cut
        is_low = bins[column][rows] <= bound
        waiting += [(rows[is_low], depth + 1), (rows[~is_low], depth + 1)]
    pmse = total / len(is_released)
    worst = share * (1 - share)
    return Propensity(pmse, pmse / worst if worst else 0.0)


def _best_cut(
    rows: Int64s, bins: Sequence[Int64s], sizes: Sequence[int], is_released: Flags, least: int
) -> tuple[int, int] | None:
    released = is_released[rows]
    count, hits = len(rows), int(released.sum())
    best, found = 1e-12, None
    for place, size in enumerate(sizes):
        codes = bins[place][rows]
        low = np.cumsum(np.bincount(codes, minlength=size))[:-1]
        low_hits = np.cumsum(np.bincount(codes, weights=released, minlength=size))[:-1]
        high, high_hits = count - low, hits - low_hits
        is_allowed = (low >= least) & (high >= least)
        if not is_allowed.any():
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = low_hits**2 / low + high_hits**2 / high - hits**2 / count
        gain = np.where(is_allowed, gain, -1.0)
        at = int(np.argmax(gain))
        if gain[at] / count > best:
            best, found = float(gain[at]) / count, (place, at)
    return found
