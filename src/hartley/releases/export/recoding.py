"""What a policy does to a row, said without a language: which value becomes which label.

A recoding is a list of rules. A rule of one column lists values, ranges and beginnings of text; a joint rule
lists the values of several columns together. What no rule names is refused, becomes missing, or goes to the
nearest value, as asked; the nearest value on a line is a matter of ranges.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from hartley.errors import OptionError, PolicyError, option
from hartley.releases.apply import UNSEEN
from hartley.releases.cell_text import Cell, Kind, cell_text
from hartley.releases.column_recoding import ALL, ON_A_LINE, ColumnRecoding
from hartley.releases.nearest import position
from hartley.releases.policy import Policy, RecodedColumn, Text, Unseen


@dataclass(frozen=True)
class Treatment:
    """What becomes of a cell: a label (missing where there is no text), itself, or a refusal."""

    does: Literal["label", "keep", "refuse"]
    text: Text = None


REFUSED = Treatment("refuse")
MISSING = Treatment("label")
KEPT = Treatment("keep")


@dataclass(frozen=True)
class Range:
    """Values from ``start`` on, up to but without ``stop``, that share a label; open where there is none."""

    start: str | None
    stop: str | None
    label: Text

    def limits(self, cell: str, written: Callable[[str], str]) -> list[str]:
        """Return the conditions that a cell lies in it; its ends are ``written`` as the language has them."""
        ends = ((">=", self.start), ("<", self.stop))
        return [f"{cell} {sign} {written(end)}" for sign, end in ends if end is not None]


@dataclass(frozen=True)
class ColumnRule:
    """What becomes of the cells of one column."""

    column: RecodedColumn
    entries: tuple[tuple[str, Text], ...]
    """Values and their labels; they come before ranges and beginnings."""
    missing: Treatment
    otherwise: Treatment
    ranges: tuple[Range, ...] = ()
    """Rising, each beginning where the one before ends."""
    beginnings: tuple[tuple[str, str], ...] = ()
    """What text begins with, and the label; the first that fits counts."""

    @property
    def size(self) -> int:
        """How many lines a statement needs for it."""
        return len(self.entries) + len(self.ranges) + len(self.beginnings)

    def labels(self) -> Iterator[Text]:
        """Return every label that it can give."""
        yield from (label for _, label in self.entries)
        yield from (one.label for one in self.ranges)
        yield from (label for _, label in self.beginnings)
        yield from (one.text for one in (self.missing, self.otherwise) if one.does == "label")


@dataclass(frozen=True)
class JointRule:
    """What becomes of the cells of several columns, looked up together."""

    columns: tuple[RecodedColumn, ...]
    keys: tuple[tuple[Text, ...], ...]
    labels: tuple[tuple[Text, ...], ...]
    unseen: Unseen
    reaches: tuple[Fraction, ...]
    """How far the values of each column reach, by which distances are divided; 0 where they have none."""
    numbers: tuple[int, ...]
    """The cluster of each key; of two values equally near, that of the earlier cluster counts."""


Rule = ColumnRule | JointRule


@dataclass(frozen=True)
class TableRecoding:
    """Everything that a statement or script has to do to a table."""

    published: tuple[str, ...]
    """The columns of the result, in order."""
    rules: tuple[Rule, ...]
    combinations: JointRule | None
    """The combinations of labels that are published, where each column has a rule; others are withheld."""
    present: tuple[tuple[str, Kind | None], ...]
    """Columns in which a missing cell leaves the row out, and their kinds."""
    keeps_order: bool
    encoding: str
    delimiter: str | None
    unseen: Unseen

    @property
    def recoded(self) -> tuple[RecodedColumn, ...]:
        """The recoded columns, rule by rule."""
        return tuple(column for rule in self.rules for column in columns_of(rule))

    @property
    def size(self) -> int:
        """How many values are listed."""
        return sum(len(rule.keys) if isinstance(rule, JointRule) else rule.size for rule in self.rules)


def columns_of(rule: Rule) -> tuple[RecodedColumn, ...]:
    """Return the columns of a rule."""
    return rule.columns if isinstance(rule, JointRule) else (rule.column,)


def recoding_of(policy: Policy, unseen: Unseen = "error") -> TableRecoding:
    """Return what a policy does, with values that it never saw treated as asked."""
    if unseen not in UNSEEN:
        raise OptionError.unknown("way to treat unseen values", unseen, UNSEEN)
    if policy.bounds_of:
        raise PolicyError(
            f"the policy was made with {option('labels', 'bounds')}, which no export has; use hartley apply"
        )
    kinds: dict[str, Kind | None] = {**policy.untouched_kinds}
    kinds |= {one.name: one.kind for one in (*policy.sensitive, *policy.side)}
    kinds |= {one.name: one.kind for one in policy.public}
    return TableRecoding(
        published=policy.published,
        rules=_rules(policy, unseen),
        combinations=_combinations(policy) if policy.codebooks else None,
        present=tuple((name, kinds.get(name)) for name in policy.never_missing),
        keeps_order=policy.choices.keep_order,
        encoding=policy.reading.encoding,
        delimiter=policy.reading.delimiter,
        unseen=unseen,
    )


def _rules(policy: Policy, unseen: Unseen) -> tuple[Rule, ...]:
    if policy.codebooks:
        if unseen == "nearest":
            raise OptionError(
                "the nearest value is not written where each column has a codebook; "
                f"use {option('unseen', 'suppress')} or {option('unseen', 'error')}"
            )
        pairs = zip(policy.codebooks, policy.public, strict=True)
        withheld = _withheld_entries(policy)
        return tuple(_column_rule(codebook, column, withheld) for codebook, column in pairs)
    if len(policy.public) > 1:
        return (_joint_rule(policy, unseen),)
    (column,) = policy.public
    entries = tuple(
        (member[0], cluster.label[0]) for cluster in policy.clusters for member in cluster.members
    )
    unknown = MISSING if unseen == "suppress" else REFUSED
    missing = next((Treatment("label", label) for text, label in entries if text is None), unknown)
    present = tuple((text, label) for text, label in entries if text is not None)
    if unseen == "nearest":
        if column.kind in ON_A_LINE:
            ranges, half_way = nearest_ranges(policy)
            return (ColumnRule(column, half_way, missing, REFUSED, ranges=ranges),)
        _refuse_nearest()
    return (ColumnRule(column, present, missing, unknown),)


def _refuse_nearest() -> None:
    raise PolicyError(
        f"text and truth values have no nearest one; use {option('unseen', 'suppress')} or "
        f"{option('unseen', 'error')}"
    )


def _joint_rule(policy: Policy, unseen: Unseen) -> JointRule:
    reaches = tuple(_reach(policy, place) for place in range(len(policy.public)))
    if unseen == "nearest" and not any(reaches):
        _refuse_nearest()
    members = [
        (member, cluster.label, number)
        for number, cluster in enumerate(policy.clusters)
        for member in cluster.members
    ]
    return JointRule(
        columns=policy.public,
        keys=tuple(member for member, _, _ in members),
        labels=tuple(label for _, label, _ in members),
        unseen=unseen,
        reaches=reaches,
        numbers=tuple(number for _, _, number in members),
    )


def _reach(policy: Policy, place: int) -> Fraction:
    if policy.public[place].kind not in ON_A_LINE:
        return Fraction(0)
    at = [position(value[place]) for value, _ in policy.entries() if value[place] is not None]
    return (max(at) - min(at) if at else Fraction(0)) or Fraction(1)


def _withheld_entries(policy: Policy) -> tuple[tuple[str, Text], ...]:
    """Return single values that are withheld, whatever band they lie in; several columns have none."""
    if len(policy.public) > 1 or policy.withheld is None:
        return ()
    cluster = policy.clusters[policy.withheld]
    return tuple((member[0], cluster.label[0]) for member in cluster.members if member[0] is not None)


def _column_rule(
    codebook: ColumnRecoding, column: RecodedColumn, withheld: tuple[tuple[str, Text], ...]
) -> ColumnRule:
    """Return the rule of a column that has a codebook of its own; what it lacks is refused here."""
    if codebook.form == "all":
        everything = Treatment("label", ALL)
        return ColumnRule(column, (), everything, everything)
    missing = MISSING if codebook.has_missing else REFUSED
    if codebook.has_missing and codebook.missing_label is not None:
        missing = Treatment("label", codebook.missing_label)
    if codebook.form == "kept":
        return ColumnRule(column, (), missing, KEPT)
    return ColumnRule(
        column,
        _entries_of_groups(codebook, withheld),
        missing,
        REFUSED if codebook.other is None else Treatment("label", codebook.other),
        ranges=tuple(Range(band.begin, band.end, band.label) for band in codebook.bands),
        beginnings=tuple((prefix.begins, prefix.label) for prefix in codebook.prefixes),
    )


def _entries_of_groups(
    codebook: ColumnRecoding, withheld: tuple[tuple[str, Text], ...]
) -> tuple[tuple[str, Text], ...]:
    gone = dict(withheld)
    entries = [(value, group.label) for group in codebook.groups for value in group.values]
    return (*withheld, *(entry for entry in entries if entry[0] not in gone))


def _combinations(policy: Policy) -> JointRule:
    """Return the rule that withholds combinations of labels that are not released."""
    labels = tuple(cluster.label for cluster in policy.clusters)
    return JointRule(
        columns=tuple(
            RecodedColumn(name=column.name, kind=column.released_kind, coding="unchanged")
            for column in policy.public
        ),
        keys=labels,
        labels=labels,
        unseen="suppress",
        reaches=(Fraction(0),) * len(policy.public),
        numbers=tuple(range(len(labels))),
    )


def nearest_ranges(policy: Policy) -> tuple[tuple[Range, ...], tuple[tuple[str, Text], ...]]:
    """Cut the line of the only column half way between neighbours.

    Half way the earlier cluster counts. A range begins with its first value, so where the lower one is the
    earlier, the value half way is an entry of its own.
    """
    (column,) = policy.public
    seen = sorted((value[0], number) for value, number in policy.entries() if value[0] is not None)
    if not seen:
        return (), ()
    starts: list[str | None] = [None]
    labels = [policy.clusters[seen[0][1]].label[0]]
    half_way: list[tuple[str, Text]] = []
    for (low, below), (high, above) in pairwise(seen):
        if below == above:
            continue
        at, belongs_below = _half_way(low, high, column.kind, earlier_below=below < above)
        if belongs_below:
            half_way.append((at, labels[-1]))
        starts.append(at)
        labels.append(policy.clusters[above].label[0])
    ranges = zip(starts, [*starts[1:], None], labels, strict=True)
    return tuple(Range(*one) for one in ranges), tuple(half_way)


def _half_way(low: Cell, high: Cell, kind: Kind, *, earlier_below: bool) -> tuple[str, bool]:
    """Return what lies half way, and whether it belongs to what lies below."""
    if kind == "number":
        with localcontext(prec=100):
            middle = (Decimal(low) + Decimal(high)) / 2
        shortest = Decimal(repr(float(middle)))
        if middle != middle.to_integral_value() and shortest != middle:
            # No float lies half way: the one next to it belongs to its own side.
            return _known_text(middle), shortest < middle
        return _known_text(middle), earlier_below
    gap = high - low
    unit = dt.timedelta(days=1) if kind == "date" else dt.timedelta(microseconds=1)
    steps, rest = divmod(gap // unit, 2)
    # Between two days or microseconds one lies half way only where their distance is even.
    return _known_text(low + unit * (steps + rest)), earlier_below and not rest


def _known_text(cell: Cell) -> str:
    text = cell_text(cell)
    assert text is not None  # noqa: S101 (only missing cells have none)
    return text
