"""One codebook for each column, as a curator types it: release, apply, frontier, and what is refused."""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hartley.cli.program import run
from hartley.releases.policy import Policy
from hartley.verifier import policy_labels
from hartley.verifier.checks import Checks
from hartley.verifier.policy_labels import check_codebooks
from hartley.verifier.tables.reread import as_kind

COLUMNS = ("age", "seen", "town", "sex", "illness")
TOWNS = ["Ayr", "Bath", "Bath", "Bath", "Cork", "Cork", "Cork", "Ely", "Deal"]


def rows(count: int, seed: int = 5) -> list[tuple[Any, ...]]:
    generator = random.Random(seed)
    return [
        (
            generator.randrange(18, 80),
            f"2024-{generator.randrange(1, 13):02d}-{generator.randrange(1, 28):02d}",
            generator.choice(TOWNS),
            generator.choice("fm"),
            generator.choice("uvwxyz"),
        )
        for _ in range(count)
    ]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return written(tmp_path / "people.csv", rows(90))


def written(path: Path, lines: list[tuple[Any, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *lines])
    return path


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def asked(table: Path, out: Path, *more: object) -> list[object]:
    public = ["-p", "age", "-p", "town", "-p", "sex"]
    return ["release", table, out, "-s", "illness", *public, "--shape", "columns", "--distinct-l", "3", *more]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_combination_keeps_what_is_required_and_every_column_has_one_codebook(table, tmp_path, capsys):
    out = tmp_path / "out.csv"
    code, printed, _ = called(capsys, *asked(table, out, "--withhold", "5%", "--keep-order", "--json"))
    result = json.loads(printed)
    assert code == 0
    assert result["verified"]
    point = result["point"]
    assert point["shape"] == "columns"
    assert [one["column"] for one in point["codebooks"]] == ["age", "town", "sex"]
    assert point["withheld_rows"] <= 4
    assert point["maximal"]
    assert point["choice_bits"] > 0
    candidates = defaultdict(set)
    label_of: dict[tuple[str, str], set[str]] = defaultdict(set)
    withheld = 0
    for before, after in zip(read(table), read(out), strict=True):
        combination = (after["age"], after["town"], after["sex"])
        candidates[combination].add(before["illness"])
        if any(combination):
            for name in ("age", "town", "sex"):
                label_of[name, before[name]].add(after[name])
        else:
            withheld += 1
    assert min(map(len, candidates.values())) >= 3
    assert all(len(labels) == 1 for labels in label_of.values())
    assert withheld == point["withheld_rows"]
    policy = Policy.read(result["policy"])
    assert [one.column for one in policy.codebooks] == ["age", "town", "sex"]
    assert len(policy.withheld_combinations) == point["withheld_combinations"]
    record = json.loads(Path(result["record"]).read_text())["codebooks"]
    assert record["choice_bits"] == point["choice_bits"]
    assert "no bound on L0" in record["choice_means"]


def test_a_line_says_what_became_of_each_column(table, tmp_path, capsys):
    code, printed, _ = called(
        capsys,
        "release",
        table,
        tmp_path / "out.csv",
        "-s",
        "illness",
        "-p",
        "age",
        "-p",
        "town",
        "--keep",
        "sex",
        "--shape",
        "columns",
        "--row-k",
        "6",
        "--weight",
        "age=3",
        "--borders",
        "age=10",
    )
    assert code == 0
    assert "sex kept" in printed
    assert "age in" in printed
    assert "town" in printed
    assert "can carry at most" in printed
    assert {row["sex"] for row in read(tmp_path / "out.csv")} == {"f", "m"}
    borders = {
        edge
        for band in Policy.read(tmp_path / "out.policy.json").codebooks[0].bands
        for edge in (band.begin, band.end)
        if edge is not None
    }
    assert all(int(border) % 10 == 0 for border in borders)


def test_new_rows_find_their_bands_and_new_categories_are_others(table, tmp_path, capsys):
    out = tmp_path / "out.csv"
    assert called(capsys, *asked(table, out, "--weight", "age=5"))[0] == 0
    policy = Policy.read(tmp_path / "out.policy.json")
    age, town, _ = policy.codebooks
    new = written(
        tmp_path / "new.csv", [(101, "2024-01-01", "Bath", "f", "u"), (3, "2024-01-01", "Oban", "m", "v")]
    )
    code, _, err = called(
        capsys, "apply", tmp_path / "out.policy.json", new, tmp_path / "new_out.csv", "--accept-unmet"
    )
    if town.other is None and town.form == "groups":
        assert code == 2
        assert "never seen" in err
        return
    assert code == 0
    released = {cluster.label for cluster in policy.clusters}
    found = [
        tuple(row[name] or None for name in ("age", "town", "sex")) for row in read(tmp_path / "new_out.csv")
    ]
    assert all(label in released or not any(label) for label in found)
    assert age.bands[0].begin is None
    assert age.bands[-1].end is None


def test_codebooks_that_do_not_make_the_labels_are_noticed(table, tmp_path, capsys):
    assert called(capsys, *asked(table, tmp_path / "out.csv", "--withhold", "6"))[0] == 0
    policy = Policy.read(tmp_path / "out.policy.json")

    def failures(changed: Policy) -> list[str]:
        checks = Checks()
        check_codebooks(checks, changed)
        return [check.name for check in checks.done if not check.holds]

    assert failures(policy) == []
    first = policy.codebooks[0]
    assert first.form == "bands"
    moved = tuple(
        msgspec.structs.replace(band, label=other.label)
        for band, other in zip(first.bands, first.bands[::-1], strict=True)
    )
    books = (msgspec.structs.replace(first, bands=moved), *policy.codebooks[1:])
    assert "codebooks of the columns" in failures(msgspec.structs.replace(policy, codebooks=books))
    twice = (msgspec.structs.replace(first, bands=(*first.bands, *first.bands)), *policy.codebooks[1:])
    assert "codebooks of the columns" in failures(msgspec.structs.replace(policy, codebooks=twice))
    more = (*policy.withheld_combinations, policy.clusters[0].label)
    assert "withheld combinations" in failures(msgspec.structs.replace(policy, withheld_combinations=more))


def test_each_different_cell_is_looked_up_once_by_the_verifier(table, tmp_path, capsys, monkeypatch):
    assert called(capsys, *asked(table, tmp_path / "out.csv"))[0] == 0
    policy = Policy.read(tmp_path / "out.policy.json")
    read_cells = []
    monkeypatch.setattr(
        policy_labels, "as_kind", lambda cell, kind: read_cells.append(cell) or as_kind(cell, kind)
    )
    check_codebooks(Checks(), policy)
    ages = {member[0] for cluster in policy.clusters for member in cluster.members}
    assert len(read_cells) == len(ages) + 2 * len(policy.codebooks[0].bands)


def test_the_frontier_is_the_loss_at_each_level(table, capsys):
    call = ["frontier", table, "-s", "illness", "-p", "town", "-p", "sex", "--shape", "columns"]
    code, printed, _ = called(capsys, *call, "--json")
    assert code == 0
    points = json.loads(printed)["points"]
    losses, levels = [one["loss"] for one in points], [one["distinct_l"] for one in points]
    assert losses == sorted(losses)
    assert levels == sorted(set(levels))
    assert losses[0] == 0
    assert all(one["shape"] == "columns" for one in points)
    assert "loss" in called(capsys, *call)[1]


REFUSED = {
    "borders without their column": (["--borders", "10"], "name the column"),
    "a calendar on numbers": (["--borders", "age=month"], "need dates"),
    "borders on text": (["--borders", "town=5"], "has no borders"),
    "a step that is not positive": (["--borders", "age=-5"], "positive"),
    "a column that is not there": (["--weight", "size=2"], "no public column 'size'"),
    "a weight of nothing": (["--weight", "age=0"], "positive number"),
    "what is certain": (["--leakage", "istar"], "leakage l0"),
    "a codeword": (["--codeword", "centroid"], "loss of its own"),
    "labels of another kind": (["--labels", "set"], "leave --labels out"),
    "a cap": (["--max-distortion", "2"], "no cap"),
    "the greedy search": (["--search", "greedy"], "--search greedy knows no shapes"),
    "side information and withheld rows": (["--side", "seen", "--withhold", "5%"], "leave --withhold out"),
    "side information and bits": (["--side", "seen", "--require", "l0=1"], "say --distinct-l instead"),
    "what is certain of the whole": (["--require", "istar=0"], "of the whole release"),
    "a prefix of numbers": (["--prefix", "age"], "is for text"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_meaning_is_one_line(table, tmp_path, capsys, name):
    options, reason = REFUSED[name]
    code, _, err = called(capsys, *asked(table, tmp_path / "out.csv", *options))
    lines = [line for line in err.splitlines() if line.startswith("hartley: ")]
    assert code == 2
    assert len(lines) == 1
    assert reason in lines[0]


def test_an_order_that_misses_a_value_names_it(table, tmp_path, capsys):
    (tmp_path / "order.txt").write_text("Ayr\nBath\nCork\nDeal\n")
    code, _, err = called(
        capsys, *asked(table, tmp_path / "o.csv", "--order", f"town={tmp_path / 'order.txt'}")
    )
    assert code == 2
    assert "misses 'Ely'" in err


def test_ordered_text_and_dates_have_bands(table, tmp_path, capsys):
    (tmp_path / "order.txt").write_text("Ayr\nBath\nCork\nDeal\nEly\nFife\n")
    code, _, _ = called(
        capsys,
        "release",
        table,
        tmp_path / "o.csv",
        "-s",
        "illness",
        "-p",
        "town",
        "-p",
        "seen",
        "--shape",
        "columns",
        "--row-k",
        "5",
        "--distinct-l",
        "3",
        "--order",
        f"town={tmp_path / 'order.txt'}",
        "--borders",
        "seen=quarter",
    )
    assert code == 0
    town, seen = Policy.read(tmp_path / "o.policy.json").codebooks
    if town.form == "groups":
        assert "Fife" in [value for group in town.groups for value in group.values]
    assert seen.form in ("bands", "all")
    assert all(band.begin is None or band.begin[-2:] == "01" for band in seen.bands)


def test_numbers_of_too_many_digits_are_refused_with_what_helps(tmp_path, capsys):
    table = tmp_path / "long.csv"
    lines = [f"{10**17 + place},{place % 2},{'uvw'[place % 3]}" for place in range(12)]
    table.write_text("\n".join(["number,sex,illness", *lines]) + "\n")
    call = ["release", table, tmp_path / "o.csv", "-s", "illness", "-p", "number", "-p", "sex"]
    code, _, err = called(capsys, *call, "--shape", "columns", "--distinct-l", "2")
    assert code == 2
    assert "--text" in err


def test_rows_that_are_missing_everywhere_join_what_is_withheld_and_do_not_count(tmp_path, capsys):
    generator = random.Random(8)
    lines = [
        (generator.choice(["a", "b", ""]), generator.choice(["x", "y", ""]), generator.choice("uvwz"))
        for _ in range(60)
    ] + [("c", "x", "u"), ("d", "y", "v")]
    table = tmp_path / "gaps.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("one", "two", "s"), *lines])
    call = ["release", table, tmp_path / "o.csv", "-s", "s", "-p", "one", "-p", "two", "--shape", "columns"]
    code, printed, _ = called(capsys, *call, "--distinct-l", "3", "--withhold", "6", "--json", "--overwrite")
    result = json.loads(printed)
    assert code == 0
    assert result["verified"]
    empty = sum(not any(row.values()) for row in read(tmp_path / "o.csv"))
    before = sum(not one and not two for one, two, _ in lines)
    assert empty == before + result["point"]["withheld_rows"]


def test_several_budgets_give_a_frontier_each(table, capsys):
    call = ["frontier", table, "-s", "illness", "-p", "town", "-p", "sex", "--shape", "columns"]
    code, printed, _ = called(capsys, *call, "--withhold", "0", "--withhold", "6")
    assert code == 0
    assert "loss" in printed


def test_side_information_counts_with_every_combination(tmp_path, capsys):
    lines = rows(150)
    table, out = written(tmp_path / "people.csv", lines), tmp_path / "out.csv"
    call = ["release", table, out, "-s", "illness", "-p", "age", "-p", "town", "--side", "sex"]
    code, _, err = called(capsys, *call, "--shape", "columns", "--distinct-l", "3", "--keep-order")
    assert code == 0, err
    left = defaultdict(set)
    for row, line in zip(read(out), lines, strict=True):
        left[row["age"], row["town"], line[3]].add(line[4])
    assert len(left) > 2
    assert min(map(len, left.values())) >= 3


def test_an_earlier_release_counts_with_every_combination(tmp_path, capsys):
    lines = rows(200)
    table, first, out = written(tmp_path / "people.csv", lines), tmp_path / "first.csv", tmp_path / "out.csv"
    code, _, err = called(capsys, *asked(table, first, "--keep-order"))
    assert code == 0, err
    call = ["release", table, out, "-s", "illness", "-p", "age", "-p", "sex", "--distinct-l", "3"]
    call += ["--shape", "columns", "--keep-order", "--earlier", tmp_path / "first.policy.json"]
    code, _, err = called(capsys, *call)
    assert code == 0, err
    left = defaultdict(set)
    for row, before, line in zip(read(out), read(first), lines, strict=True):
        left[tuple(row.values()), tuple(before.values())].add(line[4])
    assert min(map(len, left.values())) >= 3


def test_a_text_column_that_is_merged_into_one_value_has_lost_all_its_detail(tmp_path, capsys):
    path = tmp_path / "t.csv"
    rows = [f"{'ab'[n % 2]},{'pqrs'[n // 2 % 4]},{n}\n" for n in range(8)]
    path.write_text("kind,town,pay\n" + "".join(rows), encoding="utf-8")
    call = ["release", str(path), str(tmp_path / "out.csv"), "-s", "pay", "-p", "kind", "-p", "town"]
    assert run([*call, "--shape", "columns", "--distinct-l", "4"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "town merged into one value" in said
    assert "town: nothing is left of it" in said


def test_borders_of_ones_own_are_those_of_the_column(table, tmp_path, capsys):
    out = tmp_path / "out.csv"
    lists = ("--borders", "age=30,45,65", "--weight", "age=9")
    code, _, _ = called(capsys, *asked(table, out, *lists))
    assert code == 0
    borders = {"under 30": 30, "under 45": 45, "under 65": 65, "30 to 44": 0, "30 to 64": 0, "45 to 64": 0}
    borders |= {"30 and over": 0, "45 and over": 0, "65 and over": 0, "all": 0}
    assert {row["age"] for row in read(out)} <= set(borders)
    assert len({row["age"] for row in read(out)}) > 1
    code, _, said = called(
        capsys, *asked(table, out, "--overwrite", "--borders", "age=2020-01-01,2021-01-01")
    )
    assert (code, "borders are listed as dates" in " ".join(said.split())) == (2, True)
    code, _, said = called(capsys, *asked(table, out, "--overwrite", "--borders", "town=1,2"))
    assert code == 2


def test_a_column_that_vanishes_is_the_first_thing_said(tmp_path, capsys):
    lines = [(age, "2024-01-01", "Bath", "fm"[age % 2], "uv"[age % 2]) for age in range(20, 60)]
    table, out = written(tmp_path / "people.csv", lines), tmp_path / "out.csv"
    call = ["release", table, out, "-s", "illness", "-p", "age", "-p", "sex", "--distinct-l", "2"]
    for shape in ("columns", "any"):
        code, printed, _ = called(capsys, *call, "--shape", shape, "--overwrite")
        said = " ".join(printed.split())
        assert code == 0
        assert said.index("Nothing is left of") < said.index("the file was read again")
        gone = {name for name in ("age", "sex") if len({row[name] for row in read(out)}) == 1}
        assert gone
        assert all(f"{name}" in said.split("Nothing is left of")[1].split(":")[0] for name in gone)
        assert "--withhold 1%" in said
        code, printed, _ = called(capsys, *call, "--shape", shape, "--overwrite", "--json")
        columns = json.loads(printed)["usefulness"]["columns"]
        assert {column["name"] for column in columns if column["vanished"]} == gone


def test_a_column_that_stays_as_it_is_is_called_unchanged(tmp_path, capsys):
    table = tmp_path / "people.csv"
    cells = [f"{20 + n % 8},{'fm'[n % 2]},w{n % 8}" for n in range(16)]
    table.write_text("\n".join(["age,sex,pay", *cells]) + "\n", encoding="utf-8")
    roles = ["-s", "pay", "-p", "age", "-p", "sex", "--distinct-l", "2"]
    assert run(["release", str(table), str(tmp_path / "out.csv"), *roles]) == 0
    said = capsys.readouterr().out
    assert "  sex: unchanged\n" in said
    assert ["sex", "unchanged"] in [line.split() for line in said.splitlines()]
    assert ["age", "recoded"] in [line.split() for line in said.splitlines()]


def test_no_move_is_written_with_an_exponent(tmp_path, capsys):
    table = tmp_path / "people.csv"
    cells = [f"{1_000_000 + 12_345 * n},{n % 3},w{n % 8}" for n in range(64)]
    table.write_text("\n".join(["pay,sex,ward", *cells]) + "\n", encoding="utf-8")
    asked = ["release", str(table), str(tmp_path / "out.csv"), "-s", "ward", "-p", "pay", "--distinct-l", "4"]
    code, one, _ = called(capsys, *asked)
    assert code == 0
    assert "pay: moves by 12,345 on average, 18,518 at most" in one
    assert "(largest move 18,517.5)" in " ".join(one.split())
    code, several, _ = called(capsys, *asked, "-p", "sex", "--overwrite")
    assert code == 0
    assert "e+" not in several


def test_numbers_that_differ_in_the_last_digit_of_many_have_bands_as_well(tmp_path, capsys):
    table, out = tmp_path / "countries.csv", tmp_path / "out.csv"
    cells = [f"{1e13 + 1e11 * n + (0.002 if n == 7 else 0)!r},{n % 4},w{n % 9}" for n in range(60)]
    cells.append("10700000000000.0,1,w3")
    table.write_text("\n".join(["gdp,kind,war", *cells]) + "\n", encoding="utf-8")
    asked = ["-s", "war", "-p", "gdp", "-p", "kind", "--distinct-l", "3", "--shape", "columns"]
    code, printed, said = called(capsys, "release", str(table), str(out), *asked)
    assert code == 0, said
    assert len({row["gdp"] for row in read(out)}) > 2
    assert "PROTECTED" in printed
