"""Fewest components under distortion: larger instances, codewords compared."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hartley.errors import OptionError, UnreachableError
from hartley.examples import toy
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange
from paper_levels import fewest_components_within, istar_search, least_distortion_for_components, levels_of


def scattered(size: int, groups: int, seed: int) -> tuple[JointRange, np.ndarray]:
    """Values about ten apart, each of one of so many components."""
    source = random.Random(seed)
    positions = np.array(sorted(source.sample(range(10 * size), size)), dtype=float)
    number: dict[int, int] = {}
    codes = [number.setdefault(source.randrange(groups), len(number)) for _ in range(size)]
    joint = JointRange.from_codes(public_codes=np.arange(size), sensitive_codes=np.array(codes))
    return joint, positions


@pytest.mark.parametrize("codeword", ["midpoint", "member"])
@pytest.mark.parametrize("cost", [3.0, 5.0, 8.0, 12.0, 20.0])
def test_levels_of_a_hundred_values_are_closed(codeword, cost):
    for seed, share in enumerate((0.5, 0.8, 0.95)):
        joint, positions = scattered(100, int(100 * share), seed)
        level = fewest_components_within(joint, LineDistortion(positions, codeword), cost)
        assert level.proven_optimal


def test_a_centroid_never_joins_more_than_a_midpoint():
    for seed in range(4):
        joint, positions = scattered(50, 40, seed)
        for cost in (3.0, 8.0, 20.0):
            midpoint = fewest_components_within(joint, LineDistortion(positions), cost)
            centroid = fewest_components_within(joint, LineDistortion(positions, "centroid"), cost)
            assert midpoint.leakage_bits <= centroid.leakage_bits
            assert centroid.lower_bound_bits <= midpoint.leakage_bits


def test_below_the_optimum_of_the_toy_the_bound_says_so():
    joint = toy()
    below = fewest_components_within(joint, LineDistortion.of(joint.public, "centroid"), 0.54)
    assert below.lower_bound_bits == 1.0


def test_least_distortion_for_a_number_of_components_is_a_level():
    joint, positions = scattered(60, 40, 1)
    utility = LineDistortion(positions)
    found = levels_of(istar_search(joint, utility))
    for level in found.levels[:: max(1, len(found.levels) // 5)]:
        wanted = round(2**level.leakage_bits)
        assert least_distortion_for_components(joint, utility, wanted).cost == level.cost


def test_senseless_calls_are_refused():
    joint, positions = scattered(10, 5, 1)
    with pytest.raises(OptionError, match="0 or more"):
        fewest_components_within(joint, LineDistortion(positions), -2.0)
    with pytest.raises(UnreachableError, match="no release leaves"):
        least_distortion_for_components(joint, LineDistortion(positions), 0)
