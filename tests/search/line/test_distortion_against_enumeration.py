"""The least distortion asked for alone, against all set partitions of small instances."""

from __future__ import annotations

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange
from hartley.model.words import CODEWORDS
from line_search import least_distortion
from paper_levels import (
    candidate_search,
    connected_search,
    fewest_components_within,
    least_distortion_for_components,
    levels_of,
)
from reference_optimal_distortion import Instance, instances, measured
from sample_sizes import sample

COUNT = sample(usual=165, long=525)
TINY = 1e-12
"""Sums of decimal positions round; everything else is compared exactly."""


def joint_of(instance: Instance) -> JointRange:
    public, sensitive = zip(*instance.pairs, strict=True)
    return JointRange.from_codes(public_codes=np.array(public), sensitive_codes=np.array(sensitive))


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_least_distortion_holds_against_all_partitions(codeword):
    for instance in instances(COUNT, seed=2)[: COUNT // 2]:
        joint = joint_of(instance)
        utility = LineDistortion(np.array(instance.positions), codeword)
        every = measured(instance, codeword)
        most = max(m.distinct_l for m in every)
        for wanted in range(1, most + 1):
            best = least_distortion(joint, utility, wanted)
            optimum = min(m.cost for m in every if m.distinct_l >= wanted)
            assert distinct_l(joint, best.partition) >= wanted
            assert best.lower_bound <= optimum + TINY
            assert optimum <= best.cost + TINY
            if best.proven_optimal:
                assert best.cost == pytest.approx(optimum, abs=TINY)
            within = candidate_search(joint, utility).best_within(best.cost)
            assert within.leakage_bits <= max_uncertainty_reduction(joint, best.partition)
        with pytest.raises(UnreachableError, match=f"the most that can be reached is {most}"):
            least_distortion(joint, utility, most + 1)


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_least_distortion_for_components_holds_against_all_partitions(codeword):
    for instance in instances(COUNT // 3, seed=3):
        joint = joint_of(instance)
        utility = LineDistortion(np.array(instance.positions), codeword)
        every = measured(instance, codeword)
        fewest = min(m.components for m in every)
        least = least_distortion_for_components(joint, utility, fewest)
        optimum = min(m.cost for m in every if m.components == fewest)
        assert least.lower_bound_cost - TINY <= optimum <= least.cost + TINY
        assert least.lower_bound_bits <= least.leakage_bits
        for cost in {m.cost for m in every if m.cost < optimum}:
            within = fewest_components_within(joint, utility, cost)
            assert (
                within.lower_bound_bits <= np.log2(min(m.components for m in every if m.cost <= cost)) + TINY
            )
        assert codeword == "centroid" or least.cost == optimum
        with pytest.raises(UnreachableError, match="no release leaves"):
            least_distortion_for_components(joint, utility, fewest - 1)


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_the_least_distortion_of_one_component_holds_against_all_partitions(codeword):
    for instance in instances(COUNT // 3, seed=4):
        joint = joint_of(instance)
        utility = LineDistortion(np.array(instance.positions), codeword)
        every = [m for m in measured(instance, codeword) if m.components == 1]
        if not every:
            with pytest.raises(UnreachableError, match="stay alone"):
                connected_search(joint, utility)
            continue
        best = levels_of(connected_search(joint, utility)).levels[0]
        kept = distinct_l(joint, best.partition)
        optimum = min(m.cost for m in every if m.distinct_l >= kept)
        assert maximin_information(joint, best.partition) == 0.0
        assert best.lower_bound_cost <= optimum + TINY
        assert optimum <= best.cost + TINY
