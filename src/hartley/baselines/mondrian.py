"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006): cut the space of public values into boxes.

All public values are one box. A box is cut in two across one column, at the median of
its rows, wherever both halves still count enough; what cannot be cut is a cluster. A text
column is cut in the order of its words.

Columns are tried from the widest: the span of the box over the span of the whole column,
in positions for numbers and dates, in distinct cells for text. A box that mixes missing and
present cells of a column counts as widest there and is first cut between the two.

Ties: equally wide columns, the first; equally balanced cuts, the lower.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from hartley.baselines.generalisation import ClassDemand
from hartley.errors import OptionError
from hartley.model import Coordinate, JointRange, Partition
from hartley.model.arrays import Flags, Floats, Int64s, Ints, different

Cut: TypeAlias = Literal["median", "nearest"]
CUTS: tuple[Cut, ...] = get_args(Cut)


def mondrian(joint: JointRange, *, at_least: int, cut: Cut = "median") -> Partition:
    """Cut the public values into boxes that each count enough.

    ``cut="median"`` is the published rule: a column whose median cut is not allowed is not
    cut. ``"nearest"`` takes the allowed cut nearest to the median, which cuts further.
    """
    if cut not in CUTS:
        raise OptionError.unknown("cut", cut, CUTS)
    demand = ClassDemand(at_least)
    demand.require_possible(joint)
    columns = _columns(joint)
    pairs = _Pairs.of(joint)
    labels = np.zeros(joint.public.size, dtype=np.int64)
    boxes = 1
    open_boxes: list[Int64s] = [np.arange(joint.public.size)]
    while open_boxes:
        box = open_boxes.pop()
        upper = _upper_half(box, columns, pairs, demand, cut)
        if upper is None:
            continue
        labels[box[upper]] = boxes
        boxes += 1
        open_boxes += [box[~upper], box[upper]]
    return Partition(labels)


@dataclass(frozen=True)
class _Column:
    """A public column as Mondrian sees it: ranks to cut between, and a width."""

    ranks: Int64s
    """The place of each value's cell among the cells of the column, missing after all others."""
    positions: Floats
    """Half of where the cell lies; of its rank for text."""
    missing: Flags
    span: float

    def width(self, box: Int64s) -> float:
        missing = self.missing[box]
        if missing.any():
            return 0.0 if missing.all() else np.inf
        cells = self.positions[box]
        return float(cells.max() - cells.min()) / self.span if self.span else 0.0


@dataclass(frozen=True)
class _Pairs:
    """The pairs that occur, to be counted on either side of a cut."""

    starts: Int64s
    """Where the observations of each public value start."""
    indptr: Int64s
    sensitive: Ints
    rows: Ints
    side: Ints

    @classmethod
    def of(cls, joint: JointRange) -> _Pairs:
        starts = np.searchsorted(joint.public_of, np.arange(joint.public.size + 1))
        side = np.zeros(joint.observations, np.int64) if joint.observed_side is None else joint.observed_side
        return cls(joint.indptr[starts], joint.indptr, joint.indices, joint.rows, side[joint.observation_of])

    def inside(self, box: Int64s) -> tuple[Int64s, Int64s]:
        """Return the pairs of a box, and for each the number of its value in the box."""
        lengths = self.starts[box + 1] - self.starts[box]
        owner = np.repeat(np.arange(len(box)), lengths)
        first = np.repeat(self.starts[box] - (np.cumsum(lengths) - lengths), lengths)
        return first + np.arange(len(owner)), owner


def _columns(joint: JointRange) -> list[_Column]:
    alone = len(joint.public.coordinates) == 1
    return [
        _column(coordinate, joint.public.positions if alone else coordinate.positions)
        for coordinate in joint.public.coordinates
    ]


def _column(cells: Coordinate, positions: Floats | None) -> _Column:
    if positions is None:
        absent = cells.missing
        # Text cells of several columns need not first appear in order, so they are sorted.
        words = [str(cells.cell(place)) for place in np.flatnonzero(~absent).tolist()]
        found = np.unique(np.array(words, dtype=object), return_inverse=True)[1]
    else:
        absent = cells.missing | np.isnan(positions)
        found = np.unique(positions[~absent], return_inverse=True)[1]
    ranks = np.full(len(absent), len(absent), dtype=np.int64)
    ranks[~absent] = found
    # Halved, which changes no ratio, because the whole span of huge numbers may be no number.
    placed = (ranks.astype(float) if positions is None else positions) / 2
    present = placed[~absent]
    return _Column(ranks, placed, absent, float(present.max() - present.min()) if len(present) else 0.0)


def _upper_half(
    box: Int64s, columns: list[_Column], pairs: _Pairs, demand: ClassDemand, cut: Cut
) -> Flags | None:
    """Return which values of the box lie above the first allowed cut, or ``None`` where there is none."""
    widths = [column.width(box) for column in columns]
    for number in np.argsort([-width for width in widths], kind="stable"):
        column = columns[number]
        ranks = column.ranks[box]
        groups, group = np.unique(ranks, return_inverse=True)
        if len(groups) < 2:
            continue
        allowed, rows_below = _cuts(group, len(groups), box, pairs, demand)
        for last_below in _in_order(rows_below, column.missing[box], cut):
            if allowed[last_below]:
                return np.asarray(group > last_below)
    return None


def _in_order(rows_below: Int64s, missing: Flags, cut: Cut) -> Iterator[int]:
    """Return the cuts to try: after the present cells, then by distance from the median."""
    if missing.any():
        yield len(rows_below) - 2
    balance = np.abs(2 * rows_below[:-1] - rows_below[-1])
    order = np.argsort(balance, kind="stable").tolist()
    yield from order[:1] if cut == "median" else order


def _cuts(
    group: Int64s, groups: int, box: Int64s, pairs: _Pairs, demand: ClassDemand
) -> tuple[Flags, Int64s]:
    """Tell of every cut (after each group but the last) whether both halves meet the demand."""
    pair, owner = pairs.inside(box)
    group_of_pair = group[owner]
    rows = pairs.rows[pair]
    allowed = np.ones(groups - 1, dtype=bool)
    for seen in different(pairs.side[pair]):
        here = pairs.side[pair] == seen
        below = _running_count(group_of_pair[here], pairs.sensitive[pair[here]], groups)
        above = _running_count(groups - 1 - group_of_pair[here], pairs.sensitive[pair[here]], groups)
        # A half that never shows this side value need not count anything for it.
        for counts in (below[:-1], above[::-1][1:]):
            allowed &= (counts == 0) | (counts >= demand.at_least)
    rows_below = np.cumsum(np.bincount(group_of_pair, weights=rows, minlength=groups)).astype(np.int64)
    return allowed, rows_below


def _running_count(group: Int64s, sensitive: Ints, groups: int) -> Int64s:
    """Count the different values that the groups up to each one hold together."""
    values, number = np.unique(sensitive, return_inverse=True)
    first = np.full(len(values), groups)
    np.minimum.at(first, number, group)
    return np.cumsum(np.bincount(first, minlength=groups))
