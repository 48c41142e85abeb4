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
from typing import NamedTuple

import numpy as np

from hartley.baselines.information import Masses, weighted_log, weighted_logs
from hartley.errors import OptionError, UnreachableError
from hartley.hot_loops import hot_loop
from hartley.model import JointRange, MergeTree
from hartley.model.arrays import Flags, Floats, Int64s
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


class Merging(NamedTuple):
    """A run under way; loops change the arrays in place."""

    lists: Int64s
    """Sensitive values (first line) and their rows (second) of every cluster, ascending."""
    span: Int64s
    """Where the list of each cluster begins (first line) and how long it is (second)."""
    totals: Int64s
    """The rows of each cluster; 0 where none stands any more."""
    partner: Int64s
    """The best later partner of each cluster, and what merging them costs and spends."""
    stale: Flags
    """Whether that must be looked up anew."""
    cost: Floats
    spend: Floats
    weights: Floats
    """Of both drops in the cost, and in what is spent."""
    state: Floats
    """The budget that is left, and how much of the lists is in use."""
    logs: Floats


def merge_pairs(joint: JointRange, rule: PairRule, effort: Effort = UNLIMITED) -> MergeTree:
    """Merge by a rule until one cluster is left, the budget is spent or the ceiling is reached."""
    masses = Masses.of(joint)
    size, pairs = masses.size, len(masses.rows)
    lists = np.zeros((2, 4 * pairs + 16), dtype=np.int64)
    lists[0, :pairs], lists[1, :pairs] = masses.sensitive, masses.rows
    here = Merging(
        lists=lists,
        span=np.array([masses.indptr[:-1], np.diff(masses.indptr)]),
        totals=masses.totals.copy(),
        partner=np.zeros(size, dtype=np.int64),
        stale=np.ones(size, dtype=np.bool_),
        cost=np.full(size, -inf),
        spend=np.zeros(size),
        weights=np.array([rule.cost_of_sensitive, rule.cost_of_public, *rule.spends]) / masses.row_count,
        state=np.array([rule.budget + 1 / GRID, float(pairs)]),
        logs=weighted_logs(masses.row_count),
    )
    run = _merge_some.for_size(size * pairs)
    merges = np.zeros((2, max(size - 1, 0)), dtype=np.int64)
    done = 0
    while done < size - 1 and not effort.should_stop():
        most = min(MERGES_BETWEEN_QUESTIONS, size - 1 - done)
        found = run(most, rule.ceiling, here, merges[:, done:])
        done += found
        effort.progress(done, size - 1, "merges")
        if found < most:
            break
    return MergeTree.of_merges(size, merges[0, :done].copy(), merges[1, :done].copy())


@hot_loop
def _drop(one: int, other: int, logs: Floats) -> float:
    r"""Return :math:`\varphi(a + b) - \varphi(a) - \varphi(b)`."""
    return weighted_log(one + other, logs) - weighted_log(one, logs) - weighted_log(other, logs)


@hot_loop
def _pair_cost(one: int, other: int, here: Merging) -> tuple[float, float]:
    r"""Return what merging two clusters costs, in units of the grid, and what it spends."""
    lists, span = here.lists, here.span
    public = _drop(here.totals[one], here.totals[other], here.logs)
    shared = 0.0
    i, end_i = span[0, one], span[0, one] + span[1, one]
    j, end_j = span[0, other], span[0, other] + span[1, other]
    while i < end_i and j < end_j:
        if lists[0, i] < lists[0, j]:
            i += 1
        elif lists[0, i] > lists[0, j]:
            j += 1
        else:
            shared += _drop(lists[1, i], lists[1, j], here.logs)
            i += 1
            j += 1
    sensitive, weights = public - shared, here.weights
    cost = np.rint((weights[0] * sensitive + weights[1] * public) * GRID)
    return cost, weights[2] * sensitive + weights[3] * public


@hot_loop
def _find_partner(row: int, here: Merging) -> None:
    """Look up the best later partner of a cluster."""
    here.stale[row] = False
    here.cost[row] = np.inf
    here.spend[row] = 0.0
    for other in range(row + 1, len(here.totals)):
        if here.totals[other] == 0:
            continue
        cost, spent = _pair_cost(row, other, here)
        if spent <= here.state[0] and cost < here.cost[row]:
            here.cost[row] = cost
            here.spend[row] = spent
            here.partner[row] = other


@hot_loop
def _join_lists(kept: int, joined: int, here: Merging) -> None:
    """Write the rows of the merged cluster behind all others; tidy up first when there is no room."""
    lists, span, state = here.lists, here.span, here.state
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
def _merge_some(most: int, ceiling: float, here: Merging, merges: Int64s) -> int:
    """Do up to so many merges; fewer only when the run is at its end. Give how many were done."""
    totals, cost, partner, stale = here.totals, here.cost, here.partner, here.stale
    for done in range(most):
        while True:
            row = -1
            least = np.inf
            for other in range(len(totals)):
                if totals[other] > 0 and cost[other] < least:
                    least = cost[other]
                    row = other
            if row < 0 or (not stale[row] and here.spend[row] <= here.state[0]):
                break
            _find_partner(row, here)
        if row < 0 or least >= ceiling * GRID:
            return done
        gone = partner[row]
        merges[0, done] = row
        merges[1, done] = gone
        here.state[0] -= here.spend[row]
        _join_lists(row, gone, here)
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
            value, spent = _pair_cost(other, row, here)
            if spent > here.state[0]:
                continue
            if value < cost[other]:
                cost[other] = value
                here.spend[other] = spent
                partner[other] = row
                stale[other] = False
            elif value == cost[other]:
                # A tie goes to the earlier partner; looked up when it matters.
                stale[other] = True
    return most


def privacy_funnel(joint: JointRange, *, at_least: float, effort: Effort = UNLIMITED) -> MergeTree:
    r"""Merge while :math:`I(X; \hat X)` keeps so many bits, taking most of :math:`I(S; \hat X)` each time."""
    there = Masses.of(joint).public_entropy
    if at_least > there + 1 / GRID:
        raise UnreachableError(
            f"no release keeps {at_least:g} bits about the public values; the untouched table has {there:.4g}"
        )
    rule = PairRule(cost_of_sensitive=-1.0, cost_of_public=0.0, spends=(0.0, 1.0), budget=there - at_least)
    return merge_pairs(joint, rule, effort)


def pairwise_agglomeration(
    joint: JointRange, *, utility_weight: float, effort: Effort = UNLIMITED
) -> MergeTree:
    r"""Merge the pair that lowers the Lagrangian most, until none does."""
    if not utility_weight >= 0:
        raise OptionError("the utility weight cannot be negative")
    rule = PairRule(cost_of_sensitive=-1.0, cost_of_public=utility_weight, ceiling=0.0)
    return merge_pairs(joint, rule, effort)


def agglomerative_bottleneck(
    joint: JointRange, *, trade_off: float = inf, effort: Effort = UNLIMITED
) -> MergeTree:
    r"""Merge down to one cluster, each time the pair with the least :math:`\delta_S - \delta_X / \beta`.

    ``trade_off`` is :math:`\beta`: infinite, the default, looks at the information about S
    alone. One run holds a partition for every number of clusters.
    """
    if not trade_off > 0:
        raise OptionError("the trade-off of the bottleneck must be a positive number")
    return merge_pairs(joint, PairRule(cost_of_sensitive=1.0, cost_of_public=-1 / trade_off), effort)
