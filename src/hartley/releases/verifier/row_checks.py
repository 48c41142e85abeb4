"""The rows of an original under a codebook, against the rows of a release; and what readers learn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.errors import ColumnError, PolicyError
from hartley.releases.policy import Policy
from hartley.releases.verifier.apartness import Apartness, Place
from hartley.releases.verifier.expected_cells import CellKeys
from hartley.releases.verifier.recount import recount
from hartley.releases.verifier.tables.plain_keys import places_of, text_keys
from hartley.releases.verifier.tables.reread import RereadTable
from hartley.releases.verifier.tally import Combined, Ints, Numbered, RowTally, packed_codes, tally

Value = tuple[Hashable, ...]
Flags = npt.NDArray[np.bool_]
ABSENT = -1
"""Stands for the cluster of a row that an earlier release left out."""
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
        return rows.once(("clusters", id(self)), lambda: self._clusters(rows))

    def _clusters(self, rows: RowTally) -> Numbered:
        parts = [_meant(rows, name, kind) for name, kind in zip(self.names, self.kinds, strict=True)]
        values = Combined.of(parts, len(rows))
        codes = [
            places_of(own.keys, part.keys)[part.codes[values.example]]
            for own, part in zip(self.cells, parts, strict=True)
        ]
        numbers, code = np.unique(self.found(codes), return_inverse=True)
        return Numbered(code.astype(np.int32)[values.codes], numbers.tolist())


@dataclass(frozen=True, eq=False)
class ValuesFound:
    """The public values that occur in an original: their cells, column by column, and the cluster of each."""

    cells: tuple[Numbered, ...]
    cluster: Ints

    def listed(self) -> list[Value]:
        """Return the values one by one."""
        columns = ([one.keys[code] for code in one.codes.tolist()] for one in self.cells)
        return list(zip(*columns, strict=True))


@dataclass
class RowCount:
    """What was counted in the rows of the original and of the release."""

    expected: Counter[Value] = field(default_factory=Counter)
    """The rows of the original under the codebook."""
    found: Counter[Value] = field(default_factory=Counter)
    """The rows of the release."""
    dropped: int = 0
    withheld: int = 0
    """Rows whose public value is withheld."""
    unmapped: int = 0
    """Rows of the original that the codebook does not map."""
    unmapped_earlier: int = 0
    is_spelt_once: bool = True
    values: ValuesFound | None = None
    """The public values that occur; nothing where no row is left."""
    measures: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Situations:
    """The different combinations of a public value, what is seen beside it, what is known, and a secret."""

    cells: tuple[Numbered, ...]
    """The cells of the public values that occur, column by column."""
    value: Ints
    beside: Ints
    known: Ints
    secret: Ints


class RowCounter:
    """Counts one original and one release."""

    def __init__(
        self,
        policy: Policy,
        earlier: Sequence[Policy],
        source: RereadTable,
        out: RereadTable,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> None:
        """``progress`` is told (done, total, what) now and then."""
        self._policy = policy
        self._earlier = earlier
        self._source = source
        self._out = out
        self._keys = CellKeys(policy, source, out)
        self.book = PolicyLabels.of(policy)
        """The codebook of the policy."""
        self._earlier_books = [PolicyLabels.of(one) for one in earlier]
        self._rows: RowTally | None = None
        """The rows of the original that the release has, once they are counted."""
        self._progress = progress
        self._done = 0
        self._total = 0 if progress is None else source.rows_nearly() + out.rows_nearly()

    def count(self) -> RowCount:
        """Go through both tables."""
        result = RowCount()
        rows = self._mapped(self._present(tally(self._source, self._needed(), self._told), result), result)
        if len(rows):
            self._rows = rows
            self._expect(rows, result)
            result.measures = self._measures(rows)
        self._count_release(result)
        return result

    def _told(self, rows: int) -> None:
        if self._progress is not None:
            self._done += rows
            self._progress(min(self._done, self._total), self._total, "verifying")

    def _needed(self) -> list[str]:
        wanted = [column.name for column in (*self._policy.sensitive, *self._policy.side)]
        for policy in (self._policy, *self._earlier):
            wanted += [*policy.public_names, *policy.keep, *policy.harmless]
        for policy in self._earlier:
            wanted += policy.read_beside(self._policy.sensitive_names)
        names = list(dict.fromkeys(wanted))
        for name in names:
            if name not in self._source.columns:
                raise ColumnError(
                    f"the policy was made for other columns: {self._source.name} has no column {name!r}"
                )
        return names

    def _present(self, rows: RowTally, result: RowCount) -> RowTally:
        """Leave out the rows that the release leaves out."""
        absent = left_out(rows, self._policy)
        result.dropped = int(rows.counts[absent].sum())
        return rows.where(~absent)

    def _mapped(self, rows: RowTally, result: RowCount) -> RowTally:
        """Leave out the rows that a codebook does not map, and count them."""
        lost = self.book.clusters(rows).are_equal(NOWHERE)
        lost_earlier = np.zeros(len(rows), dtype=bool)
        for past in self._past(rows):
            lost_earlier |= past.are_equal(NOWHERE)
        result.unmapped = int(rows.counts[lost].sum())
        result.unmapped_earlier = int(rows.counts[lost_earlier].sum())
        return rows.where(~(lost | lost_earlier))

    def _past(self, rows: RowTally) -> list[Numbered]:
        """Return the clusters that the earlier releases show of each row."""
        shown = []
        for policy, book in zip(self._earlier, self._earlier_books, strict=True):
            clusters = book.clusters(rows)
            keys = [*clusters.keys, ABSENT]
            codes = np.where(left_out(rows, policy), len(clusters.keys), clusters.codes)
            shown.append(Numbered(codes, keys))
        return shown

    def _expect(self, rows: RowTally, result: RowCount) -> None:
        """Say what must stand in the release."""
        clusters = self.book.clusters(rows)
        parts = []
        for name in self._policy.published:
            if name in self._policy.public_names:
                labels = (self._keys.expected(name, None, cluster) for cluster in clusters.keys)  # type: ignore[arg-type]
                parts.append(Numbered.of(clusters.codes, labels))
            else:
                column = rows.columns[name]
                shown = (self._keys.published(name, cell) for cell in column.keys)
                parts.append(Numbered.of(column.codes, shown))
        result.expected = _counter(parts, rows)
        public = [_meant(rows, column.name, column.kind) for column in self._policy.public]
        if self._policy.withheld is not None:
            gone = clusters.are_equal(self._policy.withheld)
            # What was missing before is not withheld.
            gone &= ~np.logical_and.reduce([one.are_equal(None) for one in public])
            result.withheld = int(rows.counts[gone].sum())
        values = Combined.of(public, len(rows))
        result.values = ValuesFound(
            tuple(Numbered(one.codes[values.example], one.keys) for one in public),
            np.array(clusters.keys)[clusters.codes[values.example]],
        )

    def _untouched(self, rows: RowTally, name: str) -> Numbered:
        column = rows.columns[name]
        return rows.once(
            ("untouched", name),
            lambda: Numbered.of(column.codes, (self._keys.untouched(name, cell) for cell in column.keys)),
        )

    def _measures(self, rows: RowTally) -> dict[str, dict[str, Any]]:
        """Count what each reader learns."""
        policy = self._policy
        secret = self._secret(rows, None)
        known = self._known(rows)
        cluster = self.book.clusters(rows)
        public = [_meant(rows, column.name, column.kind) for column in policy.public]
        kept = [self._untouched(rows, name) for name in policy.keep]
        harmless = [self._untouched(rows, name) for name in policy.harmless]
        readers = {"before": public, "after": [cluster, *kept]}
        if harmless:
            readers["after_all"] = [cluster, *kept, *harmless]
        if self._earlier:
            shown, aside = self._shown_earlier(rows)
            readers["together"] = [cluster, *kept, *shown]
            readers["together_all"] = [cluster, *kept, *harmless, *shown, *aside]
        found = {
            name: recount(_together(rows, parts), secret, known, rows.counts, has_side=bool(policy.side))
            for name, parts in readers.items()
        }
        # Without harmless columns the two readers see the same.
        found.setdefault("after_all", found["after"])
        return found

    def measured(self, column: str | None) -> dict[str, Any]:
        """Count what the reader whom the requirements are for learns about one sensitive column, or all."""
        rows = self._counted_rows()
        seen = _together(rows, [self.book.clusters(rows), *self._beside(rows)])
        secret, known = self._secret(rows, column), self._known(rows)
        return recount(seen, secret, known, rows.counts, has_side=bool(self._policy.side))

    def separated(self, column: str | None) -> int:
        """Count the sensitive values that are apart, where that reader has fewest left."""
        rows = self._counted_rows()
        sensitive = [one for one in self._policy.sensitive if column in (None, one.name)]
        meant = [_meant(rows, one.name, one.kind) for one in sensitive]
        secret = _together(rows, meant)
        apart = Apartness.of(sensitive, self._policy.choices.tolerance, self._policy.choices.groups)
        places = [apart.place(key) for key in secret.keys(meant)]
        seen = _together(rows, [self.book.clusters(rows), *self._beside(rows)])
        known = self._known(rows)
        codes = [seen.codes, known.codes, secret.codes]
        found = Combined.of([Numbered(one, range(int(one.max()) + 1)) for one in codes], len(rows))
        left: dict[tuple[int, int], list[Place]] = {}
        at, knew, what = (one[found.example].tolist() for one in codes)
        for key, one in zip(zip(at, knew, strict=True), what, strict=True):
            left.setdefault(key, []).append(places[one])
        return min(map(apart.count, left.values()))

    def situations(self) -> Situations:
        """Return what can be seen in the rows before any value is merged with another."""
        rows = self._counted_rows()
        public = [_meant(rows, column.name, column.kind) for column in self._policy.public]
        values = _together(rows, public)
        beside, known = _together(rows, self._beside(rows)), self._known(rows)
        secret = self._secret(rows, None)
        codes = [values.codes, beside.codes, known.codes, secret.codes]
        sizes = [values.size, beside.size, known.size, secret.size]
        triples = Combined.of(
            [Numbered(one, range(size)) for one, size in zip(codes, sizes, strict=True)], len(rows)
        )
        cells = tuple(Numbered(one.codes[values.example], one.keys) for one in public)
        return Situations(cells, *(one[triples.example] for one in codes))

    def _counted_rows(self) -> RowTally:
        assert self._rows is not None  # noqa: S101 (asked only after counting found rows)
        return self._rows

    def _beside(self, rows: RowTally) -> list[Numbered]:
        """Return what the reader sees beside the labels."""
        kept = [self._untouched(rows, name) for name in self._policy.keep]
        return [*kept, *(self._shown_earlier(rows)[0] if self._earlier else ())]

    def _known(self, rows: RowTally) -> Combined:
        return _together(rows, [_meant(rows, column.name, column.kind) for column in self._policy.side])

    def _secret(self, rows: RowTally, column: str | None) -> Combined:
        sensitive = [one for one in self._policy.sensitive if column in (None, one.name)]
        return _together(rows, [_meant(rows, one.name, one.kind) for one in sensitive])

    def _shown_earlier(self, rows: RowTally) -> tuple[list[Numbered], list[Numbered]]:
        """Return what the earlier releases show of each row, and what they declared harmless."""
        shown = self._past(rows)
        aside: list[Numbered] = []
        for policy in self._earlier:
            absent = left_out(rows, policy)
            for names, into in (
                (policy.shown_beside(self._policy.sensitive_names), shown),
                (policy.harmless, aside),
            ):
                for name in names:
                    column = rows.columns[name]
                    codes = np.where(absent, len(column.keys), column.codes)
                    into.append(Numbered.of(codes, [*map(repr, column.keys), ABSENT]))
        return shown, aside

    def _count_release(self, result: RowCount) -> None:
        rows = tally(self._out, list(self._policy.published), self._told)
        parts = []
        for name, column in rows.columns.items():
            keys = [self._keys.found(name, cell) for cell in column.keys]
            parts.append(Numbered.of(column.codes, keys))
            spellings: dict[Hashable, str] = {}
            for key, cell in zip(keys, column.keys, strict=True):
                if spellings.setdefault(key, repr(cell)) != repr(cell):
                    result.is_spelt_once = False
        result.found = _counter(parts, rows)


def _meant(rows: RowTally, name: str, kind: str | None) -> Numbered:
    """Return what the cells of a column mean."""
    column = rows.columns[name]
    return rows.once(
        ("meant", name, kind),
        lambda: column.meaning(kind),
    )


def left_out(rows: RowTally, policy: Policy) -> Flags:
    """Tell which rows a release leaves out because a value is missing."""
    absent = np.zeros(len(rows), dtype=bool)
    if policy.reading.missing == "drop":
        kinds: dict[str, str | None] = {name: policy.untouched_kinds.get(name) for name in policy.keep}
        kinds.update({column.name: column.kind for column in (*policy.sensitive, *policy.side)})
        kinds.update({column.name: column.kind for column in policy.public})
        for name, kind in kinds.items():
            absent |= _meant(rows, name, kind).are_equal(None)
    return absent


def _together(rows: RowTally, parts: Sequence[Numbered]) -> Combined:
    return Combined.of(parts, len(rows))


def _counter(parts: Sequence[Numbered], rows: RowTally) -> Counter[Value]:
    combined = Combined.of(parts, len(rows))
    return Counter(dict(zip(combined.keys(parts), combined.totals(rows.counts).tolist(), strict=True)))
