"""Two columns for one: where a class begins and ends, in every command that reads or writes them."""

from __future__ import annotations

import csv
import datetime as dt
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hartley
from hartley.cli import main
from hartley.errors import HartleyError
from hartley.releases.policy import Policy

AGES = [21, 22, 23, 34, 35, 36, 47, 48, 49, 66, 67, 68]
SECRETS = list("abcabcabcabc")
TABLE = pa.table(
    {
        "age": AGES,
        "day": [dt.date(2020, 1, 1) + dt.timedelta(days=40 * place) for place in range(12)],
        "town": ["X", "Y"] * 6,
        "score": [place / 4 for place in range(12)],
        "ill": SECRETS,
    }
)


def run(monkeypatch, *words):
    """Return the exit code of a command."""
    monkeypatch.setattr("sys.argv", ["hartley", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code or 0


def released(folder, name="out.csv", table=TABLE, **asked):
    asked = {"public": "age", "require": {"distinct_l": 3}, **asked}
    made = hartley.release(table, folder / name, sensitive="ill", labels="bounds", **asked)
    assert made.verification.holds
    return made


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def words_and_bounds(made):
    """Return what the codebook says of each label: the words, and what stands in the file."""
    return {row["label"]: row["meaning"] for row in rows_of(made.codebook) if row["column"] != "town"}


@pytest.mark.parametrize("shape", ["any", "intervals"])
def test_one_column_becomes_two_and_every_value_lies_between_them(tmp_path, shape):
    made = released(tmp_path, publish_sensitive=True, keep_order=True, shape=shape)
    rows = rows_of(made.output)
    assert list(rows[0]) == ["age_from", "age_to", "ill"]
    for age, row in zip(AGES, rows, strict=True):
        assert not row["age_from"] or int(row["age_from"]) <= age
        assert not row["age_to"] or age <= int(row["age_to"])
    assert len({(row["age_from"], row["age_to"]) for row in rows}) == 4


def test_the_file_has_the_classes_that_words_have(tmp_path):
    made = released(tmp_path, public=["age", "day", "town"], keep_order=True)
    words = hartley.release(
        TABLE,
        tmp_path / "words.csv",
        sensitive="ill",
        public=["age", "day", "town"],
        require={"distinct_l": 3},
        labels="range",
        keep_order=True,
    )
    pairs = list(map(tuple, (row.values() for row in rows_of(made.output))))
    told = list(map(tuple, (row.values() for row in rows_of(words.output))))
    assert len(set(pairs)) == len(set(told)) == len(set(zip(pairs, told, strict=True)))
    for (low, high, *_), (age, *_) in zip(pairs, told, strict=True):
        assert age == (low if low == high else f"{low} to {high}")


def test_open_bands_have_an_empty_end_and_the_codebook_says_so(tmp_path):
    made = released(tmp_path, shape="intervals", borders="40,65", keep_order=True)
    assert words_and_bounds(made) == {
        "under 40": "age_from empty (open), age_to 39",
        "40 to 64": "age_from 40, age_to 64",
        "65 and over": "age_from 65, age_to empty (open)",
    }
    assert [tuple(row.values()) for row in rows_of(made.output)][5:10:3] == [("", "39"), ("40", "64")]


def test_bands_of_other_numbers_end_where_the_next_begins(tmp_path):
    made = released(tmp_path, public="score", shape="intervals", borders="0.75,1.5", keep_order=True)
    assert words_and_bounds(made)["0.75 to under 1.5"] == "score_from 0.75, score_to 1.5"


def test_codebooks_of_columns_have_bounds_in_the_types_of_the_columns(tmp_path):
    made = released(tmp_path, "out.parquet", public=["age", "day", "town"], shape="columns")
    kinds = dict(
        zip(*(lambda schema: (schema.names, schema.types))(pq.read_schema(made.output)), strict=True)
    )
    assert any(name.endswith("_from") for name in kinds)
    assert kinds["town"] == pa.string()
    assert {kinds[name] for name in kinds if name.startswith("day_")} <= {pa.date32()}
    assert {kinds[name] for name in kinds if name.startswith("age_")} <= {pa.int64()}


def test_trees_json_and_workbooks(tmp_path):
    tree = released(tmp_path, "tree.jsonl", public=["age", "town"], shape="tree")
    first = json.loads(tree.output.read_text(encoding="utf-8").splitlines()[0])
    assert list(first) == ["age_from", "age_to", "town"]
    assert isinstance(first["age_from"], int)
    assert released(tmp_path, "out.xlsx", public="day").rows == 12


def test_missing_and_withheld_cells_are_missing_in_both(tmp_path):
    table = TABLE.set_column(0, "age", pa.array([*AGES[:9], None, None, None]))
    made = released(tmp_path, table=table, keep_order=True)
    assert [tuple(row.values()) for row in rows_of(made.output)][9:] == [("", "")] * 3
    far = TABLE.slice(0, 3).set_column(0, "age", pa.array([300, 600, 999]))
    table = pa.concat_tables([TABLE, far])
    made = released(tmp_path, "held.csv", table=table, withhold=3, keep_order=True)
    assert [tuple(row.values()) for row in rows_of(made.output)][12:] == [("", "")] * 3


def test_decimal_commas_stand_in_both_columns(tmp_path, monkeypatch):
    lines = [f"{age + 0.5:.1f}".replace(".", ",") + f";{ill}" for age, ill in zip(AGES, SECRETS, strict=True)]
    (tmp_path / "in.csv").write_text("\n".join(["age;ill", *lines, ""]), encoding="utf-8")
    asked = ["-s", "ill", "-p", "age", "--distinct-l", "3", "--labels", "bounds", "--decimal", ","]
    assert run(monkeypatch, "release", tmp_path / "in.csv", tmp_path / "out.csv", *asked) == 0
    assert "21,5;23,5" in (tmp_path / "out.csv").read_text(encoding="utf-8")


def test_apply_writes_the_pair_in_files_and_frames(tmp_path):
    made = released(tmp_path, shape="intervals", borders="40,65", keep_order=True)
    fresh = TABLE.set_column(0, "age", pa.array([age + 1 for age in AGES]))
    hartley.apply(made.policy, fresh, tmp_path / "later.csv", unmet="accept")
    assert rows_of(tmp_path / "later.csv") == rows_of(made.output)
    frame = Policy.read(made.policy).apply(fresh)
    assert frame.column_names == ["age_from", "age_to"]
    assert frame.to_pylist()[0] == {"age_from": None, "age_to": 39}


@pytest.mark.parametrize("wrong", ["22,23", "21,", ",", "21.0,23", "34,36", "21,36"])
def test_verify_recounts_from_the_two_columns(tmp_path, wrong):
    pq.write_table(TABLE, tmp_path / "in.parquet")
    made = released(tmp_path, table=tmp_path / "in.parquet")
    right = made.output.read_text(encoding="utf-8")
    assert "21,23" in right
    made.output.write_text(right.replace("21,23", wrong, 1), encoding="utf-8")
    checked = hartley.verify(made.output, original=tmp_path / "in.parquet", policy=made.policy)
    assert not checked.holds


@pytest.mark.parametrize("damage", ["outside", "same"])
def test_a_policy_whose_bounds_are_untrue_is_not_confirmed(tmp_path, damage):
    import msgspec

    pq.write_table(TABLE, tmp_path / "in.parquet")
    made = released(tmp_path, table=tmp_path / "in.parquet")
    policy = Policy.read(made.policy)
    (column,) = policy.bounds
    first, second, *others = column.ends
    begin, end = ("22", first.end) if damage == "outside" else (second.begin, second.end)
    ends = (msgspec.structs.replace(first, begin=begin, end=end), second, *others)
    policy = msgspec.structs.replace(
        policy, bounds=(msgspec.structs.replace(column, ends=ends),), checksum=""
    )
    policy = msgspec.structs.replace(policy, checksum=policy.content_hash())
    made.policy.write_bytes(policy.to_json())
    made.output.write_text(made.output.read_text().replace("21,23", "22,23"))
    if damage == "same":
        with pytest.raises(HartleyError, match="do not tell its labels apart"):
            Policy.read(made.policy)
        return
    checked = hartley.verify(made.output, original=tmp_path / "in.parquet", policy=made.policy)
    assert [one.name for one in checked.failures] == ["values within bounds"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--keep", "age_TO"], "'age_TO' is published already"),
        (["--useful"], "--useful"),
        (["--metadata", "ddi"], "--metadata"),
        (["--withhold", "1", "--withheld-label", "gone"], "--withheld-label"),
        (["--transparent", "--publish-sensitive"], "--transparent"),
    ],
)
def test_what_cannot_be_had_with_bounds_is_one_line(tmp_path, capsys, monkeypatch, more, said):
    pq.write_table(TABLE.rename_columns(["age", "day", "age_TO", "score", "ill"]), tmp_path / "in.parquet")
    asked = ["-s", "ill", "-p", "age", "--distinct-l", "3", "--labels", "bounds", *more]
    assert run(monkeypatch, "release", tmp_path / "in.parquet", tmp_path / "out.csv", *asked) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()


def test_missing_cells_among_values_and_exports_are_one_line(tmp_path, capsys, monkeypatch):
    table = TABLE.set_column(0, "age", pa.array([*AGES[:11], None]))
    with pytest.raises(HartleyError, match="share a label with values"):
        released(tmp_path, table=table, utility="resolution", require={"distinct_l": 3})
    made = released(tmp_path)
    assert run(monkeypatch, "export", made.policy, "--to", "sql") == 2
    assert "no export has" in capsys.readouterr().err
