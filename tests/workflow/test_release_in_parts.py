"""Tables whose different rows do not fit into memory: they are searched in parts, and the release holds."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from enough_instances import most_apart
from hartley import release
from hartley.errors import TableError, UnreachableError
from hartley.measures.audit import audit as measure
from hartley.model import Alphabet, JointRange, Partition
from hartley.notes import heard_notes
from hartley.releases.codebook import Codebook, codebook
from hartley.releases.record import Record
from hartley.releases.rows import reader_view, row_parts
from hartley.tables import ReadOptions
from hartley.workflow.publication import choose_point
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.verify_release import verify


def cut_at(monkeypatch: pytest.MonkeyPatch, room: float | None, *, is_counted: bool = False) -> None:
    """Have tables searched in parts, of which two together have at most this many different rows.

    Their different rows are counted first, or it is clear from an estimate that they are too many.
    """
    monkeypatch.setattr(reader_view, "FEW_ROWS", 2)
    monkeypatch.setattr(reader_view, "BYTES_A_ROW", 1 if room is None else 10**9)
    monkeypatch.setattr(reader_view, "SURELY", 10**9 if is_counted else 1.25)
    if room is not None:
        bytes_a_row = 10**9 * row_parts.PARTS_SHARE / (room + 0.5)
        monkeypatch.setattr(row_parts, "BYTES_A_ROW_OF_A_PART", bytes_a_row)
        monkeypatch.setattr(row_parts, "BYTES_AN_OBSERVATION", 0)


def random_table(rng: Random, rows: int, *, kept: int = 2) -> pa.Table:
    """Whole public numbers, each with some of a few sensitive ones, and kept and harmless columns."""
    public = rng.sample(range(3 * rows), rows // rng.choice((2, 4)))
    texts = [None, *"abcdefgh"][: kept + 1]
    return pa.table(
        {
            "x": [rng.choice(public) for _ in range(rows)],
            "s": [rng.randrange(9) for _ in range(rows)],
            "k": pa.array([rng.choice(texts) for _ in range(rows)]),
            "h": [rng.randrange(2) for _ in range(rows)],
        }
    )


def released(table: Any, output: Path, **options: Any) -> ReleaseResult:
    given = {"sensitive": "s", "public": "x", "keep": "k", "search": "greedy", **options}
    return release(
        table,
        output,
        publish_sensitive=True,
        overwrite=True,
        options=ReadOptions(memory_limit="1GB"),
        **given,
    )


def seen(result: ReleaseResult, columns: Sequence[str] = ("x", "k")) -> dict[tuple[Any, ...], list[Any]]:
    """Return the sensitive values beside everything that a reader of the file can see."""
    found = defaultdict(list)
    for row in pq.read_table(result.output).to_pylist():
        found[tuple(row[name] for name in columns)].append(row["s"])
    return found


REQUIRED: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({"distinct_l": 3}, {}),
    ({"distinct_l": 3}, {"search": "optimal"}),
    ({"distinct_l": 2}, {"search": "optimal", "utility": "resolution"}),
    ({"distinct_l": 2, "row_k": 4}, {"search": "optimal"}),
    ({"separated_l": 2, "row_k": 3}, {"search": "optimal", "tolerance": {"s": 2}}),
)


@pytest.mark.parametrize(("require", "options"), REQUIRED)
def test_what_is_required_holds_in_a_release_that_was_searched_in_parts(
    require: dict[str, Any], options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(f"{require}{options}")
    several = 0
    for number in range(4):
        table = random_table(rng, 160)
        cut_at(monkeypatch, None)
        ordinary = released(table, tmp_path / "ordinary.parquet", require=require, **options)
        cut_at(monkeypatch, rng.choice((60, 90)), is_counted=number % 2 == 0)
        said: list[str] = []
        with heard_notes(said.append):
            result = released(table, tmp_path / "out.parquet", require=require, **options)
        several += result.searched_parts > 1
        assert [f"searched in {result.searched_parts} parts" in text for text in said] == [True]
        assert (ordinary.searched_parts, result.before) == (1, ordinary.before)
        assert not result.point.proven_optimal
        assert Record.read(result.record).proofs == ()
        assert result.point.utility <= ordinary.point.utility or not ordinary.point.proven_optimal
        classes = seen(result)
        for values in classes.values():
            assert len(set(values)) >= require.get("distinct_l", 1)
            assert len(values) >= require.get("row_k", 1)
            assert most_apart(values, 2) >= require.get("separated_l", 1)
        pairs = [(label, value) for label, values in classes.items() for value in values]
        counted = measure(JointRange.from_pairs(pairs))
        for name in ("rows", "pairs", "observations", "distinct_l", "row_k", "components", "narrowest_rows"):
            assert getattr(result.after, name) == getattr(counted, name), name
        assert result.after.l0_bits == pytest.approx(counted.l0_bits)
        assert result.point.distinct_l == result.after.distinct_l or result.coincided
        found = verify(result.output, original=table, policy=result.policy, certificate=result.certificate)
        assert found.holds
    assert several


@pytest.mark.parametrize(("require", "options"), REQUIRED)
def test_one_part_gives_what_the_whole_gives(
    require: dict[str, Any], options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = random_table(Random(5), 120)
    given = {"harmless": "h", "exposure": "accept", **options}
    cut_at(monkeypatch, None)
    ordinary = released(table, tmp_path / "one.parquet", require=require, **given)
    cut_at(monkeypatch, 10_000)
    result = released(table, tmp_path / "other.parquet", require=require, **given)
    assert result.partition == ordinary.partition
    proven = {"lower_bound_bits": None, "lower_bound_cost": None, "proven_optimal": False, "step": None}
    assert dataclasses.replace(result.point, **proven) == dataclasses.replace(ordinary.point, **proven)
    for name in ("before", "after", "after_all", "separations", "requirements", "usefulness"):
        assert getattr(result, name) == getattr(ordinary, name), name


def test_a_part_that_cannot_keep_what_is_required_is_joined_with_its_neighbour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The last values, and some in the middle, have one sensitive value only.
    values = [(x, "k", x % 7 if x < 20 or 30 <= x < 44 else 0) for x in range(60)]
    table = pa.table({name: [row[place] for row in values] for place, name in enumerate(("x", "k", "s"))})
    cut_at(monkeypatch, 24)
    result = released(table, tmp_path / "out.parquet", require={"distinct_l": 3})
    assert 1 < result.searched_parts < 5
    assert min(len(set(one)) for one in seen(result).values()) >= 3


def test_parts_whose_neighbours_do_not_help_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"x": list(range(60)), "k": ["k"] * 60, "s": [0] * 50 + list(range(10))})
    cut_at(monkeypatch, 12)
    with pytest.raises(TableError, match="a part of the table cannot keep by itself what is required; keep"):
        released(table, tmp_path / "out.parquet", require={"distinct_l": 3})
    assert list(tmp_path.iterdir()) == []


def test_a_value_with_too_many_different_rows_cannot_be_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"x": [1] * 30 + [2], "k": ["k"] * 31, "s": [*range(30), 1]})
    for is_counted, said in ((True, "make 31 different rows"), (False, "make about 30 different rows")):
        cut_at(monkeypatch, 20, is_counted=is_counted)
        with pytest.raises(TableError, match=said):
            released(table, tmp_path / "out.parquet", require={"distinct_l": 3})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("require", [{"distinct_l": 2}, {"row_k": 2}, {"distinct_l": 2, "row_k": 2}])
def test_where_every_row_has_a_kept_cell_of_its_own_nothing_can_be_reached(
    require: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table(
        {"x": [x % 10 for x in range(60)], "k": [f"k{x}" for x in range(60)], "s": [x % 7 for x in range(60)]}
    )
    cut_at(monkeypatch, 12)
    with pytest.raises(UnreachableError, match=r"the most that can be reached is 1 \(column 'k' is kept\)"):
        released(table, tmp_path / "out.parquet", require=require)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "asked",
    [
        {"require": {"max_leakage": 1}},
        {"require": {"distinct_l": 2, "max_distortion": 9}, "search": "optimal"},
        {"require": {"distinct_l": 2, "l0": 2}, "search": "optimal"},
        {"require": {"distinct_l": 2}, "leakage": "joint"},
        {"require": {"distinct_l": 2}, "withhold": "5%", "search": "optimal"},
        {"require": {"distinct_l": 2}, "shape": "intervals", "search": "optimal"},
        {"require": {"distinct_l": 2}, "side": "h"},
        {"require": {"distinct_l": 2}, "public": ("x", "h")},
    ],
)
def test_what_is_no_demand_on_each_cluster_is_refused_as_before(
    asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_at(monkeypatch, 40)
    with pytest.raises(TableError, match=r"different rows.*; keep fewer columns or coarser ones"):
        released(random_table(Random(3), 160), tmp_path / "out.parquet", **asked)
    assert list(tmp_path.iterdir()) == []


def test_a_harmless_column_that_exposes_somebody_is_refused_in_parts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = random_table(Random(4), 160)
    table = table.append_column("id", pa.array(range(160)))
    messages = []
    for room in (None, 40):
        cut_at(monkeypatch, room)
        with pytest.raises(UnreachableError) as refused:
            released(table, tmp_path / "out.parquet", require={"row_k": 2}, harmless="id")
        messages.append(str(refused.value))
    assert messages[0] == messages[1]
    assert "160 rows are left" in messages[0]


@pytest.mark.parametrize("room", [60, 600])
def test_labels_that_coincide_across_parts_are_measured_as_one(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_label(*given: Any, **named: Any) -> Codebook:
        (public,) = (one for one in (*given, *named.values()) if isinstance(one, Alphabet))
        return codebook(public, Partition.whole(public.size))

    def three_parts(weights: Any, order: Any, most: int) -> Any:
        del order, most
        return (np.arange(len(weights)) * 3 // len(weights)).astype(np.int32)

    monkeypatch.setattr(choose_point, "label_point", one_label)
    monkeypatch.setattr(row_parts, "cut_values", three_parts)
    monkeypatch.setattr(row_parts.PartedRows, "_join_small_parts", lambda _: None)
    cut_at(monkeypatch, room)
    table = random_table(Random(6), 160)
    asked: dict[str, Any] = {"require": {"distinct_l": 3}}
    if room == 60:
        with pytest.raises(TableError, match="even in parts, for labels of several of them coincide"):
            released(table, tmp_path / "out.parquet", **asked)
        return
    result = released(table, tmp_path / "out.parquet", **asked)
    classes = seen(result)
    assert (result.searched_parts, len(classes)) == (3, 3)
    assert result.after.observations == 3
    assert result.after.pairs == sum(len(set(one)) for one in classes.values())


def test_parts_in_which_equal_rows_have_left_little_become_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(x, x % 3, s) for x in range(30) for s in range(4)] * 20
    table = pa.table({name: [row[place] for row in rows] for place, name in enumerate(("x", "k", "s"))})
    cut_at(monkeypatch, 80)
    result = released(table, tmp_path / "out.parquet", require={"distinct_l": 3})
    assert 2 <= result.searched_parts <= 4
    assert result.after.rows == len(rows)
    assert min(len(set(one)) for one in seen(result).values()) >= 3


def test_a_missing_value_that_is_exposed_alone_is_refused_as_in_one_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"x": [*range(60), None], "k": ["k"] * 61, "s": [x % 7 for x in range(61)]})
    messages = []
    for room in (None, 24):
        cut_at(monkeypatch, room)
        with pytest.raises(UnreachableError) as refused:
            released(table, tmp_path / "out.parquet", require={"distinct_l": 3})
        messages.append(str(refused.value))
    assert messages[0] == messages[1]
    assert "Empty cells cannot be merged with numbers" in messages[0]
    result = released(table, tmp_path / "out.parquet", require={"distinct_l": 3}, missing="drop")
    assert result.searched_parts > 1
