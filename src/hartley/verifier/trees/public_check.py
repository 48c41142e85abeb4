"""A transparent release, checked by whoever has its file, its certificate and the public values alone.

The tree stands in the certificate. Rows are given the multiset of their class in any order: nodes are unions
of classes, so their multisets are right whoever has which value. Whether a cut really failed whose parts
divide a class cannot be seen, and need not be: that its failure leaves everybody enough can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec
import numpy as np

from hartley.errors import ColumnError, OptionError, option
from hartley.releases.certificate import Promise, PublicTree
from hartley.releases.policy import MeasuredColumn, Policy, StatedRequirement
from hartley.releases.tree_document import TreeDocument
from hartley.verifier.checks import Checks
from hartley.verifier.policy_labels import ValuesFound
from hartley.verifier.row_checks import Multisets, weighed
from hartley.verifier.tables.reread import RereadTable, as_kind
from hartley.verifier.tables.row_numbers import Combined, Ints, Numbered
from hartley.verifier.tally import tally
from hartley.verifier.trees.cut_walk import TreeError
from hartley.verifier.trees.tree_walk import TreeWalk


@dataclass(frozen=True)
class _Said:
    tolerance: dict[str, str]
    groups: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Facts:
    """What a walk needs of a policy, as the certificate has it."""

    public: tuple[MeasuredColumn, ...]
    sensitive: tuple[MeasuredColumn, ...]
    requirements: tuple[StatedRequirement, ...]
    choices: _Said
    tree: TreeDocument


def check_public_tree(checks: Checks, promise: Promise, released: Any, public_values: Any) -> str:
    """Check the tree of a certificate against the released rows and the public values of everybody.

    Returns which requirements cannot be checked by them; no words where all can.
    """
    unchecked = "requirements, for groups of sensitive values are not public" if promise.grouped else ""
    if promise.tree is msgspec.UNSET:
        raise OptionError(
            f"the certificate has no tree: without {option('transparent')} and {option('publish_sensitive')}"
            f", or with {option('shape', 'columns')}, nothing of how classes were chosen can be checked "
            "without the original"
        )
    tree, facts = promise.tree, _facts(promise)
    try:
        found = _multisets(tree, facts, RereadTable(released), RereadTable(public_values))
        if not unchecked:
            TreeWalk(cast("Policy", facts), found, is_of_public_values=True).walk()
    except TreeError as fault:
        checks.add("tree", False, str(fault))
        return unchecked
    if found.weights is None and any(one.name == "weight-k" for one in facts.requirements):
        checks.left_out.append("sums of weights, for the public values have no column of them")
    if unchecked:
        checks.add("classes of the tree", True, "")
        checks.left_out.append(unchecked)
    else:
        checks.add("tree", True, "")
    return unchecked


def _facts(promise: Promise) -> _Facts:
    assert promise.tree is not msgspec.UNSET  # noqa: S101 (the caller has looked)
    asked = next((one.requirements for one in promise.readers if one.requirements), ())
    tree = promise.tree
    return _Facts(tree.public, tree.sensitive, asked, _Said(promise.tolerance), tree.document)


def _multisets(tree: PublicTree, facts: _Facts, out: RereadTable, public: RereadTable) -> Multisets:
    """Deal every public value rows of the multiset of its class; raise where rows and classes do not fit."""
    names = [one.name for one in facts.public]
    secret_names = [one.name for one in facts.sensitive]
    for table, wanted, what in ((public, names, "public values"), (out, [*names, *secret_names], "release")):
        missing = [name for name in wanted if name not in table.columns]
        if missing:
            raise ColumnError(f"the {what} have no column {missing[0]!r}; give the table that has it")
    weight = next((one.column for one in facts.requirements if one.name == "weight-k"), None)
    is_weighed = weight is not None and weight in public.columns
    rows = tally(public, [*names, *([weight] if is_weighed and weight not in names else [])])  # type: ignore[list-item]
    meant = [rows.meaning(one.name, one.kind) for one in facts.public]
    own = Combined.of(meant, len(rows))
    example = own.examples()
    cells = tuple(Numbered(one.codes[example], one.keys) for one in meant)
    totals = np.bincount(own.dense().codes, weights=rows.counts).astype(np.int64)
    values = ValuesFound(cells, np.full(len(example), -1, dtype=np.int64))
    cluster = TreeLeaves(facts, tree, values).clusters()
    held, secrets = _released_multisets(tree, facts, out, names)
    pairs: list[tuple[int, int, int]] = []
    for number in sorted({*held, *cluster.tolist()}):
        members = np.flatnonzero(cluster == number)
        left = sorted(held.get(number, Counter()).items())
        if sum(count for _, count in left) != int(totals[members].sum()):
            raise TreeError("a class has other numbers of rows in the release and in the public values")
        for value in members.tolist():
            room = int(totals[value])
            while room:
                secret, count = left.pop()
                taken = min(count, room)
                pairs.append((value, secret, taken))
                room -= taken
                if count > taken:
                    left.append((secret, count - taken))
    of_value, of_secret, counts = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    weights = None
    if is_weighed:
        weights = np.bincount(own.dense().codes, weights=weighed(rows, str(weight))).astype(np.float64)
    return Multisets(ValuesFound(cells, cluster), secrets, of_value, of_secret, counts, weights)


def _released_multisets(
    tree: PublicTree, facts: _Facts, out: RereadTable, names: list[str]
) -> tuple[dict[int, Counter[int]], list[tuple[Hashable, ...]]]:
    """Return the sensitive values of the rows of every class, by their numbers, and the values."""
    number_of = {tuple(map(_plain, label)): at for at, label in enumerate(tree.labels)}
    rows = tally(out, [*names, *(one.name for one in facts.sensitive)])
    shown = [rows.columns[name] for name in names]
    meant = [rows.meaning(one.name, one.kind) for one in facts.sensitive]
    found: dict[int, Counter[int]] = {}
    secrets: dict[tuple[Hashable, ...], int] = {}
    for at, count in enumerate(rows.counts.tolist()):
        label = tuple(_plain(one.keys[one.codes[at]]) for one in shown)
        if label not in number_of:
            raise TreeError("the release has a label that is no class of the tree")
        secret = tuple(one.keys[one.codes[at]] for one in meant)
        found.setdefault(number_of[label], Counter())[secrets.setdefault(secret, len(secrets))] += count
    return found, list(secrets)


def _plain(cell: Any) -> Hashable:
    """Return a label so that a number is equal however it is written."""
    number = as_kind(cell, "number")
    return as_kind(cell, "text") if isinstance(number, tuple) else number


class TreeLeaves(TreeWalk):
    """Finds the class of every public value by the cuts alone."""

    def __init__(self, facts: _Facts, tree: PublicTree, values: ValuesFound) -> None:
        self.policy, self.tree, self.labels = cast("Policy", facts), facts.tree, tree.labels
        nothing = np.zeros(0, dtype=np.int64)
        self.found = Multisets(values, [], nothing, nothing, nothing)
        self.keys = [list(cells.keys) for cells in values.cells]

    def clusters(self) -> Ints:
        """Return the class of every public value."""
        cluster = self.found.public.cluster.copy()
        kept = [at for at, one in enumerate(self.policy.public) if one.name in self.tree.kept]
        every = np.arange(len(cluster))
        below = {number: root for number, root in self._root_numbers().items() if number < len(self.labels)}
        roots = {self._cells(self.labels[number], kept): root for number, root in below.items()}
        todo = [(root, part) for root, part in self._by_cells(every, kept, roots)] if kept else [(0, every)]
        seen = 0
        while todo:
            number, values = todo.pop()
            seen += 1
            if not 0 <= number < len(self.tree.nodes) or seen > len(self.tree.nodes):
                raise TreeError("a node of the tree is missing, or is reached twice")
            node = self.tree.nodes[number]
            if node.cut is None:
                cluster[values] = -1 if node.cluster is None else node.cluster
            elif node.cut.column is None:
                # Every value is a class by itself, so its label is the value.
                columns = list(range(len(self.keys)))
                children = {
                    self._cells(self.labels[one.cluster or 0], columns): child
                    for child in node.children
                    if 0 <= child < len(self.tree.nodes)
                    for one in [self.tree.nodes[child]]
                }
                todo += self._by_cells(values, columns, children)
            else:
                todo += list(zip(node.children, self.parts(node.cut, values), strict=False))
        return cluster

    def _cells(self, label: tuple[str | None, ...], columns: list[int]) -> tuple[Hashable, ...]:
        """Return what the cells of a label mean in some columns."""
        return tuple(as_kind(label[at], self.policy.public[at].kind) for at in columns)

    def _by_cells(
        self, values: Ints, columns: list[int], nodes: dict[tuple[Hashable, ...], int]
    ) -> list[tuple[int, Ints]]:
        """Return the values of each node, which has its own cells in some columns."""
        groups: dict[int, list[int]] = {}
        for value in values.tolist():
            key = tuple(self.keys[at][int(self.found.public.cells[at].codes[value])] for at in columns)
            if key not in nodes:
                raise TreeError("a public value has no class in the tree")
            groups.setdefault(nodes[key], []).append(value)
        return [(node, np.array(members)) for node, members in groups.items()]
