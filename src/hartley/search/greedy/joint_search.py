r"""Problem (3): the least :math:`L_0(S \to \hat X)` among releases with :math:`I_*(S; \hat X) = 0`.

Rule. Among the pairs of clusters from different components, merge the one that changes
:math:`\mathcal L = L_0 - \lambda U` for the better most, or for the worse least; every merge is a step. The
run ends when one component is left (or no pair is allowed), whatever the Lagrangian does. Here λ,
the weight of utility, chooses the merges, so there is a run for each λ.

Ties. Changes are compared after rounding to 12 decimals; then the fewest candidates of the two clusters
together, then the largest components (the larger of the two first), then the earliest pair.

Side information (paper, end of Section V). Leakage and components are those of the observations
:math:`(\hat x, a)`, as in the other two searches; candidates are counted as pairs :math:`(s, a)`.

# Paper: "s.t. I*(S;X)=0" in problem (3). Here: I*(S;X̂)=0, because X is given.
"""

from __future__ import annotations

from math import log2

import numpy as np

from hartley.errors import InputError, OptionError, option
from hartley.measures.overlap import components
from hartley.measures.uncertainty import candidate_counts
from hartley.measures.utility import Resolution, Utility
from hartley.model import JointRange, MergeTree, Partition
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.greedy.loops.joint import best_joint_pair, rounded
from hartley.search.greedy.loops.joint_by_size import MERGES, joint_by_size, standing_for
from hartley.search.greedy.observations import Candidates, Components
from hartley.search.greedy.recorder import Recorder, merge_best_pairs, run_in_slices

MOST_VALUES = 10_000
"""Beyond so many values a table of all unions does not fit a machine any more."""
STEPS_A_MERGE = 120
"""About how many elementary steps a merge takes under resolution."""
WHAT = "joining components, narrowest first"


def joint_search(
    joint: JointRange, utility: Utility, utility_weight: float, effort: Effort = UNLIMITED
) -> MergeTree:
    """Run the search of problem (3) to its end, for one weight of utility.

    Where it is stopped, give the merges up to there.
    """
    if not (utility_weight >= 0 and np.isfinite(utility_weight)):
        raise OptionError("the utility weight must be a finite number, not below zero")
    if joint.side is None and isinstance(utility, Resolution):
        return _by_size(joint, utility_weight, effort)
    if joint.public.size > MOST_VALUES:
        raise InputError(
            f"the joint search compares all pairs of at most {MOST_VALUES} public values, and there are "
            f"{joint.public.size}; use {option('utility', 'resolution')}, or "
            f"{option('leakage', 'l0')} or istar"
        )
    if joint.side is None:
        return _by_pairs(joint, utility, utility_weight, effort)
    return _by_observations(joint, utility, utility_weight, effort)


def _by_size(joint: JointRange, utility_weight: float, effort: Effort) -> MergeTree:
    size = joint.public.size
    parts = components(joint)
    standing = standing_for(parts.labels, parts.sizes, candidate_counts(joint), joint.sensitive.size)
    state = (standing, joint.sensitive.size, float(utility_weight))

    def report() -> tuple[int, int, str]:
        return int(standing.at[MERGES]), parts.size - 1, WHAT

    complete = run_in_slices(joint_by_size, STEPS_A_MERGE * parts.size, state, effort, report)
    done = int(standing.at[MERGES])
    return MergeTree.of_merges(size, standing.kept[:done], standing.joined[:done], complete=complete)


def _by_pairs(joint: JointRange, utility: Utility, utility_weight: float, effort: Effort) -> MergeTree:
    """Search under any distortion, with a table of all unions kept up to date."""
    size = joint.public.size
    parts = components(joint)
    component = parts.labels.astype(np.int64)
    values = parts.sizes.astype(np.int64)
    count = candidate_counts(joint).astype(np.int64)
    tracker = utility.union_costs()
    record = Recorder(size, effort, WHAT)
    unions = np.empty((size, size))
    for place in range(size):
        if record.must_stop():
            return record.tree()
        unions[place] = tracker.with_each(place)
    costs = np.zeros(size)
    live = np.arange(size)
    choose = best_joint_pair.for_size(size * size)
    while not record.must_stop():
        kept, joined = choose(
            live, unions, costs, count, component, values, joint.sensitive.size, float(utility_weight)
        )
        if kept < 0:
            break
        costs[kept] = unions[kept, joined]
        # Sets of different components share nothing.
        count[kept] += count[joined]
        one, other = component[kept], component[joined]
        component[component == other] = one
        values[one] += values[other]
        tracker.merge(kept, joined)
        unions[kept] = unions[:, kept] = tracker.with_each(kept)
        live = live[live != joined]
        record.merge(kept, joined)
        record.end_step()
    return record.tree()


def _by_observations(joint: JointRange, utility: Utility, utility_weight: float, effort: Effort) -> MergeTree:
    """Search with side information, looking at all pairs for every merge."""
    size = joint.public.size
    candidates = Candidates(joint)
    graph = Components(joint)
    unions = utility.union_costs()
    costs = utility.costs(Partition.singletons(size))

    def best_with(one: int) -> tuple[float, ...] | None:
        leakages = candidates.leakages
        # One of the three that leak most, and of the three costliest, is left beside any union.
        leaking, costly = np.argsort(-leakages)[:3], np.argsort(-costs)[:3]
        before = log2(leakages[leaking[0]]) - utility_weight * utility.of_cost(float(costs[costly[0]]))
        joins, mine, yours = graph.joined_by(one)
        union_costs = unions.with_each(one)

        def rank(other: int) -> tuple[float, ...]:
            beside = [float(leakages[i]) for i in leaking if i not in (one, other)]
            leakage = max([candidates.union_leakage(one, other), *beside])
            cost = max([union_costs[other], *(costs[i] for i in costly if i not in (one, other))])
            change = rounded(log2(leakage) - utility_weight * utility.of_cost(float(cost)) - before)
            sizes = graph.sizes[[mine[other], yours[other]]]
            counts = candidates.counts[one] + candidates.counts[other]
            return change, int(counts), -int(sizes.max()), -int(sizes.min()), one, other

        others = np.flatnonzero(joins & (union_costs < np.inf))
        return min(map(rank, others[others > one].tolist()), default=None)

    def merge(kept: int, joined: int) -> None:
        costs[kept] = unions.with_each(kept)[joined]
        costs[joined] = 0.0
        candidates.merge(kept, joined)
        graph.merge(kept, joined)
        unions.merge(kept, joined)

    return merge_best_pairs(Recorder(size, effort, WHAT), size, best_with, merge)
