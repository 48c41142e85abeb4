"""Every leakage with every utility, with and without side information, against all partitions.

Bound ≤ optimum ≤ found at every level, equality wherever optimality is claimed, at every cost of the true
frontier no less than the truth, and no level worse than a partition that the search was given: whether the
search runs to its end or is stopped on the way. Tables have two to nine values, half of them seven or eight.

The searches are called below the door behind which a few values are enumerated, and then the door itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.measures.utility.several_columns import COMBINATIONS, ColumnsDistortion
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.words import CODEWORDS, Leakage
from hartley.search.effort import Effort
from hartley.search.greedy import component_joining, joint_search, narrowest_first
from paper_levels import Levels, optimal_levels, searched_levels
from reference_every_partition import (
    Table,
    Truth,
    distortions_by_table,
    distortions_on_a_line,
    distortions_over_columns,
    every_partition,
    measured,
    random_positions,
    random_table,
    row_of_partition,
    sizes,
    worst_costs,
)
from sample_sizes import sample

INSTANCES = sample(usual=220, long=1_500)
OF_NINE = sample(usual=1, long=48)
"""Tables of nine values, of 21,147 partitions each; in the long run 1,008 frontiers in all."""
AT_THE_DOOR = sample(usual=36, long=215)
"""For each of seven utilities and readers, so that each leakage has 504, in the long run 1,505."""
TINY = 1e-12
LEAKAGES: tuple[Leakage, ...] = ("l0", "istar", "joint")


@dataclass(frozen=True, eq=False)
class Costly:
    """A utility, and the cost of every subset by the definitions; ``slack`` where sums of decimals round."""

    utility: Utility
    subsets: np.ndarray
    slack: float = 0.0


def by_size(rng: np.random.Generator, size: int) -> Costly:
    del rng
    return Costly(Resolution(size), sizes(size))


def on_a_line(codeword: str) -> Callable[[np.random.Generator, int], Costly]:
    def draw(rng: np.random.Generator, size: int) -> Costly:
        positions = random_positions(rng, size)
        rounds = codeword == "centroid" and bool((positions % 1 > 0).any())
        utility = LineDistortion(positions, codeword)
        return Costly(utility, distortions_on_a_line(positions, codeword), TINY if rounds else 0.0)

    return draw


def by_table(rng: np.random.Generator, size: int) -> Costly:
    table = rng.integers(rng.choice((4, 30)), size=(size, size)).astype(float)
    if rng.random() < 0.5:
        table = np.maximum(table, table.T)
    np.fill_diagonal(table, 0.0)
    return Costly(MatrixDistortion(table), distortions_by_table(table))


def over_columns(rng: np.random.Generator, size: int) -> Costly:
    cells = rng.permutation(27)[:size]
    numbers, letters = cells // 3, cells % 3
    combination = str(rng.choice(COMBINATIONS))
    public = Alphabet.of_values(
        [(int(number), "abc"[letter]) for number, letter in zip(numbers, letters, strict=True)],
        columns=("number", "letter"),
    )
    utility = ColumnsDistortion.of(public, combination=combination)
    return Costly(utility, distortions_over_columns(numbers.astype(float), letters, combination), TINY)


def of_any_kind(rng: np.random.Generator, size: int) -> Costly:
    return (by_table if rng.random() < 0.6 else over_columns)(rng, size)


def of_any_kind_or_on_a_line(rng: np.random.Generator, size: int) -> Costly:
    if rng.random() < 0.5:
        return on_a_line(str(rng.choice(CODEWORDS)))(rng, size)
    return of_any_kind(rng, size)


@dataclass(frozen=True)
class Problem:
    """A utility and a reader, and how far its searches go."""

    draw: Callable[[np.random.Generator, int], Costly]
    has_side: bool = False
    to_the_end: int = 1
    """One search in so many runs to its end."""
    questions: int = 0
    """The others are told to stop when they have asked so often."""
    tells_costs: bool = True
    """Whether levels that are all proven are the whole frontier: no cost between them was left out."""


PROBLEMS = {
    "resolution": Problem(by_size),
    "midpoint": Problem(on_a_line("midpoint")),
    "member": Problem(on_a_line("member")),
    "centroid": Problem(on_a_line("centroid"), to_the_end=20, questions=20, tells_costs=False),
    "any dissimilarity": Problem(of_any_kind, to_the_end=60, questions=8, tells_costs=False),
    "resolution with side": Problem(by_size, has_side=True, to_the_end=25, questions=3),
    "distortion with side": Problem(
        of_any_kind_or_on_a_line, has_side=True, to_the_end=60, questions=8, tells_costs=False
    ),
}

FOUND_AND_PROVEN = {
    # By searches to their end, at least: how much of the true frontier is found, of the levels is proven.
    ("resolution", "l0"): (1.0, 1.0),
    ("resolution", "istar"): (1.0, 1.0),
    ("resolution", "joint"): (0.995, 0.99),
    ("midpoint", "l0"): (1.0, 1.0),
    ("midpoint", "istar"): (1.0, 1.0),
    ("midpoint", "joint"): (0.995, 0.99),
    ("member", "l0"): (1.0, 1.0),
    ("member", "istar"): (1.0, 1.0),
    ("member", "joint"): (0.995, 0.99),
    ("centroid", "l0"): (1.0, 0.95),
    ("centroid", "istar"): (0.97, 0.95),
    ("centroid", "joint"): (0.97, 0.95),
    ("any dissimilarity", "l0"): (0.8, 0.75),
    ("any dissimilarity", "istar"): (0.9, 0.7),
    ("any dissimilarity", "joint"): (0.7, 0.7),
    ("resolution with side", "l0"): (0.9, 0.75),
    ("resolution with side", "istar"): (0.95, 0.9),
    ("resolution with side", "joint"): (0.9, 0.75),
    ("distortion with side", "l0"): (0.8, 0.75),
    ("distortion with side", "istar"): (0.85, 0.75),
    ("distortion with side", "joint"): (0.7, 0.7),
}


@dataclass(frozen=True, eq=False)
class Instance:
    """A table with a utility, and all its partitions measured."""

    number: int
    joint: JointRange
    table: Table
    costly: Costly
    leakage: Leakage
    costs: np.ndarray
    leakages: np.ndarray
    truth: Truth
    starts: list[Partition]

    @property
    def utility(self) -> Utility:
        return self.costly.utility

    @property
    def is_hopeless(self) -> bool:
        """Whether no partition at all is allowed."""
        return not len(self.truth.costs)

    def row(self, partition: Partition) -> int:
        return row_of_partition(self.table.size)[partition.labels.astype(np.uint8).tobytes()]


def instances(
    name: str, leakage: Leakage, seed: int, count: int = INSTANCES, size: int | None = None
) -> Iterator[Instance]:
    problem = PROBLEMS[name]
    rng = np.random.default_rng([seed, list(PROBLEMS).index(name), LEAKAGES.index(leakage)])
    for number in range(count):
        table = random_table(rng, has_side=problem.has_side, size=size)
        joint = table.joint_range()
        costly = problem.draw(rng, table.size)
        costs = worst_costs(costly.subsets, table.size)
        leakages = measured(table).leakages(leakage)
        if number % 8 == 0:
            starts = greedy_steps(joint, leakage, costly.utility)
        else:
            rows = every_partition(table.size)
            starts = [Partition(rows[row].astype(int)) for row in rng.integers(len(rows), size=number % 3)]
        truth = Truth.of(costs, leakages)
        yield Instance(number, joint, table, costly, leakage, costs, leakages, truth, starts)


def greedy_steps(joint: JointRange, leakage: Leakage, utility: Utility) -> list[Partition]:
    if leakage == "joint":
        run = joint_search(joint, utility, 1.0)
    else:
        run = (narrowest_first if leakage == "l0" else component_joining)(joint, utility)
    return [run.partition(step) for step in range(run.steps + 1)]


def stopped_after(questions: int) -> Effort:
    asked = 0

    def should_stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > questions

    return Effort(should_stop=should_stop)


def assert_true(instance: Instance, found: Levels) -> tuple[int, int]:
    """Hold what was found against the truth; give how much of the true frontier is met, and levels proven."""
    truth, slack = instance.truth, instance.costly.slack
    costs = [level.cost for level in found.levels]
    assert costs == sorted(set(costs))
    for level in found.levels:
        row = instance.row(level.partition)
        assert instance.costs[row] <= level.cost + slack
        assert instance.leakages[row] == pytest.approx(level.leakage_bits, abs=TINY)
        assert level.lower_bound_bits <= truth.within(level.cost - slack) + TINY
        assert truth.within(level.cost + slack) <= level.leakage_bits + TINY
        if level.proven_optimal:
            assert level.leakage_bits <= truth.within(level.cost - slack) + TINY
    for start in instance.starts:
        row = instance.row(start)
        if instance.costs[row] < inf:
            assert found_within(found, instance.costs[row] + slack) <= instance.leakages[row] + TINY
    reached = 0
    for cost, optimum in zip(truth.costs, truth.leakages, strict=True):
        best = found_within(found, cost + slack)
        assert best >= truth.within(cost + 2 * slack) - TINY
        reached += best <= optimum + TINY
    return reached, sum(level.leaks_least for level in found.levels)


def found_within(found: Levels, cost: float) -> float:
    return min((level.leakage_bits for level in found.levels if level.cost <= cost), default=inf)


@pytest.mark.parametrize("leakage", LEAKAGES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_bound_optimum_and_found_come_in_this_order(name: str, leakage: Leakage) -> None:
    problem = PROBLEMS[name]
    levels = proven = frontier = reached = 0
    for instance in instances(name, leakage, seed=1):
        is_to_the_end = instance.number % problem.to_the_end == 0
        effort = Effort() if is_to_the_end else stopped_after(problem.questions)
        if instance.is_hopeless and isinstance(instance.utility, LineDistortion) and not problem.has_side:
            with pytest.raises(UnreachableError, match="stay alone"):
                searched_levels(instance.joint, leakage, instance.utility, effort, instance.starts)
            continue
        try:
            found = searched_levels(instance.joint, leakage, instance.utility, effort, instance.starts)
        except UnreachableError:
            assert instance.is_hopeless
            continue
        here_reached, here_proven = assert_true(instance, found)
        all_proven = all(level.proven_optimal for level in found.levels)
        if problem.tells_costs and found.complete and all_proven:
            assert here_reached == len(instance.truth.costs)
        if is_to_the_end:
            reached, frontier = reached + here_reached, frontier + len(instance.truth.costs)
            proven, levels = proven + here_proven, levels + len(found.levels)
    least_found, least_proven = FOUND_AND_PROVEN[name, leakage]
    assert reached >= least_found * frontier > 0
    assert proven >= least_proven * levels > 0


@pytest.mark.parametrize("leakage", LEAKAGES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_whole_true_frontier_is_what_the_command_gives(name: str, leakage: Leakage) -> None:
    for instance in instances(name, leakage, seed=2, count=AT_THE_DOOR):
        found = optimal_levels(instance.joint, leakage, instance.utility, starts=instance.starts)
        assert found.complete
        assert all(level.proven_optimal for level in found.levels)
        reached, _ = assert_true(instance, found)
        assert reached == len(instance.truth.costs)
        if not instance.costly.slack:
            assert [level.cost for level in found.levels] == instance.truth.costs.tolist()


@pytest.mark.parametrize("leakage", LEAKAGES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_claims_about_nine_values_are_true(name: str, leakage: Leakage) -> None:
    problem = PROBLEMS[name]
    for instance in instances(name, leakage, seed=3, count=OF_NINE, size=9):
        is_to_the_end = instance.number % problem.to_the_end == 0
        effort = Effort() if is_to_the_end else stopped_after(problem.questions)
        if not (instance.is_hopeless and isinstance(instance.utility, LineDistortion)):
            found = searched_levels(instance.joint, leakage, instance.utility, effort, instance.starts)
            assert_true(instance, found)
        found = optimal_levels(instance.joint, leakage, instance.utility, starts=instance.starts)
        assert found.complete
        assert all(level.proven_optimal for level in found.levels)
        reached, _ = assert_true(instance, found)
        assert reached == len(instance.truth.costs)
