"""A single column of text of which something is known: an order, or groups within groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hartley.errors import OptionError, option
from hartley.model import Alphabet, Partition
from hartley.model.alphabet import Label
from hartley.model.arrays import Floats, Int64s
from hartley.model.shapes.band import ALL, Bands
from hartley.model.shapes.codebook import ColumnCodebook, Group
from hartley.search.codebooks.column import order_ranks
from hartley.search.sizes.categories import CategoryArrangement, Taxonomy
from hartley.workflow.request.column_choices import ColumnChoices


@dataclass(frozen=True, eq=False, kw_only=True)
class ArrangedColumn(CategoryArrangement):
    """What is known of the values of a column of text, with the words for it."""

    column: str
    cells: tuple[Label, ...]
    order: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    """The name of each group of the taxonomy, after the values."""

    @classmethod
    def of(cls, choices: ColumnChoices, public: Alphabet) -> ArrangedColumn | None:
        """Take what is said about the only public column; nothing where nothing is said."""
        choices.require_among(public.columns)
        coordinate = public.coordinates[0]
        name = coordinate.name
        told = [one for one in ("order", "hierarchy") if name in getattr(choices, one)]
        if not told:
            return None
        if len(public.columns) > 1:
            raise OptionError(f"{option(told[0])} of several columns is of {option('shape', 'columns')}")
        settings = choices.settings(coordinate, keep=False)
        cells = tuple(coordinate.cell(place) for place in range(public.size))
        words = ["" if cell is None else str(cell) for cell in cells]
        order = tuple(settings.order or ())
        ranks = None if settings.order is None else order_ranks(name, cells, order)
        if settings.hierarchy is None:
            return cls(column=name, cells=cells, positions=ranks, order=order)
        tree, groups = _taxonomy(name, cells, words, settings.hierarchy, ranks)
        has_order = ranks is not None
        return cls(
            column=name, cells=cells, tree=tree, has_ordered_siblings=has_order, order=order, groups=groups
        )

    def codebook(self, partition: Partition, withheld: Int64s) -> ColumnCodebook:
        """Return what is published for each value: bands of an order, groups of the taxonomy, or sets."""
        has_missing = any(cell is None for cell in self.cells)
        labels = partition.labels
        if self.positions is not None:
            borders = _borders(self.positions, partition, withheld)
            bands = Bands("ordered", borders, names=self.order)
            return ColumnCodebook(
                column=self.column, kind="ordered", form="bands", bands=bands, has_missing=has_missing
            )
        clusters = [np.flatnonzero(labels == number) for number in range(partition.size)]
        groups = []
        for members in clusters:
            values = tuple(self.cells[place] for place in members if self.cells[place] is not None)
            if values:
                groups.append(Group(self._name(members.tolist()), values))
        return ColumnCodebook(
            column=self.column, kind="tree", form="groups", groups=tuple(groups), has_missing=has_missing
        )

    def _name(self, members: Sequence[int]) -> Label:
        """Return what a cluster is called: its value, its group, a run of siblings, or the set of values."""
        inside = set(members)
        if len(members) == 1:
            return self.cells[members[0]]
        tree = self.tree
        if tree is None:
            return "{" + ", ".join(sorted(str(self.cells[place]) for place in members)) + "}"
        below = _leaves(tree)
        fitting = [node for node in range(len(self.cells), len(below)) if below[node] == inside]
        if fitting:
            return ALL if fitting[0] == tree.root else self.groups[fitting[0] - len(self.cells)]
        parts = [
            node
            for parent in tree.children
            for node in parent
            if below[node] <= inside and not any(below[other] <= inside for other in _above(tree, node))
        ]
        names = [
            str(self.cells[node]) if node < len(self.cells) else self.groups[node - len(self.cells)]
            for node in parts
        ]
        return f"{names[0]} to {names[-1]}"


def _borders(ranks: Floats, partition: Partition, withheld: Int64s) -> tuple[float, ...]:
    placed = np.setdiff1d(np.flatnonzero(~np.isnan(ranks)), withheld)
    order = placed[np.argsort(ranks[placed], kind="stable")]
    changes = np.flatnonzero(np.diff(partition.labels[order])) + 1
    return tuple(float(ranks[order[place]]) for place in changes)


def _taxonomy(
    column: str,
    cells: Sequence[Label],
    words: Sequence[str],
    rows: Sequence[Sequence[str]],
    ranks: Floats | None,
) -> tuple[Taxonomy, tuple[str, ...]]:
    """Return the tree over public values; a missing cell stands beside all groups."""
    from hartley.search.codebooks.tree import value_tree

    present = [word for word, cell in zip(words, cells, strict=True) if cell is not None]
    paths = value_tree(column, present, rows).groups
    size = len(cells)
    numbers: dict[tuple[str, ...], int] = {}
    parents = [-1] * size
    above: dict[int, tuple[str, ...]] = {}
    by_rank = sorted(
        range(size),
        key=lambda place: (0 if ranks is None else np.nan_to_num(ranks[place], nan=np.inf), place),
    )
    for place in by_rank:
        path = () if cells[place] is None else tuple(reversed(paths[words[place]]))
        for depth in range(1, len(path) + 1):
            number = numbers.setdefault(path[:depth], size + len(numbers))
            above[number] = path[: depth - 1]
        parents[place] = numbers[path] if path else -2
    root = size + len(numbers)
    parents += [numbers[above[number]] if above[number] else root for number in numbers.values()]
    parents = [root if parent == -2 else parent for parent in parents] + [-1]
    names = tuple(path[-1] for path in numbers)
    return Taxonomy.of_parents(parents, size), (*names, ALL)


def _leaves(tree: Taxonomy) -> list[set[int]]:
    below: list[set[int]] = [set() for _ in tree.children]
    for node in reversed(tree.walk):
        below[node] = (
            {node} if not tree.children[node] else set().union(*(below[c] for c in tree.children[node]))
        )
    return below


def _above(tree: Taxonomy, node: int) -> list[int]:
    return [parent for parent, children in enumerate(tree.children) if node in children]
