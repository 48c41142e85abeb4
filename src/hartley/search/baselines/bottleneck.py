r"""The agglomerative information bottleneck (Slonim and Tishby 1999).

Merges the pair that loses least information about S, so it keeps what privacy wants
to hide: the opposite goal, in the comparison to show what that costs.

Ties: the pair with the earliest first cluster, then the earliest second.
"""

from __future__ import annotations

from math import inf

from hartley.errors import OptionError
from hartley.model import JointRange
from hartley.search.baselines.pair_merging import InformationRun, PairRule, merge_pairs
from hartley.search.effort import UNLIMITED, Effort


def agglomerative_bottleneck(
    joint: JointRange, *, trade_off: float = inf, effort: Effort = UNLIMITED
) -> InformationRun:
    r"""Merge down to one cluster, each time the pair with the least :math:`\delta_S - \delta_X / \beta`.

    ``trade_off`` is :math:`\beta`: infinite, the default, looks at the information about S
    alone. One run holds a partition for every number of clusters:
    ``run.partition_into(5)``.

    >>> from hartley.examples import toy
    >>> agglomerative_bottleneck(toy()).partition_into(6)
    Partition({0}, {1}, {2, 3}, {4}, {5}, {6})
    """
    if not trade_off > 0:
        raise OptionError("the trade-off of the bottleneck must be a positive number")
    return merge_pairs(joint, PairRule(cost_of_sensitive=1.0, cost_of_public=-1 / trade_off), effort)
