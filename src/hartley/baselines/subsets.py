"""All subsets of a small set at once, by bit masks; and the run of a search that merges subsets.

The first element has the highest bit, so that of two subsets of one size the one with the larger mask comes
first in the order of their members.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hartley.errors import OptionError
from hartley.model import Partition
from hartley.model.arrays import Floats, Int64s

EXACT_UP_TO = 15
"""The most elements whose subsets are all tried."""
DECIMALS = 12
"""Values of subsets are compared after rounding to so many decimals."""


def require_weight(utility_weight: float) -> None:
    """Refuse a negative weight of utility."""
    if utility_weight < 0:
        raise OptionError("the utility weight cannot be negative")


def over_subsets(
    join: Callable[[npt.NDArray[np.generic], np.generic], npt.NDArray[np.generic]],
    values: npt.NDArray[np.generic],
    empty: float | int,
) -> npt.NDArray[np.generic]:
    """Combine the values of the elements of every subset; ``empty`` is what the empty subset gets."""
    table = np.array([empty], dtype=values.dtype)
    for value in values[::-1]:
        table = np.concatenate([table, join(table, value)])
    return table


def subset_sizes(elements: int) -> Int64s:
    """Count the elements of every subset."""
    return np.asarray(over_subsets(np.add, np.ones(elements, dtype=np.int64), 0), dtype=np.int64)


def members(mask: int, elements: int) -> list[int]:
    """List the elements of a subset."""
    return [element for element in range(elements) if mask >> (elements - 1 - element) & 1]


def least_subset(values: Floats, elements: int) -> int:
    """Return the mask of the subset with the least value; ties to the smallest, then the earliest."""
    rounded = np.round(values, DECIMALS)
    tied = np.flatnonzero(rounded == rounded.min())
    sizes = subset_sizes(elements)[tied]
    return int(tied[sizes == sizes.min()].max())


@dataclass(frozen=True, eq=False)
class SubsetRun:
    """The partitions a run of subset merges went through, the untouched one first."""

    partitions: tuple[Partition, ...]
    changes: tuple[float, ...]
    """By how much each step changed the Lagrangian; all negative."""

    @property
    def partition(self) -> Partition:
        """The partition the run ends in."""
        return self.partitions[-1]
