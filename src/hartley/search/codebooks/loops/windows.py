"""Compiled loops for the best bands of one column on a line, given the codebooks of the others.

With the other columns fixed the loss is a sum over the bands of this one, so the best bands are a shortest
path over windows between borders. Windows are not monotone here: a longer one may meet a new, thin cell.
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Floats, Int32s, Int64s
from hartley.search.codebooks.loops.cells import COUNTED, ROWS, TINY, Elements, count_element, forget_cell


@hot_loop
def sort_blocks(
    block: Int64s, other: Int32s, code: Int32s, cells: int, start: Int64s, order: Int64s, pair: Int64s
) -> None:
    """Sort the elements by blocks, leaving out those of block -1, and number the pairs of cell and code.

    Elements stand in the order of their codes, so the pairs of one code are met in one go.
    """
    for element in range(len(block)):
        if block[element] >= 0:
            start[block[element] + 1] += 1
    for place in range(1, len(start)):
        start[place] += start[place - 1]
    free = start.copy()
    last_code = np.full(cells, -1, dtype=np.int64)
    number = np.zeros(cells, dtype=np.int64)
    used = 0
    for element in range(len(block)):
        if block[element] >= 0:
            order[free[block[element]]] = element
            free[block[element]] += 1
        cell = other[element]
        if last_code[cell] != code[element]:
            last_code[cell] = code[element]
            number[cell] = used
            used += 1
        pair[element] = number[cell]


@hot_loop
def growing_windows(
    start: Int64s,
    order: Int64s,
    other: Int32s,
    pair: Int64s,
    count_of: Int64s,
    wanted: Int64s,
    cost: Floats,
    elements: Elements,
    kept: Int64s,
    kept_cost: Floats,
    withheld: Int64s,
) -> None:
    """Fill in, for each window of blocks, the rows it keeps, their loss in other columns, the rows withheld.

    For counts of distinct codes only. ``order`` holds the elements by blocks, which begin at ``start``;
    ``other`` is the cell of each element in the other columns, ``cost`` what a row of that cell loses there,
    ``pair`` the number of the pair of cell and code, ``count_of`` the count of each code.
    """
    blocks, cells, counts = len(start) - 1, len(cost), len(wanted)
    seen = np.full(len(pair) + 1, -1, dtype=np.int64)
    last = np.full(cells, -1, dtype=np.int64)
    rows = np.zeros(cells, dtype=np.int64)
    met = np.zeros(cells, dtype=np.int64)
    held = np.zeros((cells, counts), dtype=np.int64)
    for first in range(blocks):
        keeps, loss, gone = 0, 0.0, 0
        for end in range(first, blocks):
            for place in range(start[end], start[end + 1]):
                element = order[place]
                cell = other[element]
                if last[cell] != first:
                    last[cell] = first
                    rows[cell] = 0
                    met[cell] = 0
                    for count in range(counts):
                        held[cell, count] = 0
                        if wanted[count] == 0:
                            met[cell] += 1
                was_enough = rows[cell] > 0 and met[cell] == counts and rows[cell] >= elements.row_k
                before = rows[cell]
                if seen[pair[element]] != first:
                    seen[pair[element]] = first
                    count = count_of[elements.code[element]]
                    if count >= 0:
                        held[cell, count] += 1
                        if held[cell, count] == wanted[count]:
                            met[cell] += 1
                rows[cell] += elements.rows[element]
                if was_enough:
                    keeps += elements.rows[element]
                    loss += elements.rows[element] * cost[cell]
                elif met[cell] == counts and rows[cell] >= elements.row_k and rows[cell] > 0:
                    keeps += rows[cell]
                    loss += rows[cell] * cost[cell]
                    gone -= before
                else:
                    gone += elements.rows[element]
            kept[first, end] = keeps
            kept_cost[first, end] = loss
            withheld[first, end] = gone


@hot_loop
def counted_windows(
    block: Int64s,
    blocks: int,
    other: Int32s,
    cost: Floats,
    elements: Elements,
    memory: Int64s,
    kept: Int64s,
    kept_cost: Floats,
    withheld: Int64s,
) -> None:
    """Fill in the same for any demand by counting every window anew; ``block`` is that of each element."""
    for first in range(blocks):
        for end in range(first, blocks):
            for element in range(len(block)):
                if first <= block[element] <= end:
                    count_element(element, other[element], elements, memory)
            keeps, loss, gone = 0, 0.0, 0
            for line in range(len(cost)):
                rows = memory[line, ROWS]
                if memory[line, COUNTED] == elements.total and rows >= elements.row_k:
                    keeps += rows
                    loss += rows * cost[line]
                else:
                    gone += rows
                forget_cell(line, memory)
            kept[first, end] = keeps
            kept_cost[first, end] = loss
            withheld[first, end] = gone


@hot_loop
def shortest_path(
    loss: Floats, withheld: Int64s, price: float, nothing_withheld: bool, back: Int64s, gone: Int64s
) -> float:
    """Return the least loss of a row of windows that tile the blocks, with a price on each withheld row.

    ``back[end]`` becomes the first block of the window that ends there, ``gone`` the rows withheld so far.
    Windows of infinite loss are not allowed; with ``nothing_withheld`` neither are those that withhold rows.
    """
    blocks = len(loss)
    least = np.full(blocks + 1, np.inf)
    least[0] = 0.0
    for end in range(1, blocks + 1):
        for first in range(end):
            if nothing_withheld and withheld[first, end - 1] > 0:
                continue
            found = least[first] + loss[first, end - 1] + price * withheld[first, end - 1]
            if found < least[end] - TINY:
                least[end] = found
                back[end] = first
                gone[end] = gone[first] + withheld[first, end - 1]
    return float(least[blocks])
