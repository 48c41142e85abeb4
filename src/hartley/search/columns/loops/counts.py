"""How far a random count over two columns is off on a class, in closed form.

A count asks, in two columns, for some cells: of a column of numbers so many in a row, of text any. A reader
spreads the rows of a class evenly over its box: on a line all cells between the lowest and the highest, of
text those that occur. How likely it is that two cells of a column are asked for together is a *kernel*, and
the mean square of the count's error is what the rows' own kernel sums differ by from those of the box. It is
0 where the rows of a class fill its box evenly, in every two columns: then all such counts are exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_part
from hartley.model.arrays import Floats, Int32s, Places
from hartley.search.columns.loops.cells import Needs

LEAST_ERROR = 1e-9
"""Mean squares below this share of the squared rows of a class are rounding."""


class Counts(NamedTuple):
    """What random counts ask for in each column, and how much a row that they miss weighs."""

    weight: float
    """What a row that counts miss weighs beside a row that loses a whole column; 0: nothing is counted."""
    code: Int32s
    """The place of each tuple's cell among those of the column."""
    width: Floats
    """Of a line, how many cells in a row are asked for; 0 of text."""
    chance: Floats
    """Of text, how likely a second cell is asked for beside one that is."""
    scale: Floats
    """One over the share of the cells that are asked for."""
    base: Places
    """Where the cells of each column of text begin when those of all are numbered through."""
    low: Places
    high: Places
    cells: Places
    seen: Places
    stamp: Places
    """Scratch paper: the box of a class, how many cells it has in each column, the categories met."""


@hot_part
def asked_in_box(counts: Counts, column: int) -> float:
    """Return how likely two cells of the box, drawn with repetition, are asked for together."""
    size, width = counts.cells[column], counts.width[column]
    if width <= 0.0:
        return float((1.0 + (size - 1) * counts.chance[column]) / size)
    far = min(size - 1.0, width)
    pairs = far * size - far * (far + 1) / 2 * (1 + size / width)
    pairs += far * (far + 1) * (2 * far + 1) / (6 * width)
    return float((size + 2 * pairs) / (size * size))


@hot_part
def asked_beside(counts: Counts, column: int, code: int) -> float:
    """Return how likely a cell drawn from the box is asked for beside a cell that is."""
    size, width = counts.cells[column], counts.width[column]
    if width <= 0.0:
        return float((1.0 + (size - 1) * counts.chance[column]) / size)
    below = min(float(code - counts.low[column]), width)
    above = min(float(counts.high[column] - code), width)
    near = 1 + below - below * (below + 1) / (2 * width) + above - above * (above + 1) / (2 * width)
    return float(near / size)


@hot_part
def asked_together(counts: Counts, column: int, one: int, other: int) -> float:
    """Return how likely the cell of a tuple is asked for beside that of another."""
    apart = abs(counts.code[one][column] - counts.code[other][column])
    if counts.width[column] <= 0.0:
        return 1.0 if apart == 0 else float(counts.chance[column])
    return float(max(0.0, 1.0 - apart / counts.width[column]))


@hot_part
def measure_box(counts: Counts, members: Int32s, size: int, extra: int) -> None:
    """Write the box of a class and how many cells it has in each column."""
    counts.stamp[0] += 1
    stamp = counts.stamp[0]
    for column in range(len(counts.width)):
        first = counts.code[extra if extra >= 0 else members[0]][column]
        low, high, met = first, first, 0
        for i in range(size + 1):
            code = first if i == size else counts.code[members[i]][column]
            low, high = min(low, code), max(high, code)
            if counts.width[column] <= 0.0 and counts.seen[counts.base[column] + code] != stamp:
                counts.seen[counts.base[column] + code] = stamp
                met += 1
        counts.low[column], counts.high[column] = low, high
        counts.cells[column] = high - low + 1 if counts.width[column] > 0.0 else met


@hot_part
def miscounted(needs: Needs, counts: Counts, members: Int32s, size: int, extra: int) -> float:
    """Return the weight of the rows of a class that counts miss: the root of the mean square of the error.

    ``extra`` is a further tuple of the class, -1 for none.
    """
    total = size + (1 if extra >= 0 else 0)
    columns = len(counts.width)
    if counts.weight == 0.0 or total < 2 or columns < 2:
        return 0.0
    measure_box(counts, members, size, extra)
    rows, first, second = 0.0, 0.0, 0.0
    for i in range(total):
        rows += needs.rows[members[i] if i < size else extra]
    # Over all pairs of columns, products add up to half of the squared sum less the sum of squares.
    for column in range(columns):
        part = counts.scale[column] * asked_in_box(counts, column)
        first += part
        second += part * part
    error = rows * rows * (first * first - second)
    for i in range(total):
        one = members[i] if i < size else extra
        first, second = 0.0, 0.0
        for column in range(columns):
            part = counts.scale[column] * asked_beside(counts, column, counts.code[one][column])
            first += part
            second += part * part
        error -= 2 * rows * needs.rows[one] * (first * first - second)
        for j in range(i + 1):
            other = one if j == i else members[j]
            first, second = 0.0, 0.0
            for column in range(columns):
                part = counts.scale[column] * asked_together(counts, column, one, other)
                first += part
                second += part * part
            times = 1 if j == i else 2
            error += times * needs.rows[one] * needs.rows[other] * (first * first - second)
    if error <= LEAST_ERROR * rows * rows:
        return 0.0
    return float(counts.weight * np.sqrt(error / (columns * (columns - 1))))
