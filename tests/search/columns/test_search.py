"""How the search over columns behaves: the same twice, stopped early, with starts, with missing cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from enough_instances import distinct_codes
from hartley.errors import InputError, OptionError, UnreachableError
from hartley.hot_loops import HotLoop
from hartley.search.columns.boxes import split
from hartley.search.columns.cells import CategoryCells, NumberCells, cells_of
from hartley.search.columns.costs import midpoint_costs, relative_loss
from hartley.search.columns.loops.split import ROWS
from hartley.search.columns.prepared import Prepared
from hartley.search.columns.search import ColumnsResult, best_first, search_columns
from hartley.search.effort import UNLIMITED, Effort


def mixed_table(size, seed=0, wanted=3):
    """Numbers and categories, a sensitive value that depends on them, one to three rows each."""
    rng = np.random.default_rng(seed)
    bell = rng.integers(0, 4, size)
    columns = (
        NumberCells(np.round(bell / 4 + rng.normal(0, 0.1, size), 3)),
        NumberCells(np.round(rng.random(size), 2)),
        CategoryCells((bell + rng.integers(0, 2, size)) % 3),
        CategoryCells(rng.integers(0, 2, size)),
    )
    codes = (bell * 3 + rng.integers(0, 5, size)) % 12
    codes[:12] = np.arange(12)
    demand = distinct_codes(np.arange(size + 1), codes, wanted, rows=rng.integers(1, 4, size))
    return columns, demand


def test_the_same_input_gives_the_same_result():
    columns, demand = mixed_table(60)
    one, other = search_columns(columns, demand), search_columns(columns, demand)
    assert (one.labels == other.labels).all()
    assert (one.worst, one.bound, one.loss) == (other.worst, other.bound, other.loss)


def test_compiled_and_interpreted_loops_agree(monkeypatch):
    columns, demand = mixed_table(30)
    monkeypatch.setattr(HotLoop, "for_size", lambda self, *_: self.plain)
    plain = search_columns(columns, demand)
    monkeypatch.setattr(HotLoop, "for_size", lambda self, *_: self.compiled)
    compiled = search_columns(columns, demand)
    assert (plain.labels == compiled.labels).all()
    assert (plain.worst, plain.bound, plain.loss) == (compiled.worst, compiled.bound, compiled.loss)


@pytest.mark.parametrize("combination", ["max", "sum"])
@pytest.mark.parametrize("wanted", [2, 4])
def test_the_result_is_no_worse_than_mondrian(combination, wanted):
    columns, demand = mixed_table(80, seed=wanted, wanted=wanted)
    prepared = Prepared(cells_of(columns, combination), demand)
    mondrian = split(prepared, np.zeros(80, dtype=np.int64), ROWS, UNLIMITED, tie_cuts=False)
    found = search_columns(columns, demand, combination=combination)
    assert demand.are_enough(found.labels, found.clusters).all()
    assert found.bound <= found.worst
    assert found.worst <= midpoint_costs(columns, mondrian, combination).max()
    assert found.loss <= relative_loss(prepared.cells, mondrian, demand.rows)


def test_worst_costs_that_differ_by_rounding_are_equal_and_the_loss_decides():
    labels = np.zeros(1, dtype=np.int64)
    rough, close, wide = (
        ColumnsResult(labels, 0.225, 0.0, 0.03),
        ColumnsResult(labels, 0.22500000000000003, 0.0, 0.02),
        ColumnsResult(labels, 0.3, 0.0, 0.01),
    )
    assert best_first([wide, rough, close]) == [close, rough, wide]


def test_an_important_column_keeps_more_of_its_detail():
    columns, demand = mixed_table(60, seed=4)

    def widths(importance):
        asked = (replace(columns[0], importance=importance), *columns[1:])
        found = search_columns(asked, demand)
        alone = cells_of([columns[0]])
        return relative_loss(alone, found.labels, demand.rows)

    assert widths(20.0) < widths(0.05)


def test_the_result_is_no_worse_than_a_start():
    columns, demand = mixed_table(70, seed=5)
    best = search_columns(columns, demand)
    again = search_columns(columns, demand, polish=False, starts=[best.labels])
    assert (again.worst, again.loss) <= (best.worst, best.loss)


def test_a_stopped_search_returns_a_partition_that_is_enough():
    columns, demand = mixed_table(60, seed=1)
    full = search_columns(columns, demand)
    for turns in (0, 1, 2, 3, 5, 8, 13, 30, 60):
        left = [turns]

        def should_stop(left=left):
            left[0] -= 1
            return left[0] < 0

        found = search_columns(columns, demand, effort=Effort(should_stop=should_stop))
        assert demand.are_enough(found.labels, found.clusters).all()
        assert found.bound <= full.worst
        assert found.worst >= full.bound


def test_tuples_with_a_missing_cell_stay_alone():
    columns, demand = mixed_table(40, seed=2, wanted=2)
    rich = replace(
        demand,
        value_ptr=np.append(demand.value_ptr, demand.value_ptr[-1] + 2),
        value_code=np.append(demand.value_code, [0, 1]).astype(np.int32),
        rows=np.append(demand.rows, 2),
    )
    wider = [
        NumberCells(np.append(column.positions, np.nan))
        if isinstance(column, NumberCells)
        else CategoryCells(np.append(column.codes, 0))
        for column in columns
    ]
    found = search_columns(wider, rich)
    assert (found.labels == found.labels[-1]).sum() == 1
    assert rich.are_enough(found.labels, found.clusters).all()
    poor = replace(rich, wanted=np.array([3]))
    with pytest.raises(UnreachableError, match="missing cell"):
        search_columns(wider, poor)


def test_what_cannot_be_reached_is_said():
    columns, demand = mixed_table(30)
    with pytest.raises(UnreachableError, match="do not hold enough"):
        search_columns(columns, demand.asking(0, 13))


def test_rows_alone_can_be_asked_for():
    columns, demand = mixed_table(40)
    rows_only = replace(
        demand,
        value_ptr=np.zeros(41, dtype=np.int64),
        value_code=np.zeros(0, dtype=np.int32),
        next_code=np.zeros(0, dtype=np.int64),
        offsets=np.zeros(1, dtype=np.int64),
        wanted=np.zeros(0, dtype=np.int64),
        row_k=5,
    )
    found = search_columns(columns, rows_only)
    assert np.bincount(found.labels, weights=demand.rows).min() >= 5
    assert found.labels.max() > 0


def test_bad_columns_are_refused():
    _, demand = mixed_table(30)
    with pytest.raises(InputError, match="same tuples"):
        search_columns([NumberCells(np.zeros(3))], demand)
    with pytest.raises(InputError, match="at least one column"):
        cells_of([])
    with pytest.raises(InputError, match="symmetric"):
        cells_of([CategoryCells(np.array([0, 1]), table=np.array([[0, 1], [2, 0]]))])
    with pytest.raises(OptionError, match="combination"):
        cells_of([NumberCells(np.zeros(3))], "median")


def test_poor_blocks_are_joined_along_as_few_columns_as_possible():
    """Two of six blocks are poor; no cluster needs to mix both columns of categories."""
    sex = np.repeat([0, 0, 0, 1, 1, 1], 6)
    region = np.repeat([0, 1, 2, 0, 1, 2], 6)
    codes = np.tile(np.arange(6), 6)
    codes[sex * 3 + region == 2] = 0
    codes[sex * 3 + region == 5] = 1
    demand = distinct_codes(np.arange(37), codes, 2)
    age = np.tile(np.arange(6) / 5, 6)
    columns = [NumberCells(age), CategoryCells(sex), CategoryCells(region)]
    found = search_columns(columns, demand)
    for number in range(found.clusters):
        members = np.flatnonzero(found.labels == number)
        assert len(set(region[members].tolist())) + len(set(sex[members].tolist())) <= 3
