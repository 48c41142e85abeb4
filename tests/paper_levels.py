"""The levels of the paper's questions as tests ask for them: a function for each leakage and cost."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange, Partition
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Level, Levels
from hartley.search.points.ladders import searched_levels
from hartley.search.sizes.frontier import size_search

Starts = Sequence[Partition]


def l0_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Starts = ()) -> Levels:
    return searched_levels(joint, "l0", Resolution(joint.public.size), effort, starts)


def joint_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Starts = ()) -> Levels:
    return searched_levels(joint, "joint", Resolution(joint.public.size), effort, starts)


def l0_level(joint: JointRange, largest: int, effort: Effort = UNLIMITED, starts: Starts = ()) -> Level:
    return size_search(joint, effort, starts).solve_within(largest)


def l0_distortion_levels(
    joint: JointRange, utility: LineDistortion, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Levels:
    return searched_levels(joint, "l0", utility, effort, starts)


def istar_distortion_levels(
    joint: JointRange, utility: LineDistortion, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Levels:
    return searched_levels(joint, "istar", utility, effort, starts)


def joint_distortion_levels(
    joint: JointRange, utility: LineDistortion, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Levels:
    return searched_levels(joint, "joint", utility, effort, starts)
