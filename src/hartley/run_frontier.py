"""The frontier of greedy runs: their non-dominated steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from hartley.errors import UnreachableError
from hartley.frontiers import Frontier, Point
from hartley.measures.trajectory import Trajectory
from hartley.measures.utility import Utility
from hartley.model import MergeTree
from hartley.model.arrays import Floats
from hartley.model.words import Leakage


def frontier_of_runs(
    runs: Sequence[tuple[MergeTree, Trajectory]], utility: Utility, leakage: Leakage
) -> Frontier:
    """Give the steps of the runs that no other step beats in both leakage and utility.

    Algorithms 1 and 2 have one run; problem (3) one for each weight of utility, and only its steps
    that leave a single component count. A partition is built only when a point is asked for it. The
    frontier is complete if all runs are.

    # Paper: the frontier is "one point per λ". Here: the non-dominated steps, because the paper's own
    # figure of the toy shows a step that no λ stops at.

    >>> from hartley.examples import toy
    >>> from hartley.measures.trajectory import trajectory
    >>> from hartley.measures.utility import Resolution
    >>> run = MergeTree.of_merges(7, np.array([0, 1, 3, 0]), np.array([2, 4, 5, 6]))
    >>> along = trajectory(toy(), run, Resolution(7))
    >>> [point.step for point in frontier_of_runs([(run, along)], Resolution(7), "istar").points]
    [0, 3, 4]
    """
    complete = all(run.complete for run, _ in runs)
    number = np.concatenate([np.full(along.steps + 1, i) for i, (_, along) in enumerate(runs)])
    step = np.concatenate([np.arange(along.steps + 1) for _, along in runs])
    bits = np.concatenate([along.leakage(leakage) for _, along in runs])
    worth = np.concatenate([along.utility for _, along in runs])
    if leakage == "joint":
        single = np.flatnonzero(np.concatenate([along.components for _, along in runs]) == 1)
        if not len(single):
            raise UnreachableError(
                "no release leaves a single group of sensitive values (I* = 0)"
                if complete
                else "the search was stopped before it found a release that leaves a single group of "
                "sensitive values (I* = 0); give it more time"
            )
        number, step, bits, worth = number[single], step[single], bits[single], worth[single]
    chosen = _non_dominated(bits, worth)
    points = [
        _point(runs[i][0], runs[i][1], utility, leakage, at)
        for i, at in zip(number[chosen].tolist(), step[chosen].tolist(), strict=True)
    ]
    return Frontier(
        leakage=leakage,
        utility="resolution" if utility.name == "resolution" else "distortion",
        search="greedy",
        codeword=getattr(utility, "codeword", None),
        complete=complete,
        points=tuple(points),
    )


def _non_dominated(bits: Floats, worth: Floats) -> npt.NDArray[np.intp]:
    """Give the entries that no other beats, from best utility to least leakage; of equals, the first."""
    order = np.lexsort((np.arange(len(bits)), bits, -worth))
    before = np.minimum.accumulate(np.concatenate(([np.inf], bits[order][:-1])))
    return order[bits[order] < before]


def _point(run: MergeTree, along: Trajectory, utility: Utility, leakage: Leakage, step: int) -> Point:
    return Point(
        leakage_bits=float(along.leakage(leakage)[step]),
        utility=float(along.utility[step]),
        distinct_l=int(along.distinct_l[step]),
        components=int(along.components[step]),
        largest_cluster=int(along.largest_cluster[step]),
        max_distortion=float(along.cost[step]) if utility.name == "distortion" else None,
        clusters=int(along.clusters[step]),
        step=step,
        cut=partial(run.partition, step),
    )
