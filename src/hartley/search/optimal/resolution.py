"""Which search answers which question under resolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hartley.model import JointRange, Partition
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.optimal.istar_resolution import istar_levels
from hartley.search.optimal.joint_resolution import joint_levels
from hartley.search.optimal.l0_resolution import l0_levels
from hartley.search.optimal.level import Levels
from hartley.search.optimal.side_resolution import side_istar_levels, side_joint_levels, side_l0_levels

WITH_SIDE = {"l0": side_l0_levels, "istar": side_istar_levels, "joint": side_joint_levels}


def resolution_levels(
    joint: JointRange,
    leakage: Literal["l0", "istar", "joint"],
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Levels:
    """Give the least leakage found for every size of the largest cluster that matters, with its bound.

    No level is worse than the best of ``starts`` that fits it. ``joint`` is problem (3): the
    least worst-case leakage among partitions with I* = 0.

    >>> from hartley.examples import toy
    >>> [(level.cost, level.proven_optimal) for level in resolution_levels(toy(), "joint").levels]
    [(3, True), (4, True), (7, True)]
    """
    if joint.side is not None:
        return WITH_SIDE[leakage](joint, effort, starts)
    if leakage == "istar":
        return istar_levels(joint)
    return (l0_levels if leakage == "l0" else joint_levels)(joint, effort, starts)
