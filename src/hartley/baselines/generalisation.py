"""Three methods that generalise and suppress, what they ask of every class, and what they end in.

**Datafly** (Sweeney): one level for a whole column, raised until few enough rows are left over. While the
rows in classes that count too few are more than the budget, the column with the most distinct words rises a
level; then what is left over is suppressed. Ties: of columns with equally many words, the first. A ``"*"``
class that itself counts too few takes in the class with the smallest count, of equals the earliest.

**Local recoding**, bottom-up: level by level, a class that counts too few is lifted to the next level; with
it rises every value that shares the coarser word, so that the classes stay a partition. Nothing is
suppressed. There are no ties.

**Literal**, as the paper's experiment describes it: "Search for all x associated with less than k values of s
and merge them to a new but less specific value" (Section VII). No hierarchy, no control of utility. Ties: the
merged class, when it still counts too few, takes in the class with the smallest count, of equals the
earliest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from hartley.baselines.hierarchy import Hierarchy, hierarchies_for, in_step
from hartley.errors import OptionError, UnreachableError
from hartley.measures.uncertainty import candidate_counts, rows_of_values
from hartley.model import JointRange, Partition, meet
from hartley.model.arrays import Flags, Int64s


@dataclass(frozen=True)
class ClassDemand:
    """At least so many sensitive values behind every released value (Definition 2 of the paper).

    With side information the count of a class is the least over the side values it is seen with.
    """

    at_least: int

    def __post_init__(self) -> None:
        if self.at_least < 1:
            raise OptionError(f"a class cannot be asked to count {self.at_least}; give 1 or more")

    def counts(self, joint: JointRange, partition: Partition) -> Int64s:
        """Return the count of every class."""
        released = joint.release(partition)
        counts = candidate_counts(released)
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
            raise UnreachableError(
                f"no release leaves {self.at_least} candidates for every released value; the most that can "
                f"be reached is {most}"
            )


@dataclass(frozen=True, kw_only=True)
class Generalisation:
    """A table generalised, as which public values share a released value.

    The suppressed values are one cluster of the partition: either released as ``"*"``, or
    left out of the release with their rows, as the search was told.
    """

    partition: Partition
    suppressed: tuple[int, ...] = ()
    """Places of the public values that are suppressed, in order."""
    levels: tuple[int, ...] = ()
    """The level of each column, where a whole column has one."""

    def suppressed_rows(self, joint: JointRange) -> int:
        """Count the rows of the suppressed values."""
        if not self.suppressed:
            return 0
        return int(rows_of_values(joint)[list(self.suppressed)].sum())


Suppression: TypeAlias = Literal["released", "dropped"]
SUPPRESSIONS: tuple[Suppression, ...] = get_args(Suppression)


def datafly(
    joint: JointRange,
    *,
    at_least: int,
    hierarchies: Sequence[Hierarchy] | None = None,
    budget: int | None = None,
    suppression: Suppression = "released",
) -> Generalisation:
    """Generalise whole columns, and suppress at most ``budget`` rows (default: ``at_least`` of them).

    ``suppression="released"``: suppressed values appear as ``"*"``, and that class is made to
    meet the demand too, which may take more rows than the budget. ``"dropped"``: their rows
    are not released at all. For one column the level is the lowest of the chain that fits the
    budget.
    """
    demand = ClassDemand(at_least)
    demand.require_possible(joint)
    trees = hierarchies_for(joint.public, hierarchies)
    budget = at_least if budget is None else budget
    if suppression not in SUPPRESSIONS:
        raise OptionError.unknown("suppression", suppression, SUPPRESSIONS)
    if budget < 0:
        raise OptionError("the budget of suppressed rows cannot be negative")
    rows = rows_of_values(joint)
    levels = [0] * len(trees)
    while True:
        partition = meet([tree.partition(level) for tree, level in zip(trees, levels, strict=True)])
        left_over = demand.failing(joint, partition)[partition.labels]
        # To suppress everything is no release, whatever the budget.
        if rows[left_over].sum() <= budget and not left_over.all():
            break
        words = [tree.partition(level).size for tree, level in zip(trees, levels, strict=True)]
        rising = int(np.argmax(words))
        levels[rising] += 1
    if suppression == "released":
        left_over = _with_enough(joint, partition, left_over, demand)
    return Generalisation(
        partition=Partition(np.where(left_over, partition.size, partition.labels)),
        suppressed=tuple(np.flatnonzero(left_over).tolist()),
        levels=tuple(levels),
    )


def _with_enough(joint: JointRange, partition: Partition, left_over: Flags, demand: ClassDemand) -> Flags:
    """Add classes to the suppressed ones until together they meet the demand."""
    if not left_over.any():
        return left_over
    starred = left_over.copy()
    counts = demand.counts(joint, partition)
    order = np.argsort(counts, kind="stable")
    for number in order[counts[order] >= demand.at_least]:
        star = Partition(np.where(starred, partition.size, partition.labels))
        if not demand.failing(joint, star)[star.labels[int(np.argmax(starred))]]:
            break
        starred |= partition.labels == number
    return starred


def local_recoding(
    joint: JointRange, *, at_least: int, hierarchies: Sequence[Hierarchy] | None = None
) -> Partition:
    """Lift every class, from the bottom up, to the lowest level at which it counts enough.

    The hierarchies of several columns rise in step.
    """
    demand = ClassDemand(at_least)
    demand.require_possible(joint)
    chain = in_step(hierarchies_for(joint.public, hierarchies))
    partition = chain.partition(0)
    for level in range(1, chain.height + 1):
        failing = demand.failing(joint, partition)[partition.labels]
        if not failing.any():
            break
        coarser = chain.partition(level).labels
        lifted = np.isin(coarser, coarser[failing])
        partition = Partition(np.where(lifted, coarser + joint.public.size, partition.labels))
    return partition


def literal_generalisation(joint: JointRange, *, at_least: int) -> Partition:
    """Merge all public values that count too few into one."""
    demand = ClassDemand(at_least)
    demand.require_possible(joint)
    alone = Partition.singletons(joint.public.size)
    counts = demand.counts(joint, alone)
    merged = counts < at_least
    partition = alone
    while merged.any():
        partition = Partition(np.where(merged, joint.public.size, np.arange(joint.public.size)))
        here = partition.labels[int(np.argmax(merged))]
        if demand.counts(joint, partition)[here] >= at_least:
            break
        rest = np.flatnonzero(~merged)
        merged[rest[np.argmin(counts[rest])]] = True
    return partition
