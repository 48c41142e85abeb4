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

    cells: tuple[Numbered, ...]
    """The cells of the public values that occur, column by column."""
    value: Ints
    beside: Ints
    known: Ints
    secret: Ints


@dataclass(frozen=True)
class Multisets:
    """The public values that occur, and how many rows have each of them with each sensitive value."""

    public: ValuesFound
    secrets: list[tuple[Hashable, ...]]
    """The sensitive values: what the cells of all sensitive columns mean."""
    value: Ints
    secret: Ints
    rows: Ints
    """For each pair the number of the public value, that of the sensitive value, and the rows."""
    weights: Floats | None = None
    """The sum of the sampling weights of each public value, where they are asked for and known."""


def _keys(
    rows: RowTally, columns: Sequence[MeasuredColumn], some: Ints | slice = slice(None)
) -> Iterator[tuple[Hashable, ...]]:
    """Return what the cells of some columns mean together, in all rows or some."""
    meant = [rows.meaning(one.name, one.kind) for one in columns]
    return zip(*([one.keys[code] for code in one.codes[some].tolist()] for one in meant), strict=True)


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
        self._policy = policy
        self._earlier = earlier
        self._source = source
        self._out = out
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
        original = self._parts = TalliedParts(self._source, self._needed(), self._part_of_row, self._told)
        names = list(self._policy.published)
        released = TalliedParts(self._out, names, self._part_of_released, self._told)
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

    def _needed(self) -> list[str]:
        # Public columns first: rows come in the order of the columns, those of one value then together.
        wanted = [*self._policy.public_names]
        wanted += [column.name for column in (*self._policy.side, *self._policy.sensitive)]
        for policy in (self._policy, *self._earlier):
            wanted += [*policy.public_names, *policy.keep, *policy.harmless]
        for policy in self._earlier:
            wanted += policy.read_beside(self._policy.sensitive_names)
        wanted += [one.column for one in self._policy.requirements if one.name == "weight-k" and one.column]
        names = list(dict.fromkeys(wanted))
        for name in names:
            if name not in self._source.columns:
                raise ColumnError(
                    f"the policy was made for other columns: {self._source.name} has no column {name!r}"
                )
        return names

    def _part_of_label(self, label: Value) -> int:
        if not self._label_parts:
            places = range(len(self._policy.public))
            for cluster in range(len(self._policy.clusters)):
                key = tuple(self._keys.label(place, cluster) for place in places)
                self._label_parts.setdefault(key, len(self._label_parts) % PARTS)
        return self._label_parts.get(label, 0)

    def _part_of_row(self, rows: RowTally) -> Ints:
        """Return the part of each row of the original: that of its label."""
        clusters = self.book.clusters(rows)
        places = range(len(self._policy.public))
        parts = [
            self._part_of_label(tuple(self._keys.label(place, cluster) for place in places))  # type: ignore[arg-type]
            for cluster in clusters.keys
        ]
        return np.array(parts, dtype=np.uint8)[clusters.codes]

    def _part_of_released(self, rows: RowTally) -> Ints:
        """Return the part of each row of the release: that of its label."""
        labels = [self._found(rows, name) for name in self._policy.public_names]
        combined = Combined.of(labels, len(rows))
        columns = [[one.keys[code] for code in one.codes[combined.examples()].tolist()] for one in labels]
        parts = [self._part_of_label(label) for label in zip(*columns, strict=True)]
        return np.array(parts, dtype=np.uint8)[combined.dense().codes]

    def _there(self, rows: RowTally, result: RowCount | None = None) -> RowTally:
        """Leave out the rows that the release leaves out or a codebook does not map, and count them."""
        absent = left_out(rows, self._policy)
        if absent.any():
            if result is not None:
                result.dropped += int(rows.counts[absent].sum())
            rows = rows.where(~absent)
        lost = self.book.clusters(rows).are_equal(NOWHERE)
        lost_earlier = np.zeros(len(rows), dtype=bool)
        for past in self._past(rows):
            lost_earlier |= past.are_equal(NOWHERE)
        if result is not None:
            result.unmapped += int(rows.counts[lost].sum())
            result.unmapped_earlier += int(rows.counts[lost_earlier].sum())
        return rows.where(~(lost | lost_earlier))

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
        for name in self._policy.published:
            ours, theirs = self._expected(rows, name), self._found(released, name)
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

    def _expected(self, rows: RowTally, name: str) -> Numbered:
        """Return what must stand in a column of the release."""
        if name in self._policy.public_names:
            clusters = self.book.clusters(rows)
            known = self._labels.get(name)
            if known is None or known[0] is not clusters.keys:
                place = self._policy.public_names.index(name)
                labels = [self._keys.label(place, cluster) for cluster in clusters.keys]  # type: ignore[arg-type]
                known = self._labels[name] = clusters.keys, distinct(labels)
            numbered = known[1]
            return clusters.renumbered(lambda _: numbered)
        return rows.renumbered(
            name, "published", lambda cells: distinct([self._keys.published(name, cell) for cell in cells])
        )

    def _found(self, released: RowTally, name: str) -> Numbered:
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
        if self._policy.withheld is not None:
            gone = clusters.are_equal(self._policy.withheld)
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
        return [rows.meaning(column.name, column.kind) for column in self._policy.public]

    def _untouched(self, rows: RowTally, name: str) -> Numbered:
        return rows.renumbered(
            name, "untouched", lambda cells: distinct([self._keys.untouched(name, cell) for cell in cells])
        )

    def _measures(self) -> dict[str, dict[str, Any]]:
        """Count what each reader learns."""
        policy = self._policy
        names = ["before", "after"]
        if policy.harmless:
            names.append("after_all")
        if self._earlier:
            names += ["together", "together_all"]
        readers = {name: Recount(has_side=bool(policy.side)) for name in names}
        secrets, knowns = self._secrets(None), self._knowns()
        for rows in self._each():
            secret, known = secrets.of(rows), knowns.of(rows)
            for name, reader in readers.items():
                reader.add(Combined.of(self._shown_to(name, rows), len(rows)), secret, known, rows.counts)
        found = {name: reader.found() for name, reader in readers.items()}
        # Without harmless columns the two readers see the same.
        found.setdefault("after_all", found["after"])
        # The reader whom the requirements are for.
        self._learnt[None] = found["together" if self._earlier else "after"]
        return found

    def _shown_to(self, reader: str, rows: RowTally) -> list[Numbered]:
        """Return what a reader sees of each row."""
        if reader == "before":
            return self._public(rows)
        policy = self._policy
        shown = [self.book.clusters(rows), *(self._untouched(rows, name) for name in policy.keep)]
        if reader.endswith("_all"):
            shown += [self._untouched(rows, name) for name in policy.harmless]
        if reader.startswith("together"):
            earlier, aside = self._shown_earlier(rows)
            shown += [*earlier, *(aside if reader.endswith("_all") else ())]
        return shown

    def measured(self, column: str | None) -> dict[str, Any]:
        """Count what the reader whom the requirements are for learns about one sensitive column, or all."""
        if column not in self._learnt:
            reader = Recount(has_side=bool(self._policy.side))
            secrets, knowns = self._secrets(column), self._knowns()
            for rows in self._each():
                seen = Combined.of(self._shown(rows), len(rows))
                reader.add(seen, secrets.of(rows), knowns.of(rows), rows.counts)
            self._learnt[column] = reader.found()
        return self._learnt[column]

    def _shown(self, rows: RowTally) -> list[Numbered]:
        """Return what the reader sees whom the requirements are for."""
        return self._shown_to("together" if self._earlier else "after", rows)

    def _observed(self, rows: RowTally) -> Combined:
        """Return numbers for what that reader sees and knew before."""
        return Combined.pair(Combined.of(self._shown(rows), len(rows)).dense(), self._knowns().of(rows))

    def separated(self, column: str | None) -> int:
        """Count the sensitive values that are apart, where that reader has fewest left."""
        apart = self._apartness(column)
        return min(apart.count(left) for _, left in self._left(column, apart))

    def bits_apart(self) -> dict[str, float]:
        """Count the bits that reader learns at worst and for certain of sensitive values that are apart."""
        apart = self._apartness(None)
        return apart.bits(
            [(known if self._policy.side else 0, left) for known, left in self._left(None, apart)]
        )

    def _apartness(self, column: str | None) -> Apartness:
        return Apartness.of(
            self._sensitive(column), self._policy.choices.tolerance, self._policy.choices.groups
        )

    def _left(self, column: str | None, apart: Apartness) -> Iterator[tuple[int, list[Place]]]:
        """Yield of each thing that reader sees what he knew before, and where what is left to him lies."""
        secrets, knowns = self._secrets(column), self._knowns()
        places: dict[int, Place] = {}
        for rows in self._each():
            secret = secrets.of(rows)
            example = secret.examples()
            for number, key in zip(
                secret.codes[example].tolist(), _keys(rows, apart.columns, example), strict=True
            ):
                if number not in places:
                    places[number] = apart.place(key)
            seen, known = self._observed(rows).dense(), knowns.of(rows)
            known_of = known.codes[seen.examples()].tolist()
            pairs = Combined.pair(seen, secret).occurring()
            left: dict[int, list[Place]] = {}
            for at, what in zip((pairs // secret.size).tolist(), (pairs % secret.size).tolist(), strict=True):
                left.setdefault(at, []).append(places[what])
            yield from ((known_of[at], found) for at, found in left.items())

    def shares(self, asked: StatedRequirement) -> tuple[float, bool]:
        """Return how much the worst class keeps of a requirement on shares, and whether that is enough."""
        numbers: dict[tuple[Hashable, ...], int] = {}
        total: Counter[int] = Counter()
        classes: list[Counter[int]] = []
        for rows in self._each():
            keys, seen = _keys(rows, self._policy.sensitive), self._observed(rows)
            here: dict[int, Counter[int]] = {}
            for key, at, count in zip(keys, seen.codes.tolist(), rows.counts.tolist(), strict=True):
                number = numbers.setdefault(key, len(numbers))
                total[number] += count
                here.setdefault(at, Counter())[number] += count
            classes += here.values()
        rule = ShareRule.of(self._policy, asked, list(numbers), total)
        found = rule.worst(rule.measure(rule.counts(one)) for one in classes)
        return found, rule.is_met_by(found)

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
        cells: list[ValuesFound] = []
        secrets: dict[tuple[Hashable, ...], int] = {}
        values, codes, counts, weights = [], [], [], []
        column = next((one.column for one in self._policy.requirements if one.name == "weight-k"), None)
        held = 0
        for rows in self._each():
            own, found = self._public_values(rows)
            cells.append(found)
            keys = _keys(rows, self._policy.sensitive)
            values.append(own.codes + held)
            codes.append(np.array([secrets.setdefault(key, len(secrets)) for key in keys], dtype=np.int64))
            counts.append(rows.counts)
            if column is not None:
                weights.append(np.bincount(own.codes, weights=weighed(rows, column)))
            held += own.size
        return Multisets(
            ValuesFound.together(cells),
            list(secrets),
            np.concatenate(values),
            np.concatenate(codes),
            np.concatenate(counts),
            np.concatenate(weights) if weights else None,
        )

    def situations(self) -> Situations:
        """Return what can be seen in the rows before any value is merged with another."""
        secrets, knowns = self._secrets(None), self._knowns()
        besides = self._numbers("beside", lambda rows: self._shown(rows)[1:])
        found: list[list[Ints]] = []
        cells: list[ValuesFound] = []
        held = 0
        for rows in self._each():
            own, values = self._public_values(rows)
            cells.append(values)
            known, beside = knowns.of(rows), besides.of(rows)
            beside_known = Combined.pair(beside, known).dense()
            situation = Combined.pair(Combined.pair(own, beside_known), secrets.of(rows)).examples()
            codes = [own.codes + held, beside.codes, known.codes, secrets.of(rows).codes]
            found.append([one[situation] for one in codes])
            held += own.size
        value, *others = (np.concatenate(one) for one in zip(*found, strict=True))
        dense = (Combined(one, int(one.max()) + 1).dense().codes for one in others)
        return Situations(ValuesFound.together(cells).cells, value, *dense)

    def _numbers(self, what: Hashable, columns: Callable[[RowTally], Sequence[Numbered]]) -> AlikeNumbers:
        if what not in self._alike:
            self._alike[what] = AlikeNumbers(columns, self._each)
        return self._alike[what]

    def _knowns(self) -> AlikeNumbers:
        """Return how numbers are assigned to what the reader knows."""
        side = self._policy.side
        return self._numbers("known", lambda rows: [rows.meaning(one.name, one.kind) for one in side])

    def _secrets(self, column: str | None) -> AlikeNumbers:
        """Return how numbers are assigned to the sensitive values."""
        sensitive = self._sensitive(column)
        return self._numbers(
            ("secret", column), lambda rows: [rows.meaning(one.name, one.kind) for one in sensitive]
        )

    def _sensitive(self, column: str | None) -> list[MeasuredColumn]:
        """Return one sensitive column, or all of them."""
        return [one for one in self._policy.sensitive if column in (None, one.name)]

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
