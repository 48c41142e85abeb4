"""How often values occur together: what the stochastic measures need to know.

The non-stochastic measures ask which pairs occur; these ask how often. Only pairs of
positive probability are kept, so a table of a million pairs stays a million numbers
however large the alphabets are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.arrays import Floats, Int64s, Ints, code_type, equal_arrays, frozen_array

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class JointDistribution:
    r"""The probability of every pair of an observation and a sensitive value, :math:`p(s, x)`.

    Kept as rows of observations, like :class:`~hartley.model.JointRange`: observation ``x`` occurs
    with the sensitive values ``indices[indptr[x]:indptr[x + 1]]``. Absent pairs have
    probability zero; every observation and every sensitive value has a positive one.

    >>> coin = JointDistribution.from_table([[3, 1], [1, 3]])
    >>> coin.sensitive_probabilities, coin.lift
    (array([0.5, 0.5]), array([1.5, 0.5, 0.5, 1.5]))
    """

    sensitive_size: int
    indptr: Int64s
    indices: Ints
    probabilities: Floats
    """Positive weights, one for each pair; they are divided by their sum."""

    def __post_init__(self) -> None:
        weights = np.asarray(self.probabilities, dtype=float)
        if not len(weights) or len(weights) != len(self.indices):
            raise InputError("a distribution needs at least one pair, and a weight for each pair")
        if not (np.isfinite(weights).all() and bool((weights > 0).all())):
            raise InputError("the weight of a pair must be positive and finite")
        if self.indptr[0] != 0 or self.indptr[-1] != len(weights) or bool((np.diff(self.indptr) < 1).any()):
            raise InputError("every observation needs at least one sensitive value")
        seen = np.bincount(self.indices, minlength=self.sensitive_size)
        if len(seen) != self.sensitive_size or not seen.all():
            raise InputError(f"each of the {self.sensitive_size} sensitive values must occur, and no other")
        object.__setattr__(self, "indptr", frozen_array(np.asarray(self.indptr)))
        object.__setattr__(self, "indices", frozen_array(np.asarray(self.indices)))
        object.__setattr__(self, "probabilities", frozen_array(weights / weights.sum()))

    @classmethod
    def of(cls, joint: JointRange, partition: Partition | None = None) -> JointDistribution:
        r"""Take the row frequencies of a table, or of its release, as probabilities.

        With side information an observation is the pair of released and side value: the
        measures then tell what both together say about S.

        >>> JointDistribution.of(JointRange.from_pairs([("a", 1), ("a", 1), ("b", 2)])).probabilities
        array([0.66666667, 0.33333333])
        """
        released = joint.release(partition)
        return cls(released.sensitive.size, released.indptr, released.indices, released.rows.astype(float))

    @classmethod
    def from_table(cls, weights: npt.ArrayLike) -> JointDistribution:
        """Build from a table of weights with a row for each sensitive value and a column for each public one.

        Rows and columns of zeros are dropped: their values are not in the range.
        """
        table = np.asarray(weights, dtype=float)
        if table.ndim != 2 or bool((table < 0).any()):
            raise InputError("a table of weights has rows and columns, and no weight below zero")
        table = table[table.any(axis=1)][:, table.any(axis=0)]
        public_codes, sensitive_codes = np.nonzero(table.T)
        return cls.from_codes(public_codes, sensitive_codes, table[sensitive_codes, public_codes])

    @classmethod
    def from_codes(cls, public_codes: Ints, sensitive_codes: Ints, weights: Floats) -> JointDistribution:
        """Build from parallel arrays of codes and weights; the weights of equal pairs are added."""
        if not len(weights):
            raise InputError("a distribution needs at least one pair, and a weight for each pair")
        width = int(sensitive_codes.max()) + 1
        keys = np.asarray(public_codes).astype(np.int64) * width + sensitive_codes
        if bool((keys[1:] > keys[:-1]).all()):
            summed = np.asarray(weights, dtype=float)
        else:
            keys, inverse = np.unique(keys, return_inverse=True)
            summed = np.bincount(inverse, weights=weights, minlength=len(keys))
        counts = np.bincount(keys // width)
        indptr = np.concatenate(([0], np.cumsum(counts)))
        return cls(width, indptr, (keys % width).astype(code_type(width)), summed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointDistribution):
            return NotImplemented
        return self.sensitive_size == other.sensitive_size and all(
            equal_arrays(getattr(self, name), getattr(other, name))
            for name in ("indptr", "indices", "probabilities")
        )

    def __hash__(self) -> int:
        return hash((self.sensitive_size, self.observations, self.probabilities.tobytes()))

    def __repr__(self) -> str:
        return (
            f"JointDistribution({self.observations} observations, {self.sensitive_size} sensitive values, "
            f"{self.pairs} pairs)"
        )

    @property
    def pairs(self) -> int:
        """How many pairs have a positive probability."""
        return len(self.indices)

    @property
    def observations(self) -> int:
        """How many different things a reader can see."""
        return len(self.indptr) - 1

    @property
    def is_full(self) -> bool:
        """Whether every observation leaves every sensitive value possible."""
        return self.pairs == self.observations * self.sensitive_size

    @cached_property
    def observation_of(self) -> Ints:
        """The observation of each pair."""
        numbers = np.arange(self.observations, dtype=code_type(self.observations))
        return frozen_array(np.repeat(numbers, np.diff(self.indptr)))

    @cached_property
    def sensitive_probabilities(self) -> Floats:
        """The prior :math:`p(s)`."""
        prior = np.bincount(self.indices, weights=self.probabilities, minlength=self.sensitive_size)
        return frozen_array(np.asarray(prior, dtype=float))

    @cached_property
    def observation_probabilities(self) -> Floats:
        """How often each observation is made, :math:`p(x)`."""
        return frozen_array(np.add.reduceat(self.probabilities, self.indptr[:-1]))

    @cached_property
    def posterior(self) -> Floats:
        """Of each pair :math:`p(s | x)`: what a reader who sees x believes of s."""
        return frozen_array(self.probabilities / self.observation_probabilities[self.observation_of])

    @cached_property
    def channel(self) -> Floats:
        """Of each pair :math:`p(x | s)`: how often the sensitive value shows as this observation."""
        return frozen_array(self.probabilities / self.sensitive_probabilities[self.indices])

    @cached_property
    def lift(self) -> Floats:
        """Of each pair :math:`p(s | x) / p(s)`: by what factor seeing x makes s likelier."""
        return frozen_array(self.posterior / self.sensitive_probabilities[self.indices])

    @cached_property
    def support(self) -> JointRange:
        """Which pairs occur, without how often: what the non-stochastic measures see."""
        return JointRange(
            Alphabet.numbered(self.sensitive_size, "sensitive"),
            Alphabet.numbered(self.observations, "observation"),
            self.indptr,
            self.indices,
            np.ones(self.pairs, dtype=np.int32),
        )

    @cached_property
    def reversed(self) -> JointDistribution:
        """The same distribution with the roles exchanged."""
        return JointDistribution.from_codes(self.indices, self.observation_of, self.probabilities)

    def release(self, partition: Partition) -> JointDistribution:
        """Return the distribution after merging observations."""
        partition.require_size(self.observations, "observations")
        return JointDistribution.from_codes(
            partition.labels[self.observation_of], self.indices, self.probabilities
        )

    def largest_of_observations(self, values: Floats) -> Floats:
        """Return, of each observation, the largest of the values its pairs have."""
        return np.maximum.reduceat(values, self.indptr[:-1])


def of_frequencies(
    measure: Callable[Concatenate[JointDistribution, P], R],
) -> Callable[Concatenate[JointDistribution | JointRange, P], R]:
    """Have a measure take a joint range in place of a distribution: its row frequencies.

    >>> rows = of_frequencies(lambda distribution: distribution.probabilities)
    >>> rows(JointRange.from_pairs([("a", 1), ("a", 1), ("b", 2)]))
    array([0.66666667, 0.33333333])
    """

    @wraps(measure)
    def call(distribution: JointDistribution | JointRange, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if isinstance(distribution, JointRange):
            distribution = JointDistribution.of(distribution)
        return measure(distribution, *args, **kwargs)

    return call
