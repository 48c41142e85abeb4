"""Bands of equal width, with and without open ends, against all bands of the shape."""

from __future__ import annotations

import random
from itertools import pairwise
from math import floor, inf

import pytest

from enough_instances import joint_of, random_requirements, random_rows
from hartley.errors import OptionError, UnreachableError
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model.requirement import Requirement
from hartley.search.line.equal_width import best_equal_width
from hartley.search.line.ordered_values import OrderedValues
from reference_requirements import Twin


def instance(rng, codeword="midpoint"):
    rows = random_rows(rng, rng.randint(1, 7), rng.randint(1, 5))
    joint = joint_of(rows)
    requirements, closeness, tolerance = random_requirements(rng, joint)
    utility = (
        Resolution(joint.public.size) if codeword == "size" else LineDistortion.of(joint.public, codeword)
    )
    values = OrderedValues.of(joint, utility, requirements, closeness)
    return values, Twin(rows, requirements, tolerance, codeword)


def all_bands(twin, width, offset, *, open_ends):
    """All ways of the shape: the first cells one band, the last ones another, those between by themselves."""
    cells = [floor((x - offset) / width) for x in twin.publics]
    present = sorted(set(cells))
    count = len(present)
    ways = []
    for first in range(1, count + 1) if open_ends else (1,):
        for last in range(first, count + 1) if open_ends else (count,):
            groups = [present[:first], *([cell] for cell in present[first:last])]
            if last < count:
                groups.append(present[last:])
            ways.append([sum(1 << i for i, cell in enumerate(cells) if cell in group) for group in groups])
    return [way for way in ways if all(twin.is_enough[subset] for subset in way)]


@pytest.mark.parametrize("codeword", ["midpoint", "member", "size"])
@pytest.mark.parametrize("open_ends", [False, True])
def test_bands_of_one_width_are_the_best_of_their_shape(codeword, open_ends):
    rng = random.Random(71)
    met = 0
    for _ in range(250):
        values, twin = instance(rng, codeword)
        if not values.can_be_met:
            continue
        width, offset = rng.choice((2, 3, 4, 6)), rng.choice((0, 1))
        ways = all_bands(twin, width, offset, open_ends=False) or all_bands(
            twin, width, offset, open_ends=open_ends
        )
        if not ways:
            with pytest.raises(UnreachableError, match="equal width"):
                best_equal_width(values, width=width, offset=offset, open_ends=open_ends)
            continue
        met += 1
        answer = best_equal_width(values, width=width, offset=offset, open_ends=open_ends)
        best = min((max(twin.costs[s] for s in way), -len(way)) for way in ways)
        assert (answer.cost, -answer.clusters) == best
        assert len(answer.bands) == answer.clusters
        assert values.whole.is_met_by(answer.partition)
        for place, x in enumerate(twin.publics):
            holding = [band for band in answer.bands if band.low <= x < band.high]
            assert len(holding) == 1
            assert answer.bands.index(holding[0]) == answer.labels[place]
        assert all(one.high <= other.low for one, other in pairwise(answer.bands))
    assert met > 20


def test_wider_bands_may_be_enough_where_narrower_and_still_wider_are_not():
    """A, B, A, B at 0 to 3: bands of 2 hold two values each, bands of 3 do not, one of 4 does."""
    joint = joint_of([(0.0, 1), (1.0, 2), (2.0, 1), (3.0, 2)])
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 2)])
    assert best_equal_width(values, width=2, offset=0).clusters == 2
    with pytest.raises(UnreachableError):
        best_equal_width(values, width=3, offset=0)
    assert best_equal_width(values, width=4, offset=0).clusters == 1


def test_open_ends_are_open():
    joint = joint_of([(1.0, 1), (11.0, 1), (12.0, 2), (21.0, 1), (22.0, 2), (95.0, 2)])
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 2)])
    answer = best_equal_width(values, width=10, offset=0, open_ends=True)
    assert [(band.low, band.high) for band in answer.bands] == [(-inf, 20.0), (20.0, inf)]


def test_widths_and_offsets_are_multiples_of_a_border():
    joint = joint_of([(float(x), x % 4) for x in range(0, 200, 3)])
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 3)])
    answer = best_equal_width(values, step=10)
    assert all(band.low % 10 == 0 and band.high % 10 == 0 for band in answer.bands)


def test_centroids_are_refused():
    joint = joint_of([(1.0, 1), (2.0, 2)])
    utility = LineDistortion.of(joint.public, "centroid")
    values = OrderedValues.of(joint, utility, [Requirement("distinct-l", 2)])
    with pytest.raises(OptionError, match="centroids"):
        best_equal_width(values)
