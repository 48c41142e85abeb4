"""The codebook of a policy as arrays, and the public values that occur in an original.

Where each column has a codebook: whether the labels follow from them, and what is withheld.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, starmap
from operator import le
from typing import Any

import numpy as np

from hartley.errors import PolicyError
from hartley.releases.column_recoding import ColumnRecoding
from hartley.releases.policy import Policy, Text
from hartley.verifier.checks import Checks
from hartley.verifier.tables.plain_keys import meaning, places_of, text_keys
from hartley.verifier.tables.reread import as_kind
from hartley.verifier.tables.row_numbers import Combined, Ints, Numbered, packed_codes
from hartley.verifier.tally import RowTally

Value = tuple[Hashable, ...]
NOWHERE = -2
"""Stands for the cluster of a row that a codebook does not map."""


@dataclass(frozen=True, eq=False)
class PolicyLabels:
    """A codebook as arrays: the cells of each value in it, and its cluster; and the columns it reads."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    cells: tuple[Numbered, ...]
    """What the cells of each value mean, column by column."""
    cluster: Ints
    """The cluster of each value."""

    @classmethod
    def of(cls, policy: Policy) -> PolicyLabels:
        """Read the codebook of a policy; refuse one that is no function."""
        kinds = tuple(column.kind for column in policy.public)
        members = [member for one in policy.clusters for member in one.members]
        cells = tuple(
            Numbered(*text_keys([member[place] for member in members])).meaning(kind)
            for place, kind in enumerate(kinds)
        )
        sizes = [len(one.members) for one in policy.clusters]
        book = cls(policy.public_names, kinds, cells, np.repeat(np.arange(len(sizes)), sizes))
        if (book.found([one.codes for one in cells]) != book.cluster).any():
            raise PolicyError("the codebook is no function: a value stands in two clusters")
        return book

    def found(self, codes: Sequence[Ints]) -> Ints:
        """Return the clusters of values, from the codes that the codebook has for their cells, or -1."""
        own = [one.codes for one in self.cells]
        if len(own) == 1:
            by_code = np.full(len(self.cells[0].keys) + 1, NOWHERE)
            by_code[own[0]] = self.cluster
            return by_code[codes[0]]  # what is nowhere has the code -1, and the last place
        together = [np.concatenate([mine, theirs + 0]) for mine, theirs in zip(own, codes, strict=True)]
        sizes = [len(one.keys) + 1 for one in self.cells]
        packed, _ = packed_codes([one + 1 for one in together], sizes, len(together[0]))
        mine, theirs = packed[: len(own[0])], packed[len(own[0]) :]
        order = np.argsort(mine, kind="stable")
        # The last of equal values, as where one stands after the other.
        at = np.searchsorted(mine[order], theirs, side="right") - 1
        place = order[np.maximum(at, 0)]
        return np.where((at >= 0) & (mine[place] == theirs), self.cluster[place], NOWHERE)

    def clusters(self, rows: RowTally) -> Numbered:
        """Return the cluster of each row."""
        if len(self.names) == 1:
            return rows.renumbered(self.names[0], ("cluster", id(self)), self._clusters_of_cells)
        return rows.once(("clusters", id(self)), lambda: self._clusters_of_rows(rows))

    def _clusters_of_cells(self, cells: Sequence[Hashable]) -> tuple[Ints, Sequence[Hashable]]:
        number, keys = meaning(cells, self.kinds[0])
        found, code = np.unique(self.found([places_of(self.cells[0].keys, keys)]), return_inverse=True)
        return code.astype(np.int32)[number], found.tolist()

    def _clusters_of_rows(self, rows: RowTally) -> Numbered:
        parts = [rows.meaning(name, kind) for name, kind in zip(self.names, self.kinds, strict=True)]
        values = Combined.of(parts, len(rows))
        example = values.examples()
        codes = [
            places_of(own.keys, part.keys)[part.codes[example]]
            for own, part in zip(self.cells, parts, strict=True)
        ]
        numbers, code = np.unique(self.found(codes), return_inverse=True)
        return Numbered(code.astype(np.int32)[values.dense().codes], numbers.tolist())


@dataclass(frozen=True, eq=False)
class ValuesFound:
    """The public values that occur in an original: their cells, column by column, and the cluster of each."""

    cells: tuple[Numbered, ...]
    cluster: Ints

    @classmethod
    def together(cls, parts: Sequence[ValuesFound]) -> ValuesFound:
        """Put the values of several parts, whose cells have the same numbers, one after the other."""
        if len(parts) == 1:
            return parts[0]
        cells = (
            Numbered(np.concatenate([one.codes for one in column]), column[0].keys)
            for column in zip(*(part.cells for part in parts), strict=True)
        )
        return cls(tuple(cells), np.concatenate([part.cluster for part in parts]))


EVERYTHING = "all"
NO_LABEL = "no label"
"""Stands for the label of a cell that a codebook does not map; a tuple, so that no text is equal to it."""


def check_codebooks(checks: Checks, policy: Policy) -> None:
    """Check that every label is the combination of the columns' labels, and every combination is one."""
    if not policy.codebooks:
        return
    codings = {"kept": "unchanged", "bands": "bands", "groups": "groups", "all": "groups"}
    labels = {cluster.label for number, cluster in enumerate(policy.clusters) if number != policy.withheld}
    nothing = (None,) * len(policy.public)
    looked_up = [_lookup(*one) for one in zip(policy.codebooks, (c.kind for c in policy.public), strict=True)]
    is_followed, withheld = True, set()
    for number, cluster in enumerate(policy.clusters):
        for member in cluster.members:
            found = tuple(look(text) for look, text in zip(looked_up, member, strict=True))
            if number != policy.withheld:
                is_followed &= found == cluster.label
            elif found != nothing and policy.choices.shape == "columns":
                # Of intervals single values are withheld, whatever band they lie in.
                withheld.add(found)
    checks.add(
        "codebooks of the columns",
        is_followed
        and all(
            codings[one.form] == column.coding
            for one, column in zip(policy.codebooks, policy.public, strict=True)
        ),
        "the label of a value is not the combination of its labels in the codebooks of the columns",
    )
    checks.add(
        "withheld combinations",
        withheld == set(policy.withheld_combinations) and not withheld & labels,
        "other combinations are withheld than the policy lists, or some are released as well",
    )


def _lookup(codebook: ColumnRecoding, kind: str) -> Callable[[Text], Any]:
    """Return what a codebook says of a cell, looked up without the code that made the release.

    Each different cell is looked up once, and among bands in their order by halving.
    """
    bands = [(as_kind(one.begin, kind), as_kind(one.end, kind), one.label) for one in codebook.bands]
    starts: list[Any] = [begin for begin, _, _ in bands[1:]]
    ends: list[Any] = [end for _, end, _ in bands[:-1]]
    is_in_order = (
        None not in starts + ends and all(map(le, ends, starts)) and all(starmap(le, pairwise(starts)))
    )

    def banded(cell: Any) -> Any:
        near = bands
        if is_in_order:
            at = bisect_right(starts, cell)
            near = bands[at : at + 1]
        holding = [
            label
            for begin, end, label in near
            if (begin is None or begin <= cell) and (end is None or cell < end)
        ]
        return holding[0] if len(holding) == 1 else (NO_LABEL,)

    @cache
    def label(text: Text) -> Any:
        if codebook.form == "all":
            return EVERYTHING
        if text is None:
            return codebook.missing_label if codebook.has_missing else (NO_LABEL,)
        if codebook.form == "kept":
            return text
        if codebook.form == "bands":
            return banded(as_kind(text, kind))
        named = [group.label for group in codebook.groups if text in group.values]
        begun = [prefix.label for prefix in codebook.prefixes if text.startswith(prefix.begins)]
        return (*named, *begun, codebook.other or (NO_LABEL,))[0]

    return label
