"""What is known of where sensitive values stand before the first cut: a reference table, or a fact.

Both are told from public constants, from public values and from the multiset of the whole table, so cuts may
be chosen by them (Theorem T1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Flags, Floats, Int64s
from hartley.search.trees.loops.layout import BINS, SLOTS, Learnt, Tuples, Wants


@dataclass(frozen=True, eq=False)
class Reference:
    """Rows of another table of the same kind."""

    ranks: Int64s
    """For each of its tuples and each column the rank of the cell among the cells of our table; -1: none."""
    tuple_of: Int64s
    """The tuple of each entry."""
    value: Int64s
    """The sensitive value of each entry among those of our table; -1: it is not there."""
    rows: Floats


def see_reference(tuples: Tuples, wants: Wants, learnt: Learnt, reference: Reference) -> None:
    """Count the rows of a reference table as seen before the first cut."""
    code = wants.code_of[wants.witness][np.maximum(reference.value, 0)]
    slot = learnt.slot[wants.begin[wants.witness] + code]
    slot = np.where(reference.value < 0, SLOTS, slot)
    for j in range(tuples.rank.shape[1]):
        rank = reference.ranks[reference.tuple_of, j]
        is_there = rank >= 0
        place = tuples.bin[tuples.begin[j] + rank[is_there]].astype(np.int64)
        cell = place * (SLOTS + 1) + slot[is_there]
        counts = np.bincount(cell, weights=reference.rows[is_there], minlength=BINS * (SLOTS + 1))
        learnt.seen[j] += counts.reshape(BINS, SLOTS + 1)


def see_alike(tuples: Tuples, wants: Wants, learnt: Learnt, facts: Iterable[Flags]) -> None:
    """Take the rows of some tuples to share the commonest value, the others what is left of all values."""
    alike = np.zeros(len(tuples.rows), dtype=np.bool_)
    for one in facts:
        alike |= one
    codes = wants.code_of[wants.witness][tuples.code]
    slots = np.bincount(
        learnt.slot[wants.begin[wants.witness] + codes], weights=tuples.amounts, minlength=SLOTS + 1
    )
    slots[0] = max(slots[0] - float(tuples.rows[alike].sum()), 0.0)
    shares = slots / max(slots.sum(), 1.0)
    for j in range(tuples.rank.shape[1]):
        place = tuples.bin[tuples.begin[j] + tuples.rank[:, j]]
        together = np.bincount(place, weights=tuples.rows * alike, minlength=BINS)
        others = np.bincount(place, weights=tuples.rows * ~alike, minlength=BINS)
        learnt.seen[j] += others[:, None] * shares[None, :]
        learnt.seen[j, :, 0] += together


def ranks_among(places: Sequence[float], cells: Floats) -> Int64s:
    """Return for each place on a line the rank of the nearest of some rising cells.

    >>> ranks_among([1.0, 7.0, 99.0], np.array([0.0, 5.0, 10.0])).tolist()
    [0, 1, 2]
    """
    wanted = np.asarray(places, dtype=np.float64)
    above = np.clip(np.searchsorted(cells, wanted), 1, max(len(cells) - 1, 1))
    below = above - 1
    if len(cells) == 1:
        return np.zeros(len(wanted), dtype=np.int64)
    nearest = np.where(wanted - cells[below] <= cells[above] - wanted, below, above)
    return np.asarray(nearest, dtype=np.int64)
