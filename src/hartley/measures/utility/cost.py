"""What a utility is: a cost of each cluster, and a falling function of the worst cost. And the plainest."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from hartley.measures.uncertainty import rows_of_values
from hartley.measures.utility.union_costs import SizeUnions, UnionCosts
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats


@runtime_checkable
class Utility(Protocol):
    """A cost of each cluster, and the utility that the worst cost leaves.

    What a utility of one's own must have to be handed to ``utility=``; :class:`~hartley.OwnUtility` makes it
    of one function. The searches rely on two things: a partition is as bad as its worst cluster, and
    :meth:`of_cost` falls. They rely on nothing else of a utility they do not know, not even that a larger
    cluster costs more.

    Examples
    --------
    >>> import hartley
    >>> isinstance(hartley.Resolution(8), hartley.Utility)
    True
    """

    @property
    def name(self) -> str:
        """The word for it in the command line and in JSON: ``resolution`` or ``distortion``."""

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
    """Return the utility of a partition: what its worst cluster leaves of the public values.

    Parameters
    ----------
    utility : Utility
        How utility is counted: :class:`~hartley.Resolution`, or a distortion.
    partition : Partition
        Which public values are merged.

    Returns
    -------
    float
        More is better: bits of resolution, or minus the largest distortion.

    Raises
    ------
    InputError
        If the partition is of another number of values.

    Examples
    --------
    >>> import hartley
    >>> merged = hartley.Partition.from_clusters([[0, 1], [2, 3], [4, 5], [6, 7]])
    >>> hartley.utility_of(hartley.Resolution(8), merged)
    2.0
    """
    partition.require_size(utility.size)
    return utility.of_cost(float(utility.costs(partition).max()))


def released_information(joint: JointRange, partition: Partition) -> float:
    r"""Return the bits about the public value that the released one gives on average, :math:`I(X; \hat X)`.

    Rows count as a distribution, as in the information bottleneck; since a partition is a function of the
    value, it is the entropy of the released values. It is a measure to compare with, not one to search by:
    all clusters decide it together, and the searches rely on the worst one.

    Parameters
    ----------
    joint : JointRange
        Which values occur together, and in how many rows.
    partition : Partition
        Which public values are merged.

    Returns
    -------
    float
        Bits, from 0 where all values are one cluster.

    Raises
    ------
    InputError
        If the partition is of another number of values.

    Examples
    --------
    >>> import hartley
    >>> joint = hartley.JointRange.from_pairs([(1, "a"), (2, "b"), (3, "a"), (4, "b")])
    >>> hartley.released_information(joint, hartley.Partition.from_clusters([[0, 1], [2], [3]]))
    1.5
    """
    partition.require_size(joint.public.size)
    rows = np.bincount(partition.labels, weights=rows_of_values(joint))
    shares = rows[rows > 0] / rows.sum()
    return max(0.0, -float(np.dot(shares, np.log2(shares))))


@dataclass(frozen=True)
class Resolution:
    r"""How finely public values can still be told apart, :math:`U_1 = I_0(X \to \hat X)` in bits.

    The cost of a cluster is its number of values; the utility is ``log2(size / largest cluster)``.

    Parameters
    ----------
    size : int
        How many public values there are.

    Examples
    --------
    >>> import hartley
    >>> halves = hartley.Partition.from_clusters([[0, 1, 2, 3], [4, 5, 6, 7]])
    >>> hartley.utility_of(hartley.Resolution(8), halves)
    1.0
    """

    size: int
    name: ClassVar[Literal["resolution"]] = "resolution"

    def costs(self, partition: Partition) -> Floats:
        """Return the number of values of every cluster."""
        return partition.sizes.astype(float)

    def of_cost(self, worst: float) -> float:
        """Return the bits of resolution that clusters of at most this many values leave.

        Where every value is withheld no cluster is left, and the cost is 0; it counts as one value alone.
        """
        return log2(self.size / max(worst, 1.0))

    def union_costs(self) -> SizeUnions:
        """Return the sizes of all unions of two values."""
        return SizeUnions(self.size)
