"""The theorems behind the search over columns, as properties of random small tables."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hartley.search.columns.boxes import blocks_first, peel, split
from hartley.search.columns.cells import cells_of
from hartley.search.columns.costs import midpoint_costs
from hartley.search.columns.loops.cells import gap_of, side_of
from hartley.search.columns.loops.split import MIDDLE
from hartley.search.columns.mend import _Mender, mend
from hartley.search.columns.prepared import Prepared, compact
from hartley.search.columns.search import ColumnsSearch
from hartley.search.effort import UNLIMITED
from reference_columns import small_table

EVERY = {"scaled": True, "kinds": ("plain", "table")}


def tables(count, seed, **options):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield small_table(rng, **options), rng


def side(cells, members):
    place = cells.place[list(members)]
    return float(side_of(cells, place.min(axis=0), place.max(axis=0)))


def reach(table, cells, one):
    gaps = sorted((gap_of(cells, one, other), other) for other in range(table.size))
    near = []
    for gap, other in gaps:
        near.append(other)
        if table.is_enough(near):
            return gap
    return np.inf


def window(table, cells, one):
    """The least side of a set with the tuple that is enough; a smallest box holds such a set."""
    return min(
        side(cells, members)
        for size in range(1, table.size + 1)
        for members in combinations(range(table.size), size)
        if one in members and table.is_enough(members)
    )


@pytest.mark.parametrize("combination", ["max", "sum"])
def test_1_and_10_sides_grow_with_clusters_and_costs_lie_between_gap_and_side(combination):
    for table, rng in tables(40, 1, combination=combination, **EVERY):
        cells = cells_of(table.columns, combination)
        larger = rng.permutation(table.size)[: int(rng.integers(2, table.size + 1))]
        smaller = larger[: int(rng.integers(1, len(larger) + 1))]
        assert side(cells, smaller) <= side(cells, larger) + 1e-12
        assert 2 * table.cost(sorted(larger)) <= side(cells, larger) + 1e-12
        for one, other in combinations(larger.tolist(), 2):
            assert gap_of(cells, one, other) <= 2 * table.cost(sorted(larger)) + 1e-12


def test_2_reach_is_no_more_than_window_and_window_no_more_than_any_side():
    for table, _ in tables(10, 2):
        cells = cells_of(table.columns)
        whole = range(table.size)
        for one in whole:
            assert reach(table, cells, one) <= window(table, cells, one) + 1e-12
        assert max(window(table, cells, one) for one in whole) <= 2 * table.least_worst + 1e-12


@pytest.mark.parametrize("combination", ["max", "sum"])
def test_3_the_lazy_bound_is_the_full_one(combination):
    for table, _ in tables(12, 3, combination=combination, conjunction=True):
        cells = cells_of(table.columns, combination)
        prepared = Prepared(cells, table.demand)
        whole = np.zeros(table.size, dtype=np.int64)
        labels = peel(prepared, split(prepared, whole, MIDDLE, UNLIMITED), UNLIMITED)
        mended = mend(prepared, labels, 0.0, UNLIMITED)
        of_one = window if combination == "max" else reach
        full = max(of_one(table, cells, one) for one in range(table.size))
        assert mended.bound == pytest.approx(full, rel=1e-4, abs=1e-12)
        assert mended.bound <= full + 1e-12


def test_4_the_bound_is_within_a_constant_of_the_optimum():
    for table, _ in tables(12, 4):
        cells = cells_of(table.columns)
        optimum = 2 * table.least_worst
        assert optimum <= 4 * max(reach(table, cells, one) for one in range(table.size)) + 1e-12
        assert optimum <= 3 * max(window(table, cells, one) for one in range(table.size)) + 1e-12


def test_5_a_column_without_an_allowed_cut_has_none_in_any_part():
    def cuts(table, members, column):
        place = cells.place[:, column]
        values = sorted({float(place[x]) for x in members})
        return [
            v
            for v in values[1:]
            if table.is_enough([x for x in members if place[x] < v])
            and table.is_enough([x for x in members if place[x] >= v])
        ]

    for table, rng in tables(40, 5):
        cells = cells_of(table.columns)
        part = rng.permutation(table.size)[: int(rng.integers(1, table.size))].tolist()
        for column in range(cells.place.shape[1]):
            if not cuts(table, range(table.size), column):
                assert not cuts(table, part, column)


def sides_of_clusters(mender):
    """The sides of all clusters, from the greatest."""
    side, size = np.asarray(mender.clusters.side), np.asarray(mender.clusters.size)
    return np.sort(side[size > 0])[::-1].tolist()


@pytest.mark.parametrize("combination", ["max", "sum"])
def test_6_sides_fall_with_every_mend(combination, monkeypatch):
    mends = 0

    def commit(self):
        nonlocal mends
        here = sides_of_clusters(self)
        assert here < self.sides_before
        self.sides_before = here
        mends += 1
        committed(self)

    committed = _Mender.commit
    monkeypatch.setattr(_Mender, "commit", commit)
    for table, rng in tables(60, 6, combination=combination):
        prepared = Prepared(cells_of(table.columns, combination), table.demand)
        labels = compact(rng.integers(0, 2, table.size))
        if not table.demand.are_enough(labels, int(labels.max()) + 1).all():
            labels = np.zeros(table.size, dtype=np.int64)
        mender = _Mender(prepared, labels, 0.0)
        mender.sides_before = sides_of_clusters(mender)
        result = mender.run(UNLIMITED, 0.0)
        assert table.demand.are_enough(result.labels, int(result.labels.max()) + 1).all()
    assert mends > 20


def test_splitting_and_peeling_never_raise_a_side_and_keep_what_is_enough():
    for table, _ in tables(30, 7, conjunction=True, **EVERY):
        prepared = Prepared(cells_of(table.columns), table.demand)
        labels = blocks_first(prepared.cells, table.demand)
        assert table.demand.are_enough(labels, int(labels.max()) + 1).all()
        for finer in (split(prepared, labels, MIDDLE, UNLIMITED), peel(prepared, labels, UNLIMITED)):
            assert table.demand.are_enough(finer, int(finer.max()) + 1).all()
            for number in range(int(finer.max()) + 1):
                part = np.flatnonzero(finer == number)
                assert len(set(labels[part].tolist())) == 1
                whole = np.flatnonzero(labels == labels[part[0]])
                assert side(prepared.cells, part) <= side(prepared.cells, whole) + 1e-12


def test_9_no_cluster_is_left_that_could_be_divided():
    for table, _ in tables(30, 9, single=True):
        result = ColumnsSearch(table.columns, table.demand, all_divisions_up_to=0).run((), True, UNLIMITED)
        for number in range(result.clusters):
            members = np.flatnonzero(result.labels == number).tolist()
            times = np.unique([table.codes([x])[0] for x in members], return_counts=True)[1]
            divisible = int(np.minimum(times, 2).sum()) >= 2 * int(table.demand.wanted[0])
            assert divisible == table.can_be_split(members)
            assert not divisible


def test_10_costs_are_no_more_than_half_the_side_for_every_combination():
    for combination in ("sum",):
        for table, rng in tables(20, 10, combination=combination, **EVERY):
            cells = cells_of(table.columns, combination)
            labels = compact(rng.integers(0, 3, table.size))
            costs = midpoint_costs(table.columns, labels, combination)
            for number, cost in enumerate(costs):
                assert 2 * cost <= side(cells, np.flatnonzero(labels == number)) + 1e-12
