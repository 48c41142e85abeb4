"""Borders of bands that a curator sets by hand, and what such bands keep and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hartley.errors import InputError
from hartley.frontiers import Point
from hartley.measures.uncertainty import candidate_counts, rows_of_values
from hartley.model import Coordinate, JointRange, Partition
from hartley.model.arrays import Flags, Floats, Int64s, different
from hartley.model.shapes.border_grid import roundest, roundest_day
from hartley.model.shapes.shape import Shape
from hartley.search.line.borders import Borders
from hartley.search.points.measured import SECONDS_A_DAY, answer_again, point_of
from hartley.search.problem import Problem


@dataclass(frozen=True)
class BorderMove:
    """One border on its way: to a position, or past so many places where it may lie."""

    border: int
    to: float | None = None
    by: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnBand:
    """A band between two borders, and what it holds."""

    low: float
    """Where its least value lies."""
    high: float
    """Where its greatest value lies."""
    values: int
    rows: int
    candidates: int
    """The fewest sensitive values that it leaves possible."""
    label: str | None
    """What it would be released as; ``None`` where the bands have no names."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnBorders:
    """Borders set by hand, the point they make, and their bands."""

    borders: tuple[float, ...]
    point: Point
    bands: tuple[DrawnBand, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class BorderLine:
    """The values of one ordered column on a line, and the places where borders may lie between them."""

    question: Problem
    coordinate: Coordinate
    at: Floats
    """The different positions, rising."""
    cuts: Int64s
    """Before which of them a border may lie."""
    starts: Floats | None
    """Where a border lies at each of these cuts; ``None`` where it is as round as can be."""

    @classmethod
    def of(cls, question: Problem) -> BorderLine | None:
        """Return the line of a question about intervals; nothing where borders cannot be moved one by one."""
        public, shape = question.joint.public, question.shape
        if shape.name != "intervals" or question.arrangement is not None:
            return None
        coordinate = public.coordinates[0]
        if len(public.coordinates) > 1 or public.positions is None or coordinate.origin:
            return None
        if coordinate.kind not in ("number", "date", "timestamp"):
            return None
        at = different(public.positions[~np.isnan(public.positions)])
        if len(at) < 2:
            return None
        grid = _grid(at, coordinate, shape)
        cuts = np.flatnonzero(grid.allowed[1:-1]) + 1
        starts = None if grid.are_anywhere else grid.low[cuts]
        return cls(question=question, coordinate=coordinate, at=at, cuts=cuts, starts=starts)

    @property
    def rows(self) -> Int64s:
        """How many rows stand at each position."""
        positions = self.question.joint.public.positions
        assert positions is not None  # noqa: S101 (asked in ``of``)
        here = ~np.isnan(positions)
        place = np.searchsorted(self.at, positions[here])
        rows = rows_of_values(self.question.joint)[here]
        return np.bincount(place, weights=rows, minlength=len(self.at)).astype(np.int64)

    def borders_of(self, point: Point) -> tuple[float, ...] | None:
        """Return the borders of a point; ``None`` where its clusters are no intervals."""
        positions, is_placed = self._placed(point)
        order = np.flatnonzero(is_placed)[np.argsort(positions[is_placed], kind="stable")]
        labels = point.partition.labels[order]
        changes = np.flatnonzero(np.diff(labels)) + 1
        if not len(order) or len(changes) + 1 != len(different(labels)):
            return None
        if point.intervals is not None and point.intervals.bands is not None:
            unit = SECONDS_A_DAY if self.coordinate.kind == "timestamp" else 1.0
            return tuple(border * unit for border in point.intervals.bands.borders)
        between = np.searchsorted(self.at, positions[order[changes]])
        return tuple(self._start(cut) for cut in between.tolist())

    def settled(self, borders: Sequence[float], move: BorderMove | None = None) -> tuple[float, ...]:
        """Return borders as they may lie, rising, one between two values; a moved one stays in its order."""
        cut_of: dict[int, float] = {}
        for border in sorted(borders):
            cut = int(np.searchsorted(self.at, border, side="left"))
            if 0 < cut < len(self.at):
                cut_of.setdefault(cut, float(border))
        if move is None:
            return tuple(cut_of.values())
        cuts = list(cut_of)
        if not 0 <= move.border < len(cuts):
            raise InputError("there is no such border; move another")
        lowest = cuts[move.border - 1] if move.border else 0
        highest = cuts[move.border + 1] if move.border + 1 < len(cuts) else len(self.at)
        free = self.cuts[(self.cuts > lowest) & (self.cuts < highest)]
        if len(free):
            cut = self._moved(cuts[move.border], free, move)
            if cut != cuts[move.border]:
                del cut_of[cuts[move.border]]
                cut_of[cut] = self._start(cut)
        return tuple(cut_of[cut] for cut in sorted(cut_of))

    def split(self, borders: Sequence[float]) -> tuple[float, ...]:
        """Return the borders with one more, through the middle row of the band with most rows."""
        settled = self.settled(borders)
        cuts = [int(np.searchsorted(self.at, border)) for border in settled]
        rows = self.rows
        total = np.concatenate(([0], np.cumsum(rows)))
        halves: list[tuple[int, int, int]] = []
        for low, high in pairwise((0, *cuts, len(self.at))):
            free = self.cuts[(self.cuts > low) & (self.cuts < high)]
            if len(free):
                middle = (total[low] + total[high]) / 2
                best = int(free[np.abs(total[free] - middle).argmin()])
                halves.append((int(total[low] - total[high]), low, best))
        if not halves:
            raise InputError("no band can be cut: there is a border between any two values already")
        return tuple(sorted((*settled, self._start(min(halves)[2]))))

    def drawn(self, point: Point, borders: Sequence[float]) -> DrawnBorders:
        """Measure the bands between borders; what is withheld or missing stays as it is at the point."""
        positions, is_placed = self._placed(point)
        settled = np.array(self.settled(borders))
        before = point.partition.labels.astype(np.int64)
        band_of = np.searchsorted(settled, positions, side="right")
        partition = Partition(np.where(is_placed, band_of, before + len(settled) + 1))
        # Where no kept value lies between two borders there is no band, and the names go by the values.
        is_full = len(different(band_of[is_placed])) == len(settled) + 1
        at = np.sort(positions[~np.isnan(positions)])
        edges = np.array([-np.inf, *settled.tolist(), np.inf])
        cell = np.searchsorted(settled, at, side="right")
        grid = Borders.anywhere(at)
        if is_full:
            grid = Borders(np.ones(len(at) + 1, dtype=bool), edges[cell], edges[cell + 1], "own")
        made = point_of(self.question, answer_again(self.question, partition, point, grid))
        drawn = _bands(self.question.joint, made, positions, is_placed)
        return DrawnBorders(borders=tuple(settled.tolist()), point=made, bands=drawn)

    def _placed(self, point: Point) -> tuple[Floats, Flags]:
        """Return the positions, and which values lie on the line and are not withheld."""
        positions = self.question.joint.public.positions
        assert positions is not None  # noqa: S101 (asked in ``of``)
        is_placed = ~np.isnan(positions)
        is_placed[list(point.withheld)] = False
        return positions, is_placed

    def _moved(self, cut: int, free: Int64s, move: BorderMove) -> int:
        if move.to is not None:
            # A border may lie above the value before it, and up to the value after it.
            too_low, too_high = self.at[free - 1] - move.to, move.to - self.at[free]
            return int(free[np.maximum(np.maximum(too_low, too_high), 0.0).argmin()])
        above = int(np.searchsorted(free, cut, side="right" if move.by > 0 else "left"))
        place = above + move.by - (move.by > 0)
        return int(free[min(max(place, 0), len(free) - 1)]) if move.by else cut

    def _start(self, cut: int) -> float:
        place = int(np.searchsorted(self.cuts, cut))
        if self.starts is not None and place < len(self.cuts) and self.cuts[place] == cut:
            return float(self.starts[place])
        unit = SECONDS_A_DAY if self.coordinate.kind == "timestamp" else 1.0
        round_one = roundest if self.coordinate.kind == "number" else roundest_day
        return round_one(float(self.at[cut - 1] / unit), float(self.at[cut] / unit)) * unit


def _bands(joint: JointRange, point: Point, positions: Floats, is_placed: Flags) -> tuple[DrawnBand, ...]:
    """Count what each band holds, in the order of the line."""
    partition = point.partition
    released = joint.release(partition)
    candidates = np.full(partition.size, np.iinfo(np.int64).max)
    np.minimum.at(candidates, released.public_of, candidate_counts(released).astype(np.int64))
    rows = rows_of_values(joint)
    places = np.flatnonzero(is_placed)
    labels = partition.labels[places]
    size = partition.size
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, labels, positions[places])
    np.maximum.at(high, labels, positions[places])
    counts = np.bincount(labels, minlength=size)
    weights = np.bincount(labels, weights=rows[places], minlength=size)
    order = [int(one) for one in np.argsort(low, kind="stable") if counts[one]]
    names = None if point.intervals is None or point.intervals.bands is None else point.intervals.bands.labels
    return tuple(
        DrawnBand(
            low=float(low[one]),
            high=float(high[one]),
            values=int(counts[one]),
            rows=int(weights[one]),
            candidates=int(candidates[one]),
            label=None if names is None or len(names) != len(order) else names[number],
        )
        for number, one in enumerate(order)
    )


def _grid(at: Floats, coordinate: Coordinate, shape: Shape) -> Borders:
    """Return where borders may lie; the roundest free grid is as good as none, for a border set by hand."""
    grid = Borders.of_shape(shape, at, coordinate)
    if grid is None and coordinate.kind == "timestamp":
        # Bands of moments have whole days for borders.
        return Borders.on_grid(at, SECONDS_A_DAY)
    return grid or Borders.anywhere(at)
