"""What counts miss, against all counts there are; and counts on what was found, against Mondrian's."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from enough_instances import distinct_codes
from hartley.hot_loops import HotLoop
from hartley.measures.query_error import CellColumn, CountQueries
from hartley.model import Partition
from hartley.search.columns.boxes import split
from hartley.search.columns.cells import CategoryCells, NumberCells, cells_of
from hartley.search.columns.costs import relative_loss
from hartley.search.columns.counts import MOST_MORE, NearerCounts
from hartley.search.columns.loops.counts import miscounted
from hartley.search.columns.loops.split import PUBLISHED
from hartley.search.columns.prepared import Prepared
from hartley.search.columns.search import search_columns
from hartley.search.effort import UNLIMITED


def asked_sets(size: int, is_line: bool) -> list[np.ndarray]:
    """Return all sets of cells that a count asks for; on a line, which is closed to a ring, in a row."""
    wanted = max(1, int(size * 0.3) if is_line else int(np.ceil(size * 0.3)))
    if is_line:
        return [np.isin(np.arange(size), (first + np.arange(wanted)) % size) for first in range(size)]
    return [np.isin(np.arange(size), chosen) for chosen in combinations(range(size), wanted)]


def missed(places: np.ndarray, rows: np.ndarray, sizes: list[int], is_line: list[bool]) -> float:
    """Return the mean square of what all counts over two columns miss on a class, over what they ask for."""
    means = []
    for pair in combinations(range(len(sizes)), 2):
        squares = []
        asked = [asked_sets(sizes[column], is_line[column]) for column in pair]
        for one in asked[0]:
            for other in asked[1]:
                true, share = np.ones(len(rows), dtype=bool), 1.0
                for column, cells in zip(pair, (one, other), strict=True):
                    true &= cells[places[:, column]]
                    inside = np.unique(places[:, column])
                    box = np.arange(inside[0], inside[-1] + 1) if is_line[column] else inside
                    share *= cells[box].mean()
                squares.append((rows[true].sum() - rows.sum() * share) ** 2)
        means.append(np.mean(squares) / (asked[0][0].mean() * asked[1][0].mean()) ** 2)
    return float(np.mean(means))


@pytest.mark.parametrize("seed", range(20))
def test_what_counts_miss_is_the_mean_over_all_counts(seed):
    source = np.random.default_rng(seed)
    sizes, is_line = [12, 5, 7, 3], [True, False, True, False]
    # Every cell occurs, so that the table has as many of them as are counted here.
    everything = np.stack([np.arange(12) % size for size in sizes], axis=1)
    few = np.stack([source.integers(0, (4, size, 3, size)[at], 6) for at, size in enumerate(sizes)], axis=1)
    places = np.unique(np.concatenate([everything, few]), axis=0)
    columns = [
        NumberCells(places[:, at] / 11.0) if is_line[at] else CategoryCells(places[:, at]) for at in range(4)
    ]
    rows = source.integers(1, 4, len(places))
    demand = distinct_codes(np.arange(len(places) + 1), np.arange(len(places)), 1)
    prepared = Prepared(cells_of(columns), demand)
    prepared.needs = prepared.needs._replace(rows=rows)
    counts = NearerCounts(prepared, UNLIMITED).weighed(0.5)
    # On a ring no two cells are nearer the other way round.
    near = np.flatnonzero((places[:, 0] < 6) & (places[:, 2] < 4))
    members = source.choice(near, min(5, len(near)), replace=False).astype(np.int32)
    expected = 0.5 * np.sqrt(missed(places[members], rows[members], sizes, is_line))
    got = miscounted(prepared.needs, counts, members, len(members), -1)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert miscounted(prepared.needs, counts, members[:-1], len(members) - 1, members[-1]) == pytest.approx(
        got
    )


def panel(seed: int):
    """Return a panel, one row of every place and year, of which places that are far apart are alike."""
    source = np.random.default_rng(seed)
    place, year = (grid.ravel() for grid in np.meshgrid(np.arange(24), np.arange(10), indexing="ij"))
    region = source.integers(0, 4, 24)[place]
    columns = [CategoryCells(place), NumberCells(year / 9.0), CategoryCells(region)]
    near = (source.integers(0, 8, 24)[place] + year // 4 + source.integers(0, 2, len(place))) % 9
    return columns, distinct_codes(np.arange(len(near) + 1), near, 4)


def test_counts_on_panels_are_no_worse_than_on_mondrians_partition():
    nearer = 0
    for seed in range(4):
        columns, demand = panel(seed)
        found = search_columns(columns, demand, objective="mean")
        prepared = Prepared(cells_of(columns), demand)
        whole = np.zeros(prepared.size, dtype=np.int32)
        plain = split(prepared, whole, PUBLISHED, UNLIMITED, tie_cuts=False)
        cells = [CellColumn.of_places(prepared.cells.place[:, at], at == 1) for at in range(3)]
        queries = CountQueries.of_cells(cells, prepared.needs.rows, seed=11)
        mine, its = (queries.median_error(Partition(labels)) for labels in (found.labels, plain))
        assert mine <= its
        assert demand.are_enough(found.labels, found.clusters).all()
        assert found.loss <= relative_loss(prepared.cells, plain, prepared.needs.rows)
        nearer += mine < its
    assert nearer


def test_loops_as_written_and_compiled_find_the_same(monkeypatch):
    columns, demand = panel(1)
    monkeypatch.setattr(HotLoop, "for_size", lambda self, *_: self.plain)
    plain = search_columns(columns, demand, objective="mean")
    monkeypatch.setattr(HotLoop, "for_size", lambda self, *_: self.compiled)
    assert (search_columns(columns, demand, objective="mean").labels == plain.labels).all()


def test_a_panel_loses_little_more_for_its_counts(monkeypatch):
    for seed in range(3):
        columns, demand = panel(seed)
        nearer = search_columns(columns, demand, objective="mean")
        monkeypatch.setattr(NearerCounts, "best", lambda _, found, *__: found)
        plain = search_columns(columns, demand, objective="mean")
        monkeypatch.undo()
        assert nearer.loss <= MOST_MORE * plain.loss
