"""Resolution: how finely public values can still be told apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2
from typing import Literal

from hartley.measures.utility.union_costs import SizeUnions
from hartley.model import Partition
from hartley.model.arrays import Floats


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
    name: Literal["resolution"] = field(default="resolution", init=False, repr=False)

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
