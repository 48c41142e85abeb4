"""Columns of text with very many different words."""

from __future__ import annotations

import numpy as np

from hartley.measures.utility.several_columns import CategoryColumn, ColumnsDistortion, NumberColumn
from hartley.model import Partition


def test_plain_categories_cost_what_the_table_of_ones_says():
    rng = np.random.default_rng(1)
    for _ in range(50):
        size = int(rng.integers(2, 12))
        codes = np.unique(rng.integers(0, 4, size), return_inverse=True)[1]
        numbers = NumberColumn(rng.random(size), "midpoint")
        table = 1.0 - np.eye(int(codes.max()) + 1)
        partition = Partition(rng.integers(0, 4, size))
        for combination in ("max", "sum"):
            plain = ColumnsDistortion((numbers, CategoryColumn(codes)), combination)
            spelt = ColumnsDistortion((numbers, CategoryColumn(codes, table)), combination)
            assert np.allclose(plain.costs(partition), spelt.costs(partition))
            assert np.allclose(plain.union_costs().with_each(0), spelt.union_costs().with_each(0))


def test_a_hundred_thousand_words_need_no_table_of_pairs():
    words = np.arange(100_000)
    utility = ColumnsDistortion((CategoryColumn(words), NumberColumn(np.zeros(len(words)), "midpoint")))
    assert utility.costs(Partition(words // 2)).max() == 1
    assert utility.costs(Partition.singletons(len(words))).max() == 0
