"""The public codebook: every label of the file with its rows, recounted; nothing that is not in the file."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from random import Random

import pandas as pd
import pytest

from hartley import release, verify


def people(folder: Path) -> Path:
    draw = Random(5)
    path = folder / "people.csv"
    rows = [
        f"{draw.randint(20, 79)},{draw.choice('abcdefghijklmnop')},{draw.choice('xyz')}" for _ in range(300)
    ]
    path.write_text("\n".join(["age,town,ill", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("ending", "asked"),
    [
        ("csv", {"public": ["age", "town"]}),
        ("csv", {"public": ["age", "town"], "shape": "columns", "withhold": "5%"}),
        ("parquet", {"public": "age"}),
        ("jsonl", {"public": ["age", "town"], "labels": "set"}),
        ("xlsx", {"public": "age", "shape": "intervals"}),
    ],
)
def test_the_codebook_counts_the_file_and_is_verified(tmp_path, ending, asked):
    path = people(tmp_path)
    made = release(path, tmp_path / f"out.{ending}", sensitive="ill", distinct_l=3, row_k=4, **asked)
    documents = {"policy": made.policy, "certificate": made.certificate, "record": made.record}
    found = verify(made.output, original=path, **documents)
    assert found.holds
    assert {"columns of the codebook", "rows of the codebook"} <= {check.name for check in found.checks}
    with open(made.codebook, encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    if ending == "csv":
        with open(made.output, encoding="utf-8", newline="") as stream:
            cells = list(csv.DictReader(stream))
        for name in {line["column"] for line in lines}:
            told = {line["label"]: int(line["rows"]) for line in lines if line["column"] == name}
            assert told == Counter(row[name] for row in cells)
    told = json.loads(made.codebook.with_suffix(".json").read_text(encoding="utf-8"))
    assert told["codeBook"]["fileDscr"]["fileTxt"]["dimensns"]["caseQnty"] == 300
    page = made.codebook.with_suffix(".html").read_text(encoding="utf-8")
    assert "At least three different values of ill" in page
    # A codebook that was changed is not confirmed.
    content = made.codebook.read_text(encoding="utf-8")
    first = lines[0]
    made.codebook.write_text(content.replace(f",{first['rows']},", ",299,", 1), encoding="utf-8")
    assert not verify(made.output, original=path, **documents).holds


def test_a_numbered_group_is_listed(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{letter},{'xyzuvw'[place % 6]}" for place, letter in enumerate("abcdefghijkl")]
    path.write_text("\n".join(["town,ill", *lines]) + "\n", encoding="utf-8")
    made = release(path, tmp_path / "out.csv", sensitive="ill", public="town", labels="range", distinct_l=6)
    with open(made.codebook, encoding="utf-8", newline="") as stream:
        meanings = [line["meaning"] for line in csv.DictReader(stream)]
    assert sorted("".join(meanings).replace(", ", "")) == list("abcdefghijkl")


def test_what_is_other_is_listed(tmp_path):
    path = tmp_path / "t.csv"
    towns = "aaaaaaaaabbbbbbbbbcde"
    lines = [f"{town},{place % 2},{'xyz'[place % 3]}" for place, town in enumerate(towns)]
    path.write_text("\n".join(["town,sex,ill", *lines]) + "\n", encoding="utf-8")
    asked = {"sensitive": "ill", "public": ["town", "sex"], "shape": "columns", "distinct_l": 3}
    made = release(path, tmp_path / "out.csv", **asked)
    with open(made.codebook, encoding="utf-8", newline="") as stream:
        told = {line["label"]: line["meaning"] for line in csv.DictReader(stream) if line["column"] == "town"}
    assert told == {"a": "", "other": "b, c, d, e"}


def test_a_label_may_be_longer_than_what_csv_readers_take(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f"note,ill\n{'n' * 200_000},a\nb,b\nb,a\nc,b\n", encoding="utf-8")
    made = release(path, tmp_path / "out.csv", sensitive="ill", public="note", distinct_l=2)
    assert made.verification.holds


def test_bands_with_one_beginning_are_ordered_by_their_ends(tmp_path):
    table = {"a": [0, 3, 0, 21, 5, 5], "b": ["x", "x", "y", "y", "x", "x"], "s": [1, 2, 1, 2, 1, 2]}
    made = release(pd.DataFrame(table), tmp_path / "out.csv", sensitive="s", public=["a", "b"], distinct_l=2)
    listed = (tmp_path / "out.codebook.csv").read_text()
    assert made.after.distinct_l == 2
    assert listed.index("0 to 3") < listed.index("0 to 21")
