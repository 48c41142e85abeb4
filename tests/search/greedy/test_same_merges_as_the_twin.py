"""Every fast search makes the same merges in the same order as its naive twin in tests/reference.py."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

import reference
from greedy_instances import random_joint, random_positions, separate_blocks, small_size
from hartley.hot_loops import HotLoop
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, MergeTree
from hartley.model.words import CODEWORDS
from hartley.search.greedy import component_joining, joint_search, narrowest_first
from hartley.search.greedy.loops import candidate_sets
from sample_sizes import sample

SEARCHES = ("narrowest first", "component joining", "joint")
UTILITIES = ("resolution", *CODEWORDS)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every loop run compiled, however small the input."""
    monkeypatch.setattr(HotLoop, "for_size", lambda loop, *_: loop.compiled)


def steps(run: MergeTree) -> list[list[tuple[int, int]]]:
    return [run.merges[run.ends[t] : run.ends[t + 1]] for t in range(run.steps)]


def both_runs(
    search: str, utility_name: str, joint: JointRange, positions: list[float], weight: float
) -> tuple[list[list[tuple[int, int]]], list[list[tuple[int, int]]]]:
    """The steps of the fast search and of the twin."""
    utility: Utility
    cost: reference.Cost
    if utility_name == "resolution":
        utility, cost = Resolution(joint.public.size), reference.size_cost
    else:
        utility = LineDistortion(np.array(positions), utility_name)  # type: ignore[arg-type]
        # Decimals tie exactly: the twin counts in the same whole numbers.
        positions = utility.grid.ticks.tolist()
        in_ticks = reference.line_cost(positions, utility_name)
        per_unit = utility.grid.per_unit

        def cost(cluster: reference.Cluster) -> float:
            return in_ticks(cluster) / per_unit

    if search == "narrowest first":
        return steps(narrowest_first(joint, utility)), reference.narrowest_first(joint, cost, positions)
    if search == "component joining":
        return steps(component_joining(joint, utility)), reference.component_joining(joint, cost, positions)
    return (
        steps(joint_search(joint, utility, weight)),
        reference.joint_search(joint, cost, utility.of_cost, weight, positions),
    )


def compare(
    search: str, utility: str, instances: int, sizes: tuple[int, int] | None, side: bool = False
) -> None:
    rng = random.Random(zlib.crc32(f"{search} {utility} {sizes} {side}".encode()))
    for _ in range(instances):
        size = small_size(rng, 10 if side else 25) if sizes is None else rng.randint(*sizes)
        joint, positions = random_joint(rng, size, side), random_positions(rng, size)
        weight = rng.choice([0.0, 0.1, 0.3, 1.0, 2.5])
        fast, slow = both_runs(search, utility, joint, positions, weight)
        assert fast == slow, (search, utility, size, positions, weight)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("search", SEARCHES)
def test_compiled_search_merges_as_its_twin(search: str, utility: str) -> None:
    compare(search, utility, sample(usual=1200, long=6000), None)


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("search", SEARCHES)
def test_interpreted_search_merges_as_its_twin(search: str, utility: str) -> None:
    compare(search, utility, sample(usual=120, long=600), None)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("search", ["narrowest first", "component joining"])
def test_search_of_many_values_merges_as_its_twin(search: str, utility: str) -> None:
    compare(search, utility, sample(usual=25, long=200), (50, 100))


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("utility", UTILITIES)
def test_joint_search_of_many_values_merges_as_its_twin(utility: str) -> None:
    # The twin of problem (3) is cubic: sizes stay at the lower end.
    compare("joint", utility, sample(usual=16, long=200), (50, 55))


@pytest.mark.usefixtures("compiled")
def test_joint_search_of_components_of_every_kind_merges_as_its_twin() -> None:
    # Clusters of many sizes and numbers of candidates; with the least weights, many sizes change as much.
    rng = random.Random(31)
    for turn in range(sample(usual=150, long=2000)):
        joint = separate_blocks(rng, rng.randint(2, 30 if turn % 8 else 50))
        weight = rng.choice([0.0, 1e-14, 1e-12, 1e-3, 0.3, 1.0, 50.0, 1e5])
        fast, slow = both_runs("joint", "resolution", joint, [], weight)
        assert fast == slow, (turn, weight)


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("search", SEARCHES)
def test_search_with_side_information_merges_as_its_twin(search: str, utility: str) -> None:
    compare(search, utility, sample(usual=100, long=600), None, side=True)


@pytest.mark.parametrize("looked_at", [0, 1, 3])
@pytest.mark.parametrize("utility", ["resolution", "midpoint"])
def test_partners_are_found_one_by_one_as_all_together(
    looked_at: int, utility: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hartley.search.greedy.observations.LOOKED_AT", looked_at)
    compare("narrowest first", utility, 200, None, side=True)


@pytest.mark.parametrize("utility", ["resolution", "centroid"])
def test_sets_that_move_together_merge_as_the_twin(utility: str, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[int] = []
    move_together = candidate_sets.move_together.plain

    def noted(sets: candidate_sets.Sets) -> None:
        moved.append(int(sets.used[candidate_sets.FILLED]))
        move_together(sets)

    monkeypatch.setattr(candidate_sets, "move_together", noted)
    monkeypatch.setattr(HotLoop, "for_size", lambda loop, *_: loop.plain)
    monkeypatch.setattr(HotLoop, "interpreted", property(lambda loop: loop.plain))
    compare("narrowest first", utility, 5, (50, 60))
    assert moved


@pytest.mark.parametrize("utility", UTILITIES)
def test_no_decision_rests_on_a_hash(utility: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Any two sets with as many values, or two values more, have the same hash.
    monkeypatch.setattr(
        "hartley.search.greedy.loops.candidate_sets._marks", lambda size: np.full(size, 5, dtype=np.int64)
    )
    compare("narrowest first", utility, 200, None)
    compare("narrowest first", utility, 5, (50, 60))


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("search", SEARCHES)
def test_side_information_that_says_nothing_changes_nothing(search: str, utility: str) -> None:
    rng = random.Random(11)
    for _ in range(sample(usual=25, long=60)):
        size = small_size(rng, 12)
        joint, positions = random_joint(rng, size), random_positions(rng, size)
        known = JointRange.from_codes(
            public_codes=joint.observation_of,
            sensitive_codes=joint.indices,
            side_codes=np.zeros(joint.pairs, dtype=int),
        )
        assert (
            both_runs(search, utility, joint, positions, 0.3)[0]
            == (both_runs(search, utility, known, positions, 0.3)[0])
        )
