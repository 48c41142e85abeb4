"""Large tables are measured piece by piece and hold little: the answers are those of small ones."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from enough_instances import distinct_codes
from hartley.errors import InputError
from hartley.model import arrays
from hartley.model.arrays import sparse_zeros
from hartley.search.columns import costs as measured
from hartley.search.columns import prepared as at_hand
from hartley.search.columns.cells import CategoryCells, NumberCells, cells_of
from hartley.search.columns.costs import WorstFirst, cluster_sides, midpoint_costs, relative_widths
from hartley.search.columns.prepared import Prepared


def prepared_table(size):
    """Return numbers at random, each tuple with one of five codes, as the search has them at hand."""
    rng = np.random.default_rng(size)
    columns = [NumberCells(rng.random(size)), NumberCells(rng.random(size))]
    return Prepared(cells_of(columns), distinct_codes(np.arange(size + 1), np.arange(size) % 5, 3))


@pytest.mark.parametrize("combination", ["max", "sum"])
@pytest.mark.parametrize("at_once", [1, 7, 30])
def test_clusters_are_measured_the_same_piece_by_piece(monkeypatch, combination, at_once):
    rng = np.random.default_rng(at_once)
    size = 60
    table = rng.integers(1, 9, (3, 3)) / 9
    table = np.triu(table, 1) + np.triu(table, 1).T
    columns = [
        NumberCells(rng.random(size)),
        CategoryCells(rng.integers(0, 3, size)),
        CategoryCells(rng.integers(0, 3, size), table=table),
    ]
    labels = np.unique(rng.integers(0, 20, size), return_inverse=True)[1]
    cells = cells_of(columns, combination)

    def found():
        return (
            midpoint_costs(columns, labels, combination),
            relative_widths(cells, labels),
            cluster_sides(cells, labels),
        )

    whole = found()
    monkeypatch.setattr(measured, "TUPLES_AT_ONCE", at_once)
    for one, other in zip(whole, found(), strict=True):
        assert (one == other).all()


def test_clusters_come_from_the_worst_on_and_new_ones_find_their_place():
    rng = np.random.default_rng(0)
    for _ in range(50):
        costs = rng.integers(0, 6, rng.integers(1, 12)).astype(float)
        ours, heap = WorstFirst(costs), [(-cost, number) for number, cost in enumerate(costs)]
        heapq.heapify(heap)
        number = len(costs)
        while heap:
            assert ours
            cost, worst = heapq.heappop(heap)
            assert ours.take_first() == (-cost, worst)
            if rng.random() < 0.4:
                new = float(rng.integers(0, 6))
                ours.add(new, number)
                heapq.heappush(heap, (-new, number))
                number += 1
        assert not ours


def test_sparse_zeros_are_zeros_that_can_be_written(monkeypatch):
    monkeypatch.setattr(arrays, "MAPPED_FROM", 64)
    zeros = sparse_zeros((40, 3), np.int32)
    assert zeros.shape == (40, 3)
    assert zeros.dtype == np.int32
    assert not zeros.any()
    zeros[7, 1] = 5
    assert zeros.sum() == 5


def test_an_index_that_was_forgotten_is_made_anew():
    prepared = prepared_table(60)
    everyone = np.arange(60)
    before = prepared.reaches_of(everyone).copy()
    prepared.forget_index()
    assert (prepared.reach < 0).all()
    assert (prepared.reaches_of(everyone) == before).all()


def test_more_tuples_than_can_be_numbered_are_refused(monkeypatch):
    monkeypatch.setattr(at_hand, "MOST_TUPLES", 59)
    with pytest.raises(InputError, match="at most 59 different tuples"):
        prepared_table(60)
