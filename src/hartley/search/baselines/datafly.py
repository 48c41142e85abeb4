"""Datafly (Sweeney): one level for a whole column, raised until few enough rows are left over.

While the rows in classes that count too few are more than the budget, the column with
the most distinct words rises a level; then what is left over is suppressed.

Ties: of columns with equally many words, the first. A ``"*"`` class that itself counts too
few takes in the class with the smallest count, of equals the earliest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from hartley.errors import OptionError
from hartley.measures.uncertainty import rows_of_values
from hartley.model import JointRange, Partition, meet
from hartley.model.arrays import Flags
from hartley.search.baselines.class_counts import ClassDemand, Count
from hartley.search.baselines.generalisation import Generalisation, precision
from hartley.search.baselines.hierarchy import Hierarchy, hierarchies_for

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
