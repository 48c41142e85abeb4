"""Every partition of small tables: bounds hold, nothing is better than the optimum, and how near it comes."""

from __future__ import annotations

import numpy as np
import pytest

from hartley.search.columns.cells import cells_of
from hartley.search.columns.costs import midpoint_costs, relative_loss
from hartley.search.columns.search import ColumnsSearch, search_columns
from hartley.search.effort import UNLIMITED
from reference_columns import SmallTable, small_table
from sample_sizes import sample

TABLES = sample(usual=12, long=1_500)
"""How many tables of each kind."""

KINDS = {
    "max": {},
    "max, one code each": {"single": True},
    "max, scaled": {"scaled": True},
    "max, table": {"kinds": ("table",)},
    "max, several requirements": {"conjunction": True},
    "sum": {"combination": "sum"},
    "sum, table": {"combination": "sum", "kinds": ("table",)},
    "sum, all at once": {
        "combination": "sum",
        "conjunction": True,
        "scaled": True,
        "kinds": ("plain", "table"),
    },
}


def clusters_of(labels):
    return [np.flatnonzero(labels == number).tolist() for number in range(int(labels.max()) + 1)]


def searched(table: SmallTable, polish=True):
    """The search itself, without looking at all partitions of small tables."""
    search = ColumnsSearch(table.columns, table.demand, table.combination, all_divisions_up_to=0)
    return search.run((), polish, UNLIMITED)


@pytest.mark.parametrize("kind", KINDS)
def test_bound_below_optimum_below_result_and_the_optimum_is_nearly_always_found(kind):
    rng = np.random.default_rng(7)
    optimal = 0
    for _ in range(TABLES):
        table = small_table(rng, **KINDS[kind])
        found = searched(table)
        clusters = clusters_of(found.labels)
        assert all(table.is_enough(cluster) for cluster in clusters)
        assert found.worst == pytest.approx(max(map(table.cost, clusters)), abs=1e-12)
        assert found.bound <= table.least_worst + 1e-12
        assert found.worst >= table.least_worst - 1e-12
        optimal += found.worst <= table.least_worst * (1 + 1e-9) + 1e-12
        rows = table.demand.rows
        loss = sum(table.width(c) * rows[c].sum() for c in clusters) / rows.sum()
        assert found.loss == pytest.approx(loss, abs=1e-12)
    assert optimal >= 0.98 * TABLES


@pytest.mark.parametrize("kind", KINDS)
def test_small_tables_are_divided_in_the_best_way(kind):
    rng = np.random.default_rng(8)
    for _ in range(-(-TABLES // 3)):
        table = small_table(rng, **KINDS[kind])
        found = search_columns(table.columns, table.demand, combination=table.combination)
        assert found.proven
        assert found.worst == pytest.approx(table.least_worst, abs=1e-12)
        assert found.loss == pytest.approx(table.least_loss(table.least_worst), abs=1e-12)


@pytest.mark.parametrize("combination", ["max", "sum"])
def test_costs_of_partitions_are_those_of_the_definition(combination):
    rng = np.random.default_rng(9)
    for _ in range(TABLES):
        table = small_table(
            rng, combination=combination, scaled=True, kinds=("plain", "table"), conjunction=True
        )
        labels = np.unique(rng.integers(0, 3, table.size), return_inverse=True)[1]
        costs = midpoint_costs(table.columns, labels, combination)
        assert costs == pytest.approx([table.cost(c) for c in clusters_of(labels)], abs=1e-12)
        rows = table.demand.rows
        loss = sum(table.width(c) * rows[c].sum() for c in clusters_of(labels)) / rows.sum()
        assert relative_loss(cells_of(table.columns, combination), labels, rows) == pytest.approx(loss)


def test_whether_clusters_are_enough_is_counted_as_the_definition_says():
    rng = np.random.default_rng(10)
    for _ in range(TABLES):
        table = small_table(rng, conjunction=True)
        labels = np.unique(rng.integers(0, 3, table.size), return_inverse=True)[1]
        expected = [table.is_enough(cluster) for cluster in clusters_of(labels)]
        assert table.demand.are_enough(labels, int(labels.max()) + 1).tolist() == expected
