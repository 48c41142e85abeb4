"""What is found, measured as a point of a frontier, whoever found it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite, log2

import numpy as np

from hartley.errors import UnreachableError
from hartley.frontiers import Frontier, Point, non_dominated
from hartley.measures.overlap import overlap_partition
from hartley.measures.uncertainty import candidate_counts, prior_counts, rows_of_values
from hartley.measures.utility import LineDistortion
from hartley.measures.verdicts import ToleranceMeasures, verdicts
from hartley.model import Coordinate, Partition
from hartley.model.arrays import Floats, Int64s, different
from hartley.model.shapes.band import Bands, Scale
from hartley.model.shapes.border_grid import CALENDARS, roundest, roundest_day
from hartley.model.shapes.codebook import ColumnCodebook
from hartley.model.words import ROUNDING, Leakage, SearchName
from hartley.search.answer import Answer, in_time
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.few_values.walk import MOST_OBSERVATIONS, MOST_QUICK_VALUES
from hartley.search.greedy.runs import greedy_frontier, greedy_run
from hartley.search.line.borders import Borders
from hartley.search.problem import Problem
from hartley.search.sweep import Sweep

SECONDS_A_DAY = 86_400.0
STARTING_CODES = 50_000_000
"""Cluster numbers of starting partitions that are held at once."""
MOST_PAIRS = 200_000
"""Of a larger table partitions are not held, but made as fine as they can be again when one is looked at."""


def without_bounds(point: Point) -> Point:
    """Return a point of which nothing is proven."""
    return replace(
        point, lower_bound_bits=None, lower_bound_cost=None, shape_price=None, proven_optimal=False
    )


def frontier_of(
    problem: Problem, points: Sequence[Point], *, complete: bool, search: SearchName = "optimal"
) -> Frontier:
    """Keep the points that matter; refuse where not one is left."""
    if not points:
        raise UnreachableError("no release leaves a single group of sensitive values (I* = 0)")
    is_by_size = problem.utility.name == "resolution"
    return Frontier(
        leakage=problem.leakage,
        utility="resolution" if is_by_size else "distortion",
        search=search,
        codeword=None if is_by_size else str(getattr(problem.utility, "codeword", "member")),
        complete=complete,
        points=non_dominated(points),
    )


def point_of(problem: Problem, answer: Answer) -> Point:
    """Measure an answer as a point of the frontier."""
    joint, partition = problem.joint, answer.partition
    released = joint.release(partition)
    counts = candidate_counts(released)
    components = overlap_partition(released).size
    separation = None if problem.closeness.is_empty else ToleranceMeasures.of(released, problem.closeness)
    is_distortion = problem.utility.name == "distortion"
    cluster = int(partition.labels[answer.withheld[0]]) if len(answer.withheld) else None
    priced = None
    if not problem.shape.is_any and answer.any_bound is not None:
        priced = 1.0 if answer.cost <= answer.any_bound else None
        if priced is None and answer.any_bound > 0:
            priced = answer.cost / answer.any_bound
    return Point(
        leakage_bits=_leakage(problem.leakage, prior_counts(released) / counts, components, separation),
        utility=problem.utility.of_cost(answer.cost),
        distinct_l=int(counts.min()),
        components=components,
        largest_cluster=int(np.delete(partition.sizes, [] if cluster is None else [cluster]).max(initial=1)),
        max_distortion=answer.cost if is_distortion else None,
        clusters=partition.size,
        lower_bound_bits=answer.lower_bound_bits,
        lower_bound_cost=answer.lower_bound_cost,
        separation=separation,
        mean_distortion=mean_move(problem, answer) if is_distortion else None,
        band_width=_widest_band(problem, answer),
        shape=problem.shape.name,
        shape_price=priced,
        withheld_rows=answer.withheld_rows,
        withheld_values=len(answer.withheld),
        withheld_l=None if cluster is None else int(counts[released.public_of == cluster].min()),
        withheld=tuple(answer.withheld.tolist()),
        intervals=_bands(problem, answer),
        verdicts=verdicts(released, problem.counts, problem.closeness),
        cut=lambda: partition,
    )


def point_of_partition(problem: Problem, cut: Callable[[], Partition]) -> Point:
    """Measure a partition that withholds nothing and of which nothing is proven."""
    partition = cut()
    cost = float(problem.utility.costs(partition).max())
    return replace(point_of(problem, Answer(partition=partition, cost=cost)), cut=cut)


def _leakage(
    leakage: Leakage, ratios: Floats, components: int, separation: ToleranceMeasures | None
) -> float:
    """Return the bits along an axis, from candidates before by candidates after, or from components.

    With a tolerance they are those of values that are apart.
    """
    if leakage == "istar":
        return log2(components) if separation is None else separation.istar_bits
    return log2(ratios.max()) if separation is None else separation.l0_bits


def point_of_answer(problem: Problem, sweep: Sweep, answer: Answer, effort: Effort) -> Point:
    """Measure an answer of a sweep, as fine as its cost allows."""
    is_large, axis = problem.joint.pairs > MOST_PAIRS, sweep.axis
    if not (is_large and effort.should_stop()):
        in_full = None if is_large or effort.should_stop() else effort
        finer = axis.finer(answer, in_full)
    else:
        finer = answer
    point = point_of(problem, finer)
    bits = None if problem.is_informed and problem.held else answer.lower_bound_bits
    is_least = answer.is_proven and bits is not None and point.leakage_bits <= bits + ROUNDING
    point = replace(point, lower_bound_bits=bits, proven_optimal=is_least)
    if is_large and finer.partition is not answer.partition:
        return replace(point, cut=lambda: axis.finer(answer, None).partition)
    return point


def greedy_points(problem: Problem, effort: Effort) -> tuple[Point, ...]:
    """Return the frontier of the paper's greedy search, where the problem is the paper's."""
    if not problem.is_plain:
        return ()
    # Of few values it takes no time, also where the walk over all partitions used up what there was.
    joint = problem.joint
    is_few = joint.public.size <= MOST_QUICK_VALUES and joint.observations <= MOST_OBSERVATIONS
    try:
        return greedy_frontier(problem, greedy_run(problem, None, UNLIMITED if is_few else effort)).points
    except UnreachableError:
        return ()


def starts_of(problem: Problem, points: Sequence[Point], effort: Effort) -> tuple[Partition, ...]:
    """Return the partitions of points, as many as memory and time allow; each takes a moment to build."""
    most = max(2, STARTING_CODES // problem.joint.public.size)
    places = np.unique(np.linspace(0, len(points) - 1, min(most, len(points))).round().astype(int))
    return tuple(in_time((points[place].partition for place in places.tolist()), effort))


def point_again(problem: Problem, point: Point) -> Point:
    """Measure a point that was found before for this problem; what was proven of it is not claimed."""
    return point_of(problem, answer_again(problem, point.partition, point))


def answer_again(
    problem: Problem, partition: Partition, point: Point, borders: Borders | None = None
) -> Answer:
    """Return a partition as an answer of which nothing is proven; it withholds what the point does."""
    costs = problem.utility.costs(partition)
    is_held = np.zeros(partition.size, dtype=np.bool_)
    is_held[partition.labels[list(point.withheld)]] = True
    return Answer(
        partition=partition,
        cost=float(costs[~is_held].max(initial=0.0)),
        lower_bound_cost=None,
        withheld=np.array(point.withheld, dtype=np.int64),
        withheld_rows=point.withheld_rows,
        borders=borders,
    )


def mean_move(problem: Problem, answer: Answer) -> float | None:
    """Return how far the value of a row moves on average, to the middle of its cluster."""
    utility = problem.utility
    if not isinstance(utility, LineDistortion):
        return answer.loss
    kept = np.setdiff1d(np.flatnonzero(~np.isnan(utility.positions)), answer.withheld)
    if not len(kept):
        return 0.0
    labels = answer.partition.labels[kept]
    placed = utility.positions[kept]
    low, high = np.full(answer.partition.size, np.inf), np.full(answer.partition.size, -np.inf)
    np.minimum.at(low, labels, placed)
    np.maximum.at(high, labels, placed)
    rows = rows_of_values(problem.joint)[kept]
    middle = np.where(np.isfinite(low), low, 0.0) / 2 + np.where(np.isfinite(high), high, 0.0) / 2
    return float((np.abs(placed - middle[labels]) * rows).sum() / rows.sum())


def _along(positions: Floats) -> Int64s:
    """Return the places of values in their order along a line."""
    placed = np.flatnonzero(~np.isnan(positions))
    return placed[np.argsort(positions[placed], kind="stable")].astype(np.int64)


def _grid_of(problem: Problem, answer: Answer) -> Borders | None:
    """Return where the borders of bands along the line lie; ``None``: anywhere."""
    grid, positions = answer.borders, problem.positions
    if grid is None and positions is not None and problem.shape.name == "intervals":
        at = positions[_along(positions)]
        grid = Borders.of_shape(problem.shape, at, problem.joint.public.coordinates[0])
    return None if grid is None or grid.are_anywhere else grid


def _widest_band(problem: Problem, answer: Answer) -> float | None:
    """Return the width of the widest band between two borders; ``None`` where borders lie anywhere."""
    grid, positions = _grid_of(problem, answer), problem.positions
    if grid is None or positions is None:
        return None
    labels = answer.partition.labels.astype(np.int64)
    labels[answer.withheld] = -1
    low, high = grid.ends_of(labels[_along(positions)])
    return max((width for width in (high - low).tolist() if isfinite(width)), default=None)


def _bands(problem: Problem, answer: Answer) -> ColumnCodebook | None:
    """Return the bands of intervals, where these are asked for and borders lie between them.

    There are none for clusters that are no intervals, for text, for moments of one day in different clusters,
    and where no two values share a cluster.
    """
    joint, shape = problem.joint, problem.shape
    if shape.name != "intervals":
        return None
    if problem.arrangement is not None:
        return problem.arrangement.codebook(answer.partition, answer.withheld)
    positions, coordinate = joint.public.positions, joint.public.coordinates[0]
    if positions is None or coordinate.kind not in ("number", "date", "timestamp") or coordinate.origin:
        return None
    unit = SECONDS_A_DAY if coordinate.kind == "timestamp" else 1.0
    placed = np.setdiff1d(np.flatnonzero(~np.isnan(positions)), answer.withheld)
    order = placed[np.argsort(positions[placed], kind="stable")]
    clusters, at = answer.partition.labels[order], positions[order] / unit
    firsts = np.flatnonzero(np.diff(clusters, prepend=-1))
    if not len(order) or len(firsts) != len(different(clusters)) or len(firsts) == len(order) > 1:
        return None
    nominal, grid = np.full(len(positions), np.nan), _grid_of(problem, answer)
    if grid is not None and problem.positions is not None:
        nominal[_along(problem.positions)] = grid.low / unit
    borders = [
        _border(coordinate, at[first - 1], at[first], nominal[order[first]]) for first in firsts[1:].tolist()
    ]
    if coordinate.kind != "number" and any(border != np.floor(border) for border in borders):
        return None
    calendar = next((one for one in CALENDARS if one == shape.borders), None)
    bands = Bands(_scale(coordinate, at), tuple(borders), calendar=calendar)
    lasts = np.append(firsts[1:], len(order)) - 1
    widths = (at[lasts] - at[firsts]) / max(float(at[-1] - at[0]), 1e-300)
    rows = rows_of_values(joint)[order]
    band_of = np.cumsum(np.diff(clusters, prepend=clusters[0]) != 0)
    return ColumnCodebook(
        column=coordinate.name,
        kind="number" if coordinate.kind == "number" else "date",
        form="bands",
        bands=bands,
        has_missing=bool(coordinate.missing.any()),
        mean_width=float((rows * widths[band_of]).sum() / max(int(rows.sum()), 1)),
        worst_width=float(widths.max(initial=0.0)),
    )


def _border(coordinate: Coordinate, below: float, above: float, nominal: float) -> float:
    """Return the border between two neighbours: where the grid has it, else as round as can be."""
    if below < nominal <= above:
        return float(nominal)
    low, high = float(below), float(above)
    return roundest(low, high) if coordinate.kind == "number" else roundest_day(low, high)


def _scale(coordinate: Coordinate, at: Floats) -> Scale:
    if coordinate.kind != "number":
        return "date"
    return "whole" if bool(np.all(at == np.round(at))) else "number"
