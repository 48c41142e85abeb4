"""Which public values share a released value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from warnings import warn

import numpy as np

from hartley.errors import InputError
from hartley.model.arrays import Int64s, Ints, code_type, different, equal_arrays, frozen_array
from hartley.model.disjoint_sets import DisjointSets


@dataclass(frozen=True, eq=False)
class Partition:
    """Which public values share a released value: the cluster of each, :math:`Q`.

    Clusters are numbered by their first member, so that equal partitions are equal values.

    Parameters
    ----------
    labels : numpy.ndarray
        The cluster number of each public value; any whole numbers are accepted and renumbered.

    Raises
    ------
    InputError
        If there is not one whole number for each public value.

    Examples
    --------
    >>> import hartley
    >>> hartley.Partition.from_clusters([[2, 0], [1]])
    Partition({0, 2}, {1})
    >>> hartley.Partition.singletons(3).merge(0, 2) == hartley.Partition.from_clusters([[0, 2], [1]])
    True
    >>> len(hartley.Partition.from_clusters([[2, 0], [1]])), list(hartley.Partition.whole(2))
    (2, [(0, 1)])
    """

    labels: Ints

    def __post_init__(self) -> None:
        labels = np.asarray(self.labels)
        if labels.ndim != 1 or not labels.size or labels.dtype.kind not in "iu":
            raise InputError("a partition needs one cluster number for each public value")
        object.__setattr__(self, "labels", frozen_array(numbered_by_first(labels)))

    @classmethod
    def singletons(cls, size: int) -> Partition:
        """Return the finest partition: nothing merged."""
        return cls(np.arange(size))

    @classmethod
    def whole(cls, size: int) -> Partition:
        """Return the coarsest partition: everything merged."""
        return cls(np.zeros(size, dtype=np.int32))

    @classmethod
    def from_clusters(cls, clusters: Iterable[Iterable[int]]) -> Partition:
        """Build from clusters of places; every place from 0 on must be in exactly one."""
        members = [list(cluster) for cluster in clusters]
        size = sum(map(len, members))
        labels = np.full(size, -1)
        for number, cluster in enumerate(members):
            for place in cluster:
                if not isinstance(place, (int, np.integer)):
                    raise InputError(
                        "clusters hold places, as whole numbers; JointRange.partition takes labels"
                    )
                if not 0 <= place < size or labels[place] >= 0:
                    raise InputError(f"clusters must hold each place from 0 to {size - 1} once")
                labels[place] = number
        return cls(labels)

    @classmethod
    def all(cls, size: int) -> Iterator[Partition]:
        """Go through every partition of so many values, one cluster of all first, single values last.

        There are 52 of 5 values, 115,975 of 10, and 51,724,158,235,372 of 20.

        >>> [partition.size for partition in Partition.all(3)]
        [1, 2, 2, 2, 3]
        """
        labels, most = [0] * size, [0] * size
        while True:
            yield cls(np.array(labels))
            # The last value that may still go to a later cluster does so, and those behind it start anew.
            place = next((at for at in range(size - 1, 0, -1) if labels[at] <= most[at - 1]), 0)
            if not place:
                return
            labels[place] += 1
            most[place] = max(most[place - 1], labels[place])
            for at in range(place + 1, size):
                labels[at], most[at] = 0, most[place]

    def __len__(self) -> int:
        """Count the clusters."""
        return self.size

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Go through the clusters, each as the places of its members, by first member."""
        return map(tuple, self.clusters())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return equal_arrays(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash(self.labels.tobytes())

    def __repr__(self) -> str:
        if len(self.labels) > 40:
            return f"Partition({len(self.labels)} values in {self.size} clusters)"
        shown = ("{" + ", ".join(map(str, cluster)) + "}" for cluster in self.clusters())
        return f"Partition({', '.join(shown)})"

    @cached_property
    def size(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max()) + 1

    @cached_property
    def sizes(self) -> Int64s:
        """How many values each cluster holds."""
        return frozen_array(np.bincount(self.labels, minlength=self.size))

    @cached_property
    def firsts(self) -> Int64s:
        """The first member of each cluster: its place."""
        firsts = np.empty(self.size, dtype=np.int64)
        firsts[self.labels[::-1]] = np.arange(len(self.labels) - 1, -1, -1)
        return frozen_array(firsts)

    def clusters(self) -> list[list[int]]:
        """Return the members of every cluster, in order."""
        order = np.argsort(self.labels, kind="stable").tolist()
        ends = np.cumsum(self.sizes).tolist()
        return [order[start:end] for start, end in pairwise([0, *ends])]

    def require_size(self, size: int, things: str = "public values") -> None:
        """Refuse it where it is of another number of values."""
        if len(self.labels) != size:
            raise InputError(f"a partition of {len(self.labels)} values does not fit {size} {things}")

    def merge(self, *numbers: int) -> Partition:
        """Return the partition in which these clusters are one."""
        labels = self.labels.copy()
        labels[np.isin(labels, numbers)] = min(numbers)
        return Partition(labels)

    def join(self, other: Partition) -> Partition:
        """Return the finest partition that both refine: blocks that a cluster of the other touches are one.

        This is how the paper gets the components after a merge from those before ("Determining P*").

        >>> components = Partition.from_clusters([[0, 1], [2, 3], [4], [5], [6]])
        >>> components.join(Partition.from_clusters([[0, 2], [1, 4], [3, 5], [6]]))
        Partition({0, 1, 2, 3, 4, 5}, {6})
        """
        self._require_same_values(other)
        groups = DisjointSets.of(self.size)
        touched: list[int] = [-1] * other.size
        pairs = different(other.labels.astype(np.int64) * self.size + self.labels)
        for pair in pairs.tolist():
            cluster, block = divmod(pair, self.size)
            if touched[cluster] < 0:
                touched[cluster] = block
            else:
                groups.unite(block, touched[cluster])
        return Partition(np.array(groups.roots())[self.labels])

    def meet(self, other: Partition) -> Partition:
        """Return the coarsest partition that refines both: what a reader of both releases can tell apart.

        >>> Partition.whole(3).meet(Partition.from_clusters([[0, 1], [2]]))
        Partition({0, 1}, {2})
        """
        self._require_same_values(other)
        return Partition(self.labels.astype(np.int64) * other.size + other.labels)

    def refines(self, other: Partition) -> bool:
        """Tell whether every cluster lies inside one cluster of the other."""
        return self.meet(other) == self

    def fuse(self, other: Partition) -> Partition:
        """Return :meth:`join`, under its name before 0.3."""
        warn("Partition.fuse is called join now", DeprecationWarning, stacklevel=2)
        return self.join(other)

    def refine(self, other: Partition) -> Partition:
        """Return :meth:`meet`, under its name before 0.3."""
        warn("Partition.refine is called meet now", DeprecationWarning, stacklevel=2)
        return self.meet(other)

    def is_refinement_of(self, other: Partition) -> bool:
        """Return :meth:`refines`, under its name before 0.3."""
        warn("Partition.is_refinement_of is called refines now", DeprecationWarning, stacklevel=2)
        return self.refines(other)

    def _require_same_values(self, other: Partition) -> None:
        if len(self.labels) != len(other.labels):
            raise InputError(
                f"partitions of {len(self.labels)} and {len(other.labels)} values cannot be combined"
            )


def numbered_by_first(labels: Ints) -> Ints:
    """Return the labels renumbered by the first value of each cluster.

    >>> numbered_by_first(np.array([7, 2, 7])).tolist()
    [0, 1, 0]
    """
    kind = code_type(len(labels))
    low, high = int(labels.min()), int(labels.max())
    if low >= 0 and high < 4 * len(labels):
        first = np.full(high + 1, len(labels), dtype=kind)
        first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1, dtype=kind)
        present = np.flatnonzero(first < len(labels))
        number = np.empty(high + 1, dtype=kind)
        number[present[np.argsort(first[present], kind="stable")]] = np.arange(len(present))
        return np.take(number, labels)
    _, inverse = np.unique(labels, return_inverse=True)
    return numbered_by_first(inverse)


def meet(partitions: Sequence[Partition]) -> Partition:
    """Return the common refinement of several partitions: what a reader of all releases sees.

    Parameters
    ----------
    partitions : sequence of Partition
        Partitions of the same public values, at least one.

    Returns
    -------
    Partition
        Two values share a cluster if they do in every one of the partitions.

    Raises
    ------
    InputError
        If there is no partition, or they are of different numbers of values.

    Examples
    --------
    >>> import hartley
    >>> rows = hartley.Partition.from_clusters([[0, 1], [2, 3]])
    >>> columns = hartley.Partition.from_clusters([[0, 2], [1, 3]])
    >>> hartley.meet([rows, columns]).size
    4
    """
    if not partitions:
        raise InputError("the common refinement needs at least one partition")
    result = partitions[0]
    for partition in partitions[1:]:
        result = result.meet(partition)
    return result
