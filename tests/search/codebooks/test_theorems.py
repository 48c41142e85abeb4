"""The theorems behind the search, for all codebooks of small random tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from hartley.search.codebooks.line_program import LineProgram
from hartley.search.codebooks.loops.cells import GONE, HELD
from hartley.search.codebooks.problem import CodebookProblem
from hartley.search.codebooks.workbench import Workbench
from reference_codebooks import SmallTable, all_products, codebooks_of, judge, random_table, refines

UNLIMITED = 10**9


def tables(seed, count, **drawn):
    random = np.random.default_rng(seed)
    found = 0
    while found < count:
        table = random_table(random, **drawn)
        if table.is_enough(list(range(table.rows))):
            found += 1
            yield table, random


def load(table, node, budget=0, share=1.0):
    columns, demand = table.search_input()
    bench = Workbench(CodebookProblem(tuple(columns), demand), budget=budget, share=share)
    bench.load([np.array(dense(labels), dtype=np.int32) for labels in node])
    return bench


def dense(labels):
    order = list(dict.fromkeys(labels))
    return [order.index(label) for label in labels]


def test_theorem_1_coarser_codebooks_withhold_a_subset():
    for table, random in tables(11, 40, columns=2, most_values=4):
        nodes = all_products(table)
        poor = {node: judge(table, node, UNLIMITED, 1.0).poor for node in nodes}
        for place in random.permutation(len(nodes))[:20]:
            fine = nodes[place]
            for coarse in nodes:
                if all(map(refines, fine, coarse)):
                    assert poor[coarse] <= poor[fine]


def test_theorem_1_the_share_rule_and_the_mean_width_are_monotone():
    for table, random in tables(12, 15, columns=2, most_values=4):
        nodes = all_products(table)
        for place in random.permutation(len(nodes))[:10]:
            fine = load(table, nodes[place], UNLIMITED)
            for coarse_node in nodes:
                if not all(map(refines, nodes[place], coarse_node)):
                    continue
                coarse = load(table, coarse_node, UNLIMITED)
                assert greatest_share(coarse) <= greatest_share(fine) + 1e-12
                assert mean_width(fine) <= mean_width(coarse) + 1e-12


def greatest_share(bench):
    base, bands = bench.problem.layout.base, bench.state.bands
    chosen = np.concatenate([np.arange(base[j], base[j] + bands[j]) for j in range(len(bands))])
    return (bench.state.band[chosen, GONE] / bench.state.band[chosen, HELD]).max()


def mean_width(bench):
    elements = bench.problem.elements
    return float(elements.rows @ bench.state.cost[bench.state.cell])


def test_theorem_2_the_plain_rule_is_not_monotone_but_some_withheld_set_stays():
    table = SmallTable(((1, 2, 2, 3),), (0, 0, 1, 2), wanted=2)
    fine, coarse = ((0, 1, 2),), ((0, 1, 1),)
    assert judge(table, fine, 2, 1.0).loss is not None
    assert judge(table, coarse, 2, 1.0).loss is None
    # With room for a whole combination the coarser codebook is served again.
    assert judge(table, coarse, 4, 1.0).is_topped_up


def test_theorem_2_any_withheld_set_of_tuples_that_serves_a_codebook_serves_coarser_ones():
    for table, _ in tables(13, 12, columns=2, most_values=3, rows=12):
        tuples = table.public_tuples()
        if len(tuples) > 6:
            continue
        nodes = all_products(table)
        least = {node: least_withheld(table, tuples, node) for node in nodes}
        for fine, coarse in product(nodes, nodes):
            if all(map(refines, fine, coarse)):
                assert least[coarse] <= least[fine]


def least_withheld(table, tuples, node):
    """Fewest rows of a set of tuples that is enough or empty and leaves every combination enough or empty."""
    rows_of = {cells: [] for cells in tuples}
    for row, cells in enumerate(zip(*table.columns, strict=True)):
        rows_of[cells].append(row)
    place = [{value: number for number, value in enumerate(table.values(j))} for j in range(len(node))]
    best = np.inf
    for chosen in product((False, True), repeat=len(tuples)):
        hidden = sorted(
            row for cells, is_in in zip(tuples, chosen, strict=True) if is_in for row in rows_of[cells]
        )
        if len(hidden) >= best or (hidden and not table.is_enough(hidden)):
            continue
        cells_left = {}
        for cells, is_in in zip(tuples, chosen, strict=True):
            if not is_in:
                key = tuple(node[j][place[j][cell]] for j, cell in enumerate(cells))
                cells_left.setdefault(key, []).extend(rows_of[cells])
        if all(map(table.is_enough, cells_left.values())):
            best = len(hidden)
    return best


@pytest.mark.parametrize("budget", [0, 4, 8])
def test_theorem_3_what_growing_ends_with_is_maximal(budget):
    for table, _ in tables(14 + budget, 25, missing=0.05):
        columns, demand = table.search_input()
        problem = CodebookProblem(tuple(columns), demand)
        bench = Workbench(problem, budget=budget, share=0.5)
        bench.load(problem.coarsest())
        if bench.settle().withheld > budget:
            continue
        tests = len(problem.layout.split)
        bench.grow()
        if budget == 0:
            assert (bench._trial.status != 1).all()  # nothing is put back, so each split is tested once
        labels, loss, withheld = bench.labels(), bench.loss, int(bench.state.numbers[1])
        node = tuple(tuple(int(v) for v in label) for label in labels)
        assert len(judge(table, node, budget, 1.0).poor) == withheld
        assert tests == sum(len(column.splits) for column in columns)
        for j, column in enumerate(columns):
            for finer in single_splits(node[j], column):
                trial = (*node[:j], finer, *node[j + 1 :])
                judged = judge(table, trial, UNLIMITED, 1.0)
                bench.load([np.array(dense(label), dtype=np.int32) for label in trial])
                if budget == 0:
                    assert judged.poor
                elif len(judged.poor) <= budget and greatest_share(bench) <= 0.5 + 1e-9:
                    assert bench.loss >= loss - 1e-9


def single_splits(labels, column):
    """Every codebook that one candidate split makes of another."""
    is_merged = column.has_missing and labels[-1] in labels[:-1]
    for first, end in column.splits:
        if is_merged and first != len(labels) - 1:
            continue
        finer = tuple((label, first <= value < end) for value, label in enumerate(labels))
        cut = {label for label, inside in finer if inside} & {label for label, inside in finer if not inside}
        if cut:
            yield tuple(dense(finer))


@pytest.mark.parametrize("tolerance", [0.0, 1.0])
def test_theorem_4_the_best_bands_of_a_column_given_the_others(tolerance):
    for table, random in tables(17, 40):
        j = next((j for j in range(len(table.columns)) if table.is_line(j)), None)
        if j is None:
            continue
        table = SmallTable(table.columns, table.sensitive, table.wanted, table.row_k, tolerance)
        columns, demand = table.search_input()
        problem = CodebookProblem(tuple(columns), demand)
        choices = [list(codebooks_of(table, i)) for i in range(len(table.columns))]
        node = [choice[random.integers(len(choice))] for choice in choices]
        losses = [
            load(table, (*node[:j], labels, *node[j + 1 :])).loss
            for labels in choices[j]
            if not judge(table, (*node[:j], labels, *node[j + 1 :]), UNLIMITED, 1.0).poor
        ]
        labels = [np.array(dense(label), dtype=np.int32) for label in node]
        found = LineProgram(problem).best_bands(j, labels, budget=0)
        assert (found is None) == (not losses)
        if found is not None:
            best = load(table, (*node[:j], tuple(found.tolist()), *node[j + 1 :]))
            assert best.settle().withheld == 0
            assert best.loss == pytest.approx(min(losses), abs=1e-9)
