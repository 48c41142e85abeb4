"""The ladder of a column: codebooks from each value kept to everything merged, all fixed in a few words.

Numbers and ordered categories have equal bands of round widths anchored at 0, also with open ends; dates have
calendars; categories have the most frequent ones kept and the rest as other; trees have their levels, text
has its prefixes. What is chosen among so few fixed ones tells little of the data (Theorem B5). Ladders are
partial orders: weeks and months do not compare. Which level refines which is read off the labels, and nothing
else is assumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hartley.model.arrays import Flags, Floats, Int64s, frozen_array
from hartley.model.partition import numbered_by_first
from hartley.model.shapes.border_grid import MOST_CELLS, BorderGrid, Calendar, round_steps
from hartley.search.codebooks.column import PublicColumn
from hartley.search.codebooks.problem import band_widths

MANY_BANDS = 1000
"""A level of equal bands with more of them than this is left out."""
TOPS_IN_FULL = 100
"""Up to so many kept categories there is a level for every number of them; beyond, the steps grow."""


@dataclass(frozen=True, eq=False)
class LadderLevel:
    """One codebook of a column."""

    name: str
    labels: npt.NDArray[np.int32]
    """The band of each value, numbered in the order of the values; a missing cell is the last value."""
    grid: BorderGrid | None = None
    """Where its borders lie, if they do on a grid."""

    @property
    def bands(self) -> int:
        """How many bands there are."""
        return int(self.labels.max()) + 1 if len(self.labels) else 0


@dataclass(frozen=True, eq=False)
class Ladder:
    """The levels of a column by rising loss, and which refines which."""

    levels: tuple[LadderLevel, ...]
    loss: Floats
    """The mean width of each level, times the column's weight."""
    worst: Floats
    """The greatest width of a band of each level."""
    refines: Flags
    """``refines[a, b]``: level a refines level b."""

    @property
    def is_chain(self) -> bool:
        """Whether each level refines the next."""
        return all(self.refines[place, place + 1] for place in range(len(self.levels) - 1))

    def within(self, worst: float) -> Ladder:
        """Return the ladder of the levels none of whose bands is wider than this."""
        chosen = np.flatnonzero(self.worst <= worst)
        return Ladder(
            tuple(self.levels[place] for place in chosen),
            self.loss[chosen],
            self.worst[chosen],
            self.refines[np.ix_(chosen, chosen)],
        )


def build_ladder(column: PublicColumn, rows: Int64s, weight: float, open_ends: bool) -> Ladder:
    """Build the ladder of a column.

    ``rows`` is how many rows hold each value, ``weight`` the column's share of all weights, ``open_ends``
    whether equal bands may swallow those beyond a round number at either end.
    """
    levels = _distinct_levels(column, list(_levels(column, rows, open_ends)))
    widths = [band_widths(column, level.labels) for level in levels]
    total = max(int(rows.sum()), 1)
    loss = np.array(
        [
            weight * float(rows @ width[level.labels]) / total
            for width, level in zip(widths, levels, strict=True)
        ]
    )
    order = np.argsort(loss, kind="stable")
    chosen = tuple(levels[place] for place in order)
    worst = np.array([float(widths[place].max()) for place in order])
    return Ladder(chosen, frozen_array(loss[order]), frozen_array(worst), _refinement(column, chosen))


def _levels(column: PublicColumn, rows: Int64s, open_ends: bool) -> Iterator[LadderLevel]:
    count = len(column.values)
    yield _level(column, "each value", np.arange(count))
    if column.keep:
        return
    if column.grid is not None and column.grid.own:
        yield _level(column, "own bands", column.grid.cells(column.positions), column.grid)
    elif column.kind == "date":
        yield from _calendar_levels(column)
    elif column.is_line:
        yield from _width_levels(column, rows, open_ends)
    elif column.tree is not None:
        for name, labels in zip(column.tree.level_names, column.tree.levels, strict=True):
            yield _level(column, name, labels)
    else:
        yield from _top_levels(column, rows)
    yield _level(column, "any value", np.zeros(count, dtype=np.int64))
    yield LadderLevel("all", np.zeros(column.size, dtype=np.int32))


def _level(column: PublicColumn, name: str, labels: Int64s, grid: BorderGrid | None = None) -> LadderLevel:
    """Build a level from labels of the values that are not missing."""
    if column.has_missing:
        labels = np.r_[labels, labels.max(initial=-1) + 1]
    return LadderLevel(name, frozen_array(numbered_by_first(labels).astype(np.int32)), grid)


def _calendar_levels(column: PublicColumn) -> Iterator[LadderLevel]:
    calendars: list[tuple[Calendar, int]] = [("day", 1), ("week", 1), ("month", 1), ("quarter", 1)]
    calendars += [("half-year", 1), *(("year", years) for years in (1, 2, 5, 10, 20, 50, 100))]
    for calendar, step in calendars:
        grid = BorderGrid(step=step, calendar=calendar)
        name = f"{step} years" if step > 1 else calendar
        yield _level(column, name, grid.cells(column.positions), grid)


def _widths(column: PublicColumn) -> Iterator[float]:
    """Yield the widths of equal bands, rising: 1, 2, 5, 10, 20, 25, 50, ... or so many given steps."""
    positions = column.positions
    if column.is_grid_given and column.grid is not None:
        for times in round_steps(1.0, max(column.extent / column.grid.step, 1.0)):
            yield times * column.grid.step
        return
    gaps = np.diff(positions)
    gaps = gaps[gaps > 0]
    if not len(gaps):
        return
    greatest = float(max(abs(positions[0]), abs(positions[-1])))
    # Values that differ in the last digit of a large number are in cells that cannot be numbered.
    least = max(float(gaps.min()), 2 * greatest / MOST_CELLS)
    if len(positions) > 2 * MANY_BANDS:
        least = max(least, column.extent / MANY_BANDS)
    for step in round_steps(least, greatest):
        yield step
        if step >= 20 and str(int(step)).strip("0") == "2":
            yield step * 1.25


def _width_levels(column: PublicColumn, rows: Int64s, open_ends: bool) -> Iterator[LadderLevel]:
    positions = column.positions
    for width in _widths(column):
        grid = BorderGrid(step=width)
        yield _level(column, f"bands of {width:g}", grid.cells(positions), grid)
    if not open_ends or column.extent <= 0:
        return
    coarse = next(round_steps(column.extent / 10, column.extent))
    middle = float(
        positions[np.searchsorted(np.cumsum(rows[: len(positions)]), rows[: len(positions)].sum() / 2)]
    )
    for width in [0.0, *(width for width in _widths(column) if width <= column.extent)]:
        step = _end_step(coarse, width)
        inner_grid = BorderGrid(step=width) if width else None
        inner = inner_grid.cells(positions) if inner_grid else np.arange(len(positions))
        marks = BorderGrid(step=step)
        starts = [marks.start(cell) for cell in range(*_cell_range(marks, positions))]
        lows = [-np.inf, *(mark for mark in starts if positions[0] < mark <= middle)]
        highs = [np.inf, *(mark for mark in starts if middle < mark <= positions[-1])]
        for low in lows:
            for high in highs:
                labels = np.where(positions < low, inner.min() - 1, inner)
                labels[positions >= high] = inner.max() + 1
                name = (f"bands of {width:g}" if width else "each value") + _ends(low, high)
                yield _level(column, name, labels, inner_grid)


def _end_step(coarse: float, width: float) -> float:
    """Return the step on which open ends begin: a multiple of the width, at least a tenth of the range."""
    if width <= 0 or (coarse >= width and abs(coarse / width - round(coarse / width)) < 1e-9):
        return coarse
    return width if width > coarse else width * float(np.ceil(coarse / width))


def _cell_range(grid: BorderGrid, positions: Floats) -> tuple[int, int]:
    first, last = grid.cells(positions[[0, -1]])
    return int(first), int(last) + 1


def _ends(low: float, high: float) -> str:
    return (f", under {low:g}" if np.isfinite(low) else "") + (
        f", {high:g} and over" if np.isfinite(high) else ""
    )


def _top_levels(column: PublicColumn, rows: Int64s) -> Iterator[LadderLevel]:
    """Yield the most frequent categories kept and the rest as other."""
    count = len(column.values)
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(-rows[:count], kind="stable")] = np.arange(count)
    kept = count - 2
    while kept > 0:
        yield _level(column, f"top {kept} + other", np.minimum(rank, kept))
        kept -= max(1, (kept - TOPS_IN_FULL) // 20)


def _distinct_levels(column: PublicColumn, levels: list[LadderLevel]) -> list[LadderLevel]:
    """Return each codebook once, and only those whose borders are where the curator wants them."""
    allowed = None
    if column.is_grid_given and column.grid is not None and not column.keep:
        allowed = column.grid.allowed(column.positions)
    seen: set[bytes] = set()
    found = []
    for level in levels:
        borders = np.r_[False, np.diff(level.labels[: len(column.values)]) != 0]
        is_elsewhere = allowed is not None and bool(np.any(borders & ~allowed))
        if is_elsewhere or level.labels.tobytes() in seen:
            continue
        seen.add(level.labels.tobytes())
        found.append(level)
    return found


def _refinement(column: PublicColumn, levels: tuple[LadderLevel, ...]) -> Flags:
    if column.is_line:
        # Bands of a line are runs: one codebook refines another if it has all its borders.
        borders = np.array([np.diff(level.labels) != 0 for level in levels]).reshape(len(levels), -1)
        lacking = (~borders).astype(np.float32) @ borders.T.astype(np.float32)
        return frozen_array(lacking == 0)
    count = len(levels)
    steps = [_is_refinement(levels[place].labels, levels[place + 1].labels) for place in range(count - 1)]
    if all(steps):
        return frozen_array(np.triu(np.ones((count, count), dtype=bool)))
    table = [[_is_refinement(one.labels, other.labels) for other in levels] for one in levels]
    return frozen_array(np.array(table, dtype=bool))


def _is_refinement(fine: npt.NDArray[np.int32], coarse: npt.NDArray[np.int32]) -> bool:
    image = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.int32)
    image[fine] = coarse
    return bool(np.all(image[fine] == coarse))
