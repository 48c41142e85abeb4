"""The problem that a release answers, in plain numbers: what proofs of optimality speak about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.integer[Any]]
SLACK = Fraction(1, 10**9)
"""Rounding granted to costs and bits, in parts of them."""
MOST_BITS = 62.0
"""No table has so many values that more bits could leak."""


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What partitions are to leave: so many candidates everywhere, at most so many groups."""

    distinct_l: int = 1
    components: int | None = None

    def implies(self, other: Goal) -> bool:
        """Tell whether every partition that reaches this goal reaches the other."""
        if other.components is not None and (self.components is None or self.components > other.components):
            return False
        return self.distinct_l >= other.distinct_l


@dataclass(frozen=True, kw_only=True)
class ProofProblem:
    """Public values that may be merged, and what is seen with each: all by their numbers."""

    size: int
    """How many public values there are."""
    value: Ints
    observation: Ints
    """What the reader sees or knows beside the value."""
    secret: Ints
    """The sensitive value. The three make different combinations."""
    prior: int
    """The fewest sensitive values that are possible before anything is released."""
    positions: Sequence[Fraction | Decimal | None] | Ticks | None
    """Where each value lies, exactly; nothing where the cost is the size of a cluster."""
    codeword: str | None
    place_of: Callable[[tuple[str | None, ...]], int | None]
    """Finds a value by its text in the policy."""

    @property
    def has_observations(self) -> bool:
        """Whether the reader sees or knows something that differs between rows."""
        return bool(self.observation.max() > 0)

    def occurs(self, among: npt.NDArray[np.bool_] | None = None) -> Ints:
        """Return with how many values, all or some, each sensitive value occurs."""
        value, secret = self.value, self.secret
        if among is not None:
            is_meant = among[value]
            value, secret = value[is_meant], secret[is_meant]
        return np.bincount(different(value, secret)[1] if self.has_observations else secret)

    @cached_property
    def ticks(self) -> Ticks:
        """Where each value lies, in whole numbers."""
        return self.positions if isinstance(self.positions, Ticks) else Ticks.of(self.positions or ())

    @cached_property
    def shown(self) -> list[dict[int, int]]:
        """For each value, the sensitive values with each observation, as the bits of a number."""
        found: list[dict[int, int]] = [{} for _ in range(self.size)]
        codes = zip(self.value.tolist(), self.observation.tolist(), self.secret.tolist(), strict=True)
        for value, observation, secret in codes:
            masks = found[value]
            masks[observation] = masks.get(observation, 0) | 1 << secret
        return found

    def cost(self, members: Sequence[int]) -> Fraction | None:
        """Return the cost of a cluster; nothing where it may not be."""
        if self.positions is None:
            return Fraction(len(members))
        return cluster_cost(str(self.codeword), self.placed(members))

    def placed(self, members: Sequence[int]) -> list[Fraction | None]:
        """Return where some values lie, as numbers to count with."""
        found = [self.ticks.at(member) for member in members]
        return [None if at is None else Fraction(at, self.ticks.per_unit) for at in found]

    def goal_of(self, requirements: Mapping[str, float]) -> Goal:
        """Return what requirements, by name, ask of the candidates and groups that are left."""
        least = [int(requirements.get("distinct-l", 1))]
        if "l0" in requirements:
            left = Fraction(self.prior) / Fraction(2 ** min(requirements["l0"], MOST_BITS))
            least.append(max(1, ceil(left - SLACK * left)))
        most = None
        if "istar" in requirements:
            most = floor(2.0 ** min(requirements["istar"], MOST_BITS) * (1 + float(SLACK)))
        return Goal(distinct_l=max(least), components=most)


def different(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return the different pairs of two columns of numbers."""
    width = int(second.max(initial=0)) + 1
    pairs = np.sort(first.astype(np.int64) * width + second)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    return pairs // width, pairs % width


@dataclass(frozen=True, eq=False)
class Ticks:
    """Positions as whole numbers: arithmetic with them is as exact as with fractions, and much faster."""

    whole: npt.NDArray[Any]
    """Where each position lies: in 64 bits, or where they do not suffice in Python's whole numbers."""
    has_place: npt.NDArray[np.bool_]
    """Whether there is a position; what stands for one that is not has no meaning."""
    per_unit: int

    @classmethod
    def of(cls, positions: Sequence[Fraction | Decimal | None]) -> Ticks:
        """Count positions in a unit of which all are multiples."""
        ratios = [(0, 0) if position is None else position.as_integer_ratio() for position in positions]
        per_unit = lcm(*{below for _, below in ratios if below})
        whole = [over * (per_unit // below) if below else 0 for over, below in ratios]
        is_small = max(map(abs, whole), default=0) < 1 << 62
        has_place = np.array([below > 0 for _, below in ratios], dtype=np.bool_)
        return cls(np.array(whole, dtype=np.int64 if is_small else object), has_place, per_unit)

    def at(self, place: int) -> int | None:
        """Return where one position lies; nothing where there is none."""
        return int(self.whole[place]) if self.has_place[place] else None

    def within(self, here: int, far: int) -> npt.NDArray[np.bool_]:
        """Tell of each position whether it lies no farther than this from another."""
        return (self.whole >= here - far) & (self.whole <= here + far) & self.has_place

    @cached_property
    def line(self) -> list[int]:
        """The different positions, ascending."""
        return self.line_of(self.has_place)

    def line_of(self, wanted: npt.NDArray[np.bool_]) -> list[int]:
        """Return the different positions among some, ascending."""
        line: list[int] = np.unique(self.whole[wanted]).tolist()
        return line

    def doubled(self, distance: Fraction) -> Fraction:
        """Return twice a distance, in ticks."""
        return 2 * distance * self.per_unit


def cluster_cost(codeword: str, positions: Sequence[Fraction | int | None]) -> Fraction | None:
    """Return the distance from a cluster's codeword to its farthest member; nothing where one has no place.

    >>> [cluster_cost(word, [Fraction(0), Fraction(9), Fraction(10)]) for word in ("midpoint", "member")]
    [Fraction(5, 1), Fraction(9, 1)]
    """
    if len(positions) == 1:
        return Fraction(0)
    placed = [position for position in positions if position is not None]
    if len(placed) < len(positions):
        return None
    low, high = min(placed), max(placed)
    if codeword == "member":
        return Fraction(min(max(member - low, high - member) for member in placed))
    at = Fraction(sum(placed)) / len(placed) if codeword == "centroid" else Fraction(low + high) / 2
    return max(at - low, high - at)
