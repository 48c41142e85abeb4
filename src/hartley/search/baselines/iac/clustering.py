r"""IAC-MDSF (Ding and Sadeghi 2019): merge a whole subset of clusters at a time.

Minimises :math:`I(S; \hat X) - \lambda I(X; \hat X)`. Each step merges the subset that lowers
it most, found as the minimum of a difference of submodular functions (:mod:`.modmod`), until none
lowers it. With few clusters all subsets are tried; with many, ModMod starts from the most
promising pairs, and the subset it finds need not be the best one.

Even with every step exact the end need not beat merging pair by pair: a large first step can
be greedy.

Ties, after rounding to 12 decimals: exact, the smallest subset, then the earliest;
ModMod, the first found, pairs being tried from the best.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from hartley.errors import OptionError
from hartley.model import JointRange, Partition
from hartley.search.baselines.iac.modmod import NO_CHANGE, all_changes, best_subset
from hartley.search.baselines.iac.subsets import EXACT_UP_TO, SubsetRun, least_subset, members
from hartley.search.baselines.information import Masses
from hartley.search.effort import UNLIMITED, Effort

Solver: TypeAlias = Literal["auto", "exact", "modmod"]
SOLVERS: tuple[Solver, ...] = get_args(Solver)

RESTARTS = 1000
"""From how many pairs ModMod starts: all of them up to 45 clusters."""


def iac_mdsf(
    joint: JointRange,
    *,
    utility_weight: float,
    solver: Solver = "auto",
    restarts: int = RESTARTS,
    effort: Effort = UNLIMITED,
) -> SubsetRun:
    r"""Merge subsets while that lowers :math:`I(S; \hat X) - \lambda I(X; \hat X)`.

    ``utility_weight`` is :math:`\lambda`; at 0 everything is merged, from 1 on nothing is.
    ``solver="auto"`` tries all subsets of up to 15 clusters and asks ModMod where there are more.

    >>> from hartley.examples import toy
    >>> iac_mdsf(toy(), utility_weight=0.8).partition
    Partition({0, 2, 4, 5, 6}, {1, 3})
    """
    if solver not in SOLVERS:
        raise OptionError.unknown("solver", solver, SOLVERS)
    if utility_weight < 0:
        raise OptionError("the utility weight cannot be negative")
    if solver == "exact" and joint.public.size > EXACT_UP_TO:
        raise OptionError(
            f"the exact solver takes up to {EXACT_UP_TO} public values, not {joint.public.size}; "
            "choose 'modmod'"
        )
    partitions = [Partition.singletons(joint.public.size)]
    changes: list[float] = []
    # By data processing a merge never takes more from I(S) than from I(X), so weight 1 forbids all.
    while utility_weight < 1 and partitions[-1].size > 1 and not effort.should_stop():
        masses = Masses.of(joint, partitions[-1])
        if solver == "exact" or (solver == "auto" and masses.size <= EXACT_UP_TO):
            mask = least_subset(all_changes(masses, utility_weight), masses.size)
            chosen = members(mask, masses.size)
        else:
            chosen = np.flatnonzero(best_subset(masses, utility_weight, restarts)).tolist()
        if len(chosen) < 2:
            break
        merged = partitions[-1].merge(*chosen)
        change = _lagrangian(Masses.of(joint, merged), utility_weight) - _lagrangian(masses, utility_weight)
        if change >= -NO_CHANGE:
            break
        partitions.append(merged)
        changes.append(change)
        effort.progress(joint.public.size - merged.size, joint.public.size - 1, "merges")
    return SubsetRun(tuple(partitions), tuple(changes))


def _lagrangian(masses: Masses, utility_weight: float) -> float:
    return masses.information - utility_weight * masses.public_entropy
