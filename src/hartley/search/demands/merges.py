"""Partitions grown by merging whatever keeps too little, where no other search has the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.overlap import components
from hartley.measures.uncertainty import rows_of_values
from hartley.measures.verdicts import kept_by_each
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Int64s
from hartley.search.demands.question import (
    NOTHING,
    DemandAnswer,
    DemandQuestion,
    too_many_components,
)
from hartley.search.effort import Effort
from hartley.search.withheld import without_values, worst_clusters


def merged(question: DemandQuestion, effort: Effort, starts: Sequence[Partition]) -> DemandAnswer:
    """Merge whatever keeps too little with what costs least, from each start and from nothing merged."""
    joint, utility = question.joint, question.utility
    size = joint.public.size
    best: DemandAnswer | None = None
    for start in (*starts, Partition.singletons(size)):
        grown = _grown(question, start)
        if grown is not None:
            cost = float(utility.costs(grown).max())
            if np.isfinite(cost) and (best is None or cost < best.cost):
                best = DemandAnswer(partition=grown, cost=cost, lower_bound_cost=None)
        if effort.should_stop() and best is not None:
            break
    if best is None:
        raise UnreachableError("no merging of the public values keeps what is required")
    return best


def _grown(question: DemandQuestion, start: Partition) -> Partition | None:
    joint = question.joint
    unions = question.utility.union_costs()
    labels = start.labels.astype(np.int64).copy()
    first: dict[int, int] = {}
    for place, label in enumerate(labels.tolist()):
        if label in first:
            unions.merge(first[label], place)
        else:
            first[label] = place
    root = np.array([first[label] for label in labels.tolist()])
    lacking = _lacking(question)
    while True:
        poor = lacking(joint, root)
        if not poor.any():
            return Partition(root)
        place = int(np.flatnonzero(poor)[0])
        costs = unions.with_each(place)
        costs[place] = np.inf
        partner = int(np.argmin(costs))
        if not np.isfinite(costs[partner]):
            return None
        kept, gone = min(place, partner), max(place, partner)
        unions.merge(kept, gone)
        root[root == gone] = kept


def _lacking(question: DemandQuestion) -> Callable[[JointRange, Int64s], Flags]:
    """Return what tells, by the first place of each cluster, which clusters keep too little."""

    def poor(joint: JointRange, root: Int64s) -> Flags:
        partition = Partition(root)
        released = joint.release(partition)
        found = np.zeros(joint.public.size, dtype=np.bool_)
        firsts = np.unique(root, return_index=True)[1]
        of_cluster = {int(partition.labels[first]): int(root[first]) for first in firsts.tolist()}
        clusters = released.public_of
        for requirement in question.requirements:
            lacks = kept_by_each(released, requirement, question.closeness) < requirement.wanted
            for cluster in np.unique(clusters[lacks]).tolist():
                found[of_cluster[cluster]] = True
        return found

    return poor


def joined(question: DemandQuestion, found: DemandAnswer) -> DemandAnswer:
    """Merge clusters of different components, the cheapest first, until so few are left as is asked.

    What is withheld is merged with nothing, unless there is no other way.
    """
    joint, utility = question.joint, question.utility
    partition, withheld, most = found.partition, found.withheld, question.most_components or 1
    if components(joint.release(partition)).size <= most:
        return found
    unions = utility.union_costs()
    first = np.array([cluster[0] for cluster in partition.clusters()])
    root = first[partition.labels]
    held = root == root[withheld[0]] if len(withheld) else np.zeros(len(root), dtype=np.bool_)
    for place in range(joint.public.size):
        if root[place] != place:
            unions.merge(int(root[place]), place)
    while True:
        now = Partition(root)
        parts = components(joint.release(now))
        if parts.size <= most:
            costs = np.delete(utility.costs(now), np.unique(now.labels[held]))
            return replace(found, partition=now, cost=float(costs.max(initial=0.0)), bands=())
        part_of = parts.labels[now.labels]
        best = (np.inf, 0, 0)
        for place in np.unique(root[~held]).tolist():
            costs = unions.with_each(place)
            costs[(part_of == part_of[place]) | (root != np.arange(len(root))) | held] = np.inf
            partner = int(np.argmin(costs))
            best = min(best, (float(costs[partner]), min(place, partner), max(place, partner)))
        if not np.isfinite(best[0]) and len(withheld):
            return joined(question, replace(found, withheld=NOTHING, withheld_rows=0))
        if not np.isfinite(best[0]):
            raise too_many_components(most)
        unions.merge(best[1], best[2])
        root[root == best[2]] = best[1]


def less_its_worst(question: DemandQuestion, found: DemandAnswer) -> DemandAnswer:
    """Withhold the clusters of greatest cost together, as far as the budget goes."""
    if not question.budget:
        return found
    partition = found.partition
    rows = np.bincount(partition.labels, weights=rows_of_values(question.joint)).astype(np.int64)
    chosen = worst_clusters(question.utility.costs(partition), rows, question.budget)
    if not len(chosen):
        return replace(found, lower_bound_cost=None, any_bound=None)
    withheld = np.flatnonzero(np.isin(partition.labels, chosen)).astype(np.int64)
    held = without_values(partition, withheld)
    others = np.delete(question.utility.costs(partition), chosen)
    return DemandAnswer(
        partition=held,
        cost=float(others.max(initial=0.0)),
        lower_bound_cost=None,
        withheld=withheld,
        withheld_rows=int(rows[chosen].sum()),
    )
