"""A reader of several releases sees their common refinement."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from hartley import audit, release
from hartley.measures.audit import Audit, measure
from hartley.model import Partition, meet
from hartley.model.demand import Target
from hartley.releases.policy import Policy
from hartley.tables import Roles, open_table
from random_tables import write_table


def audit_of_releases(path: Path, **roles: Any) -> Audit:
    return audit(path, **roles).audit


def released(source: Path, output: Path, size: int, **options: object) -> Policy:
    result = release(
        source,
        output,
        target=Target("largest_cluster", size),
        sensitive="s",
        search="greedy",
        utility="resolution",
        **options,
    )
    return Policy.read(result.policy)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_measure_of_the_common_refinement(tmp_path: Path, seed: int) -> None:
    source = Random(seed)
    path = tmp_path / "in.csv"
    write_table(path, [{"x": source.randint(0, 12), "s": source.choice("pqrst")} for _ in range(40)])
    policies = [
        released(path, tmp_path / f"{size}.csv", size, public="x", leakage=leakage)
        for size, leakage in ((2, "l0"), (3, "istar"), (5, "l0"))
    ]
    joint = open_table(path).joint_range(Roles(sensitive=("s",), public=("x",))).joint
    partitions = []
    for policy in policies:
        cluster = {value[0]: number for value, number in policy.entries()}
        partitions.append(Partition(np.array([cluster[label] for label in joint.public.labels()])))
    expected = measure(joint, meet(partitions))
    found = audit_of_releases(path, sensitive="s", earlier=policies)
    assert (found.l0_bits, found.istar_bits, found.distinct_l, found.row_k, found.pairs) == (
        expected.l0_bits,
        expected.istar_bits,
        expected.distinct_l,
        expected.row_k,
        expected.pairs,
    )
    seen_besides = audit_of_releases(path, sensitive="s", public="x", earlier=policies)
    assert seen_besides.distinct_l == measure(joint).distinct_l


def test_kept_and_harmless_columns_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    write_table(path, [{"x": n % 2, "k": n % 3, "s": "pqr"[n % 3]} for n in range(12)])
    policy = released(path, tmp_path / "out.csv", 2, public="x", harmless="k", exposure="accept")
    assert audit_of_releases(path, sensitive="s", earlier=[policy]).distinct_l == 1


@pytest.mark.parametrize("first", [True, False])
def test_what_one_of_them_published_of_another_secret_is_seen(tmp_path: Path, first: bool) -> None:
    path = tmp_path / "in.csv"
    write_table(path, [{"x": row // 2, "s": row % 2, "t": row % 2} for row in range(8)])
    plain = released(path, tmp_path / "plain.csv", 1, public="x")
    result = release(
        path,
        tmp_path / "shown.csv",
        target=Target("largest_cluster", 1),
        sensitive="t",
        public="x",
        search="greedy",
        utility="resolution",
        publish_sensitive=True,
    )
    shown = Policy.read(result.policy)
    policies = [shown, plain] if first else [plain, shown]
    assert audit_of_releases(path, sensitive="s", earlier=[plain]).distinct_l == 2
    assert audit_of_releases(path, sensitive="s", earlier=policies).distinct_l == 1
    assert audit_of_releases(path, sensitive="t", earlier=policies).distinct_l == 2


def test_that_one_of_them_left_a_row_out_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    cells = [(1, "p"), (1, "q"), (1, None), (2, "p"), (2, "q"), (None, "p"), (None, "q")]
    write_table(path, [{"x": x, "s": s} for x, s in cells])
    plain = released(path, tmp_path / "plain.csv", 3, public="x")
    dropping = released(path, tmp_path / "dropping.csv", 3, public="x", missing="drop")
    assert audit_of_releases(path, sensitive="s", earlier=[plain]).distinct_l == 3
    # p, q and missing are left for the three rows that are not in it.
    assert audit_of_releases(path, sensitive="s", earlier=[dropping]).distinct_l == 2
    assert audit_of_releases(path, sensitive="s", earlier=[dropping]).rows == 7
    both = [
        audit_of_releases(path, sensitive="s", earlier=order)
        for order in ([plain, dropping], [dropping, plain])
    ]
    assert both[0].pairs == both[1].pairs
    assert both[0].distinct_l == both[1].distinct_l
    assert audit_of_releases(path, sensitive="s", earlier=[dropping], missing="drop").rows == 4


def test_an_audit_of_earlier_releases_counts_left_out_rows_and_gates(tmp_path):
    import csv

    from hartley import audit, release
    from hartley.examples import CLINIC_COLUMNS, clinic
    from hartley.model.demand import Target

    path = tmp_path / "clinic.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([CLINIC_COLUMNS, *clinic()])
    made = release(
        path,
        tmp_path / "out.csv",
        target=Target("distinct_l", 3),
        sensitive="age",
        public="cholesterol",
        search="greedy",
        missing="drop",
    )
    found = audit(
        path,
        sensitive="age",
        missing="drop",
        earlier=[made.policy],
        require=["distinct-l=3", "row-k=10000"],
    )
    assert found.audit.distinct_l == made.after.distinct_l >= 3
    assert found.dropped_rows == sum(row[4] is None for row in clinic())
    assert [verdict.holds for verdict in found.requirements] == [True, False]
