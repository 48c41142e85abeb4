r"""What a reader learns for certain: groups of sensitive values that are never confused.

Two sensitive values are confusable when a chain of released values leads from one to
the other, neighbours in the chain sharing a candidate (Definition 1, overlap
connectedness). The groups that no chain leaves are the components: of S the overlap
partition, of X the connected parts of the confusability graph (Lemma 2, Theorem P2). They are found by
joining sensitive values alone; the graph itself is never built for it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import log2

import numpy as np

from hartley.errors import InputError
from hartley.model import Alphabet, JointRange, Label, Partition
from hartley.model.arrays import Ints, code_type
from hartley.model.closeness import NO_CLOSENESS, Closeness

FEW_LINKS = 500
"""Fewer links are followed one by one sooner than NumPy is called."""
BLOCK = 1 << 22
"""Links that are looked at together."""


def linked_roots(size: int, anchors: Ints, linked: Ints) -> Ints:
    """Return the least value of the group of each value, where no link leaves a group."""
    if len(anchors) < FEW_LINKS and size < FEW_LINKS:
        return np.array(_few_joined(size, anchors.tolist(), linked.tolist()))
    parent: Ints = np.arange(size).astype(code_type(size))
    for start in range(0, len(anchors), BLOCK):
        some, others = anchors[start : start + BLOCK], linked[start : start + BLOCK]
        while len(some):
            parent, some, others = _joined_once(parent, some, others)
    return parent


def _few_joined(size: int, anchors: list[int], linked: list[int]) -> list[int]:
    parent = list(range(size))
    for one, other in zip(anchors, linked, strict=True):
        while parent[one] != one:
            one = parent[one]
        while parent[other] != other:
            other = parent[other]
        if one < other:
            parent[other] = one
        else:
            parent[one] = other
    for value in range(size):  # every link points to a smaller value, which is settled by then
        parent[value] = parent[parent[value]]
    return parent


def _joined_once(parent: Ints, anchors: Ints, linked: Ints) -> tuple[Ints, Ints, Ints]:
    """Join each group with the least of its neighbours; give the links between groups that are left."""
    one, other = parent[anchors], parent[linked]
    np.minimum.at(parent, np.maximum(one, other), np.minimum(one, other))
    # Every link points to a smaller value, so pointer jumping ends.
    while not np.array_equal(further := parent[parent], parent):
        parent = further
    one, other = parent[one], parent[other]
    apart = one != other
    return parent, one[apart], other[apart]


def overlap_partition(
    joint: JointRange, partition: Partition | None = None, closeness: Closeness = NO_CLOSENESS
) -> Partition:
    r"""Group the sensitive values so that no released value confuses two groups.

    The finest overlap partition :math:`\mathcal P^*_{[\![S | \hat X]\!]}` (Definition 1). With a tolerance,
    values are linked where a released value leaves both possible, or where they are close.

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
    Partition
        Of the sensitive values: two share a group if a chain of released values keeps them confusable.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> hartley.overlap_partition(toy())
    Partition({0, 1}, {2}, {3}, {4}, {5})
    """
    released = joint.release(partition)
    if not closeness.is_empty:
        return linked_range(released, closeness)[1]
    anchors = np.repeat(released.indices[released.indptr[:-1]], np.diff(released.indptr))
    return Partition(linked_roots(released.sensitive.size, anchors, released.indices))


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


def components(joint: JointRange, partition: Partition | None = None) -> Partition:
    r"""Return the connected parts of the confusability graph, as groups of public values.

    The finest decomposition :math:`\mathcal P^*_{G_{\hat X}}` (Section IV, Lemma 2). With side
    information the nodes are pairs of released and side value; a public value then
    belongs to all the groups its pairs are in, and those are given as one.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    Partition
        Of the public values.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> hartley.components(toy())
    Partition({0, 1}, {2, 3}, {4}, {5}, {6})
    """
    groups = overlap_partition(joint, partition)
    released = joint.release(partition)
    of_observation = groups.labels[released.indices[released.indptr[:-1]]]
    if released.side is None:
        of_cluster = of_observation
    else:
        touched = JointRange.from_codes(public_codes=released.public_of, sensitive_codes=of_observation)
        of_cluster = overlap_partition(touched).labels[touched.indices[touched.indptr[:-1]]]
    return Partition(of_cluster if partition is None else of_cluster[partition.labels])


def maximin_information(
    joint: JointRange, partition: Partition | None = None, closeness: Closeness = NO_CLOSENESS
) -> float:
    r"""Return the bits about S that every reader gets without any doubt, :math:`I_*(S; \hat X)`.

    ``log2`` of the number of groups in the :func:`overlap_partition`; symmetric in S and X,
    and, without side information, never more than :math:`L_0` (Proposition 1, Theorem P1; with a tolerance
    Theorem A2: the groups are apart, so each holds one of those that the narrowest released value counts).

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
        Bits; 0 where no group of sensitive values is told apart for certain.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> from math import log2
    >>> hartley.maximin_information(toy()) == log2(5)
    True
    """
    return log2(overlap_partition(joint, partition, closeness).size)


def are_confusable(
    joint: JointRange, one: int | Label, other: int | Label, partition: Partition | None = None
) -> bool:
    """Tell whether two sensitive values are overlap connected (Definition 1a).

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    one, other : int or label
        Two sensitive values: a whole number is a place in the alphabet, anything else a label.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    bool
        True where a chain of released values keeps the two confusable.

    Raises
    ------
    InputError
        If there is no sensitive value at one of the places.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> hartley.are_confusable(toy(), 0, 1), hartley.are_confusable(toy(), 0, 2)
    (True, False)
    """
    groups = overlap_partition(joint, partition).labels
    one, other = _sensitive_place(joint, one), _sensitive_place(joint, other)
    return bool(groups[one] == groups[other])


@dataclass(frozen=True)
class ConfusionChain:
    """Proof that two sensitive values are confusable: released values, neighbours sharing a candidate.

    Examples
    --------
    >>> import hartley
    >>> joint = hartley.JointRange.from_pairs([("a", 1), ("a", 2), ("b", 2), ("b", 3)])
    >>> hartley.confusion(joint, 0, 2).labels
    ('a', 'b')
    """

    observations: tuple[int, ...]
    """Observations of the released joint range, from one that shows the first value to one of the second."""
    labels: tuple[Label, ...] = field(default=(), compare=False, repr=False)
    """Their public values; of a release, the numbers of its clusters."""


@dataclass(frozen=True)
class ComponentSeparation:
    """Proof that two sensitive values are never confused: a closed group with only one of them inside.

    Examples
    --------
    >>> import hartley
    >>> joint = hartley.JointRange.from_pairs([("a", 1), ("a", 2), ("b", 3)])
    >>> hartley.confusion(joint, 0, 2).group
    (0, 1)
    """

    group: tuple[int, ...]
    """Sensitive values; every observation has all its candidates inside the group or all outside."""
    labels: tuple[Label, ...] = field(default=(), compare=False, repr=False)
    """The sensitive values themselves: for the curator only."""


def confusion(
    joint: JointRange, one: int | Label, other: int | Label, partition: Partition | None = None
) -> ConfusionChain | ComponentSeparation:
    """Return a shortest chain that keeps two sensitive values confusable, or the proof that none exists.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    one, other : int or label
        Two sensitive values: a whole number is a place in the alphabet, anything else a label.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    ConfusionChain or ComponentSeparation
        The observations of the chain; or a closed group of sensitive values with only one of the two inside.

    Raises
    ------
    InputError
        If there is no sensitive value at one of the places.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> hartley.confusion(toy(), "s1", "s2")
    ConfusionChain(observations=(0,))
    >>> hartley.confusion(toy(), 0, 2), hartley.confusion(toy(), 0, 2).labels
    (ComponentSeparation(group=(0, 1)), ('s1', 's2'))
    """
    released = joint.release(partition)
    one, other = _sensitive_place(joint, one), _sensitive_place(joint, other)
    shown = joint.public if partition is None else released.public
    showing = _observations_of(released)
    came_from: dict[int, tuple[int, int] | None] = {one: None}

    def chain(observations: tuple[int, ...]) -> ConfusionChain:
        public = released.public_of[list(observations)].tolist()
        return ConfusionChain(observations, tuple(map(shown.label, public)))

    if one == other:
        return chain((int(showing[one][0]),))
    queue = deque([one])
    seen = np.zeros(released.observations, dtype=bool)
    while queue:
        value = queue.popleft()
        for observation in showing[value]:
            if seen[observation]:
                continue
            seen[observation] = True
            for candidate in released.candidates(observation).tolist():
                if candidate not in came_from:
                    came_from[candidate] = (value, int(observation))
                    queue.append(candidate)
            if other in came_from:
                return chain(_walk_back(came_from, other))
    group = tuple(sorted(came_from))
    return ComponentSeparation(group, tuple(map(joint.sensitive.label, group)))


@dataclass(frozen=True)
class Bridge:
    """A single merge that would join two components.

    Examples
    --------
    >>> import hartley
    >>> joint = hartley.JointRange.from_pairs([("a", 1), ("a", 2), ("b", 3)])
    >>> hartley.bridges(joint)
    (Bridge(clusters=(0, 1), components=(0, 1)),)
    """

    clusters: tuple[int, int]
    """The two clusters to merge, as numbers in the partition (public values, without one)."""
    components: tuple[int, int]
    """The two components it joins."""


def bridges(joint: JointRange, partition: Partition | None = None, most: int = 10) -> tuple[Bridge, ...]:
    """Return single merges that would join components, the smallest clusters of each component first.

    Any two clusters of different components do; for each pair of components this
    names the earliest of their smallest clusters.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.
    most : int
        How many to return at most.

    Returns
    -------
    tuple of Bridge
        Each names the two clusters to merge and the two components that this joins.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> for bridge in hartley.bridges(toy(), most=2):
    ...     print(bridge)
    Bridge(clusters=(0, 2), components=(0, 1))
    Bridge(clusters=(0, 4), components=(0, 2))
    """
    part = partition or Partition.singletons(joint.public.size)
    groups = components(joint, partition).labels[part.firsts]
    order = np.lexsort((part.firsts, part.sizes, groups))
    first_of_group = np.unique(groups[order], return_index=True)[1]
    best = order[first_of_group].tolist()
    found: list[Bridge] = []
    for i in range(len(best)):
        for j in range(i + 1, len(best)):
            if len(found) == most:
                return tuple(found)
            pair = sorted((best[i], best[j]))
            found.append(Bridge((pair[0], pair[1]), (i, j)))
    return tuple(found)


def _sensitive_place(joint: JointRange, value: int | Label) -> int:
    """Return the place of a sensitive value that is given by place or label."""
    if not isinstance(value, int) or isinstance(value, bool):
        return joint.sensitive.place(value)
    if not 0 <= value < joint.sensitive.size:
        raise InputError(f"sensitive values are numbered 0 to {joint.sensitive.size - 1}")
    return value


def _observations_of(released: JointRange) -> list[Ints]:
    """Return the observations that show each sensitive value."""
    order = np.argsort(released.indices, kind="stable")
    ends = np.cumsum(np.bincount(released.indices, minlength=released.sensitive.size))[:-1]
    return np.split(released.observation_of[order], ends)


def _walk_back(came_from: dict[int, tuple[int, int] | None], end: int) -> tuple[int, ...]:
    observations = []
    value = end
    while (step := came_from[value]) is not None:
        value, observation = step
        observations.append(observation)
    return tuple(reversed(observations))
