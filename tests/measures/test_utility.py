from __future__ import annotations

from itertools import combinations
from math import inf, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hartley.errors import InputError, OptionError
from hartley.examples import toy
from hartley.measures.utility import LineDistortion, Resolution, utility_of
from hartley.measures.utility.several_columns import COMBINATIONS, ColumnsDistortion
from hartley.model import Alphabet, Partition
from hartley.model.words import CODEWORDS
from strategies import partitions

PLACED = st.integers(1, 8).flatmap(
    lambda size: st.tuples(st.lists(st.integers(-50, 50), min_size=size, max_size=size), partitions(size))
)


def cost(members: list[float], codeword: str) -> float:
    """Write the formulas of the reading down once more, for one cluster."""
    low, high, total, count = min(members), max(members), sum(members), len(members)
    if codeword == "centroid":
        return max(count * high - total, total - count * low) / count
    if codeword == "midpoint":
        return (high - low) / 2
    return min(max(v - low, high - v) for v in members)


@given(PLACED, st.sampled_from(CODEWORDS))
def test_costs_are_the_formulas_to_the_last_bit(placed, codeword):
    positions, partition = placed
    expected = [cost([positions[i] for i in members], codeword) for members in partition.clusters()]
    assert LineDistortion(np.array(positions), codeword).costs(partition).tolist() == expected


@given(PLACED)
def test_the_midpoint_never_distorts_more_than_another_codeword(placed):
    positions, partition = placed
    least = LineDistortion(np.array(positions), "midpoint").costs(partition)
    for codeword in CODEWORDS:
        assert (least <= LineDistortion(np.array(positions), codeword).costs(partition) + 1e-12).all()


@given(st.integers(1, 9).flatmap(partitions))
def test_resolution_is_the_least_reduction_of_the_public_value(partition):
    size = len(partition.labels)
    assert utility_of(Resolution(size), partition) == log2(size / max(partition.sizes))


def test_a_value_without_position_stays_alone():
    spread = LineDistortion(np.array([1.0, np.nan, 3.0]), "midpoint")
    assert spread.costs(Partition.from_clusters([[0, 2], [1]])).tolist() == [1.0, 0.0]
    assert spread.costs(Partition.from_clusters([[0, 1], [2]])).tolist() == [inf, 0.0]


@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize("codeword", CODEWORDS)
def test_over_columns_a_missing_cell_is_a_category_of_its_own(codeword, combination):
    cells = [(0, "a"), (None, "a"), (4, "a"), (2, None), (1, "a")]
    public = Alphabet.of_values(cells, columns=("number", "kind"))
    both = ColumnsDistortion.of(public, codeword, combination=combination)
    for size in (2, 3, 4):
        for cluster in combinations(range(5), size):
            rest = [[place] for place in range(5) if place not in cluster]
            partition = Partition.from_clusters([list(cluster), *rest])
            missing = {1, 3} & set(cluster)
            assert not missing or utility_of(both, partition) <= -1
            assert utility_of(both, partition) > -inf


def test_a_scale_of_categories_is_refused_not_forgotten():
    public = Alphabet.of_values([(1, "a"), (2, "b")], columns=("number", "kind"))
    with pytest.raises(OptionError, match="'kind' have no scale"):
        ColumnsDistortion.of(public, scales={"kind": 2.0})
    table = {(1, 2): 0.5}
    with pytest.raises(OptionError, match="'number' have no scale"):
        ColumnsDistortion.of(public, scales={"number": 2.0}, dissimilarities={"number": table})


def test_a_centroid_can_lie_worse_before_it_lies_better():
    # The paper takes the opposite for granted (Section V-A).
    assert LineDistortion(np.array([0.0, 9, 10]), "centroid").costs(Partition.whole(3))[0] > 6
    assert LineDistortion(np.array([0.0, 1, 9, 10]), "centroid").costs(Partition.whole(4))[0] == 5


def test_text_has_no_distortion():
    with pytest.raises(InputError, match="'word' has none; use utility='resolution'"):
        LineDistortion.of(Alphabet.of_values(["a", "b"], columns=("word",)))


@pytest.mark.parametrize("positions", [[-1e308, 1e308, 0.0], [inf, 0.0], [1.5e308, np.nan]])
def test_positions_that_cannot_be_added_are_refused_on_a_line_and_over_columns(positions):
    with pytest.raises(InputError, match="utility='resolution'"):
        LineDistortion(np.array(positions))
    public = Alphabet.of_values([(value, "text") for value in positions], columns=("huge", "kind"))
    with pytest.raises(InputError, match="utility='resolution'"):
        ColumnsDistortion.of(public)
    small = Alphabet.of_values([(1e200, "a"), (-1e200, "b")], columns=("large", "kind"))
    with pytest.raises(InputError, match="utility='resolution'"):
        ColumnsDistortion.of(small, scales={"large": 1e-200})


def test_an_unknown_codeword_is_refused():
    with pytest.raises(OptionError, match="choose 'centroid', 'midpoint' or 'member'"):
        LineDistortion(np.array([1.0]), "median")


def test_the_toy_takes_its_given_positions():
    assert utility_of(LineDistortion.of(toy().public, "centroid"), Partition.whole(7)) == pytest.approx(
        -0.9142857
    )
