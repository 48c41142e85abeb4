"""Releases of tables: kept and harmless columns, earlier releases, targets, and what is refused."""

from __future__ import annotations

import datetime as dt
import json
import stat
from math import log2
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from hartley import release
from hartley.errors import ColumnError, OptionError, PolicyError, TableError, UnreachableError, WriteError
from hartley.model.demand import Target
from hartley.releases.certificate import Certificate
from hartley.releases.codebook import LABELS
from hartley.releases.policy import Policy
from hartley.releases.record import Record
from hartley.tables import ReadOptions
from hartley.workflow.apply_policy import apply
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.request.utility_choice import UtilityChoice
from hartley.workflow.verify_release import verify
from random_tables import read_released, write_table


def table(path: Path, **columns: list[Any]) -> Path:
    names = list(columns)
    write_table(path, [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)])
    return path


def quick(source: Any, output: Path, **options: Any) -> ReleaseResult:
    return release(
        source,
        output,
        **{"sensitive": "s", "public": "x", "search": "greedy", "utility": "resolution", **options},
    )


# Two public values with two candidates each; a third column splits them.
GRID = {
    "x": [1, 1, 2, 2, 3, 3, 4, 4],
    "k": ["a", "b", "a", "b", "a", "b", "a", "b"],
    "s": ["p", "q", "p", "q", "q", "p", "q", "p"],
}


def test_only_the_named_columns_are_published(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID, other=list("abcdefgh"))
    result = quick(source, tmp_path / "out.csv", target=Target("distinct_l", 2))
    assert list(read_released(result.output)[0]) == ["x"]
    treatments = dict(result.columns)
    assert treatments == {"x": "recoded", "k": "withheld", "s": "sensitive, withheld", "other": "withheld"}
    assert stat.S_IMODE(result.policy.stat().st_mode) == 0o600


def test_a_kept_column_counts_in_the_target(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    alone = quick(source, tmp_path / "alone.csv", target=Target("distinct_l", 2))
    assert alone.point.clusters == 4  # every x leaves p and q: nothing has to be merged
    kept = quick(source, tmp_path / "kept.csv", target=Target("distinct_l", 2), keep="k")
    # With k beside it every row gives s away: {1, 2} and {3, 4} must be mixed.
    assert kept.before.distinct_l == 2
    assert kept.after.distinct_l == 2
    assert kept.after.public.columns == ("x", "k")
    assert kept.point.clusters < 4


def test_a_kept_column_that_gives_everything_away_is_refused(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", x=[1, 2, 3, 4], k=list("abcd"), s=list("pqpq"))
    quick(source, tmp_path / "alone.csv", target=Target("distinct_l", 2))
    with pytest.raises(UnreachableError, match="column 'k' is kept"):
        quick(source, tmp_path / "kept.csv", target=Target("distinct_l", 2), keep="k")
    assert not list(tmp_path.glob("*kept*"))


def test_a_cap_on_leakage_counts_what_the_kept_column_leaks(tmp_path: Path) -> None:
    # k alone halves the four candidates: one bit. Together with x no more than one bit may leak.
    source = table(
        tmp_path / "in.csv",
        x=[1, 2, 3, 4, 5, 6, 7, 8],
        k=["a", "a", "a", "a", "b", "b", "b", "b"],
        s=["p", "q", "p", "q", "r", "t", "r", "t"],
    )
    result = quick(source, tmp_path / "out.csv", target=Target("max_leakage", 1), keep="k")
    assert result.after.l0_bits == 1.0
    with pytest.raises(UnreachableError):
        quick(source, tmp_path / "less.csv", target=Target("max_leakage", 0.5), keep="k")


def test_a_harmless_column_is_left_out_of_the_target_and_measured(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    result = quick(
        source, tmp_path / "out.csv", target=Target("distinct_l", 2), harmless="k", exposure="accept"
    )
    assert result.after.distinct_l == 2
    assert result.after_all.distinct_l == 1
    record = Record.read(result.record)
    assert record.after_all.l0_bits == log2(2)
    assert record.after_all.public.columns == ("x", "k")


def test_text_that_differs_only_in_spelling_is_seen_by_the_reader(tmp_path: Path) -> None:
    # As numbers the kept column is constant; as text of the file it gives s away.
    source = table(tmp_path / "in.csv", x=[1, 1, 1, 1], k=["1.10", "1.1", "1.10", "1.1"], s=list("pqpq"))
    with pytest.raises(UnreachableError):
        quick(source, tmp_path / "out.csv", target=Target("distinct_l", 2), keep="k")
    result = quick(
        source, tmp_path / "out.csv", target=Target("distinct_l", 2), harmless="k", exposure="accept"
    )
    assert result.after_all.distinct_l == 1
    # A file with types has one spelling for both, so there is nothing to see.
    typed = quick(source, tmp_path / "typed.parquet", target=Target("distinct_l", 2), keep="k")
    assert typed.after.distinct_l == 2


def test_spellings_of_a_date_and_of_numbers_in_several_files_are_confirmed(tmp_path: Path) -> None:
    times = ["2024-01-01T00:00", "2024-01-01 00:00", "2024-01-02T00:00:00"]
    source = table(tmp_path / "in.jsonl", x=[1, 1, 1], k=times, s=list("ppq"))
    for suffix in (".jsonl", ".csv", ".parquet"):
        result = quick(
            source,
            tmp_path / f"{suffix[1:]}{suffix}",
            target=Target("largest_cluster", 1),
            harmless="k",
            exposure="accept",
        )
        # A file with types writes the first two alike; then nothing tells their rows apart.
        assert result.after_all.public.values == (2 if suffix == ".parquet" else 3)
    (tmp_path / "parts").mkdir()
    table(tmp_path / "parts" / "1.csv", x=[1, 1], k=["1.10", "1.1"], s=list("pq"))
    table(tmp_path / "parts" / "2.csv", x=[1, 1], k=["1.10", "1.1"], s=list("qp"))
    parts = str(tmp_path / "parts" / "*.csv")
    result = quick(parts, tmp_path / "out.csv", target=Target("distinct_l", 2), keep="k")
    assert result.after.public.values == 2


def test_published_sensitive_values_are_there_untouched(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    result = quick(
        source, tmp_path / "out.csv", target=Target("distinct_l", 2), publish_sensitive=True, keep_order=True
    )
    assert [row["s"] for row in read_released(result.output)] == GRID["s"]
    assert dict(result.columns)["s"] == "sensitive, published"


def test_rows_are_shuffled_by_a_secret(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", x=list(range(200)), s=list(range(200)))
    orders = set()
    for number in range(3):
        result = quick(source, tmp_path / f"{number}.csv", target=Target("largest_cluster", 1))
        orders.add(tuple(row["x"] for row in read_released(result.output)))
    assert len(orders) == 3
    kept = quick(source, tmp_path / "kept.csv", target=Target("largest_cluster", 1), keep_order=True)
    assert [row["x"] for row in read_released(kept.output)] == [str(n) for n in range(200)]


def test_two_harmless_releases_that_give_a_value_away_together_are_caught(tmp_path: Path) -> None:
    # x merged into {1, 2}, {3, 4}, and y into rows 1 and 3, 2 and 4: each leaves two candidates, both one.
    source = table(tmp_path / "in.csv", x=[1, 2, 3, 4], y=[1, 3, 2, 4], s=list("pqqp"))
    options: dict[str, Any] = {"target": Target("distinct_l", 2), "labels": "interval"}
    first = quick(source, tmp_path / "first.csv", public="x", **options)
    second = quick(source, tmp_path / "second.csv", public="y", **options)
    assert first.after.distinct_l == second.after.distinct_l == 2
    found = verify(second.output, original=source, policy=second.policy, earlier=[first.policy])
    assert found.measures["together"]["distinct_l"] == 1
    # Told of the earlier release, the search finds another partition, and the two leave two candidates.
    both = quick(source, tmp_path / "both.csv", public="y", earlier=[first.policy], **options)
    assert both.together is not None
    assert both.together.distinct_l == 2
    assert Policy.read(both.policy).clusters != Policy.read(second.policy).clusters


def test_an_earlier_release_that_left_no_choice_is_refused(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", x=[1, 1, 2, 2], y=[1, 2, 1, 2], s=list("pqqp"))
    first = quick(source, tmp_path / "first.csv", target=Target("distinct_l", 2), public="x")
    second = quick(source, tmp_path / "second.csv", target=Target("distinct_l", 2), public="y")
    assert first.point.clusters == second.point.clusters == 2
    joined = quick(
        source, tmp_path / "third.csv", target=Target("distinct_l", 2), public="y", earlier=[first.policy]
    )
    assert joined.point.clusters == 1
    gone = tmp_path / "gone.csv"
    with pytest.raises(UnreachableError, match="earlier releases are known"):
        quick(
            source,
            gone,
            target=Target("distinct_l", 2),
            public="y",
            earlier=[first.policy, second.policy],
        )
    assert not gone.exists()


def test_the_verifier_wants_the_earlier_policies_of_the_certificate(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", x=[1, 1, 2, 2], y=[1, 2, 1, 2], s=list("pqqp"))
    first = quick(source, tmp_path / "first.csv", target=Target("distinct_l", 2), public="x")
    joined = quick(
        source, tmp_path / "third.csv", target=Target("distinct_l", 2), public="y", earlier=[first.policy]
    )
    options = {"original": source, "policy": joined.policy, "certificate": joined.certificate}
    options["record"] = joined.record
    assert verify(joined.output, earlier=[first.policy], **options).holds
    without = verify(joined.output, **options)
    assert "commitments to earlier releases" in [check.name for check in without.failures]


def test_what_an_earlier_release_kept_is_seen_as_well(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    first = quick(source, tmp_path / "first.csv", target=Target("distinct_l", 1), keep="k")
    with_earlier = quick(
        source, tmp_path / "out.csv", target=Target("largest_cluster", 4), earlier=[first.policy]
    )
    assert with_earlier.after.distinct_l == 2
    assert with_earlier.together is not None
    assert with_earlier.together.distinct_l == 1


def test_a_sensitive_column_that_an_earlier_release_published_is_seen_as_well(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID, t=GRID["s"])
    shown = quick(
        source, tmp_path / "first.csv", target=Target("distinct_l", 2), sensitive="t", publish_sensitive=True
    )
    # The first release shows t, which tells s.
    with pytest.raises(UnreachableError, match="earlier release is known"):
        quick(source, tmp_path / "out.csv", target=Target("distinct_l", 2), earlier=[shown.policy])
    second = quick(source, tmp_path / "out.csv", target=Target("largest_cluster", 4), earlier=[shown.policy])
    assert second.after.distinct_l == 2
    assert second.together is not None
    assert second.together.distinct_l == 1
    claimed = Record.read(second.record).together
    assert claimed is not None
    assert claimed.public.columns == ("x", "earlier release 1", "t")
    options = {"original": source, "policy": second.policy}
    assert verify(second.output, earlier=[shown.policy], **options).holds
    # What is sensitive in both is what both protect.
    again = quick(
        source, tmp_path / "t.csv", target=Target("distinct_l", 2), sensitive="t", earlier=[shown.policy]
    )
    assert again.together is not None
    assert again.together.distinct_l == 2


def test_that_an_earlier_release_left_a_row_out_is_seen_as_well(tmp_path: Path) -> None:
    columns = {"x": [1, 1, 1, 2, 2, 2], "k": list("abcabc"), "s": ["p", "q", None, "p", "q", None]}
    source = table(tmp_path / "in.csv", **columns)
    options = {"target": Target("largest_cluster", 1)}
    first = quick(source, tmp_path / "first.csv", missing="drop", harmless="k", exposure="accept", **options)
    assert first.dropped_rows == 2
    second = quick(source, tmp_path / "out.csv", earlier=[first.policy], **options)
    # Alone it leaves p, q and missing; but who is not in the first release has no s.
    assert second.after.distinct_l == 3
    assert second.together is not None
    assert second.together.distinct_l == 1
    assert verify(second.output, original=source, policy=second.policy, earlier=[first.policy]).holds


def test_a_row_that_an_earlier_release_left_out_need_not_be_in_its_codebook(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", x=[1, 1, 2, 2, None, None], y=[1, 1, 2, 2, 1, 2], s=list("pqpqpq"))
    options = {"target": Target("distinct_l", 2)}
    first = quick(source, tmp_path / "first.csv", missing="drop", **options)
    second = quick(source, tmp_path / "out.csv", public="y", earlier=[first.policy], **options)
    assert second.rows == 6
    assert second.together is not None
    assert second.together.distinct_l == 2
    assert verify(second.output, original=source, policy=second.policy, earlier=[first.policy]).holds


def test_an_earlier_policy_is_not_replaced(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    options = {"target": Target("largest_cluster", 2), "overwrite": True}
    first = quick(source, tmp_path / "out.csv", **options)
    before = first.policy.read_bytes()
    with pytest.raises(OptionError, match="is an earlier policy"):
        quick(source, tmp_path / "out.csv", earlier=[first.policy], **options)
    assert first.policy.read_bytes() == before


def test_an_earlier_policy_of_other_data_is_refused(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", x=[1, 2], s=["p", "q"])
    first = quick(source, tmp_path / "first.csv", target=Target("distinct_l", 1))
    other = table(tmp_path / "other.csv", x=[1, 7], s=["p", "q"])
    with pytest.raises(PolicyError, match="values it never saw"):
        quick(other, tmp_path / "out.csv", target=Target("distinct_l", 1), earlier=[first.policy])
    elsewhere = table(tmp_path / "elsewhere.csv", y=[1, 7], s=["p", "q"])
    with pytest.raises(ColumnError, match="made for other columns"):
        quick(
            elsewhere,
            tmp_path / "out.csv",
            target=Target("distinct_l", 1),
            public="y",
            earlier=[first.policy],
        )


def test_side_information_is_assumed_and_certified(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    result = quick(source, tmp_path / "out.csv", target=Target("distinct_l", 2), side="k")
    record = Record.read(result.record)
    assert Certificate.read(result.certificate).predicate.readers[0].knows == ("k",)
    assert record.after.side is not None
    assert record.after.side.values == 2
    assert record.after.distinct_l == 2
    assert list(read_released(result.output)[0]) == ["x"]


def test_a_cap_on_leakage_counts_from_what_the_side_information_leaves(tmp_path: Path) -> None:
    # Whoever knows k has two candidates left of four, and x tells nothing more.
    source = table(
        tmp_path / "in.csv", x=[1, 1, 2, 2, 1, 1, 2, 2], k=list("aaaabbbb"), s=["p", "q"] * 2 + ["r", "t"] * 2
    )
    for search in ("greedy", "optimal"):
        result = quick(
            source, tmp_path / f"{search}.csv", target=Target("max_leakage", 0), side="k", search=search
        )
        assert result.point.clusters == 2
        assert (result.after.l0_bits, result.after.distinct_l) == (0.0, 2)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("distance", [0, 1, 2.5, 4])
def test_a_cap_on_distortion_holds_for_the_released_numbers(
    tmp_path: Path, labels: str, distance: float
) -> None:
    source = Random(f"{labels} {distance}")
    for number in range(4):
        values = sorted(source.randint(0, 40) for _ in range(25))
        secrets = [source.choice("pqrs") for _ in values]
        path = table(tmp_path / f"{number}.csv", x=values, s=secrets)
        codeword = labels if labels in ("midpoint", "centroid", "member") else "midpoint"
        result = quick(
            path,
            tmp_path / f"out{number}.csv",
            target=Target("max_distortion", distance),
            utility=UtilityChoice(name="distortion", codeword=codeword),
            labels=labels,
            keep_order=True,
        )
        found = [row["x"] for row in read_released(result.output)]
        if labels in ("midpoint", "centroid", "member"):
            assert all(abs(float(out) - x) <= distance for out, x in zip(found, values, strict=True))
        else:
            assert all(
                str(x) in out or out.startswith("[") or " to " in out
                for out, x in zip(found, values, strict=True)
            )


def test_dates_stay_dates_in_every_format(tmp_path: Path) -> None:
    days = [dt.date(2024, 2, 28) + dt.timedelta(days=n) for n in range(6)]
    for suffix in (".csv", ".parquet", ".jsonl"):
        source = table(tmp_path / f"in{suffix}", x=days, s=list("pqpqpq"))
        result = quick(
            source,
            tmp_path / f"out-{suffix[1:]}{suffix}",
            target=Target("distinct_l", 2),
            utility="distortion",
            keep_order=True,
        )
        found = [dt.date.fromisoformat(row["x"] or "") for row in read_released(result.output)]
        assert all(abs(out - day) <= dt.timedelta(days=1) for out, day in zip(found, days, strict=True))


def test_types_of_a_parquet_file_are_unchanged(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = tmp_path / "in.parquet"
    pq.write_table(
        pa.table(
            {
                "x": pa.array([1, 2, 3, 4], pa.int16()),
                "k": pa.array([1.5, None, 1.5, None], pa.float32()),
                "d": pa.array([dt.date(2024, 1, 1)] * 4),
                "s": ["p", "q", "p", "q"],
            }
        ),
        source,
    )
    result = quick(
        source,
        tmp_path / "out.parquet",
        target=Target("distinct_l", 1),
        keep="k",
        harmless="d",
        exposure="accept",
    )
    schema = pq.read_schema(result.output)
    assert [str(schema.field(name).type) for name in ("x", "k", "d")] == ["int16", "float", "date32[day]"]


def test_a_compressed_text_file_can_be_written(tmp_path: Path) -> None:
    import gzip

    source = table(tmp_path / "in.csv", **GRID)
    result = quick(source, tmp_path / "out.csv.gz", target=Target("distinct_l", 2))
    assert gzip.decompress(result.output.read_bytes()).startswith(b"x\n")
    assert result.policy.name == "out.policy.json"


def test_missing_cells_in_a_file_of_one_column_are_not_lost(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", x=[1, None, 3, None], s=list("pqpq"))
    result = quick(source, tmp_path / "out.csv", target=Target("largest_cluster", 1))
    assert len(read_released(result.output)) == 4
    text = table(tmp_path / "text.csv", x=["", None, "a", None], s=list("pqpq"))
    with pytest.raises(WriteError, match="write Parquet"):
        quick(text, tmp_path / "text.out.csv", target=Target("largest_cluster", 1))
    assert quick(text, tmp_path / "text.parquet", target=Target("largest_cluster", 1)).rows == 4


def test_rows_without_a_value_can_be_left_out_and_are_counted(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", x=[1, None, 3, 4], k=["a", "a", None, "a"], s=list("pqpq"))
    result = quick(source, tmp_path / "out.csv", target=Target("distinct_l", 1), missing="drop", keep="k")
    assert (result.rows, result.dropped_rows) == (2, 2)
    assert len(read_released(result.output)) == 2


def test_a_frame_is_released_like_a_file(tmp_path: Path) -> None:
    import pandas as pd
    import polars as pl

    for frame in (pd.DataFrame(GRID), pl.DataFrame(GRID), pl.DataFrame(GRID).lazy()):
        result = quick(frame, tmp_path / "out.csv", target=Target("distinct_l", 2), keep="k", overwrite=True)
        assert result.input_sha256 is None
        found = verify(result.output, original=frame, policy=result.policy, certificate=result.certificate)
        assert found.holds
        changed = pd.DataFrame(GRID).assign(x=[1, 1, 2, 2, 3, 3, 4, 5])
        assert not verify(
            result.output, original=changed, policy=result.policy, certificate=result.certificate
        ).holds


def test_the_optimal_search_is_certified_with_its_proof(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", x=[1, 2, 3, 4, 5, 6], s=list("pqpqrr"))
    result = quick(source, tmp_path / "out.csv", target=Target("distinct_l", 2), search="optimal")
    claim = Record.read(result.record).point
    assert claim.search == "optimal"
    assert claim.lower_bound_bits == result.point.lower_bound_bits
    assert claim.lower_bound_cost == claim.largest_cluster == result.point.largest_cluster
    assert claim.proven_optimal


def test_another_encoding_and_delimiter_are_remembered(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes("x;s\nä;1\nö;2\nä;2\n".encode("latin-1"))
    options = ReadOptions(encoding="latin-1", delimiter=";")
    result = quick(source, tmp_path / "out.csv", target=Target("distinct_l", 2), options=options)
    assert verify(result.output, original=source, policy=result.policy, certificate=result.certificate).holds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": "x"}, "is public already"),
        ({"harmless": "s"}, "is sensitive already"),
        ({"keep": "k", "harmless": "k"}, "is kept already"),
        ({"keep": ["k", "k"]}, "named twice"),
        ({"labels": "mean"}, "unknown kind of labels"),
        ({"leakage": "l1"}, "unknown leakage"),
        ({"search": "best"}, "unknown search"),
        ({"target": Target("max_distortion", 3)}, "needs utility='distortion'"),
    ],
)
def test_calls_without_meaning_are_one_line(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    with pytest.raises(OptionError, match=message):
        quick(source, tmp_path / "out.csv", **{"target": Target("distinct_l", 2), **options})
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_an_output_among_the_files_of_a_pattern_is_refused(tmp_path: Path) -> None:
    for number in range(3):
        table(tmp_path / f"part-{number}.csv", **GRID)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for name, message in (("part-1.csv", "is the input itself"), ("part-9.csv", "fits the pattern")):
        with pytest.raises(OptionError, match=message):
            quick(
                str(tmp_path / "part-*.csv"), tmp_path / name, target=Target("distinct_l", 2), overwrite=True
            )
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    made = quick(str(tmp_path / "part-*.csv"), tmp_path / "whole.csv", target=Target("distinct_l", 2))
    with pytest.raises(OptionError, match="is the input itself"):
        apply(made.policy, str(tmp_path / "part-*.csv"), tmp_path / "part-1.csv", overwrite=True)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.bz2"])
def test_a_column_without_a_name_can_stay_behind_and_cannot_be_published(tmp_path: Path, ending: str) -> None:
    import bz2
    import gzip

    packed = {"csv": bytes, "csv.gz": gzip.compress, "csv.bz2": bz2.compress}[ending]
    source = tmp_path / f"in.{ending}"
    source.write_bytes(packed(b's,x,""\n0,0,1\n1,0,2\n2,1,3\n3,1,4\n'))
    given = {"sensitive": "s", "public": "x", "target": Target("largest_cluster", 2)}
    with pytest.raises(ColumnError, match="without a name cannot be published"):
        release(source, tmp_path / "out.csv", keep=("",), **given)
    assert release(source, tmp_path / "out.csv", **given).verification.holds


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
@pytest.mark.parametrize("packing", ["", ".bz2"])
def test_numbers_of_packed_text_are_kept_in_any_file(tmp_path: Path, ending: str, packing: str) -> None:
    import bz2

    content = b's,x,k\n0,0,1\n1,0,""\n2,1,-0.0\n3,1,3\n'
    source = tmp_path / f"in.csv{packing}"
    source.write_bytes(bz2.compress(content) if packing else content)
    made = release(
        source,
        tmp_path / f"out.{ending}",
        sensitive="s",
        public="x",
        harmless="k",
        exposure="accept",
        target=Target("largest_cluster", 2),
    )
    assert made.verification.holds


def test_an_output_that_is_the_input_is_refused(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    content = source.read_bytes()
    with pytest.raises(OptionError, match="is the input itself"):
        quick(source, source, target=Target("distinct_l", 2), overwrite=True)
    link = tmp_path / "link.csv"
    link.symlink_to(source)
    with pytest.raises(OptionError, match="is the input itself"):
        quick(source, link, target=Target("distinct_l", 2), overwrite=True)
    with pytest.raises(OptionError, match="is the input itself"):
        quick(source, tmp_path / "out.csv", target=Target("distinct_l", 2), policy=source, overwrite=True)
    assert source.read_bytes() == content


def test_the_policy_is_json_that_can_be_read_back(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    result = quick(source, tmp_path / "out.csv", target=Target("distinct_l", 2), keep="k")
    document = json.loads(result.policy.read_bytes())
    assert document["version"] == 2
    assert Policy.read(result.policy).to_json() == result.policy.read_bytes()


def test_files_that_exist_are_refused_before_the_search(tmp_path: Path) -> None:
    source = table(tmp_path / "in.csv", **GRID)
    result = quick(source, tmp_path / "out.csv", target=Target("distinct_l", 2))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    # The target cannot be met, but nothing is searched for where nothing may be written.
    with pytest.raises(WriteError, match="exists already"):
        quick(source, result.output, target=Target("distinct_l", 9))
    with pytest.raises(UnreachableError):
        quick(source, result.output, target=Target("distinct_l", 9), overwrite=True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    quick(source, result.output, target=Target("largest_cluster", 4), overwrite=True)
    assert set(tmp_path.iterdir()) == set(before)
    assert result.policy.read_bytes() != before[result.policy]


def test_several_files_are_one_table(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    for number in range(2):
        half = slice(4 * number, 4 * number + 4)
        table(parts / f"{number}.csv", **{name: cells[half] for name, cells in GRID.items()})
    result = quick(str(parts / "*.csv"), tmp_path / "out.csv", target=Target("distinct_l", 2), keep="k")
    assert result.rows == 8
    found = verify(
        result.output, original=str(parts / "*.csv"), policy=result.policy, certificate=result.certificate
    )
    assert found.holds
    table(parts / "1.csv", **{name: cells[:4] for name, cells in GRID.items()})
    assert not verify(
        result.output, original=str(parts / "*.csv"), policy=result.policy, certificate=result.certificate
    ).holds


def test_more_different_rows_than_memory_holds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hartley.releases.rows import reader_view

    monkeypatch.setattr(reader_view, "FEW_ROWS", 2)
    monkeypatch.setattr(reader_view, "BYTES_A_ROW", 10**9)
    monkeypatch.setattr(reader_view, "SURELY", 9)
    table = pa.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215], "sex": ["f", "m", "f", "m"]})
    with pytest.raises(TableError, match=r"make 4 different rows.* about 4.0 GB .*; keep fewer columns"):
        release(
            table,
            tmp_path / "out.csv",
            sensitive="age",
            public="chol",
            keep="sex",
            require={"max_distortion": 2},
            options=ReadOptions(memory_limit="1GB"),
        )
    assert list(tmp_path.iterdir()) == []


def test_weights_are_not_counted_beside_a_harmless_column(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 3, 4], "sex": list("fmfm"), "w": [1.0, 2.0, 1.0, 2.0], "s": list("abab")})
    asked = {"shape": "tree", "require": ["distinct-l=2", "weight-k:w=2"]}
    with pytest.raises(OptionError, match=r"weight-k:w=2 counts the weights of recoded values"):
        release(table, tmp_path / "out.csv", sensitive="s", public="age", harmless="sex", **asked)
    assert not list(tmp_path.iterdir())
