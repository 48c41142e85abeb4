"""Proofs for the record: why the released partition cannot be bettered, as far as that can be checked.

Statements are proposed here, by the bounds of the searches, and kept only where the verifier's own
check confirms them: a record claims nothing that verifying it would refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, isclose

import msgspec
import numpy as np

from hartley.measures.uncertainty import prior_counts
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import Alphabet, JointRange
from hartley.model.alphabet import EXACT
from hartley.model.requirement import Requirement
from hartley.releases.cell_text import value_texts, values_of
from hartley.releases.record import PointRecord, Proof
from hartley.releases.writer.claims import Released
from hartley.search.line.bounds import counting_bound, window_bound
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.windows import Windows
from hartley.search.sizes.cluster_count import most_clusters
from hartley.verifier.proofs.check import MOST_EXHAUSTED, is_valid
from hartley.verifier.proofs.optimality import Bounds, bounds_of, goal_asked, is_optimal, leakage_proven
from hartley.verifier.proofs.problem import Goal, ProofProblem, cluster_cost
from hartley.verifier.tables.reread import position

MOST_SLICES = 64
"""Observations that are looked at one by one for a value without a cheap cluster."""
MOST_VALUES = 200_000
"""Public values up to which proofs are looked for."""


def prove_point(released: Released) -> tuple[PointRecord, tuple[Proof, ...]]:
    """Return the released partition as the record has it, with what can be proven about it."""
    choices, partition = released.policy.choices, released.book.partition
    if isinstance(released.utility, LineDistortion):
        cost = _line_cost(released, released.utility)
    else:
        cost = float(released.largest)
    point = PointRecord(
        leakage=choices.leakage,
        utility=choices.utility,
        codeword=choices.codeword,
        search=choices.search,
        leakage_bits=released.audit.istar_bits if choices.leakage == "istar" else released.audit.l0_bits,
        distinct_l=released.audit.distinct_l,
        components=released.audit.components,
        clusters=partition.size,
        largest_cluster=released.largest,
        max_distortion=cost if isinstance(released.utility, LineDistortion) else None,
        lower_bound_bits=None,
        lower_bound_cost=None,
        proven_optimal=False,
    )
    if choices.withhold or released.policy.lists_ends:
        # What could be withheld besides is not among what the proofs speak of, and no part is the whole.
        return point, ()
    prover = Prover.of(released.joint, released.utility, int(prior_counts(released.before).min()))
    if prover is None:
        return point, ()
    goal = goal_asked(prover.problem, released.policy, point)
    leakage = leakage_proven(released.policy)
    better = None if point.leakage_bits == 0 else _better(leakage, point)
    proofs, bounds = prover.prove(goal, better, leakage, cost)
    bounded = msgspec.structs.replace(
        point,
        lower_bound_bits=bounds.bits,
        lower_bound_cost=bounds.cost,
        proven_optimal=is_optimal(point, bounds, cost),
    )
    return bounded, proofs


def _line_cost(released: Released, utility: LineDistortion) -> float:
    """Return the worst distance from a codeword, exactly where the positions are not whole numbers."""
    placed = utility.positions[~np.isnan(utility.positions)]
    farthest = float(np.abs(placed).max(initial=0.0)) * (len(placed) + 1)
    is_exact = farthest < EXACT and bool((placed == np.rint(placed)).all())
    if is_exact and released.policy.withheld is None:
        return float(utility.costs(released.book.partition).max())
    (coordinate,) = released.public.coordinates
    scale = None if coordinate.missing.any() else released.line
    exact = exact_positions(released.public) if scale is None else scale.ticks
    per_unit = 1 if scale is None else scale.per_unit
    costs = [
        cluster_cost(utility.codeword, [exact[place] for place in cluster])
        for number, cluster in enumerate(released.book.partition.clusters())
        if number != released.policy.withheld
    ]
    return float(max((cost for cost in costs if cost is not None), default=Fraction(0)) / per_unit)


def _better(leakage: str, point: PointRecord) -> Goal:
    """Return the goal of leaking less than the released partition does."""
    if leakage == "istar":
        return Goal(components=point.components - 1)
    return Goal(distinct_l=point.distinct_l + 1, components=1 if leakage == "joint" else None)


@dataclass(frozen=True)
class Prover:
    """Looks for proofs about one released partition."""

    joint: JointRange
    """What the search saw; whatever the reader sees or knows beside the labels is side information."""
    utility: Utility
    problem: ProofProblem

    @classmethod
    def of(cls, joint: JointRange, utility: Utility, prior: int) -> Prover | None:
        """Prepare to prove; nothing where costs are of a kind that the verifier cannot count."""
        if not isinstance(utility, LineDistortion | Resolution) or joint.public.size > MOST_VALUES:
            return None
        side = joint.observed_side
        per_pair = joint.observation_of
        texts = {text: place for place, text in enumerate(value_texts(joint.public))}
        return cls(
            joint,
            utility,
            ProofProblem(
                size=joint.public.size,
                value=joint.public_of[per_pair],
                observation=np.zeros(joint.pairs, dtype=np.int64) if side is None else side[per_pair],
                secret=joint.indices,
                prior=prior,
                positions=exact_positions(joint.public) if isinstance(utility, LineDistortion) else None,
                codeword=utility.codeword if isinstance(utility, LineDistortion) else None,
                place_of=texts.get,
            ),
        )

    def prove(
        self, goal: Goal, better: Goal | None, leakage: str, cost: float
    ) -> tuple[tuple[Proof, ...], Bounds]:
        """Return valid proofs about a goal, and about leaking less at the cost that was reached."""
        found: list[Proof] = []
        for wanted in (goal,) if better is None else (goal, better):
            for proof in self._proposed(wanted, cost, is_goal=wanted is goal):
                if is_valid(self.problem, proof):
                    found.append(proof)
                    enough = cost if wanted is goal else self._next_cost(cost)
                    if proof.cost is None or proof.cost >= enough:
                        break
        needed = tuple(self._needed(found, goal, leakage, cost))
        return needed, bounds_of(self.problem, needed, goal, leakage, cost)

    def _needed(self, proofs: list[Proof], goal: Goal, leakage: str, cost: float) -> Iterator[Proof]:
        """Leave out proofs that say no more than the others."""
        whole = bounds_of(self.problem, proofs, goal, leakage, cost)
        left = list(dict.fromkeys(proofs))
        for proof in list(left):
            others = [one for one in left if one is not proof]
            if bounds_of(self.problem, others, goal, leakage, cost) == whole:
                left = others
        yield from left

    def _proposed(self, goal: Goal, cost: float, *, is_goal: bool) -> Iterator[Proof]:
        """Return statements about a goal, the cheap ones first."""
        if goal.distinct_l > 1:
            yield Proof(kind="union", distinct_l=goal.distinct_l, cost=None)
            yield from self._windows(goal.distinct_l, cost)
            yield from self._counted(goal.distinct_l, cost)
        if goal.components is not None and goal.distinct_l == 1 and isinstance(self.utility, Resolution):
            yield from self._ties(goal.components)
        if self.problem.size <= MOST_EXHAUSTED:
            # What was asked for is not to be had for less; what is better, not at that cost, or not at all.
            costs = [cost] if is_goal else [None, self._next_cost(cost)]
            for claimed in costs:
                yield Proof(
                    kind="exhaustion",
                    distinct_l=goal.distinct_l if goal.distinct_l > 1 else None,
                    components=goal.components,
                    cost=claimed,
                )

    def _next_cost(self, cost: float) -> float:
        """Return a cost that is more than what was reached, and less than any other that is more."""
        if self.problem.positions is None:
            return cost + 1
        if cost > 0:
            return cost * (1 + 4e-9)
        ticks = self.problem.ticks
        # Two different values cost at least half of what lies between them.
        gaps = (high - low for low, high in pairwise(ticks.line))
        return min((float(Fraction(gap, ticks.per_unit)) / 4 for gap in gaps), default=1.0)

    def _windows(self, distinct_l: int, reached: float) -> Iterator[Proof]:
        if not isinstance(self.utility, LineDistortion):
            return
        texts = value_texts(self.joint.public)
        best: tuple[float, int] | None = None
        for places, joint in _slices(self.joint):
            utility = LineDistortion(self.utility.positions[places], self.utility.codeword)
            values = OrderedValues.of(joint, utility, [Requirement("distinct-l", distinct_l)])
            if not values.size or not values.can_be_met:
                continue
            # A codeword may be a value of another slice, so with several slices only spans count.
            windows = values.windows if joint is self.joint else Windows(values.ticks, "midpoint")
            bound = window_bound(windows, values.latest)
            cost = values.in_units(bound.cost)
            if bound.rank >= 0 and (best is None or cost > best[0]):
                best = cost, int(places[values.order[bound.rank]])
        if best is not None:
            for claimed in _near(best[0], reached):
                yield Proof(kind="window", distinct_l=distinct_l, cost=claimed, value=texts[best[1]])

    def _counted(self, distinct_l: int, reached: float) -> Iterator[Proof]:
        problem = self.problem
        if isinstance(self.utility, LineDistortion):
            asked = [Requirement("distinct-l", distinct_l)]
            values = OrderedValues.of(self.joint.without_side(), self.utility, asked)
            if values.size and values.can_be_met:
                clusters = most_clusters(values.enough)
                bound = counting_bound(values, clusters)
                for cost in _near(values.in_units(bound), reached):
                    yield Proof(kind="counting", distinct_l=distinct_l, cost=cost, clusters=clusters)
            return
        occurs = problem.occurs()
        low, high = 1, problem.size
        while low < high:
            middle = (low + high + 1) // 2
            if int(np.minimum(occurs, middle).sum()) >= middle * distinct_l:
                low = middle
            else:
                high = middle - 1
        cost = float(ceil(Fraction(problem.size, low)))
        yield Proof(kind="counting", distinct_l=distinct_l, cost=cost, clusters=low)

    def _ties(self, components: int) -> Iterator[Proof]:
        for cost in range(self.problem.size, 1, -1):
            proof = Proof(kind="forest", components=components, cost=float(cost))
            if is_valid(self.problem, proof):
                yield proof
                return


def _near(bound: float, reached: float) -> tuple[float, ...]:
    """Return the costs to state: searches count in floats, and what was reached is exact."""
    return (reached, bound) if isclose(bound, reached, rel_tol=1e-3) else (bound,)


def _slices(joint: JointRange) -> Iterator[tuple[np.ndarray, JointRange]]:
    """Return the joint range of the rows with each observation, and the places of its public values."""
    if joint.observed_side is None or joint.side is None:
        yield np.arange(joint.public.size), joint
        return
    if joint.side.size > MOST_SLICES:
        return
    side, public = joint.observed_side[joint.observation_of], joint.public_of[joint.observation_of]
    for number in range(joint.side.size):
        here = side == number
        places, codes = np.unique(public[here], return_inverse=True)
        secrets, sensitive = np.unique(joint.indices[here], return_inverse=True)
        yield (
            places,
            JointRange.from_codes(
                public_codes=codes,
                sensitive_codes=sensitive,
                public=Alphabet.numbered(len(places)),
                sensitive=Alphabet.numbered(len(secrets)),
            ),
        )


def exact_positions(public: Alphabet) -> list[Fraction | None]:
    """Return where the values of a single column lie, exactly."""
    given = public.given_positions
    exact: list[Fraction | None] = []
    for place, value in enumerate(values_of(public)):
        if value[0] is not None:
            exact.append(position(value[0]))
        else:
            at = None if given is None or np.isnan(given[place]) else Fraction(repr(float(given[place])))
            exact.append(at)
    return exact
