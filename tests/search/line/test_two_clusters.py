"""Two clusters chosen by a solver, and all that centroids are solved by, against every partition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hartley.measures.utility import LineDistortion
from hartley.model import JointRange
from hartley.search.effort import Effort
from hartley.search.line import centroid
from hartley.search.line.end_clusters import pair_within
from hartley.search.line.sweeps.subset_sweep import UNDECIDED
from hartley.search.sizes.cluster_count import most_clusters
from line_search import Line, least_distortion
from reference_subsets import least_over_subsets

BIT = 1e-4
"""More than the solver's tolerance, less than two means of so few whole numbers can differ by."""


def few_candidates_line(seed: int, size: int, values: int, greatest: int = 40) -> Line:
    """A line on which some sensitive values occur once, so that few clusters can hold many of them."""
    source = random.Random(seed)
    places = sorted(source.sample(range(greatest), size))
    pairs = [(float(x), source.randrange(values)) for x in places]
    pairs += [(float(source.choice(places)), s) for s in range(values)]
    joint = JointRange.from_pairs(sorted(set(pairs)), positions={x: x for x, _ in pairs})
    return Line(joint, LineDistortion.of(joint.public, "centroid"))


def test_two_clusters_are_found_exactly_where_there_are_two():
    seen = 0
    for seed in range(60):
        line = few_candidates_line(seed, 9, 5)
        half = float(line.positions[-1] - line.positions[0]) / 2
        for wanted in range(2, line.most_candidates + 1):
            if most_clusters(line.asking(wanted).enough) != 2:
                continue
            least = least_over_subsets(line, wanted)
            if least + BIT >= half:
                continue
            pair = pair_within(line.asking(wanted), least + BIT, Effort())
            partition = line.partition_of_ranks(np.isin(np.arange(line.size), pair.members) + 0)
            assert line.cost_of(partition) == pytest.approx(least, abs=2 * BIT)
            assert line.distinct_l_of(partition) >= wanted
            assert pair_within(line.asking(wanted), least - BIT, Effort()).impossible
            seen += 1
    assert seen > 20


@pytest.mark.parametrize("greatest", [10**5, 10**8, 10**11, 10**14])
def test_two_clusters_of_long_numbers_are_not_called_impossible_where_there_are_two(greatest):
    seen = impossible = 0
    for seed in range(40):
        line = few_candidates_line(seed, 9, 5, greatest)
        half = float(line.positions[-1] - line.positions[0]) / 2
        for wanted in range(2, line.most_candidates + 1):
            if most_clusters(line.asking(wanted).enough) != 2:
                continue
            least = least_over_subsets(line, wanted)
            if least >= half:
                continue
            assert not pair_within(line.asking(wanted), least, Effort()).impossible
            impossible += pair_within(line.asking(wanted), least * (1 - 1e-5), Effort()).impossible
            seen += 1
    assert impossible == seen > 15


@pytest.mark.parametrize("fronts", ["with fronts", "without"])
def test_what_the_solvers_find_and_prove_holds_against_every_partition(fronts, monkeypatch):
    expected = {}
    lines = [few_candidates_line(seed, 8 + seed % 3, 4 + seed % 3) for seed in range(14)]
    for number, line in enumerate(lines):
        for wanted in range(2, line.most_candidates + 1):
            expected[number, wanted] = least_over_subsets(line, wanted)
    if fronts == "without":
        monkeypatch.setattr(centroid, "least_by_fronts", lambda *_: UNDECIDED)
    proven = 0
    for (number, wanted), least in expected.items():
        best = least_distortion(lines[number].joint, lines[number].utility, wanted)
        assert best.lower_bound <= least <= best.cost
        assert lines[number].cost_of(best.partition) == best.cost
        assert lines[number].distinct_l_of(best.partition) >= wanted
        proven += best.proven_optimal
    assert proven == len(expected) if fronts == "with fronts" else proven > len(expected) / 2


def test_a_solver_that_is_given_no_time_proves_nothing():
    line = few_candidates_line(1, 9, 5)
    pair = pair_within(line.asking(3), 8.0, Effort(should_stop=lambda: True, remaining=lambda: 0.0))
    assert pair.members is None or 0 < len(pair.members) < line.size
    assert not pair.impossible
