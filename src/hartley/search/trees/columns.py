"""Public columns as a tree sees them: ranks of cells, and what it costs to publish several of them as one.

The cost of a set of cells is 0 for one cell and 1 for all of them: the extent it spans by that of the
column for numbers, dates and ordered categories; its number of cells for plain categories; the leaves below
the lowest node that holds it for hierarchies and prefixes. A missing cell is one more category: on a line
it stands as far below the least place as the line is long, so that a class which mixes it with places costs
most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hartley.errors import InputError
from hartley.model.arrays import Floats, Int64s, Ints, different
from hartley.search.trees.loops.layout import NESTED, ORDERED, PLAIN


@dataclass(frozen=True, eq=False)
class TreeColumn:
    """One public column: the rank of each tuple's cell, and the cost of sets of cells."""

    ranks: Int64s
    """The rank of the cell of each tuple."""
    cells: int
    kind: int = PLAIN
    places: Floats | None = None
    """The place of each cell, ascending, for an ordered column."""
    scale: float = 1.0
    parents: Int64s | None = None
    """For each node of a hierarchy the one above; cells come first, by rank; the root is its own."""
    weight: float = 1.0
    is_kept: bool = False
    """Whether it is published as it is: its values are roots."""

    @classmethod
    def ordered(cls, places: Floats, weight: float = 1.0) -> TreeColumn:
        """Return a column of places on a line; NaN is a missing cell.

        >>> TreeColumn.ordered(np.array([30.0, 10.0, np.nan])).places.tolist()
        [-10.0, 10.0, 30.0]
        """
        given = np.asarray(places, dtype=np.float64)
        present = given[~np.isnan(given)]
        extent = float(np.ptp(present)) if len(present) else 0.0
        extent = extent if extent > 0 else 1.0
        lowest = float(present.min()) if len(present) else 0.0
        filled = np.where(np.isnan(given), lowest - extent, given)
        found, ranks = np.unique(filled, return_inverse=True)
        return cls(ranks.astype(np.int64), len(found), ORDERED, found, weight / extent, weight=weight)

    @classmethod
    def plain(cls, codes: Ints, weight: float = 1.0) -> TreeColumn:
        """Return a column of categories without an order; equal codes are equal cells."""
        found, ranks = np.unique(codes, return_inverse=True)
        scale = weight / max(len(found) - 1, 1)
        return cls(ranks.astype(np.int64), len(found), PLAIN, None, scale, weight=weight)

    @classmethod
    def nested(cls, codes: Ints, paths: Sequence[Sequence[str]], weight: float = 1.0) -> TreeColumn:
        """Return a column whose categories are leaves of a hierarchy.

        ``paths[code]`` names the nodes from below the root down to the category, itself included.
        """
        used = different(codes)
        order = sorted(used.tolist(), key=lambda code: [str(step) for step in paths[code]])
        rank_of = {code: rank for rank, code in enumerate(order)}
        nodes: dict[tuple[str, ...], int] = {}
        parents = [0] * len(order)
        # The root comes first after the cells; other nodes as they are met.
        root = len(order)
        nodes[()] = root
        parents.append(root)
        for rank, code in enumerate(order):
            above = root
            steps = [str(step) for step in paths[code]]
            for depth in range(1, len(steps)):
                key = tuple(steps[:depth])
                if key not in nodes:
                    nodes[key] = len(parents)
                    parents.append(above)
                above = nodes[key]
            parents[rank] = above
        ranks = np.array([rank_of[code] for code in codes.tolist()], dtype=np.int64)
        return cls(ranks, len(order), NESTED, None, weight, np.array(parents, dtype=np.int64), weight)

    def __post_init__(self) -> None:
        if self.kind == NESTED and self.parents is None:
            raise InputError("a column of a hierarchy needs the parent of every node")

    def nested_nodes(self) -> tuple[Int64s, Floats]:
        """Return for every node of a hierarchy the highest rank below it, and the cost of its label."""
        if self.parents is None:
            raise InputError("only a column of a hierarchy has nodes")
        last = np.full(len(self.parents), -1, dtype=np.int64)
        leaves = np.zeros(len(self.parents), dtype=np.int64)
        for rank in range(self.cells):
            node = rank
            while True:
                last[node] = max(last[node], rank)
                leaves[node] += 1
                if self.parents[node] == node:
                    break
                node = int(self.parents[node])
        return last, (leaves - 1) / max(self.cells - 1, 1)
