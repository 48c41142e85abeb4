"""What a table or a release keeps of each requirement, and what it keeps under a tolerance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hartley.errors import OptionError
from hartley.measures.overlap import maximin_information
from hartley.measures.separation import chain_counts, least_spread, separated_values
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction, row_counts
from hartley.model import JointRange
from hartley.model.arrays import Int64s
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import ClassCounts, Requirement, SharedWeight, Shares, Verdict


def kept_by_each(joint: JointRange, requirement: Requirement, closeness: Closeness = NO_CLOSENESS) -> Int64s:
    """Return how much of a monotone requirement each observation of a table keeps."""
    codes = requirement.codes(joint.sensitive, closeness)
    if codes is None:
        return row_counts(joint).astype(np.int64)
    return chain_counts(joint.observation_of, codes.code_of[joint.indices], codes, joint.observations)


def kept(joint: JointRange, requirement: Requirement, closeness: Closeness = NO_CLOSENESS) -> float:
    """Return how much of a requirement a table keeps at worst: a count, or the bits that it reveals."""
    if requirement.is_limit:
        return bits_of(joint, closeness)[requirement.name]
    if isinstance(requirement, SharedWeight):
        if joint.weights is None:
            raise OptionError(f"{requirement.name} is counted by a release alone; ask for it there")
        return float(joint.weights.min())
    if isinstance(requirement, Shares):
        counts = ClassCounts.of(joint, requirement.codes(joint.sensitive, closeness))
        return requirement.kept(counts, joint.sensitive)
    return int(kept_by_each(joint, requirement, closeness).min())


def bits_of(joint: JointRange, closeness: Closeness = NO_CLOSENESS) -> dict[str, float]:
    """Return the bits that a table reveals at worst and for certain; with a tolerance, of values apart.

    >>> joint = JointRange.from_pairs([("x", 41), ("x", 42), ("y", 45)])
    >>> bits_of(joint)["istar"], bits_of(joint, Closeness.of({"sensitive": 4}))["istar"]
    (1.0, 0.0)
    """
    return {
        "l0": max_uncertainty_reduction(joint, None, closeness),
        "istar": maximin_information(joint, None, closeness),
    }


def verdicts(
    joint: JointRange, requirements: Iterable[Requirement], closeness: Closeness = NO_CLOSENESS
) -> tuple[Verdict, ...]:
    """Hold each requirement against a table or a release."""
    return tuple(one.verdict(kept(joint, one, closeness)) for one in requirements)


@dataclass(frozen=True, kw_only=True)
class ToleranceMeasures:
    """What a table or a release keeps of sensitive values that are more than a tolerance apart.

    Examples
    --------
    >>> import hartley, pyarrow
    >>> table = pyarrow.table({"age": [30, 41, 42, 52], "chol": [180, 180, 214, 214]})
    >>> hartley.audit(table, sensitive="age", public="chol", tolerance={"age": 10}).separation.separated_l
    1
    """

    tolerance: dict[str, float | int]
    """How far apart values of a column must be to count as two."""
    separated_l: int
    """Fewest candidates more than the tolerance apart that an observation leaves."""
    separated_values: int
    """Most sensitive values of the table that are so far apart."""
    l0_bits: float
    """Bits that the worst observation reveals of them."""
    istar_bits: float
    """Bits of them that every reader gets for certain."""
    least_spread: float | None
    """A difference of two sensitive cells: for the curator only."""

    @classmethod
    def of(cls, joint: JointRange, closeness: Closeness) -> ToleranceMeasures:
        """Measure a table or a release."""
        return cls(
            tolerance=closeness.to_dict(),
            separated_l=distinct_l(joint, None, closeness),
            separated_values=separated_values(joint, closeness),
            l0_bits=max_uncertainty_reduction(joint, None, closeness),
            istar_bits=maximin_information(joint, None, closeness),
            least_spread=least_spread(joint, closeness),
        )

    @property
    def bits(self) -> dict[str, float]:
        """The bits by the names of requirements."""
        return {"l0": self.l0_bits, "istar": self.istar_bits}

    @property
    def components(self) -> int:
        """How many groups of values are told apart for certain."""
        return round(2**self.istar_bits)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON, without the spread, which only an audit shows."""
        return {
            "tolerance": self.tolerance,
            "separated_l": self.separated_l,
            "separated_values": self.separated_values,
            "l0_tolerance_bits": self.l0_bits,
            "istar_tolerance_bits": self.istar_bits,
        }
