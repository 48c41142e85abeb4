"""Arrays that the compiled loops of this search work on, and the loops that count what cells hold.

One pass over the elements tells which cells are enough: each cell remembers the code from which on the next
one counts. The counts of a demand follow each other in the space of codes, so a cell that misses one count
can never reach the number at which the next begins. An element is a sensitive code that occurs with a public
tuple; elements stand in the order of their codes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
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


@hot_part
def slot_of(key: int, direct: bool, scratch: Scratch) -> int:
    """Return where the number of a cell is kept, given its key."""
    if direct:
        return key
    size = len(scratch.slot)
    place = ((key ^ (key >> 17)) * 0x9E3779B1) & (size - 1)
    mark = scratch.mark[0]
    while scratch.slot[place] > mark and scratch.key[place] != key:
        place = (place + 1) & (size - 1)
    scratch.key[place] = key
    return place


@hot_part
def count_element(element: int, line: int, elements: Elements, memory: Int64s) -> None:
    """Add an element to what is remembered of its cell."""
    code = elements.code[element]
    if code >= memory[line, NEXT]:
        counted = memory[line, COUNTED]
        if elements.begin[code] <= counted < elements.end[code]:
            memory[line, COUNTED] = counted + 1
            memory[line, NEXT] = elements.next_code[code]
    memory[line, ROWS] += elements.rows[element]


@hot_part
def forget_cell(line: int, memory: Int64s) -> None:
    """Let nothing be remembered of a cell."""
    memory[line, NEXT] = 0
    memory[line, COUNTED] = 0
    memory[line, ROWS] = 0


@hot_part
def forget_band(at: int, state: State) -> None:
    """Let a band hold nothing."""
    state.band[at, SIZE] = 0
    state.band[at, HELD] = 0
    state.band[at, LOW] = -1
    state.band[at, HIGH] = -1


@hot_part
def add_value(value: int, missing: int, at: int, layout: Layout, state: State) -> None:
    """Add a value to what a band holds; values come in their order."""
    state.band[at, SIZE] += 1
    state.band[at, HELD] += layout.rows[value]
    if value != missing:
        if state.band[at, LOW] < 0:
            state.band[at, LOW] = value
        state.band[at, HIGH] = value


@hot_loop
def withheld_rows(
    cell: Int32s, cells: int, column: int, label: Int32s, bands: int, elements: Elements, scratch: Scratch
) -> int:
    """Return the rows in cells that are not enough once the cells are also split by a codebook."""
    mark = scratch.mark[0]
    memory = scratch.memory
    direct = cells * bands <= len(scratch.slot)
    used = 0
    value = elements.value[column]
    for element in range(len(cell)):
        place = slot_of(int(cell[element]) * bands + int(label[value[element]]), direct, scratch)
        line = scratch.slot[place] - mark - 1
        if line < 0:
            line = used
            used += 1
            scratch.slot[place] = mark + used
            forget_cell(line, memory)
        count_element(element, line, elements, memory)
    scratch.mark[0] = mark + used
    withheld = 0
    for line in range(used):
        if memory[line, COUNTED] < elements.total or memory[line, ROWS] < elements.row_k:
            withheld += memory[line, ROWS]
    return withheld


@hot_loop
def split_cells(
    cell: Int32s, cells: int, value: Int32s, label: Int32s, bands: int, scratch: Scratch, out: Int32s
) -> int:
    """Split cells by a codebook into ``out``, numbered as they are met; return how many there are."""
    mark = scratch.mark[0]
    direct = cells * bands <= len(scratch.slot)
    used = 0
    for element in range(len(cell)):
        place = slot_of(int(cell[element]) * bands + int(label[value[element]]), direct, scratch)
        line = scratch.slot[place] - mark - 1
        if line < 0:
            line = used
            used += 1
            scratch.slot[place] = mark + used
        out[element] = line
    scratch.mark[0] = mark + used
    return used


@hot_loop
def poor_cells(cell: Int32s, cells: int, elements: Elements, memory: Int64s, poor: Flags) -> int:
    """Mark the cells that are not enough; return their rows."""
    for line in range(cells):
        forget_cell(line, memory)
    for element in range(len(cell)):
        count_element(element, cell[element], elements, memory)
    withheld = 0
    for line in range(cells):
        poor[line] = memory[line, COUNTED] < elements.total or memory[line, ROWS] < elements.row_k
        if poor[line]:
            withheld += memory[line, ROWS]
    return withheld


@hot_loop
def fill_bands(layout: Layout, state: State) -> None:
    """Fill in what the bands hold, given the labels of the values."""
    for column in range(len(layout.weight)):
        base = layout.base[column]
        for at in range(base, base + state.bands[column]):
            forget_band(at, state)
        for value in range(base, layout.base[column + 1]):
            add_value(value, layout.missing[column], base + state.label[value], layout, state)


@hot_loop
def fill_cells(memory: Int64s, width: Floats, elements: Elements, layout: Layout, state: State) -> None:
    """Fill in what the cells lose and which rows of each band are withheld, given which cells are poor.

    ``memory`` holds the rows of each cell as :func:`poor_cells` has left it, ``width`` is that of each band.
    """
    columns = len(layout.weight)
    for column in range(columns):
        base = layout.base[column]
        for at in range(base, base + state.bands[column]):
            state.band[at, GONE] = 0
    for element in range(len(state.cell)):
        cell = state.cell[element]
        for column in range(columns):
            base = layout.base[column]
            band = state.label[base + elements.value[column, element]]
            state.tag[cell, column] = band
            if state.poor[cell]:
                state.band[base + band, GONE] += elements.rows[element]
    loss = 0.0
    for cell in range(state.numbers[CELLS]):
        cost = 0.0
        for column in range(columns):
            cost += layout.weight[column] * width[layout.base[column] + state.tag[cell, column]]
        state.cost[cell] = cost
        loss += memory[cell, ROWS] * (1.0 if state.poor[cell] else cost)
    state.loss[0] = loss


@hot_loop
def fill_order(elements: Elements, layout: Layout, state: State) -> None:
    """Sort the elements by the bands of each column, within a band by their codes."""
    for column in range(len(layout.weight)):
        base = layout.base[column]
        for at in range(base, base + state.bands[column]):
            state.band[at, START] = 0
        for element in range(len(state.cell)):
            state.band[base + state.label[base + elements.value[column, element]], START] += 1
        place = 0
        for at in range(base, base + state.bands[column]):
            held = state.band[at, START]
            state.band[at, START] = place
            state.band[at, STOP] = place
            place += held
        for element in range(len(state.cell)):
            at = base + state.label[base + elements.value[column, element]]
            state.order[column, state.band[at, STOP]] = element
            state.band[at, STOP] += 1


@hot_loop
def settle(
    elements: Elements, layout: Layout, state: State, trial: Trial, terms: Terms
) -> tuple[float, int, int]:
    """Return the loss of all rows, the rows withheld, and the cell that is withheld so that these are enough.

    The cell is -1 where none is needed; the loss is infinite where the budget or the share does not allow it.
    A published cell is enough by itself, so one whole cell makes the withheld rows enough, and a second one
    only costs: the cell of least extra loss is taken (Theorem B2).
    """
    withheld = state.numbers[WITHHELD]
    if withheld == 0:
        return state.loss[0], 0, -1
    if withheld > terms.budget:
        return float("inf"), withheld, -1
    for column in range(len(layout.weight)):
        base = layout.base[column]
        for band in range(base, base + state.bands[column]):
            if state.band[band, GONE] > terms.share * state.band[band, HELD] + TINY:
                return float("inf"), withheld, -1
    memory = trial.memory
    cells = state.numbers[CELLS]
    line = len(memory) - 1
    for element in range(len(state.cell)):
        cell = state.cell[element]
        if state.poor[cell]:
            count_element(element, line, elements, memory)
        else:
            memory[cell, ROWS] += elements.rows[element]
    is_enough = memory[line, COUNTED] == elements.total and withheld >= elements.row_k
    forget_cell(line, memory)
    best, least, least_rows = -1, 0.0, 0
    for cell in range(cells):
        rows = memory[cell, ROWS]
        memory[cell, ROWS] = 0
        if is_enough or rows == 0 or withheld + rows > terms.budget:
            continue
        extra = rows * (1.0 - state.cost[cell])
        if best >= 0 and (extra > least - TINY and (extra > least + TINY or rows >= least_rows)):
            continue
        is_allowed = True
        for column in range(len(layout.weight)):
            band = layout.base[column] + state.tag[cell, column]
            if state.band[band, GONE] + rows > terms.share * state.band[band, HELD] + TINY:
                is_allowed = False
        if is_allowed:
            best, least, least_rows = cell, extra, rows
    if is_enough:
        return state.loss[0], withheld, -1
    if best < 0:
        return float("inf"), withheld, -1
    return state.loss[0] + least, withheld + least_rows, best
