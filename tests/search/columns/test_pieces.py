"""Loops over tuples go piece by piece: pieces change no answer, and between two the clock is looked at."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from enough_instances import distinct_codes
from hartley.hot_loops import HotLoop
from hartley.search.columns import boxes, polish, prepared
from hartley.search.columns.boxes import peel
from hartley.search.columns.cells import CategoryCells, NumberCells, cells_of
from hartley.search.columns.loops.near import nearest_tuples
from hartley.search.columns.polish import Polisher, width_cells
from hartley.search.columns.prepared import Prepared
from hartley.search.columns.search import search_columns
from hartley.search.effort import UNLIMITED, Effort


def table(size, seed=0):
    """Four columns that have nothing to do with each other, and one of six codes for each tuple."""
    rng = np.random.default_rng(seed)
    columns = [
        NumberCells(rng.random(size)),
        NumberCells(rng.random(size)),
        CategoryCells(rng.integers(0, 40, size)),
        CategoryCells(rng.integers(0, 2, size)),
    ]
    return columns, distinct_codes(np.arange(size + 1), np.arange(size) % 6, 3)


@pytest.mark.parametrize("wanted_rows", [1, 4])
def test_the_least_pieces_give_the_same_answer(monkeypatch, wanted_rows):
    columns, demand = table(120)
    demand = distinct_codes(demand.value_ptr, demand.value_code, 3, row_k=wanted_rows)
    whole = search_columns(columns, demand)
    monkeypatch.setattr(HotLoop, "piece", lambda *_: 1)
    pieces = search_columns(columns, demand)
    assert (pieces.labels == whole.labels).all()
    assert (pieces.worst, pieces.bound, pieces.loss) == (whole.worst, whole.bound, whole.loss)


def asked_during(work):
    """Return how often the clock is looked at."""
    asked = count()
    work(Effort(should_stop=lambda: bool(next(asked) < 0)))
    return next(asked)


def test_one_large_cluster_is_peeled_piece_by_piece(monkeypatch):
    columns, demand = table(90)
    monkeypatch.setattr(boxes, "TUPLES_AT_A_TIME", 1)
    whole = np.zeros(90, dtype=np.int64)
    parts = int(peel(Prepared(cells_of(columns), demand), whole, UNLIMITED).max()) + 1
    assert parts > 10
    assert asked_during(lambda effort: peel(Prepared(cells_of(columns), demand), whole, effort)) >= parts


def test_the_clock_is_looked_at_while_the_index_grows_and_bounds_are_raised(monkeypatch):
    columns, demand = table(200)
    monkeypatch.setattr(prepared, "TUPLES_AT_A_TIME", 1)
    monkeypatch.setattr(prepared, "WALKS_AT_A_TIME", 1)
    everyone = np.arange(200)

    def work(effort):
        at_hand = Prepared(cells_of(columns), demand, effort)
        at_hand.reaches_of(everyone)
        at_hand.raise_bound(everyone, 0.0, at_hand.widest)
        at_hand.list_near(everyone, at_hand.widest)

    assert asked_during(work) > 600


def test_an_index_and_reaches_that_were_cut_short_are_of_use_all_the_same():
    columns, demand = table(200)
    hurried = Prepared(cells_of(columns), demand, Effort(should_stop=lambda: True))
    exact = Prepared(cells_of(columns), demand)
    everyone = np.arange(200)
    assert len(hurried.tree.first) < len(exact.tree.first)
    assert (hurried.reaches_of(everyone) <= exact.reaches_of(everyone)).all()


class Clock:
    """Stops after so many looks; half of what is left is as many looks."""

    def __init__(self, looks):
        self.left = looks

    def stop(self):
        self.left -= 1
        return self.left <= 0

    @property
    def effort(self):
        return Effort(should_stop=self.stop, remaining=lambda: max(float(self.left), 0.0))


@pytest.mark.parametrize("looks", [20, 60, 200])
def test_lists_of_near_tuples_leave_time_for_the_polish_that_they_serve(monkeypatch, looks):
    columns, demand = table(300)
    monkeypatch.setattr(polish, "LISTS_AT_A_TIME", 1)
    at_hand = Prepared(cells_of(columns), demand)
    labels = np.arange(300) // 6
    clock = Clock(looks)
    polisher, left = Polisher(at_hand), []
    make_lists = polisher._list_near

    def watched(*given):
        make_lists(*given)
        left.append(clock.left)

    monkeypatch.setattr(polisher, "_list_near", watched)
    found = polisher.polish(labels, clock.effort, cap=np.inf)
    assert 0 < (polisher.near.start >= 0).sum() < 300
    assert left[0] >= looks // 2 - 2
    assert demand.are_enough(found, int(found.max()) + 1).all()


def test_lists_look_at_few_tuples_however_many_there_are():
    """Where all columns are alike nothing tells which boxes are far, and all would be looked at."""
    columns, demand = table(2000)
    nearby = Prepared(width_cells(cells_of(columns)), demand)
    gaps, out = np.empty(8), np.empty(8, dtype=np.int32)

    def walked(most):
        got = nearest_tuples(nearby.cells, nearby.tree, nearby.walk, 5, 8, most, gaps, out)
        assert got == 8
        assert (np.diff(gaps) >= 0).all()
        return gaps.copy()

    exact = walked(2000)
    assert (walked(100) >= exact).all()
    assert walked(100)[0] < np.median(exact) * 3
    assert Prepared(width_cells(cells_of(columns)), demand).most_looked_at * 2000 <= prepared.MOST_LOOKED_AT


def test_columns_that_hardly_count_do_not_make_the_index_of_near_tuples():
    """A column of many categories adds little width, so that boxes are halved by the others first."""
    rng = np.random.default_rng(3)
    size = 1500
    columns = [
        NumberCells(rng.random(size)),
        NumberCells(rng.random(size)),
        CategoryCells(np.arange(size) % 700),
    ]
    demand = distinct_codes(np.arange(size + 1), np.arange(size) % 6, 3)
    nearby = Prepared(width_cells(cells_of(columns)), demand)
    gaps, out = np.empty(8), np.empty(8, dtype=np.int32)
    few, all_of_them = [], []
    for one in range(0, size, 50):
        nearest_tuples(nearby.cells, nearby.tree, nearby.walk, one, 8, 200, gaps, out)
        few.append(gaps.copy())
        nearest_tuples(nearby.cells, nearby.tree, nearby.walk, one, 8, 10**6, gaps, out)
        all_of_them.append(gaps.copy())
    assert np.array_equal(few, all_of_them)
