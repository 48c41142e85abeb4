"""A quantity known only between two numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """The quantity is no less than ``low`` and no more than ``high``.

    >>> Bounds(1.0, 2.0), Bounds(2.0, 2.0).is_exact
    (Bounds(low=1.0, high=2.0), True)
    """

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        """Whether the two ends are the same number."""
        return self.low == self.high
