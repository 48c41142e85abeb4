"""Trees of tables that are not held: the release is that of the same table where it is held, row for row."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hartley import ReleaseResult, apply, release, verify
from hartley.errors import PolicyError, TableError
from hartley.releases.policy import Policy
from hartley.search.trees import stem
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.counting.different_rows import DifferentRows
from hartley.workflow.publication import release_policy
from hartley.workflow.trees import reduced_table

MOST = 300
"""Different rows that are looked at together in these tests."""
SECRETS = ["p", "q", "r", "t", "u"]


def drawn(seed: int, rows: int = 900) -> pa.Table:
    """Draw a table whose public tuples are nearly all different."""
    draws = np.random.default_rng(seed)
    numbers = np.round(draws.normal(size=rows), 1)
    return pa.table(
        {
            "age": draws.integers(0, 40, rows).astype("int32"),
            "sort": pa.array(draws.choice(["x", "y", "Z", "ü", None], rows)),
            "score": pa.array([None if number > 1.9 else float(number) for number in numbers]),
            "other": draws.integers(0, 9, rows),
            "answer": draws.choice(SECRETS, rows, p=[0.4, 0.2, 0.2, 0.1, 0.1]),
        }
    )


def rows_of(path: Path) -> Counter[tuple[Any, ...]]:
    """Return the rows of a released file with the number of each."""
    return Counter(tuple(row.values()) for row in pq.read_table(path).to_pylist())


WAYS: list[dict[str, Any]] = [
    {"distinct_l": 2},
    {"distinct_l": 3, "row_k": 10},
    {"distinct_l": 2, "transparent": "retry"},
    {"distinct_l": 2, "transparent": "strict"},
    {"require": {"guess-at-most": 0.75}, "transparent": "retry"},
    {"require": {"t-closeness": 0.6}},
    {"distinct_l": 2, "labels": "interval", "weight": {"age": 3.0}},
]
ROLES: dict[str, Any] = {
    "sensitive": "answer",
    "public": ["age", "sort", "score"],
    "shape": "tree",
    "publish_sensitive": True,
}


pytestmark = pytest.mark.usefixtures("few")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at few rows together."""
    monkeypatch.setattr(stem, "MOST_AT_ONCE", MOST)
    monkeypatch.setattr(release_policy, "MOST_AT_ONCE", MOST)


def made_twice(
    held: Any, there: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, **asked: Any
) -> tuple[ReleaseResult, ReleaseResult]:
    """Release a table as one that is held, and as one that is not, but for its classes."""
    own = dict(ROLES, **asked)
    one = release(held, folder / "held.parquet", **own)
    with monkeypatch.context() as patch:
        # As if there were memory for a thousand different rows, less than the table has.
        patch.setattr(reduced_table, "memory_of", lambda _: 800 * reduced_table.BYTES_A_ROW)
        patch.setattr(reduced_table._Few, "require_held", lambda *_: None)
        two = release(there, folder / "there.parquet", **own)
    assert Policy.read(two.policy).lists_ends
    assert not Policy.read(one.policy).lists_ends
    return one, two


def require_same(one: ReleaseResult, two: ReleaseResult) -> None:
    assert rows_of(one.output) == rows_of(two.output)
    assert Policy.read(one.policy).tree == Policy.read(two.policy).tree
    assert one.after == two.after
    assert one.before == two.before
    assert one.requirements == two.requirements
    assert two.usefulness.loss == pytest.approx(one.usefulness.loss)
    assert two.usefulness.values_before == one.usefulness.values_before
    assert two.verification.holds


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_file_is_released_as_one_that_is_held(
    way: dict[str, Any], seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "table.parquet"
    pq.write_table(drawn(seed), source)
    require_same(*made_twice(source, source, tmp_path, monkeypatch, **way))


@pytest.mark.parametrize("transparent", [None, "retry"])
def test_columns_of_every_kind_and_several_sensitive_ones(
    transparent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = np.random.default_rng(8)
    rows = 1_200
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=int(day)) for day in draws.integers(0, 90, rows)]
    table = pa.table(
        {
            "zip": pa.array(["".join(map(str, digits)) for digits in draws.integers(1, 5, (rows, 3))]),
            "day": pa.array(days),
            "member": pa.array(draws.choice([True, False, None], rows)),
            "pay": pa.array(
                [Decimal(int(x)) / 100 for x in draws.integers(0, 5000, rows)], pa.decimal128(10, 2)
            ),
            "one": draws.choice(["p", "q", "r"], rows),
            "two": draws.integers(0, 5, rows),
        }
    )
    source = tmp_path / "table.parquet"
    pq.write_table(table, source)
    asked = {"sensitive": ["one", "two"], "public": ["zip", "day", "member", "pay"], "prefix": "zip"}
    way = {"require": {"distinct_l": 2, "row_k": 8}, "transparent": transparent}
    require_same(*made_twice(source, source, tmp_path, monkeypatch, **asked, **way))


def test_no_statement_brings_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "table.parquet"
    table = drawn(11, 3000)
    pq.write_table(table, source)
    fetched: list[int] = []
    note = DifferentRows._note

    def noted(self: DifferentRows, rows: int) -> None:
        fetched.append(rows)
        note(self, rows)

    monkeypatch.setattr(DifferentRows, "_note", noted)
    _, two = made_twice(source, source, tmp_path, monkeypatch, distinct_l=2, row_k=40)
    assert two.verification.holds
    assert len(fetched) > 10
    # Counts of a level of the tree: cells of three columns and sensitive values of at most 16 nodes.
    cells = sum(len(table.column(name).unique()) for name in ROLES["public"])
    assert max(fetched) <= max(MOST, 16 * (cells + len(SECRETS) + 1))
    assert sum(rows == 3000 for rows in fetched) == 0


def test_it_is_verified_again_and_damage_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "table.parquet"
    table = drawn(5)
    pq.write_table(table, source)
    _, made = made_twice(source, source, tmp_path, monkeypatch, distinct_l=2, transparent="retry")
    papers: dict[str, Any] = {
        "policy": made.policy, "certificate": made.certificate, "record": made.record,
    }  # fmt: skip
    assert verify(made.output, original=source, **papers).holds
    other = tmp_path / "other.parquet"
    cells = table.column("answer").to_pylist()
    cells[0] = next(value for value in SECRETS if value != cells[0])
    pq.write_table(table.set_column(4, "answer", pa.array(cells)), other)
    failed = {check.name for check in verify(made.output, original=other, **papers).failures}
    assert {"rows", "commitment to the original"} <= failed
    # A cell beyond every class.
    ages = table.column("age").to_pylist()
    ages[0] = 1_000
    pq.write_table(table.set_column(0, "age", pa.array(ages, pa.int32())), other)
    failed = {check.name for check in verify(made.output, original=other, **papers).failures}
    assert "codebook" in failed


def test_its_policy_recodes_no_other_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "table.parquet"
    pq.write_table(drawn(6), source)
    _, made = made_twice(source, source, tmp_path, monkeypatch, distinct_l=2)
    with pytest.raises(PolicyError, match="lists the ends of its classes"):
        apply(made.policy, source, tmp_path / "again.parquet")
    with pytest.raises(PolicyError, match="lists the ends of its classes"):
        Policy.read(made.policy).apply(drawn(6))


def test_its_policy_is_of_no_earlier_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = drawn(4)
    pq.write_table(table, tmp_path / "table.parquet")
    held, there = made_twice(table, tmp_path / "table.parquet", tmp_path, monkeypatch, **WAYS[0])
    later = {"sensitive": "answer", "public": ["age"], "distinct_l": 2}
    release(table, tmp_path / "later.csv", earlier=[held.policy], **later)
    with pytest.raises(PolicyError, match="what a reader of both releases sees"):
        release(table, tmp_path / "more.csv", earlier=[there.policy], **later)
    assert not (tmp_path / "more.csv").exists()


def test_classes_that_cannot_be_held_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "table.parquet"
    pq.write_table(drawn(7, 3000), source)
    monkeypatch.setattr(reduced_table, "memory_of", lambda _: 500 * reduced_table.BYTES_A_ROW)
    with pytest.raises(TableError, match="ask for larger classes"):
        release(source, tmp_path / "out.parquet", **ROLES, distinct_l=2)
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("seed", range(3))
def test_a_table_of_sqlite_is_searched_there(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = drawn(20 + seed)
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE t (age INTEGER, sort TEXT, score REAL, other INTEGER, answer TEXT)")
        connection.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?)", zip(*table.to_pydict().values(), strict=True)
        )
    url = f"sqlite:///{tmp_path / 't.db'}"
    options = ReadOptions(query="t")
    require_same(
        *made_twice(url, url, tmp_path, monkeypatch, distinct_l=2, transparent="retry", options=options)
    )


def test_counts_are_those_of_the_rows() -> None:
    """What the engine counts of boxes is what the rows say."""
    table = drawn(3)
    rows = open_table(table).different_rows(Roles(sensitive=("answer",), public=("age", "sort", "score")))
    assert rows is not None
    rows.number()
    whole = rows.fetch(([0, 0, 0], [99, 99, 99]))
    assert whole["n"].sum() == table.num_rows
    assert rows.different == len(whole["n"])
    box = [3, 1, 0], [17, 3, 20]
    some = rows.fetch(box)
    inside = np.logical_and.reduce(
        [(whole[f"x{j}"] >= box[0][j]) & (whole[f"x{j}"] <= box[1][j]) for j in range(3)]
    )
    assert sorted(zip(*(one[inside] for one in whole.values()), strict=True)) == sorted(
        zip(*some.values(), strict=True)
    )
    found = rows.look([box])
    for what in range(3):
        here = found["what"] == what
        expected = Counter(
            {int(v): int(some["n"][some[f"x{what}"] == v].sum()) for v in set(some[f"x{what}"])}
        )
        assert dict(zip(found["cell"][here].tolist(), found["n"][here].tolist(), strict=True)) == expected
    rows.close()
