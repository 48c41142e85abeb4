"""A bound never exceeds the cost of a partition that is known to exist, where no search has to find it.

The tables have too many values for a look at all partitions. They are made from a partition that keeps the
demand exactly, so that its cost is an upper limit of every true bound, and searches often end above it.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow as pa
import pytest

from hartley import frontier

CLUSTERS = 30
SIZE = 3


def planted(seed: int, secrets: int) -> pa.Table:
    """Deal all sensitive values out to the three values of each of thirty clusters, names mixed."""
    source = Random(seed)
    names = source.sample(range(1000), CLUSTERS * SIZE)
    rows = []
    for cluster in range(CLUSTERS):
        dealt = source.sample(range(secrets), secrets)
        first = source.choice([secrets // 4, secrets // 3])
        second = source.choice([secrets // 2, 2 * secrets // 3])
        for place, part in enumerate((dealt[:first], dealt[first:second], dealt[second:])):
            rows += [(f"x{names[cluster * SIZE + place]}", value) for value in part]
    source.shuffle(rows)
    return pa.table({"x": [x for x, _ in rows], "s": [s for _, s in rows]})


@pytest.mark.parametrize("require", [{"distinct_l": 9, "row_k": 9}, {"distinct_l": 9}, {"separated_l": 9}])
def test_no_bound_is_above_a_partition_that_exists(require: dict[str, Any]) -> None:
    for seed in range(3, 9):
        options: dict[str, Any] = {"tolerance": {"s": 0}} if "separated_l" in require else {}
        found = frontier(
            planted(seed, 9), sensitive="s", public="x", utility="resolution", require=require, **options
        )
        for point in found.frontier.points:
            assert point.lower_bound_cost is None or point.lower_bound_cost <= SIZE, seed
            assert not point.proven_optimal or point.largest_cluster <= SIZE, seed
