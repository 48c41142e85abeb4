"""The frontier of leakage against utility: its points, and the point that meets a target.

The frontier of greedy runs: their non-dominated steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hartley.errors import UnreachableError
from hartley.lazy import Drawable
from hartley.measures.trajectory import Trajectory
from hartley.measures.utility import Utility
from hartley.model import MergeTree, Partition
from hartley.model.arrays import Floats
from hartley.model.words import SLACK, Leakage, SearchName


@dataclass(frozen=True, kw_only=True)
class Point:
    """One partition on the frontier, by its measures."""

    leakage_bits: float
    utility: float
    distinct_l: int
    components: int
    largest_cluster: int
    max_distortion: float | None
    """Worst distance between a true and a released value; ``None`` under resolution."""
    clusters: int
    lower_bound_bits: float | None = None
    """No partition of the same utility or better leaks less; ``None`` where nothing is claimed."""
    proven_optimal: bool = False
    step: int | None = None
    """The step of a greedy run; ``None`` elsewhere."""
    cut: Callable[[], Partition] = field(repr=False, compare=False)
    """Builds the partition when it is asked for."""

    @property
    def partition(self) -> Partition:
        """The partition itself."""
        return self.cut()

    def lagrangian(self, utility_weight: float) -> float:
        r"""Leakage less weighted utility, :math:`\mathcal L = \text{leakage} - \lambda U`; less is better."""
        return self.leakage_bits - utility_weight * self.utility

    def to_dict(self) -> dict[str, Any]:
        """Return the point as it stands in JSON."""
        return {
            "leakage_bits": self.leakage_bits,
            "utility": self.utility,
            "distinct_l": self.distinct_l,
            "components": self.components,
            "largest_cluster": self.largest_cluster,
            "max_distortion": self.max_distortion,
            "clusters": self.clusters,
            "lower_bound_bits": self.lower_bound_bits,
            "proven_optimal": self.proven_optimal,
            "step": self.step,
        }


@dataclass(frozen=True, kw_only=True)
class Frontier(Drawable):
    """Mutually non-dominated points, from best utility to least leakage.

    Ask it by name for what is wanted; it refuses with a reason where nothing fits.
    """

    leakage: Leakage
    utility: Literal["resolution", "distortion"]
    search: SearchName
    codeword: str | None
    complete: bool
    """Whether the search finished every level."""
    points: tuple[Point, ...]

    def least_leakage(self, utility_floor: float) -> Point:
        """Return the point of least leakage whose utility is at least the floor."""
        return self._least_leakage(
            lambda point: point.utility >= utility_floor - SLACK, "utility", utility_floor
        )

    def least_leakage_in_clusters_of(self, largest_cluster: int) -> Point:
        """Return the point of least leakage with no cluster larger than this."""
        return self._least_leakage(
            lambda point: point.largest_cluster <= largest_cluster, "largest cluster", largest_cluster
        )

    def least_leakage_within(self, max_distortion: float) -> Point:
        """Return the point of least leakage that distorts no value by more than this."""
        return self._least_leakage(
            lambda point: point.max_distortion is not None and point.max_distortion <= max_distortion + SLACK,
            "distortion",
            max_distortion,
        )

    def best_utility(self, max_leakage: float) -> Point:
        """Return the point of best utility that leaks at most this many bits."""
        for point in self.points:
            if point.leakage_bits <= max_leakage + SLACK:
                return point
        raise UnreachableError(
            f"no release leaks at most {max_leakage:g} bits; the least that can be reached is "
            f"{self.points[-1].leakage_bits:.4g} bits{self._why()}"
        )

    def best_utility_with(self, distinct_l: int) -> Point:
        """Return the point of best utility where every released value leaves this many candidates."""
        for point in self.points:
            if point.distinct_l >= distinct_l:
                return point
        best = max(point.distinct_l for point in self.points)
        raise UnreachableError(
            f"no release leaves {distinct_l} candidates for every released value; the most that can be "
            f"reached is {best}{self._why()}"
        )

    def least_lagrangian(self, utility_weight: float) -> Point:
        """Return the point with the least Lagrangian; ties go to the better utility."""
        return min(self.points, key=lambda point: point.lagrangian(utility_weight))

    def balanced(self) -> Point:
        """Return the point where a little more loss of utility buys the most, for want of a target.

        It lies farthest below the straight line between the ends of the frontier, both axes scaled to
        one; ties go to the better utility. A suggestion to look at, not a guarantee of anything.
        """
        first, last = self.points[0], self.points[-1]
        leak, use = first.leakage_bits - last.leakage_bits, first.utility - last.utility
        if leak <= 0 or use <= 0:
            return first

        def gain(point: Point) -> float:
            return (first.leakage_bits - point.leakage_bits) / leak - (first.utility - point.utility) / use

        return max(self.points, key=gain)

    def to_dict(self) -> dict[str, Any]:
        """Return the frontier as it stands in JSON."""
        return {
            "leakage": self.leakage,
            "utility": self.utility,
            "search": self.search,
            "codeword": self.codeword,
            "complete": self.complete,
            "points": [point.to_dict() for point in self.points],
        }

    def _least_leakage(self, fits: Callable[[Point], bool], what: str, wanted: float) -> Point:
        fitting = [point for point in self.points if fits(point)]
        if not fitting:
            raise UnreachableError(f"no point of the frontier has a {what} of {wanted:g}{self._why()}")
        return fitting[-1]

    def _why(self) -> str:
        return "" if self.complete else " (the search was stopped early; more time may find more)"


def non_dominated(points: Iterable[Point]) -> tuple[Point, ...]:
    """Keep the points that no other beats in both leakage and utility; of equals, the first."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda point: (-point.utility, point.leakage_bits)):
        if not kept or point.leakage_bits < kept[-1].leakage_bits:
            kept.append(point)
    return tuple(kept)


def frontier_of_runs(
    runs: Sequence[tuple[MergeTree, Trajectory]], utility: Utility, leakage: Leakage
) -> Frontier:
    """Return the steps of the runs that no other step beats in both leakage and utility.

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
    """Return the entries that no other beats, from best utility to least leakage; of equals, the first."""
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
