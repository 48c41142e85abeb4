r"""The rows of a table as probabilities, and the information a partition keeps.

Methods of information theory need :math:`p(s, x)`; here it is the share of rows that show
the pair. Everything is computed from whole row counts: with :math:`\varphi(c) = c \log_2 c`,

.. math:: H(\hat X) = \log_2 N - \tfrac1N \sum_{\hat x} \varphi(c_{\hat x}), \qquad
          I(S; \hat X) = H(S) + H(\hat X) - H(S, \hat X),

so that equal tables give equal numbers, and what merging changes is a sum of few terms. A reader's
side information is no part of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, Int64s, frozen_array

MOST_TABULATED = 2_000_000
"""Weighted logarithms are looked up below this count, and computed from there on."""


@hot_loop
def weighted_log(count: int, table: Floats) -> float:
    r"""Return :math:`\varphi(c) = c \log_2 c`, from the table where it reaches."""
    if count < len(table):
        return table[count]  # type: ignore[no-any-return]
    return count * np.log2(count)  # type: ignore[no-any-return]


def weighted_logs(most: int) -> Floats:
    """Tabulate the weighted logarithm for the counts from 0 to ``most``, or to where the table ends.

    >>> weighted_logs(4).tolist()[:3]
    [0.0, 0.0, 2.0]
    """
    counts = np.arange(min(most + 1, MOST_TABULATED), dtype=float)
    table = np.zeros(len(counts))
    table[1:] = counts[1:] * np.log2(counts[1:])
    return frozen_array(table)


@dataclass(frozen=True, eq=False)
class Masses:
    """The rows of each public value, by sensitive value; side information left aside."""

    indptr: Int64s
    sensitive: Int64s
    rows: Int64s
    totals: Int64s
    """Rows of each public value."""
    sensitive_totals: Int64s
    """Rows of each sensitive value."""

    @classmethod
    def of(cls, joint: JointRange, partition: Partition | None = None) -> Masses:
        """Take them from a joint range, or from a release of it."""
        plain = joint.without_side().release(partition)
        rows = plain.rows.astype(np.int64)
        return cls(
            plain.indptr.astype(np.int64),
            plain.indices.astype(np.int64),
            rows,
            np.add.reduceat(rows, plain.indptr[:-1]),
            np.bincount(plain.indices, weights=rows, minlength=plain.sensitive.size).astype(np.int64),
        )

    @property
    def size(self) -> int:
        """How many public values there are."""
        return len(self.totals)

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return int(self.totals.sum())

    @property
    def public_entropy(self) -> float:
        r"""Bits in the public value, :math:`H(\hat X)`; what a partition keeps of X, :math:`I(X; \hat X)`."""
        return _entropy(self.totals)

    @property
    def information(self) -> float:
        r"""Bits the public value tells about the sensitive one on average, :math:`I(S; \hat X)`."""
        return _entropy(self.sensitive_totals) + _entropy(self.totals) - _entropy(self.rows)


def _entropy(counts: Int64s) -> float:
    total = counts.sum()
    return float(np.log2(total) - (counts * np.log2(counts)).sum() / total)
