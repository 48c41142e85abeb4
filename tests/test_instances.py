"""The frozen instances stay what they are, and their optima are those of brute force."""

from __future__ import annotations

import hashlib
from random import Random

import pytest

import hartley
from hartley.instances import FAMILIES, load, names
from hartley.measures.overlap import components
from hartley.measures.uncertainty import candidate_counts
from hartley.measures.utility import LineDistortion, Resolution
from sample_sizes import sample

COSTS = {
    "size": lambda joint: Resolution(joint.public.size),
    "midpoint": lambda joint: LineDistortion.of(joint.public, "midpoint"),
    "centroid": lambda joint: LineDistortion.of(joint.public, "centroid"),
}
CHECKSUM = "c1abcf3a8de370d9"


def test_names_give_the_same_joint_ranges_for_ever():
    told = hashlib.sha256()
    for name in names():
        joint = load(name).joint
        told.update(repr((joint.indptr.tolist(), joint.indices.tolist(), joint.rows.tolist())).encode())
        told.update(repr(joint.public.positions.tolist()).encode())
    assert told.hexdigest()[:16] == CHECKSUM


def test_every_frozen_instance_has_optima():
    assert len(names()) == 200
    for name in names():
        known = load(name).known
        assert "l0 midpoint" in known or "l0 size" in known, name
    asked = [(name, question) for name in names() for question in load(name).known]
    assert len(asked) > 900


@pytest.mark.parametrize("family", FAMILIES)
def test_optima_of_eight_values_are_those_of_all_partitions(family):
    for seed in Random().sample(range(10), sample(1, 10)):
        instance = load(f"{family}-8-{seed}")
        joint = instance.joint
        every = list(hartley.Partition.all(8))
        left = [int(candidate_counts(joint, one).min()) for one in every]
        parts = [components(joint, one).size for one in every]
        for name, cost in COSTS.items():
            costs = [float(cost(joint).costs(one).max()) for one in every]
            for level, least in instance.optimum("l0", name).items():
                kept = [c for c, reached in zip(costs, left, strict=True) if reached >= level]
                assert min(kept) == pytest.approx(least, abs=1e-8), (instance.name, name, level)
            for level, least in instance.optimum("istar", name).items():
                kept = [c for c, reached in zip(costs, parts, strict=True) if reached <= level]
                assert min(kept) == pytest.approx(least, abs=1e-8), (instance.name, name, level)


def test_the_search_of_today_agrees_on_larger_ones():
    larger = [name for name in names() if "-30-" in name or "-20-" in name]
    for name in Random().sample(larger, sample(10, 100)):
        instance = load(name)
        if "l0 midpoint" not in instance.known:
            continue
        best = instance.optimum("l0", "midpoint")
        level = max(best) // 2 + 1
        found = hartley.solve(instance.joint, distinct_l=level, utility="distortion")
        assert found.max_distortion == pytest.approx(best[level], abs=1e-8), (name, level)


@pytest.mark.parametrize("name", ["ring-30-7", "line-30", "line-x-7", "line-1-7", "", "line--1-7"])
def test_other_names_are_refused(name):
    with pytest.raises(hartley.InputError):
        load(name)


def test_what_is_not_known_is_refused():
    with pytest.raises(hartley.InputError, match="is not frozen"):
        load("line-9-1").optimum("l0", "size")
    with pytest.raises(hartley.InputError, match="no optimum is known"):
        load("line-8-1").optimum("l0", "median")
