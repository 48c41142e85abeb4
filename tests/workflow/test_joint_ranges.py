"""Everything that a table is asked can be asked of a joint range."""

from __future__ import annotations

import pickle
from itertools import combinations
from math import comb, inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hartley
from hartley.examples import clinic, toy
from hartley.measures.stochastic import JointDistribution, mutual_information
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.measures.utility import LineDistortion, Resolution
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.model import JointRange, Partition
from sample_sizes import sample
from strategies import joint_ranges, joint_ranges_with_partition

CLINIC = pd.DataFrame(clinic(60), columns=["age", "sex", "pain", "pressure", "cholesterol", "pulse"])


def of_clinic(**fields: object) -> JointRange:
    return JointRange.from_frame(CLINIC, public="pulse", sensitive="age", **fields)


def told(points: object) -> list[dict[str, object]]:
    return [point.to_dict() for point in points]  # type: ignore[attr-defined]


@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
@pytest.mark.parametrize("utility", ["resolution", "distortion"])
def test_a_joint_range_has_the_frontier_of_its_table(leakage, utility):
    fields = {"leakage": leakage, "utility": utility}
    of_table = hartley.frontier(CLINIC[:30], public="pulse", sensitive="age", **fields)
    joint = JointRange.from_frame(CLINIC[:30], public="pulse", sensitive="age")
    assert told(hartley.frontier(joint, **fields)) == told(of_table)


def test_tolerance_side_requirements_and_budgets_hold_as_for_a_table():
    head = CLINIC[:16]
    asked = {"tolerance": 2, "withhold": 2, "require": {"row_k": 2}}
    of_table = hartley.frontier(head, public="pulse", sensitive="age", **asked)
    joint = JointRange.from_frame(head, public="pulse", sensitive="age")
    assert told(hartley.frontier(joint, **asked)) == told(of_table)
    beside = JointRange.from_frame(head, public="pulse", sensitive="age", side="sex")
    of_table = hartley.audit(head, public="pulse", sensitive="age", side="sex")
    assert hartley.audit(beside).audit == of_table.audit
    assert hartley.audit(beside).joint == of_table.joint == beside


def test_solve_is_what_a_release_would_have(tmp_path):
    made = hartley.release(CLINIC, tmp_path / "o.csv", public="pulse", sensitive="age", distinct_l=4)
    found = hartley.solve(of_clinic(), distinct_l=4)
    assert found.partition == made.point.partition
    assert (found.max_distortion, found.proven_optimal) == (
        made.point.max_distortion,
        made.point.proven_optimal,
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda joint: hartley.audit(joint, sensitive="age"),
        lambda joint: hartley.frontier(joint, keep="sex"),
        lambda joint: hartley.frontier(joint, missing="drop"),
        lambda joint: hartley.release(joint, "never.csv", distinct_l=2),
        lambda joint: hartley.frontier(joint, utility=Resolution(8)),
        lambda joint: hartley.solve(joint),
        lambda joint: hartley.greedy(joint, ties="dice"),
        lambda joint: hartley.frontier(joint, ties="random"),
        lambda joint: hartley.frontier(joint, utility=hartley.OwnUtility(7, lambda members: -len(members))),
        lambda joint: hartley.confusion(joint, "s1", "s9"),
        lambda joint: joint.partition([["x1", "x2"], ["x2"]]),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(hartley.InputError):
        call(toy())


def test_a_utility_of_another_size_is_refused_in_a_sentence():
    with pytest.raises(hartley.InputError, match="a utility of 8 values does not fit 7 public values"):
        hartley.greedy(toy(), "l0", Resolution(8))


def test_results_go_through_a_pickle():
    run = hartley.greedy(toy(), "istar", "distortion", utility_weight=0.3)
    found = hartley.frontier(toy())
    for result in (run, found, hartley.audit(toy()), hartley.solve(toy(), distinct_l=2)):
        again = pickle.loads(pickle.dumps(result))  # noqa: S301 (our own)
        assert repr(again) == repr(result)
    assert pickle.loads(pickle.dumps(run)).trace() == run.trace()  # noqa: S301 (our own)


def test_every_answer_is_a_frame_and_a_comparison_draws_itself():
    solved = hartley.solve(toy(), distinct_l=2, utility="size")
    assert solved.to_frame()["largest_cluster"].tolist() == [solved.largest_cluster]
    compared = hartley.compare(toy(), leakage="l0", utility="resolution")
    assert len(compared.to_frame()) == len(compared.methods) + 1  # with noise
    assert type(compared.plot()) is type(compared.frontier.plot())


def test_a_utility_may_be_called_by_its_codeword():
    ages = JointRange.from_pairs([(20, "a"), (30, "b"), (60, "c")])
    found = {
        name: hartley.solve(ages, distinct_l=3, utility=name).max_distortion
        for name in ("midpoint", "centroid")
    }
    assert found == {"midpoint": 20, "centroid": pytest.approx(60 - 110 / 3)}


def test_a_run_shows_its_steps():
    run = hartley.greedy(toy(), "istar", "resolution", utility_weight=0.3)
    frame = run.to_frame()
    assert frame["components"].tolist() == [5, 4, 3, 2, 1]
    assert [step["lagrangian"] for step in run.trace(0.0)] == pytest.approx(frame["istar_bits"].tolist())
    assert (
        run.frontier.points
        == hartley.frontier(toy(), leakage="istar", utility="resolution", search="greedy").frontier.points
    )


@settings(max_examples=sample(60, 500), deadline=None)
@given(joint_ranges(max_public=6, min_public=2), st.sampled_from(["l0", "istar", "joint"]))
def test_an_own_cost_has_the_answers_of_the_same_cost_known_by_name(joint, leakage):
    size = joint.public.size
    own = hartley.OwnUtility(size, lambda members: (members[-1] - members[0]) / 2, grows=True)
    line = LineDistortion(np.arange(size, dtype=float), "midpoint")
    found = hartley.frontier(joint, leakage=leakage, utility=own)
    known = hartley.frontier(joint, leakage=leakage, utility=line)
    assert [(p.leakage_bits, p.utility) for p in found] == [(p.leakage_bits, p.utility) for p in known]
    assert hartley.greedy(joint, leakage, own).along.cost.tolist() == (
        hartley.greedy(joint, leakage, line).along.cost.tolist()
    )


def best_of_all(joint: JointRange, leakage: str, own: hartley.OwnUtility) -> list[tuple[float, float]]:
    """Every pair of cost and leakage that no partition beats, by trying them all."""
    leaks = {"l0": max_uncertainty_reduction, "istar": hartley.maximin_information}[leakage]
    tried = sorted((own.costs(one).max(), leaks(joint, one)) for one in Partition.all(joint.public.size))
    best: list[tuple[float, float]] = []
    for cost, bits in tried:
        if not best or bits < best[-1][1] - 1e-9:
            best.append((cost, bits))
    return best


@settings(max_examples=sample(30, 300), deadline=None)
@given(
    joint_ranges(max_public=6, min_public=2),
    st.sampled_from(["l0", "istar"]),
    st.sampled_from(["sum_of", "mean_of"]),
    st.integers(0, 2**32 - 1),
)
def test_sums_and_means_of_pairs_have_the_best_of_all_partitions(joint, leakage, name, seed):
    size = joint.public.size
    table = np.triu(np.random.default_rng(seed).integers(0, 9, (size, size)), 1)
    table = table + table.T
    own = getattr(hartley.OwnUtility, name)(table)
    over = {"sum_of": sum, "mean_of": lambda apart: sum(apart) / len(apart)}[name]
    for cluster in (one for one in Partition.whole(size) if len(one) > 1):
        pairs = [table[one, other] for one, other in combinations(cluster, 2)]
        assert own.cost_of(cluster) == pytest.approx(over(pairs))
    found = hartley.frontier(joint, leakage=leakage, utility=own)
    assert [(point.max_distortion, point.leakage_bits) for point in found] == [
        pytest.approx(pair) for pair in best_of_all(joint, leakage, own)
    ]
    run = hartley.greedy(joint, leakage, own)
    assert run.along.cost.tolist() == [own.costs(run.partition(step)).max() for step in range(run.steps + 1)]
    assert pickle.loads(pickle.dumps(run)).trace() == run.trace()  # noqa: S301 (our own)


@pytest.mark.parametrize("table", [[[0, 1]], [[0, 1], [2, 0]], [[0, -1], [-1, 0]], [[0, inf], [inf, 0]]])
def test_dissimilarities_of_pairs_are_a_symmetric_table_of_numbers(table):
    for make in (hartley.OwnUtility.sum_of, hartley.OwnUtility.mean_of):
        with pytest.raises(hartley.InputError, match="dissimilarities"):
            make(table)


@settings(max_examples=sample(40, 300), deadline=None)
@given(joint_ranges_with_partition())
def test_released_information_is_the_mutual_information_of_the_true_and_the_released_value(drawn):
    joint, partition = drawn
    rows = np.zeros((joint.public.size, partition.size))
    for place, public in enumerate(joint.public_of[joint.observation_of]):
        rows[public, partition.labels[public]] += joint.rows[place]
    known = mutual_information(JointDistribution.from_table(rows))
    assert hartley.released_information(joint, partition) == pytest.approx(known, abs=1e-9)


def test_a_frontier_as_a_frame_tells_clusters_and_information():
    found = hartley.frontier(toy(), leakage="l0", utility="resolution")
    frame = found.to_frame()
    assert frame["clusters"].tolist() == [len(point.partition) for point in found]
    assert frame["released_information_bits"].tolist() == [
        hartley.released_information(toy(), point.partition) for point in found
    ]
    with pytest.raises(hartley.InputError, match="a partition of 6 values does not fit 7 public values"):
        hartley.released_information(toy(), Partition.whole(6))


def test_an_own_cost_that_grows_is_bounded_by_its_pairs_where_many_values_are():
    joint = JointRange.from_pairs((public, public % 5) for public in range(14))
    own = hartley.OwnUtility(14, lambda members: members[-1] - members[0], grows=True)
    cheap = hartley.frontier(joint, utility=own)
    assert cheap[1].distinct_l == 2
    assert cheap[1].max_distortion == 1
    assert all(point.lower_bound_bits <= point.leakage_bits + 1e-12 for point in cheap)


@settings(max_examples=sample(60, 500), deadline=None)
@given(
    joint_ranges(max_public=7, min_public=2), st.integers(0, 99), st.sampled_from(["l0", "istar", "joint"])
)
def test_random_ties_are_a_run_over_values_in_another_order(joint, seed, leakage):
    size = joint.public.size
    order = np.random.default_rng(seed).permutation(size)
    table = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(float)
    for utility, moved in (
        (Resolution(size), Resolution(size)),
        (LineDistortion(np.arange(size) ** 2.0), LineDistortion(order**2.0)),
        (MatrixDistortion(table), MatrixDistortion(table[np.ix_(order, order)])),
    ):
        run = hartley.greedy(joint, leakage, utility, ties="random", seed=seed)
        twin = hartley.greedy(joint.reordered(order), leakage, moved)
        assert run.steps == twin.steps
        for step in range(run.steps + 1):
            back = np.empty(size, dtype=np.int64)
            back[order] = twin.partition(step).labels
            assert run.partition(step) == Partition(back)
        assert run.along == twin.along or np.allclose(run.along.l0, twin.along.l0)


def test_random_ties_matter_and_a_seed_repeats_them():
    rows = pd.DataFrame(clinic(120)).rename(columns={0: "age", 5: "pulse"})[["age", "pulse"]]
    joint = JointRange.from_frame(rows, public="pulse", sensitive="age")

    def largest(seed: int) -> int:
        run = hartley.greedy(joint, "l0", "resolution", ties="random", seed=seed)
        return run.frontier.at(distinct_l=8).largest_cluster

    worst = [largest(seed) for seed in range(6)]
    assert len(set(worst)) > 1
    assert largest(2) == worst[2]
    assert hartley.solve(joint, distinct_l=8, utility="resolution").lower_bound_cost <= min(worst)


@pytest.mark.parametrize("size", range(1, 8))
def test_all_partitions_are_there_once(size):
    bell = [1]
    for n in range(size):
        bell.append(sum(comb(n, k) * bell[k] for k in range(n + 1)))
    every = list(Partition.all(size))
    assert len(every) == len(set(every)) == bell[size]
    assert (every[0], every[-1]) == (Partition.whole(size), Partition.singletons(size))


@settings(max_examples=sample(60, 500), deadline=None)
@given(joint_ranges_with_partition(max_public=6), st.data())
def test_join_and_meet_are_the_bounds_of_the_lattice(drawn, data):
    joint, one = drawn
    every = list(Partition.all(joint.public.size))
    other = data.draw(st.sampled_from(every))
    above = [p for p in every if one.refines(p) and other.refines(p)]
    below = [p for p in every if p.refines(one) and p.refines(other)]
    assert one.join(other) == max(above, key=len)
    assert one.meet(other) == min(below, key=len)
    assert list(one) == [tuple(cluster) for cluster in one.clusters()]


@settings(max_examples=sample(30, 300), deadline=None)
@given(joint_ranges(max_public=5))
def test_solve_is_the_least_cost_of_all_partitions(joint):
    for wanted in range(1, joint.sensitive.size + 1):
        bits = np.log2(joint.sensitive.size / wanted) + 1e-9
        kept = [p for p in Partition.all(joint.public.size) if max_uncertainty_reduction(joint, p) <= bits]
        least = min((max(p.sizes) for p in kept), default=inf)
        found = hartley.solve(joint, distinct_l=wanted, utility="resolution")
        assert (found.largest_cluster, found.proven_optimal) == (least, True)


@pytest.mark.parametrize(("name", "same"), [("L0", "l0"), ("I*", "istar"), ("I_star", "istar")])
def test_leakages_are_understood_as_the_paper_writes_them(name, same):
    found = hartley.frontier(toy(), leakage=name, utility="resolution")
    assert told(found) == told(hartley.frontier(toy(), leakage=same, utility="resolution"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"leakage": "L1"}, "unknown leakage 'L1'; did you mean 'l0'?"),
        ({"utility": "midpont"}, "unknown utility 'midpont'; did you mean 'midpoint'?"),
        ({"search": "optimum"}, "unknown search 'optimum'; did you mean 'optimal'?"),
        ({"shape": "interval"}, "unknown shape 'interval'; did you mean 'intervals'?"),
        ({"search": "best"}, "unknown search 'best'; choose 'optimal' or 'greedy'"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(asked, said):
    with pytest.raises(hartley.OptionError) as refused:
        hartley.frontier(toy(), **asked)
    assert str(refused.value) == said


def test_an_unknown_codeword_is_refused_with_the_nearest():
    with pytest.raises(hartley.OptionError, match="unknown codeword 'Centrod'; did you mean 'centroid'"):
        hartley.UtilityChoice(codeword="Centrod")


def test_labels_go_in_and_out():
    joint = toy()
    assert hartley.confusion(joint, "s1", "s2").labels == ("x1",)
    merged = joint.partition([["x2", "x3"]])
    assert joint.clusters(merged) == [["x1"], ["x2", "x3"], ["x4"], ["x5"], ["x6"], ["x7"]]
    assert hartley.are_confusable(joint, "s2", "s3", merged)
    backwards = JointRange.from_values(sensitive=["s1", "s2"], public=["x", "x"], positions={"x": 1.0})
    assert (backwards.public.labels(), backwards.sensitive.labels()) == (["x"], ["s1", "s2"])
