import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.baselines.iac_overlap import OverlapChange, iac_overlap
from hartley.errors import OptionError
from hartley.examples import toy
from hartley.measures.overlap import maximin_information
from hartley.measures.utility import LineDistortion, Resolution, utility_of
from hartley.model import JointRange, Partition
from hartley.model.words import CODEWORDS
from strategies import joint_ranges

weights = st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0])


@st.composite
def cases(draw, max_public=6):
    joint = draw(joint_ranges(max_public=max_public, max_sensitive=8))
    if draw(st.booleans()):
        return joint, Resolution(joint.public.size)
    places = draw(st.lists(st.integers(0, 20), min_size=joint.public.size, max_size=joint.public.size))
    return joint, LineDistortion(np.array(places, dtype=float), draw(st.sampled_from(CODEWORDS)))


def lagrangian(joint, utility, partition, weight):
    return maximin_information(joint, partition) - weight * utility_of(utility, partition)


@given(cases(), weights, st.data())
def test_the_change_is_that_of_the_lagrangian(case, weight, data):
    joint, utility = case
    labels = data.draw(st.lists(st.integers(0, 5), min_size=joint.public.size, max_size=joint.public.size))
    here = OverlapChange(joint, utility, weight, Partition(np.array(labels)))
    before = lagrangian(joint, utility, here.partition, weight)
    pairs = here.of_pairs()
    for i in range(here.size):
        for j in range(i + 1, here.size):
            after = lagrangian(joint, utility, here.partition.merge(i, j), weight)
            assert pairs[i, j] == pytest.approx(after - before, abs=1e-9)
            assert here.of([i, j]) == pytest.approx(after - before, abs=1e-9)
    everything = list(range(here.size))
    after = lagrangian(joint, utility, Partition.whole(joint.public.size), weight)
    assert here.of(everything) == pytest.approx(after - before if here.size > 1 else 0, abs=1e-9)
    assert here.of([]) == here.of([0]) == 0


@settings(max_examples=60)
@given(cases(), weights)
def test_every_step_lowers_the_lagrangian_by_what_it_says(case, weight):
    joint, utility = case
    run = iac_overlap(joint, utility, utility_weight=weight)
    values = [lagrangian(joint, utility, partition, weight) for partition in run.partitions]
    assert np.diff(values) == pytest.approx(list(run.changes), abs=1e-9)
    assert all(change < 0 for change in run.changes)


def test_the_running_example():
    centroid = LineDistortion.of(toy().public, "centroid")
    found = iac_overlap(toy(), centroid, utility_weight=2.5).partition
    assert found == Partition.from_clusters([[0, 3], [1], [2, 4, 5, 6]])


def test_values_without_a_position_stay_alone():
    joint = JointRange.from_pairs([(1, "a"), (2, "b"), (None, "c"), (4, "d")])
    line = LineDistortion.of(joint.public)
    run = iac_overlap(joint, line, utility_weight=0.01)
    assert run.partition == Partition.from_clusters([[0, 1, 3], [2]])


def test_side_information_plays_no_part():
    triples = [(1, "a", "u"), (1, "b", "v"), (2, "c", "u"), (3, "b", "u"), (3, "d", "v")]
    joint = JointRange.from_pairs(triples)
    runs = [iac_overlap(j, Resolution(3), utility_weight=0.1) for j in (joint, joint.without_side())]
    assert runs[0].partitions == runs[1].partitions


def test_a_negative_weight_is_refused():
    joint = JointRange.from_pairs([(x, x) for x in range(16)])
    with pytest.raises(OptionError, match="negative"):
        iac_overlap(joint, Resolution(16), utility_weight=-1)
