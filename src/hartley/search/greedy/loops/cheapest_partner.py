"""The cheapest union on a line: whom a cluster should be merged with, if its own class is barred.

The search first looks at a few neighbours on either side, which nearly always settles it. Where it
does not (long stretches of one class, clusters that overlap), it goes on in the tree over the slots; where
that has much to catch up with, only after a look at more neighbours.

Bounds. The cost of a union is at least half its span, under every codeword. Under the centroid it is
also at least the distance from the mean of the union, which a node confines; under a member as codeword
two parts that lie apart cost at least the distance from one to the far end of the other. Computed sums of
positions that are not integers err; ``slack`` is how much, and no bound is trusted further.
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_part
from hartley.model.disjoint_sets import root_of
from hartley.search.greedy.loops.candidate_sets import Sets, is_same_set
from hartley.search.greedy.loops.line_slots import (
    BLOCK,
    CENTROID,
    CHANGED,
    EMPTY,
    HIGH,
    IS_BUILT,
    LOW,
    MANY,
    MEMBER,
    MIXED,
    STEPS_OF_A_CHANGE,
    SUM,
    WORK,
    Slots,
    settle_tree,
    union_cost,
)

NEIGHBOURS = 8
MORE_NEIGHBOURS = 64
"""So many are looked at before a tree that has much to catch up with is asked."""


@hot_part
def slack_of(slots: Slots) -> float:
    """Return how far a computed cost can be from its real value."""
    if slots.codeword == CENTROID and not slots.is_exact:
        return float(2.3e-16 * slots.reach * (4 * slots.largest[0] + 8))
    return 0.0


@hot_part
def is_same_class(one: int, other: int, slots: Slots, sets: Sets) -> bool:
    """Tell whether the clusters of two slots are of one class: one component, or equal sets."""
    if root_of(slots.alias, slots.kind[one]) == root_of(slots.alias, slots.kind[other]):
        return True
    return len(sets.starts) > 0 and is_same_set(slots.label[one], slots.label[other], sets)


@hot_part
def look_at_neighbours(slot: int, neighbours: int, slots: Slots, sets: Sets) -> tuple[int, float, bool]:
    """Look for the cheapest partner among so many neighbours; tell whether none farther off can be better.

    Gives its slot (-1 where there is none), the cost of the union, and that.
    """
    body, label, after, before = slots.body, slots.label, slots.after, slots.before
    many = len(after)
    low, high = body[slot, LOW], body[slot, HIGH]
    slack = slack_of(slots)
    found = -1
    best = np.inf
    right, left, budget = after[slot], before[slot], neighbours
    while budget > 0 and (right < many or left >= 0):
        if right < many:
            budget -= 1
            if (max(high, body[right, LOW]) - low) / 2 > best + slack:
                right = many
            else:
                if not is_same_class(slot, right, slots, sets):
                    cost = union_cost(slot, right, slots)
                    if cost < best or (cost == best and label[right] < label[found]):
                        best, found = cost, right
                right = after[right]
        if left >= 0:
            budget -= 1
            if (high - body[left, LOW]) / 2 > best + slack:
                left = -1
            else:
                if not is_same_class(slot, left, slots, sets):
                    cost = union_cost(slot, left, slots)
                    if cost < best or (cost == best and label[left] < label[found]):
                        best, found = cost, left
                left = before[left]
    slots.state[WORK] += 2 * (neighbours - budget)
    return found, best, right >= many and left < 0


@hot_part
def least_cost_below(node: int, slot: int, mean: float, slack: float, slots: Slots) -> float:
    """Return what the union of a cluster, whose mean is given, with any below a node costs at least."""
    body, bounds = slots.body, slots.bounds
    if slots.codeword == CENTROID and slots.alike[node] >= 0:
        # All clusters there cost the same: among many ties only this tells that a whole block is no better.
        return union_cost(slot, slots.alike[node], slots)
    low, high, count = body[slot, LOW], body[slot, HIGH], body[slot, MANY]
    mean_slack = 32 * 2.3e-16 * slots.reach + 2 * slack
    last_low, first_high, span = bounds[node, 0], bounds[node, 1], bounds[node, 8]
    near, far = bounds[node, 2], bounds[node, 3]
    few, many = bounds[node, 4], bounds[node, 5]
    upwards, downwards = bounds[node, 6], bounds[node, 7]
    top = max(high, first_high)
    bottom = min(low, last_low)
    least = max(top - bottom, span) / 2 - slack
    if slots.codeword == CENTROID:
        weight = many if far > mean else few
        least = max(least, top - mean - (far - mean) * (weight / (count + weight)) - mean_slack)
        weight = many if near < mean else few
        least = max(least, mean + (near - mean) * (weight / (count + weight)) - bottom - mean_slack)
        # The same from the partner's side: how far its ends lie from its mean, and how far at least the mean
        # of the union moves away from them.
        weight = few if near < mean else many
        least = max(least, upwards + (near - mean) * (count / (count + weight)) - mean_slack)
        weight = few if far > mean else many
        least = max(least, downwards + (mean - far) * (count / (count + weight)) - mean_slack)
    elif slots.codeword == MEMBER:
        # A member of one part lies at least as far from the far end of the other.
        if near > high:
            least = max(least, min(first_high - high, near - low))
        elif far < low:
            least = max(least, min(low - last_low, high - far))
    return float(least)


@hot_part
def look_everywhere(slot: int, found: int, best: float, slots: Slots, sets: Sets) -> tuple[int, float]:
    """Look for a partner cheaper than one found near by, or as cheap and earlier, in the whole tree.

    A block whose clusters are all known to be of the own class is passed over. Equal sets may still have
    two kinds; they become one when the block is looked at.
    """
    alias, kind, label, state = slots.alias, slots.kind, slots.label, slots.state
    labels, kinds, stack = slots.labels, slots.kinds, slots.stack
    if state[IS_BUILT] == 0 or state[CHANGED] > 0:
        settle_tree(slots)
    own = root_of(alias, kind[slot])
    mean = slots.body[slot, SUM] / slots.body[slot, MANY]
    slack = slack_of(slots)
    half = len(kinds) // 2
    # Nearest blocks first: its own, then the sibling of every node on the way up.
    climb = half + slot // BLOCK
    sibling = climb
    while climb > 0:
        if kinds[sibling] != EMPTY:
            stack[0, 0] = sibling
            stack[0, 1] = least_cost_below(sibling, slot, mean, slack, slots)
            height = 1
        else:
            height = 0
        sibling = climb ^ 1
        climb //= 2
        while height > 0:
            height -= 1
            state[WORK] += 1
            node, least = int(stack[height, 0]), stack[height, 1]
            if kinds[node] == MIXED and node < half:
                left_kind, right_kind = kinds[2 * node], kinds[2 * node + 1]
                if left_kind == EMPTY or right_kind == EMPTY:
                    kinds[node] = right_kind if left_kind == EMPTY else left_kind
                elif (
                    left_kind >= 0
                    and right_kind >= 0
                    and root_of(alias, left_kind) == root_of(alias, right_kind)
                ):
                    kinds[node] = left_kind
            if kinds[node] == EMPTY or (kinds[node] >= 0 and root_of(alias, kinds[node]) == own):
                continue
            if least > best or (found >= 0 and least == best and labels[node] >= label[found]):
                continue
            if node >= half:
                begin = (node - half) * BLOCK
                common = EMPTY
                for other in range(begin, min(begin + BLOCK, len(kind))):
                    if kind[other] == EMPTY:
                        continue
                    other_kind = own
                    if not is_same_class(slot, other, slots, sets):
                        other_kind = root_of(alias, kind[other])
                    if common == EMPTY:
                        common = other_kind
                    elif common != other_kind:
                        common = MIXED
                    if other_kind == own:
                        continue
                    cost = union_cost(slot, other, slots)
                    if cost < best or (cost == best and label[other] < label[found]):
                        best, found = cost, other
                kinds[node] = common
                continue
            # The child with the smaller bound first; of equals the one with the earlier cluster, so that
            # among many ties the earliest is found at once.
            first, second = 2 * node, 2 * node + 1
            one, two = np.inf, np.inf
            if kinds[first] != EMPTY:
                one = least_cost_below(first, slot, mean, slack, slots)
            if kinds[second] != EMPTY:
                two = least_cost_below(second, slot, mean, slack, slots)
            if two < one or (two == one and labels[second] < labels[first]):
                first, second = second, first
                one, two = two, one
            stack[height, 0], stack[height, 1] = second, two
            stack[height + 1, 0], stack[height + 1, 1] = first, one
            height += 2
    return found, best


@hot_part
def cheapest_partner(slot: int, slots: Slots, sets: Sets) -> tuple[int, float]:
    """Return the slot and cost of the cheapest union with a cluster of another class; the earliest of equals.

    The slot is -1 where there is none. ``sets`` holds the candidates where classes are equal sets, and is
    empty where they are components.
    """
    state = slots.state
    found, best, is_settled = look_at_neighbours(slot, NEIGHBOURS, slots, sets)
    if not is_settled and (state[IS_BUILT] == 0 or STEPS_OF_A_CHANGE * state[CHANGED] > MORE_NEIGHBOURS):
        found, best, is_settled = look_at_neighbours(slot, MORE_NEIGHBOURS, slots, sets)
    if is_settled:
        return found, best
    return look_everywhere(slot, found, best, slots, sets)
