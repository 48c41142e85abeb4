r"""Alphabet first, then noise (the paper's last idea, Section VIII).

A partition fixes which values may be released; here the deterministic map onto them is
replaced by the best random one, :math:`p(\hat x | x)`, that minimises

.. math:: F = I(S; \hat X) + \beta\, \mathrm E[d(X, \hat X)], \quad S - X - \hat X .

One round replaces the map by

.. math:: p(\hat x | x) \propto p(\hat x | x)\,
          \exp\Big( -\sum_s p(s | x) \ln \frac{p(\hat x | s)}{p(\hat x)} - \beta\, d(x, \hat x) \Big),

which minimises an upper bound of :math:`F` that touches it at the present map, so :math:`F` never
rises. :math:`F` is convex, and the slope at the map reached bounds what is left to gain.

Everything is deterministic; the rounds are the only work and stop when asked to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.errors import InputError, OptionError
from hartley.measures.overlap import maximin_information
from hartley.measures.stochastic import JointDistribution, StochasticMeasures
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, frozen_array
from hartley.search.effort import UNLIMITED, Effort

if TYPE_CHECKING:
    from scipy.sparse import csr_array


MOST_ROUNDS = 5_000
TOLERANCE_NATS = 1e-9
"""A gap this small ends the run."""
LEAST_GAIN_NATS = 1e-14
"""So does a round that gains no more than rounding does."""
NEGLIGIBLE = 1e-9
"""Chances below this are released as never: noise of one row in a billion hides nobody."""
LEAST_CHANCE = 1e-200
"""During the run no chance falls to nothing, so that every slope exists."""


@dataclass(frozen=True, eq=False)
class NoiseCloseness:
    r"""The released value shall be close to the true one: adds :math:`\beta\, \mathrm E[d(X, \hat X)]`."""

    distances: Floats
    """How far each codeword (column) lies from each public value (row)."""
    weight: float
    r"""Nats of leakage that one unit of distance is worth, :math:`\beta`."""

    def __post_init__(self) -> None:
        if not 0 <= self.weight < inf:
            raise OptionError(f"no weight {self.weight:g}; a weight is a finite number, 0 or more")
        object.__setattr__(self, "distances", frozen_array(np.asarray(self.distances, dtype=float)))
        if (
            self.distances.ndim != 2
            or not np.isfinite(self.distances).all()
            or bool((self.distances < 0).any())
        ):
            raise InputError("distances form a table of finite numbers, none below zero")

    @classmethod
    def on_line(cls, joint: JointRange, partition: Partition, weight: float) -> NoiseCloseness:
        """Measure distance on the line from each public value to the middle of each cluster."""
        places = joint.public.positions
        if places is None or bool(np.isnan(places).any()):
            raise InputError("closeness on a line needs a position for every public value")
        lows = np.full(partition.size, inf)
        highs = np.full(partition.size, -inf)
        np.minimum.at(lows, partition.labels, places)
        np.maximum.at(highs, partition.labels, places)
        return cls(np.abs(places[:, None] - ((lows + highs) / 2)[None, :]), weight)

    @classmethod
    def to_own_cluster(cls, partition: Partition, weight: float) -> NoiseCloseness:
        """Count 1 for every row that is released as a cluster not its own."""
        return cls(1.0 - np.eye(partition.size)[partition.labels], weight)


@dataclass(frozen=True)
class Judgement:
    """One release judged both ways: by what is possible, and by how likely it is."""

    l0_bits: float
    istar_bits: float
    distinct_l: int
    stochastic: StochasticMeasures

    @classmethod
    def of(cls, distribution: JointDistribution) -> Judgement:
        """Judge a distribution, and the joint range that is its support."""
        support = distribution.support
        return cls(
            max_uncertainty_reduction(support),
            maximin_information(support),
            distinct_l(support),
            StochasticMeasures.of(distribution),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the judgement as it stands in JSON."""
        return {**vars(self), "stochastic": self.stochastic.to_dict()}


@dataclass(frozen=True, eq=False)
class NoisyRelease:
    """A random map onto the alphabet of a partition, and the road that led to it."""

    joint: JointRange
    partition: Partition
    purpose: NoiseCloseness
    channel: Floats
    r""":math:`p(\hat x | x)`: a row for each public value, a column for each cluster."""
    objectives: tuple[float, ...]
    """The objective F in nats before the first round and after each; it never rises."""
    gap_nats: float
    """No map on this alphabet has an objective lower by more."""
    complete: bool
    """Whether the rounds ended by themselves."""

    @property
    def objective(self) -> float:
        """The objective F reached, in nats."""
        return self.objectives[-1]

    @cached_property
    def distribution(self) -> JointDistribution:
        """The distribution of sensitive and released values."""
        return _noisy(JointDistribution.of(self.joint), self.channel)

    @cached_property
    def before(self) -> Judgement:
        """The partition without noise, judged both ways."""
        return Judgement.of(JointDistribution.of(self.joint, self.partition))

    @cached_property
    def after(self) -> Judgement:
        """The noisy release, judged both ways."""
        return Judgement.of(self.distribution)

    def to_dict(self) -> dict[str, Any]:
        """Return the run and both judgements as they stand in JSON."""
        return {
            "clusters": self.partition.size,
            "objective_nats": self.objective,
            "gap_nats": self.gap_nats,
            "rounds": len(self.objectives) - 1,
            "complete": self.complete,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }


def optimal_noise(
    joint: JointRange, partition: Partition, purpose: NoiseCloseness, effort: Effort = UNLIMITED
) -> NoisyRelease:
    """Find the random map onto the clusters of a partition that leaks least for its purpose."""
    if joint.side is not None:
        raise InputError("noise is found for a reader without side information; leave the side columns out")
    if len(partition.labels) != joint.public.size:
        raise InputError(
            f"a partition of {len(partition.labels)} values does not fit {joint.public.size} public values"
        )
    if purpose.distances.shape != (joint.public.size, partition.size):
        raise InputError(
            f"distances are needed from {joint.public.size} public values to {partition.size} clusters"
        )
    problem = _Problem.of(JointDistribution.of(joint), purpose)
    # The problem is convex, so it may start anywhere inside: halfway between the partition and pure noise.
    channel = np.eye(partition.size)[partition.labels] / 2 + 0.5 / partition.size
    here = problem.at(channel)
    objectives = [here.objective]
    gap, complete = here.gap, False
    for done in range(MOST_ROUNDS):
        if effort.should_stop():
            break
        effort.progress(done, MOST_ROUNDS, "rounds of noise")
        moved = _next_channel(channel, here.slopes)
        there = problem.at(moved)
        gained = here.objective - there.objective
        if gained >= 0:
            channel, here = moved, there
            gap = min(gap, there.gap)
            objectives.append(there.objective)
        # A rise can only be rounding: the map before stays.
        if gap <= TOLERANCE_NATS or gained <= LEAST_GAIN_NATS:
            complete = True
            break
    return NoisyRelease(joint, partition, purpose, _drawable(channel), tuple(objectives), gap, complete)


@dataclass(frozen=True)
class _Place:
    """What is known of one map: the objective, its slopes per unit of p(x), and what is left to gain."""

    objective: float
    slopes: Floats
    gap: float


@dataclass(frozen=True)
class _Problem:
    """The data of the minimisation, as matrices."""

    posterior: csr_array
    """p(s|x), a row for each public value."""
    forward: csr_array
    """p(x|s), a row for each sensitive value."""
    sensitive: Floats
    public: Floats
    purpose: NoiseCloseness

    @classmethod
    def of(cls, prior: JointDistribution, purpose: NoiseCloseness) -> _Problem:
        from scipy.sparse import csr_array

        shape = (prior.observations, prior.sensitive_size)
        return cls(
            csr_array((prior.posterior, prior.indices, prior.indptr), shape=shape),
            csr_array((prior.channel, prior.indices, prior.indptr), shape=shape).T.tocsr(),
            prior.sensitive_probabilities,
            prior.observation_probabilities,
            purpose,
        )

    def at(self, channel: Floats) -> _Place:
        released = self.public @ channel
        of_sensitive = np.asarray(self.forward @ channel)
        logs = np.log(of_sensitive) - np.log(released)
        leak = float(self.sensitive @ (of_sensitive * logs).sum(axis=1))
        costs = self.purpose.weight * self.purpose.distances
        slopes = np.asarray(self.posterior @ logs) + costs
        # A convex function lies above its tangent: no map can gain more than this.
        spare = (channel * slopes).sum(axis=1) - slopes.min(axis=1)
        gap = max(0.0, float(self.public @ spare))
        return _Place(leak + float(self.public @ (channel * costs).sum(axis=1)), slopes, gap)


def _next_channel(channel: Floats, slopes: Floats) -> Floats:
    raised = np.log(channel) - slopes
    raised = np.maximum(np.exp(raised - raised.max(axis=1, keepdims=True)), LEAST_CHANCE)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _drawable(channel: Floats) -> Floats:
    """Return the map without its negligible chances."""
    kept = np.where(channel < NEGLIGIBLE, 0.0, channel)
    return frozen_array(kept / kept.sum(axis=1, keepdims=True))


def _noisy(prior: JointDistribution, channel: Floats) -> JointDistribution:
    """Return the distribution of sensitive and released values, of the clusters that are still released."""
    from scipy.sparse import csr_array

    table = csr_array(
        (prior.probabilities, prior.indices, prior.indptr), shape=(prior.observations, prior.sensitive_size)
    )
    return JointDistribution.from_table(np.asarray(table.T @ channel))
