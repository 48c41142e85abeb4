"""The frontier of leakage against utility: its points, and the point that meets a demand.

The frontier of a greedy run is made of the steps that no other step beats in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import log2
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError, OptionError, UnreachableError
from hartley.measures.trajectory import Trajectory
from hartley.measures.utility import Utility
from hartley.measures.verdicts import ToleranceMeasures
from hartley.model import MergeTree, Partition
from hartley.model.arrays import Floats
from hartley.model.demand import Demand, Wanted
from hartley.model.requirement import Requirement, Verdict
from hartley.model.words import SLACK, Leakage, SearchName

if TYPE_CHECKING:
    from hartley.model.shapes.codebook import ColumnCodebook
    from hartley.search.codebooks import Codebooks


def _built(partition: Partition) -> Partition:
    """Return a partition that is there already."""
    return partition


@dataclass(frozen=True, kw_only=True)
class Point:
    """One partition on the frontier, by its measures.

    Examples
    --------
    >>> import hartley, pyarrow
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> point = hartley.frontier(table, sensitive="age", public="chol").frontier.points[1]
    >>> point.distinct_l, point.max_distortion, point.proven_optimal
    (2, 0.5, True)
    >>> point.partition
    Partition({0, 1}, {2, 3})
    """

    leakage_bits: float
    """What the partition leaks, by the leakage of the frontier."""
    utility: float
    """What it leaves of the public values; more is better."""
    distinct_l: int
    """Fewest sensitive values that one released value leaves possible."""
    components: int
    """Groups of sensitive values that are told apart for certain."""
    largest_cluster: int
    """Public values in the largest cluster."""
    max_distortion: float | None
    """Worst distance between a true and a released value; ``None`` under resolution."""
    clusters: int
    """How many released values there are."""
    lower_bound_bits: float | None = None
    """No partition of the same utility or better leaks less; ``None`` where nothing is claimed."""
    proven_optimal: bool = False
    """Whether leakage and lower bound meet: nothing of this utility or better leaks less."""
    step: int | None = None
    """The step of a greedy run; ``None`` elsewhere."""
    lower_bound_cost: float | None = None
    """Nothing of the shape and budget asked for that leaks as little costs less; ``None`` if unknown."""
    separation: ToleranceMeasures | None = None
    """What it keeps of sensitive values that are apart; ``None`` without a tolerance."""
    mean_distortion: float | None = None
    """How far the value of a row moves on average; ``None`` where it has no distance."""
    band_width: float | None = None
    """The width of the widest band between borders; ``None`` without borders."""
    shape: str = "any"
    """Which clusters were allowed."""
    shape_price: float | None = None
    """The cost over the least that any shape could cost; ``None`` where every partition is allowed."""
    withheld_rows: int = 0
    """Rows whose public value is withheld."""
    withheld_values: int = 0
    """Public values that are withheld."""
    withheld_l: int | None = None
    """Candidates that the withheld value leaves; ``None`` where nothing is withheld."""
    withheld: tuple[int, ...] = field(default=(), repr=False)
    """Places of the public values that are withheld; they are one cluster."""
    verdicts: tuple[Verdict, ...] = ()
    """What the point keeps of the requirements that the frontier was searched with."""
    intervals: ColumnCodebook | None = field(default=None, repr=False, compare=False)
    """The bands of one ordered column; ``None`` where clusters are no intervals."""
    codebooks: Codebooks | None = field(default=None, repr=False, compare=False)
    """The codebook of each column; ``None`` where they have one together."""
    tree: Any = field(default=None, repr=False, compare=False)
    """The tree of cuts that its clusters are the classes of; ``None`` elsewhere."""
    levels: Any = field(default=None, repr=False, compare=False)
    """The path of levels that led to its codebooks; ``None`` elsewhere."""
    cut: Callable[[], Partition] = field(repr=False, compare=False)
    """Builds the partition when it is asked for."""

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: the partition in place of what builds it."""
        return {**self.__dict__, "cut": partial(_built, self.partition)}

    @property
    def separated_l(self) -> int | None:
        """Candidates more than the tolerance apart that every released value leaves; ``None`` without one."""
        return None if self.separation is None else self.separation.separated_l

    @property
    def groups(self) -> int:
        """How many groups of sensitive values are told apart for certain; with a tolerance of those apart."""
        return self.components if self.separation is None else self.separation.components

    @property
    def partition(self) -> Partition:
        """The partition itself."""
        return self.cut()

    @property
    def cost(self) -> float:
        """What its worst cluster costs: a distance, or a number of values where there is none."""
        return self.largest_cluster if self.max_distortion is None else self.max_distortion

    def kept(self, requirement: Requirement) -> float:
        """Return how much of a requirement the point keeps at worst.

        Raises
        ------
        OptionError
            Where the frontier was not searched with it, so that nobody counted.
        """
        if requirement.column is None and requirement.name == "distinct-l":
            return self.distinct_l
        if requirement.column is None and requirement.name == "separated-l" and self.separated_l is not None:
            return self.separated_l
        if requirement.is_limit and self.separation is not None:
            return self.separation.bits[requirement.name]
        if requirement.name == "istar":
            return log2(self.components)
        for verdict in self.verdicts:
            if (verdict.name, verdict.column) == (requirement.name, requirement.column):
                return verdict.found
        raise OptionError(
            f"nobody counted {requirement.text} on this frontier; require it when the frontier is searched"
        )

    def lagrangian(self, utility_weight: float) -> float:
        r"""Leakage less weighted utility, :math:`\mathcal L = \text{leakage} - \lambda U`; less is better."""
        return self.leakage_bits - utility_weight * self.utility

    def to_frame(self) -> Any:
        """Return the point as a data frame of one row, of pandas or polars, whichever is there."""
        from hartley.report.notebook import points_frame

        return points_frame([self])

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
            "lower_bound_cost": self.lower_bound_cost,
            "shape": self.shape,
            "band_width": self.band_width,
            "mean_distortion": self.mean_distortion,
            "shape_price": self.shape_price,
            "withheld_rows": self.withheld_rows,
            "withheld_values": self.withheld_values,
            "withheld_l": self.withheld_l,
            "requirements": [verdict.to_dict() for verdict in self.verdicts],
            **({} if self.separation is None else self.separation.to_dict()),
            **({} if self.intervals is None else {"bands": self.intervals.to_dict().get("bands")}),
            **({} if self.codebooks is None else self.codebooks.to_point()),
        }


class Points:
    """What a frontier and its result have in common: they are sequences of points, and are asked by name."""

    points: Any
    meeting: Any

    def __len__(self) -> int:
        """Count the points."""
        return len(self.points)

    def __getitem__(self, place: int) -> Point:
        """Return a point by its place, from best utility to least leakage."""
        found: Point = self.points[place]
        return found

    def __iter__(self) -> Iterator[Point]:
        """Go through the points, from best utility to least leakage."""
        return iter(self.points)

    def at(self, **wanted: float) -> Point:
        """Return the point that keeps what is named, as ``at(distinct_l=5)``; see ``meeting``."""
        found: Point = self.meeting(wanted)
        return found


@dataclass(frozen=True, kw_only=True)
class Frontier(Points):
    """Mutually non-dominated points, from best utility to least leakage.

    Ask it by name for what is wanted; it refuses with a reason where nothing fits.

    Examples
    --------
    >>> import hartley, pyarrow
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> frontier = hartley.frontier(table, sensitive="age", public="chol").frontier
    >>> len(frontier), [point.distinct_l for point in frontier]
    (3, [1, 2, 3])
    >>> frontier.at(distinct_l=2).max_distortion, frontier[1].max_distortion
    (0.5, 0.5)
    """

    leakage: Leakage
    """What counts as leakage: the worst case, what is certain, or the worst case with nothing certain."""
    utility: Literal["resolution", "distortion"]
    """What counts as utility."""
    search: SearchName
    """Who searched."""
    codeword: str | None
    """What stands for a cluster under distortion; ``None`` under resolution."""
    complete: bool
    """Whether the search came to its end. Each point stands for itself: between two proven ones a point that
    was not found may be missing."""
    points: tuple[Point, ...]
    """The points, each better than the one before in leakage and worse in utility."""

    def meeting(self, wanted: Wanted) -> Point:
        """Return the point that a demand asks for: the one table from a demand to a point.

        With no cap on what may be lost it is the point of best utility that keeps every requirement; with
        one, the point of least leakage within it; for a weight of utility, the least Lagrangian.

        Parameters
        ----------
        wanted
            Requirements such as ``{"distinct_l": 5}``, a :class:`Target`, or a whole demand.

        Raises
        ------
        UnreachableError
            Where no point meets it; the message says what the best is that can be met.
        """
        demand = Demand.of(wanted)
        if demand.utility_weight is not None:
            return self.least_lagrangian(demand.utility_weight)
        fitting = self._kept(demand)
        if demand.cap is None:
            if demand.max_leakage is not None:
                return fitting.best_utility(demand.max_leakage)
            return fitting.points[0]
        if demand.max_leakage is not None:
            fitting.best_utility(demand.max_leakage)
        if demand.cap.kind == "largest_cluster":
            return fitting.least_leakage_in_clusters_of(int(demand.cap.number))
        return fitting.least_leakage_within(demand.cap.number)

    def _kept(self, demand: Demand) -> Frontier:
        """Return the frontier of the points that keep every requirement."""
        points = self.points
        for requirement in demand.requirements:
            if requirement.is_monotone and requirement.wanted <= 1:
                # Every point keeps it, whether it was counted or not.
                continue
            kept = tuple(point for point in points if requirement.is_met_by(self._found(point, requirement)))
            if not kept:
                raise self._unmet(requirement, points)
            points = kept
        return replace(self, points=points)

    def _found(self, point: Point, requirement: Requirement) -> float:
        """Return what a point keeps of a requirement; along the worst case its leakage is that in bits."""
        if requirement.name == "l0" and self.leakage != "istar":
            return point.leakage_bits
        return point.kept(requirement)

    def _unmet(self, requirement: Requirement, points: Sequence[Point]) -> UnreachableError:
        found = [self._found(point, requirement) for point in points]
        best = max(found) if requirement.is_monotone else min(found)
        if requirement.name == "distinct-l" and requirement.column is None:
            return UnreachableError(
                f"no release leaves {requirement.wanted:g} candidates for every released value; the most "
                f"that can be reached is {best:g}{self._why()}"
            )
        most = "most" if requirement.is_monotone else "least"
        return UnreachableError(
            f"no release keeps {requirement.text}; the {most} that can be reached is {best:g}{self._why()}"
        )

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
        return self.meeting(Requirement("distinct-l", distinct_l))

    def least_lagrangian(self, utility_weight: float) -> Point:
        """Return the point with the least Lagrangian; ties go to the better utility."""
        return min(self.points, key=lambda point: point.lagrangian(utility_weight))

    def balanced(self) -> Point:
        """Return the point where a little more loss of utility buys the most, for want of a target.

        It lies farthest below the straight line between the ends of the frontier, both axes scaled to
        one; ties go to the better utility. A suggestion to look at, not a guarantee of anything. It leaves
        everyone two candidates or more, unless no point does.
        """
        first, last = self.points[0], self.points[-1]
        leak, use = first.leakage_bits - last.leakage_bits, first.utility - last.utility
        safe = [point for point in self.points if point.distinct_l > 1] or self.points
        if leak <= 0 or use <= 0:
            return safe[0]

        def gain(point: Point) -> float:
            return (first.leakage_bits - point.leakage_bits) / leak - (first.utility - point.utility) / use

        return max(safe, key=gain)

    def to_frame(self) -> Any:
        """Return the points as a data frame of pandas or polars, whichever is there."""
        from hartley.report.notebook import points_frame

        return points_frame(self.points)

    def plot(self, **options: Any) -> Any:
        """Draw it: gives a figure that shows itself in a notebook and has ``save(path)``.

        The options are those of the figure; needs the ``figures`` extra.
        """
        from hartley.report.figures import frontier_figure

        return frontier_figure(self, **options)

    def _repr_html_(self) -> str | None:
        """Show the figure; without the packages that draw, a notebook falls back to the text."""
        try:
            shown: str = self.plot()._repr_html_()
        except InputError:
            return None
        return shown

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
    runs: Sequence[tuple[MergeTree, Trajectory]], utility: Utility, leakage: Leakage, first: int = 0
) -> Frontier:
    """Return the steps of the runs that no other step beats in both leakage and utility.

    Algorithms 1 and 2 have one run; problem (3) one for each weight of utility, and only its steps
    that leave a single component count. Steps before the ``first`` are left out. A partition is built only
    when a point is asked for it. The frontier is complete if all runs are.

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
    from_first = np.flatnonzero(step >= first)
    chosen = from_first[_non_dominated(bits[from_first], worth[from_first])]
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
