"""Checks of proofs, from the pairs alone: they share nothing with the searches.

A proof states that every partition which reaches a goal costs at least something. Each kind has its own short
argument, and the check follows that argument step by step.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor

import numpy as np

from hartley.releases.record import Proof
from hartley.verifier.proofs.problem import SLACK, Goal, Ints, ProofProblem, different

MOST_EXHAUSTED = 9
"""Values up to which every partition is looked at."""


def goal_of(proof: Proof) -> Goal:
    """Return the goal that a proof speaks about."""
    return Goal(distinct_l=proof.distinct_l or 1, components=proof.components)


def is_valid(problem: ProofProblem, proof: Proof) -> bool:
    """Tell whether a proof holds.

    >>> import numpy as np
    >>> three = ProofProblem(
    ...     size=3, value=np.arange(3), observation=np.zeros(3, int), secret=np.array([0, 0, 1]),
    ...     prior=2, positions=None, codeword=None, place_of=lambda text: None)
    >>> [is_valid(three, Proof(kind="exhaustion", distinct_l=2, cost=cost)) for cost in (3.0, 4.0)]
    [True, False]
    """
    checks = {
        "union": _is_union,
        "window": _is_window,
        "counting": _is_counting,
        "forest": _is_forest,
        "exhaustion": _is_exhaustion,
    }
    return checks[proof.kind](problem, proof)


def _reaches(cost: Fraction | None, claimed: float | None) -> bool:
    """Tell whether a cost is at least what is claimed; no cost is as good as any, no claim is beyond all."""
    if cost is None:
        return True
    if claimed is None:
        return False
    return cost >= _enough(claimed)


def _enough(claimed: float) -> Fraction:
    """Return the least cost that is as good as a claim."""
    wanted = Fraction(claimed)
    return wanted - SLACK * abs(wanted)


def _is_union(problem: ProofProblem, proof: Proof) -> bool:
    """Merge everything: even then some observation leaves too few, no partition does better (Theorem M1)."""
    if proof.distinct_l is None or proof.cost is not None or proof.value is not None:
        return False
    if proof.components is not None:
        return False
    left = np.bincount(different(problem.observation, problem.secret)[0])
    return int(left.min()) < proof.distinct_l and proof.clusters is None


def _is_window(problem: ProofProblem, proof: Proof) -> bool:
    """Look at every stretch of the line around the value, among the rows of one observation (Theorem L1).

    A cluster that holds the value and reaches the goal holds enough sensitive values within the
    ends of its members, for each observation that occurs with the value.
    """
    if problem.positions is None or proof.value is None or proof.distinct_l is None:
        return False
    place = problem.place_of(proof.value)
    if place is None or proof.clusters is not None or proof.components is not None:
        return False
    ticks = problem.ticks
    here = ticks.at(place)
    seen, times = np.unique(problem.observation[problem.value == place], return_counts=True)
    if here is None:
        # A value without a place stays alone.
        return bool((times < proof.distinct_l).any()) and proof.cost is None
    is_near, enough = ticks.has_place, None
    if proof.cost is not None:
        # A stretch that costs less than claimed does not reach farther than twice that.
        far = floor(ticks.doubled(Fraction(proof.cost) * (1 + SLACK)))
        if far < 0:
            return False
        is_near, enough = ticks.within(here, far), ceil(ticks.doubled(_enough(proof.cost)))
    rows = np.flatnonzero(is_near[problem.value])
    at, secret, seen_with = ticks.whole[problem.value[rows]], problem.secret[rows], problem.observation[rows]
    codewords = ticks.line_of(is_near) if problem.codeword == "member" and enough is not None else []
    for observation in seen.tolist():
        there = seen_with == observation
        windows = _least_windows(at[there], secret[there], here, proof.distinct_l)
        if not any(enough is None or _least_doubled(codewords, *ends) < enough for ends in windows):
            return True
    return False


def _least_windows(at: Ints, secret: Ints, here: int, wanted: int) -> Iterator[tuple[int, int]]:
    """Return the ends of stretches around a place that hold enough sensitive values, and of none wider.

    A stretch holds a sensitive value where it reaches the nearest on the left or the nearest on the right.
    """
    left, right = (_nearest(at[side], secret[side], here, wanted) for side in (at <= here, at >= here))
    held = Counter(one for _, one in right)
    for low, reached in [(here, None), *left]:
        if reached is not None:
            held[reached] += 1
        while right and len(held) >= wanted:
            last = right[-1][1]
            if held[last] == 1 and len(held) == wanted:
                break
            right.pop()
            held[last] -= 1
            if not held[last]:
                del held[last]
        if len(held) >= wanted:
            yield low, right[-1][0] if right else here


def _nearest(at: Ints, secret: Ints, here: int, most: int) -> list[tuple[int, int]]:
    """Return where each sensitive value occurs nearest to a place, the nearest first; so many at most."""
    order = np.argsort(abs(at - here), kind="stable")
    first = np.sort(np.unique(secret[order], return_index=True)[1])[:most]
    chosen = order[first]
    return list(zip(at[chosen].tolist(), secret[chosen].tolist(), strict=True))


def _least_doubled(codewords: list[int], low: int, high: int) -> int:
    """Return twice the least that any cluster with these ends costs, whatever its codeword."""
    if not codewords:
        return high - low
    after = bisect_left(codewords, (low + high + 1) // 2)
    near = [codewords[i] for i in (after - 1, after) if 0 <= i < len(codewords)]
    return 2 * min(max(word - low, high - word) for word in near if low <= word <= high)


def _is_counting(problem: ProofProblem, proof: Proof) -> bool:
    """Count where each sensitive value occurs: one cluster more cannot hold enough (Theorem S2).

    Each cluster uses ``distinct_l`` different sensitive values, and a sensitive value is in no more
    clusters than there are values it occurs with.
    """
    clusters, wanted = proof.clusters, proof.distinct_l
    if clusters is None or wanted is None or clusters < 1 or proof.components is not None:
        return False
    occurs = problem.occurs(None if problem.positions is None else problem.ticks.has_place)
    more = clusters + 1
    if int(np.minimum(occurs, more).sum()) >= more * wanted:
        return False
    if problem.positions is None:
        return _reaches(Fraction(ceil(Fraction(problem.size, clusters))), proof.cost)
    return proof.cost is not None and _needs_more(problem, clusters, proof.cost)


def _needs_more(problem: ProofProblem, clusters: int, cost: float) -> bool:
    """Tell whether more values than clusters lie so far apart that no two can share a cheaper cluster."""
    line = problem.ticks.line
    codewords = line if problem.codeword == "member" else []
    enough = ceil(problem.ticks.doubled(_enough(cost)))
    needed, first = 1, line[0]
    for tick in line[1:]:
        if _least_doubled(codewords, first, tick) >= enough:
            needed, first = needed + 1, tick
    return needed > clusters


def _is_forest(problem: ProofProblem, proof: Proof) -> bool:
    """Count ties: merging a value into a cluster joins one group at most to another (Theorem I1)."""
    if proof.components is None or problem.positions is not None or problem.has_observations:
        return False
    if proof.cost is None or proof.distinct_l is not None:
        return False
    groups = _groups([mask for masks in problem.shown for mask in masks.values()])
    largest = ceil(proof.cost) - 1
    if largest < 1:
        return True
    clusters = ceil(Fraction(problem.size, largest))
    return groups - (problem.size - clusters) > proof.components


def _is_exhaustion(problem: ProofProblem, proof: Proof) -> bool:
    """Look at every partition that costs less than claimed; none may reach the goal."""
    if problem.size > MOST_EXHAUSTED or proof.value is not None or proof.clusters is not None:
        return False
    goal = goal_of(proof)
    return not any(_reaches_goal(problem, goal, clusters) for clusters in _cheaper(problem, proof.cost))


def _cheaper(problem: ProofProblem, cost: float | None) -> Iterator[list[list[int]]]:
    """Return every partition whose clusters all cost less; those that grow too wide are left early."""
    clusters: list[list[int]] = []

    def grown(value: int) -> Iterator[list[list[int]]]:
        if value == problem.size:
            if all(
                (found := problem.cost(members)) is not None and not _reaches(found, cost)
                for members in clusters
            ):
                yield clusters
            return
        for members in clusters:
            members.append(value)
            if not _is_too_wide(problem, members, cost):
                yield from grown(value + 1)
            members.pop()
        clusters.append([value])
        yield from grown(value + 1)
        clusters.pop()

    return grown(0)


def _is_too_wide(problem: ProofProblem, members: list[int], cost: float | None) -> bool:
    """Tell whether a cluster costs too much already, whatever joins it."""
    if problem.positions is None:
        return _reaches(Fraction(len(members)), cost)
    placed = problem.placed(members)
    known = [position for position in placed if position is not None]
    return len(known) < len(placed) or _reaches((max(known) - min(known)) / 2, cost)


def _reaches_goal(problem: ProofProblem, goal: Goal, clusters: list[list[int]]) -> bool:
    merged: list[int] = []
    for members in clusters:
        masks: dict[int, int] = {}
        for member in members:
            for observation, mask in problem.shown[member].items():
                masks[observation] = masks.get(observation, 0) | mask
        if any(mask.bit_count() < goal.distinct_l for mask in masks.values()):
            return False
        merged += masks.values()
    return goal.components is None or _groups(merged) <= goal.components


def _groups(masks: list[int]) -> int:
    """Count the groups of sensitive values that sets tie together."""
    groups: list[int] = []
    for mask in masks:
        apart = []
        for group in groups:
            if group & mask:
                mask |= group
            else:
                apart.append(group)
        groups = [*apart, mask]
    return len(groups)
