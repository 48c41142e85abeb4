"""What a release must hold to, for every method the same."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import Literal, Protocol, TypeAlias, get_args

from hartley.errors import OptionError
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.model import JointRange, Partition
from hartley.model.words import SLACK

Leakage: TypeAlias = Literal["l0", "istar"]
LEAKAGES: tuple[Leakage, ...] = get_args(Leakage)


class Target(Protocol):
    """Something a release meets or not; whoever meets it still does after more merging."""

    def holds(self, joint: JointRange, partition: Partition) -> bool:
        """Tell whether a release meets it."""

    def candidates_needed(self, joint: JointRange) -> int | None:
        """Return the ``distinct_l`` that says the same; ``None`` where none does."""


@dataclass(frozen=True)
class DistinctL:
    """Every released value leaves at least so many candidates."""

    at_least: int

    def __post_init__(self) -> None:
        if self.at_least < 1:
            raise OptionError(f"a released value cannot leave {self.at_least} candidates; give 1 or more")

    def holds(self, joint: JointRange, partition: Partition) -> bool:
        """Tell whether a release meets it."""
        return distinct_l(joint, partition) >= self.at_least

    def candidates_needed(self, joint: JointRange) -> int | None:
        """Return the number itself."""
        del joint
        return self.at_least

    def __str__(self) -> str:
        return f"leaves {self.at_least} candidates for every released value"


@dataclass(frozen=True)
class MaxLeakage:
    """The release leaks at most so many bits."""

    bits: float
    leakage: Leakage = "l0"

    def __post_init__(self) -> None:
        if self.leakage not in LEAKAGES:
            raise OptionError.unknown("leakage", self.leakage, LEAKAGES)

    def holds(self, joint: JointRange, partition: Partition) -> bool:
        """Tell whether a release meets it."""
        return leakage_of(joint, partition, self.leakage) <= self.bits + SLACK

    def candidates_needed(self, joint: JointRange) -> int | None:
        """Translate a bound on :math:`L_0` by Lemma 1, where there is no side information."""
        if self.leakage != "l0" or joint.side is not None:
            return None
        fewest = 2 ** (log2(joint.sensitive.size) - self.bits - SLACK)
        return max(1, min(ceil(fewest - SLACK), joint.sensitive.size + 1))

    def __str__(self) -> str:
        return f"leaks at most {self.bits:g} bits"


def leakage_of(joint: JointRange, partition: Partition, leakage: Leakage) -> float:
    """Measure the leakage of a release by its short name."""
    if leakage == "l0":
        return max_uncertainty_reduction(joint, partition)
    return maximin_information(joint, partition)
