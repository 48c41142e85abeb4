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

from hartley.errors import OptionError, UnreachableError
from hartley.measures.uncertainty import candidate_counts, row_counts, rows_of_values
from hartley.model import JointRange, Partition, meet
from hartley.model.arrays import Flags, Int64s
from hartley.search.baselines.hierarchy import Hierarchy, hierarchies_for, in_step

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


@dataclass(frozen=True, kw_only=True)
class Generalisation:
    """A table generalised, as which public values share a released value.

    The suppressed values are one cluster of the partition: either released as ``"*"``, or
    left out of the release with their rows, as the search was told.
    """

    partition: Partition
    suppressed: tuple[int, ...]
    """Places of the public values that are suppressed, in order."""
    levels: tuple[int, ...]
    """The highest level used in each column by a value that is not suppressed."""
    precision: float
    """Sweeney's Prec: 1 when every cell is as it was, 0 when none tells anything."""

    def suppressed_rows(self, joint: JointRange) -> int:
        """Count the rows of the suppressed values."""
        if not self.suppressed:
            return 0
        return int(rows_of_values(joint)[list(self.suppressed)].sum())


def precision(joint: JointRange, levels: Int64s, heights: Sequence[int]) -> float:
    r"""Measure how much of the cells is left, Sweeney's Prec.

    .. math:: 1 - \frac{\sum_{i,j} \text{level}_{ij} / \text{height}_j}{\text{rows} \cdot \text{columns}}

    ``levels`` holds the level of every public value (first axis) in every column (second);
    a suppressed cell counts as its column's top.

    >>> from hartley.examples import toy
    >>> precision(toy(), np.array([[0], [0], [0], [1], [1], [2], [2]]), [2])
    0.625
    """
    share = (levels / np.asarray(heights)).mean(axis=1)
    rows = rows_of_values(joint)
    return float(1 - (share * rows).sum() / rows.sum())


Suppression: TypeAlias = Literal["released", "dropped"]
SUPPRESSIONS: tuple[Suppression, ...] = get_args(Suppression)


def datafly(
    joint: JointRange,
    *,
    at_least: int,
    count: Count = "distinct",
    hierarchies: Sequence[Hierarchy] | None = None,
    budget: int | None = None,
    suppression: Suppression = "released",
) -> Generalisation:
    """Generalise whole columns, and suppress at most ``budget`` rows (default: ``at_least`` of them).

    ``suppression="released"``: suppressed values appear as ``"*"``, and that class is made to
    meet the demand too, which may take more rows than the budget. ``"dropped"``: their rows
    are not released at all. For one column the level is the lowest of the chain that fits the
    budget.

    >>> ages = JointRange.from_pairs([(31, "a"), (34, "b"), (37, "c"), (38, "d"), (52, "e")])
    >>> tree = Hierarchy.of_intervals(ages.public, width=5)
    >>> datafly(ages, at_least=2, hierarchies=[tree], budget=1, suppression="dropped")  # doctest: +ELLIPSIS
    Generalisation(partition=Partition({0, 1}, {2, 3}, {4}), suppressed=(4,), levels=(1,), precision=0.666...)
    """
    demand = ClassDemand(at_least, count)
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
    return _generalised(joint, trees, levels, partition, left_over)


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


def _generalised(
    joint: JointRange,
    trees: tuple[Hierarchy, ...],
    levels: list[int],
    partition: Partition,
    suppressed: Flags,
) -> Generalisation:
    heights = [tree.height for tree in trees]
    cells = np.where(suppressed[:, None], heights, levels)
    return Generalisation(
        partition=Partition(np.where(suppressed, partition.size, partition.labels)),
        suppressed=tuple(np.flatnonzero(suppressed).tolist()),
        levels=tuple(levels),
        precision=precision(joint, cells, heights),
    )


def local_recoding(
    joint: JointRange,
    *,
    at_least: int,
    count: Count = "distinct",
    hierarchies: Sequence[Hierarchy] | None = None,
) -> Generalisation:
    """Return, for every class, the lowest level at which it counts enough, from the bottom up.

    The hierarchies of several columns rise in step.

    >>> ages = JointRange.from_pairs([(31, "a"), (34, "b"), (37, "c"), (52, "d"), (52, "e")])
    >>> tree = Hierarchy.of_intervals(ages.public, width=5)
    >>> local_recoding(ages, at_least=2, hierarchies=[tree]).partition
    Partition({0, 1, 2}, {3})
    """
    demand = ClassDemand(at_least, count)
    demand.require_possible(joint)
    trees = hierarchies_for(joint.public, hierarchies)
    chain = in_step(trees)
    partition = chain.partition(0)
    levels = np.zeros(joint.public.size, dtype=np.int64)
    for level in range(1, chain.height + 1):
        failing = demand.failing(joint, partition)[partition.labels]
        if not failing.any():
            break
        coarser = chain.partition(level).labels
        lifted = np.isin(coarser, coarser[failing])
        levels[lifted] = level
        partition = Partition(np.where(lifted, coarser + joint.public.size, partition.labels))
    heights = [tree.height for tree in trees]
    cells = np.minimum(levels[:, None], heights)
    return Generalisation(
        partition=partition,
        suppressed=(),
        levels=tuple(int(level) for level in cells.max(axis=0)),
        precision=precision(joint, cells, heights),
    )


def literal_generalisation(joint: JointRange, *, at_least: int, count: Count = "distinct") -> Generalisation:
    """Merge all public values that count too few into one.

    The level of a value is 1 where it was merged and 0 where it was left alone.

    >>> from hartley.examples import toy
    >>> literal_generalisation(toy(), at_least=2).partition
    Partition({0}, {1, 2, 3, 4, 5, 6})
    """
    demand = ClassDemand(at_least, count)
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
    return Generalisation(
        partition=partition,
        suppressed=(),
        levels=(int(merged.any()),),
        precision=precision(joint, merged.astype(np.int64)[:, None], [1]),
    )
