"""Measures of parts, put together: the same as of the whole."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from hartley.errors import InputError
from hartley.measures.audit import audit
from hartley.measures.joined_parts import joined_groups, measured_parts
from hartley.measures.overlap import overlap_partition
from hartley.measures.verdicts import ToleranceMeasures, verdicts
from hartley.model import JointRange
from hartley.model.arrays import Ints
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from sample_sizes import sample

REQUIRED = [Requirement(name, 1) for name in ("distinct-l", "separated-l", "row-k", "l0", "istar")]


def random_joint(rng: Random) -> JointRange:
    values = rng.sample(range(12), 8)
    pairs = []
    for x in range(rng.randrange(2, 9)):
        pairs += [(x, rng.choice(values)) for _ in range(rng.choice((1, 1, 2, 4)))]
    return JointRange.from_pairs(pairs)


def cut(joint: JointRange, rng: Random) -> list[tuple[JointRange, Ints]]:
    """Return the joint range in parts that share no public value, in order."""
    part_of = np.sort([rng.randrange(3) for _ in range(joint.public.size)])
    parts = []
    for part in np.unique(part_of):
        here = part_of[joint.observation_of] == part
        places = np.unique(joint.indices[here])
        values = np.flatnonzero(part_of == part)
        one = JointRange.from_codes(
            public_codes=np.searchsorted(values, joint.observation_of[here]),
            sensitive_codes=np.searchsorted(places, joint.indices[here]),
            public=joint.public.take(values),
            sensitive=joint.sensitive.take(places),
            rows=joint.rows[here],
        )
        parts.append((one, places))
    return parts


def test_parts_measure_as_the_whole_does() -> None:
    rng = Random(1)
    closeness = Closeness.of({"sensitive": 2})
    sizes = set()
    for _ in range(sample(300, 5000)):
        joint = random_joint(rng)
        parts = cut(joint, rng)
        sizes.add(len(parts))
        found = measured_parts(iter(parts), joint.sensitive, REQUIRED, closeness, are_separated=True)
        assert found.audit == audit(joint)
        assert found.verdicts == verdicts(joint, REQUIRED, closeness)
        assert found.separation == ToleranceMeasures.of(joint, closeness)
        groups = joined_groups(
            joint.sensitive.size, [(overlap_partition(one), where) for one, where in parts]
        )
        assert groups == overlap_partition(joint)
    assert sizes == {1, 2, 3}


def test_separation_is_measured_only_where_it_is_asked_for() -> None:
    joint = JointRange.from_pairs([("x", 1), ("y", 5)])
    every = np.arange(2)
    assert (
        measured_parts([(joint, every)], joint.sensitive, (), Closeness.of({"sensitive": 2})).separation
        is None
    )
    assert measured_parts([(joint, every)], joint.sensitive, are_separated=True).separation is None


def test_parts_with_side_information_are_refused() -> None:
    joint = JointRange.from_pairs([("x", 1, "a"), ("y", 2, "b")])
    every = np.arange(2)
    assert measured_parts([(joint, every)], joint.sensitive).audit == audit(joint)
    other = replace(joint, rows=joint.rows * 2)
    with pytest.raises(InputError, match="without side information"):
        measured_parts([(joint, every), (other, every)], joint.sensitive)
