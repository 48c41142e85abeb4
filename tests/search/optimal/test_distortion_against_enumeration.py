"""Every claim of the searches under distortion, against all set partitions of small instances."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.measures.utility import CODEWORDS, LineDistortion
from hartley.model import JointRange
from hartley.search.optimal.certificates_distortion import verdict
from hartley.search.optimal.istar_distortion import istar_distortion_levels, least_distortion_for_components
from hartley.search.optimal.joint_distortion import joint_distortion_levels, least_connected_distortion
from hartley.search.optimal.l0_distortion import (
    l0_distortion_levels,
    least_distortion,
    most_candidates_within,
)
from hartley.search.optimal.level import Levels
from reference_optimal_distortion import Instance, Measured, instances, measured

COUNT = 525
TINY = 1e-12
"""Sums of decimal positions round; everything else is compared exactly."""


def joint_of(instance: Instance) -> JointRange:
    public, sensitive = zip(*instance.pairs, strict=True)
    return JointRange.from_codes(public_codes=np.array(public), sensitive_codes=np.array(sensitive))


def check_levels(
    joint: JointRange,
    utility: LineDistortion,
    found: Levels,
    leakages: list[tuple[float, float]],
    measure,
    whole_frontier: bool = True,
) -> None:
    """Bound ≤ optimum ≤ found at every level, equality where it is claimed, and no level left out."""
    assert found.complete
    costs = [level.cost for level in found.levels]
    assert costs == sorted(set(costs))
    for level in found.levels:
        partition = level.partition
        assert float(utility.costs(partition).max()) == level.cost
        assert measure(joint, partition) == level.leakage_bits
        slack = TINY if utility.codeword == "centroid" else 0.0
        best = min(leakage for cost, leakage in leakages if cost <= level.cost + slack)
        assert level.lower_bound_bits <= best + TINY
        assert best <= level.leakage_bits + TINY
        if level.proven_optimal:
            assert level.leakage_bits == pytest.approx(best, abs=TINY)
        if level.certificate is not None:
            assert verdict(joint, utility, level.certificate) != "fails"
    if whole_frontier and all(level.proven_optimal for level in found.levels):
        # Then these are all the non-dominated points there are.
        frontier = {}
        for cost, leakage in sorted(leakages):
            if not frontier or leakage < min(frontier.values()):
                frontier[cost] = leakage
        assert list(frontier) == costs


def pairs_of(all_measured: list[Measured], values: int, connected: bool = False) -> list[tuple[float, float]]:
    return [(m.cost, log2(values / m.distinct_l)) for m in all_measured if not connected or m.components == 1]


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_l0_levels_hold_against_all_partitions(codeword):
    proven = total = 0
    for instance in instances(COUNT, seed=1):
        joint = joint_of(instance)
        utility = LineDistortion(np.array(instance.positions), codeword)
        every = measured(instance, codeword)
        found = l0_distortion_levels(joint, utility)
        check_levels(
            joint,
            utility,
            found,
            pairs_of(every, joint.sensitive.size),
            max_uncertainty_reduction,
            whole_frontier=codeword != "centroid",
        )
        proven += sum(level.proven_optimal for level in found.levels)
        total += len(found.levels)
    assert proven == total if codeword != "centroid" else proven >= 0.9 * total


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
            if best.certificate is not None:
                assert verdict(joint, utility, best.certificate) != "fails"
            within = most_candidates_within(joint, utility, best.cost)
            assert within.leakage_bits <= max_uncertainty_reduction(joint, best.partition)
        with pytest.raises(UnreachableError, match=f"the most that can be reached is {most}"):
            least_distortion(joint, utility, most + 1)


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_istar_levels_hold_against_all_partitions(codeword):
    proven = total = 0
    for instance in instances(COUNT, seed=3):
        joint = joint_of(instance)
        utility = LineDistortion(np.array(instance.positions), codeword)
        every = measured(instance, codeword)
        found = istar_distortion_levels(joint, utility)
        check_levels(
            joint,
            utility,
            found,
            [(m.cost, log2(m.components)) for m in every],
            maximin_information,
            whole_frontier=codeword != "centroid",
        )
        fewest = min(m.components for m in every)
        least = least_distortion_for_components(joint, utility, fewest)
        assert least.cost >= min(m.cost for m in every if m.components == fewest) - TINY
        proven += sum(level.proven_optimal for level in found.levels)
        total += len(found.levels)
    assert proven >= (0.9 if codeword == "centroid" else 0.99) * total


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_joint_levels_hold_against_all_partitions(codeword):
    proven = total = 0
    for instance in instances(COUNT, seed=4):
        joint = joint_of(instance)
        utility = LineDistortion(np.array(instance.positions), codeword)
        every = measured(instance, codeword)
        if all(m.components > 1 for m in every):
            with pytest.raises(UnreachableError, match="stay alone"):
                joint_distortion_levels(joint, utility)
            continue
        found = joint_distortion_levels(joint, utility)
        pairs = pairs_of(every, joint.sensitive.size, connected=True)
        check_levels(joint, utility, found, pairs, max_uncertainty_reduction, whole_frontier=False)
        assert all(maximin_information(joint, level.partition) == 0.0 for level in found.levels)
        best = least_connected_distortion(joint, utility, 1)
        optimum = min(cost for cost, _ in pairs)
        assert best.lower_bound <= optimum + TINY
        assert optimum <= best.cost + TINY
        proven += sum(level.proven_optimal for level in found.levels)
        total += len(found.levels)
    assert proven >= 0.8 * total
