"""Costs and distances in whole ticks are those in fractions, value by value."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.verifier.policy_labels import ValuesFound
from hartley.verifier.proofs.problem import cluster_cost
from hartley.verifier.released_partition import ReleasedPartition, position
from hartley.verifier.tables.plain_keys import meaning, text_keys
from hartley.verifier.tables.reread import as_kind
from hartley.verifier.tables.row_numbers import Numbered

NAIVE = st.one_of(st.datetimes(), st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2)))
SECONDS = NAIVE.map(lambda moment: moment.replace(microsecond=0).isoformat(" "))
ZONES = st.sampled_from(["Z", "+00", "+0530", "-08:00"])
INSIDE = st.datetimes(dt.datetime(1, 1, 3), dt.datetime(9999, 12, 29))
ZONED = st.tuples(INSIDE.map(dt.datetime.isoformat), ZONES).map("".join)
FINER = NAIVE.map(lambda moment: moment.isoformat(" ", "microseconds") + "789")
FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1000, 1000),
    st.sampled_from([1e-300, 1e300, -0.0, 0.0, 5e-324, 0.1]),
)
WHOLE = st.one_of(st.integers(), st.integers(-(2**63), 2**63 - 1), st.integers(-(10**40), 10**40))
COLUMNS = {
    "number": [
        st.integers(-999, 999).map(str),
        WHOLE.map(str),
        st.decimals(-1000, 1000, places=3).map(str),
        st.decimals(allow_nan=False, allow_infinity=False).map(str),
        FLOATS.map(repr),
    ],
    "date": [st.dates().map(str)],
    "timestamp": [SECONDS, NAIVE.map(dt.datetime.isoformat), ZONED, st.one_of(SECONDS, FINER)],
}


@st.composite
def columns(draw: st.DrawFn) -> tuple[str, list[str | None], list[int]]:
    """Draw the kind of a column, its texts, and the cluster of each."""
    kind = draw(st.sampled_from(sorted(COLUMNS)))
    cells = draw(st.sampled_from(COLUMNS[kind]))
    cells = draw(st.sampled_from([cells, st.one_of(st.none(), cells)]))
    texts = draw(st.lists(cells, min_size=1, max_size=12))
    return kind, texts, draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))


def partition_of(
    kind: str,
    texts: list[str | None],
    clusters: list[int],
    labels: list[str | None],
    missing_at: float | None,
) -> ReleasedPartition:
    policy: Any = SimpleNamespace(
        public=[SimpleNamespace(kind=kind, released_kind=kind)],
        clusters=[SimpleNamespace(label=(label,)) for label in labels],
        withheld=3,
        choices=SimpleNamespace(missing_at=missing_at),
    )
    cells = Numbered(*text_keys(texts)).meaning(kind)
    return ReleasedPartition(policy, ValuesFound((cells,), np.array(clusters)))


def slow_position(cell: Any) -> Fraction:
    """Add up parts of a moment as fractions."""
    if isinstance(cell, tuple):
        return slow_position(cell[0]) + Fraction(cell[1], 10**9)
    if isinstance(cell, dt.datetime):
        gap = cell.replace(tzinfo=None) - dt.datetime(1, 1, 1)
        return Fraction(gap.days * 86400 + gap.seconds) + Fraction(gap.microseconds, 10**6)
    return Fraction(cell.toordinal() if isinstance(cell, dt.date) else cell)


def members_of(kind: str, texts: list[str | None], clusters: list[int]) -> dict[int, list[Any]]:
    members: dict[int, list[Any]] = defaultdict(list)
    for text, cluster in zip(texts, clusters, strict=True):
        if cluster != 3:
            members[cluster].append(as_kind(text, kind))
    return members


@settings(max_examples=500, deadline=None)
@given(
    columns(), st.sampled_from(["midpoint", "member", "centroid"]), st.sampled_from([None, 0.0, 12.5, -1e9])
)
def test_costs_in_ticks_are_those_in_fractions(
    column: tuple[str, list[str | None], list[int]], codeword: str, missing_at: float | None
) -> None:
    kind, texts, clusters = column
    at_missing = None if missing_at is None else Fraction(Decimal(repr(missing_at)))
    costs = [
        cluster_cost(codeword, [at_missing if cell is None else slow_position(cell) for cell in cells])
        for cells in members_of(kind, texts, clusters).values()
    ]
    expected = None if None in costs else max((cost for cost in costs if cost is not None), default=0)
    assert partition_of(kind, texts, clusters, [], missing_at).line_cost(codeword) == expected


def slow_distance(one: Any, other: Any) -> float:
    if isinstance(one, tuple) or isinstance(other, tuple):
        return float(abs(slow_position(other) - slow_position(one)))
    gap = abs(other - one)
    if isinstance(gap, dt.timedelta):
        return gap / dt.timedelta(days=1) if type(one) is dt.date else gap.total_seconds()
    return float(gap)


@settings(max_examples=300, deadline=None)
@given(columns(), st.randoms(use_true_random=False))
def test_distances_in_ticks_are_those_cell_by_cell(
    column: tuple[str, list[str | None], list[int]], random: Any
) -> None:
    kind, texts, clusters = column
    named = [text for text in texts if text is not None] or [None]
    labels = [random.choice(named) for _ in range(4)]
    farthest: float | None = 0.0
    widest = 0.0
    members = {
        number: [cell for cell in cells if cell is not None]
        for number, cells in members_of(kind, texts, clusters).items()
    }
    for number, cells in members.items():
        if not cells:
            continue
        low, high = min(cells, key=slow_position), max(cells, key=slow_position)
        label = as_kind(labels[number], kind)
        widest = max(widest, slow_distance(low, high))
        farthest = max(farthest or 0.0, slow_distance(low, label), slow_distance(label, high))
    assert partition_of(kind, texts, clusters, labels, None).spread(0) == (farthest, widest)


@settings(max_examples=300, deadline=None)
@given(columns())
def test_ticks_are_positions(column: tuple[str, list[str | None], list[int]]) -> None:
    kind, texts, clusters = column
    cells = Numbered(*text_keys(texts)).meaning(kind)
    ticks = partition_of(kind, texts, clusters, [], None).ticks(cells)
    for place, text in enumerate(texts):
        cell = as_kind(text, kind)
        tick = ticks.at(place)
        assert (tick is None) == (cell is None)
        if tick is not None:
            assert Fraction(tick, ticks.per_unit) == slow_position(cell) == position(cell)


@pytest.mark.parametrize("spacing", [1, 10**6, 10**12])
@pytest.mark.parametrize("codeword", ["midpoint", "member", "centroid"])
def test_many_moments_cost_what_they_cost_in_fractions(spacing: int, codeword: str) -> None:
    """Sums over many moments far from the first year do not leave 64 bits."""
    begin = dt.datetime(1900, 1, 1)
    texts = [str(begin + dt.timedelta(microseconds=spacing * (place**2 % 4001))) for place in range(2000)]
    texts = [text if "." in text else text + ".0" for text in dict.fromkeys(texts)]
    clusters = [place % 3 for place in range(len(texts))]
    _, keys = meaning(text_keys(texts)[1], "timestamp")
    assert len(keys) == len(texts)
    costs = [
        cluster_cost(codeword, [slow_position(cell) for cell in cells])
        for cells in members_of("timestamp", texts, clusters).values()
    ]
    found = partition_of("timestamp", texts, clusters, [], None).line_cost(codeword)
    assert found == max(cost for cost in costs if cost is not None)
