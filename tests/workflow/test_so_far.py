"""What an optimal search offers while it runs is true at that moment."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hartley
from hartley.examples import CLINIC_COLUMNS, clinic
from hartley.measures.uncertainty import distinct_l


@pytest.fixture(scope="module")
def table():
    rows = clinic(rows=60)
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(CLINIC_COLUMNS)})


@pytest.mark.parametrize("utility", ["resolution", "distortion"])
def test_the_frontier_grows_towards_the_end_and_never_claims_too_much(table, utility):
    offered = []
    result = hartley.frontier(
        table,
        sensitive="age",
        public="cholesterol",
        utility=utility,
        so_far=lambda frontier: offered.append(frontier()),
    )
    assert offered
    final = result.frontier
    for frontier in offered:
        assert not frontier.complete
        for point in frontier.points:
            assert distinct_l(result.joint, point.partition) == point.distinct_l
            best = final.least_leakage(point.utility)
            assert best.leakage_bits <= point.leakage_bits + 1e-9
            assert point.lower_bound_bits <= best.leakage_bits + 1e-9


def test_listening_changes_nothing(table):
    offered = []
    heard = hartley.frontier(table, sensitive="age", public="cholesterol", so_far=offered.append)
    assert offered
    assert heard.frontier == hartley.frontier(table, sensitive="age", public="cholesterol").frontier
