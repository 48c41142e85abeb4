"""Make the tree of a release again from its cuts, and check that every failure left enough possible.

With the original every cut is tried again. With the released rows and the public values alone, the
multisets of nodes are those of their classes together; whether a cut really failed cannot be seen then, and
need not be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import msgspec
import numpy as np

from hartley.releases.policy import Policy
from hartley.verifier.checks import Checks
from hartley.verifier.row_checks import Multisets
from hartley.verifier.tables.row_numbers import Ints
from hartley.verifier.trees.cut_walk import CutWalk, TreeError
from hartley.verifier.trees.lack import are_enough, is_safe
from hartley.verifier.trees.level_walk import LevelWalk

MORE = 2
"""Places besides the usual ones that may stand for the last of these."""
CELLS_COUNT = 0.3
"""How much room in cells counts beside room in sides."""


@dataclass(frozen=True)
class Binding:
    """What cuts that failed ask of the classes below (the second theorem)."""

    is_by_cells: bool
    usual: tuple[Any, ...]
    """The commonest places of the node of the first failure, fewer by one than are wanted."""
    more: tuple[Any, ...]
    sides: tuple[frozenset[int], ...] = ()
    """The public values in the smaller side of each failed cut."""


def check_tree(checks: Checks, policy: Policy, found: Multisets) -> None:
    """Check the tree of a policy, or its path of levels, against the original."""
    if policy.tree is msgspec.UNSET and policy.levels is msgspec.UNSET:
        checks.add("tree", False, "the release is said to be made by a tree, and the policy has none")
        return
    try:
        if policy.levels is not msgspec.UNSET:
            LevelWalk(policy, policy.levels, found).walk()
        if policy.tree is not msgspec.UNSET:
            TreeWalk(policy, found).walk()
    except TreeError as fault:
        checks.add("tree", False, str(fault))
        return
    checks.add("tree", True, "")


class TreeWalk(CutWalk):
    """Walks a tree from its roots to its classes."""

    def __init__(self, policy: Policy, found: Multisets, *, is_of_public_values: bool = False) -> None:
        """``is_of_public_values``: rows have the values of their class in any order."""
        super().__init__(policy, found)
        self.is_of_public_values = is_of_public_values
        assert policy.tree is not msgspec.UNSET  # noqa: S101 (the caller has looked)
        self.tree = policy.tree
        able = [at for at, view in enumerate(self.views) if view.is_plain and view.wanted > 1]
        self.witness = able[0] if able else None

    def walk(self) -> None:
        """Go through all nodes; raise where something does not hold."""
        tree, reached = self.tree, 0
        todo: list[tuple[int, Ints, Binding | None]] = [
            (number, values, None) for number, values in enumerate(self._roots())
        ]
        if len(todo) != tree.roots:
            raise TreeError("there are other kept values than the tree has roots")
        while todo:
            number, values, binding = todo.pop()
            reached += 1
            if not 0 <= number < len(tree.nodes) or reached > len(tree.nodes):
                raise TreeError("a node of the tree is missing, or is reached twice")
            binding = self._after_failures(number, values, binding)
            node = tree.nodes[number]
            if node.cut is None:
                self._check_class(number, values, binding)
                continue
            parts = self.parts(node.cut, values)
            if len(parts) != len(node.children) or min(map(len, parts)) == 0:
                raise TreeError("a cut of the tree has other parts than the tree says")
            todo += [(child, part, binding) for child, part in zip(node.children, parts, strict=True)]
        if reached != len(tree.nodes):
            raise TreeError("the tree has nodes that no cut leads to")

    def _roots(self) -> list[Ints]:
        if not self.tree.kept:
            return [np.arange(len(self.found.public.cluster))]
        groups = self.by_kept(self.tree.kept)
        by_cluster = self._root_numbers()
        roots: list[Ints] = [np.zeros(0, dtype=np.int64)] * len(groups)
        for members in groups:
            number = by_cluster.get(int(self.found.public.cluster[members[0]]))
            if number is None or number >= len(roots) or len(roots[number]):
                raise TreeError("a kept value has no root in the tree")
            roots[number] = np.array(members)
        return roots

    def _root_numbers(self) -> dict[int, int]:
        """Return the root above the class of each cluster."""
        found: dict[int, int] = {}
        for root in range(self.tree.roots):
            todo = [root]
            while todo:
                node = self.tree.nodes[todo.pop()]
                todo += [child for child in node.children if 0 <= child < len(self.tree.nodes)]
                if node.cluster is not None:
                    found[node.cluster] = root
        return found

    def _after_failures(self, number: int, values: Ints, binding: Binding | None) -> Binding | None:
        """Check the cuts that failed at a node; return what binds it then."""
        node = self.tree.nodes[number]
        is_by_sides = binding is not None and not binding.is_by_cells
        if is_by_sides and binding and all(side.isdisjoint(values.tolist()) for side in binding.sides):
            binding = None
        if not node.failed:
            return binding
        if self.tree.trials == "strict":
            raise TreeError("a cut failed, and only cuts that cannot fail were to be tried")
        multiset = self.multiset(values)
        for place, cut in enumerate(node.failed):
            parts = self.parts(cut, values)
            sizes = [int(self.rows_of[part].sum()) for part in parts]
            if min(sizes, default=0) < self.least or not all(map(self.is_heavy, parts)):
                raise TreeError("a cut was tried whose parts are too small to hold what is required")
            if binding is None and not is_safe(self.views, self.rules, multiset, sizes, self.tree.knows):
                raise TreeError("a cut was tried whose failure leaves somebody too few possible values")
            is_seen = not self.is_of_public_values or self._are_of_classes(parts)
            if is_seen and all(
                self.holds(m) and self._has_room(m, part, binding)
                for part in parts
                for m in [self.multiset(part)]
            ):
                raise TreeError("a cut is said to have failed, and its parts hold")
            goes_on = place + 1 < len(node.failed) or node.cut is not None
            if len(parts) > 2:
                if goes_on:
                    raise TreeError("another cut was tried after one in many parts had failed")
                return binding
            side = frozenset(parts[0 if 2 * sizes[0] <= sum(sizes) else 1].tolist())
            if binding is None:
                if not goes_on:
                    return None
                binding = self._bound(multiset, min(sizes), sum(sizes))
            binding = replace(binding, sides=(*binding.sides, side))
        return binding

    def _are_of_classes(self, parts: list[Ints]) -> bool:
        """Tell whether no class is divided between parts."""
        clusters = [set(self.found.public.cluster[part].tolist()) for part in parts]
        return sum(map(len, clusters)) == len(set().union(*clusters))

    def _bound(self, multiset: Mapping[int, int], side: int, rows: int) -> Binding:
        """Return what the first failed cut at a node asks of the classes below."""
        if self.witness is None or self.tree.knows:
            raise TreeError("another cut was tried after one had failed, and nothing allows that")
        view = self.views[self.witness]
        totals = view.totals(multiset)
        commonest = sorted(totals, key=lambda place: (-totals[place], self._ranks[place]))
        usual, more = commonest[: view.wanted - 1], commonest[view.wanted - 1 :][:MORE]
        by_sides = Binding(False, tuple(usual), tuple(more))
        in_sides = self._room_in_sides(multiset, by_sides) / (side + 1)
        unusual = sum(count for place, count in totals.items() if place not in usual)
        in_cells = min(side, rows - side) / (unusual + 1)
        return replace(by_sides, is_by_cells=in_sides < in_cells * CELLS_COUNT)

    @cached_property
    def _ranks(self) -> dict[Any, int]:
        """The places of the witness by the order of sensitive values: by their cells, missing ones last."""
        assert self.witness is not None  # noqa: S101 (asked only where there is one)
        ranks: dict[Any, int] = {}
        secrets = self.found.secrets
        for at in sorted(range(len(secrets)), key=lambda at: [_cell_order(cell) for cell in secrets[at]]):
            ranks.setdefault(self.views[self.witness].places[at], len(ranks))
        return ranks

    def _room_in_sides(self, multiset: Mapping[int, int], binding: Binding) -> int:
        """Return how many rows can be given usual values, in every version of the usual set."""
        assert self.witness is not None  # noqa: S101 (asked only where there is one)
        view = self.views[self.witness]
        totals = view.totals(multiset)
        allowed = {*binding.usual, *binding.more}
        among = [secret for secret in multiset if view.places[secret] in allowed]
        if not are_enough(self.views, self.rules, among):
            return 0
        last = binding.usual[-1]
        rows = sum(totals.get(place, 0) for place in binding.usual) - totals.get(last, 0)
        return rows + min(totals.get(place, 0) for place in (last, *binding.more))

    def _has_room(self, multiset: Mapping[int, int], values: Ints, binding: Binding | None) -> bool:
        """Tell whether a class leaves room for the cuts that bind it to fail in other tables, too."""
        if binding is None or not binding.sides:
            return True
        assert self.witness is not None  # noqa: S101 (bound nodes have one)
        if not binding.is_by_cells:
            union = frozenset().union(*binding.sides)
            bound = sum(int(self.rows_of[value]) for value in values.tolist() if value in union)
            return not bound or bound + 1 <= self._room_in_sides(multiset, binding)
        totals = self.views[self.witness].totals(multiset)
        unusual = sum(count for place, count in totals.items() if place not in binding.usual)
        cells: Counter[tuple[bool, ...]] = Counter()
        for value in values.tolist():
            cells[tuple(value in side for side in binding.sides)] += int(self.rows_of[value])
        return all(cells[cell] > unusual for cell in product((False, True), repeat=len(binding.sides)))

    def _check_class(self, number: int, values: Ints, binding: Binding | None) -> None:
        node = self.tree.nodes[number]
        clusters = set(self.found.public.cluster[values].tolist())
        if clusters != {node.cluster}:
            raise TreeError("a class of the tree has another released value than the codebook gives it")
        multiset = self.multiset(values)
        if not self.holds(multiset) or not self.is_heavy(values):
            raise TreeError("a class of the tree does not hold what is required")
        if not self._has_room(multiset, values, binding):
            raise TreeError("a class leaves no room for the cuts that failed above it")


def _cell_order(cell: Any) -> tuple[int, Any]:
    """Return by what sensitive cells are ordered: numbers and dates, then text, then missing ones."""
    if cell is None:
        return 2, 0
    return (1, cell) if isinstance(cell, str) else (0, cell)
