"""Codewords: what stands in the released table for each cluster.

Several public columns are coded column by column inside the same cluster:

* ``midpoint``, ``centroid``, ``member``: a value of the column's own kind inside the cluster's
  range. The middle of numbers is exact: 1.5 for 0 and 3. A mean that has no end is rounded towards the
  middle, so that no value lies farther from it than from the mean. Dates stay dates, and what a cluster of
  them costs is counted from the date that stands for it.
* ``range``: in words, ``180 to 214``, long decimals and dates rounded outwards (``1943-06 to 1944-08``), and
  of text ``A or B``; more than five are ``group 1 of 7 values``, which the codebook lists.
* ``interval``: the text ``[180, 214]``, rounded in the same way; ``set``: the text ``{A, B}``.
  One cell alone stays as it is. A cluster that also holds missing cells says so: ``180 to 214 or missing``,
  ``{A, B, missing}``.

Text and truth values have no middle: for them ``midpoint``, ``centroid`` and ``interval`` mean ``set``,
and ``member`` is the first member. Where text has groups, the lowest one that holds all members stands for
a set: ``Europe`` for ``{France, Italy}``. Under the first three a missing cell takes the label of the
cluster's present cells; a cluster of missing cells only stays missing. A column in which no two different
cells share a cluster is left unchanged.

Two clusters never share a label by accident. The later one moves to the nearest free value
inside its own range (or gets ``#2`` after its text), as long as that is not farther from its members
than ``limit``; only where nothing is free do labels coincide, and then
:attr:`Codebook.partition` is the merged truth.

The type of a recoded column in files and frames that have types: one that holds every label as it is.

The column's own type comes first. New data may have a narrower one than the data of the policy (whole
numbers where labels have decimals, bytes where labels are in the thousands), and the middle of two
milliseconds lies between them: then the type is the next wider one, for a label is never rounded.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

import numpy as np

from hartley.errors import OptionError
from hartley.measures.usefulness import Shown
from hartley.model import Alphabet, Coordinate, Kind, Partition
from hartley.model.arrays import Flags
from hartley.model.words import LABELS, Labels
from hartley.releases.cell_text import Cell, cell_text, parse_cell
from hartley.releases.policy import TEXT_CODINGS, Coding, RecodedColumn
from hartley.releases.ticks import RoundedEnds, Scale, UsedTicks, keep_apart, rounded_ends, scale_of
from hartley.releases.withheld_label import label_cell

Groups: TypeAlias = Mapping[Cell, tuple[Cell, ...]]
"""The ever wider groups of each value of a column, itself first."""
MISSING = "missing"
MOST_MOVES = 2000
"""No cluster tries more free values than this before it takes one of its members."""
MOST_NAMED = 5
"""Sets of more members are named by a count in words."""
MEAN_DIGITS = 9
"""Digits that a mean has more than the cells."""


@dataclass(frozen=True)
class Codebook:
    """The label of every cluster, column by column."""

    columns: tuple[RecodedColumn, ...]
    partition: Partition
    """The clusters as a reader can tell them apart: those with one label are one."""
    labels: tuple[tuple[Cell, ...], ...]
    """One label for each cluster of :attr:`partition`, one cell for each column."""
    coincided: int
    """How many clusters were lost because their labels had to coincide."""


def codebook(
    public: Alphabet,
    partition: Partition,
    labels: Labels = "midpoint",
    *,
    limit: float | None = None,
    withheld: int | None = None,
    withheld_label: str | None = None,
    groups: Mapping[str, Groups] | None = None,
) -> Codebook:
    """Label the clusters of a partition.

    The cluster that is ``withheld`` is released as missing, or under its own label. Over several columns
    clusters that span the same intervals and sets are one released value.

    ``limit`` is the distance beyond which no label moves from a member to stay apart from others.
    ``groups`` has, for columns of text, the ever wider groups of each value, itself first.

    >>> ages = Alphabet.of_values([30, 33, 41, None], ("age",))
    >>> part = Partition.from_clusters([[0, 1], [2, 3]])
    >>> [codebook(ages, part, style).labels for style in ("midpoint", "range", "interval")]
    [((Decimal('31.5'),), (41,)), (('30 to 33',), ('41 or missing',)), (('[30, 33]',), ('41 or missing',))]
    """
    if labels not in LABELS:
        raise OptionError.unknown("kind of labels", labels, LABELS)
    clusters = partition.clusters()
    given = public.given_positions if len(public.coordinates) == 1 else None
    positions = None if given is None else given.tolist()
    coders = [
        _Coder(
            coordinate,
            clusters,
            labels,
            scale_of(coordinate, positions, MEAN_DIGITS if labels == "centroid" else 1),
            limit,
            (withheld, withheld_label),
            (groups or {}).get(coordinate.name),
        )
        for coordinate in public.coordinates
    ]
    _round_ends(coders, clusters)
    is_joint = len(coders) > 1 and labels in ("range", "interval", "set")
    chosen = _plain(coders, clusters) if is_joint else _apart(coders, clusters)
    keys = list(map(_key, chosen))
    if len(set(keys)) < len(chosen) and limit is None and not any(coder.is_text for coder in coders):
        # Members differ between clusters, so labels that are members never coincide.
        chosen = [next(_members(coders, number, cluster)) for number, cluster in enumerate(clusters)]
        keys = list(map(_key, chosen))
    numbers: dict[Hashable, int] = {}
    merged = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
    told_apart = Partition(merged[partition.labels])
    first_cluster = partition.labels[told_apart.firsts]
    return Codebook(
        tuple(coder.column for coder in coders),
        told_apart,
        tuple(chosen[number] for number in first_cluster.tolist()),
        0 if is_joint else partition.size - told_apart.size,
    )


class _Coder:
    """The labels of one column, and the other values each of its clusters could take."""

    def __init__(
        self,
        coordinate: Coordinate,
        clusters: list[list[int]],
        labels: Labels,
        scale: Scale | None,
        limit: float | None,
        withheld: tuple[int | None, str | None] = (None, None),
        groups: Groups | None = None,
    ) -> None:
        self.coordinate = coordinate
        self.groups = groups
        self.withheld, self.withheld_label = withheld
        self.scale = scale
        self.limit = None if limit is None or self.scale is None else self.scale.limit(limit)
        self.cells = coordinate.cells
        inside = [[self.cells[place] for place in cluster] for cluster in clusters]
        are_different = len(set(self.cells)) == len(self.cells)
        self.distinct = inside if are_different else [list(dict.fromkeys(cells)) for cells in inside]
        self.clusters = clusters
        self.column = RecodedColumn(name=coordinate.name, kind=coordinate.kind, coding=self._coding(labels))
        self.in_words = labels == "range"
        self._numbers: dict[tuple[Cell, ...], int] = {}
        self.ends: RoundedEnds | None = None
        self._rooms: dict[int, tuple[int, int]] = {}

    def _coding(self, labels: Labels) -> Coding:
        kept = [cells for number, cells in enumerate(self.distinct) if number != self.withheld]
        if all(len(cells) == 1 for cells in kept):
            return "unchanged"
        if self.scale is None and labels != "member":
            return "set"
        return labels

    @property
    def is_text(self) -> bool:
        return self.column.coding in ("range", "interval", "set")

    def label(self, number: int) -> Cell:
        """Return the label that the coding asks for."""
        cells = self.distinct[number]
        if number == self.withheld:
            return self._of_withheld()
        if len(cells) == 1:
            return cell_text(cells[0]) if self.is_text else cells[0]
        if self.scale is not None and not self.is_text:
            return self.scale.value(self._best(self._ticks(number)))
        present = sorted(cell for cell in cells if cell is not None)
        if self.column.coding == "set":
            group = self._group(present)
            if group is not None:
                return f"{group} or {MISSING}" if None in cells else group
            if self.in_words:
                text = self._in_words(tuple(present))
                return f"{text} or {MISSING}" if None in cells else text
            return "{" + ", ".join([*map(set_item, present), *([MISSING] if None in cells else [])]) + "}"
        if self.column.coding in ("range", "interval"):
            rounded = None if self.ends is None else self.ends.texts(number)
            low, high = rounded or (str(cell_text(present[0])), str(cell_text(present[-1])))
            text = low if low == high else f"{low} to {high}" if self.in_words else f"[{low}, {high}]"
            return f"{text} or {MISSING}" if None in cells else text
        return present[0]

    def _in_words(self, cells: tuple[Cell, ...]) -> str:
        """Name a set: few members one by one, many by how many they are and a number of their own."""
        if len(cells) <= MOST_NAMED:
            return " or ".join(set_item(cell, _WORDS) for cell in cells)
        number = self._numbers.setdefault(cells, len(self._numbers) + 1)
        return f"group {number} of {len(cells)} values"

    def _group(self, cells: Sequence[Cell]) -> str | None:
        """Return the lowest group that holds several values; nothing where there is none."""
        if self.groups is None or len(cells) < 2:
            return None
        levels = zip(*(self.groups[cell] for cell in cells), strict=True)
        return next((str(level[0]) for level in levels if len(set(level)) == 1), None)

    def _of_withheld(self) -> Cell:
        if self.withheld_label is None or self.is_text:
            return self.withheld_label
        return label_cell(self.coordinate, self.withheld_label)

    def _tick(self, place: int) -> int | None:
        return None if self.scale is None else self.scale.ticks[place]

    def _ticks(self, number: int) -> list[int]:
        assert self.scale is not None  # noqa: S101 (asked only where there is a scale)
        every = self.scale.ticks
        found = {every[place] for place in self.clusters[number]}
        found.discard(None)
        return sorted(found)  # type: ignore[arg-type]

    def _best(self, ticks: list[int]) -> int:
        """Return the tick of the label."""
        low, high = ticks[0], ticks[-1]
        if self.column.coding == "member":
            return min(ticks, key=lambda tick: (max(tick - low, high - tick), tick))
        if self.column.coding == "midpoint":
            return (low + high) // 2
        total, count = sum(ticks), len(ticks)
        above = 2 * total > count * (low + high)
        # Of numbers towards the middle, so that the farthest member does not get farther. Days lie too far
        # from each other for that, so away from it: the cost is then the next whole number of days.
        is_down = above if self.column.kind == "number" else not above
        return total // count if is_down else -(-total // count)

    def moves(self, number: int, used: UsedTicks) -> Iterator[Cell]:
        """Return other labels inside the cluster's range and the limit, the nearest first.

        Each is handed out once for all clusters that share what is ``used``: whoever asks for another has
        seen that it is taken, and it stays so.
        """
        if self.scale is None or self.is_text or len(self.distinct[number]) == 1 or number == self.withheld:
            return
        ticks = self._ticks(number)
        best = self._best(ticks)
        low, high = self._room(number)
        if self.column.coding == "member":
            near = sorted(ticks, key=lambda tick: (abs(tick - best), tick))[1:]
            yield from (self.scale.value(tick) for tick in near if low <= tick <= high)
            return
        low, high = max(low, best - MOST_MOVES + 1), min(high, best + MOST_MOVES - 1)
        used.use(best)
        while (tick := used.nearest_free(best, low, high)) is not None:
            used.use(tick)
            yield self.scale.value(tick)

    def _room(self, number: int) -> tuple[int, int]:
        """Return the first and the last tick inside a cluster's range that its limit allows."""
        if number not in self._rooms:
            ticks = self._ticks(number)
            low, high = ticks[0], ticks[-1]
            self._rooms[number] = (
                (low, high)
                if self.limit is None
                else (max(low, high - self.limit), min(high, low + self.limit))
            )
        return self._rooms[number]

    def member(self, number: int, place: int) -> Cell:
        """Return what a member puts in this column when it stands for its cluster."""
        return self.label(number) if self.is_text or number == self.withheld else self.cells[place]

    def allows(self, number: int, place: int) -> bool:
        """Tell whether a member's own cell may stand for the cluster."""
        tick = self._tick(place)
        is_free = self.is_text or tick is None or number == self.withheld
        if is_free or tick is None:
            return True
        low, high = self._room(number)
        return low <= tick <= high


def _round_ends(coders: list[_Coder], clusters: list[list[int]]) -> None:
    """Round the ends of intervals outwards, as far as labels that differ stay different."""
    ends = [
        None
        if coder.scale is None or coder.column.coding not in ("range", "interval")
        else rounded_ends(coder.coordinate, coder.scale, clusters, coder.withheld)
        for coder in coders
    ]
    if any(column is not None for column in ends):
        keep_apart(ends, [tuple(map(cell_text, label)) for label in _plain(coders, clusters)])
        for coder, column in zip(coders, ends, strict=True):
            coder.ends = column


def _plain(coders: list[_Coder], clusters: list[list[int]]) -> list[tuple[Cell, ...]]:
    """Return the labels that the codings ask for."""
    return [tuple(coder.label(number) for coder in coders) for number in range(len(clusters))]


def _apart(coders: list[_Coder], clusters: list[list[int]]) -> list[tuple[Cell, ...]]:
    """Choose the labels in order; those that have no choice come first."""
    chosen = _plain(coders, clusters)
    fixed = [
        coders[0].withheld == number or all(len(coder.distinct[number]) == 1 for coder in coders)
        for number in range(len(clusters))
    ]
    taken = {_key(chosen[number]) for number in range(len(clusters)) if fixed[number]}
    used: dict[Hashable, UsedTicks] = defaultdict(UsedTicks)
    for number, cluster in enumerate(clusters):
        if fixed[number]:
            continue
        if _key(chosen[number]) in taken:
            others = _others(coders, number, cluster, chosen[number], used)
            chosen[number] = next((label for label in others if _key(label) not in taken), chosen[number])
        taken.add(_key(chosen[number]))
    return chosen


def _others(
    coders: list[_Coder],
    number: int,
    cluster: list[int],
    label: tuple[Cell, ...],
    used: dict[Hashable, UsedTicks],
) -> Iterator[tuple[Cell, ...]]:
    """Return other labels for a cluster; ``used`` has what was tried beside the same other cells."""
    key = _key(label)
    for place, coder in enumerate(coders):
        for cell in coder.moves(number, used[place, key[:place], key[place + 1 :]]):
            yield (*label[:place], cell, *label[place + 1 :])
    texts = (place for place, coder in enumerate(coders) if coder.is_text and label[place] is not None)
    text = next(texts, None)
    if text is None:
        yield from _members(coders, number, cluster)
        return
    again = used[key]
    while True:
        again.count += 1
        yield (*label[:text], f"{label[text]} #{again.count}", *label[text + 1 :])


def _members(coders: list[_Coder], number: int, cluster: list[int]) -> Iterator[tuple[Cell, ...]]:
    """Return the cluster's own members as labels, those without a missing cell first."""
    allowed = [place for place in cluster if all(coder.allows(number, place) for coder in coders)]
    labels = [tuple(coder.member(number, place) for coder in coders) for place in allowed]
    yield from sorted(labels, key=lambda label: sum(cell is None for cell in label))


def _key(label: tuple[Cell, ...]) -> tuple[str | None, ...]:
    # Cells of one column are of one kind, so their texts tell them apart.
    return tuple(cell_text(cell) for cell in label)


_MARKS = re.compile(r'[,{}"]')
_WORDS = re.compile(r'"| or |^group [0-9]')
"""What a cell of a set in words may not hold, unless it stands in quotes."""


def set_item(cell: Cell, marks: re.Pattern[str] = _MARKS) -> str:
    """Write a cell as a member of a set, in quotes where it could be mistaken for several."""
    text = cell if type(cell) is str else cell_text(cell)
    assert text is not None  # noqa: S101 (missing cells are written as a word by the caller)
    plain = text.strip() == text and text not in ("", MISSING) and marks.search(text) is None
    return text if plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def shown_columns(public: Alphabet, book: Codebook) -> tuple[Shown, ...]:
    """Return the cells of a codebook as a file has them.

    >>> ages = Alphabet.of_values([30, 33, 41], ("age",))
    >>> (age,) = shown_columns(ages, codebook(ages, Partition.from_clusters([[0, 1], [2]])))
    >>> age.positions, age.is_unchanged
    (array([31.5, 41. ]), array([False, False,  True]))
    """
    return tuple(
        _shown(coordinate, [label[place] for label in book.labels], book, book.columns[place].coding)
        for place, coordinate in enumerate(public.coordinates)
    )


def _shown(column: Coordinate, labels: list[Cell], book: Codebook, coding: Coding) -> Shown:
    number: dict[str | None, int] = {}
    is_text = coding in TEXT_CODINGS
    is_line = column.kind not in ("text", "boolean")
    return Shown(
        codes=np.array([number.setdefault(cell_text(label), len(number)) for label in labels]),
        missing=np.array([label is None for label in labels]),
        positions=np.array(list(map(column.position_of, labels))) if is_line and not is_text else None,
        counted="middle" if is_line and is_text else "label",
        is_unchanged=_unchanged(column, labels, book, is_text=is_text),
    )


def _unchanged(column: Coordinate, labels: list[Cell], book: Codebook, *, is_text: bool) -> Flags:
    """Return for each value whether the file has the cell that the table has."""
    pairs = zip(column.cells, book.partition.labels.tolist(), strict=True)
    if is_text:
        return np.array([labels[cluster] == cell_text(cell) for cell, cluster in pairs])
    return np.array([labels[cluster] == cell for cell, cluster in pairs])


_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
_WIDEST = 38
"""Digits that a column of fixed decimals has room for."""
_MICROSECONDS = {"TIMESTAMP_S": 1_000_000, "TIMESTAMP_MS": 1000}
_FIRST_NANOSECOND, _LAST_NANOSECOND = 1678, 2261
"""The years that a count of nanoseconds in 64 bits has whole."""


def type_for_labels(own: str, kind: Kind, labels: Sequence[str | None]) -> str:
    """Return the first type, from the column's own on, that holds all labels; text where none does.

    >>> type_for_labels("TINYINT", "number", ["1", "100"]), type_for_labels("TINYINT", "number", ["1", "999"])
    ('TINYINT', 'BIGINT')
    >>> type_for_labels("BIGINT", "number", ["1.25", None])
    'DOUBLE'
    """
    cells = [parse_cell(text, kind) for text in set(labels) if text is not None]
    if kind == "number":
        return next(
            (wide for wide in _wider(own, cells) if all(_holds(wide, cell) for cell in cells)), "VARCHAR"
        )
    if kind == "timestamp" and not all(_keeps(own, cell) for cell in cells):
        return "TIMESTAMP"
    return own


def _wider(own: str, numbers: Sequence[int | Decimal]) -> Iterator[str]:
    yield own
    yield "BIGINT"
    yield f"DECIMAL({_WIDEST}, 0)"
    yield "DOUBLE"
    yield f"DECIMAL({_WIDEST}, {max(map(_decimals, numbers), default=0)})"


def _holds(kind: str, number: int | Decimal) -> bool:
    exact = Decimal(number)
    if found := _DECIMAL.fullmatch(kind):
        digits, room = int(found[1]), int(found[2])
        return _decimals(number) <= room and exact.copy_abs() < Decimal(10) ** (digits - room)
    if kind in ("DOUBLE", "FLOAT"):
        return Decimal(repr(float(exact))) == exact
    bits = _BITS.get(kind.removeprefix("U"))
    if bits is None or not isinstance(number, int):
        return False
    low, high = (0, 1 << bits) if kind.startswith("U") else (-1 << (bits - 1), 1 << (bits - 1))
    return low <= number < high


def _decimals(number: int | Decimal) -> int:
    return 0 if isinstance(number, int) else max(0, -int(number.as_tuple().exponent))


def _keeps(kind: str, moment: dt.datetime) -> bool:
    if kind == "TIMESTAMP_NS":
        return _FIRST_NANOSECOND <= moment.year <= _LAST_NANOSECOND
    return moment.microsecond % _MICROSECONDS.get(kind, 1) == 0
