r"""Algorithm 1: merge the clusters that leak most, to lower :math:`L_0(S \to \hat X)`.

Rule. The narrowest clusters :math:`\Pi` are those with the fewest candidates. Take the
earliest of them, merge it with the cluster that has other candidates and the cheapest
union, and strike both off; the merged cluster does not come back in this step. A cluster
with no such partner is struck off unmerged. When none is left the step ends, and a step that
merged nothing ends the run.

Ties. A cluster's place is the place of its first member in the alphabet; "earliest" means
that place. Among partners with equally cheap unions the earliest is taken.

Side information (paper, end of Section V). The narrowest clusters are those with the
greatest leakage :math:`\max_a |[\![S|a]\!]| / |[\![S|\mathcal X,a]\!]|` over the side values
:math:`a` seen with them, compared as exact quotients. A partner must bring a pair
:math:`(s, a)` that the cluster has not; without side information that is the same as having
other candidates, for no cluster has fewer.

With a tolerance or groups (beside the paper) the narrowest clusters are those with the fewest values that are
apart, :math:`N_\tau`. A partner must raise that number; where none does, it must have other candidates. A
tolerance of 0 gives the same merges as none.

# Paper: a step is accepted if it lowers the Lagrangian. Here: the run goes on to its end,
# because no choice depends on λ; where a λ stops is a cut of the run.
"""

from __future__ import annotations

import numpy as np

from hartley.errors import InputError
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, MergeTree
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.greedy.loops.candidate_sets import sets_for
from hartley.search.greedy.loops.line_slots import LineOrder, slots_for
from hartley.search.greedy.loops.narrowest import (
    MERGES,
    STEPS,
    Steps,
    narrowest_by_size,
    narrowest_on_line,
    steps_for,
    tournament_for,
)
from hartley.search.greedy.observations import Candidates, SeparatedCandidates
from hartley.search.greedy.recorder import Recorder, run_in_slices

STEPS_PER_VALUE = 8
WHAT = "merging the narrowest clusters"


def narrowest_first(
    joint: JointRange, utility: Utility, effort: Effort = UNLIMITED, closeness: Closeness = NO_CLOSENESS
) -> MergeTree:
    """Run Algorithm 1 to its end; where it is stopped, return the steps that were finished.

    Near-linear in the pairs under resolution and on a line; elsewhere each merge looks at all clusters.
    """
    if not closeness.is_empty:
        if joint.side is not None:
            raise InputError("Algorithm 1 with a tolerance is for tables without side information")
        return _by_pairs(SeparatedCandidates(joint, closeness), utility, effort)
    if joint.side is None and isinstance(utility, Resolution):
        return _by_size(joint, effort)
    if joint.side is None and isinstance(utility, LineDistortion):
        return _on_line(joint, utility, effort)
    return _by_pairs(Candidates(joint), utility, effort)


def _by_size(joint: JointRange, effort: Effort) -> MergeTree:
    size, width = joint.public.size, joint.sensitive.size
    steps = steps_for(size, width)
    sets = sets_for(size, joint.pairs, width)
    state = (joint.indptr, joint.indices.astype(np.int32), sets, tournament_for(size), steps)
    complete = run_in_slices(
        narrowest_by_size, STEPS_PER_VALUE * size, state, effort, lambda: _progress(steps, size)
    )
    return _tree(steps, size, complete=complete)


def _on_line(joint: JointRange, utility: LineDistortion, effort: Effort) -> MergeTree:
    size, width = joint.public.size, joint.sensitive.size
    line = LineOrder.of(utility)
    sets = sets_for(size, joint.pairs, width)
    slots = slots_for(
        line.places,
        line.positions,
        line.codeword,
        kind=sets.kinds[line.places],
        alias=sets.alias,
        is_exact=line.is_exact,
    )
    slot_at = np.empty(size, np.int32)
    slot_at[line.places] = np.arange(size)
    steps = steps_for(size, width)
    state = (joint.indptr, joint.indices.astype(np.int32), slot_at, slots, sets, steps)
    complete = run_in_slices(
        narrowest_on_line, STEPS_PER_VALUE * size, state, effort, lambda: _progress(steps, size)
    )
    return _tree(steps, size, complete=complete)


def _progress(steps: Steps, size: int) -> tuple[int, int, str]:
    return int(steps.at[MERGES]), size - 1, WHAT


def _tree(steps: Steps, size: int, *, complete: bool) -> MergeTree:
    ends = steps.ends[: steps.at[STEPS] + 1].copy()
    return MergeTree(
        size, steps.kept[: ends[-1]].copy(), steps.joined[: ends[-1]].copy(), ends, complete=complete
    )


def _by_pairs(candidates: Candidates, utility: Utility, effort: Effort) -> MergeTree:
    """Search under any utility, side information and tolerance, looking at all clusters for each partner."""
    unions = utility.union_costs()
    record = Recorder(utility.size, effort, WHAT)
    while True:
        waiting = candidates.leakages == candidates.leakages.max()
        for place in np.flatnonzero(waiting).tolist():
            if not waiting[place]:
                continue
            if record.must_stop():
                return record.tree()
            partner = candidates.cheapest_change(place, unions.with_each(place))
            if partner is None:
                continue
            waiting[place] = waiting[partner] = False
            kept, joined = min(place, partner), max(place, partner)
            candidates.merge(kept, joined)
            unions.merge(kept, joined)
            record.merge(kept, joined)
        if not record.moved:
            return record.tree()
        record.end_step()
