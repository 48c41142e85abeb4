"""Certificates of the bounds under resolution: those of the searches hold, altered ones are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import log2

import numpy as np
import pytest

from hartley.model import JointRange
from hartley.search.effort import UNLIMITED
from hartley.search.proofs import (
    CandidateCertificate,
    CutCertificate,
    PairingCertificate,
    SizePriceCertificate,
    SliceCertificate,
    ValuePriceCertificate,
)
from hartley.search.resolution.cut_bound import CutBound
from hartley.search.resolution.layout import CandidateSets
from hartley.search.resolution.matching import pair_up
from hartley.search.resolution.price_bound import size_prices, value_prices
from reference_optimal_resolution import random_table, truth
from reference_proofs import excludes, is_valid_bound


def shown(joint: JointRange) -> list[set[int]]:
    return [set(joint.candidates(value).tolist()) for value in range(joint.observations)]


def every_certificate(joint: JointRange, largest: int, wanted: int) -> Iterator[CandidateCertificate]:
    """Everything the searches can say against so many candidates."""
    sets = CandidateSets.of(joint)
    most, cut = CutBound.of(sets).most(largest)
    if cut is not None and most < wanted:
        yield cut
    for reason in (
        size_prices(sets, largest, wanted, UNLIMITED),
        value_prices(sets, largest, wanted, UNLIMITED),
        pair_up(sets, wanted) if largest == 2 else None,
    ):
        if isinstance(reason, CandidateCertificate):
            yield reason


def test_no_certificate_excludes_what_exists_and_every_one_passes_the_check() -> None:
    rng = np.random.default_rng(0)
    seen: dict[type, int] = {}
    for _ in range(250):
        joint = random_table(rng, 6)
        known = truth(joint)
        for largest in range(1, joint.public.size + 1):
            best = round(joint.sensitive.size / known.least_ratio(largest))
            for wanted in {best, min(best + 1, joint.sensitive.size)}:
                for certificate in every_certificate(joint, largest, wanted):
                    assert certificate.distinct_l > best
                    assert excludes(shown(joint), certificate)
                    seen[type(certificate)] = seen.get(type(certificate), 0) + 1
    assert min(seen.values()) > 50
    assert len(seen) == 4


def table() -> JointRange:
    """Clusters of at most three keep at most three candidates, and no counting says so."""
    return JointRange.from_pairs(
        [(value, s) for value, letters in enumerate(("ab", "ac", "bc", "d", "e", "f")) for s in letters]
    )


@pytest.fixture
def sets() -> list[set[int]]:
    return [{0, 1}, {0, 2}, {1, 2}, {3}, {4}, {5}]


def test_a_cut_must_add_up(sets: list[set[int]]) -> None:
    cut = CutCertificate(
        largest_cluster=3, distinct_l=5, set_aside=(), charged_values=range(6), charged_candidates=()
    )
    assert excludes(sets, cut)
    assert not excludes(sets, replace(cut, distinct_l=4))
    assert not excludes(sets, replace(cut, largest_cluster=6))
    assert not excludes(sets, replace(cut, set_aside=(0, 1)))
    # Pairs that nobody is charged for count one each.
    assert not excludes(sets, replace(cut, distinct_l=4, charged_values=()))


def test_prices_by_size_must_leave_no_bargain(sets: list[set[int]]) -> None:
    prices = SizePriceCertificate(largest_cluster=2, distinct_l=4, unit=2, prices=(0, 1, 1, 2, 2))
    # Two values of two candidates each cost one unit; all six values cost three: not below three.
    assert not excludes(sets, prices)
    dear = replace(prices, prices=(0, 0, 1, 2, 2))
    assert excludes(sets, dear)
    assert not excludes(sets, replace(dear, largest_cluster=4))
    assert not excludes(sets, replace(dear, prices=(0, -1, 1, 2, 2)))
    assert not excludes(sets, replace(dear, prices=(0, 0, 0, 2, 2)))


def test_prices_of_values_must_leave_no_bargain(sets: list[set[int]]) -> None:
    prices = ValuePriceCertificate(largest_cluster=3, distinct_l=4, unit=3, prices=(2, 1, 1, 0, 0, 0))
    assert excludes(sets, prices) == all(
        sum(prices.prices[value] for value in members) >= 3
        for members in ((0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 3, 4), (1, 3, 4), (2, 3, 4))
    )
    assert not excludes(sets, replace(prices, prices=(2, 1, 1)))
    assert not excludes(sets, replace(prices, prices=(-2, 9, 9, 0, 0, 0)))


def test_a_barrier_must_leave_more_odd_parts_than_it_has() -> None:
    # A star: three poor values fit only the one in the middle.
    star = [{0}, {0}, {0}, {1, 2}]
    barrier = PairingCertificate(largest_cluster=2, distinct_l=3, barrier=(3,))
    assert excludes(star, barrier)
    assert not excludes(star, replace(barrier, distinct_l=1))
    assert not excludes(star, replace(barrier, largest_cluster=3))
    assert not excludes([{0, 1}, {2, 3}], replace(barrier, barrier=()))


def test_a_certificate_serves_smaller_clusters_and_weaker_bounds_only() -> None:
    joint = table()
    five = CutCertificate(
        largest_cluster=3, distinct_l=5, set_aside=(), charged_values=range(6), charged_candidates=()
    )
    assert is_valid_bound(joint, 3, log2(6 / 4), five)
    assert is_valid_bound(joint, 2, log2(6 / 4), five)
    assert is_valid_bound(joint, 3, log2(6 / 5), five)
    assert not is_valid_bound(joint, 4, log2(6 / 4), five)
    assert not is_valid_bound(joint, 3, log2(6 / 3), five)


def test_without_a_certificate_only_nothing_is_granted() -> None:
    assert is_valid_bound(table(), 3, 0.0, None)
    assert not is_valid_bound(table(), 3, 0.1, None)
    assert not is_valid_bound(table(), 3, 0.1, "because")


def test_with_side_information_a_certificate_must_name_its_side_value() -> None:
    joint = JointRange.from_pairs([("a", 1, "u"), ("b", 2, "u"), ("a", 1, "v"), ("b", 1, "v"), ("b", 2, "v")])
    alone = CutCertificate(
        largest_cluster=1, distinct_l=2, set_aside=(), charged_values=(0, 1), charged_candidates=()
    )
    assert is_valid_bound(joint, 1, 1.0, SliceCertificate(side_value=0, certificate=alone))
    assert not is_valid_bound(joint, 2, 1.0, SliceCertificate(side_value=0, certificate=alone))
    assert not is_valid_bound(joint, 1, 1.0, alone)
