"""What is known before the first cut, and the cuts that are made without knowing more."""

from __future__ import annotations

import numpy as np

from hartley.model.arrays import Int32s, Int64s
from hartley.search.trees.loops.layout import BINS, MIDDLE, SLOTS, Learnt, Tuples, Wants

PILOT_ROWS = 8_000
"""Nodes of so many rows are cut without looking at sensitive values until the first classes are made."""
LEAST_SIDE = 0.2
"""The least share of the rows on a side of such a cut."""
ALIKE = 0.5
"""How far its sides may differ in the other columns, from 0 to 2."""


def bins_of(ranks: Int64s, cells: int, rows: Int64s) -> Int32s:
    """Return the bin of each cell, so that bins have about equally many rows."""
    if cells <= BINS:
        return np.arange(cells, dtype=np.int32)
    of_cell = np.bincount(ranks, weights=rows, minlength=cells)
    below = np.cumsum(of_cell) - of_cell / 2
    found: Int32s = np.minimum(below * BINS // of_cell.sum(), BINS - 1).astype(np.int32)
    return found


def first_learnt(tuples: Tuples, wants: Wants) -> Learnt:
    """Return what is known before the first cut: the commonest codes of the whole table."""
    slot = np.full(max(int(wants.begin[-1]), 1), SLOTS, dtype=np.int64)
    code_of_slot = np.full(SLOTS, -1, dtype=np.int64)
    if wants.witness >= 0:
        begin = int(wants.begin[wants.witness])
        codes = wants.code_of[wants.witness][tuples.code]
        rows = np.bincount(codes, weights=tuples.amounts)
        common = np.argsort(-rows, kind="stable")[:SLOTS]
        common = common[rows[common] > 0]
        code_of_slot[: len(common)] = common
        slot[begin + common] = np.arange(len(common))
    is_learning = wants.rule != MIDDLE and wants.witness >= 0
    pilots = first_cuts(tuples) if is_learning else np.zeros((0, 3), dtype=np.int64)
    return Learnt(
        slot=slot,
        code_of_slot=code_of_slot,
        seen=np.zeros((tuples.rank.shape[1], BINS, SLOTS + 1)),
        pilots=pilots,
        step=np.zeros(1, dtype=np.int64),
    )


def first_cuts(tuples: Tuples) -> Int64s:
    """Return the first cuts, down the path of the smaller parts, that part rows which are most alike.

    Nothing is known of sensitive values before the first classes are made. So the first cuts are near the
    middle of columns, and of those the one whose sides differ least in the other columns: they are the least
    likely to part sensitive values, and the first classes are a fair sample of the rest.
    """
    columns = tuples.rank.shape[1]
    cuts: list[tuple[int, int, int]] = []
    here = np.arange(len(tuples.rank))
    while tuples.rows[here].sum() >= PILOT_ROWS and columns > 1:
        rows = tuples.rows[here].astype(np.float64)
        total = rows.sum()
        bins = [tuples.bin[tuples.begin[j] + tuples.rank[here, j]] for j in range(columns)]
        whole = [np.bincount(one, weights=rows, minlength=BINS) for one in bins]
        best = (2.0, 0, 0)
        for j in range(columns):
            below = np.cumsum(np.bincount(tuples.rank[here, j], weights=rows))
            rank = int(np.argmin(np.abs(below - total / 2)))
            share = below[rank] / total
            if min(share, 1 - share) < LEAST_SIDE:
                continue
            left = rows * (tuples.rank[here, j] <= rank)
            apart = 0.0
            for other in range(columns):
                if other != j:
                    mine = np.bincount(bins[other], weights=left, minlength=BINS)
                    apart += float(np.abs(mine / share - whole[other]).sum()) / total
            best = min(best, (apart / (columns - 1), j, rank))
        if best[0] > ALIKE:
            break
        _, column, rank = best
        cuts.append((column, rank, 0))
        is_left = tuples.rank[here, column] <= rank
        here = here[is_left] if 2 * is_left.sum() <= len(here) else here[~is_left]
    return np.array(cuts, dtype=np.int64).reshape(-1, 3)
