"""Whether what was asked for holds, counted from the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from hartley.releases.policy import Policy, StatedRequirement
from hartley.releases.record import MeasuredRequirement
from hartley.releases.verifier.checks import TOLERANCE, Checks, shown
from hartley.releases.verifier.released_partition import ReleasedPartition

MEASURES = {"distinct-l": "distinct_l", "row-k": "row_k", "l0": "l0_bits", "istar": "istar_bits"}
AT_LEAST = ("distinct-l", "separated-l", "row-k")


class Counted(Protocol):
    """Counts what the reader learns about one sensitive column, or about all of them together."""

    def measured(self, column: str | None) -> Mapping[str, Any]:
        """Return the measures by their names."""

    def separated(self, column: str | None) -> int:
        """Return the fewest values that are apart."""


def check_requirements(
    checks: Checks, policy: Policy, counted: Counted, partition: ReleasedPartition
) -> tuple[MeasuredRequirement, ...]:
    """Check everything that the policy asks for; return what was found."""
    found = []
    for asked in policy.requirements:
        is_known = asked.name in MEASURES or asked.name == "separated-l"
        if not is_known or (asked.column is not None and asked.column not in policy.sensitive_names):
            checks.add(f"requirement {_named(asked)}", False, "there is no way to count it")
            continue
        if asked.name == "separated-l":
            number = counted.separated(asked.column)
        else:
            number = counted.measured(asked.column)[MEASURES[asked.name]]
        holds = number >= asked.wanted if asked.name in AT_LEAST else number <= asked.wanted + TOLERANCE
        found.append(_measured(asked, number, holds))
        checks.add(
            f"requirement {_named(asked)}",
            holds,
            f"{shown(asked.wanted)} was asked for, and the release has {shown(number)}",
        )
    for cap in policy.caps:
        if cap.name == "largest-cluster":
            most: float | None = partition.largest
        else:
            most = partition.moved()
        if most is None:
            checks.left_out.append(f"{_named(cap)}, which is counted in distances that are not in the policy")
            continue
        holds = most <= cap.wanted + TOLERANCE
        found.append(_measured(cap, most, holds))
        checks.add(
            f"requirement {_named(cap)}",
            holds,
            f"{shown(cap.wanted)} was asked for, and the release has {shown(most)}",
        )
    if not policy.requirements:
        checks.left_out.append("any protection, because the policy asks for none")
    return tuple(found)


def _named(asked: StatedRequirement) -> str:
    return asked.name if asked.column is None else f"{asked.name}:{asked.column}"


def _measured(asked: StatedRequirement, found: float, holds: bool) -> MeasuredRequirement:
    return MeasuredRequirement(
        name=asked.name, column=asked.column, wanted=asked.wanted, found=found, holds=holds
    )
