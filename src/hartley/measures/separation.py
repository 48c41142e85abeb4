r"""Counting with a tolerance: sensitive values count as two only where they are apart.

:math:`N_\tau(A)` is the most values of A that are pairwise *more than* :math:`\tau` apart. On a line that is
also the least number of intervals of length :math:`\tau` that cover A (Theorem A1), so the number of guesses
of that width that a reader needs to be sure. A tolerance of 0 gives the paper's measures. With groups instead
of a tolerance the groups are counted. The measures themselves take a :class:`~hartley.Closeness`.

What it does not say: bits at different tolerances cannot be compared, for the values of the whole table are
counted with the tolerance as well; and :math:`I_*` with a tolerance says little by itself (never more than
:math:`L_0`, Theorem A2), since a chain of close values links all of them.
"""

from __future__ import annotations

from math import inf

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model import JointRange
from hartley.model.arrays import Int64s, Ints, different
from hartley.model.closeness import Closeness, SensitiveCodes, spread


@hot_loop
def count_chains(groups: Ints, codes: Ints, next_code: Ints, lengths: Int64s) -> None:
    """Add up the chain of each group, given pairs of group and code in ascending order."""
    group, reach = -1, 0
    for entry in range(len(codes)):
        if groups[entry] != group:
            group, reach = groups[entry], 0
        if codes[entry] >= reach:
            lengths[group] += 1
            reach = next_code[codes[entry]]


def separated_values(joint: JointRange, closeness: Closeness) -> int:
    r"""Return how many sensitive values of the whole table are apart, :math:`N_\tau([\![S]\!])`.

    >>> joint = JointRange.from_pairs([("x", s) for s in range(41, 46)])
    >>> [separated_values(joint, Closeness.of({"sensitive": tolerance})) for tolerance in (4, 1, 0)]
    [1, 3, 5]
    """
    codes = closeness.codes(joint.sensitive)
    return int(chain_counts(np.zeros(codes.width, dtype=np.int64), np.arange(codes.width), codes, 1)[0])


def least_spread(joint: JointRange, closeness: Closeness) -> float | None:
    """Return the least difference of largest and smallest value that an observation leaves possible.

    Of the column with the tolerance, in days for dates; ``None`` where no column has one. An observation
    that leaves a missing value possible as well counts by its others, and one that leaves nothing else by
    0. It is a difference of two sensitive cells: for the curator only.
    """
    named = [name for name, _ in closeness.tolerances]
    if not named:
        return None
    (column,) = (c for c in joint.sensitive.coordinates if c.name == named[0])
    positions = column.positions
    if positions is None:
        return 0.0
    here = positions[joint.indices]
    starts = joint.indptr[:-1]
    low = np.minimum.reduceat(np.where(np.isnan(here), inf, here), starts)
    high = np.maximum.reduceat(np.where(np.isnan(here), -inf, here), starts)
    narrowest = int(np.argmin(np.where(high < low, 0.0, high - low)))
    found = spread(column, joint.candidates(narrowest).astype(np.intp))
    return 0.0 if np.isnan(found) else found


def chain_counts(groups: Ints, codes: Ints, of: SensitiveCodes, size: int) -> Int64s:
    """Return the length of the chain of the codes that each group holds."""
    keys = different(groups.astype(np.int64) * of.width + codes)
    if of.is_plain:
        return np.bincount(keys // of.width, minlength=size)
    lengths = np.zeros(size, dtype=np.int64)
    count_chains.for_size(len(keys))(keys // of.width, keys % of.width, of.next_code, lengths)
    return lengths
