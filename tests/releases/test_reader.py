"""The reader of a frontier with kept columns and earlier releases is the reader of the release."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from hartley import Target, frontier, release
from hartley.cli.program import run
from hartley.measures.audit import measure


@pytest.fixture
def table(tmp_path):
    """Build small tables whose kept column has one text for two equal numbers, too."""

    def write(seed: int):
        source = np.random.default_rng(seed)
        path = tmp_path / f"table{seed}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["x", "s", "kept", "known", "harmless"])
            for _ in range(40):
                x, s, k, a, h = source.integers(0, [7, 5, 3, 2, 4]).tolist()
                writer.writerow([x, f"s{s}", ["1", "1.0", "2"][k], f"a{a}", h])
        return path

    return write


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("side", [(), ("known",)])
@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
def test_every_point_is_measured_for_the_reader_who_gets_the_release(table, tmp_path, seed, side, leakage):
    path = table(seed)
    roles = {"sensitive": "s", "public": "x", "side": side, "keep": ("kept",), "leakage": leakage}
    found = frontier(path, **roles, utility="resolution", time_limit=5)
    assert found.reader.beside == ("kept",)
    for number, point in enumerate(found.frontier.points[:: max(1, len(found.frontier.points) // 3)]):
        seen = measure(found.reader.sees(point.partition))
        bits = seen.istar_bits if leakage == "istar" else seen.l0_bits
        made = release(
            path,
            tmp_path / f"{number}.csv",
            target=Target("max_leakage", bits),
            point=point,
            found_in=found.joint,
            utility="resolution",
            harmless="harmless",
            exposure="accept",
            **roles,
        )
        # The point that was chosen is the point that is released, with what was proven about it.
        assert made.point == point
        for key in ("l0_bits", "istar_bits", "i0_bits", "distinct_l", "row_k", "components", "observations"):
            assert getattr(made.after, key) == getattr(seen, key), key
        assert seen.l0_bits == found.reader.l0_bits(point.partition) >= 0
        assert made.after.distinct_l == point.distinct_l


def test_earlier_releases_are_seen_beside_the_released_values(table, tmp_path):
    path = table(7)
    first = release(
        path, tmp_path / "first.csv", target=Target("distinct_l", 4), sensitive="s", public="x", keep="kept"
    )
    asked = {"sensitive": "s", "public": "x", "earlier": [first.policy], "utility": "resolution"}
    found = frontier(path, **asked)
    point = found.frontier.points[-1]
    made = release(
        path,
        tmp_path / "second.csv",
        target=Target("max_leakage", found.reader.l0_bits(point.partition)),
        point=point,
        found_in=found.joint,
        **asked,
    )
    assert made.point == point
    assert made.together is not None
    assert made.together.l0_bits == found.reader.l0_bits(point.partition)
    assert made.together.distinct_l == point.distinct_l


def test_nothing_proven_for_one_reader_is_claimed_for_another(table, tmp_path):
    path = table(1)
    alone = frontier(path, sensitive="s", public="x", utility="resolution")
    point = alone.frontier.points[-1]
    assert point.lower_bound_bits is not None
    made = release(
        path,
        tmp_path / "out.csv",
        target=Target("max_leakage", 10),
        point=point,
        found_in=alone.joint,
        sensitive="s",
        public="x",
        keep="kept",
        utility="resolution",
    )
    assert made.point.lower_bound_bits is None


def test_the_command_line_takes_kept_columns_and_earlier_policies(table, tmp_path, capsys):
    path = table(2)
    first = release(path, tmp_path / "first.csv", target=Target("distinct_l", 3), sensitive="s", public="x")
    asked = ["-s", "s", "-p", "x", "--keep", "kept", "--earlier", str(first.policy), "--time-limit", "99"]
    assert run(["frontier", str(path), *asked, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    found = frontier(path, sensitive="s", public="x", keep="kept", earlier=[str(first.policy)], time_limit=99)
    assert shown == json.loads(json.dumps(found.to_dict()))
    assert run(["frontier", str(path), *asked]) == 0
    assert "Readers also see kept and earlier release 1" in " ".join(capsys.readouterr().out.split())
    assert run(["report", str(path), *asked, "-o", str(tmp_path / "r.html"), "--disclosive"]) == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<dt>Seen beside it, as it is</dt><dd>kept and earlier release 1</dd>" in page
    assert "combination of x, kept and earlier release 1" in page


@pytest.mark.parametrize(
    ("keep", "said"), [("x", "public already"), ("s", "sensitive already"), ("no", "'no'")]
)
def test_a_column_that_cannot_be_kept_is_refused_in_one_line(table, capsys, keep, said):
    assert run(["frontier", str(table(3)), "-s", "s", "-p", "x", "--keep", keep]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1
