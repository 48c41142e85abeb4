r"""Three methods that merge pair by pair, by what a merge takes from the information about S and about X.

**The agglomerative information bottleneck** (Slonim and Tishby 1999) merges the pair that loses least
information about S, so it keeps what privacy wants to hide: the opposite goal, in the comparison to show what
that costs.

**The privacy funnel** (Makhdoumi, Salamatian, Fawaz, Médard 2014, Algorithm 1): of the pairs that leave
enough information about X, merge the one that takes the most information about S; stop when no pair is left.

**Pairwise agglomeration** merges while the Lagrangian :math:`I(S; \hat X) - \lambda I(X; \hat X)` falls.
IAC-MDSF set out to improve on it by merging whole subsets. Neither is always the better one.

Ties: the pair with the earliest first cluster, then the earliest second.
"""

from __future__ import annotations

from math import inf
from typing import Literal, TypeAlias, get_args

from hartley.errors import OptionError, UnreachableError
from hartley.model import JointRange
from hartley.search.baselines.information import Masses
from hartley.search.baselines.pair_merging import GRID, InformationRun, PairRule, merge_pairs
from hartley.search.effort import UNLIMITED, Effort

Kept: TypeAlias = Literal["public", "sensitive"]
KEPT: tuple[Kept, ...] = get_args(Kept)


def privacy_funnel(
    joint: JointRange, *, at_least: float, kept: Kept = "public", effort: Effort = UNLIMITED
) -> InformationRun:
    r"""Merge while at least so many bits are kept.

    ``kept="public"``, the funnel: keep :math:`I(X; \hat X)`, take the most from
    :math:`I(S; \hat X)`. ``kept="sensitive"``, its dual, the bottleneck: the two change places.

    >>> from hartley.examples import toy
    >>> privacy_funnel(toy(), at_least=1.0).partition
    Partition({0, 2, 4, 5, 6}, {1}, {3})
    """
    if kept not in KEPT:
        raise OptionError.unknown("information to keep", kept, KEPT)
    masses = Masses.of(joint)
    there = masses.public_entropy if kept == "public" else masses.information
    if at_least > there + 1 / GRID:
        raise UnreachableError(
            f"no release keeps {at_least:g} bits about the {kept} values; the untouched table has {there:.4g}"
        )
    if kept == "public":
        rule = PairRule(
            cost_of_sensitive=-1.0, cost_of_public=0.0, spends=(0.0, 1.0), budget=there - at_least
        )
    else:
        rule = PairRule(
            cost_of_sensitive=0.0, cost_of_public=-1.0, spends=(1.0, 0.0), budget=there - at_least
        )
    return merge_pairs(joint, rule, effort)


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
