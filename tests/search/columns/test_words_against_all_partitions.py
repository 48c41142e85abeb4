"""What is said of the worst class over several columns, held against every partition of small tables."""

from __future__ import annotations

import re
from itertools import product
from math import inf

import numpy as np
import pyarrow as pa
import pytest

import hartley
from hartley.measures.uncertainty import distinct_l
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.report.words.release import proof
from hartley.report.words.worst_class import unavoidable, worst_class
from hartley.search.columns import search as columns_search
from hartley.search.few_values import walk
from hartley.search.problem import Problem
from hartley.search.solve import solve
from hartley.workflow.request.objective import Objective
from reference_every_partition import every_partition
from sample_sizes import sample

TABLES = sample(usual=24, long=800)
DISTANCES = [
    {},
    {"utility": hartley.UtilityChoice(scales={"age": 3.0})},
    {"utility": hartley.UtilityChoice(combination="sum")},
    {"weight": {"age": 2.0}},
    {"hierarchy": {"town": [("a", "north"), ("b", "north"), ("c", "south")]}},
]


def drawn(rng, has_text: bool, has_gaps: bool):
    """Draw four to six public values of one to three sensitive values each."""
    cells = list(product(range(0, 12, 2), "abc" if has_text else range(3)))
    size = int(rng.integers(4, 7))
    values = [cells[place] for place in rng.permutation(len(cells))[:size]]
    if has_gaps:
        values[0] = (None, values[0][1])
    public = Alphabet.of_values(values, columns=("age", "town"))
    pairs = {(x, int(s)) for x in range(size) for s in rng.integers(0, 5, size=int(rng.integers(1, 4)))}
    codes, secrets = zip(*sorted(pairs), strict=True)
    joint = JointRange.from_codes(
        public_codes=np.array(codes),
        sensitive_codes=np.unique(secrets, return_inverse=True)[1],
        public=public,
    )
    return joint, values


def mixes(cells) -> bool:
    """Whether a class mixes text, or empty cells with others."""
    texts = [isinstance(cell, str) or cell is None for cell in cells]
    return any(texts) and len(set(cells)) > 1


def span(cells, column) -> float:
    """The part of the range of a column of numbers that a class spans."""
    held = [cell for cell in cells if cell is not None and not isinstance(cell, str)]
    every = [cell for cell in column if cell is not None and not isinstance(cell, str)]
    extent = max(every, default=0) - min(every, default=0)
    return (max(held) - min(held)) / extent if held and extent else 0.0


def is_true_of(said: str, clusters, values, costs) -> bool:
    """Tell whether some class does what is said, by the cells alone; costs where distances count."""
    found = re.search(r"(?:costs|spans) at least ([\d.]+)", said)
    if found and "costs at least" in said:
        return max(costs) >= float(found[1]) - 1e-12
    columns = list(zip(*values, strict=True))
    for cluster in clusters:
        of_class = [[column[x] for x in cluster] for column in columns]
        if "mixes" in said and any(map(mixes, of_class)):
            return True
        if found and max(map(span, of_class, columns)) >= float(found[1]) / 100 - 1e-12:
            return True
    return False


@pytest.mark.parametrize("is_enumerated", [True, False])
@pytest.mark.parametrize("distances", DISTANCES)
def test_what_is_unavoidable_is_so_in_every_partition_that_protects_as_well(
    monkeypatch, distances, is_enumerated
):
    if not is_enumerated:
        monkeypatch.setattr(columns_search.ColumnsSearch.__init__, "__defaults__", ("max", 0, "worst"))
        monkeypatch.setattr(walk, "MOST_VALUES", 0)
    rng = np.random.default_rng(11)
    said_to_mix = said_to_span = 0
    for number in range(TABLES):
        has_text = "hierarchy" in distances or number % 3 > 0
        joint, values = drawn(rng, has_text, has_gaps=not distances and number % 4 == 0)
        asked = Requirement("distinct-l", int(rng.integers(2, 4)))
        utility = Objective(**distances).utility_for(joint.public)
        question = Problem(joint=joint, leakage="l0", utility=utility, requirements=(asked,))
        if not distances:
            assert question.cost_meaning == "spans"
        elif "hierarchy" not in distances:
            assert question.cost_meaning == "distances"
        try:
            found = solve(Problem(joint=joint, utility=utility, requirements=(asked,)))
        except hartley.errors.UnreachableError:
            continue
        least = inf
        said = unavoidable(question.cost_meaning, found.lower_bound_cost, joint.public)
        for labels in every_partition(joint.public.size):
            partition = Partition(labels)
            clusters = partition.clusters()
            if distinct_l(joint.release(partition)) < asked.wanted:
                continue
            costs = utility.costs(partition)
            least = min(least, float(costs.max()))
            assert is_true_of(said, clusters, values, costs), (said, clusters, values)
        assert found.lower_bound_cost <= least + 1e-12
        if found.is_proven:
            assert found.cost == pytest.approx(least, abs=1e-12)
        own = worst_class(question.cost_meaning, found.cost, joint.public)
        clusters = found.partition.clusters()
        assert ("mixes" in own) == (question.cost_meaning == "spans" and found.cost > 0.6)
        if "mixes" in own:
            assert is_true_of(own, clusters, values, ())
        said_to_mix += "mixes" in said and "spans" not in said
        said_to_span += "spans" in said
    assert distances or (said_to_mix and said_to_span)


def test_a_release_that_mixes_no_text_does_not_deny_that_others_may_be_narrower(tmp_path):
    """Every town has one year of each pay: without mixing towns a class spans all years."""
    rows = [
        (town, year, 10 * year + number) for number, town in enumerate("abcdef") for year in range(2000, 2005)
    ]
    towns, years, pays = zip(*rows, strict=True)
    table = pa.table({"town": towns, "year": years, "pay": pays})
    made = hartley.release(
        table,
        tmp_path / "o.csv",
        sensitive="pay",
        public=["town", "year"],
        require={"distinct_l": 5},
        objective="worst",
    )
    said = proof(made)
    # Classes of one year of five towns span nothing of the years.
    assert made.point.max_distortion == 0.5
    assert "every recoding that protects pay this well has a class that mixes categories or spans" in said
    assert "at least 100 % of a column's range" in said
    assert "keeps every class narrower" not in said
