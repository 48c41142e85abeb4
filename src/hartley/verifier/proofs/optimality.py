"""What is proven about partitions that would be better than the released one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from hartley.releases.policy import Policy
from hartley.releases.record import PointRecord, Proof, Record
from hartley.verifier.checks import TOLERANCE, Checks
from hartley.verifier.proofs.check import goal_of, is_valid
from hartley.verifier.proofs.problem import Goal, ProofProblem
from hartley.verifier.released_partition import ReleasedPartition
from hartley.verifier.row_checks import Situations
from hartley.verifier.tables.plain_keys import places_of, text_keys
from hartley.verifier.tables.row_numbers import Combined, Numbered


@dataclass(frozen=True)
class Optimality:
    """What was found about better partitions."""

    proven: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ("whether a better partition exists, because no record was given",)
    """What is left unproven, and why."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"proven": list(self.proven), "unproven": list(self.unproven)}


@dataclass(frozen=True)
class Bounds:
    """What valid proofs say together."""

    cost: float
    """No partition that reaches the goal costs less."""
    bits: float
    """No partition of the cost that is reached leaks less."""


def bounds_of(
    problem: ProofProblem, proofs: Sequence[Proof], goal: Goal, leakage: str, cost: float
) -> Bounds:
    """Return what proofs, all of them valid, say about a goal and about a cost.

    Without any: no cluster has less than one value, none moves less than 0, none leaks less than 0 bits.
    """
    trivial = 1.0 if problem.positions is None else 0.0
    about = [proof.cost for proof in proofs if goal.implies(goal_of(proof)) and proof.cost is not None]
    beyond = [
        goal_of(proof) for proof in proofs if proof.cost is None or proof.cost > cost * (1 + 2 * TOLERANCE)
    ]
    bits = 0.0
    if leakage == "istar":
        groups = [one.components for one in beyond if one.components is not None and one.distinct_l == 1]
        if groups:
            bits = log2(max(groups) + 1)
    else:
        asked = Goal(distinct_l=10**9, components=1 if leakage == "joint" else None)
        fewest = [one.distinct_l for one in beyond if asked.implies(one) and one.distinct_l > 1]
        if fewest:
            bits = max(0.0, log2(problem.prior / (min(fewest) - 1)))
    return Bounds(max([trivial, *about]), bits)


def leakage_proven(policy: Policy) -> str:
    """Return what proofs say of bits: with a tolerance nothing of what is certain of different values."""
    choices = policy.choices
    is_apart = bool(choices.tolerance or choices.groups)
    return "l0" if is_apart and choices.leakage == "joint" else choices.leakage


def goal_asked(problem: ProofProblem, policy: Policy, point: PointRecord) -> Goal:
    """Return what the release had to leave; where only its loss was capped, what it does leave.

    Bits of values that are apart say nothing of how many different ones are left.
    """
    asked: dict[str, float] = {}
    is_apart = bool(policy.choices.tolerance or policy.choices.groups)
    counted = [one for one in policy.requirements if not (is_apart and one.name in ("l0", "istar"))]
    if len(counted) < len(policy.requirements) and not any(one.name != "row-k" for one in counted):
        return Goal()
    for one in counted:
        # So many values of one column, or so many that are apart, are at least so many values.
        name = "distinct-l" if one.name == "separated-l" else one.name
        if name not in asked or (name == "distinct-l" and one.wanted > asked[name]):
            asked[name] = float(one.wanted)
    leakage = leakage_proven(policy)
    if any(name in asked for name in ("distinct-l", "l0")) or (asked and leakage != "joint"):
        return problem.goal_of(asked)
    if leakage == "istar":
        return Goal(components=point.components)
    return Goal(distinct_l=point.distinct_l, components=1 if leakage == "joint" else None)


def problem_of(
    policy: Policy, partition: ReleasedPartition, found: Situations, *, on_a_line: bool
) -> ProofProblem:
    """Return the problem that a release answers, from the verifier's own counts."""
    parts = [Numbered(codes, range(int(codes.max()) + 1)) for codes in (found.beside, found.known)]
    observations = Combined.of(parts, len(found.value))
    priors = Combined.of(
        [Numbered(codes, range(int(codes.max()) + 1)) for codes in (found.known, found.secret)],
        len(found.value),
    )
    kinds = [column.kind for column in policy.public]
    size = len(found.public.cells[0].codes)

    def place_of(text: tuple[str | None, ...]) -> int | None:
        if len(text) != len(kinds):
            return None
        is_it = np.ones(size, dtype=np.bool_)
        for cell, kind, cells in zip(text, kinds, found.public.cells, strict=True):
            meant = Numbered(*text_keys([cell])).meaning(kind)
            is_it &= cells.codes == places_of(cells.keys, meant.keys)[meant.codes[0]]
        places = np.flatnonzero(is_it)
        return int(places[0]) if len(places) else None

    return ProofProblem(
        size=size,
        value=found.value,
        observation=observations.dense().codes,
        secret=found.secret,
        prior=int(np.bincount(found.known[priors.examples()]).min()),
        positions=partition.ticks(found.public.cells[0]) if on_a_line else None,
        codeword=policy.choices.codeword,
        place_of=place_of,
    )


def check_optimality(
    checks: Checks,
    record: Record,
    policy: Policy,
    partition: ReleasedPartition,
    situations: Callable[[], Situations],
) -> Optimality:
    """Check the proofs of a record, and whether they say what the record claims."""
    point = record.point
    is_bounded = point.lower_bound_bits is not None and point.lower_bound_cost is not None
    if not is_bounded or policy.choices.withhold:
        checks.add(
            "record: bounds",
            (point.lower_bound_bits, point.lower_bound_cost, point.proven_optimal, record.proofs)
            == (None, None, False, ()),
            "the record claims something about better partitions without the bounds for it",
        )
        return Optimality(
            unproven=(
                "whether a better partition exists, because costs of this kind, or those of partitions that "
                "withhold rows, are not counted here",
            )
        )
    on_a_line = policy.choices.utility == "distortion"
    cost = point.max_distortion if on_a_line else float(point.largest_cluster)
    if cost is None or (on_a_line and not partition.is_on_a_line):
        checks.add("record: proofs", False, "the record proves something about costs that it does not name")
        return Optimality()
    problem = problem_of(policy, partition, situations(), on_a_line=on_a_line)
    for number, proof in enumerate(record.proofs, 1):
        if not checks.add(
            f"proof {number}", is_valid(problem, proof), f"the {proof.kind} proof does not hold"
        ):
            return Optimality(unproven=("whether a better partition exists, because a proof does not hold",))
    goal = goal_asked(problem, policy, point)
    found = bounds_of(problem, record.proofs, goal, leakage_proven(policy), cost)
    checks.add(
        "record: bounds",
        (point.lower_bound_cost, point.lower_bound_bits) == (found.cost, found.bits)
        and point.proven_optimal == is_optimal(point, found, cost),
        "the record claims other bounds than its proofs give",
    )
    return _said(policy, point, goal, found, cost)


def is_optimal(point: PointRecord, found: Bounds, cost: float) -> bool:
    """Tell whether both bounds are met: nothing as good costs less, nothing as dear leaks less."""
    return _is_met(found.cost, cost) and _is_met(found.bits, point.leakage_bits)


def _is_met(bound: float, reached: float) -> bool:
    return reached <= bound * (1 + TOLERANCE)


def _said(policy: Policy, point: PointRecord, goal: Goal, found: Bounds, cost: float) -> Optimality:
    """Put into sentences what is proven and what is not; what is true of every partition is left out."""
    on_a_line = policy.choices.utility == "distortion"
    unit = "a largest move" if on_a_line else "a largest cluster"
    groups = goal.components or 0
    left = f"{goal.distinct_l} candidates everywhere"
    if groups:
        few = f"at most {groups} {'groups' if groups > 1 else 'group'} told apart for certain"
        left = few if goal.distinct_l == 1 else f"{left} and {few}"
    claims = []
    if cost > (0.0 if on_a_line else 1.0):
        claims.append((f"no recoding that leaves {left} has {unit} below {cost:.6g}", found.cost, cost))
    if point.leakage_bits > 0:
        bits = point.leakage_bits
        claims.append(
            (
                f"no recoding with {unit} of {cost:.6g} or less leaks less than {bits:.6g} bits",
                found.bits,
                bits,
            )
        )
    proven = [said for said, bound, reached in claims if _is_met(bound, reached)]
    unproven = [
        f"that {said}: the proofs in the record go up to {bound:.6g}"
        for said, bound, reached in claims
        if not _is_met(bound, reached)
    ]
    return Optimality(tuple(proven), tuple(unproven))
