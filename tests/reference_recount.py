"""The verifier's counts in plain dictionaries, written for reading: the twin of its arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from math import log2
from typing import Any

Observation = tuple[Hashable, Hashable, Hashable, int]
"""What the reader sees, the sensitive value, what he knew before, and in how many rows."""


def plain_recount(observations: Iterable[Observation], *, has_side: bool) -> dict[str, Any]:
    candidates: dict[tuple[Hashable, Hashable], set[Hashable]] = defaultdict(set)
    rows: dict[tuple[Hashable, Hashable], int] = defaultdict(int)
    possible: dict[Hashable, set[Hashable]] = defaultdict(set)
    secrets: set[Hashable] = set()
    for seen, secret, known, count in observations:
        secrets.add(secret)
        candidates[seen, known].add(secret)
        rows[seen, known] += count
        possible[known].add(secret)
    prior = {key: len(possible[key[1]]) if has_side else len(secrets) for key in candidates}
    ratios = [prior[key] / len(left) for key, left in candidates.items()]
    sizes = [len(left) for left in candidates.values()]
    groups = _groups(candidates.values())
    return {
        "rows": sum(rows.values()),
        "pairs": sum(sizes),
        "sensitive": len(secrets),
        "public": len({seen for seen, _ in candidates}),
        "side": len(possible) if has_side else None,
        "h0_bits": log2(len(secrets)),
        "h0_given_public_bits": log2(max(sizes)),
        "b0_bits": log2(min(sizes)),
        "i0_bits": log2(min(ratios)),
        "l0_bits": log2(max(ratios)),
        "istar_bits": log2(groups),
        "components": groups,
        "distinct_l": min(sizes),
        "row_k": min(rows.values()),
        "independent": all(prior[key] == len(left) for key, left in candidates.items()),
    }


def _groups(sets: Iterable[set[Hashable]]) -> int:
    """Count the groups of values that no chain of overlapping sets leaves."""
    groups: list[set[Hashable]] = []
    for one in sets:
        touched = [group for group in groups if group & one]
        groups = [group for group in groups if not group & one] + [one.union(*touched)]
    return len(groups)
