"""The solve partition that keeps a demand, against all partitions of small tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from math import log2
from random import Random

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.measures.overlap import components
from hartley.measures.utility import LineDistortion, Resolution
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.measures.verdicts import kept_by_each
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.merges import joined, merged
from hartley.search.problem import Problem
from hartley.search.solve import solve
from reference_every_partition import every_partition


def random_question(source: Random) -> Problem:
    size, secrets = source.randint(3, 6), source.randint(2, 5)
    kind = source.choice(["line", "resolution", "columns"])
    pairs = [(x, source.randrange(secrets)) for x in range(size) for _ in range(source.randint(1, 3))]
    rows = np.array([source.randint(1, 3) for _ in pairs])
    places = source.sample(range(20), size)
    cells = [(places[x], source.choice("ab")) if kind == "columns" else (places[x],) for x in range(size)]
    cells = [(cell[0], *cell[1:]) for cell in cells]
    names = ("x", "g")[: len(cells[0])]
    public = Alphabet.of_values([c if len(c) > 1 else c[0] for c in cells], columns=names)
    joint = JointRange.from_codes(
        public_codes=np.array([x for x, _ in pairs]),
        sensitive_codes=np.unique([s for _, s in pairs], return_inverse=True)[1],
        public=public,
        rows=rows,
    )
    utility = {
        "line": lambda: LineDistortion.of(public),
        "resolution": lambda: Resolution(size),
        "columns": lambda: ColumnsDistortion.of(public),
    }[kind]()
    asked = [Requirement("distinct-l", source.randint(1, 3)), Requirement("row-k", source.randint(1, 5))]
    closeness = Closeness.of({"sensitive": source.choice([0, 1])})
    if source.random() < 0.5:
        asked.append(Requirement("separated-l", source.randint(1, 3)))
    return Problem(joint=joint, utility=utility, requirements=tuple(asked), closeness=closeness)


def keeps(question: Problem, partition: Partition) -> bool:
    released = question.joint.release(partition)
    return all(
        (kept_by_each(released, one, question.closeness) >= one.wanted).all() for one in question.requirements
    )


@pytest.mark.parametrize("seed", range(250))
def test_bound_optimum_and_found_stand_in_order(seed):
    question = random_question(Random(seed))
    costs = [
        float(question.utility.costs(partition).max())
        for labels in every_partition(question.joint.public.size)
        if keeps(question, partition := Partition(labels))
    ]
    try:
        answer = solve(question)
    except UnreachableError:
        assert not costs
        return
    assert keeps(question, answer.partition)
    best = min(costs)
    assert answer.lower_bound_cost <= best + 1e-9
    assert answer.cost == pytest.approx(float(question.utility.costs(answer.partition).max()))
    assert answer.cost == pytest.approx(best)  # of so few values every partition is looked at


@pytest.mark.parametrize("seed", range(40))
def test_with_side_information_every_observation_keeps_the_demand(seed):
    source = Random(1000 + seed)
    triples = [(source.randrange(5), source.randrange(4), source.randrange(2)) for _ in range(25)]
    joint = JointRange.from_pairs(triples)
    question = Problem(
        joint=joint,
        utility=Resolution(joint.public.size),
        requirements=(Requirement("distinct-l", 2), Requirement("row-k", 2)),
    )
    possible = [
        partition
        for labels in every_partition(joint.public.size)
        if keeps(question, partition := Partition(labels))
    ]
    try:
        answer = solve(question)
    except UnreachableError:
        assert not possible
        return
    assert keeps(question, answer.partition)
    assert answer.cost == answer.lower_bound_cost == min(max(one.sizes) for one in possible)


def drawn_with_side(source: Random) -> Problem:
    """Draw a question that only merging answers: side information, or released values that are members."""
    size = source.randint(2, 14)
    has_side = source.random() < 0.7
    rows = [
        (x, source.randrange(6), source.randrange(3))
        for x in range(size)
        for _ in range(source.randint(1, 4))
    ]
    joint = JointRange.from_codes(
        public_codes=np.array([x for x, _, _ in rows]),
        sensitive_codes=np.unique([s for _, s, _ in rows], return_inverse=True)[1],
        side_codes=np.unique([a for _, _, a in rows], return_inverse=True)[1] if has_side else None,
        public=Alphabet.of_values(source.sample(range(40), size), columns=("x",)),
    )
    utility = LineDistortion.of(joint.public, source.choice(["midpoint", "member"]))
    asked = [Requirement("distinct-l", source.randint(1, 3)), Requirement("row-k", source.randint(1, 5))]
    if source.random() < 0.5:
        asked.append(Requirement("separated-l", source.randint(1, 2)))
    closeness = Closeness.of({"sensitive": 1})
    return Problem(joint=joint, utility=utility, requirements=tuple(asked), closeness=closeness)


def merged_by_definition(question: Problem) -> Partition | None:
    """Merge the first cluster that keeps too little with the solve other, all measured anew each time."""
    size = question.joint.public.size
    clusters = [[place] for place in range(size)]
    while True:
        partition = Partition.from_clusters(clusters)
        released = question.joint.release(partition)
        lacking = set()
        for one in question.requirements:
            lacks = kept_by_each(released, one, question.closeness) < one.wanted
            lacking |= set(released.public_of[lacks].tolist())
        poor = [cluster for cluster in clusters if partition.labels[cluster[0]] in lacking]
        if not poor:
            return partition
        if len(clusters) == 1:
            return None
        first = min(poor, key=min)
        others = sorted((cluster for cluster in clusters if cluster is not first), key=min)

        def cost(other: list[int], first: list[int] = first) -> float:
            rest = [place for place in range(size) if place not in first + other]
            labels = np.zeros(size, dtype=int)
            labels[rest] = np.arange(1, len(rest) + 1)
            return float(question.utility.costs(Partition(labels)).max())

        partner = min(others, key=cost)
        clusters = [one for one in clusters if one is not first and one is not partner] + [
            sorted(first + partner)
        ]


@pytest.mark.parametrize("seed", range(200))
def test_clusters_are_merged_as_by_the_definition(seed):
    question = drawn_with_side(Random(seed))
    expected = merged_by_definition(question)
    if expected is None:
        with pytest.raises(UnreachableError):
            merged(question, UNLIMITED, ())
        return
    assert merged(question, UNLIMITED, ()).partition == expected


@pytest.mark.parametrize("seed", range(100))
def test_merging_that_is_stopped_keeps_the_demand_all_the_same(seed):
    question = drawn_with_side(Random(seed))
    asked = count()
    hurried = Effort(should_stop=lambda: next(asked) >= seed % 4)
    if merged_by_definition(question) is None:
        with pytest.raises(UnreachableError):
            merged(question, hurried, ())
        return
    found = merged(question, hurried, ())
    assert keeps(question, found.partition)
    assert found.cost == float(question.utility.costs(found.partition).max())
    groups = components(question.joint.release(found.partition)).size
    for most in range(1, groups + 1):
        limited = question.asking(Requirement("istar", log2(most)))
        if components(question.joint.release(Partition.whole(question.joint.public.size))).size > most:
            continue
        fewer = joined(limited, found, Effort(should_stop=lambda: True))
        assert components(question.joint.release(fewer.partition)).size <= most
        assert fewer.cost == float(question.utility.costs(fewer.partition).max())
        assert keeps(question, fewer.partition)


@pytest.mark.parametrize("seed", [1, 5])
def test_bits_beside_what_is_only_seen_are_a_number_of_candidates(seed):
    source = Random(seed)
    triples = [
        (x, source.randint(1, 6), source.choice("pq")) for x in range(14) for _ in range(source.randint(1, 3))
    ]
    seen = JointRange.from_pairs(triples).knowing(0)

    def least(asked: Requirement) -> float:
        return solve(Problem(joint=seen, utility=Resolution(14), requirements=(asked,))).cost

    assert seen.sensitive.size == 6
    assert least(Requirement("l0", 1)) == least(Requirement("distinct-l", 3))


def test_more_rows_that_may_be_withheld_beside_a_kept_column_never_cost_more():
    source = Random(4)
    triples = [(x, source.randint(1, 5), source.choice("pq")) for x in range(44) for _ in range(3)]
    seen = JointRange.from_pairs(triples).knowing(0)
    asked = Problem(joint=seen, utility=Resolution(44), requirements=(Requirement("distinct-l", 4),))
    assert solve(replace(asked, budget=4)).cost <= solve(asked).cost
