"""Limits on bits hold for every point that is offered and for every row that is compared."""

from __future__ import annotations

from math import log2
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import hartley
from hartley.errors import OptionError, UnreachableError
from hartley.report.words.comparison import finding
from hartley.workflow.rivals.comparison import Measured
from sample_sizes import sample

ALTERNATING = pa.table({"s": ["a", "b", "a", "b"], "x": [0, 1, 2, 3]})


def groups(rows: list[tuple[Any, Any]]) -> dict[Any, set[Any]]:
    found: dict[Any, set[Any]] = {}
    for seen, secret in rows:
        found.setdefault(seen, set()).add(secret)
    return found


def revealed(rows: list[dict[str, Any]], labels: list[int], known: str | None, kept: str | None) -> float:
    """Return L0 by its definition: the candidates beforehand over those that are left, at worst."""

    def told(row: dict[str, Any], name: str | None) -> Any:
        return None if name is None else row[name]

    before = groups([(told(row, known), row["s"]) for row in rows])
    after = groups(
        [
            ((label, told(row, kept), told(row, known)), row["s"])
            for row, label in zip(rows, labels, strict=True)
        ]
    )
    return max(log2(len(before[seen[2]]) / len(left)) for seen, left in after.items())


def certain(rows: list[dict[str, Any]], labels: list[int], known: str | None, kept: str | None) -> float:
    """Return I* by its definition: the components of observations that share a candidate."""
    parts: list[set[Any]] = []
    shown = [
        (label, None if kept is None else row[kept], None if known is None else row[known], row["s"])
        for row, label in zip(rows, labels, strict=True)
    ]
    for left in groups([(seen[:3], seen[3]) for seen in shown]).values():
        touching = [part for part in parts if part & left]
        parts = [part for part in parts if not part & left] + [set().union(left, *touching)]
    return log2(len(parts))


@pytest.mark.parametrize("limit", ["l0=0.5", "istar=0"])
def test_a_frontier_offers_only_points_that_meet_a_limit_on_bits(limit: str) -> None:
    found = hartley.frontier(ALTERNATING, sensitive="s", public="x", require=[limit]).frontier
    assert [(point.max_distortion, point.leakage_bits) for point in found.points] == [(0.5, 0.0)]


@pytest.mark.parametrize("seed", range(sample(40, 400)))
def test_every_point_meets_the_limit_whatever_the_reader_knows(seed: int) -> None:
    source = Random(f"limits {seed}")
    rows = [
        {
            "s": source.choice("abc"),
            "x": source.randint(0, 5),
            "k": source.choice("pq"),
            "w": source.choice("mn"),
        }
        for _ in range(source.randint(4, 9))
    ]
    table = pa.table({name: [row[name] for row in rows] for name in ("s", "x", "k", "w")})
    known, kept = source.choice([None, "w"]), source.choice([None, "k"])
    name, most = source.choice([("l0", source.choice([0, 0.4, 0.6, 1])), ("istar", source.choice([0, 1]))])
    asked = {
        "side": () if known is None else [known],
        "keep": () if kept is None else [kept],
        "leakage": source.choice(["l0", "istar"]),
        "withhold": source.choice([None, 2]),
        "search": "optimal",
    }
    try:
        result = hartley.frontier(table, sensitive="s", public="x", require=[f"{name}={most}"], **asked)
    except UnreachableError:
        return
    except OptionError:
        if (name, most) != ("istar", 1):  # of what is certain only nothing can be required beside others
            raise
        return
    values = [result.joint.public.label(place) for place in range(result.joint.public.size)]
    for point in result.frontier.points:
        labels = [int(point.partition.labels[values.index(row["x"])]) for row in rows]
        measure = revealed if name == "l0" else certain
        assert measure(rows, labels, known, kept) <= most + 1e-9


def test_a_limit_on_bits_holds_with_a_tolerance() -> None:
    table = pa.table({"s": [1, 2, 9, 10], "x": [0, 1, 2, 3]})
    found = hartley.frontier(
        table, sensitive="s", public="x", tolerance={"s": 1}, require=["l0=0.5"]
    ).frontier
    assert all(point.separated_l == 2 for point in found.points)


@pytest.mark.parametrize("limit", ["l0=0.5", "istar=0"])
def test_a_comparison_holds_its_own_rows_to_a_limit_on_bits(limit: str) -> None:
    found = hartley.compare(ALTERNATING, sensitive="s", public="x", require=[limit])
    name, most = limit.split("=")
    answers = [method.answer for method in found.methods if isinstance(method.answer, Measured)]
    assert len(answers) > 3
    bits = [one.l0_bits if name == "l0" else one.istar_bits for one in answers]
    assert max(bits) <= float(most)
    assert found.ours.point.max_distortion == 0.5


def test_a_rival_that_reveals_more_at_the_same_loss_is_not_proven() -> None:
    table = pa.table({"s": list("bbaaab"), "x": list("Zcdefg")})
    found = hartley.compare(table, sensitive="s", public="x", require={"row_k": 3})
    assert (found.ours.point.leakage_bits, found.ours.point.proven_optimal) == (0.0, True)
    worse = [
        method.answer.point
        for method in found.methods
        if isinstance(method.answer, Measured) and method.answer.point.leakage_bits > 0
    ]
    assert worse
    assert not any(point.proven_optimal for point in worse)
    assert "No method does better" in finding(found)


def test_a_frontier_of_the_worst_case_is_asked_for_bits_by_name():
    found = hartley.frontier(ALTERNATING, sensitive="s", public="x")
    assert found.at(l0=0.5).max_distortion == 0.5
    assert found.at(l0=1).max_distortion == 0
