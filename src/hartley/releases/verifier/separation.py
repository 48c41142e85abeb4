"""How many sensitive values that are apart each observation leaves, counted once more from the rows.

The verifier's own count: for every observation the values are sorted, and from the smallest on each one that
lies farther than the tolerance from the last one taken is taken. A missing value is apart from all others.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Sequence
from fractions import Fraction

from hartley.errors import PolicyError
from hartley.releases.policy import Tolerance
from hartley.releases.verifier.tally import Ints


def fewest_apart(
    observations: Ints, values: Sequence[tuple[Hashable, ...]], columns: Sequence[str], tolerance: Tolerance
) -> int:
    """Return the fewest values that are apart among those an observation leaves.

    ``values`` are the sensitive values of each pair that occurs, one cell for each of ``columns``.

    >>> import numpy as np
    >>> close = Tolerance(distances={"age": "4"}, groups={})
    >>> fewest_apart(np.array([0, 0, 0, 1]), [(41,), (45,), (46,), (41,)], ["age"], close)
    1
    """
    sets: dict[int, dict[tuple[Hashable, ...], set[Fraction | None]]] = {}
    limits = [tolerance.distances.get(name) for name in columns]
    groups = [dict(tolerance.groups.get(name, ())) for name in columns]
    for observation, cells in zip(observations.tolist(), values, strict=True):
        others: list[Hashable] = []
        number: Fraction | None = None
        for name, cell, limit, group in zip(columns, cells, limits, groups, strict=True):
            if limit is not None and cell is not None:
                number = _exact(cell)
                others.append("a number")
            elif name in tolerance.groups:
                others.append(group.get(_text(cell), ("no group", cell)))
            else:
                others.append(("cell", cell))
        sets.setdefault(observation, {}).setdefault(tuple(others), set()).add(number)
    farther = next((Fraction(text) for text in limits if text is not None), Fraction(0))
    return min(sum(_chain(numbers, farther) for numbers in kinds.values()) for kinds in sets.values())


def _chain(numbers: set[Fraction | None], limit: Fraction) -> int:
    taken, last = 0, None
    present: list[Fraction] = [number for number in numbers if number is not None]
    for number in sorted(present):
        if last is None or number - last > limit:
            taken, last = taken + 1, number
    return taken or 1


def _exact(cell: Hashable) -> Fraction:
    if isinstance(cell, dt.datetime):
        gap = cell.replace(tzinfo=None) - dt.datetime(1970, 1, 1)
        return Fraction(gap // dt.timedelta(microseconds=1), 86_400_000_000)
    if isinstance(cell, dt.date):
        return Fraction(cell.toordinal())
    try:
        return Fraction(str(cell))
    except ValueError:
        raise PolicyError("the policy has a tolerance for a column that holds no numbers or dates") from None


def _text(cell: Hashable) -> str:
    return "" if cell is None else str(cell)
