"""How cells are counted: several counts at once, tolerances, rows, and compiled as well as interpreted."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from hartley.hot_loops import HotLoop
from hartley.search.codebooks import CodebookOptions, CodebookProblem, PublicColumn, codebooks_of
from hartley.search.codebooks.line_program import LineProgram
from hartley.search.codebooks.loops.cells import split_cells
from hartley.search.codebooks.refinement import Refinement
from hartley.search.codebooks.workbench import Workbench
from hartley.search.enough import Enough


def draw(random, tuples, counts, tolerant):
    """Draw a demand of several counts; each tuple holds some codes of each, perhaps none."""
    widths = random.integers(2, 6, counts)
    offsets = np.r_[0, np.cumsum(widths)]
    following = np.arange(1, offsets[-1] + 1)
    if tolerant:
        following += 1
        for end, begin in zip(offsets[1:], offsets[:-1], strict=True):
            following[begin:end] = np.minimum(following[begin:end], end)
    held = [np.flatnonzero(random.random(offsets[-1]) < 0.3) for _ in range(tuples)]
    return Enough(
        value_ptr=np.r_[0, np.cumsum([len(codes) for codes in held])].astype(np.int64),
        value_code=np.concatenate(held).astype(np.int32),
        next_code=following.astype(np.int64),
        offsets=offsets.astype(np.int64),
        wanted=random.integers(0, 4, counts),
        rows=random.integers(1, 5, tuples),
        row_k=int(random.integers(0, 6)),
    )


def is_enough(demand, tuples):
    """Tell whether a set of tuples is enough, by the definition."""
    if demand.rows[tuples].sum() < demand.row_k:
        return False
    pointer = demand.value_ptr
    codes = sorted({int(c) for t in tuples for c in demand.value_code[pointer[t] : pointer[t + 1]]})
    for count, wanted in enumerate(demand.wanted):
        length, following = 0, 0
        for code in codes:
            if demand.offsets[count] <= code < demand.offsets[count + 1] and code >= following:
                length, following = length + 1, demand.next_code[code]
        if length < wanted:
            return False
    return True


@pytest.mark.parametrize("tolerant", [False, True])
def test_a_cell_is_enough_if_every_count_and_the_rows_are(tolerant):
    random = np.random.default_rng(41)
    for _ in range(150):
        tuples = int(random.integers(1, 12))
        demand = draw(random, tuples, int(random.integers(0, 4)), tolerant)
        columns = [PublicColumn.of_cells(f"c{j}", random.integers(0, 3, tuples)) for j in range(2)]
        bench = Workbench(CodebookProblem(tuple(columns), demand), budget=10**6, share=1.0)
        bench.load([np.arange(column.size, dtype=np.int32) for column in columns])
        cell, is_withheld = bench.clusters()
        for number in np.unique(cell):
            members = np.flatnonzero(cell == number)
            assert len({(columns[0].codes[t], columns[1].codes[t]) for t in members}) == 1
            if bench.settle().top_up != number:
                assert is_withheld[members[0]] != is_enough(demand, members)


@pytest.mark.parametrize("way", ["plain", "interpreted", "compiled"])
def test_far_more_cells_than_there_is_memory_for_are_kept_apart(way):
    random = np.random.default_rng(45)
    for most, bands in ((3, 5), (5_000, 70_000), (2**31 - 1, 2**31 - 1)):
        cell, value = random.integers(0, most, 300, dtype=np.int32), np.arange(300, dtype=np.int32) % 70
        label = random.integers(0, bands, 70, dtype=np.int32)
        problem = CodebookProblem(
            (PublicColumn.of_cells("c", np.arange(300)),), draw(random, 300, 1, tolerant=False)
        )
        out = np.empty(300, dtype=np.int32)
        found = getattr(split_cells, way)(cell, most, value, label, bands, problem.scratch(), out)
        pairs = list(zip(cell.tolist(), label[value].tolist(), strict=True))
        assert found == len(set(pairs))
        assert len(set(zip(pairs, out.tolist(), strict=True))) == found == len(set(out.tolist()))


@pytest.mark.parametrize("tolerant", [False, True])
def test_windows_are_counted_for_several_counts(tolerant):
    random = np.random.default_rng(42)
    for _ in range(60):
        tuples = int(random.integers(4, 14))
        demand = draw(random, tuples, int(random.integers(1, 4)), tolerant)
        columns = (
            PublicColumn.of_cells("line", random.integers(0, 5, tuples)),
            PublicColumn.of_cells("kind", [str(k) for k in random.integers(0, 2, tuples)]),
        )
        problem = CodebookProblem(columns, demand)
        others = np.arange(columns[1].size, dtype=np.int32)
        losses = []
        for cuts in product((0, 1), repeat=columns[0].size - 1):
            labels = np.cumsum((0, *cuts)).astype(np.int32)
            bench = Workbench(problem, budget=0, share=1.0)
            bench.load([labels, others])
            if not bench.state.poor[: int(bench.state.cell.max()) + 1].any():
                losses.append(bench.loss)
        found = LineProgram(problem).best_bands(0, [np.zeros(columns[0].size, dtype=np.int32), others], 0)
        assert (found is None) == (not losses)
        if found is not None:
            bench.load([found, others])
            assert bench.loss == pytest.approx(min(losses))


def test_compiled_and_interpreted_loops_find_the_same(monkeypatch):
    random = np.random.default_rng(43)
    tuples = 60
    demand = replace(draw(random, tuples, 2, True), wanted=np.array([2, 1]))
    columns = [
        PublicColumn.of_cells("a", random.integers(0, 12, tuples)),
        PublicColumn.of_cells("b", [None if v == 0 else "xyzuvw"[v] for v in random.integers(0, 6, tuples)]),
        PublicColumn.of_cells("c", random.integers(0, 30, tuples).astype(float) / 4),
    ]
    found = []
    for way in ("plain", "compiled"):
        monkeypatch.setattr(HotLoop, "for_size", lambda loop, *_, way=way, **__: getattr(loop, way))
        problem = CodebookProblem(tuple(columns), demand)
        found.append(codebooks_of(problem, withhold=30, options=CodebookOptions(rounds=4)))
    one, other = found
    assert np.array_equal(one.clusters, other.clusters)
    assert one.loss == pytest.approx(other.loss)
    assert one.ladder_loss == pytest.approx(other.ladder_loss)
    assert one.lower_bound == pytest.approx(other.lower_bound)


def test_no_column_gets_its_best_bands_after_the_last_look(monkeypatch):
    random = np.random.default_rng(47)
    columns = tuple(PublicColumn.of_cells(f"c{j}", random.integers(0, 9, 40)) for j in range(3))
    demand = Enough(
        value_ptr=np.arange(41),
        value_code=np.arange(40, dtype=np.int32) % 8,
        next_code=np.arange(1, 9),
        offsets=np.array([0, 8]),
        wanted=np.array([2]),
        rows=np.ones(40, dtype=np.int64),
        row_k=1,
    )
    problem = CodebookProblem(columns, demand)
    looked_at = []

    def costly(program, number, *_):
        looked_at.append(number)
        program.visits += 10**9

    monkeypatch.setattr(LineProgram, "best_bands", costly)
    Refinement(problem, budget=1, most_visits=1e8).run([problem.coarsest(), problem.coarsest()], 9)
    assert looked_at == [0]
