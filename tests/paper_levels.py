"""The levels of the paper's questions as tests ask for them: a function for each leakage and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hartley.errors import UnreachableError
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.model.words import Leakage
from hartley.search.answer import Answer
from hartley.search.any_utility import AnyAxis
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.few_values.walk import best_of_few, is_walked
from hartley.search.line.axis import LineAxis
from hartley.search.line.components.connected import ConnectedAxis
from hartley.search.line.components.fewest import ComponentAxis
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.problem import Problem
from hartley.search.sizes.withheld import Withholding, sizes_of_components
from hartley.search.solve import sweep_of
from hartley.search.sweep import Sweep

Starts = Sequence[Partition]


@dataclass(frozen=True)
class Levels:
    """Answers from the least cost to the greatest, and whether the search came to its end."""

    levels: tuple[Answer, ...]
    complete: bool


def levels_of(sweep: Sweep) -> Levels:
    """Sweep over all levels."""
    complete = sweep.run()
    return Levels(tuple(sweep.answers()), complete)


def searched_levels(
    joint: JointRange, leakage: Leakage, utility: Utility, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Levels:
    """Search all levels, below the door behind which a few values are walked over."""
    if isinstance(utility, ColumnsDistortion):
        return levels_of(Sweep(AnyAxis(joint, utility, leakage, effort), effort, starts))
    try:
        return levels_of(sweep_of(Problem(joint=joint, utility=utility, leakage=leakage), effort, starts))
    except UnreachableError:
        if isinstance(utility, LineDistortion) and joint.side is None:
            raise
        # Side information keeps components apart however much is merged.
        return Levels((), complete=True)


def optimal_levels(
    joint: JointRange, leakage: Leakage, utility: Utility, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Levels:
    """Search all levels; of a few values all partitions are walked over."""
    problem = Problem(joint=joint, utility=utility, leakage=leakage)
    try:
        few = best_of_few(problem, leakage, effort) if is_walked(problem) else None
    except UnreachableError:
        return Levels((), complete=True)
    return searched_levels(joint, leakage, utility, effort, starts) if few is None else Levels(few, True)


def line_values(joint: JointRange, utility: LineDistortion) -> OrderedValues:
    return OrderedValues.of(joint, utility, [Requirement("distinct-l", 1)])


def candidate_search(
    joint: JointRange, utility: LineDistortion, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Sweep:
    return Sweep(LineAxis(line_values(joint, utility)), effort, starts)


def connected_search(
    joint: JointRange, utility: LineDistortion, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Sweep:
    return Sweep(ConnectedAxis(joint, line_values(joint, utility), 0, effort, starts), effort, starts)


def istar_search(
    joint: JointRange, utility: LineDistortion, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Sweep:
    return Sweep(ComponentAxis(joint, line_values(joint, utility)), effort, starts)


def size_search(
    joint: JointRange, effort: Effort = UNLIMITED, starts: Starts = (), *, one_component: bool = False
) -> Sweep:
    leakage: Leakage = "joint" if one_component else "l0"
    utility = Resolution(joint.public.size)
    return sweep_of(Problem(joint=joint, utility=utility, leakage=leakage), effort, starts)


def l0_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Starts = ()) -> Levels:
    return searched_levels(joint, "l0", Resolution(joint.public.size), effort, starts)


def joint_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Starts = ()) -> Levels:
    return searched_levels(joint, "joint", Resolution(joint.public.size), effort, starts)


def istar_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Starts = ()) -> Levels:
    if joint.side is None:
        asked = Withholding(joint, 0)
        return Levels(tuple(asked.answer(size) for size in sizes_of_components(asked)), complete=True)
    return searched_levels(joint, "istar", Resolution(joint.public.size), effort, starts)


def l0_level(joint: JointRange, largest: int, effort: Effort = UNLIMITED, starts: Starts = ()) -> Answer:
    return size_search(joint, effort, starts).best_within(largest)


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


def fewest_components_within(
    joint: JointRange, utility: LineDistortion, cost: float, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Answer:
    return istar_search(joint, utility, effort, starts).best_within(cost)


def least_distortion_for_components(
    joint: JointRange, utility: LineDistortion, most: int, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Answer:
    sweep = istar_search(joint, utility, effort, starts)
    return sweep.best(sweep.axis.count - most + 1)


def smallest_clusters(
    joint: JointRange,
    wanted: int,
    effort: Effort = UNLIMITED,
    starts: Starts = (),
    *,
    one_component: bool = False,
) -> Answer:
    """The smallest clusters that keep so many candidates, for a reader who knew nothing."""
    return size_search(joint.knowing(0), effort, starts, one_component=one_component).best(wanted)


def istar_level(joint: JointRange, largest: int) -> Answer:
    """The fewest components that clusters of at most so many values leave."""
    return Withholding(joint, 0).answer(largest)


def levels_of_any_utility(
    joint: JointRange, utility: Utility, leakage: Leakage, effort: Effort = UNLIMITED, starts: Starts = ()
) -> Levels:
    return levels_of(Sweep(AnyAxis(joint, utility, leakage, effort), effort, starts))
