"""Rows that stay where they are, for a policy that lists ends of its classes and not all their members.

A table that is too large to be held is released by a tree, and its policy lists for each class tuples with
its least and greatest cells, and all its categories. Here every row is led through the cuts of that tree, the
failed ones too, and stands from then on as a listed tuple that takes the same way, if its own cells lie
between those of its class. All other checks are then those of any release. Rows come piece by piece; what is
held are the listed tuples with their sensitive values.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from hartley.releases.policy import Policy
from hartley.releases.tree_document import TreeCut
from hartley.verifier.tables.reread import as_kind

Numbers = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
LINES = ("number", "date", "timestamp")
MOST_STRANGE = 1_000
"""Tuples outside all classes that are told from each other."""
_MIXED = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


class DifferentRowsThere(Protocol):
    """A table whose different rows are counted where they are."""

    schema: Any
    """Names and types of all its columns, as Arrow has them."""
    cells: dict[str, Any]
    """The different cells of each public column, as Arrow."""
    secrets: dict[str, Any]
    """The cells of each sensitive column in every sensitive value."""

    def pieces(self) -> Iterator[tuple[list[Numbers], Numbers, Numbers]]:
        """Yield different rows: the numbers of their public cells, of their sensitive value, how many."""


class BoxedRows:
    """The rows of an original, each as a tuple that the policy lists."""

    def __init__(self, policy: Policy, there: DifferentRowsThere) -> None:
        assert policy.tree is not msgspec.UNSET  # noqa: S101 (only trees have classes that are boxes)
        self.schema = there.schema
        self._there, self._policy, self._tree = there, policy, policy.tree
        self._columns = [_ListedCells.of(one.name, one.kind, there.cells[one.name]) for one in policy.public]

    def counted(self, names: list[str]) -> Any:
        """Return rows as Arrow, with how often each occurs as the last column."""
        import pyarrow as pa

        tuples, rows, secrets, counts = self._found
        arrays = []
        for name in names:
            if name in self._policy.public_names:
                at = self._policy.public_names.index(name)
                arrays.append(self._there.cells[name].take(pa.array(tuples[rows, at])))
            else:
                arrays.append(self._there.secrets[name].take(pa.array(secrets)))
        return pa.table([*arrays, pa.array(counts)], [*names, "count"])

    @cached_property
    def _found(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """The tuples that stand for rows; and which of them, which sensitive value, how many rows."""
        listed = _Listed(self._policy, self._columns, self._way)
        strange: dict[tuple[int, ...], int] = {}
        found: list[Numbers] = []
        for codes, secrets, counts in self._there.pieces():
            stands = listed.stands(codes)
            for row in np.flatnonzero(stands < 0).tolist():
                key = tuple(int(column[row]) for column in codes)
                if key not in strange and len(strange) >= MOST_STRANGE:
                    key = next(iter(strange))
                stands[row] = listed.size + strange.setdefault(key, len(strange))
            found = [_summed([*found, np.stack([stands, secrets, counts])])]
        rows, secrets, counts = listed.spread(found[0])
        more = np.array(list(strange), dtype=np.int64).reshape(-1, len(self._columns))
        return np.concatenate([listed.tuples, more]), rows, secrets, counts

    def _way(self, codes: Sequence[Numbers]) -> tuple[Numbers, Hashes]:
        """Lead tuples through the tree; return the cluster of each (-1: none), and a number for its way."""
        size = len(codes[0])
        cluster, way = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.uint64)
        todo = [(number, np.arange(size)) for number in range(self._tree.roots)][:1]
        while todo:
            number, here = todo.pop()
            node = self._tree.nodes[number]
            for cut in node.failed:
                way[here] = _mixed(way[here], self._side(cut, codes, here))
            if node.cut is None:
                cluster[here] = -1 if node.cluster is None else node.cluster
                way[here] = _mixed(way[here], np.full(len(here), number))
            elif node.cut.column is None:
                way[here] = _mixed(
                    _mixed(way[here], np.full(len(here), number)), self._side(node.cut, codes, here)
                )
                cluster[here] = -2
            else:
                is_left = self._side(node.cut, codes, here).astype(np.bool_)
                todo += [(node.children[0], here[is_left]), (node.children[1], here[~is_left])]
        return cluster, way

    def _side(self, cut: TreeCut, codes: Sequence[Numbers], here: Numbers) -> Numbers:
        """Return a number for the part of a cut that each of some tuples is in."""
        if cut.column is None:
            found = np.zeros(len(here), dtype=np.uint64)
            for one in codes:
                found = _mixed(found, one[here])
            return found.view(np.int64)
        at = self._policy.public_names.index(cut.column)
        return self._columns[at].is_left(cut, codes[at][here]).astype(np.int64)


class _Listed:
    """The tuples that a policy lists, and which of them a row stands as."""

    def __init__(
        self,
        policy: Policy,
        columns: Sequence[_ListedCells],
        way: Callable[[Sequence[Numbers]], tuple[Numbers, Hashes]],
    ) -> None:
        self._columns, self._way = columns, way
        cells = zip(
            *(column.codes_of(own) for column, own in zip(columns, _cells(policy), strict=True)), strict=True
        )
        numbered = list(zip(cells, policy.member_clusters(), strict=True))
        # A tuple that the table does not have stands for nothing.
        here = [(codes, number) for codes, number in numbered if min(codes) >= 0]
        self.tuples = np.array([codes for codes, _ in here], dtype=np.int64).reshape(-1, len(columns))
        self.cluster = np.array([number for _, number in here], dtype=np.int64)
        self.size = len(here)
        codes = [self.tuples[:, j] for j in range(len(columns))]
        _, self._way_of = way(codes)
        self._ways, self._first = np.unique(self._way_of, return_index=True)
        self._known: list[Numbers] = []
        self._own = self._packed(codes, is_new=True)
        self._boxes = [
            column.boxes(own, self.cluster, len(policy.clusters))
            for column, own in zip(columns, codes, strict=True)
        ]

    def stands(self, codes: Sequence[Numbers]) -> Numbers:
        """Return for each tuple the listed one that it stands as; -1 where it is in no class."""
        cluster, ways = self._way(codes)
        at = np.minimum(np.searchsorted(self._ways, ways), max(len(self._ways) - 1, 0))
        found: Numbers = np.where(self._ways[at] == ways, self._first[at], -1)
        own = self._packed(codes, is_new=False)
        found = np.where(own >= 0, own, found)
        there = self.cluster[np.maximum(found, 0)]
        is_inside = (found >= 0) & ((cluster == there) | (cluster == -2))
        for inside, column in zip(self._boxes, codes, strict=True):
            is_inside &= inside(column, there)
        return np.where(is_inside, found, -1)

    def spread(self, found: Numbers) -> Numbers:
        """Let every listed tuple have a row: one that takes the same way and stands as the first of them."""
        rows, secrets, counts = found
        lacking = np.setdiff1d(np.arange(self.size), rows)
        more: list[tuple[int, int, int]] = []
        for one in lacking.tolist():
            home = self._first[np.searchsorted(self._ways, self._way_of[one])]
            low, high = np.searchsorted(rows, [home, home + 1])
            if counts[low:high].sum() > 1:
                at = low + int(np.argmax(counts[low:high]))
                counts[at] -= 1
                more.append((one, int(secrets[at]), 1))
        together = np.concatenate([found, np.array(more, dtype=np.int64).reshape(-1, 3).T], axis=1)
        return together[:, together[2] > 0]

    def _packed(self, codes: Sequence[Numbers], *, is_new: bool) -> Numbers:
        """Return the place of each tuple among the listed ones, -1 where it is none of them."""
        number = np.zeros(len(codes[0]), dtype=np.int64)
        for j, (column, one) in enumerate(zip(self._columns, codes, strict=True)):
            keys = np.where(number < 0, -1, number * column.size + one)
            if is_new:
                self._known.append(np.unique(keys))
            known = self._known[j]
            at = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
            number = np.where(known[at] == keys, at, -1)
        if is_new:
            self._place = np.empty(len(self._known[-1]), dtype=np.int64)
            self._place[number] = np.arange(len(number))
            return number
        return np.where(number < 0, -1, self._place[np.maximum(number, 0)])


@dataclass(frozen=True)
class _ListedCells:
    """The different cells of a public column."""

    kind: str
    size: int
    place: dict[Any, int]
    """The number of what each cell means."""
    line: list[Any]
    """What cells mean, rising, without the missing one; empty where there is no line."""
    rank: Numbers
    """The place of each cell on the line, -1 for a missing one."""

    @classmethod
    def of(cls, name: str, kind: str, cells: Any) -> _ListedCells:
        del name
        keys = [as_kind(cell, kind) for cell in cells.to_pylist()]
        line: list[Any] = sorted({key for key in keys if key is not None}) if kind in LINES else []
        at = {key: number for number, key in enumerate(line)}
        return cls(
            kind,
            len(keys),
            {key: number for number, key in enumerate(keys)},
            line,
            np.array([at.get(key, -1) for key in keys], dtype=np.int64),
        )

    def codes_of(self, texts: Sequence[str | None]) -> list[int]:
        """Return the numbers of cells as a policy writes them; -1 where the table has none such."""
        return [self.place.get(as_kind(text, self.kind), -1) for text in texts]

    def is_left(self, cut: TreeCut, codes: Numbers) -> Flags:
        """Tell which cells are on the left side of a cut."""
        if self.kind in LINES:
            bound = None if cut.up_to is None else as_kind(cut.up_to, self.kind)
            return np.asarray(self.rank[codes] < (0 if bound is None else bisect_right(self.line, bound)))
        return np.isin(codes, self.codes_of(cut.cells))

    def boxes(self, codes: Numbers, cluster: Numbers, clusters: int) -> Callable[[Numbers, Numbers], Flags]:
        """Return what tells whether cells lie between those that are listed of some clusters."""
        if self.kind not in LINES:
            listed = np.unique(cluster * self.size + codes)
            return lambda some, of_cluster: np.isin(of_cluster * self.size + some, listed)
        rank = self.rank[codes]
        low, high = np.full(clusters, len(self.line)), np.full(clusters, -1)
        present = rank >= 0
        np.minimum.at(low, cluster[present], rank[present])
        np.maximum.at(high, cluster[present], rank[present])
        has_missing = np.zeros(clusters, dtype=np.bool_)
        has_missing[cluster[~present]] = True

        def inside(some: Numbers, of_cluster: Numbers) -> Flags:
            own = self.rank[some]
            is_between = (own >= low[of_cluster]) & (own <= high[of_cluster])
            return np.where(own < 0, has_missing[of_cluster], is_between)

        return inside


def _cells(policy: Policy) -> list[list[str | None]]:
    members = [member for cluster in policy.clusters for member in cluster.members]
    return [[member[at] for member in members] for at in range(len(policy.public))]


def _mixed(way: Hashes, step: Numbers) -> Hashes:
    """Return numbers for ways that are one step longer; two ways have the same once in 2^64."""
    found = (way ^ step.astype(np.uint64)) * _MIXED[0] + _MIXED[1]
    found = (found ^ (found >> np.uint64(29))) * _MIXED[1]
    return np.asarray(found ^ (found >> np.uint64(32)))


def _summed(parts: Sequence[Numbers]) -> Numbers:
    """Return rows of two numbers and a count with equal ones put together."""
    together = np.concatenate(parts, axis=1)
    order = np.lexsort(together[1::-1])
    first, second, counts = together[:, order]
    is_new = np.append(True, (np.diff(first) != 0) | (np.diff(second) != 0))[: len(order)]
    starts = np.flatnonzero(is_new)
    totals = np.add.reduceat(counts, starts) if len(starts) else counts
    return np.stack([first[starts], second[starts], totals])
