"""Intervals that are enough and leave few components, against all cuts of the line."""

from __future__ import annotations

import random
from math import inf

import numpy as np

from enough_instances import joint_of, random_requirements, random_rows
from hartley.measures.overlap import linked_range, overlap_partition
from hartley.measures.utility import LineDistortion
from hartley.model import Partition
from hartley.search.line.intervals import fewest_components_within, least_cost_of_components
from hartley.search.line.ordered_values import OrderedValues
from reference_requirements import Twin


def instance(rng):
    rows = random_rows(rng, rng.randint(2, 7), rng.randint(2, 6))
    joint = joint_of(rows)
    requirements, closeness, tolerance = random_requirements(rng, joint)
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), requirements, closeness)
    return joint, closeness, values, Twin(rows, requirements, tolerance)


def cut_labels(cut, size):
    return np.array([next(n for n, subset in enumerate(cut) if subset >> rank & 1) for rank in range(size)])


def test_few_components_at_a_cost_that_is_nearly_always_the_least():
    rng = random.Random(101)
    levels = equal = 0
    for _ in range(250):
        joint, closeness, values, twin = instance(rng)
        if not values.can_be_met:
            continue
        linked = linked_range(joint, closeness)[0]
        most = rng.choice((1, 1, 2))
        best = inf
        for cut in twin.cuts():
            if all(twin.is_enough[subset] for subset in cut):
                left = overlap_partition(joint, Partition(cut_labels(cut, twin.size)), closeness).size
                if left <= most:
                    best = min(best, max(twin.costs[subset] for subset in cut))
        answer = least_cost_of_components(values, linked, most)
        assert overlap_partition(joint, answer.partition, closeness).size <= most
        assert values.whole.is_met_by(answer.partition)
        assert answer.lower_bound_cost <= best <= answer.cost
        levels += 1
        equal += answer.cost == best
    assert equal > 0.95 * levels


def test_merging_never_leaves_more_components_than_the_finest():
    rng = random.Random(102)
    for _ in range(100):
        joint, closeness, values, twin = instance(rng)
        best = twin.best_intervals()[0]
        if best == inf:
            continue
        linked = linked_range(joint, closeness)[0]
        answer, left = fewest_components_within(values, linked, best * 2)
        assert answer.cost <= best * 2
        assert left == overlap_partition(linked, answer.partition).size
