"""Bands of one ordered column: named by borders, tiling the line, the same for new rows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import hartley
from hartley.cli.program import run
from hartley.releases.export.recoding import ColumnRule, recoding_of
from hartley.releases.policy import Policy

CHOL = [100, 104, 109, 131, 135, 150, 152, 157, 188, 190, 209, 240]
AGES = [30, 31, 32, 33, 30, 31, 32, 33, 30, 31, 32, 33]
DAYS = [f"2024-{month:02d}-{day:02d}" for month in (1, 2, 3, 5, 8, 11) for day in (3, 20)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "heart.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = [("age", "chol", "seen", "part")]
        rows += [(a, c, d, c / 8) for a, c, d in zip(AGES, CHOL, DAYS, strict=True)]  # type: ignore[misc]
        csv.writer(file, lineterminator="\n").writerows(rows)
    return path


def labels(table: Path, out: Path, column: str, *more: str) -> list[str]:
    call = ["release", str(table), str(out), "-s", "age", "-p", column, "--shape", "intervals", "--overwrite"]
    assert run([*call, "--distinct-l", "2", "--keep-order", *more]) == 0
    with out.open(newline="", encoding="utf-8") as file:
        return [row[column] for row in csv.DictReader(file)]


@pytest.mark.parametrize(
    ("column", "options", "first", "second", "last"),
    [
        ("chol", ("--borders", "10"), "under 130", "130 to 149", "200 and over"),
        ("part", ("--borders", "2.5"), "under 15", "15 to under 17.5", "25 and over"),
        ("seen", ("--borders", "month"), "before 2024-02", "2024-02", "2024-11 and later"),
        ("seen", ("--borders", "quarter"), "before 2024-Q2", "2024-Q2", "2024-Q4 and later"),
    ],
)
def test_bands_are_named_by_their_borders(table, tmp_path, column, options, first, second, last):
    found = list(dict.fromkeys(labels(table, tmp_path / "o.csv", column, *options)))
    assert found[0] == first
    assert second in found
    assert found[-1] == last


@pytest.mark.parametrize(
    ("column", "borders", "expected"),
    [
        ("chol", "chol=130,152,200", ["under 130", "130 to 151", "152 to 199", "200 and over"]),
        ("chol", "105,130,131,200", ["under 131", "131 to 199", "200 and over"]),
        ("chol", "150,", ["under 150", "150 and over"]),
        # Of bands of one cost those that leave the most candidates.
        ("seen", "2024-02-01,2024-05-15", ["before 2024-05-15", "2024-05-15 and later"]),
    ],
)
def test_borders_of_ones_own_are_joined_where_they_must_be_and_never_cut(
    table, tmp_path, column, borders, expected
):
    found = labels(table, tmp_path / "o.csv", column, "--borders", borders)
    assert list(dict.fromkeys(found)) == expected


@pytest.mark.parametrize(
    ("borders", "said"),
    [
        ("130,120", "must rise"),
        ("130,130", "must rise"),
        ("130,,150", "is no list of borders"),
        ("130,x", "is no list of borders"),
        ("130,inf", "is no list of borders"),
        ("130,2024-01-01", "is no list of borders"),
        ("2024-01-01,2024-02-01", "column 'chol' holds numbers, and its borders are listed as dates"),
        ("other=1,2", "no public column 'other'"),
    ],
)
def test_a_list_of_borders_that_is_none_is_one_line(table, tmp_path, capsys, borders, said):
    call = ["release", str(table), str(tmp_path / "o.csv"), "-s", "age", "-p", "chol", "--shape", "intervals"]
    assert run([*call, "--distinct-l", "2", "--borders", borders]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize(
    ("old", "instead"),
    [
        (["--equal-width"], "--borders 18,40,65"),
        (["--offset", "5"], "--borders 18,40,65"),
        (["--open-ends"], "the outer ones are open"),
        (["--bands", "equal"], "leave it out"),
        (["--lose-at-most", "30%"], "leave it out"),
        (["--neighbours", "x=beside.csv"], "--hierarchy region=groups.csv"),
    ],
)
def test_an_option_that_is_gone_says_what_to_write_instead(table, capsys, old, instead):
    assert run(["frontier", str(table), "-s", "age", "-p", "chol", "--shape", "intervals", *old]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is gone" in line
    assert instead in line
    with pytest.raises(hartley.OptionError, match="is gone"):
        hartley.frontier(table, sensitive="age", public="chol", **{old[0][2:].replace("-", "_"): 1})


def test_no_label_tells_the_least_or_greatest_member(table, tmp_path):
    found = labels(table, tmp_path / "o.csv", "chol")
    assert found[0].startswith("under ")
    assert found[-1].endswith(" and over")
    assert "100" not in found[0]
    assert "240" not in found[-1]


def test_new_rows_fall_into_the_bands(table, tmp_path):
    labels(table, tmp_path / "o.csv", "chol", "--borders", "10")
    new = tmp_path / "new.csv"
    new.write_text("age,chol\n30,12\n31,149\n32,148\n33,999\n")
    call = ["apply", str(tmp_path / "o.policy.json"), str(new), str(tmp_path / "n.csv"), "--accept-unmet"]
    assert run(call) == 0
    with (tmp_path / "n.csv").open(newline="", encoding="utf-8") as file:
        found = sorted(row["chol"] for row in csv.DictReader(file))
    assert found == sorted(["under 130", "130 to 149", "130 to 149", "200 and over"])


def test_withheld_values_stay_withheld_and_bands_stay_bands(table, tmp_path):
    found = labels(table, tmp_path / "o.csv", "chol", "--withhold", "3")
    policy = Policy.read(tmp_path / "o.policy.json")
    assert policy.codebooks[0].form == "bands"
    assert found.count("") <= 3
    borders = [band.begin for band in policy.codebooks[0].bands[1:]]
    assert [band.end for band in policy.codebooks[0].bands[:-1]] == borders


def test_an_export_withholds_what_the_release_withheld(table, tmp_path):
    labels(table, tmp_path / "o.csv", "chol", "--withhold", "3")
    policy = Policy.read(tmp_path / "o.policy.json")
    assert policy.withheld is not None
    (rule,) = recoding_of(policy).rules
    assert isinstance(rule, ColumnRule)
    gone = {member[0] for member in policy.clusters[policy.withheld].members}
    assert {value for value, label in rule.entries if label is None} == gone


def test_missing_cells_that_have_a_place_are_named(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("age,chol\n30,\n31,10\n32,20\n33,30\n30,40\n31,50\n")
    found = labels(table, tmp_path / "o.csv", "chol", "--missing-at", "0", "--borders", "10")
    assert found[0] == found[1]
    assert found[0].endswith(" or missing")


def test_labels_that_are_asked_for_are_kept(table, tmp_path):
    found = labels(table, tmp_path / "o.csv", "chol", "--labels", "midpoint")
    assert all(2 * float(label) % 1 == 0 for label in found)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["-p", "chol", "-p", "seen"], "columns"),
        (["-p", "chol", "--borders", "month"], "dates"),
        (["-p", "chol", "--borders", "0"], "above 0"),
        (["-p", "chol", "--borders", "chol=5", "--borders", "10"], "name the column"),
        (["-p", "chol", "--weight", "chol=2"], "--shape columns"),
    ],
)
def test_what_intervals_cannot_be_is_one_line(table, tmp_path, capsys, options, reason):
    call = ["release", str(table), str(tmp_path / "o.csv"), "-s", "age", "--shape", "intervals"]
    assert run([*call, "--distinct-l", "2", *options]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("hartley: ")]
    assert len(lines) == 1
    assert reason in lines[0]
