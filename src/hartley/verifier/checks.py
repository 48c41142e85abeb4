"""What was checked, what held, and what nobody can check."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose
from typing import Any

TOLERANCE = 1e-9
"""Bits and distances are equal up to this much."""


@dataclass(frozen=True)
class ClaimCheck:
    """One thing that was checked."""

    name: str
    holds: bool
    reason: str
    """What was found instead, where it does not hold; no cell stands in it."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"name": self.name, "holds": self.holds, "reason": self.reason}


class Checks:
    """What was checked so far, and what could not be."""

    def __init__(self) -> None:
        self.done: list[ClaimCheck] = []
        self.left_out: list[str] = []

    def add(self, name: str, holds: bool, reason: str) -> bool:
        """Note a check; give whether it holds."""
        self.done.append(ClaimCheck(name, holds, "" if holds else reason))
        return holds


def are_same(one: float | None, other: float | None) -> bool:
    """Tell whether two counts or numbers of bits are equal up to rounding, or both are not there."""
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def is_same_distance(one: float | None, other: float | None) -> bool:
    """Tell whether two distances are equal up to rounding, in whatever unit they are."""
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=TOLERANCE)


def shown(number: float | None) -> str:
    """Return a number for a message."""
    return "an undefined distance" if number is None else f"{number:.6g}"
