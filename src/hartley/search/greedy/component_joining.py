r"""Algorithm 2: join components, to lower the maximin information :math:`I_*(S; \hat X)`.

Rule. Among the pairs of clusters from different components of the confusability graph, merge
the one with the cheapest union; every merge is a step. The run ends when one component is left, or
no pair is allowed.

Ties under resolution go to the pair whose larger component is largest, then whose smaller component
is largest (sizes in public values), then to the components that hold the earliest public values, and
inside a component to its smallest cluster, the earliest of those. Ties under any distortion go to the
earliest pair, first by the earlier cluster, then by the later.

Side information (paper, end of Section V). The graph is that of the observations
:math:`(\hat x, a)`. Merging two clusters makes one observation of the two they show with each side value
they have in common, and so may join several components at once; the pairs to choose from are those
that join some. Of the components that a cluster brings to the merge, the largest speaks for it in a
tie, the one with the earliest public value where several are as large; its size counts public values with an
observation in it.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from hartley.measures.overlap import components
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, MergeTree
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.greedy.loops import joining
from hartley.search.greedy.loops.candidate_sets import sets_for
from hartley.search.greedy.loops.line_slots import LineOrder, slots_for
from hartley.search.greedy.observations import Components
from hartley.search.greedy.recorder import Recorder, merge_best_pairs, run_in_slices

STEPS_PER_VALUE = 8
WHAT = "joining components"


def component_joining(joint: JointRange, utility: Utility, effort: Effort = UNLIMITED) -> MergeTree:
    """Run Algorithm 2 to its end; where it is stopped, give the merges up to there."""
    if joint.side is None and isinstance(utility, Resolution):
        return _by_size(joint, effort)
    if joint.side is None and isinstance(utility, LineDistortion):
        return _on_line(joint, utility, effort)
    if isinstance(utility, Resolution):
        return _by_size_and_components(joint, utility, effort)
    return _by_pairs(joint, utility, effort)


def _by_size(joint: JointRange, effort: Effort) -> MergeTree:
    size = joint.public.size
    parts = components(joint)
    heaps = joining.heaps_for(parts.labels, parts.sizes)

    def report() -> tuple[int, int, str]:
        return int(heaps.at[joining.MERGES]), parts.size - 1, WHAT

    complete = run_in_slices(joining.joining_by_size, STEPS_PER_VALUE * size, (heaps,), effort, report)
    done = int(heaps.at[joining.MERGES])
    return MergeTree.of_merges(size, heaps.kept[:done], heaps.joined[:done], complete=complete)


def _on_line(joint: JointRange, utility: LineDistortion, effort: Effort) -> MergeTree:
    size = joint.public.size
    line = LineOrder.of(utility)
    parts = components(joint)
    kind = parts.labels[line.places[: len(line.positions)]].astype(np.int32)
    slots = slots_for(
        line.places,
        line.positions,
        line.codeword,
        kind=kind,
        alias=np.arange(parts.size, dtype=np.int32),
        is_exact=line.is_exact,
    )
    del line  # the slots hold all that is needed of it
    offers = joining.offers_for(kind, parts.size)
    no_sets = sets_for(0, 0, 0)

    def report() -> tuple[int, int, str]:
        done = offers.at[joining.ASKED] + offers.at[joining.MERGES]
        return int(done), len(kind) + len(offers.kept), WHAT

    complete = run_in_slices(
        joining.joining_on_line, STEPS_PER_VALUE * size, (slots, no_sets, offers), effort, report
    )
    done = int(offers.at[joining.MERGES])
    return MergeTree.of_merges(size, offers.kept[:done], offers.joined[:done], complete=complete)


def _by_pairs(joint: JointRange, utility: Utility, effort: Effort) -> MergeTree:
    """Search under any distortion and side information.

    Each cluster keeps the cheapest union it saw when last asked. Unions only drop out, or come in with a
    merged cluster, which is asked at once; so the cheapest of all, if it still stands, is the right one.
    """
    size = joint.public.size
    graph = Components(joint)
    unions = utility.union_costs()
    record = Recorder(size, effort, WHAT)
    age = [0] * size

    def cheapest(place: int) -> list[tuple[float, int, int, int, int, int]]:
        """Ask a cluster: the cost, the pair, the cluster that was asked, and how old both were."""
        joins, _, _ = graph.joined_by(place)
        costs = unions.with_each(place)
        costs[~joins] = np.inf
        partner = int(costs.argmin())
        if costs[partner] == np.inf:
            return []
        kept, joined = min(place, partner), max(place, partner)
        return [(float(costs[partner]), kept, joined, place, age[kept], age[joined])]

    heap = []
    for place in range(size):
        if record.must_stop():
            return record.tree()
        if place % 64 == 0:
            effort.progress(place, 2 * size, WHAT)
        heap += cheapest(place)
    heapify(heap)
    while heap and not record.must_stop():
        _, kept, joined, asked, kept_age, joined_age = heappop(heap)
        if (age[kept], age[joined]) == (kept_age, joined_age) and bool(graph.joined_by(kept)[0][joined]):
            graph.merge(kept, joined)
            unions.merge(kept, joined)
            record.merge(kept, joined)
            age[kept] += 1
            age[joined] = -1
            asked = kept
            record.end_step()
        elif age[asked] != (kept_age if asked == kept else joined_age):
            continue
        for entry in cheapest(asked):
            heappush(heap, entry)
    return record.tree()


def _by_size_and_components(joint: JointRange, utility: Resolution, effort: Effort) -> MergeTree:
    """Search under resolution with side information, looking at all pairs for every merge."""
    size = joint.public.size
    graph = Components(joint)
    unions = utility.union_costs()
    sizes = np.ones(size, dtype=np.int64)

    def best_with(place: int) -> tuple[float, ...] | None:
        costs = unions.with_each(place)
        joins, mine, yours = graph.joined_by(place)
        costs[~joins] = np.inf
        costs[:place] = np.inf
        least = costs.min()
        if least == np.inf:
            return None

        def rank(other: int) -> tuple[float, ...]:
            joined = graph.sizes[[mine[other], yours[other]]]
            ranks = sorted(
                (int(sizes[at]), -int(graph.sizes[part]), int(graph.firsts[part]), at)
                for at, part in ((place, mine[other]), (other, yours[other]))
            )
            return int(least), -int(joined.max()), -int(joined.min()), *ranks[0], *ranks[1], place, other

        return min(map(rank, np.flatnonzero(costs == least).tolist()))

    def merge(kept: int, joined: int) -> None:
        graph.merge(kept, joined)
        unions.merge(kept, joined)
        sizes[kept] += sizes[joined]

    return merge_best_pairs(Recorder(size, effort, WHAT), size, best_with, merge)
