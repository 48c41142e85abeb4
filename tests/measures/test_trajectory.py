from __future__ import annotations

import random

import numpy as np
import pytest

from greedy_instances import random_joint, random_positions, small_size
from hartley.errors import OptionError
from hartley.examples import toy
from hartley.hot_loops import HotLoop
from hartley.measures.overlap import overlap_partition
from hartley.measures.trajectory import trajectory
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.measures.utility import LineDistortion, Resolution, Utility, utility_of
from hartley.model import JointRange, MergeTree
from hartley.model.words import CODEWORDS
from hartley.search.greedy import narrowest_first


def random_run(rng: random.Random, size: int) -> MergeTree:
    """Merges that no search would make."""
    places, kept, joined, ends = list(range(size)), [], [], [0]
    while len(places) > 1 and rng.random() < 0.95:
        one, other = sorted(rng.sample(places, 2))
        places.remove(other)
        kept.append(one)
        joined.append(other)
        if rng.random() < 0.6:
            ends.append(len(kept))
    if ends[-1] != len(kept):
        ends.append(len(kept))
    return MergeTree(size, np.array(kept, dtype=int), np.array(joined, dtype=int), np.array(ends))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("side", [False, True])
def test_every_step_measures_as_its_partition_does(
    side: bool, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiled:
        monkeypatch.setattr(HotLoop, "for_size", lambda loop, *_: loop.compiled)
    rng = random.Random(side)
    for number in range(150):
        size = small_size(rng, 16)
        joint = random_joint(rng, size, side)
        positions = np.nan_to_num(np.array(random_positions(rng, size)))
        utility: Utility = [Resolution(size), *(LineDistortion(positions, c) for c in CODEWORDS)][number % 4]
        run = random_run(rng, size)
        along = trajectory(joint, run, utility)
        for t in range(run.steps + 1):
            partition = run.partition(t)
            assert along.distinct_l[t] == distinct_l(joint, partition)
            assert along.l0[t] == pytest.approx(max_uncertainty_reduction(joint, partition))
            assert along.components[t] == overlap_partition(joint, partition).size
            assert along.largest_cluster[t] == partition.sizes.max()
            assert along.clusters[t] == partition.size
            slack = 1e-12 * (1 + np.abs(positions).max())
            assert along.utility[t] == pytest.approx(utility_of(utility, partition), rel=1e-9, abs=slack)


def test_the_steps_of_a_run_are_cut_where_candidates_become_more() -> None:
    along = trajectory(toy(), narrowest_first(toy(), Resolution(7)), Resolution(7))
    assert along.distinct_l.tolist() == [1, 2, 3, 6]
    with pytest.raises(OptionError, match="unknown leakage"):
        along.leakage("l1")  # type: ignore[arg-type]


def test_a_change_of_nothing_stops_a_run() -> None:
    # Doubling the candidates by doubling the clusters changes nothing at weight 1, whatever rounding says.
    joint = JointRange.from_codes(public_codes=np.arange(6), sensitive_codes=np.array([0, 1, 2, 3, 4, 0]))
    run = MergeTree(6, np.array([0, 2, 4]), np.array([1, 3, 5]), np.array([0, 3]))
    along = trajectory(joint, run, Resolution(6))
    assert along.distinct_l.tolist() == along.largest_cluster.tolist() == [1, 2]
    assert (along.stop("l0", 1.0), along.stop("l0", 0.999), along.stop("l0", 1.001)) == (0, 1, 0)


def test_measures_along_a_run_are_equal_by_value_and_can_be_keys() -> None:
    joint, run = toy(), random_run(random.Random(3), toy().public.size)
    along = trajectory(joint, run, Resolution(joint.public.size))
    again = trajectory(joint, run, Resolution(joint.public.size))
    farther = trajectory(joint, run, LineDistortion(np.arange(joint.public.size, dtype=float), "midpoint"))
    assert along == again
    assert along != farther
    assert {along: 1}[again] == 1
