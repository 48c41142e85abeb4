r"""Merge two clusters at a time, the best pair first, by what it does to information.

Merging clusters i and j takes from :math:`I(X; \hat X)` and from :math:`I(S; \hat X)`

.. math:: \delta_X = \tfrac1N [\varphi(c_i + c_j) - \varphi(c_i) - \varphi(c_j)], \qquad
          \delta_S = \delta_X - \tfrac1N \sum_s
              [\varphi(c_{si} + c_{sj}) - \varphi(c_{si}) - \varphi(c_{sj})],

and only sensitive values that both clusters show add to the sum. A :class:`PairRule` says which
mixture of the two is to be least, and of which the sum must stay in a budget.

Every cluster remembers its best later partner. A merge changes only pairs with the merged
cluster, and shrinks the budget, so what a cluster remembers is always exact or too good, and it
is looked up anew only when it comes first. The result is that of trying all pairs each time.

Ties, after rounding to 12 decimals: the pair with the earliest first cluster, then the
earliest second.

Three methods do that. **The agglomerative information bottleneck** (Slonim and Tishby 1999) merges the pair
that loses least information about S, so it keeps what privacy wants to hide: the opposite goal, in the
comparison to show what that costs.

**The privacy funnel** (Makhdoumi, Salamatian, Fawaz, Médard 2014, Algorithm 1): of the pairs that leave
enough information about X, merge the one that takes the most information about S; stop when no pair is left.

**Pairwise agglomeration** merges while the Lagrangian :math:`I(S; \hat X) - \lambda I(X; \hat X)` falls.
IAC-MDSF set out to improve on it by merging whole subsets. Neither is always the better one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias, get_args

import numpy as np

from hartley.errors import InputError, OptionError, UnreachableError
from hartley.hot_loops import hot_loop
from hartley.model import JointRange, MergeTree, Partition
from hartley.model.arrays import Flags, Floats, Int64s
from hartley.search.baselines.information import Masses, weighted_log, weighted_logs
from hartley.search.effort import UNLIMITED, Effort

GRID = 1e12
"""Costs are compared in units of one over this many bits."""
MERGES_BETWEEN_QUESTIONS = 64


@dataclass(frozen=True, kw_only=True)
class PairRule:
    r"""Which pair to merge next: least ``cost``, as long as the ``spent`` sum stays in the budget."""

    cost_of_sensitive: float
    r"""Weight of :math:`\delta_S` in the cost."""
    cost_of_public: float
    r"""Weight of :math:`\delta_X` in the cost."""
    spends: tuple[float, float] = (0.0, 0.0)
    r"""Weights of :math:`\delta_S` and :math:`\delta_X` in what a merge spends."""
    budget: float = inf
    """How many bits may be spent in all."""
    ceiling: float = inf
    """The run ends before a merge that costs this much or more."""


@dataclass(frozen=True, eq=False)
class InformationRun:
    """A run of merges."""

    tree: MergeTree

    @property
    def partition(self) -> Partition:
        """The partition the run ends in."""
        return self.tree.partition(self.tree.steps)

    def partition_into(self, clusters: int) -> Partition:
        """Return the partition of the run that has so many clusters."""
        if not 1 <= self.tree.size - clusters + 1 <= self.tree.steps + 1:
            raise InputError(
                f"the run has partitions of {self.tree.size - self.tree.steps} to {self.tree.size} clusters, "
                f"none of {clusters}"
            )
        return self.tree.partition(self.tree.size - clusters)


def merge_pairs(joint: JointRange, rule: PairRule, effort: Effort = UNLIMITED) -> InformationRun:
    """Merge by a rule until one cluster is left, the budget is spent or the ceiling is reached."""
    masses = Masses.of(joint)
    size = masses.size
    pairs = len(masses.rows)
    room = 4 * pairs + 16
    lists = np.zeros((2, room), dtype=np.int64)
    lists[0, :pairs], lists[1, :pairs] = masses.sensitive, masses.rows
    span = np.array([masses.indptr[:-1], np.diff(masses.indptr)])
    totals = masses.totals.copy()
    partner = np.zeros(size, dtype=np.int64)
    stale = np.ones(size, dtype=np.bool_)
    cost, spend = np.full(size, -inf), np.zeros(size)
    weights = np.array([rule.cost_of_sensitive, rule.cost_of_public, *rule.spends]) / masses.row_count
    state = np.array([rule.budget + 1 / GRID, float(pairs)])
    run = _merge_some.for_size(size * pairs)
    logs = weighted_logs(masses.row_count)
    merges = np.zeros((2, max(size - 1, 0)), dtype=np.int64)
    done = 0
    while done < size - 1 and not effort.should_stop():
        most = min(MERGES_BETWEEN_QUESTIONS, size - 1 - done)
        found = run(
            most, rule.ceiling, lists, span, totals, partner, stale, cost, spend, weights, state, logs,
            merges[:, done:],
        )  # fmt: skip
        done += found
        effort.progress(done, size - 1, "merges")
        if found < most:
            break
    tree = MergeTree.of_merges(size, merges[0, :done].copy(), merges[1, :done].copy())
    return InformationRun(tree)


@hot_loop
def pair_drops(
    one: int, other: int, lists: Int64s, span: Int64s, totals: Int64s, logs: Floats
) -> tuple[float, float]:
    r"""Return :math:`N \delta_S` and :math:`N \delta_X` of merging two clusters."""
    public = (
        weighted_log(totals[one] + totals[other], logs)
        - weighted_log(totals[one], logs)
        - weighted_log(totals[other], logs)
    )
    shared = 0.0
    i, end_i = span[0, one], span[0, one] + span[1, one]
    j, end_j = span[0, other], span[0, other] + span[1, other]
    while i < end_i and j < end_j:
        if lists[0, i] < lists[0, j]:
            i += 1
        elif lists[0, i] > lists[0, j]:
            j += 1
        else:
            shared += (
                weighted_log(lists[1, i] + lists[1, j], logs)
                - weighted_log(lists[1, i], logs)
                - weighted_log(lists[1, j], logs)
            )
            i += 1
            j += 1
    return public - shared, public


@hot_loop
def _find_partner(
    row: int,
    lists: Int64s,
    span: Int64s,
    totals: Int64s,
    partner: Int64s,
    stale: Flags,
    cost: Floats,
    spend: Floats,
    weights: Floats,
    budget: float,
    logs: Floats,
) -> None:
    """Look up the best later partner of a cluster."""
    stale[row] = False
    cost[row] = np.inf
    spend[row] = 0.0
    for other in range(row + 1, len(totals)):
        if totals[other] == 0:
            continue
        sensitive, public = pair_drops(row, other, lists, span, totals, logs)
        spent = weights[2] * sensitive + weights[3] * public
        value = np.rint((weights[0] * sensitive + weights[1] * public) * GRID)
        if spent <= budget and value < cost[row]:
            cost[row] = value
            spend[row] = spent
            partner[row] = other


@hot_loop
def _join_lists(kept: int, joined: int, lists: Int64s, span: Int64s, state: Floats) -> None:
    """Write the rows of the merged cluster behind all others; tidy up first when there is no room."""
    need = span[1, kept] + span[1, joined]
    if int(state[1]) + need > lists.shape[1]:
        order = np.argsort(span[0])
        write = 0
        for cluster in order:
            begin = span[0, cluster]
            span[0, cluster] = write
            for entry in range(begin, begin + span[1, cluster]):
                lists[0, write] = lists[0, entry]
                lists[1, write] = lists[1, entry]
                write += 1
        state[1] = write
    write = int(state[1])
    i, end_i = span[0, kept], span[0, kept] + span[1, kept]
    j, end_j = span[0, joined], span[0, joined] + span[1, joined]
    span[0, kept] = write
    while i < end_i or j < end_j:
        take_i = j == end_j or (i < end_i and lists[0, i] <= lists[0, j])
        take_j = i == end_i or (j < end_j and lists[0, j] <= lists[0, i])
        lists[1, write] = 0
        if take_i:
            lists[0, write] = lists[0, i]
            lists[1, write] += lists[1, i]
        if take_j:
            lists[0, write] = lists[0, j]
            lists[1, write] += lists[1, j]
        i += 1 if take_i else 0
        j += 1 if take_j else 0
        write += 1
    span[1, kept] = write - int(state[1])
    span[1, joined] = 0
    state[1] = write


@hot_loop
def _merge_some(
    most: int,
    ceiling: float,
    lists: Int64s,
    span: Int64s,
    totals: Int64s,
    partner: Int64s,
    stale: Flags,
    cost: Floats,
    spend: Floats,
    weights: Floats,
    state: Floats,
    logs: Floats,
    merges: Int64s,
) -> int:
    """Do up to so many merges; fewer only when the run is at its end. Give how many were done.

    ``state`` holds the budget that is left and how much of ``lists`` is in use.
    """
    size = len(totals)
    for done in range(most):
        while True:
            row = -1
            least = np.inf
            for other in range(size):
                if totals[other] > 0 and cost[other] < least:
                    least = cost[other]
                    row = other
            if row < 0 or (not stale[row] and spend[row] <= state[0]):
                break
            _find_partner(
                row, lists, span, totals, partner, stale, cost, spend, weights, state[0], logs
            )  # fmt: skip
        if row < 0 or least >= ceiling * GRID:
            return done
        gone = partner[row]
        merges[0, done] = row
        merges[1, done] = gone
        state[0] -= spend[row]
        _join_lists(row, gone, lists, span, state)
        totals[row] += totals[gone]
        totals[gone] = 0
        stale[row] = True
        cost[row] = -np.inf
        for other in range(gone):
            if totals[other] == 0 or other == row:
                continue
            if partner[other] == gone or partner[other] == row:
                stale[other] = True
            if other > row:
                continue
            sensitive, public = pair_drops(other, row, lists, span, totals, logs)
            spent = weights[2] * sensitive + weights[3] * public
            value = np.rint((weights[0] * sensitive + weights[1] * public) * GRID)
            if spent > state[0]:
                continue
            if value < cost[other]:
                cost[other] = value
                spend[other] = spent
                partner[other] = row
                stale[other] = False
            elif value == cost[other]:
                # A tie goes to the earlier partner; looked up when it matters.
                stale[other] = True
    return most


Kept: TypeAlias = Literal["public", "sensitive"]
KEPT: tuple[Kept, ...] = get_args(Kept)


def privacy_funnel(
    joint: JointRange, *, at_least: float, kept: Kept = "public", effort: Effort = UNLIMITED
) -> InformationRun:
    r"""Merge while at least so many bits are kept.

    ``kept="public"``, the funnel: keep :math:`I(X; \hat X)`, take the most from
    :math:`I(S; \hat X)`. ``kept="sensitive"``, its dual, the bottleneck: the two change places.

    >>> from hartley.examples import toy
    >>> privacy_funnel(toy(), at_least=1.0).partition
    Partition({0, 2, 4, 5, 6}, {1}, {3})
    """
    if kept not in KEPT:
        raise OptionError.unknown("information to keep", kept, KEPT)
    masses = Masses.of(joint)
    there = masses.public_entropy if kept == "public" else masses.information
    if at_least > there + 1 / GRID:
        raise UnreachableError(
            f"no release keeps {at_least:g} bits about the {kept} values; the untouched table has {there:.4g}"
        )
    if kept == "public":
        rule = PairRule(
            cost_of_sensitive=-1.0, cost_of_public=0.0, spends=(0.0, 1.0), budget=there - at_least
        )
    else:
        rule = PairRule(
            cost_of_sensitive=0.0, cost_of_public=-1.0, spends=(1.0, 0.0), budget=there - at_least
        )
    return merge_pairs(joint, rule, effort)


def pairwise_agglomeration(
    joint: JointRange, *, utility_weight: float, effort: Effort = UNLIMITED
) -> InformationRun:
    r"""Merge the pair that lowers the Lagrangian most, until none does.

    >>> from hartley.examples import toy
    >>> pairwise_agglomeration(toy(), utility_weight=0.5).partition
    Partition({0, 2, 4, 5, 6}, {1, 3})
    """
    if not utility_weight >= 0:
        raise OptionError("the utility weight cannot be negative")
    rule = PairRule(cost_of_sensitive=-1.0, cost_of_public=utility_weight, ceiling=0.0)
    return merge_pairs(joint, rule, effort)


def agglomerative_bottleneck(
    joint: JointRange, *, trade_off: float = inf, effort: Effort = UNLIMITED
) -> InformationRun:
    r"""Merge down to one cluster, each time the pair with the least :math:`\delta_S - \delta_X / \beta`.

    ``trade_off`` is :math:`\beta`: infinite, the default, looks at the information about S
    alone. One run holds a partition for every number of clusters:
    ``run.partition_into(5)``.

    >>> from hartley.examples import toy
    >>> agglomerative_bottleneck(toy()).partition_into(6)
    Partition({0}, {1}, {2, 3}, {4}, {5}, {6})
    """
    if not trade_off > 0:
        raise OptionError("the trade-off of the bottleneck must be a positive number")
    return merge_pairs(joint, PairRule(cost_of_sensitive=1.0, cost_of_public=-1 / trade_off), effort)
