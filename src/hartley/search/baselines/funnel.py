r"""The privacy funnel's greedy merge (Makhdoumi, Salamatian, Fawaz, Médard 2014, Algorithm 1).

Of the pairs that leave enough information about X, merge the one that takes the most
information about S; stop when no pair is left.

Ties: the pair with the earliest first cluster, then the earliest second.
"""

from __future__ import annotations

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
