r"""Bounds on the candidates left, by prices at which the values cannot pay for that many clusters.

Call at most m values with k candidates between them *enough*. If prices of the values make
every such set cost at least 1, and all values together cost less than q, then q
disjoint sets that are enough do not exist (Theorem S5). The best prices are a linear program (the dual of
packing fractional clusters). Its rows are generated: solve, look for a set that is enough and
costs less than 1, add it, until there is none.

In between prices are raised as far as the total allows (just below q), so that the search
for a cheap set need not go to the optimum of the program, only to a proof.

* By size: forget which candidates a value has, only how many. A cheapest set is found by
  dynamic programming. This is the configuration bound of bin covering with cardinalities.
* By value: a cheapest set is found depth first, with the bound by size to prune. Exact about
  overlaps, affordable where clusters are small or candidates tight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Floats, Int64s
from hartley.search.effort import Effort
from hartley.search.sizes.components import least_clusters
from hartley.search.sizes.cut_bound import CandidateSets
from hartley.search.solver import solved

UNIT = 1_000_000
"""Prices are whole numbers of this fraction, so that sums are exact."""
MOST_NODES = 4_000_000
"""Nodes of one round of the depth-first search; beyond, nothing is claimed."""
NODES_PER_CALL = 400_000
"""Nodes between two questions whether to stop, compiled."""
MOST_VALUES = 1_000
"""Values that are priced one by one at most."""
MOST_ROUNDS = 300
MOST_ROWS = 20_000
PER_ROOT = 4
"""Cheap sets taken from each cheapest member, so that one round finds different ones."""
FAR = 2**60
SECONDS = 10.0
"""Of one linear program; a guard against being stuck."""
PLACE, DEPTH, COST, SHOWN, COUNT, NODES, OF_ROOT = 0, 1, 2, 3, 4, 5, 6
"""Where a search for cheap sets stands: the next place in the order, how many are chosen, what they cost and
show, how many sets were found, nodes looked at, and sets found with the same cheapest member."""


class _GaveUpError(Exception):
    """The search for a cheap set would take too long."""


def is_excluded_by_sizes(sets: CandidateSets, largest: int, wanted: int, effort: Effort) -> bool:
    """Tell whether prices by number of candidates exclude ``wanted`` candidates."""
    capped = np.minimum(sets.counts, wanted)
    sizes, members = np.unique(capped, return_counts=True)

    def cheap(prices: Int64s) -> Int64s:
        pattern = _cheapest_pattern(sizes, prices, largest, wanted)
        return pattern[np.newaxis, :] if int(pattern @ prices) < UNIT else pattern[np.newaxis, :0]

    clusters = least_clusters(sets.size, largest)
    return _prices_below(clusters, members, sizes, cheap, effort) is not None


def is_excluded_by_values(sets: CandidateSets, largest: int, wanted: int, effort: Effort) -> bool:
    """Tell whether prices of the values exclude ``wanted`` candidates."""
    if sets.size > MOST_VALUES:
        return False
    capped = np.minimum(sets.counts, wanted)

    def cheap(prices: Int64s) -> Int64s:
        found = np.zeros((PER_ROOT * sets.size, largest), dtype=np.int64)
        order = np.argsort(prices, kind="stable")
        least = least_prices(capped, prices, largest, wanted)
        held = np.zeros(sets.kinds, dtype=np.int64)
        chosen = np.full(largest, -1, dtype=np.int64)
        state = np.zeros(OF_ROOT + 1, dtype=np.int64)
        is_done = False
        while not is_done:
            if effort.should_stop():
                raise _GaveUpError
            loop = cheap_sets.for_size(sets.size**3, in_pieces=True)
            is_done = loop(
                cheap_sets.piece(loop, NODES_PER_CALL),
                sets.starts,
                sets.candidates,
                order,
                prices,
                least,
                largest,
                wanted,
                PER_ROOT,
                held,
                found,
                chosen,
                state,
            )
        count = int(state[COUNT])
        if count == 0 and state[NODES] > MOST_NODES:
            raise _GaveUpError
        rows = np.zeros((count, sets.size), dtype=np.int64)
        places, members = np.nonzero(found[:count] >= 0)
        rows[places, found[places, members]] = 1
        return rows

    clusters = least_clusters(sets.size, largest)
    try:
        ones = np.ones(sets.size, dtype=np.int64)
        return _prices_below(clusters, ones, capped, cheap, effort) is not None
    except _GaveUpError:
        return False


def _prices_below(
    clusters: int, members: Int64s, worth: Int64s, cheap: Callable[[Int64s], Int64s], effort: Effort
) -> Int64s | None:
    """Return prices whose total is below so many units and under which nothing is cheap, if there are any.

    ``members`` counts the values that share a price; ``cheap`` gives sets that cost
    less than a unit, as rows of how many members they take.
    """
    budget = clusters * UNIT - 1
    share = worth / float(worth @ members)
    duals = np.zeros(len(members))
    rows = np.zeros((0, len(members)), dtype=np.int64)
    for _ in range(MOST_ROUNDS):
        slack = clusters - float(duals @ members)
        if slack <= 0 or len(rows) > MOST_ROWS or effort.should_stop():
            return None
        prices = np.floor((duals + slack * share) * UNIT * (1 - 1e-9)).astype(np.int64)
        if int(prices @ members) > budget:
            return None
        further = cheap(prices)
        if not further.size:
            return prices
        rows = np.concatenate((rows, further))
        solved = _best_duals(rows, members, effort)
        if solved is None:
            return None
        duals = solved
    return None


def _best_duals(rows: Int64s, members: Int64s, effort: Effort) -> Floats | None:
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    def solve(seconds: float) -> Any:
        return linprog(
            members,
            A_ub=-csr_array(rows.astype(float)),
            b_ub=-np.ones(len(rows)),
            bounds=(0, 1),
            method="highs",
            options={"time_limit": seconds},
        )

    result = solved(solve, SECONDS, effort)
    return np.maximum(result.x, 0.0) if result is not None and result.status == 0 else None


def _cheapest_pattern(sizes: Int64s, prices: Int64s, largest: int, wanted: int) -> Int64s:
    """Return how many values of each size make the cheapest set that is enough, overlaps ignored."""
    totals = np.arange(wanted + 1)
    cheapest = np.where(totals == 0, 0, FAR)
    choices: list[Int64s] = []
    for _ in range(min(largest, wanted)):
        options = np.minimum(
            cheapest[np.maximum(totals - sizes[:, np.newaxis], 0)] + prices[:, np.newaxis], FAR
        )
        choice = options.argmin(axis=0)
        better = options[choice, totals] < cheapest
        choices.append(np.where(better, choice, -1))
        cheapest = np.where(better, options[choice, totals], cheapest)
    pattern = np.zeros(len(sizes), dtype=np.int64)
    total = wanted
    for choice in reversed(choices):
        if total and choice[total] >= 0:
            pattern[choice[total]] += 1
            total = max(0, total - int(sizes[choice[total]]))
    return pattern


def least_prices(counts: Int64s, prices: Int64s, largest: int, wanted: int) -> Int64s:
    """Return, in row c and column t, least price of c values that bring t candidates, ignoring overlap."""
    best = np.full(wanted + 1, FAR)
    np.minimum.at(best, counts, prices)
    sizes = np.flatnonzero(best < FAR)
    totals = np.arange(wanted + 1)
    least = np.full((largest + 1, wanted + 1), FAR)
    least[:, 0] = 0
    before = np.maximum(totals - sizes[:, np.newaxis], 0)
    for many in range(1, largest + 1):
        options = least[many - 1][before] + best[sizes][:, np.newaxis]
        least[many] = np.minimum(least[many - 1], np.minimum(options.min(axis=0), FAR))
    return least


@hot_loop
def cheap_sets(
    most_nodes: int,
    starts: Int64s,
    candidates: Int64s,
    order: Int64s,
    prices: Int64s,
    least: Int64s,
    largest: int,
    wanted: int,
    per_root: int,
    held: Int64s,
    found: Int64s,
    chosen: Int64s,
    state: Int64s,
) -> bool:
    """Find sets of at most ``largest`` values with enough candidates that cost less than a unit.

    Depth first, in ascending order of price, no more than ``per_root`` with the same
    cheapest member. Fills the rows of ``found`` (-1 where a set is smaller). Looks at so many nodes, and goes
    on from where it stands when called again; tells whether it has come to its end, or to ``MOST_NODES``.
    """
    size = len(order)
    place = state[PLACE]
    depth = state[DEPTH]
    cost = state[COST]
    shown = state[SHOWN]
    count = state[COUNT]
    nodes = state[NODES]
    of_root = state[OF_ROOT]
    until = nodes + most_nodes
    is_done = False
    while nodes < until:
        step_back = place >= size or (of_root >= per_root and depth > 0) or count >= len(found)
        if not step_back:
            value = order[place]
            if cost + prices[value] >= UNIT:
                step_back = True
            else:
                nodes += 1
                fresh = 0
                for entry in range(starts[value], starts[value + 1]):
                    if held[candidates[entry]] == 0:
                        fresh += 1
                lacking = max(0, wanted - shown - fresh)
                if lacking == 0:
                    for member in range(depth):
                        found[count, member] = order[chosen[member]]
                    found[count, depth] = value
                    for member in range(depth + 1, largest):
                        found[count, member] = -1
                    count += 1
                    of_root += 1
                    place += 1
                elif (
                    depth + 1 < largest
                    and fresh > 0
                    and cost + prices[value] + least[largest - depth - 1, lacking] < UNIT
                ):
                    for entry in range(starts[value], starts[value + 1]):
                        held[candidates[entry]] += 1
                    shown += fresh
                    cost += prices[value]
                    chosen[depth] = place
                    depth += 1
                    place += 1
                else:
                    place += 1
                if depth == 0:
                    of_root = 0
        if nodes > MOST_NODES:
            is_done = True
            break
        if step_back:
            if depth == 0:
                is_done = True
                break
            depth -= 1
            place = chosen[depth]
            value = order[place]
            for entry in range(starts[value], starts[value + 1]):
                held[candidates[entry]] -= 1
                if held[candidates[entry]] == 0:
                    shown -= 1
            cost -= prices[value]
            place += 1
            if depth == 0:
                of_root = 0
    state[PLACE] = place
    state[DEPTH] = depth
    state[COST] = cost
    state[SHOWN] = shown
    state[COUNT] = count
    state[NODES] = nodes
    state[OF_ROOT] = of_root
    return is_done
