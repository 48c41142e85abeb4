"""Tables that an attack on the first edition left: each was wrong once, and is held right here."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import pytest

import hartley
from hartley import UtilityChoice
from hartley.cli.program import run
from hartley.errors import UnreachableError

TOP = 2**60
D3 = [(1, 0), (0, 5), (1, 5), (0, 21), (0, 22)]
D4 = (
    "0,12,0 3,1,0 3,9,1 1,4,0 1,5,0 3,0,1 0,1,0 1,12,1 2,4,1 2,1,1 2,6,0 1,7,0 3,3,1 1,8,1 0,10,1 0,9,1 "
    "0,0,1 1,2,1 0,11,0 1,2,0 0,3,0 1,9,0"
)
D4C = (
    "s0,0 s1,0 s0,2 s1,2 s1,3 s2,3 s2,4 s3,6 s4,101 s5,101 s5,102 s5,103 s6,105 s7,106 s8,1000 s9,1003 "
    "s10,1005"
)
CASES = {
    "m": "person_x,s\n1,a\n1,b\n2,b\n",
    "m2": "x,s\n4,b\n6,b\n7,b\n8,a\n10,a\n",
    "d1b": "s,x,b,a\n1,0,k,p\n2,1,k,p\n1,0,k,q\n",
    "d2": "s,x,a\nA,2,p\nA,2,q\nB,1,q\nC,0,p\nD,2,q\nE,1,q\n",
    "d3": "s,x\n" + "".join(f"{s},{2**53 - 986 + x}\n" for s, x in D3),
    "d4_l0_keep": "s,x,a\n" + D4.replace(" ", "\n") + "\n",
    "d4c_13": "s,x\n" + D4C.replace(" ", "\n") + "\n",
    "d6": "s,x,a\nA,11,p\nB,11,q\nC,,p\nD,10,q\nD,11,p\nE,,p\n",
    "e": "s,x\n" + "".join(f"{s},{TOP + x}\n" for x, s in enumerate("pqpq")),
    "e2": f"s,x\np,{TOP + 9}\n",
}  # fmt: skip


@pytest.fixture
def case(tmp_path: Path) -> Any:
    def written(name: str) -> Path:
        path = tmp_path / f"{name}.csv"
        path.write_text(CASES[name], encoding="utf-8")
        return path

    return written


def every_partition(values: list[str]) -> Iterator[list[list[str]]]:
    if not values:
        yield []
        return
    for rest in every_partition(values[1:]):
        yield [[values[0]], *rest]
        for place in range(len(rest)):
            yield [*rest[:place], [values[0], *rest[place]], *rest[place + 1 :]]


def candidates(rows: list[dict[str, str]], parts: list[list[str]], seen: list[str]) -> int:
    """The fewest sensitive values that a reader of a released value and some columns is left with."""
    cluster = {value: number for number, part in enumerate(parts) for value in part}
    left: dict[tuple[Any, ...], set[str]] = {}
    for row in rows:
        left.setdefault((cluster[row["x"]], *(row[name] for name in seen)), set()).add(row["s"])
    return min(map(len, left.values()))


def cost(parts: list[list[str]], utility: str) -> float:
    if utility == "resolution":
        return max(map(len, parts))
    worst = 0.0
    for part in parts:
        if "" in part and len(part) > 1:
            return inf
        if "" not in part:
            worst = max(worst, (max(map(int, part)) - min(map(int, part))) / 2)
    return worst


ROLES = [{"keep": ("a",)}, {"side": ("a",)}, {"keep": ("b",)}, {"keep": ("b",), "side": ("a",)}, {}]


@pytest.mark.parametrize(
    ("name", "utility"), list(product(["d1b", "d2", "d6"], ["distortion", "resolution"]))
)
def test_whatever_some_partition_meets_is_met_at_its_least_cost(case: Any, name: str, utility: Any) -> None:
    table = case(name)
    rows = list(csv.DictReader(CASES[name].splitlines()))
    values = sorted({row["x"] for row in rows})
    asked = [roles for roles in ROLES if name == "d1b" or "b" not in str(roles)]
    for number, (roles, wanted) in enumerate(product(asked, (2, 3))):
        seen = [column for columns in roles.values() for column in columns]
        every = [(cost(parts, utility), candidates(rows, parts, seen)) for parts in every_partition(values)]
        least = min((one for one, kept in every if kept >= wanted), default=inf)
        out = table.with_name(f"{number}.csv")
        request: dict[str, Any] = {"sensitive": "s", "public": "x", "utility": utility, **roles}
        if least == inf:
            with pytest.raises(UnreachableError):
                hartley.release(table, out, require={"distinct_l": wanted}, **request)
            continue
        made = hartley.release(table, out, require={"distinct_l": wanted}, **request)
        found = made.point.largest_cluster if utility == "resolution" else made.point.max_distortion
        assert (found, made.after.distinct_l >= wanted) == (least, True)
        assert made.point.lower_bound_cost is not None
        assert made.point.lower_bound_cost <= least


def test_centroid_costs_are_exact_beyond_two_to_the_53(case: Any) -> None:
    found = hartley.frontier(
        case("d3"), sensitive="s", public="x", utility=UtilityChoice(name="distortion", codeword="centroid")
    )
    places = [Fraction(2**53 - 986 + x) for x in (0, 5, 21, 22)]
    in_two = [(places[0], places[2]), (places[1],), (places[3],)]
    spread = max(max(abs(x - sum(part) / len(part)) for x in part) for part in in_two)
    assert [point.max_distortion for point in found.frontier.points][-1] == float(spread) == 10.5


def test_the_largest_cluster_under_a_kept_column_is_the_least(case: Any) -> None:
    found = hartley.frontier(case("d4_l0_keep"), sensitive="s", public="x", keep="a", utility="resolution")
    assert [(p.largest_cluster, p.distinct_l) for p in found.frontier.points] == [
        (1, 1),
        (2, 2),
        (5, 3),
        (13, 4),
    ]
    assert all(point.proven_optimal for point in found.frontier.points)


def test_the_least_centroid_distortion_without_anything_certain(case: Any) -> None:
    found = hartley.frontier(
        case("d4c_13"),
        sensitive="s",
        public="x",
        leakage="istar",
        utility=UtilityChoice(name="distortion", codeword="centroid"),
    )
    assert found.frontier.points[-1].max_distortion == pytest.approx(451.0, abs=1e-9)


def test_the_nearest_value_is_exact_where_floats_are_not(case: Any) -> None:
    table = case("e")
    made = hartley.release(
        table, table.with_name("o.csv"), sensitive="s", public="x", require={"distinct_l": 2}
    )
    hartley.apply(made.policy, case("e2"), table.with_name("o2.csv"), unseen="nearest", unmet="accept")
    codebook = json.loads(made.policy.read_text(encoding="utf-8"))["clusters"]
    (last,) = (part["label"][0] for part in codebook if [str(TOP + 3)] in part["members"])
    assert table.with_name("o2.csv").read_text(encoding="utf-8").split() == ["x", last]


@pytest.mark.parametrize(("name", "public"), [("m", "person_x"), ("m2", "x")])
def test_the_certificate_says_nothing_that_was_measured(case: Any, name: str, public: str) -> None:
    table = case(name)
    out = table.with_name("o.csv")
    options = ["-s", "s", "-p", public, "--distinct-l", "2", "--publish-sensitive"]
    assert run(["release", str(table), str(out), *options]) == 0
    told = out.with_name("o.certificate.json").read_text(encoding="utf-8")
    for word in ("pairs", "before", "after", "proven", "distortion", "bits", "bound", "components"):
        assert word not in told
    (reader,) = json.loads(told)["predicate"]["readers"]
    assert reader["requirements"] == [{"name": "distinct-l", "column": None, "wanted": 2}]
