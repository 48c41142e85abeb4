r"""IAC-MDSF (Ding and Sadeghi 2019): merge a whole subset of clusters at a time.

Minimises :math:`I(S; \hat X) - \lambda I(X; \hat X)`. Each step merges the subset that lowers
it most, found as the minimum of a difference of submodular functions, until none
lowers it. With few clusters all subsets are tried; with many, ModMod starts from the most
promising pairs, and the subset it finds need not be the best one.

Even with every step exact the end need not beat merging pair by pair: a large first step can
be greedy.

Ties, after rounding to 12 decimals: exact, the smallest subset, then the earliest;
ModMod, the first found, pairs being tried from the best.

ModMod finds the subset by bounds that are sums (Iyer and Bilmes 2012). Merging a subset W of clusters changes
:math:`I(S; \hat X) - \lambda I(X; \hat X)` by :math:`v(W) = f(W) - g(W)`, where

.. math:: f(W) = \tfrac{1 - \lambda}{N} \Bigl[\sum_{x \in W} \varphi(c_x) - \varphi(c_W)\Bigr], \qquad
          g(W) = \tfrac1N \sum_s \Bigl[\sum_{x \in W} \varphi(c_{sx}) - \varphi(c_{sW})\Bigr]

are submodular. A round replaces f by a sum of weights that is nowhere less than f and equals it
at W, and g by one that is nowhere more and equals g at W; their difference is least at the
elements where it is negative. So v never rises from round to round.

A round tries both upper bounds of f, and two orders for the lower bound of g: W and then the
rest, the rest once in place order and once with the most promising first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.baselines.information import Masses, weighted_log, weighted_logs
from hartley.baselines.subsets import (
    EXACT_UP_TO,
    SubsetRun,
    least_subset,
    members,
    over_subsets,
    require_weight,
)
from hartley.hot_loops import hot_loop, hot_part
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Floats, Int64s
from hartley.search.effort import UNLIMITED, Effort

NO_CHANGE = 1e-12
"""Changes smaller than this are rounding."""
MOST_ROUNDS = 1_000_000


def all_changes(masses: Masses, utility_weight: float) -> Floats:
    """Return the change of the Lagrangian for merging every subset of the clusters."""
    logs = weighted_logs(masses.row_count)
    counts = np.zeros((len(masses.sensitive_totals), masses.size), dtype=np.int64)
    counts[masses.sensitive, np.repeat(np.arange(masses.size), np.diff(masses.indptr))] = masses.rows
    change = (1 - utility_weight) * _fall(masses.totals, logs)
    for row in counts[(counts > 0).sum(axis=1) > 1]:
        change -= _fall(row, logs)
    return change / masses.row_count


def _fall(counts: Int64s, logs: Floats) -> Floats:
    r"""Return :math:`\sum \varphi(c_x) - \varphi(\sum c_x)` for every subset."""
    single = _weighted(counts, logs)
    together = np.asarray(over_subsets(np.add, counts, 0), dtype=np.int64)
    return np.asarray(over_subsets(np.add, single, 0.0), dtype=float) - _weighted(together, logs)


def _weighted(counts: Int64s, logs: Floats) -> Floats:
    if counts.max() < len(logs):
        return logs[counts]
    return np.asarray(counts * np.log2(np.maximum(counts, 1)), dtype=float)


class Weighed(NamedTuple):
    """The clusters of a partition as loops take them, for one weight of utility."""

    indptr: Int64s
    sensitive: Int64s
    rows: Int64s
    """Cluster x shows ``sensitive[indptr[x]:indptr[x + 1]]``, each in so many rows."""
    totals: Int64s
    """The rows of each cluster."""
    logs: Floats
    public: float
    r""":math:`(1-\lambda)/N`, the weight of f."""
    secret: float
    """1/N, the weight of g."""
    pool: Int64s
    """Scratch paper, zeros between two loops: the rows of each sensitive value in the subset looked at."""

    @classmethod
    def of(cls, masses: Masses, utility_weight: float) -> Weighed:
        """Lay out the clusters of a partition."""
        return cls(
            masses.indptr,
            masses.sensitive,
            masses.rows,
            masses.totals,
            weighted_logs(masses.row_count),
            (1 - utility_weight) / masses.row_count,
            1 / masses.row_count,
            np.zeros(len(masses.sensitive_totals), dtype=np.int64),
        )


@hot_part
def joined(one: int, other: int, logs: Floats) -> float:
    r"""Return :math:`\varphi(a) + \varphi(b) - \varphi(a + b)`: what f or g gains by joining two counts."""
    return weighted_log(one, logs) - weighted_log(one + other, logs) + weighted_log(other, logs)


@hot_part
def add_to_pool(x: int, here: Weighed) -> float:
    """Add the rows of a cluster to the pool; return what g gains, before its weight."""
    gain = 0.0
    for entry in range(here.indptr[x], here.indptr[x + 1]):
        s = here.sensitive[entry]
        gain += joined(here.rows[entry], here.pool[s], here.logs)
        here.pool[s] += here.rows[entry]
    return gain


@hot_part
def empty_pool(here: Weighed) -> None:
    """Set the pool to zeros."""
    for s in range(len(here.pool)):
        here.pool[s] = 0


@hot_loop
def subset_change(chosen: Flags, here: Weighed) -> float:
    """Return v of one subset."""
    f, g, together = 0.0, 0.0, 0
    for x in range(len(here.totals)):
        if chosen[x]:
            f += joined(here.totals[x], together, here.logs)
            together += here.totals[x]
            g += add_to_pool(x, here)
    empty_pool(here)
    return float(here.public * f - here.secret * g)


@hot_loop
def lower_weights(order: Int64s, here: Weighed, weights: Floats) -> None:
    """Fill in the increments of g along an order: their sum over a set is at most g of it."""
    for x in order:
        weights[x] = here.secret * add_to_pool(x, here)
    empty_pool(here)


@hot_loop
def upper_weights(chosen: Flags, kind: int, here: Weighed, weights: Floats) -> None:
    """Fill in the weights of an upper bound of f, exact at the chosen set.

    Kind 1 takes members' increments at the set and others' from nothing; kind 2 takes members'
    increments at everything and others' at the set.
    """
    inside = 0
    for x in range(len(here.totals)):
        inside += here.totals[x] if chosen[x] else 0
    everything = here.totals.sum()
    for x in range(len(here.totals)):
        own = here.totals[x]
        if chosen[x]:
            rise = joined(own, (inside if kind == 1 else everything) - own, here.logs)
        else:
            rise = 0.0 if kind == 1 else joined(own, inside, here.logs)
        weights[x] = here.public * rise


@hot_loop
def order_from(chosen: Flags, promising_first: bool, here: Weighed) -> Int64s:
    """List the chosen clusters, then the rest: in place order, or those first that lower v most."""
    key = np.zeros(len(here.totals))
    inside = 0
    for x in range(len(key)):
        if chosen[x]:
            key[x] = -np.inf
            inside += here.totals[x]
            add_to_pool(x, here)
    if promising_first:
        for x in range(len(key)):
            if not chosen[x]:
                g = 0.0
                for entry in range(here.indptr[x], here.indptr[x + 1]):
                    g += joined(here.rows[entry], here.pool[here.sensitive[entry]], here.logs)
                f = joined(here.totals[x], inside, here.logs)
                key[x] = np.rint((here.public * f - here.secret * g) / NO_CHANGE)
    empty_pool(here)
    return np.argsort(key, kind="mergesort")


@hot_loop
def modmod(chosen: Flags, most_rounds: int, here: Weighed) -> float:
    """Improve a subset in place until a round brings nothing; give its v."""
    size = len(here.totals)
    value = subset_change(chosen, here)
    low, high = np.zeros(size), np.zeros(size)
    tried, found = np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)
    for _ in range(most_rounds):
        best = value - NO_CHANGE
        improved = False
        for promising_first in (False, True):
            lower_weights(order_from(chosen, promising_first, here), here, low)
            for kind in (1, 2):
                upper_weights(chosen, kind, here, high)
                for x in range(size):
                    tried[x] = high[x] - low[x] < 0.0
                new = subset_change(tried, here)
                if new < best:
                    best = new
                    improved = True
                    found[:] = tried
        if not improved:
            break
        chosen[:] = found
        value = best
    return value


@hot_loop
def pair_changes(here: Weighed) -> Floats:
    """Return v of every pair of clusters, row by row: (0, 1), (0, 2), ..., (1, 2), ..."""
    size = len(here.totals)
    changes = np.zeros(size * (size - 1) // 2)
    at = 0
    for i in range(size):
        add_to_pool(i, here)
        for j in range(i + 1, size):
            g = 0.0
            for entry in range(here.indptr[j], here.indptr[j + 1]):
                g += joined(here.rows[entry], here.pool[here.sensitive[entry]], here.logs)
            f = joined(here.totals[i], here.totals[j], here.logs)
            changes[at] = here.public * f - here.secret * g
            at += 1
        empty_pool(here)
    return changes


@hot_loop
def best_from(starts: Int64s, here: Weighed) -> Flags:
    """Run ModMod from nothing and from every starting pair; give the best, of equals the first found."""
    best = np.zeros(len(here.totals), dtype=np.bool_)
    least = modmod(best, MOST_ROUNDS, here)
    chosen = np.zeros(len(here.totals), dtype=np.bool_)
    for start in range(starts.shape[0]):
        chosen[:] = False
        chosen[starts[start, 0]] = True
        chosen[starts[start, 1]] = True
        value = modmod(chosen, MOST_ROUNDS, here)
        if value < least - NO_CHANGE:
            least = value
            best[:] = chosen
    return best


RESTARTS = 1000
"""From how many pairs ModMod starts: all of them up to 45 clusters."""


def best_subset(masses: Masses, utility_weight: float) -> Flags:
    """Return the subset of clusters that ModMod finds best, from nothing and from the best pairs."""
    here = Weighed.of(masses, utility_weight)
    changes = pair_changes.for_size(masses.size * len(masses.rows))(here)
    chosen = np.argsort(np.round(changes / NO_CHANGE), kind="stable")[:RESTARTS]
    starts = np.stack(np.triu_indices(masses.size, 1), axis=1)[chosen]
    # A descent takes a few rounds, and a round goes over the pairs about ten times.
    steps = 20 * len(starts) * len(masses.rows)
    return best_from.for_size(steps)(starts, here)


def iac_mdsf(
    joint: JointRange,
    *,
    utility_weight: float,
    exact_up_to: int = EXACT_UP_TO,
    effort: Effort = UNLIMITED,
) -> SubsetRun:
    r"""Merge subsets while that lowers :math:`I(S; \hat X) - \lambda I(X; \hat X)`.

    ``utility_weight`` is :math:`\lambda`; at 0 everything is merged, from 1 on nothing is.
    All subsets of up to ``exact_up_to`` clusters are tried; where there are more, ModMod finds one.
    """
    require_weight(utility_weight)
    partitions = [Partition.singletons(joint.public.size)]
    changes: list[float] = []
    # By data processing a merge never takes more from I(S) than from I(X), so weight 1 forbids all.
    while utility_weight < 1 and partitions[-1].size > 1 and not effort.should_stop():
        masses = Masses.of(joint, partitions[-1])
        if masses.size <= exact_up_to:
            mask = least_subset(all_changes(masses, utility_weight), masses.size)
            chosen = members(mask, masses.size)
        else:
            chosen = np.flatnonzero(best_subset(masses, utility_weight)).tolist()
        if len(chosen) < 2:
            break
        merged = partitions[-1].merge(*chosen)
        change = _lagrangian(Masses.of(joint, merged), utility_weight) - _lagrangian(masses, utility_weight)
        if change >= -NO_CHANGE:
            break
        partitions.append(merged)
        changes.append(change)
        effort.progress(joint.public.size - merged.size, joint.public.size - 1, "merges")
    return SubsetRun(tuple(partitions), tuple(changes))


def _lagrangian(masses: Masses, utility_weight: float) -> float:
    return masses.information - utility_weight * masses.public_entropy
