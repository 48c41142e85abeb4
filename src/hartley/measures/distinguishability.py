r"""How different the public values of two sensitive values are (Farokhi 2019).

Two sensitive values can be told apart by the public values that occur with one and not
with the other, :math:`[\![X | s]\!] \,\triangle\, [\![X | s']\!]`. The count is the symmetric
difference; as a share of all public values of either it is Jaccard's distance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hartley.measures.certain.confusability_graph import incidence
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, Int64s

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BLOCK_CELLS = 4_000_000
"""Cells of the matrix that are looked at together."""


@dataclass(frozen=True)
class Distinction:
    """The largest difference between two sensitive values, and the two (of equals, any)."""

    amount: float
    values: tuple[int, int]


def symmetric_differences(joint: JointRange, partition: Partition | None = None) -> Int64s:
    r"""Count what tells each two sensitive values apart, as a matrix.

    :math:`|[\![X | s]\!] \,\triangle\, [\![X | s']\!]|` for all s and s'.

    >>> from hartley.examples import toy
    >>> symmetric_differences(toy())[0].tolist()
    [0, 1, 4, 3, 3, 3]
    """
    counts, shared = _all_shared(joint, partition)
    return counts[:, None] + counts[None, :] - 2 * shared


def jaccard_distances(joint: JointRange, partition: Partition | None = None) -> Floats:
    """Return the share of their public values that tells each two sensitive values apart, as a matrix.

    1 where they share none, which is so whenever they lie in different components.

    >>> from hartley.examples import toy
    >>> jaccard_distances(toy())[0].tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0, 1.0]
    """
    counts, shared = _all_shared(joint, partition)
    return np.asarray(1.0 - shared / (counts[:, None] + counts[None, :] - shared))


def max_symmetric_difference(joint: JointRange, partition: Partition | None = None) -> Distinction:
    """Find the two sensitive values that most public values tell apart, without the whole matrix.

    Values with many public values come first; the search ends where even sharing nothing
    would not beat what was found.

    >>> from hartley.examples import toy
    >>> max_symmetric_difference(toy())
    Distinction(amount=4, values=(0, 2))
    """
    matrix = _incidence(joint, partition)
    counts = np.diff(matrix.indptr).astype(np.int64)
    order = np.argsort(-counts, kind="stable")
    matrix, sorted_counts = matrix[order], counts[order]
    best = Distinction(0, (0, 0))
    for block in _blocks(matrix):
        top = sorted_counts[block.start]
        if top + sorted_counts[min(block.start + 1, len(order) - 1)] <= best.amount:
            break
        # Partners further down than this cannot reach the best either.
        reach = max(block.stop, int(np.searchsorted(-sorted_counts, top - best.amount, side="left")))
        shared = (block.rows @ matrix[:reach].T).toarray()
        found = sorted_counts[block.start : block.stop, None] + sorted_counts[None, :reach] - 2 * shared
        best = _better(best, found, order, block.start)
    return Distinction(int(best.amount), best.values)


def max_jaccard_distance(joint: JointRange, partition: Partition | None = None) -> Distinction:
    """Find the two sensitive values that share least of their public values, without the whole matrix.

    Values with few public values come first: they are the likeliest to share none, and
    then nothing can be further apart.

    >>> from hartley.examples import toy
    >>> max_jaccard_distance(toy()).amount
    1.0
    """
    matrix = _incidence(joint, partition)
    counts = np.diff(matrix.indptr).astype(np.int64)
    order = np.argsort(counts, kind="stable")
    matrix, sorted_counts = matrix[order], counts[order]
    best = Distinction(0.0, (0, 0))
    transposed = matrix.T.tocsr()
    for block in _blocks(matrix):
        if best.amount == 1:
            break
        shared = (block.rows @ transposed).toarray()
        total = sorted_counts[block.start : block.stop, None] + sorted_counts[None, :] - shared
        best = _better(best, 1.0 - shared / total, order, block.start)
    return Distinction(float(best.amount), best.values)


@dataclass(frozen=True)
class _Block:
    start: int
    stop: int
    rows: csr_array


def _blocks(matrix: csr_array) -> Iterator[_Block]:
    size = matrix.shape[0]
    # The first blocks are small, because the answer is often there.
    start, height = 0, 8
    while start < size:
        stop = min(size, start + min(height, max(1, BLOCK_CELLS // size)))
        yield _Block(start, stop, matrix[start:stop])
        start, height = stop, height * 4


def _better(
    best: Distinction, found: npt.NDArray[np.floating | np.integer], order: npt.NDArray[np.intp], start: int
) -> Distinction:
    place = int(np.argmax(found))
    row, column = divmod(place, found.shape[1])
    amount = found[row, column].item()
    if amount <= best.amount:
        return best
    one, other = sorted((int(order[start + row]), int(order[column])))
    return Distinction(amount, (one, other))


def _all_shared(joint: JointRange, partition: Partition | None) -> tuple[Int64s, Int64s]:
    matrix = _incidence(joint, partition)
    return np.diff(matrix.indptr).astype(np.int64), (matrix @ matrix.T).toarray().astype(np.int64)


def _incidence(joint: JointRange, partition: Partition | None) -> csr_array:
    """Return the matrix with a row of ones for each sensitive value, a column for each observation."""
    return incidence(joint.release(partition)).T.tocsr()
