"""Checks of the statements behind bounds, from the pairs alone: they share nothing with the searches."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import inf, log2

from hartley.model import JointRange
from hartley.model.words import ROUNDING
from hartley.search.proofs.statements import (
    CandidateCertificate,
    CutCertificate,
    ForestCertificate,
    PairingCertificate,
    SideForestCertificate,
    SizePriceCertificate,
    SliceCertificate,
    ValuePriceCertificate,
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
