"""The rows of an original under a codebook, against the rows of a release; and what readers learn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.errors import ColumnError
from hartley.releases.policy import MeasuredColumn, Policy, StatedRequirement
from hartley.verifier.expected_cells import CellKeys
from hartley.verifier.policy_labels import NOWHERE, PolicyLabels, Value, ValuesFound
from hartley.verifier.recount import Apartness, Place, Recount
from hartley.verifier.shares import ShareRule
from hartley.verifier.tables.plain_keys import distinct, places_of
from hartley.verifier.tables.reread import RereadTable
from hartley.verifier.tables.row_numbers import Combined, Ints, Numbered, packed_codes
from hartley.verifier.tally import PARTS, AlikeNumbers, RowTally, TalliedParts

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
ABSENT = -1
"""Stands for the cluster of a row that an earlier release left out."""


@dataclass
class RowCount:
    """What was counted in the rows of the original and of the release."""

    lacking: int = 0
    """Rows of the original under the codebook that are not in the release."""
    extra: int = 0
    """Rows of the release that are not from there."""
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

    public: ValuesFound
    """The public values that occur."""
    value: Ints
    beside: Ints
    known: Ints
    secret: Ints
    rows: Ints


@dataclass(frozen=True)
class Multisets:
    """The public values that occur, and how many rows have each of them with each sensitive value."""

    public: ValuesFound
    secrets: list[tuple[Hashable, ...]]
    """The sensitive values: what the cells of all sensitive columns mean."""
    value: Ints
    secret: Ints
    rows: Ints
    """For each pair, of which some may be alike, the numbers of both values, and the rows."""
    weights: Floats | None = None
    """The sum of the sampling weights of each public value, where they are asked for and known."""


def weighed(rows: RowTally, column: str) -> Floats:
    """Return the sampling weights of rows, each as often as it is there; NaN where a cell is no weight."""
    cells = rows.meaning(column, "number")
    weights = [
        float(key) if isinstance(key, (int, float, Fraction, Decimal)) else np.nan for key in cells.keys
    ]
    return np.asarray(np.array(weights)[cells.codes] * rows.counts)


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
        self.policy = policy
        self._earlier = earlier
        self.source = source
        self.out = out
        self._keys = CellKeys(policy, source, out)
        self.book = PolicyLabels.of(policy)
        """The codebook of the policy."""
        self._earlier_books = [PolicyLabels.of(one) for one in earlier]
        self._label_parts: dict[Value, int] = {}
        """The part of the rows, where they come in parts, that each label is in."""
        self._parts: TalliedParts | None = None
        """The rows of the original, once they have been counted."""
        self._whole: RowTally | None = None
        """Those of them that the release has, where they do not come in parts."""
        self._alike: dict[Hashable, AlikeNumbers] = {}
        self._learnt: dict[str | None, dict[str, Any]] = {}
        self._matched: dict[str, tuple[Sequence[Hashable], Sequence[Hashable], Ints]] = {}
        self._labels: dict[str, tuple[Sequence[Hashable], tuple[Ints, Sequence[Hashable]]]] = {}
        """What must stand in a column of labels for each of some clusters."""
        self._is_spelt_once = True
        self._progress = progress
        self._done = 0
        self._total = 0 if progress is None else source.rows_nearly() + out.rows_nearly()

    def count(self) -> RowCount:
        """Go through both tables."""
        result = RowCount()
        original = self._parts = TalliedParts(self.source, self.needed(), self._part_of_row, self._told)
        names = list(self.policy.published)
        released = TalliedParts(self.out, names, self._part_of_released, self._told)
        for one, other in ((original, released), (released, original)):
            if one.is_on_disk and not other.is_on_disk:
                other.to_disk()
        found: list[ValuesFound] = []
        for rows, out in zip(original, released, strict=True):
            there = self._there(rows, result)
            if not original.is_on_disk:
                self._whole = there
            self._compare(there, out, result)
            if len(there):
                found.append(self._values(there, result))
        if found:
            result.values = ValuesFound.together(found)
            result.measures = self._measures()
        result.is_spelt_once = self._is_spelt_once
        return result

    def _told(self, rows: int) -> None:
        if self._progress is not None:
            self._done += rows
            self._progress(min(self._done, self._total), self._total, "verifying")

    def needed(self) -> list[str]:
        """Return the columns of the original that are looked at."""
        # Public columns first: rows come in the order of the columns, those of one value then together.
        wanted = [*self.policy.public_names]
        wanted += [column.name for column in (*self.policy.side, *self.policy.sensitive)]
        for policy in (self.policy, *self._earlier):
            wanted += [*policy.public_names, *policy.keep, *policy.harmless]
        for policy in self._earlier:
            wanted += policy.read_beside(self.policy.sensitive_names)
        wanted += [one.column for one in self.policy.requirements if one.name == "weight-k" and one.column]
        names = list(dict.fromkeys(wanted))
        for name in names:
            if name not in self.source.columns:
                raise ColumnError(
                    f"the policy was made for other columns: {self.source.name} has no column {name!r}"
                )
        return names

    def _part_of_label(self, label: Value) -> int:
        if not self._label_parts:
            places = range(len(self.policy.public))
            for cluster in range(len(self.policy.clusters)):
                key = tuple(self._keys.label(place, cluster) for place in places)
                self._label_parts.setdefault(key, len(self._label_parts) % PARTS)
        return self._label_parts.get(label, 0)

    def _part_of_row(self, rows: RowTally) -> Ints:
        """Return the part of each row of the original: that of its label."""
        clusters = self.book.clusters(rows)
        places = range(len(self.policy.public))
        parts = [
            self._part_of_label(tuple(self._keys.label(place, cluster) for place in places))  # type: ignore[arg-type]
            for cluster in clusters.keys
        ]
        return np.array(parts, dtype=np.uint8)[clusters.codes]

    def _part_of_released(self, rows: RowTally) -> Ints:
        """Return the part of each row of the release: that of its label."""
        labels = [self.found(rows, name) for name in self.policy.public_names]
        combined = Combined.of(labels, len(rows))
        columns = [[one.keys[code] for code in one.codes[combined.examples()].tolist()] for one in labels]
        parts = [self._part_of_label(label) for label in zip(*columns, strict=True)]
        return np.array(parts, dtype=np.uint8)[combined.dense().codes]

    def _there(self, rows: RowTally, result: RowCount | None = None) -> RowTally:
        """Leave out the rows that the release leaves out or a codebook does not map, and count them."""
        kept = self.kept(rows)
        if result is not None:
            result.dropped += int(rows.counts.sum() - kept.counts.sum())
        rows = kept
        lost = self.book.clusters(rows).are_equal(NOWHERE)
        lost_earlier = np.zeros(len(rows), dtype=bool)
        for past in self._past(rows):
            lost_earlier |= past.are_equal(NOWHERE)
        if result is not None:
            result.unmapped += int(rows.counts[lost].sum())
            result.unmapped_earlier += int(rows.counts[lost_earlier].sum())
        return rows.where(~(lost | lost_earlier))

    def kept(self, rows: RowTally) -> RowTally:
        """Return the rows that the release does not leave out because a value is missing."""
        return rows.where(~left_out(rows, self.policy))

    def _each(self) -> Iterator[RowTally]:
        """Return the rows of the original that the release has, part by part."""
        if self._whole is not None:
            yield self._whole
            return
        assert self._parts is not None  # noqa: S101 (asked only after counting)
        for rows in self._parts:
            there = self._there(rows)
            if len(there):
                yield there

    def _past(self, rows: RowTally) -> list[Numbered]:
        """Return the clusters that the earlier releases show of each row."""
        shown = []
        for policy, book in zip(self._earlier, self._earlier_books, strict=True):
            clusters = book.clusters(rows)
            keys = [*clusters.keys, ABSENT]
            codes = np.where(left_out(rows, policy), len(clusters.keys), clusters.codes)
            shown.append(Numbered(codes, keys))
        return shown

    def _compare(self, rows: RowTally, released: RowTally, result: RowCount) -> None:
        """Hold what must stand in the release against what stands there."""
        sizes, expected, found = [], [], []
        for name in self.policy.published:
            ours, theirs = self.expected(rows, name), self.found(released, name)
            numbers, size = self._matching(name, ours.keys, theirs.keys)
            expected.append(ours.codes)
            found.append(numbers[theirs.codes])
            sizes.append(size)
        counts = np.concatenate([rows.counts, -released.counts])
        codes = [np.concatenate(both) for both in zip(expected, found, strict=True)]
        combined = Combined(*packed_codes(codes, sizes, len(counts)))
        del codes, expected, found
        if combined.are_balanced(counts):
            return
        _, difference = combined.totals(counts)
        result.lacking += int(difference[difference > 0].sum())
        result.extra -= int(difference[difference < 0].sum())

    def _matching(self, name: str, keys: Sequence[Hashable], others: Sequence[Hashable]) -> tuple[Ints, int]:
        """Return the number among keys of each of some others, those that are not there after them."""
        known = self._matched.get(name)
        if known is None or known[0] is not keys or known[1] is not others:
            places = places_of(keys, others)
            lacking = places < 0
            places[lacking] = np.arange(len(keys), len(keys) + int(lacking.sum()))
            known = self._matched[name] = keys, others, places
        return known[2], len(keys) + int((known[2] >= len(keys)).sum())

    def expected(self, rows: RowTally, name: str) -> Numbered:
        """Return what must stand in a column of the release."""
        if name in self.policy.public_names:
            clusters = self.book.clusters(rows)
            known = self._labels.get(name)
            if known is None or known[0] is not clusters.keys:
                place = self.policy.public_names.index(name)
                labels = [self._keys.label(place, cluster) for cluster in clusters.keys]  # type: ignore[arg-type]
                known = self._labels[name] = clusters.keys, distinct(labels)
            numbered = known[1]
            return clusters.renumbered(lambda _: numbered)
        return rows.renumbered(
            name, "published", lambda cells: distinct([self._keys.published(name, cell) for cell in cells])
        )

    def found(self, released: RowTally, name: str) -> Numbered:
        """Return what stands in a column of the release."""

        def keys_of(cells: Sequence[Hashable]) -> tuple[Ints, Sequence[Hashable]]:
            numbers, keys = distinct([self._keys.found(name, cell) for cell in cells])
            spellings: dict[int, str] = {}
            for number, cell in zip(numbers.tolist(), cells, strict=True) if len(keys) < len(cells) else ():
                if spellings.setdefault(number, repr(cell)) != repr(cell):
                    self._is_spelt_once = False
            return numbers, keys

        return released.renumbered(name, "found", keys_of)

    def _values(self, rows: RowTally, result: RowCount) -> ValuesFound:
        """Return the public values that occur; count what is withheld."""
        clusters = self.book.clusters(rows)
        public = self._public(rows)
        if self.policy.withheld is not None:
            gone = clusters.are_equal(self.policy.withheld)
            # What was missing before is not withheld.
            gone &= ~np.logical_and.reduce([one.are_equal(None) for one in public])
            result.withheld += int(rows.counts[gone].sum())
        return self._public_values(rows)[1]

    def _public_values(self, rows: RowTally) -> tuple[Combined, ValuesFound]:
        """Return the number of the public value of each row, and the values that occur, by these numbers."""
        public, clusters = self._public(rows), self.book.clusters(rows)
        values = Combined.of(public, len(rows))
        example = values.examples()
        found = ValuesFound(
            tuple(Numbered(one.codes[example], one.keys) for one in public),
            np.array(clusters.keys)[clusters.codes[example]],
        )
        return Combined(values.dense().codes, len(example)), found

    def _public(self, rows: RowTally) -> list[Numbered]:
        return [rows.meaning(column.name, column.kind) for column in self.policy.public]

    def _untouched(self, rows: RowTally, name: str) -> Numbered:
        return rows.renumbered(
            name, "untouched", lambda cells: distinct([self._keys.untouched(name, cell) for cell in cells])
        )

    def _measures(self) -> dict[str, dict[str, Any]]:
        """Count what each reader learns."""
        names = ["before", "after"]
        if self.policy.harmless:
            names.append("after_all")
        if self._earlier:
            names += ["together", "together_all"]
        found = self._counted(names, None)
        # Without harmless columns the two readers see the same.
        found.setdefault("after_all", found["after"])
        self._learnt[None] = found[self._reader]
        return found

    def _counted(self, names: Sequence[str], column: str | None) -> dict[str, dict[str, Any]]:
        """Count what some readers learn about one sensitive column, or all."""
        readers = {name: Recount(has_side=bool(self.policy.side)) for name in names}
        secrets, knowns = self._secrets(column), self._knowns()
        for rows in self._each():
            secret, known = secrets.of(rows), knowns.of(rows)
            for name, reader in readers.items():
                reader.add(Combined.of(self._shown_to(name, rows), len(rows)), secret, known, rows.counts)
        return {name: reader.found() for name, reader in readers.items()}

    def _shown_to(self, reader: str, rows: RowTally) -> list[Numbered]:
        """Return what a reader sees of each row."""
        if reader == "before":
            return self._public(rows)
        policy = self.policy
        shown = [self.book.clusters(rows), *(self._untouched(rows, name) for name in policy.keep)]
        if reader.endswith("_all"):
            shown += [self._untouched(rows, name) for name in policy.harmless]
        if reader.startswith("together"):
            earlier, aside = self._shown_earlier(rows)
            shown += [*earlier, *(aside if reader.endswith("_all") else ())]
        return shown

    @property
    def _reader(self) -> str:
        """The reader whom the requirements are for."""
        return "together" if self._earlier else "after"

    def measured(self, column: str | None) -> dict[str, Any]:
        """Count what the reader whom the requirements are for learns about one sensitive column, or all."""
        if column not in self._learnt:
            self._learnt[column] = self._counted([self._reader], column)[self._reader]
        return self._learnt[column]

    def separated(self, column: str | None) -> int:
        """Count the sensitive values that are apart, where that reader has fewest left."""
        apart, places = self._apart(column)
        return min(apart.count(places[one] for one in left) for _, left in self._left(column))

    def bits_apart(self) -> dict[str, float]:
        """Count the bits that reader learns at worst and for certain of sensitive values that are apart."""
        apart, places = self._apart(None)
        is_known = bool(self.policy.side)
        return apart.bits(
            [(known if is_known else 0, [places[one] for one in left]) for known, left in self._left(None)]
        )

    def _apart(self, column: str | None) -> tuple[Apartness, dict[int, Place]]:
        """Return what counts as apart, and where each sensitive value lies, by its number."""
        choices = self.policy.choices
        apart = Apartness.of(self._sensitive(column), choices.tolerance, choices.groups)
        return apart, {number: apart.place(key) for number, key in self._meanings(column).items()}

    def shares(self, asked: StatedRequirement) -> tuple[float, bool]:
        """Return how much the worst class keeps of a requirement on shares, and whether that is enough."""
        meanings = self._meanings(None)
        place = {number: at for at, number in enumerate(meanings)}
        classes = [{place[one]: rows for one, rows in left.items()} for _, left in self._left(None)]
        total: Counter[int] = Counter()
        for one in classes:
            total.update(one)
        rule = ShareRule.of(self.policy, asked, list(meanings.values()), total)
        found = rule.worst(rule.measure(rule.counts(one)) for one in classes)
        return found, rule.is_met_by(found)

    def _left(self, column: str | None) -> Iterator[tuple[int, dict[int, int]]]:
        """Yield of each thing that reader sees what he knew before, and the rows of what is left to him."""
        secrets, knowns = self._secrets(column), self._knowns()
        for rows in self._each():
            secret, known = secrets.of(rows), knowns.of(rows)
            shown = Combined.of(self._shown_to(self._reader, rows), len(rows))
            seen = Combined.pair(shown.dense(), known).dense()
            known_of = known.codes[seen.examples()].tolist()
            pairs, counts = Combined.pair(seen, secret).totals(rows.counts)
            left: list[dict[int, int]] = [{} for _ in known_of]
            for at, what, count in zip(
                (pairs // secret.size).tolist(), (pairs % secret.size).tolist(), counts.tolist(), strict=True
            ):
                left[at][what] = count
            yield from zip(known_of, left, strict=True)

    def _meanings(self, column: str | None) -> dict[int, tuple[Hashable, ...]]:
        """Return what each sensitive value means, by its number, in the order of the numbers."""
        secrets, columns = self._secrets(column), self._sensitive(column)
        found: dict[int, tuple[Hashable, ...]] = {}
        for rows in self._each():
            secret = secrets.of(rows)
            example = secret.examples()
            meant = [rows.meaning(one.name, one.kind) for one in columns]
            keys = zip(
                *([one.keys[code] for code in one.codes[example].tolist()] for one in meant), strict=True
            )
            found.update(zip(secret.codes[example].tolist(), keys, strict=True))
        return dict(sorted(found.items()))

    def weight(self, asked: StatedRequirement) -> float:
        """Return the least sum of sampling weights of a class; NaN where a cell is no weight."""
        sums: Counter[int] = Counter()
        for rows in self._each():
            clusters = self.book.clusters(rows)
            held = np.bincount(clusters.codes, weights=weighed(rows, asked.column or ""))
            for cluster, weight in zip(clusters.keys, held.tolist(), strict=False):
                sums[cluster] += weight  # type: ignore[index]
        return float(np.min(list(sums.values())))

    def multisets(self) -> Multisets:
        """Return the public values, and how many rows have each of them with each sensitive value."""
        found = self.situations()
        secrets = list(self._meanings(None).values())
        column = next((one.column for one in self.policy.requirements if one.name == "weight-k"), None)
        if column is None:
            return Multisets(found.public, secrets, found.value, found.secret, found.rows)
        weights = np.concatenate(
            [
                np.bincount(self._public_values(rows)[0].codes, weights=weighed(rows, column))
                for rows in self._each()
            ]
        )
        return Multisets(found.public, secrets, found.value, found.secret, found.rows, weights)

    def situations(self) -> Situations:
        """Return what can be seen in the rows before any value is merged with another."""
        secrets, knowns = self._secrets(None), self._knowns()
        besides = self._numbers("beside", lambda rows: self._shown_to(self._reader, rows)[1:])
        found: list[list[Ints]] = []
        cells: list[ValuesFound] = []
        held = 0
        for rows in self._each():
            own, values = self._public_values(rows)
            cells.append(values)
            parts = [besides.of(rows), knowns.of(rows), secrets.of(rows)]
            observed = Combined.pair(own, Combined.pair(parts[0], parts[1]).dense())
            example, counts = Combined.pair(observed, parts[2]).grouped(rows.counts)
            codes = [own.codes + held, *(one.codes for one in parts)]
            found.append([*(one[example] for one in codes), counts])
            held += own.size
        value, *others, counts = (np.concatenate(one) for one in zip(*found, strict=True))
        beside, known, secret = (Combined(one, int(one.max()) + 1).dense().codes for one in others)
        return Situations(ValuesFound.together(cells), value, beside, known, secret, counts)

    def _numbers(self, what: Hashable, columns: Callable[[RowTally], Sequence[Numbered]]) -> AlikeNumbers:
        if what not in self._alike:
            self._alike[what] = AlikeNumbers(columns, self._each)
        return self._alike[what]

    def _knowns(self) -> AlikeNumbers:
        """Return how numbers are assigned to what the reader knows."""
        side = self.policy.side
        return self._numbers("known", lambda rows: [rows.meaning(one.name, one.kind) for one in side])

    def _secrets(self, column: str | None) -> AlikeNumbers:
        """Return how numbers are assigned to the sensitive values."""
        sensitive = self._sensitive(column)
        return self._numbers(
            ("secret", column), lambda rows: [rows.meaning(one.name, one.kind) for one in sensitive]
        )

    def _sensitive(self, column: str | None) -> list[MeasuredColumn]:
        """Return one sensitive column, or all of them."""
        return [one for one in self.policy.sensitive if column in (None, one.name)]

    def _shown_earlier(self, rows: RowTally) -> tuple[list[Numbered], list[Numbered]]:
        """Return what the earlier releases show of each row, and what they declared harmless."""
        shown = self._past(rows)
        aside: list[Numbered] = []
        for policy in self._earlier:
            absent = left_out(rows, policy)
            for names, into in (
                (policy.shown_beside(self.policy.sensitive_names), shown),
                (policy.harmless, aside),
            ):
                for name in names:
                    column = rows.columns[name]
                    codes = np.where(absent, len(column.keys), column.codes)
                    into.append(Numbered.of(codes, [*map(repr, column.keys), ABSENT]))
        return shown, aside


def left_out(rows: RowTally, policy: Policy) -> Flags:
    """Tell which rows a release leaves out because a value is missing."""
    absent = np.zeros(len(rows), dtype=bool)
    if policy.reading.missing == "drop":
        kinds: dict[str, str | None] = {name: policy.untouched_kinds.get(name) for name in policy.keep}
        kinds.update({column.name: column.kind for column in (*policy.sensitive, *policy.side)})
        kinds.update({column.name: column.kind for column in policy.public})
        for name, kind in kinds.items():
            absent |= rows.meaning(name, kind).are_equal(None)
    return absent
