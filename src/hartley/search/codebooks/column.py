"""One public column as the search sees it: its distinct values, which tuple holds which, what may be merged.

The values stand in an order in which every split is an interval: numbers, dates and ordered categories by
position, a tree's leaves from left to right, text with prefixes alphabetically. A missing cell is a value of
its own, after all others, and is merged with others only where everything is merged.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError, OptionError
from hartley.model.alphabet import Coordinate, Label
from hartley.model.arrays import Floats, Int32s, frozen_array
from hartley.model.shapes.band import Scale
from hartley.model.shapes.border_grid import (
    BorderGrid,
    OwnBorders,
    calendar_grid,
    day_of,
    parse_grid,
    round_grid,
)
from hartley.search.codebooks.tree import CategoryTree, prefix_tree, require_named, value_tree

ROUND_BANDS = 20
"""About so many cells of a round step lie in a column's extent: the borders that are tried first."""
FINE_BANDS = 100
"""About so many cells of the step on which borders may lie where nothing is said."""

ColumnKind = Literal["number", "date", "ordered", "category", "tree", "prefix"]


@dataclass(frozen=True, kw_only=True)
class ColumnSettings:
    """What a curator says about one column."""

    keep: bool = False
    """Publish the column as it is."""
    borders: float | str | OwnBorders | None = None
    """A step, a calendar, a list, or ``"each"`` for borders anywhere; round ones where nothing is said."""
    weight: float = 1.0
    """How much its detail counts beside the other columns'."""
    order: Sequence[str] | None = None
    """The categories from least to greatest; values that do not occur may be among them."""
    hierarchy: Sequence[Sequence[str]] | None = None
    """Rows of a value, its group, the group of that group, and so on."""
    prefix: bool = False
    """Whether text may be cut after its first characters."""


AS_IT_IS = ColumnSettings()


@dataclass(frozen=True, eq=False, kw_only=True)
class PublicColumn:
    """A public column; see the module's text. Build it with :meth:`of_cells` or :meth:`of_coordinate`."""

    name: str
    kind: ColumnKind
    values: tuple[Label, ...]
    """The distinct values that occur, without the missing one."""
    codes: Int32s
    """The value of each public tuple; ``len(values)`` where the cell is missing."""
    positions: Floats = field(default_factory=lambda: np.zeros(0))
    """Where the values lie on a line, rising; empty where there is none."""
    scale: Scale | None = None
    grid: BorderGrid | None = None
    """Where borders may be added; ``None`` for anywhere."""
    is_grid_given: bool = False
    """Whether the curator named the borders; then the ladder keeps to them too."""
    keep: bool = False
    weight: float = 1.0
    names: tuple[str, ...] = ()
    """All categories of an order."""
    tree: CategoryTree | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", frozen_array(np.asarray(self.codes, dtype=np.int32)))
        object.__setattr__(self, "positions", frozen_array(np.asarray(self.positions, dtype=float)))
        if not (isfinite(self.weight) and self.weight > 0):
            raise OptionError(f"the weight of {self.name!r} must be a positive number, not {self.weight:g}")
        if len(self.codes) and not 0 <= self.codes.min() <= self.codes.max() <= len(self.values):
            raise InputError(f"column {self.name!r} has codes without a value")

    @property
    def is_line(self) -> bool:
        """Whether the values lie on a line."""
        return self.scale is not None

    @property
    def has_missing(self) -> bool:
        """Whether a cell is missing."""
        return bool(len(self.codes)) and int(self.codes.max()) == len(self.values)

    @property
    def size(self) -> int:
        """How many values there are, the missing one included."""
        return len(self.values) + self.has_missing

    @property
    def extent(self) -> float:
        """What a width is measured by: the range on a line, one less than the number of values elsewhere."""
        if self.is_line:
            return float(self.positions[-1] - self.positions[0]) if len(self.positions) else 0.0
        return float(self.size - 1)

    @property
    def splits(self) -> list[tuple[int, int]]:
        """The candidate splits: each is an interval of values against the rest, ``(first, end)``."""
        count = len(self.values)
        if self.keep:
            return []
        if self.is_line:
            allowed = (
                np.r_[False, np.diff(self.positions) > 0]
                if self.grid is None
                else self.grid.allowed(self.positions)
            )
            found = [(int(first), count) for first in np.flatnonzero(allowed)]
        elif self.tree is not None:
            found = _distinct([(node.first, node.end) for node in self.tree.nodes], count)
        else:
            found = _distinct([(place, place + 1) for place in range(count)], count)
        return found + ([(count, count + 1)] if self.has_missing and count else [])

    @property
    def has_detail(self) -> bool:
        """Whether something of it can be merged away."""
        return not self.keep and len(self.values) > 1

    def with_round_borders(self) -> PublicColumn:
        """Return the same column with borders at round numbers or in the calendar, if these are fewer."""
        if not self.is_line or self.keep:
            return self
        coarse = replace(self, grid=_round_borders(self.name, self.kind, self.positions, ROUND_BANDS))
        return coarse if len(coarse.splits) < len(self.splits) else self

    @classmethod
    def of_coordinate(cls, coordinate: Coordinate, settings: ColumnSettings = AS_IT_IS) -> PublicColumn:
        """Build from a column of an alphabet of public tuples."""
        if coordinate.values.dtype.kind in "iuf":
            here = ~coordinate.missing
            distinct, inverse = np.unique(coordinate.values[here], return_inverse=True)
            codes = np.full(len(here), -1, dtype=np.int32)
            codes[here] = inverse
            return cls.of_values(coordinate.name, distinct.tolist(), codes, settings)
        cells = [coordinate.cell(place) for place in range(len(coordinate.values))]
        return cls.of_cells(coordinate.name, cells, settings)

    @classmethod
    def of_cells(
        cls, name: str, cells: Sequence[Label] | npt.NDArray[Any], settings: ColumnSettings = AS_IT_IS
    ) -> PublicColumn:
        """Build from the cell of each public tuple, ``None`` where it is missing."""
        values, codes = _factorised(cells)
        return cls.of_values(name, values, codes, settings)

    @classmethod
    def of_values(
        cls, name: str, values: Sequence[Label], codes: npt.NDArray[Any], settings: ColumnSettings = AS_IT_IS
    ) -> PublicColumn:
        """Build from distinct values in any order and the value of each tuple, -1 where it is missing."""
        kind = _kind(name, values, settings)
        sort_keys, tree, names = _arrangement(name, kind, values, settings)
        order = np.argsort(sort_keys, kind="stable")
        rank = np.empty(len(values) + 1, dtype=np.int32)
        rank[order] = np.arange(len(values))
        rank[-1] = len(values)
        positions = sort_keys[order] if kind in ("number", "date", "ordered") else np.zeros(0)
        grid, is_given = _grid(name, kind, positions, settings)
        return cls(
            name=name,
            kind=kind,
            values=tuple(values[place] for place in order),
            codes=rank[codes],
            positions=positions,
            scale=_scale(kind, positions, values),
            grid=grid,
            is_grid_given=is_given,
            keep=settings.keep,
            weight=settings.weight,
            names=names,
            tree=tree,
        )


def _factorised(cells: Sequence[Label] | npt.NDArray[Any]) -> tuple[list[Label], npt.NDArray[np.int32]]:
    """Return the distinct cells, without the missing one, and the place of each cell among them or -1."""
    places: dict[Hashable, int] = {}
    codes = np.empty(len(cells), dtype=np.int32)
    for row, cell in enumerate(cells.tolist() if isinstance(cells, np.ndarray) else cells):
        is_missing = cell is None or (isinstance(cell, float) and cell != cell)
        codes[row] = -1 if is_missing else places.setdefault(cell, len(places))
    return list(places), codes


def _kind(name: str, values: Sequence[Label], settings: ColumnSettings) -> ColumnKind:
    said = {
        "order": settings.order is not None,
        "hierarchy": settings.hierarchy is not None,
        "prefix": settings.prefix,
    }
    told = [what for what, is_said in said.items() if is_said]
    if len(told) > 1:
        raise OptionError(f"column {name!r} can have one of {' and '.join(told)}, not both")
    kind: ColumnKind = "category"
    if told:
        kinds: dict[str, ColumnKind] = {"order": "ordered", "hierarchy": "tree", "prefix": "prefix"}
        kind = kinds[told[0]]
    elif values and all(
        isinstance(v, (Real, _decimal())) and not isinstance(v, (bool, np.bool_)) for v in values
    ):
        kind = "number"
    elif values and all(isinstance(value, dt.date) for value in values):
        kind = "date"
    if kind == "number" and not all(isfinite(float(value)) for value in values):
        raise InputError(f"column {name!r} holds a number that is not finite")
    return kind


def _decimal() -> type:
    from decimal import Decimal

    return Decimal


def _arrangement(
    name: str, kind: ColumnKind, values: Sequence[Label], settings: ColumnSettings
) -> tuple[Floats, CategoryTree | None, tuple[str, ...]]:
    """Return by what the values are sorted, the tree over them, and the names of an order."""
    if kind == "number":
        return np.array([float(value) for value in values]), None, ()
    if kind == "date":
        return np.array([day_of(value) for value in values]), None, ()
    if kind == "ordered":
        names = tuple(str(given) for given in settings.order or ())
        return order_ranks(name, values, names), None, names
    words = [str(value) for value in values]
    tree = None
    if kind == "tree":
        tree = value_tree(name, words, settings.hierarchy or ())
    elif kind == "prefix":
        tree = prefix_tree(words)
    if tree is not None:
        return tree.ranks.astype(float), tree, ()
    places = sorted(range(len(words)), key=lambda place: (words[place], place))
    ranks = np.empty(len(words))
    ranks[places] = np.arange(len(words))
    return ranks, None, ()


def order_ranks(column: str, cells: Sequence[Label], names: Sequence[str]) -> Floats:
    """Return the rank of each cell in an order of names, NaN of a missing one."""
    rank = {word: place for place, word in enumerate(names)}
    if len(rank) < len(names):
        twice = sorted({word for word in names if list(names).count(word) > 1})
        raise InputError(
            f"the order of {column!r} names {', '.join(map(repr, twice[:5]))} more than once; name each once"
        )
    require_named(f"the order of {column!r}", (str(cell) for cell in cells if cell is not None), rank)
    return np.array([np.nan if cell is None else float(rank[str(cell)]) for cell in cells])


def _grid(
    name: str, kind: ColumnKind, positions: Floats, settings: ColumnSettings
) -> tuple[BorderGrid | None, bool]:
    if settings.borders is not None and not (settings.borders == "each" and kind == "category"):
        grid = parse_grid(settings.borders, name, kind)
        if isinstance(settings.borders, OwnBorders):
            settings.borders.require_between(name, positions)
        return grid, True
    is_line = kind in ("number", "date", "ordered")
    return (_round_borders(name, kind, positions, FINE_BANDS) if is_line else None), False


def _round_borders(name: str, kind: ColumnKind, positions: Floats, bands: int) -> BorderGrid:
    extent = float(positions[-1]) - float(positions[0]) if len(positions) else 0.0
    if not isfinite(extent):
        raise InputError(f"the values of column {name!r} lie so far apart that no number says how far")
    return calendar_grid(extent) if kind == "date" else round_grid(extent, bands)


def _scale(kind: ColumnKind, positions: Floats, values: Sequence[Label]) -> Scale | None:
    if kind == "number":
        return "whole" if bool(np.all(positions == np.round(positions))) and len(values) else "number"
    scales: dict[ColumnKind, Scale] = {"date": "date", "ordered": "ordered"}
    return scales.get(kind)


def _distinct(intervals: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Return the intervals that split something, each once; an interval and the rest of it are one split."""
    found: list[tuple[int, int]] = []
    seen = set()
    for first, end in intervals:
        rest = (end, count) if first == 0 else (0, first) if end == count else None
        if (first, end) == (0, count) or (first, end) in seen or rest in seen:
            continue
        seen.add((first, end))
        found.append((first, end))
    return found
