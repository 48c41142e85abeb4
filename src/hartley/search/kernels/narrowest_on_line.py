"""Algorithm 1 under distortion on a line: the partner has other candidates and the cheapest union."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop
from hartley.search.kernels.cheapest_partner import look_everywhere, look_near
from hartley.search.kernels.interned_sets import IS_NUMBERED, Sets, add_row, number_once, unite
from hartley.search.kernels.line_slots import WORK as TREE_WORK
from hartley.search.kernels.line_slots import Slots, join_slots
from hartley.search.kernels.narrowest_steps import (
    ENTERED,
    IS_STRANDED,
    OVER,
    WORK,
    Steps,
    enter,
    next_in_turn,
    write_down,
)

Ints = npt.NDArray[np.integer]

STEPS_OF_A_MERGE = 32
"""Elementary steps that a merge takes beside those for its candidates and for finding the partner."""


@hot_loop
def narrowest_on_line(
    budget: int, indptr: Ints, indices: Ints, slot_at: Ints, slots: Slots, sets: Sets, steps: Steps
) -> bool:
    """Carry the run on for about so many elementary steps; tell whether it has come to its end.

    ``indptr`` and ``indices`` hold the candidates of each place; ``slot_at`` the slot of each place, those
    without a position beyond the line.
    """
    at = steps.at
    at[WORK] = 0
    slots.state[TREE_WORK] = 0
    while at[ENTERED] < len(slots.label) and at[WORK] < budget:
        # In line order, so that the sets of neighbours lie together.
        slot = at[ENTERED]
        place = slots.label[slot]
        slots.kind[slot] = add_row(place, indptr, indices, sets)
        enter(place, indptr[place + 1] - indptr[place], steps)
        at[ENTERED] += 1
        at[WORK] += 8 + indptr[place + 1] - indptr[place]
    while at[WORK] + slots.state[TREE_WORK] < budget:
        place = next_in_turn(steps)
        if place == OVER:
            return True
        slot = slot_at[place]
        partner = -1
        if slot < len(slots.after):
            partner, best, is_settled = look_near(slot, slots, sets)
            if not is_settled:
                if sets.used[IS_NUMBERED] == 0:
                    # Equal sets get one number only when the search of the tree first asks for it.
                    number_once(slots.kind, sets)
                    at[WORK] += 8 * len(slots.kind)
                partner, best = look_everywhere(slot, partner, best, slots)
        if partner < 0:
            at[IS_STRANDED] = 1
            continue
        stays, leaves = min(slot, partner), max(slot, partner)
        keep = min(slots.label[stays], slots.label[leaves])
        join = max(slots.label[stays], slots.label[leaves])
        steps.waiting[slots.label[partner]] = False
        number = unite(slots.kind[stays], slots.kind[leaves], sets)
        join_slots(stays, leaves, number, keep, slots)
        slot_at[keep] = stays
        write_down(keep, join, sets.lengths[number], steps)
        at[WORK] += STEPS_OF_A_MERGE
    return False
