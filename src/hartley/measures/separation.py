r"""The measures of the paper with a tolerance: sensitive values count as two only where they are apart.

:math:`N_\tau(A)` is the most values of A that are pairwise *more than* :math:`\tau` apart. On a line that is
also the least number of intervals of length :math:`\tau` that cover A (Theorem A1), so the number of guesses
of that width that a reader needs to be sure. A tolerance of 0 gives the paper's measures. With groups instead
of a tolerance the groups are counted.

What it does not say: bits at different tolerances cannot be compared, for the values of the whole table are
counted with the tolerance as well; and :math:`I_*` with a tolerance says little by itself (never more than
:math:`L_0`, Theorem A2), since a chain of close values links all of them.
"""

from __future__ import annotations

from math import inf, log2

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.measures.overlap import overlap_partition
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.arrays import Int64s, Ints, different
from hartley.model.closeness import Closeness, SensitiveCodes, spread


@hot_loop
def count_chains(groups: Ints, codes: Ints, next_code: Ints, lengths: Int64s) -> None:
    """Add up the chain of each group, given pairs of group and code in ascending order."""
    group, reach = -1, 0
    for entry in range(len(codes)):
        if groups[entry] != group:
            group, reach = groups[entry], 0
        if codes[entry] >= reach:
            lengths[group] += 1
            reach = next_code[codes[entry]]


def separated_counts(joint: JointRange, closeness: Closeness, partition: Partition | None = None) -> Int64s:
    r"""Return how many values that are apart each observation leaves, :math:`N_\tau([\![S|\hat x]\!])`."""
    released = joint.release(partition)
    codes = closeness.codes(joint.sensitive)
    return chain_counts(
        released.observation_of, codes.code_of[released.indices], codes, released.observations
    )


def separated_values(joint: JointRange, closeness: Closeness) -> int:
    r"""Return how many sensitive values of the whole table are apart, :math:`N_\tau([\![S]\!])`.

    >>> joint = JointRange.from_pairs([("x", s) for s in range(41, 46)])
    >>> [separated_values(joint, Closeness.of({"sensitive": tolerance})) for tolerance in (4, 1, 0)]
    [1, 3, 5]
    """
    codes = closeness.codes(joint.sensitive)
    return int(chain_counts(np.zeros(codes.width, dtype=np.int64), np.arange(codes.width), codes, 1)[0])


def separated_l(joint: JointRange, closeness: Closeness, partition: Partition | None = None) -> int:
    r"""Return the fewest values that are apart among those a released value leaves possible.

    .. math:: \min_{\hat x} N_\tau([\![S | \hat x]\!])

    Never more than :func:`~hartley.measures.uncertainty.distinct_l`.
    """
    return int(separated_counts(joint, closeness, partition).min())


def max_separated_reduction(
    joint: JointRange, closeness: Closeness, partition: Partition | None = None
) -> float:
    r"""Return the most bits about S up to a tolerance that one released value reveals, :math:`L_{0,\tau}`.

    .. math:: \max_{\hat x} \log_2 N_\tau([\![S]\!]) / N_\tau([\![S | \hat x]\!])

    With side information the values possible before are those that what is known of the side value leaves, as
    without a tolerance.
    """
    released = joint.release(partition)
    after = separated_counts(released, closeness)
    if released.side is None or released.observed_side is None:
        return log2(separated_values(joint, closeness) / int(after.min()))
    codes = closeness.codes(joint.sensitive)
    known = np.arange(released.side.size) if released.known_of_side is None else released.known_of_side
    of_observation = known[released.observed_side].astype(np.int64)
    of_pair = of_observation[released.observation_of]
    before = chain_counts(of_pair, codes.code_of[released.indices], codes, int(known.max()) + 1)
    return log2(float((before[of_observation] / after).max()))


def separated_components(
    joint: JointRange, closeness: Closeness, partition: Partition | None = None
) -> Partition:
    """Group the sensitive values so that no released value confuses two groups and no two groups are close.

    Two values are linked where a released value leaves both possible, or where they are close.
    """
    return linked_range(joint.release(partition), closeness)[1]


def separated_information(
    joint: JointRange, closeness: Closeness, partition: Partition | None = None
) -> float:
    r"""Return the bits about S up to a tolerance that every reader gets for certain, :math:`I_{*,\tau}`.

    ``log2`` of the number of groups in :func:`separated_components`: the largest variable that is a
    function of the released value and of S, and tells no two close values of S apart. Never more than
    :func:`max_separated_reduction`: the groups are apart, so each holds at least as many values that are
    apart as the narrowest released value leaves.
    """
    return log2(separated_components(joint, closeness, partition).size)


def linked_range(joint: JointRange, closeness: Closeness) -> tuple[JointRange, Partition]:
    """Return the table with chains of close values as sensitive values, and the components of the values.

    Whatever is known of :math:`I_*` for the table returned, its components and the searches for them, holds
    for :math:`I_*` with tolerance of the table given.
    """
    chain_of = closeness.codes(joint.sensitive)
    chains = chain_of.chains[chain_of.code_of]
    pair = joint.observation_of
    linked = JointRange.from_codes(
        public_codes=joint.public_of[pair],
        sensitive_codes=chains[joint.indices],
        public=joint.public,
        sensitive=Alphabet.numbered(int(chains.max()) + 1, "chain"),
        side_codes=None if joint.observed_side is None else joint.observed_side[pair],
        side=joint.side,
        rows=joint.rows,
    )
    return linked, Partition(overlap_partition(linked).labels[chains])


def least_spread(joint: JointRange, closeness: Closeness, partition: Partition | None = None) -> float | None:
    """Return the least difference of largest and smallest value that an observation leaves possible.

    Of the column with the tolerance, in days for dates; ``None`` where no column has one. An observation
    that leaves a missing value possible as well counts by its others, and one that leaves nothing else by
    0. It is a difference of two sensitive cells: for the curator only.
    """
    named = [name for name, _ in closeness.tolerances]
    if not named:
        return None
    (column,) = (c for c in joint.sensitive.coordinates if c.name == named[0])
    released = joint.release(partition)
    positions = column.positions
    if positions is None:
        return 0.0
    here = positions[released.indices]
    starts = released.indptr[:-1]
    low = np.minimum.reduceat(np.where(np.isnan(here), inf, here), starts)
    high = np.maximum.reduceat(np.where(np.isnan(here), -inf, here), starts)
    narrowest = int(np.argmin(np.where(high < low, 0.0, high - low)))
    found = spread(column, released.candidates(narrowest).astype(np.intp))
    return 0.0 if np.isnan(found) else found


def chain_counts(groups: Ints, codes: Ints, of: SensitiveCodes, size: int) -> Int64s:
    """Return the length of the chain of the codes that each group holds."""
    keys = different(groups.astype(np.int64) * of.width + codes)
    lengths = np.zeros(size, dtype=np.int64)
    count_chains.for_size(len(keys))(keys // of.width, keys % of.width, of.next_code, lengths)
    return lengths
