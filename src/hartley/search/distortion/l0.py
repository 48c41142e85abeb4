r"""Worst-case leakage under distortion, one numeric column: least distortion for each number of candidates.

The leakage is ``log2(|S| / distinct_l)``, so a frontier is the least distortion for every
``distinct_l``. It never falls as ``distinct_l`` grows: what is known of one number of
candidates bounds the others, and numbers between two that meet need no search.

A level's bound in bits: no partition within its distortion leaves more candidates than the greatest
number whose own least distortion is not proven to be higher.
"""

from __future__ import annotations

from collections.abc import Sequence

from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.search.centroid.l0 import STAGES as CENTROID_STAGES
from hartley.search.distortion.by_candidates import CandidateSearch, Solver
from hartley.search.distortion.least_cost import LeastDistortion, by_intervals, by_sweeps
from hartley.search.distortion.line import Line
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Level, Levels

STAGES: dict[str, tuple[Solver, ...]] = {
    "midpoint": (by_intervals, by_sweeps),
    "member": (by_intervals, by_sweeps),
    "centroid": CENTROID_STAGES,
}
"""What is tried for one number of candidates, the cheap before the dear."""


def least_distortion(
    joint: JointRange,
    utility: LineDistortion,
    distinct_l: int,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> LeastDistortion:
    """Return the least distortion at which every released value leaves this many candidates.

    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    >>> best = least_distortion(joint, LineDistortion.of(joint.public), 2)
    >>> best.cost, best.proven_optimal, best.partition
    (1.0, True, Partition({0, 2}, {1, 3}))
    """
    search = _search(joint, utility, effort, starts)
    search.require(distinct_l)
    return search.solve(distinct_l).in_units(search.line)


def most_candidates_within(
    joint: JointRange,
    utility: LineDistortion,
    max_distortion: float,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Level:
    """Return the partition with the most candidates among those that distort no more than this.

    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    >>> level = most_candidates_within(joint, LineDistortion.of(joint.public), 1.2)
    >>> level.cost, level.leakage_bits, level.proven_optimal
    (1.0, 0.0, True)
    """
    return _search(joint, utility, effort, starts).solve_within(max_distortion)


def l0_distortion_levels(
    joint: JointRange,
    utility: LineDistortion,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Levels:
    """Return the frontier of worst-case leakage and distortion: a level for every number of candidates.

    ``starts`` are partitions known from elsewhere; no level is worse than any of them. ``complete`` says
    that every number of candidates was searched, or lies between two that settle it.

    >>> from hartley.examples import toy
    >>> joint = toy()
    >>> found = l0_distortion_levels(joint, LineDistortion.of(joint.public))
    >>> [level.cost for level in found.levels], all(level.proven_optimal for level in found.levels)
    ([0.0, 0.25, 0.45, 0.65, 0.7], True)
    """
    search = _search(joint, utility, effort, starts)
    complete = search.solve_all()
    return Levels(levels=tuple(search.levels()), complete=complete)


def _search(
    joint: JointRange, utility: LineDistortion, effort: Effort, starts: Sequence[Partition]
) -> CandidateSearch:
    return CandidateSearch(Line.of(joint, utility), STAGES[utility.codeword], effort, starts)
