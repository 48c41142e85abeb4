"""Which optimal search answers which question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, Partition
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.optimal.istar_distortion import istar_distortion_levels
from hartley.search.optimal.istar_resolution import istar_levels
from hartley.search.optimal.joint_distortion import joint_distortion_levels
from hartley.search.optimal.l0_distortion import l0_distortion_levels
from hartley.search.optimal.l0_resolution import l0_levels
from hartley.search.optimal.level import Levels

ON_A_LINE = {"l0": l0_distortion_levels, "istar": istar_distortion_levels, "joint": joint_distortion_levels}


def optimal_levels(
    joint: JointRange,
    leakage: Literal["l0", "istar", "joint"],
    utility: Utility,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Levels:
    """Give the best partition known at every utility level, and the bound that none can beat.

    No level is worse than the best of ``starts`` that fits it.
    """
    if joint.side is None and isinstance(utility, LineDistortion):
        return ON_A_LINE[leakage](joint, utility, effort, starts)
    if isinstance(utility, Resolution) and leakage == "istar":
        return istar_levels(joint)
    return l0_levels(joint, effort, starts)
