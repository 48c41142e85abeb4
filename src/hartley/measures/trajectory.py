r"""All measures along a run, and where a run is cut.

A run is one sequence of merges; a weight of utility λ, a floor of utility θ, a number of candidates or a cap
on leakage only choose a step of it (Theorem P4): a :class:`~hartley.Frontier` chooses by the last three. The
measures of all steps are found in near-linear time: how many candidates the two clusters of a merge share is
counted by laying the values in a row in which every cluster is a stretch, and asking of each two neighbouring
occurrences of a sensitive value which merge first holds both.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from hartley.errors import OptionError
from hartley.measures.overlap import components
from hartley.measures.trajectory_loops import (
    CENTROID,
    MEMBER,
    MIDPOINT,
    follow_counts,
    follow_line,
    follow_observations,
    follow_sizes,
    lay_out,
    worst_standing,
)
from hartley.measures.uncertainty import candidate_counts
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, MergeTree
from hartley.model.arrays import Floats, Int64s, Ints, equal_arrays, frozen_array
from hartley.model.words import Leakage

CODES = {"midpoint": MIDPOINT, "centroid": CENTROID, "member": MEMBER}
STEPS_PER_VALUE = 8
"""Elementary steps that following a run takes for each public value, about."""
NOTHING = 5e-13
"""A smaller change of the Lagrangian is no change: changes are compared to 12 decimals."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Trajectory:
    """The measures of every step of a run; entry 0 is the untouched data.

    Examples
    --------
    >>> from hartley.examples import toy
    >>> run = MergeTree.of_merges(7, np.array([0, 1, 3, 0]), np.array([2, 4, 5, 6]))
    >>> along = trajectory(toy(), run, Resolution(7))
    >>> along.components.tolist(), along.distinct_l.tolist(), along.stop("istar", 0.3)
    ([5, 4, 3, 2, 1], [1, 1, 1, 1, 2], 4)
    """

    l0: Floats
    """Bits that the worst observation reveals."""
    istar: Floats
    """Bits that every reader gets for certain."""
    distinct_l: Int64s
    """Fewest sensitive values that one released value leaves possible."""
    components: Int64s
    """Groups of sensitive values that are told apart for certain."""
    largest_cluster: Int64s
    """Public values in the largest cluster."""
    clusters: Int64s
    """How many released values there are."""
    cost: Floats
    """The worst cluster's cost: its size under resolution, its distortion under distortion."""
    utility: Floats
    """What is left of the public values: bits under resolution, minus the cost under distortion."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            object.__setattr__(self, entry.name, frozen_array(getattr(self, entry.name)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trajectory):
            return NotImplemented
        return all(equal_arrays(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __hash__(self) -> int:
        return hash((len(self.l0), float(self.utility[-1])))

    def __repr__(self) -> str:
        return f"Trajectory({self.steps} steps)"

    @property
    def steps(self) -> int:
        """How many steps there are after step 0."""
        return len(self.l0) - 1

    def leakage(self, leakage: Leakage) -> Floats:
        """Return the leakage in bits at every step; that of the joint problem is L0."""
        if leakage not in ("l0", "istar", "joint"):
            raise OptionError.unknown("leakage", leakage, ("l0", "istar", "joint"))
        return self.istar if leakage == "istar" else self.l0

    def lagrangian(self, leakage: Leakage, utility_weight: float) -> Floats:
        r"""Return :math:`\mathcal L = \text{leakage} - \lambda U` at every step.

        # Paper: the Lagrangian of L0 leaves the constant log|S| out in the text and has it in the figures.
        # Here: it is in, so that leakage reads the same everywhere.
        """
        return self.leakage(leakage) - utility_weight * self.utility

    def stop(self, leakage: Leakage, utility_weight: float) -> int:
        r"""Return the step at which the paper's loop stops for this λ: before :math:`\Delta\mathcal L \ge 0`.

        # Paper: Algorithm 1 returns the step before the last. Here: the last step whose change was
        # below zero, which is the very last when the loop ended on a single cluster (Example 2).
        """
        rising = np.flatnonzero(np.diff(self.lagrangian(leakage, utility_weight)) > -NOTHING)
        return int(rising[0]) if len(rising) else self.steps


def trajectory(joint: JointRange, run: MergeTree, utility: Utility) -> Trajectory:
    """Measure every step of a run."""
    steps = STEPS_PER_VALUE * run.size
    rank, meeting = lay_out.for_size(steps)(run.size, run.kept, run.joined)
    together = _first_together(joint, rank, meeting)
    if joint.side is None:
        shared = np.bincount(together, minlength=len(run.kept) + 1)
        counts = candidate_counts(joint).astype(np.int64)
        component = components(joint).labels.astype(np.int64)
        fewest, parts = follow_counts.for_size(steps)(run.kept, run.joined, shared, counts, component)
        l0 = np.log2(joint.sensitive.size / fewest)
    else:
        fewest, parts, reductions = follow_observations(joint, run, together)
        l0 = np.log2(reductions)
    largest = follow_sizes.for_size(steps)(run.size, run.kept, run.joined)
    if isinstance(utility, Resolution):
        worst = largest.astype(float)
    else:
        costs = _costs_of_merges(run, utility)
        order = np.argsort(-costs, kind="stable")
        worst = worst_standing.for_size(steps)(run.kept, run.joined, costs, run.size, order)
    worst = worst[run.ends]
    return Trajectory(
        l0=l0[run.ends],
        istar=np.log2(parts[run.ends]),
        distinct_l=fewest[run.ends],
        components=parts[run.ends],
        largest_cluster=largest[run.ends],
        clusters=run.size - run.ends.astype(np.int64),
        cost=worst,
        utility=np.array([utility.of_cost(cost) for cost in worst.tolist()]),
    )


def _first_together(joint: JointRange, rank: Ints, meeting: Ints) -> Int64s:
    """Return the merges that bring together two clusters with a candidate in common, one entry for each.

    With side information a candidate is a (sensitive, side) pair, and an entry is the merge's number
    times the number of side values, plus the side value. Entries of candidates never brought
    together bear the number of merges.
    """
    size, sides = joint.public.size, 1 if joint.side is None else joint.side.size
    candidate = joint.indices.astype(np.int64) * sides
    if joint.observed_side is not None:
        candidate += joint.observed_side[joint.observation_of]
    key = candidate * size + rank[joint.public_of[joint.observation_of]]
    key.sort()
    again = np.flatnonzero(key[1:] // size == key[:-1] // size)
    left, right = key[again] % size, key[again + 1] % size
    side = key[again] // size % sides
    # The latest meeting between two ranks, from those of stretches of doubling length.
    level = np.floor(np.log2(right - left)).astype(np.int64)
    order = np.argsort(level, kind="stable")
    bounds = np.searchsorted(level[order], np.arange(int(level.max(initial=-1)) + 2))
    latest = meeting.astype(np.int64)
    together = np.empty(len(again), dtype=np.int64)
    for k in range(len(bounds) - 1):
        if k:
            latest = np.maximum(latest[: -(1 << (k - 1))], latest[1 << (k - 1) :])
        asked = order[bounds[k] : bounds[k + 1]]
        together[asked] = np.maximum(latest[left[asked]], latest[right[asked] - (1 << k)])
    together *= sides
    together += side
    return together


def _costs_of_merges(run: MergeTree, utility: Utility) -> Floats:
    """Return the cost of the cluster that each merge makes."""
    if isinstance(utility, LineDistortion):
        follow = follow_line.for_size(STEPS_PER_VALUE * run.size)
        grid = utility.grid
        return follow(run.kept, run.joined, np.array(grid.ticks), CODES[utility.codeword]) / grid.per_unit
    unions = utility.union_costs()
    costs = np.empty(len(run.kept))
    for merge, (kept, joined) in enumerate(run.merges):
        costs[merge] = unions.with_each(kept)[joined]
        unions.merge(kept, joined)
    return costs
