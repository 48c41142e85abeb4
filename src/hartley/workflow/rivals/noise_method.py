"""Alphabet first, then noise, at the same average closeness as the partition it starts from.

A random map has no worst case to compare with: given time, every public value may be released as
almost every codeword. What can be held equal is the average. Where public values lie on a line, the noise
may move a row as far on average as the partition does; elsewhere one row in ten may be released as a
cluster not its own. The weight that does this is found by halving; closeness is a convex problem, so more
weight never means less closeness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from hartley.baselines.noise import NoiseCloseness, NoisyRelease, optimal_noise
from hartley.errors import InputError, UnreachableError, option
from hartley.measures.stochastic import JointDistribution
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.search.effort import Effort
from hartley.search.problem import Problem

MOST_CHANCES = 30_000
"""Public values times clusters; the rounds of a larger map take too long for a comparison."""
STRAY_SHARE = 0.1
"""Where nothing lies on a line: the share of rows that may be released as a cluster not their own."""
POWERS = 14
"""Weights from 2 ** -14 to 2 ** 14 units are looked at; a unit is a nat for the average distance allowed."""
REFINEMENTS = 3


@dataclass(frozen=True, kw_only=True)
class NoiseFound:
    """The noisy release, and its average distance beside the partition's."""

    release: NoisyRelease
    setting: str
    mean_before: float
    """Average distance between a true and a released value under the partition, or share of stray rows."""
    mean_after: float
    max_distortion: float | None
    """The farthest a row may be moved; ``None`` under resolution."""

    @property
    def released(self) -> int:
        """How many different values are released with any chance."""
        return int((self.release.channel > 0).any(axis=0).sum())

    @property
    def largest_cluster(self) -> int:
        """How many public values may stand behind one released value."""
        return int((self.release.channel > 0).sum(axis=0).max())

    @property
    def components(self) -> int:
        """How many groups of sensitive values are still told apart for certain."""
        return round(2**self.release.after.istar_bits)

    def utility(self, question: Problem) -> float:
        r"""Return the utility in the worst case: :math:`[\![X | \hat x]\!]` is all that may have been."""
        if question.utility.name == "resolution":
            return log2(question.joint.public.size / self.largest_cluster)
        return question.utility.of_cost(self.max_distortion or 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the run and both judgements as they stand in JSON."""
        return {
            "setting": self.setting,
            "mean_distance_before": self.mean_before,
            "mean_distance_after": self.mean_after,
            **self.release.to_dict(),
        }


def noise_beside(question: Problem, partition: Partition, effort: Effort) -> NoiseFound:
    """Find the noise on the clusters of a partition that leaks least at the same average closeness.

    Refuses, with the reason, where there is nothing to compare: side information, one cluster, no
    distance to spend, or a map too large.
    """
    joint, utility = question.joint, question.utility
    if joint.side is not None:
        raise InputError("noise is found for a reader without side information")
    if partition.size < 2:
        raise InputError("with one released value there is nothing to draw")
    if joint.public.size * partition.size > MOST_CHANCES:
        raise InputError(
            f"it is made for maps of up to {MOST_CHANCES:,} chances, "
            f"and here there are {joint.public.size * partition.size:,}"
        )
    if utility.name == "resolution":
        allowed, worded = STRAY_SHARE, f"{1 - STRAY_SHARE:.0%} of the rows keep their cluster"

        def purpose(weight: float) -> NoiseCloseness:
            return NoiseCloseness.to_own_cluster(partition, weight)
    elif isinstance(utility, LineDistortion):
        own = NoiseCloseness.on_line(_on_line(joint), partition, 0.0).distances
        allowed = _mean(joint, np.eye(partition.size)[partition.labels], own)
        if allowed <= 0:
            raise InputError("the release is exact, so there is no distance to spend on noise")
        worded = f"moves a row by {allowed:.4g} on average, as the partition does"

        def purpose(weight: float) -> NoiseCloseness:
            return NoiseCloseness(own, weight)
    else:
        raise InputError("distances over several columns have no noise here")
    found = _lightest(joint, partition, purpose, allowed, effort)
    if utility.name == "resolution":
        before, farthest = 0.0, None
    else:
        before, farthest = allowed, float(purpose(0.0).distances[found.channel > 0].max())
    return NoiseFound(
        release=found,
        setting=worded,
        mean_before=before,
        mean_after=_mean_of(joint, found),
        max_distortion=farthest,
    )


def _on_line(joint: JointRange) -> JointRange:
    if joint.public.positions is None or bool(np.isnan(joint.public.positions).any()):
        raise InputError(f"empty cells cannot be merged with numbers; place them with {option('missing_at')}")
    return joint


def _lightest(
    joint: JointRange,
    partition: Partition,
    purpose: Callable[[float], NoiseCloseness],
    allowed: float,
    effort: Effort,
) -> NoisyRelease:
    """Return the map of the least weight whose average distance is within what is allowed."""
    unit = 1 / allowed
    best: NoisyRelease | None = None

    def fits(power: float) -> bool:
        nonlocal best
        found = optimal_noise(joint, partition, purpose(unit * 2.0**power), effort)
        if _mean_of(joint, found) > allowed * (1 + 1e-9):
            return False
        best = found
        return True

    low, high = -float(POWERS), float(POWERS)
    if not fits(high):
        raise UnreachableError("no map that was found is as close on average as the partition")
    while high - low > 2.0**-REFINEMENTS and not effort.should_stop():
        middle = (low + high) / 2
        if fits(middle):
            high = middle
        else:
            low = middle
    if best is None:
        raise UnreachableError("no map that was found is as close on average as the partition")
    return best


def _mean_of(joint: JointRange, found: NoisyRelease) -> float:
    return _mean(joint, found.channel, found.purpose.distances)


def _mean(joint: JointRange, channel: Any, distances: Any) -> float:
    shares = JointDistribution.of(joint).observation_probabilities
    return float(shares @ (channel * distances).sum(axis=1))
