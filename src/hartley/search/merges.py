"""Partitions grown by merging whatever keeps too little, where no other search has the question.

Merging takes no candidate from anybody (Theorem P3), so this ends in what is required or in one cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.overlap import components, overlap_partition
from hartley.measures.uncertainty import rows_of_values
from hartley.measures.utility import Utility
from hartley.model import Partition
from hartley.model.arrays import Flags, Floats, Int64s, Ints, different
from hartley.model.requirement import Requirement
from hartley.model.words import MOST_BITS, SLACK
from hartley.search.answer import NOTHING, Answer
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.search.line.borders import Borders
from hartley.search.problem import Problem, too_many_components
from hartley.search.withheld import without_values, worst_clusters


def merged(question: Problem, effort: Effort, starts: Sequence[Partition]) -> Answer:
    """Merge whatever keeps too little with what costs least, from each start and from nothing merged.

    Where time is over, all that keeps too little becomes one cluster.
    """
    joint, utility = question.joint, question.utility
    size = joint.public.size
    best: Answer | None = None
    for start in (*starts, Partition.singletons(size)):
        grown = _grown(question, start, effort)
        if grown is not None:
            cost = float(utility.costs(grown).max())
            if np.isfinite(cost) and (best is None or cost < best.cost):
                best = Answer(partition=grown, cost=cost, lower_bound_cost=None)
        if effort.should_stop() and best is not None:
            break
    if best is None:
        raise UnreachableError("no merging of the public values keeps what is required")
    return best


def _grown(
    question: Problem, start: Partition, effort: Effort, held: Flags | None = None
) -> Partition | None:
    """Merge what keeps too little; ``held`` values are one cluster that is enough and merged with nothing."""
    growing = _Growing(question, start)
    if held is None and growing.is_beyond_reach:
        return None
    unions = question.utility.union_costs()
    order = None if question.shape.is_any or held is None else question.positions
    for place, root in enumerate(growing.root.tolist()):
        if root != place:
            unions.merge(root, place)
    while growing.poor.any():
        if effort.should_stop() and (hurried := growing.at_once()) is not None:
            return hurried
        place = int(np.argmax(growing.poor))
        costs = unions.with_each(place)
        costs[place] = np.inf
        if held is not None:
            costs[held] = np.inf
        if order is not None and held is not None:
            costs[~_beside(growing.root, held, order, place)] = np.inf
        partner = int(np.argmin(costs))
        if not np.isfinite(costs[partner]):
            return None
        kept, gone = min(place, partner), max(place, partner)
        unions.merge(kept, gone)
        growing.merge(kept, gone)
    return Partition(growing.root)


class _Growing:
    """Clusters that are merged, each known by its first place, and which of them keep too little.

    What a reader sees at once, a cluster with a value of the side information, must keep what is required.
    """

    def __init__(self, question: Problem, start: Partition) -> None:
        joint = question.joint
        self._utility = question.utility
        first = np.array([cluster[0] for cluster in start.clusters()], dtype=np.int64)
        self.root: Int64s = first[start.labels]
        self._public = joint.public_of.astype(np.int64)
        self._side = np.zeros(joint.observations, dtype=np.int64)
        if joint.observed_side is not None:
            self._side[:] = joint.observed_side
        observed = joint.by_observation()
        self._enough = Enough.of(observed, question.held, question.closeness)
        self._counted, self._needed = self._enough, np.zeros((joint.observations, 0), dtype=np.int64)
        if question.has_bits_beside:
            # Bits are counted from what is left to whoever knows the side value alone.
            self._counted = Enough.of(observed, [Requirement(question.axis, 1)], question.closeness)
            known = self._side if joint.known_of_side is None else joint.known_of_side[self._side]
            before = self._counted.counts_of_clusters(known, int(known.max()) + 1)[known, :-1]
            bits = min(one.wanted for one in question.limits if one.name == "l0")
            self._needed = np.ceil(before / 2 ** min(bits + SLACK, MOST_BITS)).astype(np.int64)
        clusters = self.root[self._public]
        order = np.argsort(clusters, kind="stable")
        ends = np.searchsorted(clusters[order], first, side="right")
        begins = np.searchsorted(clusters[order], first)
        self._seen = {
            root: order[begin:end]
            for root, begin, end in zip(first.tolist(), begins.tolist(), ends.tolist(), strict=True)
        }
        self.poor: Flags = self._poor(self.root)

    @property
    def is_beyond_reach(self) -> bool:
        """Whether even one cluster of everything keeps too little."""
        return bool(self._poor(np.zeros_like(self.root)).any())

    def _poor(self, root: Int64s) -> Flags:
        """Return, at the first place of each cluster, whether it keeps too little."""
        found = np.zeros(len(root), dtype=np.bool_)
        pairs = root[self._public] * (int(self._side.max(initial=0)) + 1) + self._side
        different, labels = np.unique(pairs, return_inverse=True)
        lacking = self._lacking(np.arange(len(labels)), labels, len(different))
        found[root[self._public[lacking[labels]]]] = True
        return found

    def lacks(self, partition: Partition) -> bool:
        """Tell whether a cluster of a partition keeps too little."""
        return bool(self._poor(partition.labels.astype(np.int64)).any())

    def merge(self, kept: int, gone: int) -> None:
        """Merge two clusters; the first of them has the earlier place."""
        seen = np.concatenate((self._seen[kept], self._seen.pop(gone)))
        self._seen[kept] = seen
        self.root[self._public[seen]] = kept
        different, labels = np.unique(self._side[seen], return_inverse=True)
        self.poor[gone] = False
        self.poor[kept] = bool(self._lacking(seen, labels, len(different)).any())

    def _lacking(self, seen: Int64s, labels: Ints, clusters: int) -> Flags:
        """Return which sets of observations keep too little; those of a set show the same side value."""
        lacking: Flags = ~self._enough.take(seen).are_enough(labels, clusters)
        if self._needed.shape[1]:
            needed = np.zeros((clusters, self._needed.shape[1]), dtype=np.int64)
            needed[labels] = self._needed[seen]
            left = self._counted.take(seen).counts_of_clusters(labels, clusters)[:, :-1]
            lacking |= (left < needed).any(axis=1)
        return lacking

    def at_once(self) -> Partition | None:
        """Return the partition in which all that keeps too little is one cluster, or else everything is.

        ``None`` where neither keeps what is required at a finite cost.
        """
        together = np.where(self.poor[self.root], np.flatnonzero(self.poor)[0], self.root)
        for root in (together, np.zeros_like(self.root)):
            if not self._poor(root).any():
                partition = Partition(root)
                if np.isfinite(self._utility.costs(partition).max()):
                    return partition
        return None


def joined(question: Problem, found: Answer, effort: Effort) -> Answer:
    """Merge clusters of different components, the cheapest first, until so few are left as is asked.

    What is withheld is merged with nothing, unless there is no other way. Where time is over, one cluster of
    each component that is too many is merged at once.
    """
    joint, utility = question.joint, question.utility
    tied = question.linked
    partition, withheld, most = found.partition, found.withheld, question.most_components or 1
    if overlap_partition(tied, partition).size <= most:
        return found
    unions = utility.union_costs()
    first = np.array([cluster[0] for cluster in partition.clusters()])
    root = first[partition.labels]
    held = root == root[withheld[0]] if len(withheld) else np.zeros(len(root), dtype=np.bool_)
    order = None if question.shape.is_any else question.positions
    for place in range(joint.public.size):
        if root[place] != place:
            unions.merge(int(root[place]), place)
    while True:
        now = Partition(root)
        parts = components(tied.release(now))
        if overlap_partition(tied, now).size <= most:
            return replace(found, partition=now, cost=_cost_beside(utility, now, held))
        part_of = parts.labels[now.labels]
        is_late = effort.should_stop() and order is None
        if is_late and (hurried := _joined_at_once(question, root, part_of, held)) is not None:
            return replace(found, partition=hurried[0], cost=hurried[1])
        best = (np.inf, 0, 0)
        for place in different(root[~held]).tolist():
            costs = unions.with_each(place)
            # Beside side information one part of the public values may show several groups of sensitive ones.
            same = part_of == part_of[place] if parts.size > 1 else root == place
            costs[same | (root != np.arange(len(root))) | held] = np.inf
            if order is not None:
                costs[~_beside(root, held, order, place)] = np.inf
            partner = int(np.argmin(costs))
            best = min(best, (float(costs[partner]), min(place, partner), max(place, partner)))
        is_free = question.shape.is_any or not question.missing[held].any()
        if not np.isfinite(best[0]) and len(withheld) and is_free:
            return joined(question, replace(found, withheld=NOTHING, withheld_rows=0), effort)
        if not np.isfinite(best[0]):
            raise too_many_components(most)
        unions.merge(best[1], best[2])
        root[root == best[2]] = best[1]


def _beside(root: Int64s, held: Flags, positions: Floats, place: int) -> Flags:
    """Return which values are the first of the interval next to that of ``place`` along a line."""
    along = _along(root, held, positions)
    at = np.flatnonzero(along == place)
    near = along[np.concatenate((at[at > 0] - 1, at[at + 1 < len(along)] + 1))]
    found: Flags = np.isin(np.arange(len(root)), near)
    return found


def _along(labels: Ints, held: Flags, positions: Floats) -> Ints:
    """Return the labels of intervals in their order along a line, what is withheld and missing left out."""
    kept = np.flatnonzero(~held & ~np.isnan(positions))
    inside = labels[kept[np.argsort(positions[kept], kind="stable")]]
    return inside[np.flatnonzero(np.diff(inside, prepend=-1))]


def _joined_at_once(
    question: Problem, root: Int64s, part_of: Ints, held: Flags
) -> tuple[Partition, float] | None:
    """Return the partition, and its cost, in which one cluster of each component that is too many is merged.

    ``None`` where that is not enough, or no cluster that is allowed.
    """
    most = question.most_components or 1
    parts, places = np.unique(np.where(held, -1, part_of), return_index=True)
    chosen = root[places[parts >= 0]][: int(part_of.max()) + 2 - most]
    partition = Partition(np.where(np.isin(root, chosen), chosen.min(initial=len(root)), root))
    cost = _cost_beside(question.utility, partition, held)
    if not np.isfinite(cost) or overlap_partition(question.linked, partition).size > most:
        return None
    return partition, cost


def _cost_beside(utility: Utility, partition: Partition, held: Flags) -> float:
    """Return the greatest cost of a cluster that is not withheld."""
    costs = np.delete(utility.costs(partition), different(partition.labels[held]))
    return float(costs.max(initial=0.0))


MOST_TRIED = 4_096
"""Sets of values that are tried to be withheld, at most."""
MOST_MERGED = 64
"""Sets beside which the others are merged, at most."""
MOST_LOOKED_AT = 20_000_000
"""Pairs that are looked at for that, at most."""


def withholding_sets(question: Problem, effort: Effort) -> Answer | None:
    """Withhold sets of values, the fewest first, and merge the others from single values on.

    A missing cell has no place among the others, so where it keeps too little by itself a release is possible
    only if something is withheld that joins it; and what is withheld ties components together. A set is of
    use if all others are enough as one cluster, which is the case wherever anything is. ``None`` where no
    set is found.
    """
    is_free = question.most_components is None and question.joint.side is None
    if not question.budget or (is_free and not question.missing.any()):
        return None
    rows = rows_of_values(question.joint)
    whole = _Growing(question, Partition.whole(question.joint.public.size))
    least = float(question.utility.costs(Partition.singletons(question.joint.public.size)).max())
    best: Answer | None = None
    merged_sets = 0
    for withheld in withheld_sets(question):
        if effort.should_stop() or merged_sets == MOST_MERGED or (best is not None and best.cost <= least):
            break
        held = question.missing.copy()
        held[withheld] = True
        together = Partition(held.astype(np.int64))
        cost = _cost_beside(question.utility, together, held)
        if np.isfinite(cost) and not whole.lacks(together) and _is_linked(question, together):
            merged_sets += 1
            answer = Answer(
                partition=together,
                cost=cost,
                lower_bound_cost=None,
                withheld=withheld,
                withheld_rows=int(rows[withheld].sum()),
            )
            answer = _finer(question, answer, held, effort)
            best = answer if best is None or answer.cost < best.cost else best
    return best


def withheld_sets(question: Problem) -> Iterator[Int64s]:
    """Yield the sets of values that may be withheld, those of fewest values first, as many as are tried."""
    rows = rows_of_values(question.joint)
    free = np.flatnonzero(~question.missing & (rows <= question.budget))
    free = free[np.argsort(rows[free], kind="stable")]
    every = chain.from_iterable(combinations(free.tolist(), size) for size in range(1, len(free) + 1))
    for some in islice(every, min(MOST_TRIED, MOST_LOOKED_AT // question.joint.pairs)):
        withheld = np.array(sorted(some), dtype=np.int64)
        if rows[withheld].sum() <= question.budget:
            yield withheld


def _finer(question: Problem, whole: Answer, held: Flags, effort: Effort) -> Answer:
    """Return what is merged from single values on beside what is withheld, if that costs less."""
    grown = _grown(question, _singles(question, held), effort, held)
    if grown is None:
        return whole
    found = replace(whole, partition=grown, cost=_cost_beside(question.utility, grown, held))
    if question.most_components is not None:
        try:
            found = joined(question, found, effort)
        except UnreachableError:
            return whole
    return min(whole, found, key=lambda answer: answer.cost) if len(found.withheld) else whole


def _singles(question: Problem, held: Flags) -> Partition:
    """Return what is withheld as one cluster, and the others alone, or with those no border may part."""
    labels = np.where(held, len(held), np.arange(len(held)))
    order, borders = _grid(question)
    if borders is not None:
        firsts = np.maximum.accumulate(np.where(borders.allowed[:-1], np.arange(len(order)), 0))
        labels[order] = np.where(held[order], len(held), order[firsts])
    return Partition(labels)


def _grid(question: Problem) -> tuple[Int64s, Borders | None]:
    """Return the values along a line, and where borders may lie between them; ``None``: anywhere."""
    positions = None if question.shape.is_any else question.positions
    if positions is None:
        return NOTHING, None
    placed = np.flatnonzero(~np.isnan(positions))
    order = placed[np.argsort(positions[placed], kind="stable")].astype(np.int64)
    return order, Borders.of_shape(question.shape, positions[order], question.joint.public.coordinates[0])


def _is_linked(question: Problem, partition: Partition) -> bool:
    """Tell whether a partition leaves few enough components."""
    most = question.most_components
    return most is None or overlap_partition(question.linked, partition).size <= most


def less_its_worst(question: Problem, found: Answer) -> Answer:
    """Withhold the clusters of greatest cost together, as far as the budget goes."""
    if not question.budget:
        return found
    partition, rows = found.partition, rows_of_values(question.joint).copy()
    rows[question.missing] = 0
    of_cluster = np.bincount(partition.labels, weights=rows).astype(np.int64)
    costs = question.utility.costs(partition)
    chosen = worst_clusters(costs, of_cluster, question.budget)
    if len(chosen) and question.missing.any():
        # Cells that were missing before join what is withheld, with the clusters that they are in.
        chosen = np.union1d(chosen, different(partition.labels[question.missing]))
    if not of_cluster[chosen].any() or of_cluster[chosen].sum() > question.budget:
        return replace(found, lower_bound_cost=None, any_bound=None)
    gone = np.isin(partition.labels, chosen)
    return Answer(
        partition=without_values(partition, np.flatnonzero(gone)),
        cost=float(np.delete(costs, chosen).max(initial=float(costs.min()))),
        lower_bound_cost=None,
        withheld=np.flatnonzero(gone & ~question.missing).astype(np.int64),
        withheld_rows=int(of_cluster[chosen].sum()),
    )
