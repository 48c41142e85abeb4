"""What a utility is: a cost of each cluster, and a falling function of the worst cost."""

from __future__ import annotations

from typing import Protocol

from hartley.errors import InputError
from hartley.measures.utility.union_costs import UnionCosts
from hartley.model import Partition
from hartley.model.arrays import Floats


class Utility(Protocol):
    """A cost of each cluster, and the utility that the worst cost leaves."""

    @property
    def name(self) -> str:
        """The word for it in the command line and in JSON."""

    @property
    def size(self) -> int:
        """How many public values it is about."""

    def costs(self, partition: Partition) -> Floats:
        """Return the cost of every cluster; infinite where the cluster is not allowed."""

    def of_cost(self, worst: float) -> float:
        """Return the utility of a partition whose worst cluster costs this much."""

    def union_costs(self) -> UnionCosts:
        """Return the costs of all unions of two values, to be kept up to date while clusters are merged."""


def utility_of(utility: Utility, partition: Partition) -> float:
    """Return the utility of a partition.

    >>> from math import log2
    >>> from hartley.measures.utility.resolution import Resolution
    >>> utility_of(Resolution(7), Partition.whole(6))
    Traceback (most recent call last):
    hartley.errors.InputError: a partition of 6 values does not fit 7 public values
    >>> utility_of(Resolution(7), Partition.from_clusters([[0, 1, 6], [2, 3, 4, 5]])) == log2(7 / 4)
    True
    """
    if len(partition.labels) != utility.size:
        raise InputError(
            f"a partition of {len(partition.labels)} values does not fit {utility.size} public values"
        )
    return utility.of_cost(float(utility.costs(partition).max()))
