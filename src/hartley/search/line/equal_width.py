"""Bands of equal width, with or without open ends.

All bands of a width and an offset that hold values must be enough. This is not monotone in the width: of
the values A, B, A, B at 0 to 3, bands of 2 are enough and bands of 3 are not. So round widths are tried one
by one. With open ends the first and the last band swallow their neighbours ("under 100", "500 and over")
until they are enough and no band that is not is left between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

import numpy as np
import numpy.typing as npt

from hartley.errors import OptionError, UnreachableError
from hartley.model.arrays import Places
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.borders import Borders, is_multiple, round_steps, unit_of
from hartley.search.line.bounds import line_bound
from hartley.search.line.ordered_values import Band, LineAnswer, OrderedValues
from hartley.search.line.windows import window_cost

QUARTERS = 4
"""Offsets are quarters of a width where no border is asked for, with no more decimals than the values."""


def best_equal_width(
    values: OrderedValues,
    *,
    open_ends: bool = False,
    step: float | None = None,
    offset: float | None = None,
    width: float | None = None,
    effort: Effort = UNLIMITED,
) -> LineAnswer:
    """Return the bands of equal width that cost least; then most bands, smaller width, smaller offset.

    Parameters
    ----------
    values
        The line and the demand.
    open_ends
        Whether the first and the last band may swallow neighbours.
    step
        Widths and offsets are multiples of it; without one, widths are round and offsets quarters of them.
    offset
        The only offset to try, where it is given.
    width
        The only width to try, where it is given.
    effort
        When to stop.

    Raises
    ------
    UnreachableError
        Where no width that is tried is enough everywhere.
    """
    if values.cost_name == "centroid":
        raise OptionError("bands of equal width are released as midpoints or members, not as centroids")
    values.require_reachable()
    any_bound = values.in_units(line_bound(values, effort))
    best: tuple[tuple[float, int, float, float], LineAnswer] | None = None
    for wide, shift in _widths(values, step, offset, width):
        if effort.should_stop() and best is not None:
            break
        found = _bands(values, wide, shift, any_bound, open_ends=open_ends)
        if found is not None:
            key = (found.cost, -found.clusters, wide, shift)
            if best is None or key < best[0]:
                best = key, found
    if best is None:
        raise UnreachableError(
            "no bands of equal width meet the requirements"
            + ("" if open_ends else "; open ends, or bands of different widths, may")
        )
    return best[1]


def _widths(
    values: OrderedValues, step: float | None, offset: float | None, width: float | None
) -> Iterator[tuple[float, float]]:
    """Yield the widths and offsets to try."""
    unit = unit_of(values.positions)
    widths = round_steps(values.positions) if width is None else iter([width])
    for wide in widths:
        if step is not None and width is None and not is_multiple(wide, step):
            continue
        if offset is not None:
            yield wide, offset
            continue
        pieces = QUARTERS if step is None else max(1, round(wide / step))
        for piece in range(pieces):
            if is_multiple(wide * piece / pieces, unit):
                yield wide, wide * piece / pieces


def _bands(
    values: OrderedValues, width: float, offset: float, any_bound: float, *, open_ends: bool
) -> LineAnswer | None:
    grid = Borders.on_grid(values.positions, width, offset)
    starts = np.flatnonzero(grid.allowed[:-1])
    cell_of = np.cumsum(grid.allowed[:-1]) - 1
    count = len(starts)
    lasts = np.append(starts[1:], values.size) - 1
    holds = values.enough.are_enough(cell_of, count)
    low, high = grid.low[starts].copy(), grid.high[lasts].copy()
    if not holds.all():
        if not open_ends:
            return None
        ends = _open_ends(values, starts, lasts, holds)
        if ends is None:
            return None
        first, last = ends
        cell_of = np.where(
            cell_of < first, 0, np.where(cell_of >= last, last - first + 1, cell_of - first + 1)
        )
        keep = np.concatenate(([first - 1], np.arange(first, last), [count - 1] if last < count else []))
        keep = keep.astype(np.int64)
        low, high = grid.low[starts[np.append(0, keep[:-1] + 1)]], high[keep]
        low[0] = -inf
        high[-1] = inf
    labels = values.labels_of_ranks(cell_of)
    cost = values.cost_of_labels(labels)
    bands = tuple(Band(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True))
    members = LineAnswer(
        labels=labels, cost=cost, lower_bound=0.0, any_bound=min(any_bound, cost), bands=bands
    )
    inner = [band.width for band in bands if band.width < inf]
    return replace(members, total_width=float(sum(inner)), lower_bound=members.any_bound)


def _open_ends(
    values: OrderedValues, starts: Places, lasts: Places, holds: npt.NDArray[np.bool_]
) -> tuple[int, int] | None:
    """Return how many cells the first band takes, and from which on the last does; ``None`` if it cannot be.

    The last band is made as short as what stands before it allows; the first begins with the fewest cells
    that are enough, or ends at a cell that is not.
    """
    count = len(starts)
    latest = values.latest
    # The fewest first cells that are enough together, and the fewest last ones.
    first_least = next((cell + 1 for cell in range(count) if latest[lasts[cell]] >= 0), None)
    if first_least is None:
        return None
    last_most = int(np.searchsorted(starts, latest[values.size - 1], side="right")) - 1
    poor = np.flatnonzero(~holds)
    windows, halved = values.windows, values.windows.cost == "midpoint"

    def cost(begin: int, end: int) -> float:
        return float(window_cost(windows.positions, int(starts[begin]), int(lasts[end]), halved))

    cells = [cost(cell, cell) for cell in range(count)] if count < 2_000 else None
    best: tuple[float, int, int] | None = None
    chosen: tuple[int, int] | None = None
    for first in [first_least, *(int(cell) + 1 for cell in poor if cell >= first_least)]:
        after = int(np.searchsorted(poor, first))
        next_poor = int(poor[after]) if after < len(poor) else count
        last = min(next_poor, last_most, count - 1) if next_poor < count else count
        if first < count and last < first:
            continue
        if last == count or first == count:
            # The cells after the first band are enough each; there is no last band that swallows any.
            worst, last = cost(0, first - 1), count
            number = 1 + count - first
            middle = range(first, count)
        else:
            worst = max(cost(0, first - 1), cost(last, count - 1))
            number = 2 + last - first
            middle = range(first, last)
        for cell in middle:
            worst = max(worst, cells[cell] if cells is not None else cost(cell, cell))
        key = (worst, -number, first)
        if best is None or key < best:
            best, chosen = key, (first, last)
    return chosen
