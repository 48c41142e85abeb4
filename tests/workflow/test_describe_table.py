"""A table described for the choice of roles."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq

import hartley
from hartley.workflow.describe_table import describe


def test_columns_come_in_order_with_kind_values_missing_and_examples(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "age,visit,note\n30,2020-01-05,a\n41,,a\n41,2021-02-03,\n52,2021-02-03,a\n", encoding="utf-8"
    )
    described = describe(path)
    assert (described.name, described.rows) == ("t.csv", 4)
    assert [column.to_dict() for column in described.columns] == [
        {"name": "age", "kind": "number", "values": 3, "missing": 0, "examples": ["30", "41", "52"]},
        {
            "name": "visit",
            "kind": "date",
            "values": 2,
            "missing": 1,
            "examples": ["2020-01-05", "2021-02-03"],
        },
        {"name": "note", "kind": "text", "values": 1, "missing": 1, "examples": ["a"]},
    ]


def test_a_column_without_single_values_is_listed_and_cannot_be_measured():
    described = describe(pa.table({"age": [1, 2], "tags": [["a"], ["b", "c"]]}))
    tags = described.columns[1]
    assert (tags.name, tags.kind, tags.values, tags.missing) == ("tags", None, None, None)


def test_a_column_that_looks_like_codes_says_so_to_the_app():
    described = describe(pa.table({"smoker": [0, 1] * 5, "age": list(range(10))}))
    assert [column.to_dict().get("codes") for column in described.columns] == [True, None]


def test_only_a_few_examples_are_shown():
    described = describe(pa.table({"x": list(range(500))}))
    assert described.columns[0].examples == ("0", "1", "2", "3")
    assert described.columns[0].values == 500


def test_the_counts_are_those_of_an_audit():
    table = pa.table({"s": [1, 1, None, 3], "x": ["a", "b", "b", None]})
    described = {column.name: column for column in describe(table).columns}
    audit = hartley.audit(table, sensitive="s", public="x").audit
    assert audit.sensitive.values == described["s"].values + 1
    assert audit.public.values == described["x"].values + 1


def test_columns_beyond_one_pass_are_counted_too():
    table = pa.table({f"c{place}": [row % (place % 5 + 1) for row in range(5)] for place in range(120)})
    described = describe(table).columns
    assert [column.values for column in described] == [place % 5 + 1 for place in range(120)]
    assert {column.missing for column in described} == {0}


def test_moments_with_a_zone_need_no_further_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pytz", None)
    file = tmp_path / "t.parquet"
    moments = [datetime(2020, 1, day, tzinfo=UTC) for day in (1, 2)]
    pq.write_table(pa.table({"t": moments, "s": [1, 2]}), file)
    moment, _ = describe(file).columns
    assert (moment.kind, moment.values) == ("timestamp", 2)
    assert list(moment.examples) == [str(one) for one in moments]
