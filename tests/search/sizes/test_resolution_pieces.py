"""The pieces of the search under resolution, each against its definition."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from hartley.hot_loops import HotLoop
from hartley.measures.uncertainty import candidate_counts, distinct_l
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.sizes import search as sizes_search
from hartley.search.sizes.components import least_clusters
from hartley.search.sizes.cut_bound import CandidateSets
from hartley.search.sizes.joining_swaps import compacted
from hartley.search.sizes.matching import NOBODY, match_some
from hartley.search.sizes.price_bound import COUNT, OF_ROOT, cheap_sets, least_prices
from hartley.search.sizes.search import SizeSearch
from hartley.search.sizes.swaps import (
    QUICK,
    SwapSearch,
    dealt_places,
    partition_of_places,
    places_of_partition,
    swap_loop,
)
from reference_optimal_resolution import random_table
from strategies import joint_ranges


def asking(joint: JointRange, wanted: int) -> Enough:
    return Enough.beside(joint, [Requirement("distinct-l", wanted)])


@given(joint_ranges(max_public=8))
def test_dealing_a_cluster_out_takes_no_candidate_away(joint: JointRange) -> None:
    # The lemma behind the ranges: exactly ceil(N / m) clusters are enough.
    size = joint.public.size
    for largest in range(1, size + 1):
        for labels in ([value // largest for value in range(size)], list(range(size))):
            before = Partition(np.array(labels))
            after = compacted(before, largest, is_harmless=True)
            assert after.sizes.max() <= largest
            assert after.size == least_clusters(size, largest)
            assert distinct_l(joint, after) >= distinct_l(joint, before)


@given(joint_ranges(max_public=7, side=True))
def test_slices_hold_what_is_seen_with_each_side_value(joint: JointRange) -> None:
    assert joint.side is not None
    assert joint.observed_side is not None
    for side in range(joint.side.size):
        part = CandidateSets.of(asking(joint, 1), side)
        here = np.flatnonzero(joint.observed_side == side)
        assert part.counts.tolist() == candidate_counts(joint)[here].tolist()
        assert part.kinds == len({s for i in here for s in joint.candidates(i).tolist()})


def test_places_and_partitions_are_the_same_thing() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        partition = Partition(rng.integers(0, 5, size=rng.integers(1, 12)))
        largest = int(partition.sizes.max()) + int(rng.integers(0, 2))
        places = places_of_partition(partition, largest, partition.size + 1)
        assert sorted(places.tolist()) == list(range(len(places)))
        assert partition_of_places(places, largest, len(partition.labels)) == partition


@pytest.mark.parametrize("sides", [0, 3])
def test_the_cost_of_a_running_search_is_the_cost_of_its_partition(sides: int) -> None:
    rng = np.random.default_rng(sides)
    for seed in range(40):
        joint = random_table(rng, 12, sides)
        size = joint.public.size
        largest = int(rng.integers(1, size + 1))
        clusters = least_clusters(size, largest)
        shown = asking(joint, 1).counts_of(range(size))[:-1]
        need = np.ceil(shown * 0.8).astype(np.int64)
        enough = replace(asking(joint, 1), wanted=need)
        search = SwapSearch(enough, largest, dealt_places(enough, largest, clusters), seed)
        search.run(200, QUICK, UNLIMITED)
        released = joint.release(search.partition)
        side = (
            np.zeros(released.observations, int) if released.observed_side is None else released.observed_side
        )
        assert search.cost == np.maximum(0, need[side] - candidate_counts(released)).sum()
        assert search.partition.sizes.max() <= largest


def test_compiled_and_interpreted_searches_walk_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = random_table(np.random.default_rng(8), 60)
    enough = asking(joint, joint.sensitive.size)
    clusters = least_clusters(enough.size, 3)
    walks = []
    for loop in (swap_loop.plain, swap_loop.compiled):
        search = SwapSearch(enough, 3, dealt_places(enough, 3, clusters), 5)
        with monkeypatch.context() as patch:
            patch.setattr(HotLoop, "for_size", lambda *_, chosen=loop, **__: chosen)
            search.run(3_000, QUICK, UNLIMITED)
        walks.append((search.cost, search.places.tolist()))
    assert walks[0] == walks[1]


def test_a_search_that_is_told_to_stop_stops_at_once() -> None:
    joint = random_table(np.random.default_rng(8), 60)
    enough = asking(joint, joint.sensitive.size)
    search = SwapSearch(enough, 3, dealt_places(enough, 3, least_clusters(enough.size, 3)), 5)
    before = search.places.tolist()
    assert not search.anneal(10**12, Effort(should_stop=lambda: True))
    assert search.places.tolist() == before


def test_blocks_together_keep_what_each_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 20, size=(400, 2))
    joint = JointRange.from_codes(
        public_codes=np.repeat(np.arange(400), 2),
        sensitive_codes=np.unique(codes.ravel(), return_inverse=True)[1],
    )
    monkeypatch.setattr(sizes_search, "MOST_CELLS", 4 * 20 * joint.sensitive.size)
    monkeypatch.setattr(SwapSearch, "fits", lambda *_: False)
    found = SizeSearch.of(asking(joint, 9)).of_size(7).partition
    assert found is not None
    assert found.sizes.max() <= 7
    assert distinct_l(joint, found) >= 9
    assert SizeSearch.of(asking(joint, joint.sensitive.size)).of_size(7).partition is None


def test_dealing_reaches_the_counting_bound_and_keeps_the_size() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        codes = np.unique(rng.integers(0, 9, size=rng.integers(1, 40)), return_inverse=True)[1]
        joint = JointRange.from_codes(public_codes=np.arange(len(codes)), sensitive_codes=codes)
        largest = int(rng.integers(1, len(codes) + 1))
        clusters = least_clusters(len(codes), largest)
        most = int(np.minimum(np.bincount(codes), clusters).sum()) // clusters
        partition = SizeSearch.of(asking(joint, most))._dealt(largest, clusters)
        assert partition is not None
        assert partition.sizes.max() <= largest
        assert distinct_l(joint, partition) == most


def test_matching_agrees_with_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(600):
        size = 2 * int(rng.integers(1, 8))
        upper = np.triu(rng.random((size, size)) < rng.random() * 0.6, 1)
        fits = upper | upper.T
        mates = np.full(size, -1)
        root = 0
        while 0 <= root < size:
            # Tree by tree, as a search does that asks between them whether to stop.
            root = match_some(root, 1, fits, mates)
        is_perfect = root != NOBODY
        graph = networkx.from_numpy_array(fits.astype(int))
        best = networkx.max_weight_matching(graph, maxcardinality=True)
        assert is_perfect == (2 * len(best) == size)
        found += is_perfect
        if is_perfect:
            assert fits[np.arange(size), mates].all()
            assert (mates[mates] == np.arange(size)).all()
    assert 100 < found < 500


def test_cheap_sets_are_cheap_enough_and_none_is_missed() -> None:
    rng = np.random.default_rng(5)
    for _ in range(150):
        joint = random_table(rng, 6)
        sets = CandidateSets.of(asking(joint, 1))
        largest = int(rng.integers(1, 4))
        wanted = int(rng.integers(1, sets.kinds + 1))
        prices = rng.integers(0, 900_000, size=sets.size)
        found = np.zeros((10_000, largest), dtype=np.int64)
        state = np.zeros(OF_ROOT + 1, dtype=np.int64)
        arguments = (
            sets.starts,
            sets.candidates,
            np.argsort(prices, kind="stable"),
            prices,
            least_prices(np.minimum(sets.counts, wanted), prices, largest, wanted),
            largest,
            wanted,
            10_000,
            np.zeros(sets.kinds, dtype=np.int64),
            found,
            np.full(largest, -1, dtype=np.int64),
            state,
        )
        while not cheap_sets(int(rng.integers(1, 9)), *arguments):
            pass
        count = int(state[COUNT])
        shown = [set(joint.candidates(value).tolist()) for value in range(sets.size)]

        def is_cheap(members: frozenset[int], shown=shown, prices=prices, wanted=wanted) -> bool:
            return (
                len(set().union(*(shown[value] for value in members))) >= wanted
                and sum(int(prices[value]) for value in members) < 1_000_000
            )

        given_sets = {frozenset(row[row >= 0].tolist()) for row in found[:count]}
        assert all(is_cheap(members) for members in given_sets)
        for choice in product(range(sets.size), repeat=largest):
            members = frozenset(choice)
            minimal = all(not is_cheap(members - {value}) for value in members)
            assert not (is_cheap(members) and minimal) or any(one <= members for one in given_sets)
