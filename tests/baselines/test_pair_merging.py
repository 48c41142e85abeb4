from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_baselines as reference
from baseline_tables import GOLDEN, TABLES, random_joint
from hartley.baselines.pair_merging import (
    agglomerative_bottleneck,
    pairwise_agglomeration,
    privacy_funnel,
)
from hartley.errors import OptionError, UnreachableError
from hartley.search.effort import Effort
from strategies import joint_ranges

FUNNELS = [(table, key) for table in TABLES for key in GOLDEN[table]["pf_greedy"]]
BOTTLENECKS = [(table, key) for table in TABLES for key in GOLDEN[table]["aib"]]
WEIGHTS = [(table, key) for table in TABLES for key in GOLDEN[table]["iac_mdsf"]]


def number(key: str) -> float:
    return float(key.split("=")[1])


@pytest.mark.parametrize(("table", "key"), FUNNELS)
def test_the_funnel_s_golden_values(table, key):
    joint, golden = TABLES[table], GOLDEN[table]["pf_greedy"][key]
    found = privacy_funnel(joint, at_least=number(key)).end
    assert found.clusters() == golden["blocks"]
    assert reference.information(joint, found) == pytest.approx(golden["I_SXhat"], abs=1e-9)
    assert reference.kept(joint, found) == pytest.approx(golden["I_XXhat"], abs=1e-9)


@pytest.mark.parametrize(("table", "key"), BOTTLENECKS)
def test_the_bottleneck_s_golden_values(table, key):
    joint, golden = TABLES[table], GOLDEN[table]["aib"][key]
    run = agglomerative_bottleneck(joint)
    found = run.partition(joint.public.size - int(number(key)))
    steps = range(len(golden["costs"]) + 1)
    leaked = [reference.information(joint, run.partition(step)) for step in steps]
    assert -np.diff(leaked) == pytest.approx(golden["costs"], abs=1e-9)
    assert reference.information(joint, found) == pytest.approx(golden["I"], abs=1e-9)
    # The uniform toy table is full of ties; there only the values are comparable.
    if table != "toy_uniform":
        assert found.clusters() == golden["blocks"]


@pytest.mark.parametrize(("table", "key"), WEIGHTS)
def test_the_pairwise_golden_values(table, key):
    joint, golden = TABLES[table], GOLDEN[table]["iac_mdsf"][key]
    found = pairwise_agglomeration(joint, utility_weight=number(key)).end
    assert found.clusters() == golden["pairwise_blocks"]
    lagrangian = reference.information(joint, found) - number(key) * reference.kept(joint, found)
    assert lagrangian == pytest.approx(golden["pairwise_L"], abs=1e-9)


def twin_runs(joint, share, weight):
    """Give every kind of run beside its slow twin."""
    alone = reference.Partition.singletons(joint.public.size)
    public = reference.kept(joint, alone)
    yield agglomerative_bottleneck(joint), reference.merge_pairs(joint, (1.0, -0.0))
    yield agglomerative_bottleneck(joint, trade_off=3.0), reference.merge_pairs(joint, (1.0, -1 / 3.0))
    yield (
        pairwise_agglomeration(joint, utility_weight=weight),
        reference.merge_pairs(joint, (-1.0, weight), ceiling=0.0),
    )
    yield (
        privacy_funnel(joint, at_least=share * public),
        reference.merge_pairs(joint, (-1.0, 0.0), (0.0, 1.0), public * (1 - share)),
    )


@given(
    joint_ranges(max_public=10), st.sampled_from([0.0, 0.23, 0.51, 0.77]), st.sampled_from([0.0, 0.4, 0.9])
)
def test_remembering_partners_merges_as_trying_all_pairs_does(joint, share, weight):
    for run, merges in twin_runs(joint, share, weight):
        assert run.merges == merges


@pytest.mark.parametrize("seed", range(40))
def test_on_larger_tables_too(seed):
    rng = np.random.default_rng(seed)
    joint = random_joint(rng, int(rng.integers(15, 40)), int(rng.integers(2, 20)), int(rng.integers(0, 90)))
    for run, merges in twin_runs(joint, float(rng.uniform()), float(rng.uniform())):
        assert run.merges == merges


def test_compiled_merges_as_interpreted_does():
    joint = random_joint(np.random.default_rng(7), 110, 30, 240)
    assert joint.public.size * joint.pairs > 20_000
    for run, merges in twin_runs(joint, 0.37, 0.6):
        assert run.merges == merges


@pytest.mark.parametrize("values", [20, 110])
def test_one_cluster_that_takes_in_all_others_outgrows_the_room_and_is_tidied_up(values):
    pairs = [(0, s) for s in range(values)] * 3 + [(x, x % values) for x in range(1, values)]
    joint = reference.JointRange.from_pairs(pairs)
    run = privacy_funnel(joint, at_least=0)
    sizes = [len(np.unique(joint.release(run.partition(step)).candidates(0))) for step in range(1, values)]
    assert sum(sizes) > 4 * joint.pairs
    assert run.merges == reference.merge_pairs(
        joint, (-1.0, 0.0), (0.0, 1.0), reference.kept(joint, reference.Partition.singletons(values))
    )
    assert run.end.size == 1


@given(joint_ranges(max_public=10), st.floats(0, 1))
def test_the_funnel_keeps_what_it_was_told_and_could_not_go_on(joint, share):
    there = reference.kept(joint, reference.Partition.singletons(joint.public.size))
    wanted = share * there
    found = privacy_funnel(joint, at_least=wanted).end
    assert reference.kept(joint, found) >= wanted - 1e-9
    for i in range(found.size):
        for j in range(i):
            assert reference.kept(joint, found.merge(i, j)) < wanted + 1e-9


@given(joint_ranges(), st.floats(0, 1.5))
def test_a_pairwise_run_only_falls_and_ends_where_no_pair_lowers_it(joint, weight):
    run = pairwise_agglomeration(joint, utility_weight=weight)

    def lagrangian(partition):
        return reference.information(joint, partition) - weight * reference.kept(joint, partition)

    values = [lagrangian(run.partition(step)) for step in range(run.steps + 1)]
    assert all(after < before for before, after in pairwise(values))
    end = run.end
    assert all(lagrangian(end.merge(i, j)) >= values[-1] - 1e-9 for i in range(end.size) for j in range(i))


def test_a_full_run_ends_in_one_cluster_and_holds_every_number_of_clusters():
    run = agglomerative_bottleneck(TABLES["R2_sparse"])
    assert [run.partition(step).size for step in range(6)] == [6, 5, 4, 3, 2, 1]


def test_side_information_plays_no_part():
    triples = [(1, "a", "u"), (1, "b", "v"), (2, "a", "u"), (3, "b", "u"), (3, "b", "v")]
    with_side = reference.JointRange.from_pairs(triples)
    without = with_side.without_side()
    assert agglomerative_bottleneck(with_side) == agglomerative_bottleneck(without)


def test_one_public_value_is_left_alone():
    alone = reference.JointRange.from_pairs([("x", 1), ("x", 2)])
    assert agglomerative_bottleneck(alone).end.size == 1
    assert privacy_funnel(alone, at_least=0).end.size == 1


def test_a_run_that_is_stopped_is_a_start_of_the_whole_run():
    joint = random_joint(np.random.default_rng(3), 150, 10, 100)
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 1

    whole = agglomerative_bottleneck(joint)
    part = agglomerative_bottleneck(joint, effort=Effort(should_stop=stop))
    assert 0 < part.steps < whole.steps
    assert part.merges == whole.merges[: part.steps]


def test_bad_calls_are_refused():
    joint = TABLES["R1_full"]
    with pytest.raises(UnreachableError, match=r"keeps 9 bits about the public values; .* has 2\.305"):
        privacy_funnel(joint, at_least=9)
    with pytest.raises(OptionError, match="positive"):
        agglomerative_bottleneck(joint, trade_off=0)
    with pytest.raises(OptionError, match="negative"):
        pairwise_agglomeration(joint, utility_weight=-0.1)
    assert agglomerative_bottleneck(joint, trade_off=inf) == agglomerative_bottleneck(joint)
