"""The measures once more, from counted rows.

This is the verifier's own arithmetic. It shares no code with the model, the measures or any
search, so that a mistake there cannot confirm itself here.
"""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np

from hartley.releases.verifier.tally import Combined, Int64s, Ints, Numbered


def recount(
    seen: Combined, secret: Combined, known: Combined, rows: Int64s, *, has_side: bool
) -> dict[str, Any]:
    """Count what readers learn; the keys are those of an audit.

    Of each different row there is what the reader sees in it, its sensitive value, what he
    knew before, and how often it occurs.

    >>> def numbers(*codes):
    ...     return Combined.of([Numbered(np.array(codes), range(4))], len(codes))
    >>> found = recount(
    ...     numbers(0, 0, 1), numbers(1, 2, 3), numbers(0, 0, 0), np.array([2, 1, 1]), has_side=False
    ... )
    >>> found["distinct_l"], found["components"], found["l0_bits"] == log2(3), found["row_k"]
    (1, 2, True, 1)
    """
    observed = _pairs(seen, known)
    possible = _pairs(observed, secret)
    # For each pair that is possible: the observation and the sensitive value.
    where, what = observed.codes[possible.example], secret.codes[possible.example]
    sizes = np.bincount(where)
    if has_side:
        beforehand = _pairs(known, secret)
        choices = np.bincount(known.codes[beforehand.example])
        prior = choices[known.codes[observed.example]]
    else:
        prior = np.full(observed.size, secret.size)
    ratios = prior / sizes
    groups = _groups(where, what, secret.size)
    return {
        "rows": int(rows.sum()),
        "pairs": possible.size,
        "sensitive": secret.size,
        "public": seen.size,
        "side": known.size if has_side else None,
        "h0_bits": log2(secret.size),
        "h0_given_public_bits": log2(sizes.max()),
        "b0_bits": log2(sizes.min()),
        "i0_bits": log2(ratios.min()),
        "l0_bits": log2(ratios.max()),
        "istar_bits": log2(groups),
        "components": groups,
        "distinct_l": int(sizes.min()),
        "row_k": int(observed.totals(rows).min()),
        "independent": bool((prior == sizes).all()),
    }


def _pairs(one: Combined, other: Combined) -> Combined:
    parts = [Numbered(part.codes, range(part.size)) for part in (one, other)]
    return Combined.of(parts, len(one.codes))


def _groups(where: Ints, what: Ints, values: int) -> int:
    """Count the groups of values that no chain of overlapping sets leaves.

    ``where`` ascends; the first value of each set is linked to all others of it.
    """
    is_first = np.r_[True, where[1:] != where[:-1]]
    first = what[is_first][np.cumsum(is_first) - 1]
    leads_to = np.arange(values)
    while True:
        one, other = leads_to[first], leads_to[what]
        apart = one != other
        if not apart.any():
            return int((leads_to == np.arange(values)).sum())
        first, what = first[apart], what[apart]
        # Of two linked groups the one with the greater number leads to the other.
        np.minimum.at(leads_to, np.maximum(one, other)[apart], np.minimum(one, other)[apart])
        while not np.array_equal(further := leads_to[leads_to], leads_to):
            leads_to = further
