"""A proof that passes its check is true: over all partitions of small tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import Alphabet, JointRange
from hartley.releases.record import Proof
from hartley.verifier.proofs.check import is_valid
from hartley.verifier.proofs.optimality import bounds_of
from hartley.verifier.proofs.problem import SLACK, Goal, ProofProblem
from hartley.workflow.publication.prove_point import Prover

CODEWORDS = [None, "midpoint", "member", "centroid"]


def partitions(size: int) -> Iterator[list[list[int]]]:
    if not size:
        yield []
        return
    for smaller in partitions(size - 1):
        for place in range(len(smaller)):
            yield [[*one, size - 1] if place == at else one for at, one in enumerate(smaller)]
        yield [*smaller, [size - 1]]


def cost_by_hand(positions: list[int | None] | None, codeword: str | None, cluster: list[int]) -> Any:
    if positions is None:
        return len(cluster)
    if len(cluster) == 1:
        return 0
    at = [positions[member] for member in cluster]
    if None in at:
        return None
    low, high = min(at), max(at)
    if codeword == "midpoint":
        return Fraction(high - low, 2)
    if codeword == "member":
        return min(max(member - low, high - member) for member in at)
    mean = Fraction(sum(at), len(at))
    return max(mean - low, high - mean)


class Small:
    """A random problem of a few values, with everything about every partition of it."""

    def __init__(self, random: Random) -> None:
        self.size = random.randint(2, 6)
        self.codeword = random.choice(CODEWORDS)
        self.positions: list[int | None] | None = None
        if self.codeword is not None:
            self.positions = random.sample(range(20), self.size)
            if random.random() < 0.15:
                self.positions[random.randrange(self.size)] = None
        observations = random.choice([1, 1, 2, 3])
        secrets = random.randint(2, 5)
        self.triples = {(value, 0, random.randrange(secrets)) for value in range(self.size)}
        for _ in range(random.randint(0, 8)):
            self.triples.add(
                (random.randrange(self.size), random.randrange(observations), random.randrange(secrets))
            )
        rename = {old: new for new, old in enumerate(sorted({s for _, _, s in self.triples}))}
        self.triples = {(x, a, rename[s]) for x, a, s in self.triples}
        seen = {old: new for new, old in enumerate(sorted({a for _, a, _ in self.triples}))}
        self.triples = {(x, seen[a], s) for x, a, s in self.triples}
        x, a, s = (np.array(column) for column in zip(*sorted(self.triples), strict=True))
        self.prior = len(rename)
        self.problem = ProofProblem(
            size=self.size,
            value=x,
            observation=a,
            secret=s,
            prior=self.prior,
            positions=None
            if self.positions is None
            else [None if p is None else Fraction(p) for p in self.positions],
            codeword=self.codeword,
            place_of=lambda text: int(str(text[0])),
        )
        self.all = [(self.cost(one), *self.left(one)) for one in partitions(self.size)]

    def cost(self, clusters: list[list[int]]) -> Any:
        costs = [cost_by_hand(self.positions, self.codeword, one) for one in clusters]
        return None if None in costs else max(costs)

    def left(self, clusters: list[list[int]]) -> tuple[int, int]:
        cluster_of = {value: number for number, one in enumerate(clusters) for value in one}
        sets: dict[Any, set[int]] = {}
        for value, observation, secret in self.triples:
            sets.setdefault((cluster_of[value], observation), set()).add(secret)
        groups: list[set[int]] = []
        for found in sets.values():
            touched = [group for group in groups if group & found]
            groups = [group for group in groups if not group & found] + [found.union(*touched)]
        return min(map(len, sets.values())), len(groups)

    def least_cost(self, goal: Goal) -> Any:
        """Give the least cost of partitions that reach a goal; None where none does."""
        costs = [
            cost
            for cost, fewest, groups in self.all
            if cost is not None
            and fewest >= goal.distinct_l
            and (goal.components is None or groups <= goal.components)
        ]
        return min(costs, default=None)


def random_proof(random: Random, small: Small) -> Proof:
    kind = random.choice(["union", "window", "counting", "forest", "exhaustion"])
    fewest = random.choice([None, 2, 2, 3, 4])
    return Proof(
        kind=kind,  # type: ignore[arg-type]
        distinct_l=fewest if kind != "forest" else None,
        components=random.choice([1, 2, 3]) if kind == "forest" or random.random() < 0.2 else None,
        cost=random.choice([None, *(n / 2 for n in range(1, 14))]),
        value=(str(random.randrange(small.size)),) if kind == "window" else None,
        clusters=random.randint(1, 4) if kind == "counting" else None,
    )


@pytest.mark.parametrize("batch", range(4))
def test_no_false_proof_passes(batch: int) -> None:
    passed: dict[str, int] = {}
    for seed in range(150):
        random = Random(f"{batch} {seed}")
        small = Small(random)
        for _ in range(25):
            proof = random_proof(random, small)
            if not is_valid(small.problem, proof):
                continue
            least = small.least_cost(Goal(distinct_l=proof.distinct_l or 1, components=proof.components))
            assert least is None or (proof.cost is not None and least >= Fraction(proof.cost)), (seed, proof)
            passed[proof.kind] = passed.get(proof.kind, 0) + 1
    assert set(passed) == {"union", "window", "counting", "forest", "exhaustion"}


def joint_of(small: Small) -> tuple[JointRange, Any]:
    x, a, s = (np.array(column) for column in zip(*sorted(small.triples), strict=True))
    has_side = a.max() > 0
    public = Alphabet.of_values(range(small.size), ("x",))
    joint = JointRange.from_codes(
        public_codes=x,
        sensitive_codes=s,
        public=public,
        side_codes=a if has_side else None,
        side=Alphabet.numbered(int(a.max()) + 1) if has_side else None,
    )
    if small.positions is None:
        return joint, Resolution(small.size)
    return joint, LineDistortion(np.array(small.positions, dtype=float), small.codeword)  # type: ignore[arg-type]


@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
def test_of_a_few_values_everything_is_proven(leakage: str) -> None:
    done = 0
    for seed in range(150):
        small = Small(Random(f"prover {seed}"))
        joint, utility = joint_of(small)
        prover = Prover(joint, utility, small.problem)
        one = Random(seed).choice([entry for entry in small.all if entry[0] is not None])
        if leakage == "joint" and one[2] > 1:
            continue
        goal = Goal(distinct_l=one[1])
        if leakage == "istar":
            goal = Goal(components=one[2])
        elif leakage == "joint":
            goal = Goal(distinct_l=one[1], components=1)
        cost = small.least_cost(goal)
        assert cost is not None
        # The partition of that cost that leaks least.
        within = [entry for entry in small.all if entry[0] is not None and entry[0] <= cost]
        if leakage == "istar":
            best = min(entry[2] for entry in within)
            better = Goal(components=best - 1) if best > 1 else None
            bits = float(np.log2(best))
        else:
            best = max(entry[1] for entry in within if leakage == "l0" or entry[2] == 1)
            better = Goal(distinct_l=best + 1, components=1 if leakage == "joint" else None)
            bits = float(np.log2(small.prior / best))
        proofs, bounds = prover.prove(goal, better, leakage, float(cost))
        assert all(is_valid(small.problem, proof) for proof in proofs)
        assert bounds == bounds_of(small.problem, proofs, goal, leakage, float(cost))
        assert bounds.cost == pytest.approx(float(cost))
        assert bounds.bits == pytest.approx(bits)
        done += 1
    assert done > 50


def test_a_window_proof_names_the_value_that_has_no_cheap_cluster() -> None:
    # a a a b: the first value has to reach the last one to see another secret.
    joint = JointRange.from_pairs([(0, "a"), (1, "a"), (2, "a"), (9, "b")])
    utility = LineDistortion.of(joint.public)
    prover = Prover.of(joint, utility, 2)
    assert prover is not None
    proofs, bounds = prover.prove(Goal(distinct_l=2), None, "l0", 4.5)
    assert proofs == (Proof(kind="window", distinct_l=2, cost=4.5, value=("0",)),)
    assert bounds.cost == 4.5
    assert not is_valid(prover.problem, Proof(kind="window", distinct_l=2, cost=4.6, value=("0",)))
    assert not is_valid(prover.problem, Proof(kind="window", distinct_l=2, cost=4.5, value=("2",)))


def test_numbers_with_decimals_are_proven_as_whole_ones_are() -> None:
    kinds = set()
    for seed in range(60):
        random = Random(f"decimals {seed}")
        size = random.randint(12, 20)
        pairs = [(at, random.choice("aaaabcd")) for at in random.sample(range(60), size)]
        wanted = min(random.choice([2, 2, 3]), len({secret for _, secret in pairs}))
        found = []
        for unit in (1, 100):
            joint = JointRange.from_pairs([(at / unit, secret) for at, secret in pairs])
            utility = LineDistortion.of(joint.public)
            prover = Prover.of(joint, utility, 4)
            assert prover is not None
            proofs, bounds = prover.prove(Goal(distinct_l=wanted), None, "l0", 30 / unit)
            assert bounds.cost > 0 or wanted == 1
            found.append([(one.kind, one.clusters, round(float(one.cost or 0) * unit, 6)) for one in proofs])
            kinds.update(one.kind for one in proofs)
        assert found[0] == found[1]
    assert kinds == {"window", "counting"}


def window_by_hand(problem: ProofProblem, place: int, proof: Proof) -> bool:
    """Tell whether a window proof holds, by a look at every stretch of the line in fractions."""
    positions = [None if at is None else Fraction(at) for at in problem.positions]  # type: ignore[union-attr]
    triples = list(
        zip(problem.value.tolist(), problem.observation.tolist(), problem.secret.tolist(), strict=True)
    )
    here, wanted = positions[place], proof.distinct_l or 1
    for seen in {observation for value, observation, _ in triples if value == place}:
        rows = [(positions[value], secret) for value, observation, secret in triples if observation == seen]
        if here is None:
            own = {secret for value, observation, secret in triples if (value, observation) == (place, seen)}
            if proof.cost is None and len(own) < wanted:
                return True
            continue
        ends = {at for at, _ in rows if at is not None}
        costs = []
        for low, high in ((low, high) for low in ends for high in ends if low <= here <= high):
            if len({secret for at, secret in rows if at is not None and low <= at <= high}) >= wanted:
                words = [(low + high) / 2]
                if problem.codeword == "member":
                    words = [at for at in positions if at is not None and low <= at <= high]
                costs.append(min(max(word - low, high - word) for word in words))
        if not costs or (proof.cost is not None and min(costs) >= Fraction(proof.cost) * (1 - SLACK)):
            return True
    return False


@pytest.mark.parametrize("unit", [Fraction(1), Fraction(1, 100), Fraction(1, 3), Fraction(10) ** 30 / 7])
def test_window_checks_are_those_of_every_stretch(unit: Fraction) -> None:
    verdicts = []
    for seed in range(120):
        random = Random(f"windows {unit} {seed}")
        size, secrets, observations = random.randint(2, 9), random.randint(1, 6), random.choice([1, 1, 2, 3])
        triples = {
            (value, random.randrange(observations), random.randrange(secrets)) for value in range(size)
        }
        for _ in range(random.randint(0, 12)):
            triples.add((random.randrange(size), random.randrange(observations), random.randrange(secrets)))
        x, a, s = (np.array(column) for column in zip(*sorted(triples), strict=True))
        # Two values may lie at one place, where a missing one was given it.
        at = [random.choice([None, *range(30)]) if random.random() < 0.1 else random.randrange(30) for _ in x]
        problem = ProofProblem(
            size=size,
            value=x,
            observation=a,
            secret=s,
            prior=secrets,
            positions=[None if one is None else one * unit for one in at[:size]],
            codeword=random.choice(["midpoint", "member", "centroid"]),
            place_of=lambda text: int(str(text[0])),
        )
        for _ in range(12):
            place = random.randrange(size)
            cost = random.choice([None, 0.0, *(float(half * unit / 2) for half in range(1, 40))])
            proof = Proof(kind="window", distinct_l=random.randint(1, 5), cost=cost, value=(str(place),))
            verdicts.append(is_valid(problem, proof))
            assert verdicts[-1] == window_by_hand(problem, place, proof), (seed, proof)
    assert 200 < sum(verdicts) < len(verdicts) - 200
