"""The sweep with at most two open clusters: against every partition, and a sweep that drops nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hartley.measures.utility import LineDistortion
from hartley.model import JointRange
from hartley.search.effort import Effort
from hartley.search.line.sweeps import two_open_clusters as chains
from hartley.search.line.sweeps.two_open_clusters import ChainAnswer, chain_within
from line_search import Line
from reference_optimal_distortion import Instance, instances, measured, some_chain_is_within


def line_of(instance: Instance, codeword: str) -> Line:
    public, sensitive = zip(*instance.pairs, strict=True)
    joint = JointRange.from_codes(public_codes=np.array(public), sensitive_codes=np.array(sensitive))
    return Line(joint, LineDistortion(np.array(instance.positions), codeword))


def widened(instance: Instance, times: int) -> Instance:
    """Replace every sensitive value by several, so that they fill more than one word."""
    return Instance(
        instance.positions,
        tuple(frozenset(times * s + i for s in held for i in range(times)) for held in instance.sensitive),
    )


def assert_keeps_its_word(line: Line, answer: ChainAnswer, wanted: int, cost: float) -> None:
    assert answer.cluster_of is not None
    partition = line.partition_of_ranks(answer.cluster_of)
    assert line.cost_of(partition) <= cost
    assert line.distinct_l_of(partition) >= wanted


@pytest.mark.parametrize("codeword", ["midpoint", "member"])
@pytest.mark.parametrize("times", [1, 30])
@pytest.mark.parametrize("way", ["interpreted", "compiled"])
def test_the_sweep_finds_a_partition_exactly_where_there_is_one(codeword, times, way, monkeypatch):
    monkeypatch.setattr(chains, "STEPS_PER_STATE", {"interpreted": 0, "compiled": 10**9}[way])
    seen = {True: 0, False: 0}
    for instance in instances(60 if times == 1 else 25, seed=77):
        if any(np.isnan(instance.positions)):
            continue
        every = measured(instance, codeword)
        line = line_of(widened(instance, times), codeword)
        for wanted in range(2, max(m.distinct_l for m in every) + 1):
            least = min(m.cost for m in every if m.distinct_l >= wanted)
            for cost in {least, max(0.0, float(np.nextafter(least, 0))), least / 2}:
                ticks = line.ticks_within(cost)
                answer = chain_within(line.asking(times * wanted), ticks)
                assert answer.exhausted
                assert answer.impossible == (cost < least)
                if not answer.impossible:
                    assert_keeps_its_word(line, answer, times * wanted, ticks)
                seen[answer.impossible] += 1
    assert min(seen.values()) > 20


@pytest.mark.parametrize("codeword", ["midpoint", "member"])
def test_dropping_states_loses_nothing(codeword):
    source = random.Random(5)
    found = 0
    for _ in range(30):
        size = source.randint(8, 10)
        positions = tuple(float(p) for p in sorted(source.sample(range(3 * size), size)))
        held = [frozenset(source.sample(range(6), source.choice((1, 1, 2)))) for _ in range(size)]
        number = {s: i for i, s in enumerate(sorted(frozenset().union(*held)))}
        instance = Instance(positions, tuple(frozenset(number[s] for s in values) for values in held))
        line = line_of(instance, codeword)
        for wanted in (2, 3, 4):
            cost = source.randint(2, 2 * size) / 2
            answer = chain_within(line.asking(wanted), cost)
            exists = some_chain_is_within(instance, codeword, wanted, cost)
            assert answer.impossible != exists
            if exists:
                assert_keeps_its_word(line, answer, wanted, cost)
            found += exists
    assert 20 < found < 70


def test_a_sweep_that_had_to_drop_states_proves_nothing():
    missed = 0
    for seed in range(12):
        source = random.Random(seed)
        joint = JointRange.from_pairs([(x, s) for x in range(30) for s in source.sample(range(12), 1)])
        line = Line(joint, LineDistortion(np.arange(30.0)))
        for cost in range(5, 12):
            narrow, wide = (chain_within(line.asking(7), cost / 2, most) for most in (1, 4000))
            assert wide.exhausted
            assert not (narrow.impossible and wide.cluster_of is not None)
            missed += narrow.cluster_of is None and wide.cluster_of is not None
    assert missed > 0


def test_a_sweep_told_to_stop_proves_nothing():
    line = line_of(Instance((1.0, 2.0, 3.0), (frozenset({0}), frozenset({0}), frozenset({1}))), "midpoint")
    answer = chain_within(line.asking(2), 0.5, effort=Effort(should_stop=lambda: True))
    assert answer == ChainAnswer(None, False)
