"""The sweep over fronts: the best centroid partition of all, or the proof that none is within a limit."""

from __future__ import annotations

import random
from math import inf

import numpy as np
import pytest

from hartley.measures.utility import LineDistortion
from hartley.model import JointRange
from hartley.search.effort import Effort
from hartley.search.line.sweeps import subset_sweep as fronts
from hartley.search.line.sweeps.subset_sweep import least_by_fronts
from line_search import Line, least_distortion
from reference_optimal_distortion import Instance, instances, measured
from reference_subsets import least_over_subsets


def line_of(instance: Instance) -> Line:
    public, sensitive = zip(*instance.pairs, strict=True)
    joint = JointRange.from_codes(public_codes=np.array(public), sensitive_codes=np.array(sensitive))
    return Line(joint, LineDistortion(np.array(instance.positions), "centroid"))


def random_line(size: int, values: int, seed: int, step: float = 1.0) -> Line:
    source = random.Random(seed)
    places = [p / (1 / step) for p in sorted(source.sample(range(4 * size), size))]
    pairs = [(x, s) for x in places for s in source.sample(range(values), source.choice((1, 1, 2)))]
    joint = JointRange.from_pairs(pairs, positions={x: x for x in places})
    return Line(joint, LineDistortion.of(joint.public, "centroid"))


@pytest.mark.parametrize("way", ["interpreted", "compiled"])
def test_the_best_of_all_partitions_is_found_within_any_limit(way, monkeypatch):
    monkeypatch.setattr(fronts, "STEPS_PER_NODE", {"interpreted": 0, "compiled": 10**9}[way])
    seen = {True: 0, False: 0}
    for instance in instances(50 if way == "interpreted" else 150, seed=31):
        if any(np.isnan(instance.positions)):
            continue
        every = measured(instance, "centroid")
        line = line_of(instance)
        for wanted in range(1, max(m.distinct_l for m in every) + 1):
            least = min(m.cost for m in every if m.distinct_l >= wanted)
            for limit in (2 * least + 1, least + line.rounding, 0.9 * least - 0.1):
                if limit < 0:
                    continue
                answer = least_by_fronts(line.asking(wanted), line.ticks_within(limit))
                assert answer.decided
                if limit < least:
                    assert (answer.cost, answer.cluster_of) == (inf, None)
                else:
                    partition = line.partition_of_ranks(answer.cluster_of)
                    assert line.distinct_l_of(partition) >= wanted
                    assert line.in_units(line.cost_of(partition)) == least
                    assert line.in_units(answer.cost) == least
                seen[answer.cluster_of is None] += 1
    assert min(seen.values()) > 20


@pytest.mark.parametrize("step", [1.0, 0.1, 0.7])
def test_fronts_agree_with_subsets(step):
    for seed in range(24):
        line = random_line(9 + seed % 3, 5 + seed % 3, seed, step)
        for wanted in (2, 3, 4):
            least = least_over_subsets(line, wanted)
            answer = least_by_fronts(line.asking(wanted), 2 * least)
            assert answer.decided
            assert answer.cost == pytest.approx(least, abs=2 * line.rounding)


def test_sensitive_values_may_fill_several_words():
    pairs = [(x, 40 * s + i) for x, s in enumerate("012021021"[:8]) for i in range(40) for s in [int(s)]]
    joint = JointRange.from_pairs(pairs)
    line = Line(joint, LineDistortion(np.arange(8.0), "centroid"))
    for wanted in (2, 3):
        least = least_over_subsets(line, 40 * wanted)
        assert least_by_fronts(line.asking(40 * wanted), 8.0).cost == least


def test_a_sweep_cut_short_decides_nothing(monkeypatch):
    line = random_line(40, 12, 3)
    assert least_by_fronts(line.asking(5), 20.0).decided
    assert not least_by_fronts(line.asking(5), 20.0, most_nodes=50).decided
    assert not least_by_fronts(line.asking(5), 20.0, effort=Effort(should_stop=lambda: True)).decided
    monkeypatch.setattr(fronts, "MOST_OF_A_FRONT", 10)
    assert not least_by_fronts(line.asking(5), 20.0).decided
    monkeypatch.setattr(fronts, "MOST_FRONTS", 20)
    assert not least_by_fronts(line.asking(5), 20.0).decided
    monkeypatch.setattr(fronts, "WIDEST", 5)
    assert not least_by_fronts(line.asking(5), 20.0).decided


def test_a_sweep_in_many_calls_ends_like_one(monkeypatch):
    line = random_line(40, 12, 3)
    limit = least_by_fronts(line.asking(4), 14.0).cost
    whole = least_by_fronts(line.asking(4), limit)
    assert whole.cost == limit
    monkeypatch.setattr(fronts, "MOST_OF_A_FRONT", 2000)
    monkeypatch.setattr(fronts, "NODES_PER_CALL", 300)
    assert not least_by_fronts(line.asking(4), limit, most_nodes=2000).decided
    parts = least_by_fronts(line.asking(4), limit)
    assert parts.decided
    assert (whole.cost, whole.cluster_of.tolist()) == (parts.cost, parts.cluster_of.tolist())


@pytest.mark.parametrize("seed", range(6))
def test_random_lines_of_sixty_values_are_proven(seed):
    line = random_line(60, 20, seed)
    for wanted in (2, 3, 5):
        best = least_distortion(line.joint, line.utility, wanted)
        assert best.proven_optimal
        assert line.cost_of(best.partition) == best.cost
        assert line.distinct_l_of(best.partition) >= wanted
