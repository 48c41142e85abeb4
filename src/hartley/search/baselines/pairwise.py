r"""Merge pairs while the Lagrangian :math:`I(S; \hat X) - \lambda I(X; \hat X)` falls.

The pairwise agglomeration that IAC-MDSF set out to improve on by merging whole subsets. Neither
is always the better one.

Ties: the pair with the earliest first cluster, then the earliest second.
"""

from __future__ import annotations

from hartley.errors import OptionError
from hartley.model import JointRange
from hartley.search.baselines.pair_merging import InformationRun, PairRule, merge_pairs
from hartley.search.effort import UNLIMITED, Effort


def pairwise_agglomeration(
    joint: JointRange, *, utility_weight: float, effort: Effort = UNLIMITED
) -> InformationRun:
    r"""Merge the pair that lowers the Lagrangian most, until none does.

    >>> from hartley.examples import toy
    >>> pairwise_agglomeration(toy(), utility_weight=0.5).partition
    Partition({0, 2, 4, 5, 6}, {1, 3})
    """
    if not utility_weight >= 0:
        raise OptionError("the utility weight cannot be negative")
    rule = PairRule(cost_of_sensitive=-1.0, cost_of_public=utility_weight, ceiling=0.0)
    return merge_pairs(joint, rule, effort)
