"""Algorithm 2 under resolution: join the two components with the smallest clusters.

One heap of components, ordered by smallest cluster, then most values, then earliest value; each step
pops two. Inside a component the clusters form a pairing heap ordered by size, then place.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.compilation import hot_loop

Ints = npt.NDArray[np.integer]


@hot_loop
def meld(one: int, other: int, size: Ints, child: Ints, sibling: Ints) -> int:
    """Join two pairing heaps and give the root; -1 is the empty heap."""
    if one < 0:
        return other
    if other < 0:
        return one
    if size[other] < size[one] or (size[other] == size[one] and other < one):
        one, other = other, one
    sibling[other] = child[one]
    child[one] = other
    return one


@hot_loop
def without_root(root: int, size: Ints, child: Ints, sibling: Ints) -> int:
    """Take the root off a pairing heap and give the new root."""
    node = child[root]
    child[root] = -1
    pairs = -1
    while node >= 0:
        partner = sibling[node]
        following = -1
        if partner >= 0:
            following = sibling[partner]
            sibling[partner] = -1
        sibling[node] = -1
        joined = meld(node, partner, size, child, sibling)
        sibling[joined] = pairs
        pairs = joined
        node = following
    result = -1
    while pairs >= 0:
        following = sibling[pairs]
        sibling[pairs] = -1
        result = meld(result, pairs, size, child, sibling)
        pairs = following
    return result


@hot_loop
def sift_down(heap: int, keys: Ints, numbers: Ints, key: int, number: int) -> None:
    """Put an entry in at the top of a binary heap of this many and let it sink to its place."""
    hole = 0
    while True:
        below = 2 * hole + 1
        if below >= heap:
            break
        if below + 1 < heap and (
            keys[below + 1] < keys[below]
            or (keys[below + 1] == keys[below] and numbers[below + 1] < numbers[below])
        ):
            below += 1
        if keys[below] < key or (keys[below] == key and numbers[below] < number):
            keys[hole] = keys[below]
            numbers[hole] = numbers[below]
            hole = below
        else:
            break
    keys[hole] = key
    numbers[hole] = number


@hot_loop
def joining_by_size(component: Ints, values: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Give the merges (kept, joined).

    ``component`` numbers the component of each place by its earliest value, ``values`` counts the
    values of each component, and ``order`` lists components from the largest down, ties by number.
    """
    n = len(component)
    heap = len(values)
    size = np.ones(n, np.int64)
    child = np.full(n, -1, np.int32)
    sibling = np.full(n, -1, np.int32)
    root = np.full(heap, -1, np.int32)
    for place in range(n - 1, -1, -1):
        root[component[place]] = meld(root[component[place]], place, size, child, sibling)
    values = values.copy()
    # A key orders by smallest cluster, then by most values; at first all clusters are single.
    keys = np.empty(heap, np.int64)
    numbers = np.empty(heap, np.int32)
    for i in range(heap):
        keys[i] = (1 << 32) + n - values[order[i]]
        numbers[i] = order[i]
    kept = np.empty(heap - 1, np.int32)
    joined = np.empty(heap - 1, np.int32)
    merges = 0
    while heap > 1:
        one = numbers[0]
        heap -= 1
        sift_down(heap, keys, numbers, keys[heap], numbers[heap])
        two = numbers[0]
        x, y = root[one], root[two]
        rest = meld(
            without_root(x, size, child, sibling), without_root(y, size, child, sibling), size, child, sibling
        )
        keep, join = min(x, y), max(x, y)
        size[keep] += size[join]
        stays = min(one, two)
        values[stays] = values[one] + values[two]
        root[stays] = meld(rest, keep, size, child, sibling)
        kept[merges] = keep
        joined[merges] = join
        merges += 1
        sift_down(heap, keys, numbers, (size[root[stays]] << 32) + n - values[stays], stays)
    return kept, joined
