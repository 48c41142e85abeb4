"""What a release must hold to, for every method the same."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import TypeAlias

from hartley.errors import OptionError
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.measures.verdicts import verdicts
from hartley.model import JointRange, Partition
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import Requirement
from hartley.model.words import SINGLE_LEAKAGES, SLACK, SingleLeakage


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
        """Return the ``distinct_l`` that says the same: the number itself."""
        del joint
        return self.at_least

    def __str__(self) -> str:
        return f"leaves {self.at_least} candidates for every released value"


@dataclass(frozen=True)
class MaxLeakage:
    """The release leaks at most so many bits."""

    bits: float
    leakage: SingleLeakage = "l0"

    def __post_init__(self) -> None:
        if self.leakage not in SINGLE_LEAKAGES:
            raise OptionError.unknown("leakage", self.leakage, SINGLE_LEAKAGES)

    def holds(self, joint: JointRange, partition: Partition) -> bool:
        """Tell whether a release meets it."""
        return leakage_of(joint, partition, self.leakage) <= self.bits + SLACK

    def candidates_needed(self, joint: JointRange) -> int | None:
        """Return the ``distinct_l`` that says the same, by Lemma 1; ``None`` where none does."""
        if self.leakage != "l0" or joint.side is not None:
            return None
        fewest = 2 ** (log2(joint.sensitive.size) - self.bits - SLACK)
        return max(1, min(ceil(fewest - SLACK), joint.sensitive.size + 1))

    def __str__(self) -> str:
        return f"leaks at most {self.bits:g} bits"


@dataclass(frozen=True)
class Required:
    """Every released value keeps all that is required."""

    requirements: tuple[Requirement, ...]
    closeness: Closeness = NO_CLOSENESS

    def holds(self, joint: JointRange, partition: Partition) -> bool:
        """Tell whether a release meets it."""
        released = joint.release(partition)
        return all(one.holds for one in verdicts(released, self.requirements, self.closeness))

    def candidates_needed(self, joint: JointRange) -> int | None:
        """Return nothing: no number of candidates says the same, so every setting is tried."""
        del joint
        return None

    def __str__(self) -> str:
        return f"keeps {' and '.join(one.text for one in self.requirements)}"


PrivacyDemand: TypeAlias = DistinctL | MaxLeakage | Required
"""What a release meets or not; whoever meets it still does after more merging."""


def leakage_of(joint: JointRange, partition: Partition, leakage: SingleLeakage) -> float:
    """Measure the leakage of a release by its short name."""
    if leakage == "l0":
        return max_uncertainty_reduction(joint, partition)
    return maximin_information(joint, partition)
