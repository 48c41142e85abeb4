r"""Distortion over several public columns: a distance in each, combined.

In each column the cluster has a codeword of its own. A number lies as far from it as
their difference, in units of the column's scale (its range, unless one is given); a
category as far as a table of dissimilarities says, or 1 if it is another and 0 if it is
the same. A value's distance is the largest of its columns' distances, or their sum. A missing
cell is a category of its own, as far from every other cell as two categories are from each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from hartley.errors import ColumnError, InputError, OptionError, option
from hartley.measures.utility.line import Distortion, require_distances, require_summable
from hartley.measures.utility.union_costs import LineUnions, Members
from hartley.model import Alphabet, Coordinate, Label, Partition
from hartley.model.arrays import Flags, Floats, Ints, frozen_array
from hartley.model.words import CODEWORDS, SAME_COST, Codeword

Combination: TypeAlias = Literal["max", "sum"]
COMBINATIONS: tuple[Combination, ...] = get_args(Combination)
Table: TypeAlias = Mapping[tuple[Label, Label], float]
"""How ill the second label stands for the first; a pair not given counts as given the other way round."""


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers, dates or truth values, in units of its scale."""

    positions: Floats
    codeword: Codeword

    @property
    def here(self) -> Flags:
        """Where the value has a cell."""
        return ~np.isnan(self.positions)

    def unions(self) -> NumberUnions:
        """Return the codewords of all unions of two values."""
        return NumberUnions(self.positions, self.codeword)


class NumberUnions(LineUnions):
    """The numbers that stand for the unions of one column."""

    def choose(self, place: int, members: Members) -> None:
        """Choose centroid, midpoint, or the member with the least worst distance, the earliest of those."""
        low, high = self.span(place)
        if self._codeword == "midpoint":
            self._chosen = (low + high) / 2
        elif self._codeword == "centroid":
            self._chosen = (self._total + self._total[place]) / (self._count + self._count[place])
        else:
            self._chosen = self._nearest_the_middle(place, members, low, high)
        self._place = place

    def worst(self) -> Floats:
        """Return each union's distortion in this column."""
        return self.with_each(self._place)

    def distances(self, values: npt.NDArray[np.intp], unions: npt.NDArray[np.intp]) -> Floats:
        """Return the differences."""
        return np.abs(self._positions[values] - self._chosen[unions])

    def _nearest_the_middle(self, place: int, members: Members, low: Floats, high: Floats) -> Floats:
        chosen = np.full(len(low), np.nan)
        least = np.full(len(low), np.inf)
        first = np.full(len(low), len(low))
        for values, unions in members.with_each(place):
            farther = np.maximum(
                self._positions[values] - low[unions], high[unions] - self._positions[values]
            )
            order = np.lexsort((values, farther, unions))
            order = order[np.flatnonzero(np.diff(unions[order], prepend=-1))]
            values, unions, farther = values[order], unions[order], farther[order]
            better = (farther < least[unions]) | ((farther == least[unions]) & (values < first[unions]))
            unions, values = unions[better], values[better]
            least[unions], first[unions], chosen[unions] = farther[better], values, self._positions[values]
        return chosen


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories, with a table of dissimilarities between them or without."""

    codes: Ints
    """The category of each value; -1 where it is missing."""
    table: Floats | None = None
    """``table[i, j]``: how ill category ``j`` stands for category ``i``; without it 0 or 1."""

    @property
    def here(self) -> Flags:
        """Where the value has a cell."""
        here: Flags = self.codes >= 0
        return here

    @property
    def is_plain(self) -> bool:
        """Whether two categories are 1 apart, whichever they are."""
        return self.table is None or bool((self.table == 1.0 - np.eye(len(self.table))).all())

    def unions(self) -> CategoryUnions:
        """Return the codewords of all unions of two values."""
        table = self.table
        if table is None:
            table = 1.0 - np.eye(int(self.codes.max(initial=-1)) + 1)
        return CategoryUnions(self.codes, table)


class CategoryUnions:
    """The categories that stand for the unions of one column: members with the least worst dissimilarity."""

    def __init__(self, codes: Ints, table: Floats) -> None:
        self._codes, self._table = codes, table
        self._worst = table[codes].astype(np.float32 if len(table) > 1000 else np.float64)
        self._first = np.full(self._worst.shape, len(codes), dtype=np.int32)
        places = np.arange(len(codes))
        self._first[places, codes] = places

    def choose(self, place: int, members: Members) -> None:
        """Choose a member's category: the least worst dissimilarity, the earliest member of those."""
        del members
        worst = np.maximum(self._worst, self._worst[place])
        first = np.minimum(self._first, self._first[place])
        worst[first == len(self._codes)] = np.inf
        self._least: Floats = worst.min(axis=1).astype(float)
        first[worst > self._least[:, None]] = len(self._codes)
        self._chosen = first.argmin(axis=1)

    def worst(self) -> Floats:
        """Return each union's worst dissimilarity."""
        return self._least

    def distances(self, values: npt.NDArray[np.intp], unions: npt.NDArray[np.intp]) -> Floats:
        """Look the dissimilarities up."""
        looked_up: Floats = self._table[self._codes[values], self._chosen[unions]]
        return looked_up

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        np.maximum(self._worst[kept], self._worst[joined], out=self._worst[kept])
        np.minimum(self._first[kept], self._first[joined], out=self._first[kept])


DistanceColumn: TypeAlias = NumberColumn | CategoryColumn
"""The distances of one column."""


@dataclass(frozen=True, eq=False)
class ColumnsDistortion(Distortion):
    """How far a released value may lie from the true one, :math:`U_2`, over several columns.

    Most callers build one with :meth:`of`.

    Parameters
    ----------
    columns : tuple of DistanceColumn
        The distances of each column.
    combination : {"max", "sum"}
        How the distances of the columns become one: the largest, or their sum.
    codeword : {"midpoint", "centroid", "member"}
        What stands for a cluster in a column of numbers.

    Raises
    ------
    InputError
        If there is no column.
    OptionError
        If there is no such combination or codeword.

    Examples
    --------
    >>> import hartley
    >>> public = hartley.Alphabet.of_values([(20, "m"), (40, "m"), (30, "f")], columns=("age", "sex"))
    >>> both = hartley.ColumnsDistortion.of(public, combination="sum")
    >>> both.costs(hartley.Partition.from_clusters([[0, 1], [2]]))
    array([0.5, 0. ])
    >>> both.costs(hartley.Partition.whole(3))
    array([1.])
    """

    columns: tuple[DistanceColumn, ...]
    combination: Combination = "max"
    codeword: Codeword = "midpoint"

    def __post_init__(self) -> None:
        if self.combination not in COMBINATIONS:
            raise OptionError.unknown("combination", self.combination, COMBINATIONS)
        if self.codeword not in CODEWORDS:
            raise OptionError.unknown("codeword", self.codeword, CODEWORDS)
        if not self.columns:
            raise InputError("distortion over columns needs at least one column")

    @classmethod
    def of(
        cls,
        public: Alphabet,
        codeword: Codeword = "midpoint",
        *,
        combination: Combination = "max",
        scales: Mapping[str, float] | None = None,
        dissimilarities: Mapping[str, Table] | None = None,
    ) -> ColumnsDistortion:
        """Build for the columns of an alphabet.

        ``scales`` gives the unit of a column of numbers (else its range), ``dissimilarities`` the table
        of a column of categories (else 0 and 1). Where no column is a number and none has a table,
        nothing says how far values lie apart, and it refuses.
        """
        scales, tables = dict(scales or {}), dict(dissimilarities or {})
        for name in (*scales, *tables):
            if name not in public.columns:
                raise ColumnError.absent(name, public.columns)
        for coordinate in public.coordinates:
            if coordinate.name in scales and (coordinate.kind == "text" or coordinate.name in tables):
                raise OptionError(f"the categories of {coordinate.name!r} have no scale; leave the scale out")
        is_one = len(public.coordinates) == 1
        if is_one and not tables and public.coordinates[0].kind == "text":
            raise InputError(
                f"distortion needs positions, and {', '.join(map(repr, public.columns))} has none; "
                f"use {option('utility', 'resolution')}, or give a dissimilarity"
            )
        columns: list[DistanceColumn] = []
        for coordinate in public.coordinates:
            if coordinate.kind == "text" or coordinate.name in tables:
                columns.append(_category_column(coordinate, tables.get(coordinate.name)))
                continue
            columns.append(_number_column(coordinate, codeword, scales.get(coordinate.name)))
            if coordinate.missing.any():
                columns.append(_is_missing(coordinate))
        return cls(tuple(columns), combination, codeword)

    @property
    def size(self) -> int:
        """How many public values it is about."""
        return len(self.columns[0].here)

    @property
    def here(self) -> Flags:
        """Where the value has a place: a cell in every column."""
        here: Flags = np.all([column.here for column in self.columns], axis=0)
        return here

    @property
    def counts_spans(self) -> bool:
        """Whether a cluster costs 1 where it mixes categories, and else half its span in parts of a range."""
        return (
            self.combination == "max"
            and self.codeword == "midpoint"
            and all(
                (column.is_plain if isinstance(column, CategoryColumn) else _is_unit_or_point(column))
                for column in self.columns
            )
        )

    def costs(self, partition: Partition) -> Floats:
        """Return the distance from the codewords to the farthest member, for every cluster."""
        members = _Members.of(partition)
        if self.combination == "max" or len(self.columns) == 1:
            costs: Floats = np.maximum.reduce(
                [members.worst(each) for each in map(members.moves, self.columns)]
            )
        else:
            costs = members.worst(np.array([members.moves(column) for column in self.columns]).sum(0))
        costs[partition.sizes == 1] = 0.0
        return costs

    def union_costs(self) -> ColumnsUnions:
        """Return the distortions of all unions of two values."""
        return ColumnsUnions(self)


@dataclass(frozen=True, eq=False)
class _Members:
    """The values of a partition, one cluster after the other, each in the order of the alphabet."""

    order: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]
    cluster: npt.NDArray[np.intp]
    """The cluster of each member in that order."""

    @classmethod
    def of(cls, partition: Partition) -> _Members:
        """Lay a partition out."""
        order = np.argsort(partition.labels, kind="stable")
        starts = np.concatenate(([0], np.cumsum(partition.sizes)[:-1])).astype(np.intp)
        return cls(order, starts, np.repeat(np.arange(partition.size), partition.sizes))

    def worst(self, moves: Floats) -> Floats:
        """Return the greatest move of each cluster."""
        found: Floats = np.maximum.reduceat(moves, self.starts)
        return found

    def moves(self, column: DistanceColumn) -> Floats:
        """Return how far each member lies from the codeword of its cluster in one column."""
        if isinstance(column, NumberColumn):
            placed = column.positions[self.order]
            return np.abs(placed - self._middle(placed, column.codeword)[self.cluster])
        codes = column.codes[self.order]
        if column.table is None:
            return np.asarray(codes != codes[self.starts][self.cluster], dtype=np.float64)
        moves: Floats = column.table[codes, self._category(codes, column.table)[self.cluster]]
        return moves

    def _middle(self, placed: Floats, codeword: Codeword) -> Floats:
        low = np.minimum.reduceat(placed, self.starts)
        high = np.maximum.reduceat(placed, self.starts)
        if codeword == "midpoint":
            middle: Floats = low + (high - low) / 2
        elif codeword == "centroid":
            counts = np.diff(np.append(self.starts, len(placed)))
            middle = low + np.add.reduceat(placed - low[self.cluster], self.starts) / counts
        else:
            farther = np.maximum(placed - low[self.cluster], high[self.cluster] - placed)
            order = np.lexsort((np.arange(len(placed)), np.round(farther, 12), self.cluster))
            middle = placed[order[self.starts]]
        return middle

    def _category(self, codes: npt.NDArray[np.integer], table: Floats) -> npt.NDArray[np.integer]:
        """Return the category that stands for each cluster: the least worst, the earliest member of those."""
        width, clusters = len(table), len(self.starts)
        keys, first = np.unique(self.cluster * width + codes, return_index=True)
        owner, category = keys // width, keys % width
        counts = np.bincount(owner, minlength=clusters)
        begins = np.cumsum(counts) - counts
        # Every category of a cluster beside every one of the same cluster.
        times = counts[owner]
        mine = np.repeat(np.arange(len(keys)), times)
        other = np.arange(len(mine)) - np.repeat(np.cumsum(times) - times, times) + begins[owner[mine]]
        farthest = np.zeros(len(keys))
        np.maximum.at(farthest, mine, table[category[other], category[mine]])
        order = np.lexsort((first, farthest, owner))
        chosen: npt.NDArray[np.integer] = category[order[begins]]
        return chosen


class ColumnsUnions:
    """The distortion of every union over several columns."""

    def __init__(self, utility: ColumnsDistortion) -> None:
        self.members = Members(frozen_array(utility.here))
        self._columns = [column.unions() for column in utility.columns]
        self._combination = utility.combination

    def with_each(self, place: int) -> Floats:
        """Return the distance from each union's codewords to its farthest member."""
        if not self.members.standing[place]:
            return np.full(len(self.members.standing), np.inf)
        for column in self._columns:
            column.choose(place, self.members)
        worst = [column.worst() for column in self._columns]
        if self._combination == "max" or len(worst) == 1:
            costs: Floats = np.maximum.reduce(worst)
        else:
            costs = np.zeros(len(self.members.standing))
            for values, unions in self.members.with_each(place):
                each = [column.distances(values, unions) for column in self._columns]
                np.maximum.at(costs, unions, sum(each))
        costs[~self.members.partners(place)] = np.inf
        return costs

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        for column in self._columns:
            column.merge(kept, joined)
        self.members.merge(kept, joined)


def _number_column(coordinate: Coordinate, codeword: Codeword, scale: float | None) -> NumberColumn:
    positions = coordinate.positions
    if positions is None:
        raise InputError(f"the column {coordinate.name!r} holds text and has no scale")
    require_distances(coordinate)
    require_summable(positions)
    here = positions[~np.isnan(positions)]
    if scale is None:
        scale = (float(here.max() - here.min()) if len(here) else 0.0) or 1.0
    if not (scale > 0 and np.isfinite(scale)):
        raise OptionError(f"the scale of {coordinate.name!r} must be a number above zero")
    # Only distances count; near zero their sums are rounded least.
    middle = float(here.min() + (here.max() - here.min()) / 2) if len(here) else 0.0
    with np.errstate(over="ignore"):
        scaled = (positions - middle) / scale
    require_summable(scaled)
    # A missing cell is told apart by a column of its own; here it lies where it changes nothing.
    scaled = np.where(np.isnan(scaled), np.nanmedian(scaled) if len(here) else 0.0, scaled)
    return NumberColumn(frozen_array(scaled), codeword)


def _is_unit_or_point(column: DistanceColumn) -> bool:
    """Tell whether numbers are in units of their range, or all the same."""
    assert isinstance(column, NumberColumn)  # noqa: S101
    here = column.positions[column.here]
    extent = float(np.ptp(here)) if len(here) else 0.0
    return extent == 0 or abs(extent - 1) <= SAME_COST


def _is_missing(coordinate: Coordinate) -> CategoryColumn:
    """Return a category column of two values, missing or not, so that merging a missing cell has a cost."""
    return CategoryColumn(frozen_array(coordinate.missing.astype(np.int64)))


def _category_column(coordinate: Coordinate, given: Table | None) -> CategoryColumn:
    number: dict[Label, int] = {}
    cells = [coordinate.cell(place) for place in range(len(coordinate.values))]
    codes = np.array([number.setdefault(cell, len(number)) for cell in cells])
    if given is None:
        return CategoryColumn(frozen_array(codes))
    categories = list(number)
    table = 1.0 - np.eye(len(categories))
    for i, one in enumerate(categories):
        for j, other in enumerate(categories):
            if i != j:
                found = given.get((one, other), given.get((other, one)))
                if found is None and (one is None or other is None):
                    found = max(given.values(), default=1.0)
                if found is None:
                    raise InputError(
                        f"the dissimilarities of {coordinate.name!r} must cover all pairs of its "
                        f"{len(categories)} categories"
                    )
                table[i, j] = found
    if bool((table < 0).any()) or not bool(np.isfinite(table).all()):
        raise InputError(f"the dissimilarities of {coordinate.name!r} must be finite, none below zero")
    return CategoryColumn(frozen_array(codes), frozen_array(table))
