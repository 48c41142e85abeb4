"""Frontiers of the paper's questions, searched below the walk over a few values."""

from __future__ import annotations

from hartley.measures.utility import Resolution, Utility
from hartley.model import JointRange
from hartley.model.words import Leakage
from hartley.search.answer import Answer
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.problem import Problem
from hartley.search.solve import sweep_of
from hartley.search.sweep import Sweep


def sweep(
    joint: JointRange, utility: Utility | None = None, leakage: Leakage = "l0", effort: Effort = UNLIMITED
) -> Sweep:
    """Return a sweep that has not begun; without a utility a cluster costs its number of values."""
    cost = Resolution(joint.public.size) if utility is None else utility
    return sweep_of(Problem(joint=joint, utility=cost, leakage=leakage), effort)


def levels(
    joint: JointRange, utility: Utility | None = None, leakage: Leakage = "l0", effort: Effort = UNLIMITED
) -> tuple[Answer, ...]:
    """Search all levels."""
    begun = sweep(joint, utility, leakage, effort)
    begun.run()
    return tuple(begun.answers())
