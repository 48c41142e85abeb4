"""Compiled loops that add splits to codebooks, one at a time.

A split cuts one band of one column, so a test touches only the elements of that band, which stand together
and in the order of their codes. A split that withholds too much is refused for good: whatever is split later
refines what was tested, and withholds no less.
"""

from __future__ import annotations

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats
from hartley.search.codebooks.loops.cells import (
    ACCEPTED,
    BLOCKED,
    CELLS,
    CHANGED,
    CLOSED,
    COLUMN,
    COUNTED,
    CUTS_NOTHING,
    END,
    FIRST,
    GONE,
    HELD,
    HIGH,
    LATER,
    LOW,
    OPEN,
    ROWS,
    SIZE,
    START,
    STOP,
    TINY,
    VISITS,
    WITHHELD,
    Elements,
    Layout,
    State,
    Terms,
    Trial,
    add_value,
    count_element,
    forget_band,
    forget_cell,
)


@hot_part
def width_of(column: int, band: int, layout: Layout, state: State) -> float:
    """Return the relative width of a band."""
    at = layout.base[column] + band
    if not layout.is_line[column]:
        return float((state.band[at, SIZE] - 1) / layout.extent[column])
    if state.band[at, HIGH] < 0:
        return 0.0
    span = layout.position[state.band[at, HIGH]] - layout.position[state.band[at, LOW]]
    return float(span / layout.extent[column])


@hot_part
def measure_band(column: int, band: int, layout: Layout, state: State) -> None:
    """Fill in what a band holds."""
    at = layout.base[column] + band
    forget_band(at, state)
    for value in range(layout.base[column], layout.base[column + 1]):
        if state.label[value] == band:
            add_value(value, layout.missing[column], at, layout, state)


@hot_part
def band_cut(split: int, layout: Layout, state: State) -> int:
    """Return the band that a split cuts in two, CUTS_NOTHING or BLOCKED."""
    column = layout.split[split, COLUMN]
    base, missing = layout.base[column], layout.missing[column]
    first, end = layout.split[split, FIRST], layout.split[split, END]
    if first == missing:
        band = state.label[missing]
        return int(band) if state.band[base + band, SIZE] > 1 else CUTS_NOTHING
    for value in range(first, end):
        band = state.label[value]
        if missing >= 0 and state.label[missing] == band:
            return BLOCKED
        if state.band[base + band, LOW] < first or state.band[base + band, HIGH] >= end:
            return int(band)
        if layout.is_line[column]:
            break
    return CUTS_NOTHING


@hot_part
def cut_widths(split: int, band: int, layout: Layout, state: State) -> tuple[float, float, int]:
    """Return the widths of what is left of a band and of what a split sets apart, and the latter's rows."""
    column = layout.split[split, COLUMN]
    base = layout.base[column]
    first, end = layout.split[split, FIRST], layout.split[split, END]
    extent = layout.extent[column]
    size, rows = 0, 0
    for value in range(first, end):
        if state.label[value] == band:
            size += 1
            rows += layout.rows[value]
    if not layout.is_line[column]:
        return float((state.band[base + band, SIZE] - size - 1) / extent), float((size - 1) / extent), rows
    low, high = state.band[base + band, LOW], state.band[base + band, HIGH]
    if first == layout.missing[column]:
        return float((layout.position[high] - layout.position[low]) / extent), 0.0, rows
    left = layout.position[first - 1] - layout.position[low]
    right = layout.position[high] - layout.position[first]
    return float(left / extent), float(right / extent), rows


@hot_part
def weigh_split(split: int, layout: Layout, state: State, trial: Trial) -> None:
    """Fill in which band a split cuts and how far the mean width falls."""
    band = band_cut(split, layout, state)
    trial.band[split] = band
    if band < 0:
        return
    column = layout.split[split, COLUMN]
    whole = width_of(column, band, layout, state)
    left, right, rows = cut_widths(split, band, layout, state)
    rest = state.band[layout.base[column] + band, HELD] - rows
    trial.fall[split] = layout.weight[column] * (rest * (whole - left) + rows * (whole - right))


@hot_loop
def weigh_splits(layout: Layout, state: State, trial: Trial) -> None:
    """Begin anew: every split is open, and weighed."""
    for split in range(len(layout.split)):
        trial.status[split] = OPEN
        weigh_split(split, layout, state, trial)


@hot_part
def next_split(layout: Layout, state: State, trial: Trial, factor: Floats) -> int:
    """Return the open split of greatest fall, the first of equals; -1 where none is left.

    Splits that were of no use are opened again if anything has changed since.
    """
    for _ in range(2):
        best, top = -1, -1.0
        for split in range(len(layout.split)):
            if trial.status[split] != OPEN or trial.band[split] < 0:
                continue
            fall = trial.fall[split] * factor[layout.split[split, COLUMN]]
            if fall > top:
                best, top = split, fall
        if best >= 0 or state.numbers[CHANGED] == 0:
            return best
        state.numbers[CHANGED] = 0
        for split in range(len(layout.split)):
            if trial.status[split] == LATER:
                trial.status[split] = OPEN
    return best


@hot_part
def count_sides(split: int, elements: Elements, layout: Layout, state: State, trial: Trial) -> int:
    """Count both sides of every cell that a split cuts; return how many cells it touches.

    Leaves the rows that are withheld already, on either side, in the trial's losses.
    """
    column = layout.split[split, COLUMN]
    base = layout.base[column]
    at = base + trial.band[split]
    first, end = layout.split[split, FIRST] - base, layout.split[split, END] - base
    memory = trial.memory
    trial.lost[0] = 0
    trial.lost[1] = 0
    used = 0
    for place in range(state.band[at, START], state.band[at, STOP]):
        element = state.order[column, place]
        cell = state.cell[element]
        apart = 1 if first <= elements.value[column, element] < end else 0
        if state.poor[cell]:
            trial.lost[apart] += elements.rows[element]
            continue
        if memory[2 * cell, ROWS] == 0 and memory[2 * cell + 1, ROWS] == 0:
            trial.touched[used] = cell
            used += 1
        count_element(element, 2 * cell + apart, elements, memory)
    state.numbers[VISITS] += state.band[at, STOP] - state.band[at, START]
    return used


@hot_part
def is_poor(line: int, elements: Elements, trial: Trial) -> bool:
    """Tell whether one side of a cell holds something and is not enough."""
    rows = trial.memory[line, ROWS]
    return bool(rows > 0 and (trial.memory[line, COUNTED] < elements.total or rows < elements.row_k))


@hot_part
def charge(used: int, sign: int, elements: Elements, layout: Layout, state: State, trial: Trial) -> int:
    """Add the rows that a split would withhold to their bands, or take them off; return their number."""
    fresh = 0
    for place in range(used):
        cell = trial.touched[place]
        for line in range(2 * cell, 2 * cell + 2):
            if is_poor(line, elements, trial):
                rows = trial.memory[line, ROWS]
                fresh += rows
                for other in range(len(layout.weight)):
                    state.band[layout.base[other] + state.tag[cell, other], GONE] += sign * rows
    return fresh


@hot_part
def loss_change(
    used: int, gain_left: float, gain_right: float, elements: Elements, state: State, trial: Trial
) -> float:
    """Return by how much a split changes the loss of all rows; note the rows that it withholds."""
    change = 0.0
    for place in range(used):
        cell = trial.touched[place]
        for apart in range(2):
            line = 2 * cell + apart
            rows = trial.memory[line, ROWS]
            if is_poor(line, elements, trial):
                change += rows * (1.0 - state.cost[cell])
                trial.lost[apart] += rows
            else:
                change -= rows * (gain_right if apart == 1 else gain_left)
    return change


@hot_part
def is_fair(split: int, split_rows: int, layout: Layout, state: State, trial: Trial, share: float) -> bool:
    """Tell whether no band of any column would lose more than the share of its rows."""
    at = layout.base[layout.split[split, COLUMN]] + trial.band[split]
    if trial.lost[1] > share * split_rows + TINY:
        return False
    if trial.lost[0] > share * (state.band[at, HELD] - split_rows) + TINY:
        return False
    for column in range(len(layout.weight)):
        base = layout.base[column]
        for band in range(base, base + state.bands[column]):
            if band != at and state.band[band, GONE] > share * state.band[band, HELD] + TINY:
                return False
    return True


@hot_part
def forget_sides(used: int, trial: Trial) -> None:
    """Empty the lines that a test has used."""
    for place in range(used):
        cell = trial.touched[place]
        for line in range(2 * cell, 2 * cell + 2):
            forget_cell(line, trial.memory)


@hot_part
def cut_cells(
    used: int,
    column: int,
    gain_left: float,
    gain_right: float,
    elements: Elements,
    state: State,
    trial: Trial,
) -> None:
    """Assign numbers to the sides of every cell that an accepted split cuts."""
    fresh_band = state.bands[column]
    for place in range(used):
        cell = trial.touched[place]
        target = cell
        has_rest = trial.memory[2 * cell, ROWS] > 0
        if trial.memory[2 * cell + 1, ROWS] > 0:
            if has_rest:
                target = state.numbers[CELLS]
                state.numbers[CELLS] += 1
                for other in range(len(state.bands)):
                    state.tag[target, other] = state.tag[cell, other]
            state.tag[target, column] = fresh_band
            state.cost[target] = state.cost[cell] - gain_right
            state.poor[target] = is_poor(2 * cell + 1, elements, trial)
        if has_rest:
            state.cost[cell] -= gain_left
            state.poor[cell] = is_poor(2 * cell, elements, trial)
        trial.target[cell] = target


@hot_part
def cut_band(split: int, elements: Elements, layout: Layout, state: State, trial: Trial) -> None:
    """Cut a band in two: its elements, its values, and what it holds."""
    column, band = layout.split[split, COLUMN], trial.band[split]
    base, fresh_band = layout.base[column], state.bands[column]
    first, end = layout.split[split, FIRST] - base, layout.split[split, END] - base
    start, stop = state.band[base + band, START], state.band[base + band, STOP]
    kept, moved = start, 0
    for place in range(start, stop):
        element = state.order[column, place]
        if first <= elements.value[column, element] < end:
            trial.buffer[moved] = element
            moved += 1
            if trial.target[state.cell[element]] >= 0:
                state.cell[element] = trial.target[state.cell[element]]
        else:
            state.order[column, kept] = element
            kept += 1
    for place in range(moved):
        state.order[column, kept + place] = trial.buffer[place]
    state.band[base + band, STOP] = kept
    state.band[base + fresh_band, START] = kept
    state.band[base + fresh_band, STOP] = stop
    for value in range(base + first, base + end):
        if state.label[value] == band:
            state.label[value] = fresh_band
    state.bands[column] += 1
    measure_band(column, band, layout, state)
    measure_band(column, fresh_band, layout, state)
    state.band[base + band, GONE] = trial.lost[0]
    state.band[base + fresh_band, GONE] = trial.lost[1]


@hot_part
def accept_split(
    split: int, used: int, gain_left: float, gain_right: float, elements: Elements, layout: Layout,
    state: State, trial: Trial,
) -> None:  # fmt: skip
    """Add a split to the state, and weigh the splits of its column anew."""
    column, band = layout.split[split, COLUMN], trial.band[split]
    cut_cells(used, column, gain_left, gain_right, elements, state, trial)
    cut_band(split, elements, layout, state, trial)
    for place in range(used):
        trial.target[trial.touched[place]] = -1
    state.numbers[ACCEPTED] += 1
    state.numbers[CHANGED] = 1
    for other in range(len(layout.split)):
        if layout.split[other, COLUMN] == column and (
            trial.band[other] == band or trial.band[other] == BLOCKED
        ):
            weigh_split(other, layout, state, trial)


@hot_loop
def grow(
    elements: Elements, layout: Layout, state: State, trial: Trial, factor: Floats, terms: Terms, tests: int
) -> bool:
    """Add the split of greatest fall that is allowed and lowers the loss, again and again.

    At most so many splits are tested; returns whether none is left. ``factor`` says for each column how much
    its falls count. A refused split is never tried again; one that is allowed but loses more than it tells
    is tried again once something has changed.
    """
    for _ in range(tests):
        split = next_split(layout, state, trial, factor)
        if split < 0:
            return True
        column, band = layout.split[split, COLUMN], trial.band[split]
        whole = width_of(column, band, layout, state)
        left, right, split_rows = cut_widths(split, band, layout, state)
        gain_left = layout.weight[column] * (whole - left)
        gain_right = layout.weight[column] * (whole - right)
        used = count_sides(split, elements, layout, state, trial)
        change = loss_change(used, gain_left, gain_right, elements, state, trial)
        fresh = charge(used, 1, elements, layout, state, trial)
        withheld = state.numbers[WITHHELD] + fresh
        is_allowed = withheld == 0 or (
            withheld <= terms.budget and is_fair(split, split_rows, layout, state, trial, terms.share)
        )
        if is_allowed and change < -TINY:
            accept_split(split, used, gain_left, gain_right, elements, layout, state, trial)
            state.numbers[WITHHELD] = withheld
            state.loss[0] += change
            trial.status[split] = CLOSED
        else:
            charge(used, -1, elements, layout, state, trial)
            trial.status[split] = LATER if is_allowed else CLOSED
        forget_sides(used, trial)
    return False
