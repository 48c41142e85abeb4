r"""Rows withheld where a cluster costs its number of values, and where components count (Theorem W4).

**Components.** What is withheld touches one value of each of w components and joins them. With N values in
c components, clusters of at most m values leave at best :math:`b(N, c, m) = \max(1, c - N + \lceil N/m
\rceil)` components. With w touched: :math:`b(N - w, c - w + 1, m)` if a touched component keeps a value,
else :math:`1 + b(N - w, c - w, m)`. A second value of a component joins nothing and frees at most one
cluster; only w and whether a value is kept matter. So the cheapest value of the w cheapest components is
taken; if all of these have one value only, the cheapest larger component in place of the last is tried too.

**Candidates.** What is withheld is a cluster itself, so the others are one fewer than counting allows; they
hold all but the most values that fit the budget. It gains little.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import log2

import numpy as np

from hartley.errors import InputError
from hartley.measures.overlap import components
from hartley.measures.uncertainty import rows_of_values
from hartley.model import JointRange, Partition
from hartley.model.arrays import Places
from hartley.search.answer import NOTHING, Answer
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.sizes.cluster_count import most_clusters
from hartley.search.sizes.components import Joiner, least_components
from hartley.search.sizes.search import SizeSearch, least_largest_cluster


class Withholding:
    """The fewest components that clusters of a size leave when some rows are withheld; proven.

    For components under a tolerance give the table of :func:`~hartley.measures.overlap.linked_range`.
    """

    def __init__(self, joint: JointRange, budget: int) -> None:
        if joint.side is not None:
            raise InputError("the closed form holds without side information only")
        self.groups, self.rows, self.budget = components(joint), rows_of_values(joint), budget
        rows, groups = self.rows, self.groups
        self.size, self.parts = len(rows), groups.size
        by_cost = np.lexsort((np.arange(self.size), rows, groups.labels))
        cheapest = by_cost[np.flatnonzero(np.diff(groups.labels[by_cost], prepend=-1))]
        order = np.lexsort((cheapest, groups.sizes, rows[cheapest]))
        self.taken, sizes = cheapest[order], groups.sizes[order]
        self.cost, self.spare = np.cumsum(rows[self.taken]), np.cumsum(sizes - 1)
        self.larger = np.flatnonzero(sizes > 1)

    def fewest(self, largest: int) -> tuple[int, int, int, bool]:
        """Return the fewest components, the rows withheld, of how many components, and if one is swapped."""
        rows, taken, cost, spare = self.rows, self.taken, self.cost, self.spare
        best = (least_components(self.size, self.parts, largest), 0, 0, False)
        has_larger = len(self.larger) > 0
        for touched in range(1, self.parts + 1):
            if cost[touched - 1] - (rows[taken[touched - 1]] if has_larger else 0) > self.budget:
                break
            rest = self.size - touched
            if cost[touched - 1] <= self.budget:
                keeps = bool(spare[touched - 1] > 0)
                left = _left(rest, self.parts, touched, largest, keeps=keeps)
                best = min(best, (left, int(cost[touched - 1]), touched, False))
            if spare[touched - 1] == 0 and has_larger:
                swapped = int(cost[touched - 1] - rows[taken[touched - 1]] + rows[taken[self.larger[0]]])
                if swapped <= self.budget:
                    left = _left(rest, self.parts, touched, largest, keeps=True)
                    best = min(best, (left, swapped, touched, True))
        return best

    def answer(self, largest: int) -> Answer:
        """Return the clusters; what is withheld is one of them."""
        count, used, touched, is_swapped = self.fewest(largest)
        chosen = np.arange(touched)
        if is_swapped:
            chosen[-1] = self.larger[0]
        withheld = self.taken[chosen]
        partition = Partition(_joined(self.groups, withheld, largest))
        gone = [] if not len(withheld) else [partition.labels[withheld[0]]]
        cost = int(np.delete(partition.sizes, gone).max(initial=1))
        bits = log2(count)
        return Answer(
            partition=partition,
            cost=cost,
            lower_bound_cost=cost,
            withheld=withheld,
            withheld_rows=used,
            leakage_bits=bits,
            lower_bound_bits=bits,
        )


def sizes_of_components(asked: Withholding) -> Iterator[int]:
    """Return every size of the largest cluster below which more components are left, from 1 on.

    >>> from hartley.examples import toy
    >>> asked = Withholding(toy(), 2)
    >>> [asked.fewest(size)[0] for size in sizes_of_components(asked)]
    [4, 2, 1]
    """
    size, left = 1, asked.fewest(1)[0]
    yield size
    while left > 1:
        low, high = size, asked.size
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if asked.fewest(middle)[0] < left else (middle, high)
        size, left = high, asked.fewest(high)[0]
        yield size


def _left(rest: int, parts: int, touched: int, largest: int, *, keeps: bool) -> int:
    """Return the fewest components of what is kept together with what is withheld."""
    if keeps:
        return least_components(rest, parts - touched + 1, largest)
    return 1 + (least_components(rest, parts - touched, largest) if touched < parts else 0)


def _joined(groups: Partition, withheld: Places, largest: int) -> Places:
    """Return clusters that leave the fewest components, what is withheld as one of them."""
    labels = np.zeros(len(groups.labels), dtype=np.int64)
    kept = np.setdiff1d(np.arange(len(labels)), withheld)
    if len(kept):
        of_kept = groups.labels[kept].astype(np.int64)
        # What is withheld makes the components it touches one.
        touched = np.isin(of_kept, groups.labels[withheld])
        of_kept[touched] = groups.size
        labels[kept] = Joiner.of(Partition(of_kept)).partition(largest).labels
    labels[withheld] = int(labels.max()) + 1
    return labels


def least_largest_withholding(
    enough: Enough, budget: int, effort: Effort = UNLIMITED, missing: Places = NOTHING
) -> Answer:
    """Return the smallest largest cluster found with at most so many rows withheld, and the bound.

    Cells that were ``missing`` before join what is withheld, and their rows do not count.
    """
    enough.require_reachable()
    size = enough.size
    rows = enough.rows.copy()
    rows[missing] = 0
    lacking = int((enough.least - enough.counts_of(missing)).max(initial=0))
    if budget < max(1, lacking):
        return least_largest_cluster(enough, effort)
    fitting = int(np.searchsorted(np.cumsum(np.sort(rows)), budget, side="right"))
    if fitting == size and fitting > len(missing):
        # What is withheld costs as much as a value by itself, which is the least there is.
        return Answer(
            partition=Partition.whole(size),
            cost=1.0,
            lower_bound_cost=1.0,
            any_bound=1.0,
            withheld=np.setdiff1d(np.arange(size), missing),
            withheld_rows=int(rows.sum()),
        )
    most = most_clusters(enough)
    bound = -(-size // max(1, most))
    if most > 1:
        bound = min(bound, -(-(size - fitting) // (most - 1)))
    base = least_largest_cluster(enough, effort)
    best = replace(base, lower_bound_cost=float(bound), any_bound=float(bound))
    gone = _cheapest_enough(enough, rows, budget, missing)
    if gone is None or len(gone) == len(missing):
        return best
    kept = np.setdiff1d(np.arange(size), gone)
    withheld = np.setdiff1d(gone, missing)
    rest = SizeSearch.of(enough.take(kept))
    low, high = bound, int(base.cost)
    while low < high and not effort.should_stop():
        middle = (low + high) // 2
        found = rest.of_size(middle, effort).partition
        if found is None:
            low = middle + 1
            continue
        high = middle
        labels = np.full(size, found.size, dtype=np.int64)
        labels[kept] = found.labels
        best = Answer(
            partition=Partition(labels),
            cost=float(found.sizes.max()),
            lower_bound_cost=float(bound),
            any_bound=float(bound),
            withheld=withheld,
            withheld_rows=int(rows[withheld].sum()),
        )
    return best


def _cheapest_enough(enough: Enough, rows: Places, budget: int, missing: Places) -> Places | None:
    """Return values within the budget that are enough together, as many as fit, or ``None``."""
    chosen: list[int] = missing.tolist()
    used, lack = 0, int(np.maximum(enough.least - enough.counts_of(chosen), 0).sum())
    while lack:
        best: tuple[float, int] | None = None
        for value in np.flatnonzero(rows <= budget - used).tolist():
            if value in chosen:
                continue
            held = enough.counts_of([*chosen, value])
            gain = lack - int(np.maximum(enough.least - held, 0).sum())
            key = (-gain / int(rows[value]), value)
            if gain > 0 and (best is None or key < best):
                best = key
        if best is None:
            return None
        chosen.append(best[1])
        used += int(rows[best[1]])
        lack = int(np.maximum(enough.least - enough.counts_of(chosen), 0).sum())
    taken = set(chosen)
    for value in np.argsort(rows, kind="stable").tolist():
        if value not in taken and used + int(rows[value]) <= budget:
            chosen.append(value)
            taken.add(value)
            used += int(rows[value])
    return np.array(sorted(chosen), dtype=np.int64)
