"""The cheapest union on a line: whom a cluster should be merged with, if its own class is barred.

Clusters stand in slots, in the order of their lowest members. ``body[slot]`` holds the lowest and
highest position, the sum of the positions, and how many there are; ``label`` the cluster's
place in the alphabet, which decides ties; ``kind`` its class: the number of its candidate set, or component,
to be looked up through ``alias`` (classes that have become one).

The search first looks at a few neighbours on either side, which nearly always settles it. Where it
does not (long stretches of one class, clusters that overlap), it goes on in a tree over the slots
whose nodes bound the cost of every union below them. The tree is only built when first needed,
and brought up to date when next needed.

Bounds. The cost of a union is at least half its span, under every codeword. Under the centroid it is
also at least the distance from the mean of the union, which a node confines; under a member as codeword
two parts that lie apart cost at least the distance from one to the far end of the other. Computed sums of
positions that are not integers err; ``slack`` is how much, and no bound is trusted further.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.compilation import hot_loop
from hartley.measures.member_runs import member_cost

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]

MIDPOINT, CENTROID, MEMBER = 0, 1, 2
NEIGHBOURS = 8
EMPTY, MIXED = -1, -2
# The columns of a node's bounds: greatest low end, least high end, least and greatest mean (under other
# codewords than the centroid: least low end, greatest high end), least and greatest number of values, least
# distance from the mean up to the high end and down to the low end (under the centroid only), least span.


@hot_loop
def representative(alias: Ints, kind: int) -> int:
    """Give the class that this class has become part of; none ever does where ``alias`` is empty."""
    if len(alias) == 0:
        return kind
    while alias[kind] != kind:
        alias[kind] = alias[alias[kind]]
        kind = alias[kind]
    return kind


@hot_loop
def union_cost(
    one: int,
    other: int,
    body: Floats,
    codeword: int,
    runs: Ints,
    links: Ints,
    values: Floats,
) -> float:
    """Give the distortion of the union of two clusters."""
    low = min(body[one, 0], body[other, 0])
    high = max(body[one, 1], body[other, 1])
    if codeword == MIDPOINT:
        return float((high - low) / 2)
    if codeword == CENTROID:
        count = body[one, 3] + body[other, 3]
        total = body[one, 2] + body[other, 2]
        return float(max(count * high - total, total - count * low) / count)
    return min(
        member_cost(low, high, runs[one], links, values),
        member_cost(low, high, runs[other], links, values),
    )


@hot_loop
def settle_node(node: int, bounds: Floats, labels: Ints, kinds: Ints, alias: Ints) -> None:
    """Work a node out from its two children."""
    one, two = 2 * node, 2 * node + 1
    if kinds[one] == EMPTY or kinds[two] == EMPTY:
        side = two if kinds[one] == EMPTY else one
        kinds[node] = kinds[side]
        labels[node] = labels[side]
        for column in range(9):
            bounds[node, column] = bounds[side, column]
        return
    bounds[node, 0] = max(bounds[one, 0], bounds[two, 0])
    bounds[node, 1] = min(bounds[one, 1], bounds[two, 1])
    bounds[node, 2] = min(bounds[one, 2], bounds[two, 2])
    bounds[node, 3] = max(bounds[one, 3], bounds[two, 3])
    bounds[node, 4] = min(bounds[one, 4], bounds[two, 4])
    bounds[node, 5] = max(bounds[one, 5], bounds[two, 5])
    bounds[node, 6] = min(bounds[one, 6], bounds[two, 6])
    bounds[node, 7] = min(bounds[one, 7], bounds[two, 7])
    bounds[node, 8] = min(bounds[one, 8], bounds[two, 8])
    labels[node] = min(labels[one], labels[two])
    kinds[node] = MIXED
    if (
        kinds[one] != MIXED
        and kinds[two] != MIXED
        and representative(alias, kinds[one]) == representative(alias, kinds[two])
    ):
        kinds[node] = kinds[one]


@hot_loop
def settle_tree(
    body: Floats,
    label: Ints,
    kind: Ints,
    alias: Ints,
    bounds: Floats,
    labels: Ints,
    kinds: Ints,
    changed: Ints,
    state: Ints,
    codeword: int,
) -> None:
    """Bring the tree up to date with the slots that changed.

    ``state`` holds how many changed since, and whether the tree was ever built.
    """
    half = len(kinds) // 2
    rebuild = state[1] == 0 or state[0] * 8 > len(kind)
    for i in range(len(kind) if rebuild else state[0]):
        slot = i if rebuild else changed[i]
        leaf = half + slot
        kinds[leaf] = kind[slot]
        if kind[slot] != EMPTY:
            bounds[leaf, 0] = body[slot, 0]
            bounds[leaf, 1] = body[slot, 1]
            if codeword == CENTROID:
                bounds[leaf, 2] = body[slot, 2] / body[slot, 3]
                bounds[leaf, 3] = bounds[leaf, 2]
            else:
                bounds[leaf, 2] = body[slot, 0]
                bounds[leaf, 3] = body[slot, 1]
            bounds[leaf, 4] = body[slot, 3]
            bounds[leaf, 5] = body[slot, 3]
            bounds[leaf, 6] = body[slot, 1] - bounds[leaf, 2]
            bounds[leaf, 7] = bounds[leaf, 2] - body[slot, 0]
            bounds[leaf, 8] = body[slot, 1] - body[slot, 0]
            labels[leaf] = label[slot]
        if not rebuild:
            node = leaf // 2
            while node > 0:
                settle_node(node, bounds, labels, kinds, alias)
                node //= 2
    if rebuild:
        for node in range(half - 1, 0, -1):
            settle_node(node, bounds, labels, kinds, alias)
    state[0] = 0
    state[1] = 1


@hot_loop
def least_cost_below(
    node: int,
    low: float,
    high: float,
    mean: float,
    count: float,
    codeword: int,
    slack: float,
    mean_slack: float,
    bounds: Floats,
) -> float:
    """Give what the union of a cluster with any below a node costs at least."""
    top = max(high, bounds[node, 1])
    bottom = min(low, bounds[node, 0])
    least = max(top - bottom, bounds[node, 8]) / 2 - slack
    near, far = bounds[node, 2], bounds[node, 3]
    if codeword == CENTROID:
        few, many = bounds[node, 4], bounds[node, 5]
        weight = many if far > mean else few
        least = max(least, top - mean - (far - mean) * (weight / (count + weight)) - mean_slack)
        weight = many if near < mean else few
        least = max(least, mean + (near - mean) * (weight / (count + weight)) - bottom - mean_slack)
        # The same from the partner's side: how far its ends lie from its mean, and how far at least the mean
        # of the union moves away from them.
        weight = few if near < mean else many
        least = max(least, bounds[node, 6] + (near - mean) * (count / (count + weight)) - mean_slack)
        weight = few if far > mean else many
        least = max(least, bounds[node, 7] + (mean - far) * (count / (count + weight)) - mean_slack)
    elif codeword == MEMBER:
        # A member of one part lies at least as far from the far end of the other.
        if near > high:
            least = max(least, min(bounds[node, 1] - high, near - low))
        elif far < low:
            least = max(least, min(low - bounds[node, 0], high - far))
    return float(least)


@hot_loop
def cheapest_partner(
    slot: int,
    body: Floats,
    label: Ints,
    kind: Ints,
    alias: Ints,
    after: Ints,
    before: Ints,
    codeword: int,
    slack: float,
    mean_slack: float,
    runs: Ints,
    links: Ints,
    values: Floats,
    bounds: Floats,
    labels: Ints,
    kinds: Ints,
    changed: Ints,
    state: Ints,
    stack: Floats,
) -> tuple[int, float]:
    """Give the slot and cost of the cheapest union with a cluster of another class; the earliest of equals.

    The slot is -1 where there is none.
    """
    m = len(kind)
    own = representative(alias, kind[slot])
    low, high = body[slot, 0], body[slot, 1]
    found = -1
    best = np.inf
    right, left, budget = after[slot], before[slot], NEIGHBOURS
    while budget > 0 and (right < m or left >= 0):
        if right < m:
            budget -= 1
            if (max(high, body[right, 0]) - low) / 2 > best + slack:
                right = m
            else:
                if representative(alias, kind[right]) != own:
                    cost = union_cost(slot, right, body, codeword, runs, links, values)
                    if cost < best or (cost == best and label[right] < label[found]):
                        best, found = cost, right
                right = after[right]
        if left >= 0:
            budget -= 1
            if (high - body[left, 0]) / 2 > best + slack:
                left = -1
            else:
                if representative(alias, kind[left]) != own:
                    cost = union_cost(slot, left, body, codeword, runs, links, values)
                    if cost < best or (cost == best and label[left] < label[found]):
                        best, found = cost, left
                left = before[left]
    if right >= m and left < 0:
        return found, best
    if state[1] == 0 or state[0] > 0:
        settle_tree(body, label, kind, alias, bounds, labels, kinds, changed, state, codeword)
    half = len(kinds) // 2
    count, mean = body[slot, 3], body[slot, 2] / body[slot, 3]
    climb = half + slot
    while climb > 1:
        # Nearest blocks first: the sibling of every node on the way up.
        sibling = climb ^ 1
        climb //= 2
        if kinds[sibling] == EMPTY:
            continue
        stack[0, 0] = sibling
        stack[0, 1] = least_cost_below(sibling, low, high, mean, count, codeword, slack, mean_slack, bounds)
        height = 1
        while height > 0:
            height -= 1
            node, least = int(stack[height, 0]), stack[height, 1]
            if kinds[node] == MIXED:
                left_kind, right_kind = kinds[2 * node], kinds[2 * node + 1]
                if left_kind == EMPTY or right_kind == EMPTY:
                    kinds[node] = right_kind if left_kind == EMPTY else left_kind
                elif (
                    left_kind >= 0
                    and right_kind >= 0
                    and representative(alias, left_kind) == representative(alias, right_kind)
                ):
                    kinds[node] = left_kind
            if kinds[node] == EMPTY or (kinds[node] >= 0 and representative(alias, kinds[node]) == own):
                continue
            if least > best or (found >= 0 and least == best and labels[node] >= label[found]):
                continue
            if node >= half:
                other = node - half
                cost = union_cost(slot, other, body, codeword, runs, links, values)
                if cost < best or (cost == best and label[other] < label[found]):
                    best, found = cost, other
                continue
            # The child with the smaller bound first; of equals the one with the earlier cluster, so that
            # among many ties the earliest is found at once.
            first, second = 2 * node, 2 * node + 1
            one, two = np.inf, np.inf
            if kinds[first] != EMPTY:
                one = least_cost_below(first, low, high, mean, count, codeword, slack, mean_slack, bounds)
            if kinds[second] != EMPTY:
                two = least_cost_below(second, low, high, mean, count, codeword, slack, mean_slack, bounds)
            if two < one or (two == one and labels[second] < labels[first]):
                first, second = second, first
                one, two = two, one
            stack[height, 0], stack[height, 1] = second, two
            stack[height + 1, 0], stack[height + 1, 1] = first, one
            height += 2
    return found, best
