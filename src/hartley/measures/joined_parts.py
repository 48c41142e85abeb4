"""Measures of a joint range that comes in parts, one after the other, of which none must be kept.

No value that a reader sees stands in two parts. So what is counted for each observation is counted in its
part, and the worst of all is the worst of the parts; only what is certain depends on all of them, by which
sensitive values are confused somewhere. There is no side information: what was possible before is everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import log2

import numpy as np

from hartley.errors import InputError
from hartley.measures.audit import Audit, audit_of_summary, summary
from hartley.measures.overlap import linked_groups
from hartley.measures.separation import separated_information, separated_values
from hartley.measures.verdicts import ToleranceMeasures, kept
from hartley.model import Alphabet, JointRange, Partition, RangeSummary
from hartley.model.arrays import Ints
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.range_summary import MOST_NARROWEST, NarrowObservation, Span
from hartley.model.requirement import Requirement, Verdict


@dataclass(frozen=True, kw_only=True)
class PartsMeasured:
    """What is measured on all parts together."""

    audit: Audit
    verdicts: tuple[Verdict, ...]
    separation: ToleranceMeasures | None
    """What is kept of values that are apart; ``None`` without a tolerance, or where nobody asked."""


def measured_parts(
    parts: Iterable[tuple[JointRange, Ints]],
    sensitive: Alphabet,
    requirements: Iterable[Requirement] = (),
    closeness: Closeness = NO_CLOSENESS,
    *,
    are_separated: bool = False,
) -> PartsMeasured:
    """Measure parts of a joint range, each with the places of its sensitive values among all.

    What is kept of values that are apart is measured where that is asked for and there is a tolerance.

    >>> one = JointRange.from_pairs([("x", 1), ("x", 2), ("y", 2)])
    >>> other = JointRange.from_pairs([("z", 3)])
    >>> parts = [(one, np.array([0, 1])), (other, np.array([2]))]
    >>> found = measured_parts(parts, Alphabet.of_values([1, 2, 3], ("s",)), [Requirement("row-k", 1)]).audit
    >>> found.distinct_l, found.components, found.pairs
    (1, 2, 4)
    """
    asked = tuple(requirements)
    summaries: list[RangeSummary] = []
    amounts: list[list[float]] = []
    apart: list[ToleranceMeasures] = []
    for joint, places in parts:
        is_whole = len(places) == sensitive.size
        summaries.append(_light(summary(joint), sensitive, places, is_whole=is_whole))
        amounts.append([kept(joint, one, closeness) for one in asked])
        if are_separated and not closeness.is_empty:
            apart.append(ToleranceMeasures.of(joint, closeness))
    if len(summaries) == 1:
        return PartsMeasured(
            audit=audit_of_summary(summaries[0]),
            verdicts=tuple(one.verdict(amount) for one, amount in zip(asked, amounts[0], strict=True)),
            separation=apart[0] if apart else None,
        )
    joined = joined_summary(summaries)
    audit = audit_of_summary(joined)
    bits = {"l0": audit.l0_bits, "istar": audit.istar_bits}
    worst = [min(found) for found in zip(*amounts, strict=True)]
    separation = None
    if apart:
        groups = linked_groups(sensitive.size, joined.anchors, joined.linked)
        separation = joined_separation(apart, sensitive, groups, closeness)
    return PartsMeasured(
        audit=audit,
        verdicts=tuple(
            one.verdict(bits.get(one.name, amount)) for one, amount in zip(asked, worst, strict=True)
        ),
        separation=separation,
    )


def _light(found: RangeSummary, sensitive: Alphabet, places: Ints, *, is_whole: bool) -> RangeSummary:
    """Return a summary by the sensitive values of all parts, with one link for each of its own values."""
    size = sensitive.size
    groups = linked_groups(found.sensitive.size, found.anchors, found.linked)
    observations, rows = np.zeros((2, size), dtype=np.int64)
    observations[places], rows[places] = found.anchored_observations, found.anchored_rows
    return replace(
        found,
        sensitive=sensitive,
        narrowest=found.narrowest if is_whole else tuple(_placed(one, places) for one in found.narrowest),
        anchors=places[groups.firsts[groups.labels]],
        linked=places,
        anchored_observations=observations,
        anchored_rows=rows,
    )


def _placed(found: NarrowObservation, places: Ints) -> NarrowObservation:
    return replace(found, listed=tuple(int(places[code]) for code in found.listed))


def joined_summary(parts: list[RangeSummary]) -> RangeSummary:
    """Return the summary of a joint range from those of its parts, all by the same sensitive values."""
    if any(one.side_columns is not None for one in parts):
        raise InputError("parts of a joint range are measured together without side information only")
    first = parts[0]
    fewest = min(one.fewest for one in parts)
    narrow = [one for one in parts if one.fewest == fewest]
    return replace(
        first,
        rows=sum(one.rows for one in parts),
        pairs=sum(one.pairs for one in parts),
        public_values=sum(one.public_values for one in parts),
        observations=sum(one.observations for one in parts),
        spans=(Span(first.sensitive.size, fewest, max(span.most for one in parts for span in one.spans)),),
        row_k=min(one.row_k for one in parts),
        narrowest_count=sum(one.narrowest_count for one in narrow),
        narrowest_rows=sum(one.narrowest_rows for one in narrow),
        narrowest=tuple(found for one in narrow for found in one.narrowest)[:MOST_NARROWEST],
        anchors=np.concatenate([one.anchors for one in parts]),
        linked=np.concatenate([one.linked for one in parts]),
        anchored_observations=np.sum([one.anchored_observations for one in parts], axis=0),
        anchored_rows=np.sum([one.anchored_rows for one in parts], axis=0),
    )


def joined_groups(size: int, parts: Iterable[tuple[Partition, Ints]]) -> Partition:
    """Return the groups of sensitive values from those in each part, with the places of its values."""
    found = [(places[groups.firsts[groups.labels]], places) for groups, places in parts]
    anchors = np.concatenate([one for one, _ in found])
    return linked_groups(size, anchors, np.concatenate([places for _, places in found]))


def joined_separation(
    parts: list[ToleranceMeasures], sensitive: Alphabet, groups: Partition, closeness: Closeness
) -> ToleranceMeasures:
    """Return what all parts keep of values that are apart; ``groups`` are confused in some part."""
    # What is certain depends on which values are confused at all: each group may stand for what shows it.
    coarse = JointRange.from_codes(
        public_codes=groups.labels, sensitive_codes=np.arange(groups.labels.size), sensitive=sensitive
    )
    values, least = separated_values(coarse, closeness), min(one.separated_l for one in parts)
    spreads = [one.least_spread for one in parts if one.least_spread is not None]
    return ToleranceMeasures(
        tolerance=closeness.to_dict(),
        separated_l=least,
        separated_values=values,
        l0_bits=log2(values / least),
        istar_bits=separated_information(coarse, closeness),
        least_spread=min(spreads, default=None),
    )
