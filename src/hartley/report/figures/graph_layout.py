"""Where the nodes of a graph go: each component on its own, then side by side.

Deterministic. Inside a component, distances on paper follow distances in the graph: a start
by classical scaling, then stress majorisation (Gansner, Koren and North 2004). The
components are set in rows, the largest first, as words are set in lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Floats, Int64s

ROUNDS = 120


@dataclass(frozen=True)
class Box:
    """The room a component takes on the paper."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, eq=False)
class GraphLayout:
    """Where everything stands: x to the right, y downwards."""

    places: Floats
    """One row (x, y) per node."""
    boxes: tuple[Box, ...]
    """One per component, in the order given."""
    width: float
    height: float


def laid_out(
    components: Sequence[Sequence[int]], edges: Int64s, *, spacing: float, width: float
) -> GraphLayout:
    """Lay out a graph whose components are given, joined nodes about ``spacing`` apart.

    >>> layout = laid_out([[0, 1], [2]], np.array([[0, 1]]), spacing=10, width=100)
    >>> round(float(np.hypot(*(layout.places[0] - layout.places[1]))), 6)
    10.0
    """
    size = sum(map(len, components))
    component_of = np.empty(size, dtype=np.int64)
    inside = np.empty(size, dtype=np.int64)
    for number, members in enumerate(components):
        component_of[list(members)] = number
        inside[list(members)] = np.arange(len(members))
    shapes: list[Floats] = []
    for number, members in enumerate(components):
        own = edges[component_of[edges[:, 0]] == number] if len(edges) else edges.reshape(0, 2)
        shapes.append(spacing * _component_places(len(members), inside[own]))
    corners, total_width, total_height = _set_in_rows(
        [shape.max(axis=0) + spacing for shape in shapes], width
    )
    places = np.empty((size, 2))
    boxes = []
    for members, shape, (left, top) in zip(components, shapes, corners, strict=True):
        places[list(members)] = shape + np.array([left, top]) + spacing / 2
        across, down = shape.max(axis=0) + spacing
        boxes.append(Box(left, top, left + float(across), top + float(down)))
    return GraphLayout(places, tuple(boxes), total_width, total_height)


def _component_places(size: int, edges: Int64s) -> Floats:
    """Place one component, joined nodes about 1 apart, the smallest coordinates 0."""
    if size == 1:
        return np.zeros((1, 2))
    if size == 2:
        return np.array([[0.0, 0.0], [1.0, 0.0]])
    wanted = _distances(size, edges)
    places = _relaxed(_classical_scaling(wanted), wanted)
    return _spread(_upright(places))


def _distances(size: int, edges: Int64s) -> Floats:
    """Return the fewest edges between all pairs of nodes of a connected graph."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    joined = csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(size, size))
    return np.asarray(shortest_path(joined, directed=False, unweighted=True))


def _classical_scaling(wanted: Floats) -> Floats:
    size = len(wanted)
    centre = np.eye(size) - 1 / size
    values, vectors = np.linalg.eigh(-centre @ wanted**2 @ centre / 2)
    start = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0))
    # A little of a circle tells apart nodes that all distances agree on, as in a complete graph.
    turn = 2 * np.pi * np.arange(size) / size
    return np.asarray(start + 0.05 * np.column_stack((np.cos(turn), np.sin(turn))))


def _relaxed(places: Floats, wanted: Floats) -> Floats:
    """Lower the stress, the squared misfit of each distance relative to what is wanted."""
    weights = np.zeros_like(wanted)
    apart = wanted > 0
    weights[apart] = wanted[apart] ** -2
    total = weights.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        offsets = places[:, None, :] - places[None, :, :]
        lengths = np.hypot(offsets[..., 0], offsets[..., 1])
        pull = weights * wanted / np.maximum(lengths, 1e-9)
        places = (weights @ places + (pull[..., None] * offsets).sum(axis=1)) / total
    return places


def _upright(places: Floats) -> Floats:
    """Turn it so that the longest side lies flat, and move it to the corner."""
    centred = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    # Signs are free; fix them by the first node so that a run repeats itself.
    turned = centred @ axes.T
    signs = np.where(turned[0] < 0, -1.0, 1.0)
    turned = turned * signs
    return np.asarray(turned - turned.min(axis=0))


def _spread(places: Floats) -> Floats:
    """Widen a crowded layout until near neighbours are half a spacing apart."""
    offsets = places[:, None, :] - places[None, :, :]
    lengths = np.hypot(offsets[..., 0], offsets[..., 1])
    np.fill_diagonal(lengths, np.inf)
    crowded = float(np.median(lengths.min(axis=1)))
    return places * min(max(1.0, 0.5 / max(crowded, 1e-3)), 4.0)


def _set_in_rows(sizes: Sequence[Floats], width: float) -> tuple[list[tuple[float, float]], float, float]:
    """Return the corner of each box, the rows filled with the tallest boxes first."""
    width = max([width, *(float(size[0]) for size in sizes)])
    corners = [(0.0, 0.0)] * len(sizes)
    left = top = row_height = widest = 0.0
    for number in sorted(range(len(sizes)), key=lambda n: (-float(sizes[n][1]), -float(sizes[n][0]), n)):
        across, down = map(float, sizes[number])
        if left and left + across > width:
            left, top, row_height = 0.0, top + row_height, 0.0
        corners[number] = (left, top)
        left += across
        row_height = max(row_height, down)
        widest = max(widest, left)
    return corners, widest, top + row_height
