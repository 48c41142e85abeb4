"""Spark as the engine, on a real cluster: a master and two workers."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hartley import audit as audit_table
from hartley import frontier, release, verify
from hartley.errors import PolicyError, TableError, WriteError
from hartley.measures.audit import Audit, audit_of_summary, measure
from hartley.model.demand import Target
from hartley.releases.certificate import file_sha256
from hartley.releases.policy import Policy
from hartley.releases.writer.original_source import CountedFrame
from hartley.search.trees import stem
from hartley.tables import Roles, Table, open_table
from hartley.tables.sources import spark as spark_source
from hartley.tables.sources.spark import SparkCounting
from hartley.workflow.publication import release_policy
from tables.test_matrix import NASTY, ROLES, TRUTH


def summed_up_in_spark(table: Table, roles: Roles) -> Audit:
    """Audit a table by counts that Spark itself has taken, though there are few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spark_source, "FEW_DIFFERENT", 0)
        found = table.range_summary(roles)
    assert found is not None
    return audit_of_summary(found.summary)


def the_nasty_table_has_one_answer_in_spark(spark: Any) -> None:
    table, expected = open_table(spark.createDataFrame(NASTY)), open_table(NASTY)
    for roles in (ROLES[2], TRUTH):
        joint = expected.joint_range(roles).joint
        assert table.joint_range(roles).joint == joint
        assert summed_up_in_spark(table, roles) == measure(joint)


def for_an_audit_not_even_pairs_reach_the_driver(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = spark.range(0, 60_000).selectExpr("CAST(id % 3000 AS INT) AS x", "CAST(id * 7 % 20 AS INT) AS s")
    fetched: list[int] = []
    fetch = SparkCounting.fetch_arrow

    def counted(self: SparkCounting, query: str) -> Any:
        table = fetch(self, query)
        fetched.append(len(table))
        return table

    monkeypatch.setattr(SparkCounting, "fetch_arrow", counted)
    few = audit_table(rows, sensitive="s", public="x")
    assert not fetched
    monkeypatch.setattr(spark_source, "FEW_DIFFERENT", 2999)
    result = audit_table(rows, sensitive="s", public="x")
    assert result.audit.rows == 60_000
    assert result.audit.pairs == 3000
    # Twenty sensitive values can have 210 links at most; there are 3000 pairs.
    assert max(fetched) <= 210
    held = audit_table(rows.toArrow(), sensitive="s", public="x")
    assert few == held
    # The likeliest guess is counted on tables that are held.
    assert result == replace(held, by_sensitive=())


def names_that_spark_reads_in_its_own_way_are_names_here(spark: Any) -> None:
    odd = pa.table(
        {
            "a`b": [1, 2, 2],
            "a.b": ["x", "y", None],
            "A`B": [3, 3, 4],
            "count": [1, 1, 2],
            "hartley_pairs": [1, 2, 3],
        }
    )
    frame = spark.createDataFrame(odd.rename_columns([f"n{place}" for place in range(5)])).toDF(
        *odd.column_names
    )
    for roles in (
        Roles(sensitive=("a`b",), public=("a.b", "A`B")),
        Roles(sensitive=("A`B",), public=("count", "hartley_pairs")),
    ):
        expected = open_table(odd).joint_range(roles).joint
        assert open_table(frame).joint_range(roles).joint == expected
    counted = CountedFrame(frame).counted(["A`B", "a`b", "count"])
    assert sorted(zip(*(column.to_pylist() for column in counted.columns), strict=True)) == [
        (3, 1, 1, 1),
        (3, 2, 1, 1),
        (4, 2, 2, 1),
    ]
    with pytest.raises(TableError, match="column 'a' appears twice"):
        open_table(spark.range(1).selectExpr("id AS a", "id AS a"))


def two_audits_in_one_session_do_not_meet(spark: Any) -> None:
    frames = [
        spark.createDataFrame(pa.table({"x": [1, 2, 3, 4], "s": [0, 1, 0, most]})) for most in (0, 1, 2)
    ]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda frame: audit_table(frame, sensitive="s", public="x"), frames))
    assert [one.audit.sensitive.values for one in found] == [2, 2, 3]
    assert not [view.name for view in spark.catalog.listTables() if view.name.startswith("hartley")]


def a_release_of_a_spark_table_needs_distinct_rows_only(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = spark.range(0, 30_000).selectExpr(
        "CAST(id % 12 AS INT) AS x", "CAST(id % 5 AS INT) AS s", "CAST(id % 2 AS STRING) AS site", "id"
    )
    fetched: list[int] = []
    to_arrow = type(rows).toArrow

    def counted(self: Any) -> Any:
        table = to_arrow(self)
        fetched.append(len(table))
        return table

    monkeypatch.setattr(type(rows), "toArrow", counted)
    out = tmp_path / "out.parquet"
    result = release(
        rows,
        out,
        target=Target("largest_cluster", 4),
        sensitive="s",
        public="x",
        harmless="site",
        exposure="accept",
    )
    assert result.verification.holds
    # 60 pairs, each with both sites or one: never the 30,000 rows.
    assert 0 < max(fetched) <= 120
    found = pq.read_table(out)
    assert (found.num_rows, found.column_names) == (30_000, ["x", "site"])
    # The same table released inside Spark by the policy: the same rows, and none of them here before.
    fetched.clear()
    policy = Policy.read(result.policy)
    inside = policy.apply(rows)
    assert not fetched
    assert inside.schema.simpleString() == "struct<x:int,site:string>"
    counts = {tuple(row[:2]): row[2] for row in inside.groupBy("x", "site").count().collect()}
    assert counts == Counter(zip(found["x"].to_pylist(), found["site"].to_pylist(), strict=True))
    strange = spark.range(0, 5).selectExpr("CAST(id + 1000 AS INT) AS x", "id AS s", "'1' AS site", "id")
    with pytest.raises(PolicyError, match="5 rows hold public values that the policy never saw"):
        policy.apply(strange)
    for unseen in ("nearest", "suppress"):
        here = policy.apply(strange.toArrow(), unseen=unseen)
        there = policy.apply(strange, unseen=unseen).toArrow()
        assert there.to_pydict() == here.to_pydict()
    assert here["x"].to_pylist() == [None] * 5
    other_types = spark.range(0, 2).selectExpr("id = 1 AS x", "id AS s", "'1' AS site", "id")
    with pytest.raises(PolicyError, match="cannot hold the policy's values exactly"):
        policy.apply(other_types)


def texts_are_equal_by_code_point_whatever_their_collation(spark: Any, tmp_path: Path) -> None:
    rows = spark.range(0, 24).selectExpr(
        "element_at(array('a', 'A', 'b', 'B', 'c', 'C'), CAST(id % 6 AS INT) + 1) COLLATE UTF8_LCASE AS x",
        "CAST(id % 6 DIV 2 AS INT) AS s",
        "null AS nothing",
        "make_ym_interval(1, 0) AS age",
    )
    plain = rows.drop("age").toArrow()
    there, here = open_table(rows), open_table(plain)
    assert {column.name: column.kind for column in there.columns}["age"] is None
    for roles in (
        Roles(sensitive=("s",), public=("x",)),
        Roles(sensitive=("x",), public=("nothing",)),
    ):
        joint = here.joint_range(roles).joint
        assert there.joint_range(roles).joint == joint
        assert summed_up_in_spark(there, roles) == measure(joint)
    out = tmp_path / "collated.parquet"
    made = release(rows, out, target=Target("distinct_l", 2), sensitive="s", public="x")
    applied = Policy.read(made.policy).apply(rows).toArrow()
    assert Counter(applied["x"].to_pylist()) == Counter(pq.read_table(out)["x"].to_pylist())


def a_codebook_in_spark_is_exact_or_refused(spark: Any, tmp_path: Path) -> None:
    def policy_of(x: pa.Array) -> Policy:
        table = pa.table({"x": x, "s": [1, 2, 1, 2]})
        out = tmp_path / "codebook.parquet"
        made = release(table, out, target=Target("distinct_l", 1), sensitive="s", public="x", overwrite=True)
        return Policy.read(made.policy)

    huge = pa.array([1e300, 2e300, 1e-300, 0.1])
    given = spark.createDataFrame(pa.table({"x": huge, "s": [1, 2, 1, 2]}))
    assert sorted(policy_of(huge).apply(given).toArrow()["x"].to_pylist()) == sorted(huge.to_pylist())
    clock = pa.array([dt.datetime(2024, 1, 1, hour) for hour in range(4)], pa.timestamp("us"))
    for values, types in (
        (pa.array([1e-15, 2e-15, 1.0, 2.0]), "CAST(0 AS DECIMAL(10, 2))"),
        (pa.array(["007", "7", "8", "9"]), "CAST(7 AS INT)"),
        (pa.array([True, False, None, True]), "'true'"),
        (clock, "timestamp('2024-01-01 00:00:00')"),
        (clock.cast(pa.timestamp("us", "UTC")), "CAST('2024-01-01' AS TIMESTAMP_NTZ)"),
    ):
        with pytest.raises(PolicyError, match="cannot hold the policy's values exactly"):
            policy_of(values).apply(spark.range(1).selectExpr(f"{types} AS x", "1 AS s"))
    with pytest.raises(PolicyError, match="infinite number has no nearest one"):
        policy_of(huge).apply(
            spark.range(1).selectExpr("double('Infinity') AS x", "1 AS s"), unseen="nearest"
        )


def a_frontier_of_a_spark_table_needs_the_distinct_pairs_only(spark: Any) -> None:
    rows = spark.range(0, 20_000).selectExpr("CAST(id % 12 AS INT) AS x", "CAST(id % 5 AS INT) AS s")
    found = frontier(rows, sensitive="s", public="x", search="greedy")
    assert found.frontier == frontier(rows.toArrow(), sensitive="s", public="x", search="greedy").frontier
    joint = open_table(rows).joint_range(Roles(sensitive=("s",), public=("x",))).joint
    assert (joint.row_count, joint.pairs) == (20_000, 60)


def a_frame_that_fails_tells_no_cell(spark: Any, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", "true")  # as it is by itself
    sick = "CASE WHEN id = 0 THEN 'HIV-positive' ELSE CAST(id % 3 AS STRING) END"
    rows = spark.range(0, 40)
    good = rows.selectExpr("CAST(id % 3 AS INT) AS s", "id % 4 AS x", "CAST(id % 4 AS STRING) AS y")
    bad = rows.selectExpr(f"CAST({sick} AS INT) AS s", "id % 4 AS x", "CAST(id % 4 AS STRING) AS y")
    bad_public = rows.selectExpr("CAST(id % 3 AS INT) AS s", f"CAST({sick} AS BIGINT) AS x", "'1' AS y")
    made = release(
        good, tmp_path / "good.csv", target=Target("largest_cluster", 2), sensitive="s", public="x"
    )
    for fails in (
        lambda: audit_table(bad, sensitive="s", public="x"),
        lambda: audit_table(bad, sensitive="s", public="y"),
        lambda: frontier(bad, sensitive="s", public="x"),
        lambda: verify(made.output, original=bad, policy=made.policy),
        lambda: Policy.read(made.policy).apply(bad_public),
    ):
        with pytest.raises(TableError, match="the frame of pyspark cannot be computed") as failed:
            fails()
        assert "HIV" not in str(failed.value)


def minus_zero_stays_what_it_is(spark: Any, tmp_path: Path) -> None:
    cells = [0.0, -0.0, 0.0, None, float("nan"), -0.0]
    rows = pa.table(
        {"s": [1, 2] * 3, "x": [1, 1, 2, 2, 3, 3], "k": cells, "f": pa.array(cells, pa.float32())}
    )
    found = []
    for number, table in enumerate((rows, spark.createDataFrame(rows))):
        out = tmp_path / f"zero{number}.parquet"
        release(
            table,
            out,
            target=Target("largest_cluster", 2),
            sensitive="s",
            public="x",
            harmless=("k", "f"),
            exposure="accept",
        )
        found.append(Counter(map(repr, pq.read_table(out).to_pylist())))
    assert found[0] == found[1]
    assert any("-0.0" in row for row in found[1])


def requirements_several_columns_and_withheld_rows_are_the_same_in_spark(spark: Any, tmp_path: Path) -> None:
    rows = pa.table(
        {
            "age": [30, 34, 41, 45, 52, 58, 61, 66] * 3,
            "x": [1, 1, 2, 3, 5, 8, 13, 90] * 3,
            "t": ["a", "A", "a", None, "b", "b", "a", "a"] * 3,
        }
    )
    there = spark.createDataFrame(rows)
    asked: dict[str, Any] = {"sensitive": "age", "public": ["x", "t"], "tolerance": {"age": 4}}
    found = [
        audit_table(table, **asked, require={"separated_l": 1, "row_k": 3, "distinct_l": 2}).to_dict()
        for table in (rows, there)
    ]
    assert found[0] == found[1]
    for number, options in enumerate(({"public": ["x", "t"]}, {"public": "x", "withhold": "15%"})):
        made = release(
            rows,
            tmp_path / f"same{number}.csv",
            sensitive="age",
            require={"distinct_l": 2, "row_k": 6},
            keep_order=True,
            **options,  # type: ignore[arg-type]
        )
        policy = Policy.read(made.policy)
        here = Counter(map(repr, policy.apply(rows).to_pylist()))
        assert Counter(map(repr, policy.apply(there).toArrow().to_pylist())) == here


def bands_and_codebooks_hold_new_rows_in_spark(spark: Any, tmp_path: Path) -> None:
    rows = pa.table(
        {
            "age": [30, 34, 41, 45, 52, 58, 61, 66] * 6,
            "x": [1, 1, 2, 3, 5, 8, 13, 90, 4, 6, 7, 9] * 4,
            "t": ["a", "a", "a", None, "b", "b", "a", "c"] * 6,
        }
    )
    new = pa.table({"age": [1] * 6, "x": [-5, 4, 50, 1000, 3, None], "t": ["a", "b", "z", "a", None, "c"]})
    asked: tuple[dict[str, Any], ...] = (
        {"public": ["x", "t"], "shape": "columns"},
        {"public": ["x", "t"], "shape": "columns", "withhold": "10%"},
        {"public": "x", "shape": "intervals", "borders": 5},
    )
    for number, options in enumerate(asked):
        out = tmp_path / f"bands{number}.csv"
        made = release(rows, out, sensitive="age", require={"distinct_l": 3}, keep_order=True, **options)
        policy = Policy.read(made.policy)
        for table in (rows, new):
            here = Counter(map(repr, policy.apply(table, unseen="suppress").to_pylist()))
            there = policy.apply(spark.createDataFrame(table), unseen="suppress").toArrow().to_pylist()
            assert Counter(map(repr, there)) == here


def a_release_stays_in_spark(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = spark.range(0, 6_000).selectExpr(
        "CAST(id % 12 AS INT) AS x",
        "IF(id % 13 = 0, NULL, element_at(array('it''s', 'b'), CAST(id % 2 AS INT) + 1)) AS t",
        "CAST(id % 35 AS INT) AS s",
        "CAST(id % 3 AS INT) AS site",
    )
    fetched: list[int] = []
    to_arrow = type(rows).toArrow

    def counted(self: Any) -> Any:
        table = to_arrow(self)
        fetched.append(len(table))
        return table

    monkeypatch.setattr(type(rows), "toArrow", counted)
    out = tmp_path / "stays.parquet"
    asked: dict[str, Any] = {"sensitive": "s", "public": ["x", "t"], "missing": "drop", "withhold": "2%"}
    asked |= {"require": {"distinct_l": 8, "separated_l": 3, "row_k": 50}, "tolerance": {"s": 4}}
    made = release(rows, out, **asked)
    assert made.verification.holds
    assert all(verdict.holds for verdict in made.requirements)
    assert out.is_dir()
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith(("stays", ".hartley"))} == {
        "stays.parquet",
        "stays.policy.json",
        "stays.certificate.json",
        "stays.record.json",
        "stays.codebook.csv",
        "stays.codebook.html",
        "stays.codebook.json",
    }
    # Distinct rows of the columns that are asked for: 12 · 2 · 35 at most, never the 6,000 rows.
    assert 0 < max(fetched) <= 840
    assert made.output_sha256 == file_sha256(out)
    here = release(rows.toArrow(), tmp_path / "here.parquet", **asked)
    assert (made.rows, made.after, made.requirements) == (here.rows, here.after, here.requirements)
    counts = [Counter(map(repr, pq.read_table(one.output).to_pylist())) for one in (made, here)]
    assert counts[0] == counts[1]
    documents = {"policy": made.policy, "certificate": made.certificate, "record": made.record}
    assert verify(out, original=rows, **documents).holds
    with pytest.raises(WriteError, match="folders are not replaced"):
        release(rows, out, **asked, overwrite=True)
    (part, *_) = sorted(out.glob("part-*"))
    pq.write_table(pq.read_table(part).slice(1), part)
    (part.parent / f".{part.name}.crc").unlink(missing_ok=True)
    failed = {check.name for check in verify(out, original=rows, **documents).failures}
    assert {"rows", "hash of the release"} <= failed


def rows_that_are_nearly_all_different_stay_in_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = spark.range(0, 900).selectExpr("id % 6 AS x", "id % 7 AS s", "id AS visit")
    asked: dict[str, Any] = {"sensitive": "s", "public": "x", "require": {"distinct_l": 2}}
    monkeypatch.setattr(spark_source, "MOST_DIFFERENT", 41)
    spark.conf.set("spark.hartley.differentRows", "42")
    assert release(rows, tmp_path / "few.parquet", **asked).verification.holds
    for more in ({"keep": "visit"}, {"harmless": "visit"}):
        with pytest.raises(TableError, match=r"'visit'.* together hold more than 42 different rows"):
            release(rows, tmp_path / "many.parquet", **asked, **more)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(("many", ".hartley"))]
    assert audit_table(rows, sensitive="s", public="visit").audit.distinct_l == 1
    spark.conf.set("spark.hartley.differentRows", "many")
    with pytest.raises(TableError, match="must be a whole number"):
        release(rows, tmp_path / "many.parquet", **asked)
    spark.conf.unset("spark.hartley.differentRows")
    with pytest.raises(TableError, match="columns 's' and 'x' together hold more than 41 different rows"):
        release(rows, tmp_path / "many.parquet", **asked)
    policy = Policy.read(tmp_path / "few.policy.json")
    with pytest.raises(TableError, match="column 'x' holds more than 41 different values"):
        policy.apply(rows.selectExpr("visit + 1000 AS x", "s", "visit"), unseen="nearest")


def a_tree_of_many_different_rows_is_searched_in_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = spark.range(0, 900).selectExpr(
        "CAST(id * 7919 % 1009 % 40 AS INT) AS age",
        "CAST(id * 104729 % 997 % 31 AS DOUBLE) / 2 AS score",
        "element_at(array('x', 'y', 'Z', NULL), CAST(id * 31 % 4 AS INT) + 1) AS sort",
        "CAST(id * id % 7 AS STRING) AS answer",
        "id",
    )
    for module in (stem, release_policy):
        monkeypatch.setattr(module, "MOST_AT_ONCE", 300)
    asked: dict[str, Any] = {
        "sensitive": "answer",
        "public": ["age", "sort", "score"],
        "shape": "tree",
        "require": {"distinct_l": 2, "row_k": 20},
        "transparent": "retry",
        "publish_sensitive": True,
    }
    held = release(rows.toArrow(), tmp_path / "held.parquet", **asked)
    monkeypatch.setattr(spark_source, "MOST_DIFFERENT", 500)
    there = release(rows, tmp_path / "there.parquet", **asked)
    assert Policy.read(there.policy).lists_ends
    assert there.before == held.before
    cells = [
        Counter(tuple(row.values()) for row in pq.read_table(made.output).to_pylist())
        for made in (held, there)
    ]
    assert cells[0] == cells[1]
    papers = {"policy": there.policy, "certificate": there.certificate, "record": there.record}
    assert verify(there.output, original=rows, **papers).holds
    # Of any other shape all different rows are asked for.
    with pytest.raises(TableError, match="together hold more than 500 different rows"):
        release(rows, tmp_path / "any.parquet", **{**asked, "shape": "any", "transparent": None})


@pytest.mark.filterwarnings("ignore")
def test_spark_gives_the_same_answers_and_keeps_its_rows(spark: Any, tmp_path: Path) -> None:
    """All in one test, so that one process starts one cluster."""
    the_nasty_table_has_one_answer_in_spark(spark)
    names_that_spark_reads_in_its_own_way_are_names_here(spark)
    two_audits_in_one_session_do_not_meet(spark)
    a_frontier_of_a_spark_table_needs_the_distinct_pairs_only(spark)
    texts_are_equal_by_code_point_whatever_their_collation(spark, tmp_path)
    a_codebook_in_spark_is_exact_or_refused(spark, tmp_path)
    minus_zero_stays_what_it_is(spark, tmp_path)
    requirements_several_columns_and_withheld_rows_are_the_same_in_spark(spark, tmp_path)
    bands_and_codebooks_hold_new_rows_in_spark(spark, tmp_path)
    a_frame_that_fails_tells_no_cell(spark, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        for_an_audit_not_even_pairs_reach_the_driver(spark, patch)
    with pytest.MonkeyPatch.context() as patch:
        a_release_of_a_spark_table_needs_distinct_rows_only(spark, tmp_path, patch)
    with pytest.MonkeyPatch.context() as patch:
        a_release_stays_in_spark(spark, tmp_path, patch)
    with pytest.MonkeyPatch.context() as patch:
        rows_that_are_nearly_all_different_stay_in_spark(spark, tmp_path, patch)
    with pytest.MonkeyPatch.context() as patch:
        a_tree_of_many_different_rows_is_searched_in_spark(spark, tmp_path, patch)
