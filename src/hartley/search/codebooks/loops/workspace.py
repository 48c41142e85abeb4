"""The arrays that the compiled loops of this search work on.

An element is a sensitive code that occurs with a public tuple; elements stand in the order of their codes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.model.arrays import Flags, Floats, Int32s, Int64s

NEXT, COUNTED, ROWS = 0, 1, 2
"""What is remembered of a cell: from which code on the next counts, how many have counted, its rows."""


OPEN, LATER, CLOSED = 0, 1, 2
"""What is known of a candidate split: to be tried, allowed but of no use now, refused for good or done."""
CUTS_NOTHING, BLOCKED = -1, -2
"""Why a split meets no band: it is made already, or the missing cells have to be set apart first."""
CELLS, WITHHELD, ACCEPTED, VISITS, CHANGED = 0, 1, 2, 3, 4
"""The numbers of a state: cells, rows withheld, splits accepted, elements visited, whether one is new."""

START, STOP, HELD, GONE, SIZE, LOW, HIGH = 0, 1, 2, 3, 4, 5, 6
"""What is known of a band: where its elements begin and end in the column's order, its rows, how many of them
are withheld, how many values it has, and the first and last of these, the missing one aside."""
COLUMN, FIRST, END = 0, 1, 2
"""What is known of a candidate split."""

TINY = 1e-9
"""Losses of all rows together that differ by less are the same."""


class Elements(NamedTuple):
    """The elements, in the order of their codes."""

    code: Int32s
    rows: Int64s
    """The rows of the element's tuple at the tuple's first element, 0 at its others."""
    value: npt.NDArray[np.int32]
    """``value[j, e]``: the value of column j that the element's tuple holds."""
    next_code: Int64s
    begin: Int64s
    """For each code, how many must have counted before its count begins."""
    end: Int64s
    """For each code, how many have counted when its count is met."""
    total: int
    """How many have counted when every count is met."""
    row_k: int


class Scratch(NamedTuple):
    """Memory that passes share, always left as it was found."""

    slot: Int64s
    key: Int64s
    mark: Int64s
    """One number: entries of ``slot`` up to it are old."""
    memory: Int64s
    """One line of NEXT, COUNTED, ROWS for each cell."""


class Layout(NamedTuple):
    """The columns; the values of all columns follow each other."""

    base: Int64s
    """Where the values of each column begin, and where the last ends."""
    rows: Int64s
    """How many rows hold each value."""
    position: Floats
    """Where each value lies on its line; 0 where there is none."""
    is_line: Flags
    missing: Int64s
    """The place of the missing value among all values, -1 for a column without one."""
    extent: Floats
    """What the widths of a column are measured by; 1 for a column of one value."""
    weight: Floats
    split: Int64s
    """For each candidate split its COLUMN and the FIRST and END of the values, counted over all columns, that
    it sets apart."""


class State(NamedTuple):
    """Codebooks and what follows from them."""

    label: Int32s
    """The band of each value of each column."""
    bands: Int64s
    """How many bands each column has."""
    cell: Int32s
    """The cell of each element."""
    poor: Flags
    """Which cells are not enough."""
    cost: Floats
    """What a row of each cell loses if it is published."""
    tag: Int32s
    """``tag[c, j]``: the band of column j in which cell c lies."""
    order: Int32s
    """``order[j]``: the elements by the bands of column j, within a band by their codes."""
    band: Int64s
    """What is known of each band: a line of START, STOP, HELD, GONE, SIZE, LOW, HIGH. The bands of a column
    are numbered from its base on."""
    numbers: Int64s
    loss: Floats
    """One number: what all rows lose together."""


class Trial(NamedTuple):
    """Memory for testing splits; its lines are always left empty."""

    memory: Int64s
    """Two lines for each cell: what is left of it, and what is set apart."""
    touched: Int64s
    lost: Int64s
    """The rows withheld on either side of the split that is tested."""
    target: Int32s
    buffer: Int32s
    status: npt.NDArray[np.int8]
    fall: Floats
    band: Int64s


class Terms(NamedTuple):
    """What a state must keep to."""

    budget: int
    """How many rows may be withheld."""
    share: float
    """The largest share of a band's rows that may be withheld."""
    rows: int
    """How many rows there are."""
    by_width: bool
    """Whether the widest bands are split first, even where that loses."""
