"""How problem (3) compares two merges."""

from __future__ import annotations

from math import floor

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_part

Floats = npt.NDArray[np.float64]


@hot_part
def rounded(change: float) -> float:
    """Round a change of the Lagrangian to 12 decimals; beyond a few thousand it has no more than that."""
    if abs(change) >= 4096:
        return change
    return floor(change * 1e12 + 0.5) / 1e12


@hot_part
def is_better(one: Floats, other: Floats) -> bool:
    """Tell whether one row of numbers comes before another in the order of the dictionary."""
    for i in range(len(one)):
        if one[i] != other[i]:
            return bool(one[i] < other[i])
    return False
