"""The measures once more, from rows, in plain dictionaries.

This is the verifier's own arithmetic. It shares no code with the model, the measures or any
search, so that a mistake there cannot confirm itself here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from math import log2
from typing import Any

Observation = tuple[Hashable, Hashable, Hashable, int]
"""What the reader sees, the sensitive value, what he knew before, and in how many rows."""


def recount(observations: Iterable[Observation], *, has_side: bool) -> dict[str, Any]:
    """Count what readers learn; the keys are those of an audit.

    >>> found = recount([("a", 1, None, 2), ("a", 2, None, 1), ("b", 3, None, 1)], has_side=False)
    >>> found["distinct_l"], found["components"], found["l0_bits"] == log2(3), found["row_k"]
    (1, 2, True, 1)
    """
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
    """Count the groups of values that no chain of overlapping sets leaves, by flooding."""
    everywhere = list(sets)
    holding: dict[Hashable, list[int]] = defaultdict(list)
    for number, one in enumerate(everywhere):
        for value in one:
            holding[value].append(number)
    seen_sets: set[int] = set()
    seen_values: set[Hashable] = set()
    groups = 0
    for start in holding:
        if start in seen_values:
            continue
        groups += 1
        seen_values.add(start)
        waiting = [start]
        while waiting:
            for number in holding[waiting.pop()]:
                if number in seen_sets:
                    continue
                seen_sets.add(number)
                fresh = everywhere[number] - seen_values
                seen_values |= fresh
                waiting.extend(fresh)
    return groups
