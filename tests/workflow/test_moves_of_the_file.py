"""What a release says about moves is what its file does: held against the cells of file and original."""

from __future__ import annotations

import csv
import datetime as dt
import re
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hartley
from hartley.errors import OptionError
from sample_sizes import sample

DAY = dt.date(2024, 2, 27)
SECOND = dt.datetime(2024, 2, 27, 23, 59)


def released(table: Any, folder: Path, **options: Any) -> tuple[Any, list[dict[str, str]]]:
    options = {"sensitive": "s", "public": "x", "keep_order": True, "overwrite": True, **options}
    made = hartley.release(table, folder / "out.csv", **options)
    with made.output.open(newline="", encoding="utf-8") as file:
        return made, list(csv.DictReader(file))


def number_of(text: str) -> Fraction:
    """Return where a cell lies: a number, a day, or a second; a band or a set at its middle."""
    if found := re.fullmatch(r"[\[{](.*)[\]}]", text):
        ends = [number_of(part) for part in found[1].split(", ")]
        return (min(ends) + max(ends)) / 2
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return Fraction((dt.date.fromisoformat(text) - DAY).days)
    if re.match(r"\d{4}-\d\d-\d\d", text):
        return Fraction((dt.datetime.fromisoformat(text) - SECOND) // dt.timedelta(microseconds=1), 10**6)
    return Fraction(text)


@pytest.mark.parametrize(
    ("labels", "found", "cost"), [(None, "1.5", 1.5), ("centroid", "1.5", 1.5), ("member", "0", 3.0)]
)
def test_the_middle_of_0_and_3_is_1_5(tmp_path: Path, labels: str | None, found: str, cost: float) -> None:
    table = pa.table({"s": ["a", "b"], "x": [0, 3]})
    made, rows = released(table, tmp_path, require={"distinct_l": 2}, labels=labels)
    assert [row["x"] for row in rows] == [found, found]
    assert made.point.max_distortion == made.usefulness.columns[0].max_move == cost


def test_a_cap_of_1_5_lets_0_and_3_share_a_label(tmp_path: Path) -> None:
    table = pa.table({"s": ["a", "b"], "x": [0, 3]})
    made, rows = released(table, tmp_path, require={"max_distortion": 1.5})
    assert [row["x"] for row in rows] == ["1.5", "1.5"]
    assert made.after.distinct_l == 2


def test_a_cap_on_dates_is_held_in_whole_days(tmp_path: Path) -> None:
    table = pa.table({"s": ["a", "b"], "x": [DAY, DAY + dt.timedelta(3)]})
    for require in ({"max_distortion": 1.5}, {"max_distortion": 1.5, "row_k": 1}):
        made, _ = released(table, tmp_path, require=require)
        assert made.point.max_distortion == 0
    made, rows = released(table, tmp_path, require={"max_distortion": 2})
    assert made.point.max_distortion == made.usefulness.columns[0].max_move == 2
    assert len({row["x"] for row in rows}) == 1
    points = hartley.frontier(table, sensitive="s", public="x").frontier.points
    assert [point.max_distortion for point in points] == [0, 2]
    assert all(point.proven_optimal for point in points)


def test_labels_and_codeword_that_differ_are_refused(tmp_path: Path) -> None:
    table = pa.table({"s": ["a", "b"], "x": [0, 3]})
    utility = hartley.UtilityChoice(name="distortion", codeword="midpoint")
    with pytest.raises(OptionError, match="would move values otherwise than"):
        released(table, tmp_path, require={"distinct_l": 2}, labels="member", utility=utility)


def drawn(source: Random) -> dict[str, list[Any]]:
    kind = source.choice(["whole", "decimals", "dates", "moments", "fractions"])
    size = source.randint(4, 14)
    unit = {
        "whole": lambda n: n,
        "decimals": lambda n: n / 8,
        "dates": lambda n: DAY + dt.timedelta(n),
        "moments": lambda n: SECOND + dt.timedelta(seconds=n),
        "fractions": lambda n: SECOND + dt.timedelta(microseconds=n),
    }[kind]
    return {
        "s": [source.choice("abc") for _ in range(size - 2)] + ["a", "b"],
        "x": [unit(source.randint(0, 25)) for _ in range(size)],
    }


@pytest.mark.parametrize("seed", range(sample(30, 120)))
def test_moves_and_costs_are_those_of_the_file(tmp_path: Path, seed: int) -> None:
    source = Random(f"moves {seed}")
    cells = drawn(source)
    labels = source.choice(["midpoint", "centroid", "member", "interval", "set"])
    is_capped = source.random() < 0.4
    worst = hartley.frontier(pa.table(cells), sensitive="s", public="x").frontier.points[-1].max_distortion
    require = {"max_distortion": worst * source.random()} if is_capped else {"distinct_l": 2}
    made, rows = released(pa.table(cells), tmp_path, require=require, labels=labels)
    original = [number_of(str(cell)) for cell in cells["x"]]
    moves = [abs(number_of(row["x"]) - at) for row, at in zip(rows, original, strict=True)]
    column = made.usefulness.columns[0]
    # Seconds since 1970 have 2e-7 between one float and the next.
    assert column.max_move == pytest.approx(float(max(moves)), abs=1e-6)
    assert column.mean_move == pytest.approx(float(sum(moves) / len(moves)), abs=1e-6)
    assert column.counted == ("middle" if labels in ("interval", "set") and any(moves) else "label")
    same = sum(row["x"][0] not in "[{" and not move for row, move in zip(rows, moves, strict=True))
    assert column.unchanged_share == pytest.approx(same / len(rows))
    # A label that is told apart from another lies farther from its values, never than is said.
    assert float(max(moves)) <= made.point.max_distortion * (1 + 1e-9) + 1e-12
    if is_capped:
        assert float(max(moves)) <= require["max_distortion"] * (1 + 1e-9) + 1e-12
    if labels != "centroid":
        assert float(max(moves)) == pytest.approx(made.point.max_distortion, rel=1e-6, abs=1e-9)


def test_a_column_that_became_one_value_has_no_correlation(tmp_path: Path) -> None:
    source = Random(16)
    rows = [(source.randint(0, 40), source.randint(0, 3)) for _ in range(60)]
    table = pa.table(
        {
            "s": [source.choice("abcdefgh") for _ in rows],
            "age": [0.1 * age for age, _ in rows],
            "family": [family + (age > 20) for age, family in rows],
        }
    )
    made, found = released(
        table,
        tmp_path,
        public=["age", "family"],
        shape="columns",
        require={"distinct_l": 6},
        weight={"family": 9},
    )
    (one,) = made.usefulness.correlations
    shown = {name: [row[name] for row in found] for name in ("age", "family")}
    assert len(set(shown["age"])) == 1 < len(set(shown["family"]))
    assert one.before == pytest.approx(np.corrcoef(table["age"], table["family"])[0, 1])
    assert one.after is None


def test_missing_and_withheld_cells_are_left_out_and_counted(tmp_path: Path) -> None:
    table = pa.table(
        {"s": list("abababab"), "x": [1, 1, 2, 2, 90, None, None, 5], "y": [1, 2, 3, 4, 9, 6, 7, None]}
    )
    made, found = released(
        table, tmp_path, public=["x", "y"], shape="columns", require={"distinct_l": 2}, withhold=3
    )
    for column in made.usefulness.columns:
        before = table[column.name].to_pylist()
        here = [at for at, row in enumerate(found) if before[at] is not None and row[column.name] != ""]
        assert column.left_out_rows == len(found) - len(here)
    both = [
        at
        for at, row in enumerate(found)
        if row["x"] and row["y"] and table["x"][at].is_valid and table["y"][at].is_valid
    ]
    assert made.usefulness.correlations[0].left_out_rows == len(found) - len(both)
