r"""Distortion under any dissimilarity: a matrix or function of pairs of values.

The codeword is the member with the least worst dissimilarity, so nothing is asked of
the values but that each pair has one. For a distance built from several columns see
:mod:`hartley.measures.utility.several_columns`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hartley.errors import InputError
from hartley.measures.utility.line import Distortion
from hartley.measures.utility.union_costs import Members
from hartley.model import Alphabet, Label, Partition
from hartley.model.arrays import Flags, Floats, equal_arrays, frozen_array


@dataclass(frozen=True, eq=False)
class MatrixDistortion(Distortion):
    r"""How unlike its codeword a value may be, :math:`U_2 = -\max d(x, \hat x)`, by a table.

    The cost of a cluster is the least, over its members as codewords, of the worst
    dissimilarity to a member. A value that has none (NaN) to any other stays alone. Most
    callers build one with :meth:`of`.

    Parameters
    ----------
    dissimilarities : numpy.ndarray
        ``dissimilarities[i, j]`` is how ill value ``j`` stands for value ``i``; it need not be symmetric.

    Raises
    ------
    InputError
        If the table is not square, or holds a number that is infinite or below zero.

    Examples
    --------
    >>> import hartley, numpy
    >>> ring = hartley.MatrixDistortion(numpy.array([[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [4.0, 2.0, 0.0]]))
    >>> ring.costs(hartley.Partition.whole(3))
    array([2.])
    >>> ring.costs(hartley.Partition.from_clusters([[0, 2], [1]]))
    array([4., 0.])
    """

    dissimilarities: Floats

    def __post_init__(self) -> None:
        given = np.array(self.dissimilarities, dtype=float)
        if given.ndim != 2 or given.shape[0] != given.shape[1]:
            raise InputError("dissimilarities must be a square table, one row and column for each value")
        np.fill_diagonal(given, 0.0)
        if bool((given < 0).any()) or bool(np.isinf(given).any()):
            raise InputError("dissimilarities must be finite numbers, none below zero")
        compared = ~_alone(given)
        if bool(np.isnan(given[np.ix_(compared, compared)]).any()):
            raise InputError("a value has a dissimilarity to all other values that have any, or to none")
        object.__setattr__(self, "dissimilarities", frozen_array(given))

    @classmethod
    def of(cls, public: Alphabet, dissimilarity: Callable[[Label, Label], float]) -> MatrixDistortion:
        """Build from a function of two values (the true one, the released one).

        >>> words = Alphabet.of_values(["a", "ab", "abcd"])
        >>> MatrixDistortion.of(words, lambda one, other: abs(len(one) - len(other))).dissimilarities[0]
        array([0., 1., 3.])
        """
        labels = public.labels()
        missing = public.missing.tolist()
        table = np.full((public.size, public.size), np.nan)
        for i, one in enumerate(labels):
            for j, other in enumerate(labels):
                if not (missing[i] or missing[j]):
                    table[i, j] = dissimilarity(one, other)
        return cls(table)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MatrixDistortion):
            return NotImplemented
        return equal_arrays(self.dissimilarities, other.dissimilarities)

    def __hash__(self) -> int:
        return hash(self.dissimilarities.shape)

    @property
    def size(self) -> int:
        """How many public values it is about."""
        return len(self.dissimilarities)

    @property
    def codeword(self) -> Literal["member"]:
        """The codeword is always a member."""
        return "member"

    def costs(self, partition: Partition) -> Floats:
        """Return the worst dissimilarity to the best member, for every cluster."""
        costs = np.zeros(partition.size)
        for number, cluster in enumerate(partition.clusters()):
            if len(cluster) > 1:
                worst = self.dissimilarities[np.ix_(cluster, cluster)].max(axis=0)
                costs[number] = np.inf if np.isnan(worst).any() else worst.min()
        return costs

    def union_costs(self) -> MatrixUnions:
        """Return the distortions of all unions of two values."""
        return MatrixUnions(self.dissimilarities)


class MatrixUnions:
    """The distortion of every union under a table of dissimilarities; memory for one such table."""

    def __init__(self, dissimilarities: Floats) -> None:
        self.members = Members(~_alone(dissimilarities))
        # worst[v, place]: how ill v stands for the worst value of the cluster at that place.
        self._worst = np.ascontiguousarray(dissimilarities.T)

    def with_each(self, place: int) -> Floats:
        """Return the worst dissimilarity to each union's best member."""
        cluster = self.members.cluster
        if not self.members.standing[place]:
            return np.full(len(cluster), np.inf)
        values = np.flatnonzero(cluster >= 0)
        at = cluster[values]
        costs = np.full(len(cluster), np.inf)
        worst = np.maximum(self._worst[values, place], self._worst[values, at])
        # What has no place among the others is no one's best member.
        np.minimum.at(costs, at, np.where(np.isnan(worst), np.inf, worst))
        for own in self.members.of(place):
            np.minimum(costs, np.maximum(self._worst[own], self._worst[own, place]), out=costs)
        costs[~self.members.partners(place)] = np.inf
        return costs

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        np.maximum(self._worst[:, kept], self._worst[:, joined], out=self._worst[:, kept])
        self.members.merge(kept, joined)


def _alone(dissimilarities: Floats) -> Flags:
    """Tell which values have no dissimilarity to any other."""
    unknown = np.isnan(dissimilarities) | np.eye(len(dissimilarities), dtype=bool)
    alone: Flags = np.logical_and.reduce(unknown, axis=1)
    return alone & (len(alone) > 1)
