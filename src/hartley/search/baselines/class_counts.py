"""What every class of a generalised table must count: sensitive values, or rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from hartley.errors import OptionError, UnreachableError
from hartley.measures.uncertainty import candidate_counts, row_counts
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Int64s

Count: TypeAlias = Literal["distinct", "records"]
COUNTS: tuple[Count, ...] = get_args(Count)


@dataclass(frozen=True)
class ClassDemand:
    """At least so many sensitive values (or rows) behind every released value.

    ``"distinct"`` is Definition 2 of the paper, our ``distinct_l``; ``"records"`` is what
    Sweeney wrote and others call k-anonymity, our ``row_k``. With side information the
    count of a class is the least over the side values it is seen with.

    >>> from hartley.examples import toy
    >>> ClassDemand(2).counts(toy(), Partition.from_clusters([[0, 1], [2, 3], [4, 5, 6]])).tolist()
    [2, 1, 3]
    """

    at_least: int
    count: Count = "distinct"

    def __post_init__(self) -> None:
        if self.count not in COUNTS:
            raise OptionError.unknown("count", self.count, COUNTS)
        if self.at_least < 1:
            raise OptionError(f"a class cannot be asked to count {self.at_least}; give 1 or more")

    def counts(self, joint: JointRange, partition: Partition) -> Int64s:
        """Return the count of every class."""
        released = joint.release(partition)
        counts = candidate_counts(released) if self.count == "distinct" else row_counts(released)
        if released.side is None:
            return counts
        least = np.full(partition.size, np.iinfo(np.int64).max)
        np.minimum.at(least, released.public_of, counts)
        return least

    def failing(self, joint: JointRange, partition: Partition) -> Flags:
        """Tell of every class whether it counts too few."""
        return self.counts(joint, partition) < self.at_least

    def require_possible(self, joint: JointRange) -> None:
        """Refuse what not even one class of everything could meet."""
        most = int(self.counts(joint, Partition.whole(joint.public.size))[0])
        if most < self.at_least:
            what = "candidates" if self.count == "distinct" else "rows"
            raise UnreachableError(
                f"no release leaves {self.at_least} {what} for every released value; the most that can be "
                f"reached is {most}"
            )
