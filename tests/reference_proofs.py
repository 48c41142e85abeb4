"""Checks of the statements behind bounds, from the definitions alone: they share nothing with the searches.

In plain Python, slow and meant to be read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf, log2
from typing import Literal

import numpy as np

from hartley.measures.overlap import components
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.model.disjoint_sets import DisjointSets
from hartley.model.words import ROUNDING
from hartley.search.proofs import (
    SCALE,
    CandidateCertificate,
    CountCertificate,
    CutCertificate,
    DistortionCertificate,
    ForestCertificate,
    LagrangianCertificate,
    PairingCertificate,
    SideForestCertificate,
    SizePriceCertificate,
    SliceCertificate,
    ValuePriceCertificate,
    WindowCertificate,
)

MOST_STEPS = 20_000_000
"""A check that would take more elementary steps than this answers no."""


def is_valid_bound(joint: JointRange, largest: float, bits: float, certificate: object) -> bool:
    """Tell whether a certificate proves that clusters of at most ``largest`` values leak at least ``bits``.

    Without a certificate only what every partition leaks is granted: nothing.

    >>> from hartley.examples import toy
    >>> five = CutCertificate(largest_cluster=6, distinct_l=5, set_aside=(),
    ...                       charged_values=(), charged_candidates=range(6))
    >>> is_valid_bound(toy(), 6, log2(6 / 4), five), is_valid_bound(toy(), 6, log2(6 / 3), five)
    (True, False)
    """
    if bits <= ROUNDING:
        return True
    if isinstance(certificate, ForestCertificate | SideForestCertificate):
        fewest = _fewest_components(joint, certificate.largest_cluster)
        return largest <= certificate.largest_cluster and bits <= log2(fewest) + ROUNDING
    side_value = None
    if isinstance(certificate, SliceCertificate):
        side_value = certificate.side_value
        sets = _shown_with(joint, side_value)
        certificate = certificate.certificate
    elif joint.side is None:
        sets = _shown_with(joint, None)
    else:
        return False
    if not isinstance(certificate, CandidateCertificate) or largest > certificate.largest_cluster:
        return False
    before = len(set().union(*sets)) if side_value is None else _known_with(joint, side_value)
    least = log2(before / max(1, certificate.distinct_l - 1))
    return bits <= least + ROUNDING and excludes(sets, certificate)


def _known_with(joint: JointRange, side_value: int) -> int:
    """Count the sensitive values possible for a reader who knows what this side value tells beforehand."""
    known, side = joint.known_of_side, joint.observed_side
    possible: set[int] = set()
    for observation, seen in enumerate([] if side is None else side.tolist()):
        if seen == side_value or (known is not None and known[seen] == known[side_value]):
            possible.update(joint.candidates(observation).tolist())
    return len(possible)


def excludes(sets: Sequence[set[int]], certificate: CandidateCertificate) -> bool:
    """Check one certificate for values with these sets of candidates, by its own definition."""
    largest, wanted = certificate.largest_cluster, certificate.distinct_l
    clusters = -(-len(sets) // largest)
    match certificate:
        case CutCertificate():
            return _is_cut(sets, clusters, certificate)
        case SizePriceCertificate(unit=unit, prices=prices):
            paid = sum(prices[min(len(shown), wanted)] for shown in sets)
            return (
                min(prices) >= 0
                and paid < clusters * unit
                and _cheapest_by_size(prices, largest, wanted) >= unit
            )
        case ValuePriceCertificate(unit=unit, prices=prices):
            return (
                len(prices) == len(sets)
                and min(prices) >= 0
                and sum(prices) < clusters * unit
                and not _is_bought_below(sets, prices, largest, wanted, unit)
            )
        case PairingCertificate(barrier=barrier):
            return largest <= 2 and _is_barrier(sets, wanted, set(barrier))


def _shown_with(joint: JointRange, side_value: int | None) -> list[set[int]]:
    """Return the candidates of every public value, of the rows with one side value only if one is given.

    Values and candidates that do not occur there are left out, and the others numbered in order.
    """
    public, side = joint.public_of, joint.observed_side
    shown: dict[int, set[int]] = {}
    for observation in range(joint.observations):
        if side_value is None or side is None or side[observation] == side_value:
            shown.setdefault(int(public[observation]), set()).update(joint.candidates(observation).tolist())
    number = {candidate: place for place, candidate in enumerate(sorted(set().union(*shown.values())))}
    return [{number[candidate] for candidate in shown[value]} for value in sorted(shown)]


def _is_cut(sets: Sequence[set[int]], clusters: int, certificate: CutCertificate) -> bool:
    aside, charged = set(certificate.set_aside), set(certificate.charged_values)
    candidates, wanted = set(certificate.charged_candidates), certificate.distinct_l
    clusters -= len(aside)
    occurrences: dict[int, int] = {}
    total = 0
    for value, shown in enumerate(sets):
        if value in aside:
            continue
        for candidate in shown:
            occurrences[candidate] = occurrences.get(candidate, 0) + 1
        total += min(len(shown), wanted) if value in charged else len(shown - candidates)
    total += sum(min(occurrences.get(candidate, 0), clusters) for candidate in candidates if clusters > 0)
    return clusters > 0 and total < clusters * wanted


def _cheapest_by_size(prices: Sequence[int], largest: int, wanted: int) -> float:
    """Return the least price of at most ``largest`` values whose sizes add up to ``wanted``."""
    cheapest: list[float] = [0.0] + [inf] * wanted
    for _ in range(largest):
        further = cheapest.copy()
        for reached, cost in enumerate(cheapest):
            for size, price in enumerate(prices):
                total = min(wanted, reached + size)
                further[total] = min(further[total], cost + price)
        if further == cheapest:
            break
        cheapest = further
    return cheapest[wanted]


def _is_bought_below(
    sets: Sequence[set[int]], prices: Sequence[int], largest: int, wanted: int, unit: int
) -> bool:
    """Tell whether at most ``largest`` values with ``wanted`` candidates cost less than ``unit``.

    Depth first, cheapest values first, cutting where even disjoint candidates would not
    suffice. Says yes when it would take too long.
    """
    order = sorted(range(len(sets)), key=lambda value: prices[value])
    number: dict[int, int] = {}
    masks = [sum(1 << number.setdefault(s, len(number)) for s in sets[value]) for value in order]
    costs = [prices[value] for value in order]
    dearest = max(costs, default=0) + 1
    # need[c][t]: least price at which c values, overlaps ignored, can bring t more candidates.
    need: list[list[float]] = [[0.0] + [inf] * wanted]
    by_size: dict[int, int] = {}
    for mask, cost in zip(masks, costs, strict=True):
        size = min(mask.bit_count(), wanted)
        by_size[size] = min(by_size.get(size, dearest), cost)
    for _ in range(largest):
        row = need[-1].copy()
        for total in range(1, wanted + 1):
            for size, cost in by_size.items():
                row[total] = min(row[total], need[-1][max(0, total - size)] + cost)
        need.append(row)
    steps = 0
    stack = [(0, 0, 0, 0)]
    while stack:
        start, taken, mask, cost = stack.pop()
        lacking = wanted - mask.bit_count()
        if lacking <= 0:
            return True
        if taken == largest:
            continue
        for place in range(start, len(order)):
            steps += 1
            further = mask | masks[place]
            price = cost + costs[place]
            if price >= unit:
                break
            still = max(0, wanted - further.bit_count())
            if price + need[largest - taken - 1][still] < unit:
                stack.append((place + 1, taken + 1, further, price))
        if steps > MOST_STEPS:
            return True
    return False


def _is_barrier(sets: Sequence[set[int]], wanted: int, barrier: set[int]) -> bool:
    rich = [len(shown) >= wanted for shown in sets]
    # One more value that needs nobody evens an odd number out.
    everyone = [*sets, set()] if len(sets) % 2 else list(sets)
    rich += [True] * (len(everyone) - len(sets))
    left = {value for value in range(len(everyone)) if value not in barrier}
    odd = 0
    while left:
        queue = deque([left.pop()])
        part = 1
        while queue:
            one = queue.popleft()
            near = [
                other
                for other in left
                if (rich[one] and rich[other])
                or (
                    max(one, other) < len(sets)
                    and len(everyone[one]) + len(everyone[other]) >= wanted
                    and len(everyone[one] | everyone[other]) >= wanted
                )
            ]
            left.difference_update(near)
            queue.extend(near)
            part += len(near)
        odd += part % 2
    return odd > len(barrier)


def _fewest_components(joint: JointRange, largest: int) -> int:
    """Return the bound of the forest argument: ties of values to clusters, for each side value."""
    untouched = [joint.candidates(i).tolist() for i in range(joint.observations)]
    if joint.observed_side is None:
        by_side = {0: untouched}
    else:
        by_side = {}
        for side, shown in zip(joint.observed_side.tolist(), untouched, strict=True):
            by_side.setdefault(side, []).append(shown)
    ties = sum(len(shown) - -(-len(shown) // largest) for shown in by_side.values())
    merged = [[s for shown in sets for s in shown] for sets in by_side.values()]
    return max(_parts(untouched) - ties, _parts(merged))


def _parts(sets: Sequence[Sequence[int]]) -> int:
    """Count the groups of sensitive values that these sets tie together."""
    neighbours: dict[int, list[int]] = {}
    for shown in sets:
        for candidate in shown:
            neighbours.setdefault(candidate, []).append(shown[0])
            neighbours.setdefault(shown[0], []).append(candidate)
    parts = 0
    left = set(neighbours)
    while left:
        parts += 1
        queue = [left.pop()]
        while queue:
            near = [other for other in neighbours[queue.pop()] if other in left]
            left.difference_update(near)
            queue.extend(near)
    return parts


Verdict = Literal["holds", "fails", "taken on trust"]


def verdict(joint: JointRange, utility: LineDistortion, certificate: DistortionCertificate) -> Verdict:
    """Check a certificate from the definitions.

    >>> from hartley.examples import toy
    >>> joint = toy()
    >>> utility = LineDistortion.of(joint.public)
    >>> verdict(joint, utility, WindowCertificate(place=5, distinct_l=3, cost=0.45))
    'holds'
    >>> verdict(joint, utility, WindowCertificate(place=5, distinct_l=3, cost=0.46))
    'fails'
    """
    if isinstance(certificate, WindowCertificate):
        holds = _window_holds(joint, utility, certificate)
    elif isinstance(certificate, CountCertificate):
        holds = _count_holds(joint, utility, certificate)
    elif isinstance(certificate, LagrangianCertificate):
        holds = _forest_holds(joint, utility, certificate)
    else:
        return "taken on trust"
    return "holds" if holds else "fails"


def _window_holds(joint: JointRange, utility: LineDistortion, certificate: WindowCertificate) -> bool:
    """Look at every pair of ends around the place, and at all that lies between."""
    ticks = utility.grid.ticks.tolist()
    here = ticks[certificate.place]
    if here != here:
        own = len(joint.candidates(certificate.place))
        return own < certificate.distinct_l or certificate.cost <= 0
    placed = sorted(
        (position, place)
        for place, position in enumerate(utility.grid.ticks.tolist())
        if position == position
    )
    lows = [entry for entry in placed if entry[0] <= here]
    highs = [entry for entry in placed if entry[0] >= here]
    for low, _ in reversed(lows):
        values: set[int] = set()
        inside: list[float] = []
        for position, place in placed:
            if low <= position < here or place == certificate.place:
                values.update(joint.candidates(place).tolist())
                inside.append(position)
        if _hull_cost(utility, low, here, inside) >= certificate.cost:
            break
        for high, place in highs:
            if place != certificate.place:
                values.update(joint.candidates(place).tolist())
                inside.append(high)
            if _hull_cost(utility, low, high, inside) >= certificate.cost:
                break
            if len(values) >= certificate.distinct_l:
                return False
    return True


def _count_holds(joint: JointRange, utility: LineDistortion, certificate: CountCertificate) -> bool:
    """Count where each sensitive value occurs, then values that can share no cheaper cluster."""
    placed = sorted(
        (position, place)
        for place, position in enumerate(utility.grid.ticks.tolist())
        if position == position
    )
    occurs: dict[int, int] = {}
    for _, place in placed:
        for value in joint.candidates(place).tolist():
            occurs[value] = occurs.get(value, 0) + 1
    more = certificate.clusters + 1
    if sum(min(count, more) for count in occurs.values()) >= more * certificate.distinct_l:
        return False
    if certificate.clusters == 1:
        labels = [
            0 if position == position else place + 1 for place, position in enumerate(utility.grid.ticks)
        ]
        return certificate.cost <= float(utility.costs(Partition(np.array(labels))).max())
    needed, inside = 1, [placed[0][0]]
    for position, _ in placed[1:]:
        inside.append(position)
        if _hull_cost(utility, inside[0], position, inside) >= certificate.cost:
            needed, inside = needed + 1, [position]
    return needed > certificate.clusters


def _hull_cost(utility: LineDistortion, low: float, high: float, inside: list[float]) -> float:
    """Return the least cost of any cluster with these ends and members among these, all in ticks."""
    if utility.codeword == "member":
        ticks = min(max(member - low, high - member) for member in inside)
    else:
        ticks = (high - low) / 2
    return ticks / utility.grid.per_unit


def _forest_holds(joint: JointRange, utility: LineDistortion, certificate: LagrangianCertificate) -> bool:
    r"""Add up the Lagrangian in whole numbers.

    A partition into intervals keeps the links inside its clusters. Those that join
    components form, at most, a forest F; a window out of reach of length k keeps at most k - 1
    links. So :math:`|F| \le \max_F \sum_{t \in F} (1 - \text{prices on } t) + \sum_w p_w (k_w - 1)`.
    """
    order = sorted(
        (position, place)
        for place, position in enumerate(utility.grid.ticks.tolist())
        if position == position
    )
    positions = [position for position, _ in order]
    group = components(joint).labels.tolist()
    groups = [group[place] for _, place in order]
    price = [0] * max(len(order) - 1, 0)
    free = 0
    columns = (certificate.starts.tolist(), certificate.ends.tolist(), certificate.multipliers.tolist())
    for start, end, multiplier in zip(*columns, strict=True):
        inside = positions[start : end + 1]
        out_of_reach = _hull_cost(utility, inside[0], inside[-1], inside) > certificate.cost
        if multiplier < 0 or end <= start or not out_of_reach:
            return False
        for link in range(start, end):
            price[link] += multiplier
        free += multiplier * (end - start - 1)
    usable = []
    for link, (low, high) in enumerate(pairwise(positions)):
        reachable = _hull_cost(utility, low, high, [low, high]) <= certificate.cost
        if reachable and groups[link] != groups[link + 1] and price[link] < SCALE:
            usable.append((price[link], link))
    count = len(set(group))
    joined = DisjointSets.of(count)
    worth = free
    for cost, link in sorted(usable):
        if joined.unite(groups[link], groups[link + 1]):
            worth += SCALE - cost
    return count - Fraction(worth, SCALE).__floor__() >= certificate.components
