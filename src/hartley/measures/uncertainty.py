r"""How far a released value narrows the sensitive value down.

Every function takes the joint range and, for a release, the partition of its public
values; without a partition it measures the table as it is. With side information the
observation is the pair of released value and side value, and leakage is counted from
what the reader knew before: :math:`[\![S | a]\!]` instead of :math:`[\![S]\!]` (paper,
end of Section V). With a tolerance or groups, sensitive values that are close count as one
(:mod:`~hartley.measures.separation`).
"""

from __future__ import annotations

from math import log2

import numpy as np

from hartley.errors import InputError
from hartley.measures.separation import chain_counts, separated_values
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, Int64s
from hartley.model.closeness import NO_CLOSENESS, Closeness


def hartley_entropy(size: int) -> float:
    """Return the bits needed to name one of ``size`` possible values, :math:`H_0` (Section II).

    Parameters
    ----------
    size : int
        How many values are possible.

    Returns
    -------
    float
        ``log2(size)``.

    Raises
    ------
    InputError
        If no value is possible.

    Examples
    --------
    >>> import hartley
    >>> hartley.hartley_entropy(8)
    3.0
    """
    if size < 1:
        raise InputError("the Hartley entropy is of at least one possible value")
    return log2(size)


def candidate_counts(
    joint: JointRange, partition: Partition | None = None, closeness: Closeness = NO_CLOSENESS
) -> Int64s:
    r"""Return how many sensitive values each observation leaves possible, :math:`|[\![S | \hat x]\!]|`.

    With a tolerance :math:`N_\tau([\![S|\hat x]\!])`: the most of them that are pairwise more than it apart.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.
    closeness : Closeness, optional
        Which sensitive values count as one; without it, none do.

    Returns
    -------
    numpy.ndarray
        One count for each observation: a released value, together with a side value where there is one.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> hartley.candidate_counts(toy()).tolist()
    [2, 1, 1, 1, 1, 1, 1]
    """
    released = joint.release(partition)
    if closeness.is_empty:
        return np.diff(released.indptr)
    codes = closeness.codes(released.sensitive)
    return chain_counts(
        released.observation_of, codes.code_of[released.indices], codes, released.observations
    )


def prior_counts(
    joint: JointRange, partition: Partition | None = None, closeness: Closeness = NO_CLOSENESS
) -> Int64s:
    r"""How many sensitive values were possible before each observation.

    :math:`|[\![S]\!]|`, or :math:`|[\![S | a]\!]|` for what is known of the side value of the observation.
    """
    released = joint.release(partition)
    if released.observed_side is None:
        return np.full(released.observations, separated_values(released, closeness), dtype=np.int64)
    return prior_counts_of_side(released, closeness)[released.observed_side]


def prior_counts_of_side(joint: JointRange, closeness: Closeness = NO_CLOSENESS) -> Int64s:
    """How many sensitive values are possible for a reader of each side value, by what he knew beforehand."""
    assert joint.side is not None and joint.observed_side is not None  # noqa: S101, PT018
    known = np.arange(joint.side.size) if joint.known_of_side is None else joint.known_of_side
    of_pair = known[joint.observed_side[joint.observation_of]].astype(np.int64)
    codes = closeness.codes(joint.sensitive)
    return chain_counts(of_pair, codes.code_of[joint.indices], codes, int(known.max()) + 1)[known]


def conditional_entropy(joint: JointRange, partition: Partition | None = None) -> float:
    r"""Return the most bits still missing after an observation, :math:`H_0(S | \hat X)` (Section III-A).

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    float
        ``log2`` of the largest of the :func:`candidate_counts`.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> hartley.conditional_entropy(toy())
    1.0
    """
    return log2(candidate_counts(joint, partition).max())


def least_posterior_entropy(joint: JointRange, partition: Partition | None = None) -> float:
    r"""Return the fewest bits still missing after an observation, :math:`B_0(S | \hat X)` (Section III-A).

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    float
        ``log2`` of the smallest of the :func:`candidate_counts`.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> hartley.least_posterior_entropy(toy())
    0.0
    """
    return log2(candidate_counts(joint, partition).min())


def min_uncertainty_reduction(joint: JointRange, partition: Partition | None = None) -> float:
    r"""Return the bits about S that every released value reveals at least, :math:`I_0(S \to \hat X)`.

    .. math:: \min_{\hat x} \log_2 |[\![S]\!]| / |[\![S | \hat x]\!]|

    Nair's non-stochastic 0-information (Section III-A); not symmetric in S and X.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    float
        Bits; 0 where some released value rules nothing out.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> from math import log2
    >>> hartley.min_uncertainty_reduction(toy()) == log2(6 / 2)
    True
    """
    return log2(_reductions(joint, partition, NO_CLOSENESS).min())


def max_uncertainty_reduction(
    joint: JointRange, partition: Partition | None = None, closeness: Closeness = NO_CLOSENESS
) -> float:
    r"""Return the most bits about S that one released value reveals, :math:`L_0(S \to \hat X)`.

    .. math:: \max_{\hat x} \log_2 |[\![S]\!]| / |[\![S | \hat x]\!]|

    The worst case (Section III-A). Without side information never less than
    :func:`~hartley.measures.overlap.maximin_information` (Proposition 1), and equal to
    ``log2(|S| / distinct_l)`` (Lemma 1).

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.
    closeness : Closeness, optional
        Which sensitive values count as one; without it, none do.

    Returns
    -------
    float
        Bits; 0 where no released value rules anything out.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> from math import log2
    >>> hartley.max_uncertainty_reduction(toy()) == log2(6)
    True
    """
    return log2(_reductions(joint, partition, closeness).max())


def distinct_l(
    joint: JointRange, partition: Partition | None = None, closeness: Closeness = NO_CLOSENESS
) -> int:
    """Return the fewest sensitive values that one released value leaves possible.

    The paper's k (Definition 2), which every other tool calls distinct l-diversity; it
    is not the number of rows (:func:`row_k`). With a tolerance or groups it is ``separated_l``.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.
    closeness : Closeness, optional
        Which sensitive values count as one; without it, none do.

    Returns
    -------
    int
        1 where some released value reveals the sensitive value.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> merged = hartley.Partition.from_clusters([[0, 1, 6], [2, 3, 4, 5]])
    >>> hartley.distinct_l(toy()), hartley.distinct_l(toy(), merged)
    (1, 3)
    """
    return int(candidate_counts(joint, partition, closeness).min())


def row_counts(joint: JointRange, partition: Partition | None = None) -> Int64s:
    """How many rows of the table show each observation."""
    released = joint.release(partition)
    return np.add.reduceat(released.rows.astype(np.int64), released.indptr[:-1])


def rows_of_values(joint: JointRange) -> Int64s:
    """Return how many rows each public value stands in."""
    of_pair = joint.public_of[joint.observation_of]
    return np.bincount(of_pair, weights=joint.rows, minlength=joint.public.size).astype(np.int64)


def row_k(joint: JointRange, partition: Partition | None = None) -> int:
    """Return the fewest rows that share one released value: what others call k-anonymity.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    int
        1 where some released value stands in one row only.

    Examples
    --------
    >>> import hartley
    >>> hartley.row_k(hartley.JointRange.from_pairs([("a", 1), ("a", 1), ("b", 1), ("b", 2), ("b", 3)]))
    2
    """
    return int(row_counts(joint, partition).min())


def is_independent(joint: JointRange, partition: Partition | None = None) -> bool:
    r"""Tell whether no released value rules anything out: :math:`[\![S | \hat x]\!] = [\![S]\!]` for all.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    bool
        True where every observation leaves all sensitive values possible that were possible before.

    Examples
    --------
    >>> import hartley
    >>> hartley.is_independent(hartley.JointRange.from_pairs([("a", 1), ("a", 2), ("b", 1), ("b", 2)]))
    True
    """
    return bool((candidate_counts(joint, partition) == prior_counts(joint, partition)).all())


def _reductions(joint: JointRange, partition: Partition | None, closeness: Closeness) -> Floats:
    released = joint.release(partition)
    return prior_counts(released, None, closeness) / candidate_counts(released, None, closeness)
