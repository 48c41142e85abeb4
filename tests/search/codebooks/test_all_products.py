"""The whole search against every choice of one codebook for each column of small tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.search.codebooks import (
    CodebookOptions,
    CodebookProblem,
    ColumnSettings,
    codebooks_by_demand,
    codebooks_of,
)
from hartley.search.codebooks.ladder import build_ladder
from hartley.search.codebooks.workbench import Workbench
from reference_codebooks import all_products, judge, random_table

QUICK = CodebookOptions(rounds=4)


def tables(seed, count, **drawn):
    random = np.random.default_rng(seed)
    found = 0
    while found < count:
        table = random_table(random, **drawn)
        if table.is_enough(list(range(table.rows))):
            found += 1
            yield table, random


def as_node(labels):
    return tuple(tuple(int(band) for band in label) for label in labels)


def usable(table, budget):
    return budget if budget >= max(table.wanted, table.row_k) else 0


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_search_is_feasible_bounded_and_nearly_always_optimal(monkeypatch, missing):
    optimal = 0
    for table, random in tables(21, 15, missing=missing):
        budget, share = int(random.choice([0, 2, 4, 6])), float(random.choice([0.5, 1.0]))
        columns, demand = table.search_input()
        spent = usable(table, budget)
        losses = [judge(table, node, spent, share).loss for node in all_products(table)]
        optimum = min(loss for loss in losses if loss is not None)
        monkeypatch.setitem(Workbench.__init__.__kwdefaults__, "share", share)
        options = CodebookOptions(rounds=12)
        found = codebooks_of(CodebookProblem(tuple(columns), demand), withhold=budget, options=options)
        judged = judge(table, as_node(found.labels), spent, share)
        assert judged.loss == pytest.approx(found.loss, abs=1e-9)
        assert found.lower_bound - 1e-9 <= optimum <= found.loss + 1e-9
        assert found.loss <= found.ladder_loss + 1e-12
        assert found.box_width <= found.loss + 1e-9
        assert found.maximal
        assert found.column_wise_optimal in ((True,) if spent == 0 else (None,))
        optimal += found.loss < optimum + 1e-9
    assert optimal >= 13


def test_the_best_node_of_the_ladders_is_the_best_of_all_their_nodes(monkeypatch):
    for table, random in tables(22, 30, missing=0.05):
        budget, share = int(random.choice([0, 2, 4, 6])), float(random.choice([0.5, 1.0]))
        columns, demand = table.search_input()
        problem = CodebookProblem(tuple(columns), demand)
        weights = zip(columns, problem.value_rows, problem.weights, strict=True)
        ladders = [build_ladder(column, rows, weight, open_ends=True) for column, rows, weight in weights]
        nodes = product(*([as_node([level.labels])[0] for level in ladder.levels] for ladder in ladders))
        losses = [judge(table, node, usable(table, budget), share).loss for node in nodes]
        monkeypatch.setitem(Workbench.__init__.__kwdefaults__, "share", share)
        options = CodebookOptions(rounds=0)
        found = codebooks_of(CodebookProblem(tuple(columns), demand), withhold=budget, options=options)
        assert found.proven_optimal_ladder
        assert found.ladder_nodes == len(losses)
        assert found.ladder_loss == pytest.approx(min(loss for loss in losses if loss is not None), abs=1e-9)
        assert found.loss <= found.ladder_loss + 1e-12


def test_the_least_worst_width_of_the_ladders_is_found():
    for table, random in tables(23, 10):
        budget = int(random.choice([0, 4]))
        columns, demand = table.search_input()
        problem = CodebookProblem(tuple(columns), demand)
        weights = zip(columns, problem.value_rows, problem.weights, strict=True)
        ladders = [build_ladder(column, rows, weight, open_ends=True) for column, rows, weight in weights]
        best = None
        for node in product(*(range(len(ladder.levels)) for ladder in ladders)):
            labels = as_node(ladder.levels[k].labels for ladder, k in zip(ladders, node, strict=True))
            loss = judge(table, labels, usable(table, budget), 0.5).loss
            if loss is not None:
                worst = max(ladder.worst[k] for ladder, k in zip(ladders, node, strict=True))
                best = min(best or (9.0, 9.0), (round(worst, 9), round(loss, 9)))
        options = CodebookOptions(objective="worst", rounds=5)
        found = codebooks_of(CodebookProblem(tuple(columns), demand), withhold=budget, options=options)
        assert found.worst_width <= best[0] + 1e-8


def test_a_weaker_demand_is_never_worse():
    for table, _ in tables(25, 6):
        columns, _ = table.search_input()
        demands = [
            type(table)(table.columns, table.sensitive, wanted, table.row_k, table.tolerance).search_input()[
                1
            ]
            for wanted in (1, 2, 3, 99)
        ]
        found = codebooks_by_demand(
            [CodebookProblem(tuple(columns), demand) for demand in demands], withhold=5, options=QUICK
        )
        assert found[-1] is None
        losses = [one.loss for one in found if one is not None]
        assert losses == sorted(losses)


def test_the_same_seed_finds_the_same_codebooks():
    for table, _ in tables(26, 3):
        columns, demand = table.search_input()
        one, other = (
            codebooks_of(CodebookProblem(tuple(columns), demand), withhold=4, options=QUICK) for _ in range(2)
        )
        assert as_node(one.labels) == as_node(other.labels)
        assert np.array_equal(one.clusters, other.clusters)


def test_what_is_seen_beside_the_release_is_counted_with_every_combination():
    optimal = reached = 0
    for table, _ in tables(26, 25):
        *shown, beside = range(len(table.columns))
        kept = {beside: ColumnSettings(keep=True)}
        plain = {j: ColumnSettings(borders="each" if table.is_line(j) else None) for j in shown}
        columns, demand = table.search_input({**plain, **kept})
        smaller = type(table)(table.columns[:-1], table.sensitive, table.wanted, table.row_k, table.tolerance)
        published = CodebookProblem(*map_input(smaller.search_input()))
        problem = CodebookProblem(tuple(columns), demand, published)
        identity = tuple(range(len(table.values(beside))))
        weights = (*(1 / len(shown) for _ in shown), 0.0)
        losses = [judge(table, (*node, identity), 0, 1.0, weights).loss for node in all_products(smaller)]
        feasible = [loss for loss in losses if loss is not None]
        if not feasible:
            with pytest.raises(UnreachableError, match="beside the release"):
                codebooks_of(problem, options=QUICK)
            continue
        found = codebooks_of(problem, options=QUICK)
        judged = judge(table, (*as_node(found.labels), identity), 0, 1.0, weights)
        assert judged.loss == pytest.approx(found.loss, abs=1e-9)
        assert len(found.codebooks) == len(shown)
        assert found.maximal
        reached += 1
        optimal += found.loss < min(feasible) + 1e-9
    assert reached >= 5
    assert optimal >= 0.8 * reached


def map_input(given):
    columns, demand = given
    return tuple(columns), demand
