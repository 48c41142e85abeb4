"""The order of a release: kept to the row, or random and without any trace of the one before."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from hartley import release
from hartley.errors import TableError, WriteError
from hartley.model.demand import Target
from hartley.releases.formats import Format
from hartley.releases.policy import Policy
from hartley.releases.rows.source_rows import Rows
from hartley.releases.writer import row_order
from hartley.releases.writer.publication import Publication
from hartley.releases.writer.row_order import Arrangement
from hartley.tables import open_table

VALUES: dict[str, list[Any]] = {
    "whole numbers": [3, -5, 2**40, 7, 4, None],
    "near numbers": [3, -5, 12, 7, 4, None],
    "huge numbers": [2**100, 2**100 + 1, -5, 0, None],
    "floats": [0.0, -0.0, 1.5, 1e300, float("nan"), None],
    "decimals": [Decimal("1.10"), Decimal("1.25"), Decimal("-7.00"), None],
    "text": ["", "a", "A", "ä", "1.10", "1.1", None],
    "dates": [dt.date(1960, 2, 29), dt.date(2024, 2, 29), dt.date(2024, 3, 1), None],
    "moments": [dt.datetime(2024, 1, 1, 10), dt.datetime(1999, 1, 1, 10, 0, 0, 250_000), None],
    "truths": [True, False, None],
}


def policy_for(table: pa.Table, folder: Path, **options: Any) -> Policy:
    """Give the policy of a release of a table, by clusters of at most two values."""
    settings = {
        "target": Target("largest_cluster", 2),
        "sensitive": "s",
        "public": "x",
        "search": "greedy",
        "utility": "resolution",
        "overwrite": True,
        **options,
    }
    return Policy.read(release(table, folder / "for_policy.parquet", **settings).policy)


def written(table: pa.Table, policy: Policy, path: Path, **options: Any) -> Path:
    opened = open_table(table)
    rows = Rows(opened, policy.published)
    Publication(rows, policy).write(path, Format.of(path), **{"keep_order": False, **options})
    opened.close()
    return path


def cells(path: Path) -> list[tuple[Any, ...]]:
    table = pq.read_table(path)
    # As text: -0.0 is not 0.0, and a missing number is not NaN.
    return [tuple(map(repr, row.values())) for row in table.to_pylist()]


def sample(values: list[Any], rows: int = 60, seed: int = 1) -> pa.Table:
    chosen = random.Random(seed)
    kind = pa.decimal128(38, 0) if 2**100 in values else None
    drawn = [chosen.choice(values) for _ in range(rows)]
    return pa.table(
        {
            "x": pa.array([Decimal(x) if kind and x is not None else x for x in drawn], kind),
            "s": [chosen.choice("pqr") for _ in range(rows)],
            "row": list(range(rows)),
        }
    )


@pytest.mark.parametrize("kind", VALUES)
def test_kept_rows_get_their_labels_in_their_order(tmp_path: Path, kind: str) -> None:
    table = sample(VALUES[kind])
    policy = policy_for(table, tmp_path, harmless="row", exposure="accept")
    kept = cells(written(table, policy, tmp_path / "kept.parquet", keep_order=True))
    assert [row[-1] for row in kept] == [str(number) for number in range(table.num_rows)]
    recoded = [repr(label) for label in policy.apply(table).column("x").to_pylist()]
    assert [row[0] for row in kept] == recoded


def test_a_label_is_held_once_however_many_values_get_it(tmp_path: Path) -> None:
    table = sample([f"word {number}" for number in range(40)], rows=400)
    policy = policy_for(table, tmp_path, target=Target("largest_cluster", 10))
    opened = open_table(table)
    rows = Rows(opened, policy.published)
    publication = Publication(rows, policy)
    held = rows.connection.execute("SELECT l0 FROM hartley_labels ORDER BY cluster").fetchall()
    assert [label for (label,) in held] == [cluster.label[0] for cluster in policy.clusters]
    assert len(held) < len(policy.member_clusters())
    assert publication.unseen_rows() == 0
    opened.close()


def test_rows_of_several_public_columns_keep_their_order(tmp_path: Path) -> None:
    table = sample(VALUES["text"])
    table = table.append_column("y", sample(VALUES["near numbers"], seed=2).column("x"))
    table = table.append_column("z", sample(VALUES["dates"], seed=3).column("x"))
    policy = policy_for(table, tmp_path, public=["x", "y", "z"], harmless="row", exposure="accept")
    kept = cells(written(table, policy, tmp_path / "kept.parquet", keep_order=True))
    assert [row[1] for row in kept] == [str(number) for number in range(table.num_rows)]


def test_order_is_kept_over_many_batches(tmp_path: Path) -> None:
    rows = 400_000
    number = np.arange(rows)
    table = pa.table({"x": number * 7919 % 100, "s": number % 3, "row": number})
    source = tmp_path / "in.parquet"
    pq.write_table(table, source, row_group_size=10_000)
    found = release(
        source,
        tmp_path / "out.parquet",
        target=Target("largest_cluster", 2),
        sensitive="s",
        public="x",
        search="greedy",
        keep_order=True,
    )
    label = {
        member[0]: cluster.label[0]
        for cluster in Policy.read(found.policy).clusters
        for member in cluster.members
    }
    by_value = np.array([float(label[str(value)] or "") for value in range(100)])
    out = pq.read_table(found.output).column("x").to_numpy()
    assert np.array_equal(out, by_value[number * 7919 % 100])


@pytest.mark.parametrize("beside", [(), ("k",)])
@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl"])
def test_shuffled_bytes_do_not_depend_on_the_order_of_the_source(
    tmp_path: Path, ending: str, beside: tuple[str, ...]
) -> None:
    table = sample(VALUES["near numbers"], rows=300)
    table = table.append_column("k", sample(VALUES["text"], rows=300, seed=8).column("x"))
    policy = policy_for(table, tmp_path, harmless=beside, exposure="accept")
    contents = set()
    for turn in range(4):
        order = np.random.default_rng(turn).permutation(300)
        path = written(
            table.take(order), policy, tmp_path / f"out{ending}", generator=np.random.default_rng(7)
        )
        contents.add(path.read_bytes())
    assert len(contents) == 1
    other = written(table, policy, tmp_path / f"other{ending}", generator=np.random.default_rng(8))
    assert other.read_bytes() not in contents


def test_known_numbers_of_rows_are_those_that_would_be_counted(tmp_path: Path) -> None:
    table = sample(VALUES["text"], rows=200)
    policy = policy_for(table, tmp_path)
    found = Counter(table.column("x").to_pylist())
    known = np.array([sum(found[member[0]] for member in one.members) for one in policy.clusters])
    given = written(table, policy, tmp_path / "given.parquet", cluster_rows=known)
    counted = written(table, policy, tmp_path / "counted.parquet")
    assert Counter(cells(given)) == Counter(cells(counted))


@pytest.mark.parametrize("kind", VALUES)
def test_every_row_is_there_after_a_shuffle(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = sample(VALUES["near numbers"])
    table = table.append_column("k", sample(VALUES[kind], seed=4).column("x"))
    policy = policy_for(table, tmp_path, harmless="k", exposure="accept")
    kept = cells(written(table, policy, tmp_path / "kept.parquet", keep_order=True))
    grouped = cells(written(table, policy, tmp_path / "grouped.parquet"))
    monkeypatch.setattr(row_order, "COUNTED_CELLS", 0)
    by_secrets = cells(written(table, policy, tmp_path / "by_secrets.parquet"))
    assert Counter(kept) == Counter(grouped) == Counter(by_secrets)
    assert len({tuple(kept), tuple(grouped), tuple(by_secrets)}) == 3


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.int8(), [-128, 127, 0, None]),
        (pa.uint8(), [255, 0, 17]),
        (pa.int16(), [-32768, 32767, None]),
        (pa.int32(), [-(2**31), -(2**31) + 9, None]),
        (pa.uint32(), [2**32 - 1, 2**32 - 7]),
        (pa.int64(), [-(2**63), -(2**63) + 3, None]),
        (pa.int64(), [2**63 - 1, 2**63 - 3]),
        (pa.uint64(), [2**64 - 1, 2**64 - 5, None]),
    ],
)
@pytest.mark.parametrize("keep_order", [True, False])
def test_whole_numbers_at_the_ends_of_their_types(
    tmp_path: Path, kind: pa.DataType, values: list[Any], keep_order: bool
) -> None:
    rows = 40
    table = pa.table(
        {
            "x": pa.array([values[row % len(values)] for row in range(rows)], kind),
            "s": [row * 7 % 5 for row in range(rows)],
            "k": pa.array([values[row // 3 % len(values)] for row in range(rows)], kind),
        }
    )
    policy = policy_for(table, tmp_path, target=Target("largest_cluster", 1), harmless="k", exposure="accept")
    out = pq.read_table(written(table, policy, tmp_path / "out.parquet", keep_order=keep_order))
    given = list(zip(*(table.column(name).to_pylist() for name in ("x", "k")), strict=True))
    found = list(zip(*(out.column(name).to_pylist() for name in ("x", "k")), strict=True))
    assert found == given if keep_order else Counter(found) == Counter(given)


def test_many_different_rows_are_sorted_by_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_order, "COUNTED_CELLS", 1000)
    asked = []
    sort = Arrangement._sorted_by_secrets
    monkeypatch.setattr(Arrangement, "_sorted_by_secrets", lambda self: asked.append(self) or sort(self))
    few = sample(VALUES["near numbers"], rows=2000).drop_columns("row")
    policy = policy_for(few, tmp_path)
    written(few, policy, tmp_path / "few.parquet")
    assert not asked
    many = sample(VALUES["near numbers"], rows=2000)
    policy = policy_for(many, tmp_path, harmless="row", exposure="accept")
    path = written(many, policy, tmp_path / "many.parquet")
    assert asked
    order = pq.read_table(path).column("row").to_pylist()
    assert sorted(order) == list(range(2000))
    assert order != sorted(order)


def test_a_value_beyond_the_codebook_is_never_given_the_label_of_another(tmp_path: Path) -> None:
    table = sample([1, 2, 3])
    table = table.append_column("y", sample([1, 2, 3], seed=2).column("x"))
    policy = policy_for(table, tmp_path, public=["x", "y"])
    other = table.set_column(table.column_names.index("y"), "y", pa.array([9] * table.num_rows))
    with pytest.raises(WriteError, match="nothing was changed"):
        written(other, policy, tmp_path / "out.parquet", keep_order=True)


def test_a_value_between_those_of_the_codebook_is_refused(tmp_path: Path) -> None:
    table = sample([1, 5, 9])
    policy = policy_for(table, tmp_path)
    other = table.set_column(0, "x", pa.array([3] * table.num_rows))
    for keep_order in (True, False):
        with pytest.raises((TableError, WriteError), match=r"nothing was changed|changed meanwhile"):
            written(other, policy, tmp_path / "out.parquet", keep_order=keep_order)


def under_missing(column: pa.ChunkedArray) -> set[bytes]:
    """Give what the memory of a column of fixed width holds in the place of missing cells."""
    found = set()
    width = column.type.bit_width // 8
    for chunk in column.chunks:
        memory = chunk.buffers()[1].to_pybytes()
        missing = np.flatnonzero(chunk.is_null().to_numpy(zero_copy_only=False)) + chunk.offset
        found |= {memory[place * width : (place + 1) * width] for place in missing.tolist()}
    return found


@pytest.mark.parametrize("keep_order", [True, False])
@pytest.mark.parametrize("kind", ["decimals", "times", "moments", "floats", "whole numbers"])
def test_nothing_stands_under_a_missing_cell_of_an_arrow_file(
    tmp_path: Path, kind: str, keep_order: bool
) -> None:
    values = {**VALUES, "times": [dt.time(23, 59), dt.time(12, 30, 5), None]}[kind]
    table = sample(VALUES["near numbers"], rows=300)
    table = table.append_column("k", sample(values, rows=300, seed=8).column("x"))
    policy = policy_for(table, tmp_path, harmless="k", exposure="accept")
    for seed in range(5):
        mixed = table.take(np.random.default_rng(seed).permutation(300))
        released = feather.read_table(
            written(mixed, policy, tmp_path / f"{seed}.arrow", keep_order=keep_order), memory_map=False
        )
        for column in released.columns:
            assert column.null_count
            assert all(not any(cell) for cell in under_missing(column))


def test_arrow_bytes_do_not_depend_on_the_order_of_the_source(tmp_path: Path) -> None:
    table = sample(VALUES["near numbers"], rows=300)
    table = table.append_column("k", sample(VALUES["decimals"], rows=300, seed=8).column("x"))
    policy = policy_for(table, tmp_path, harmless="k", exposure="accept")
    contents = set()
    for turn in range(4):
        mixed = table.take(np.random.default_rng(turn).permutation(300))
        path = written(mixed, policy, tmp_path / "out.arrow", generator=np.random.default_rng(7))
        contents.add(path.read_bytes())
    assert len(contents) == 1


def test_what_never_was_a_value_is_not_under_a_suppressed_one(tmp_path: Path) -> None:
    table = sample(VALUES["decimals"], rows=300)
    policy = policy_for(table, tmp_path)
    column = policy.apply(table).column("x")
    assert column.null_count
    assert all(not any(cell) for cell in under_missing(column))


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".arrow"])
def test_an_interruption_while_rows_are_made_is_no_failure_to_write(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = sample(VALUES["near numbers"])
    policy = policy_for(table, tmp_path, harmless="row", exposure="accept")

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(row_order, "shuffled", interrupted)
    with pytest.raises(KeyboardInterrupt):
        written(table, policy, tmp_path / f"out{ending}")
