"""A utility of one's own: any cost of a cluster, given as a function of its members."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import comb, isnan

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError
from hartley.measures.utility.line import Distortion
from hartley.measures.utility.union_costs import Members
from hartley.model import Partition
from hartley.model.arrays import Floats


@dataclass(frozen=True, eq=False)
class OwnUtility(Distortion):
    """Minus the cost of the worst cluster, by a cost of one's own.

    Anything that has the methods of :class:`~hartley.Utility` serves as well; this class makes them of one
    function. It works in greedy runs, in the walk over few values and in the search of any cost, which looks
    at some hundreds of clusters for each value: a slow function makes a slow search.

    Parameters
    ----------
    size : int
        How many public values there are.
    cost : callable
        From the places of a cluster's members, ascending, to its cost: a number from 0 on, infinite where the
        cluster is not allowed. It is asked for clusters of two values or more; one value alone costs nothing.
    grows : bool
        Whether no cluster costs less than a part of it. Then pairs bound what a cluster costs, and more is
        proven; a false promise makes false proofs.

    Raises
    ------
    InputError
        If a cost is below zero or no number.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> spread = hartley.OwnUtility(7, lambda members: members[-1] - members[0], grows=True)
    >>> spread.costs(hartley.Partition.from_clusters([[0, 3, 1], [2], [4, 5, 6]]))
    array([3., 0., 2.])
    >>> [point.max_distortion for point in hartley.frontier(toy(), leakage="istar", utility=spread)]
    [0.0, 1.0, 3.0]
    """

    size: int
    cost: Callable[[tuple[int, ...]], float]
    grows: bool = False

    @classmethod
    def sum_of(cls, dissimilarities: npt.ArrayLike) -> OwnUtility:
        """Count a cluster by the sum of the dissimilarities of its pairs; the worst cluster decides.

        ``dissimilarities`` is a symmetric table of finite numbers from 0 on, one row for each value.

        >>> places = np.array([0.0, 1.0, 4.0])
        >>> OwnUtility.sum_of(abs(places[:, None] - places)).costs(Partition.whole(3))
        array([8.])
        """
        table = _symmetric(dissimilarities)
        return cls(len(table), partial(_sum_of_pairs, table), grows=True)

    @classmethod
    def mean_of(cls, dissimilarities: npt.ArrayLike) -> OwnUtility:
        """Count a cluster by the mean of the dissimilarities of its pairs; the worst cluster decides.

        A mean may fall where a cluster grows, so pairs bound nothing: beyond a few values less is proven.

        >>> places = np.array([0.0, 1.0, 4.0])
        >>> mean = OwnUtility.mean_of(abs(places[:, None] - places))
        >>> mean.costs(Partition.whole(3)).round(2), mean.costs(Partition.from_clusters([[0, 2], [1]]))
        (array([2.67]), array([4., 0.]))
        """
        table = _symmetric(dissimilarities)
        return cls(len(table), partial(_mean_of_pairs, table))

    def cost_of(self, members: tuple[int, ...]) -> float:
        """Return the cost of one cluster."""
        if len(members) < 2:
            return 0.0
        found = self.cost(members)
        try:
            cost = float(found)
        except (TypeError, ValueError):
            kind = type(found).__name__
            raise InputError(f"a cluster costs a number, and the function gave {kind}") from None
        if isnan(cost) or cost < 0:
            raise InputError(f"a cluster costs 0 or more, and the function gave {cost}")
        return cost

    def costs(self, partition: Partition) -> Floats:
        """Return the cost of every cluster."""
        return np.array([self.cost_of(cluster) for cluster in partition])

    def union_costs(self) -> OwnUnions:
        """Return the costs of all unions of two values."""
        return OwnUnions(self)


class OwnUnions:
    """The cost of every union, asked for one by one."""

    def __init__(self, utility: OwnUtility) -> None:
        self.members = Members(np.ones(utility.size, dtype=np.bool_))
        self._utility = utility

    def with_each(self, place: int) -> Floats:
        """Return the cost of the union of the cluster at ``place`` with each other; infinite for itself."""
        own = self.members.of(place)
        costs = np.full(self._utility.size, np.inf)
        for other in np.flatnonzero(self.members.partners(place)).tolist():
            costs[other] = self._utility.cost_of(tuple(sorted(own + self.members.of(other))))
        return costs

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        self.members.merge(kept, joined)


def _symmetric(dissimilarities: npt.ArrayLike) -> Floats:
    table = np.array(dissimilarities, dtype=float)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.array_equal(table, table.T):
        raise InputError("dissimilarities of pairs must be a square table, the same in both directions")
    if not np.isfinite(table).all() or (table < 0).any():
        raise InputError("dissimilarities must be finite numbers, none below zero")
    np.fill_diagonal(table, 0.0)
    return table


def _sum_of_pairs(table: Floats, members: tuple[int, ...]) -> float:
    return float(table[np.ix_(members, members)].sum()) / 2  # every pair stands in it twice


def _mean_of_pairs(table: Floats, members: tuple[int, ...]) -> float:
    return _sum_of_pairs(table, members) / comb(len(members), 2)


def require_size(utility_size: int, values: int) -> None:
    """Refuse a utility that is about another number of public values.

    >>> require_size(8, 7)
    Traceback (most recent call last):
    hartley.errors.InputError: a utility of 8 values does not fit 7 public values
    """
    if utility_size != values:
        raise InputError(f"a utility of {utility_size} values does not fit {values} public values")
