r"""How firmly a component hangs together: :math:`I_*` is zero in most tables, often by a single row.

**δ-overlap** (after Rangi and Franceschetti). Two observations are linked only if they share at least t
sensitive values; t = 1 is the confusability graph of :math:`I_*`. Components do not become fewer as t grows
(Theorem R1), and merging never makes more of them (Theorem R2).

**Rows.** The fewest rows whose removal splits a component: the least cut between two edges of the graph of
observations and sensitive values, with rows as weights (Theorem R3).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from hartley.errors import InputError, option
from hartley.measures.certain.confusability_graph import incidence
from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s, different

MOST_EXACT = 300
"""Pairs of a component up to which the fewest rows are found exactly: a cut for each of them."""
MOST_HOLDS = 10
"""Components that a document lists."""
MOST_CUTS = 60
"""Cuts that are tried in a larger component, for a bound from above."""
MOST_SHARED = 50_000_000
"""Entries of the table of shared values that are worked out at once; with more, link by link in parts."""


def overlap_components(
    joint: JointRange, least_shared: int = 1, partition: Partition | None = None
) -> Partition:
    """Group the observations so that no two groups share as many sensitive values as said.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    least_shared : int
        How many sensitive values two observations must share to be linked; 1 is :math:`I_*`.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    Partition
        Of the observations: released values, with side values beside them.

    Raises
    ------
    InputError
        If the number is below 1.

    Examples
    --------
    >>> import hartley
    >>> joint = hartley.JointRange.from_pairs([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 2), ("c", 3)])
    >>> hartley.overlap_components(joint, 1), hartley.overlap_components(joint, 2)
    (Partition({0, 1, 2}), Partition({0, 1}, {2}))
    """
    is_number = isinstance(least_shared, (int, float, np.number)) and not isinstance(least_shared, bool)
    if not is_number or not float(least_shared).is_integer() or least_shared < 1:
        raise InputError(f"{option('overlap')} needs a whole number from 1 on, not {least_shared!r}")
    released = joint.release(partition)
    if least_shared == 1:
        groups = overlap_partition(released)
        return Partition(groups.labels[released.indices[released.indptr[:-1]]])
    return _linked(released, int(least_shared))


def robust_information(joint: JointRange, least_shared: int = 1, partition: Partition | None = None) -> float:
    r"""Return the bits told apart by all but overlaps of fewer values: ``log2`` of the components.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    least_shared : int
        How many sensitive values two observations must share to count as confusable.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    float
        Bits; with 1 the maximin information :math:`I_*`. It never falls as the number grows.

    Examples
    --------
    >>> import hartley
    >>> joint = hartley.JointRange.from_pairs([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 2), ("c", 3)])
    >>> hartley.robust_information(joint), hartley.robust_information(joint, 2)
    (0.0, 1.0)
    """
    return log2(overlap_components(joint, least_shared, partition).size)


def _linked(released: JointRange, least_shared: int) -> Partition:
    """Return the components of observations that share so many values, some rows at a time."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    holds, size = incidence(released), released.observations
    counts = np.diff(released.indptr)
    labels = np.arange(size)
    rich = np.flatnonzero(counts >= least_shared)
    step = max(1, MOST_SHARED // max(1, size))
    for start in range(0, len(rich), step):
        some = rich[start : start + step]
        shared = (holds[some] @ holds.T).tocoo()
        kept = shared.data >= least_shared
        one, other = labels[some[shared.row[kept]]], labels[shared.col[kept]]
        links = csr_array((np.ones(len(one)), (one, other)), shape=(size, size))
        labels = np.asarray(connected_components(links, directed=False)[1])[labels]
    return Partition(labels)


@dataclass(frozen=True, kw_only=True)
class ComponentHold:
    """The fewest rows whose removal splits a component.

    Examples
    --------
    >>> import hartley
    >>> joint = hartley.JointRange.from_pairs([("a", 1), ("a", 2), ("b", 2), ("b", 3), ("b", 3)])
    >>> hartley.component_holds(joint)
    (ComponentHold(observations=2, sensitive_values=3, rows=5, least=1, most=1),)
    """

    observations: int
    """Released values of the component, with side values beside them."""
    sensitive_values: int
    """Sensitive values of the component."""
    rows: int
    """Rows of the table in the component."""
    least: int | None
    """No removal of fewer rows splits it; ``None`` where nothing does."""
    most: int | None
    """A removal of so many rows does; equal to ``least`` where the number is exact."""

    @property
    def is_exact(self) -> bool:
        """Whether the number is known."""
        return self.least == self.most

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "public_values": self.observations,
            "sensitive_values": self.sensitive_values,
            "rows": self.rows,
            "splitting_rows_least": self.least,
            "splitting_rows_most": self.most,
        }


def component_holds(joint: JointRange, partition: Partition | None = None) -> tuple[ComponentHold, ...]:
    """Return, for every component, the fewest rows whose removal splits it.

    Few of them mean that :math:`I_*` hangs by a thread.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    tuple of ComponentHold
        Most rows first. Exact for components of up to 300 different pairs, bounds beyond.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> [(hold.rows, hold.least) for hold in hartley.component_holds(toy())][:2]
    [(3, 1), (2, None)]
    """
    released = joint.release(partition)
    groups = overlap_partition(released)
    found = []
    for number in range(groups.size):
        pairs = np.flatnonzero(groups.labels[released.indices] == number)
        seen, secret = (
            released.observation_of[pairs].astype(np.int64),
            released.indices[pairs].astype(np.int64),
        )
        weight = released.rows[pairs].astype(np.int64)
        least, most = _fewest_rows(seen, secret, weight)
        found.append(
            ComponentHold(
                observations=len(different(seen)),
                sensitive_values=len(different(secret)),
                rows=int(weight.sum()),
                least=least,
                most=most,
            )
        )
    return tuple(sorted(found, key=lambda hold: (-hold.rows, hold.least or 0)))


@dataclass(frozen=True, kw_only=True)
class RobustOverlap:
    """What stays told apart when small overlaps do not count, and how many rows hold components together."""

    least_shared: int
    """How many sensitive values two observations must share to count as confusable."""
    components: int
    """Groups of observations that share fewer with all others."""
    holds: tuple[ComponentHold, ...]
    """The fewest rows that split each component of plain overlaps; the components of most rows first."""

    @classmethod
    def of(cls, joint: JointRange, least_shared: int) -> RobustOverlap:
        """Measure a joint range."""
        components = overlap_components(joint, least_shared).size
        return cls(least_shared=least_shared, components=components, holds=component_holds(joint))

    @property
    def bits(self) -> float:
        """The bits that are told apart: ``log2`` of the components."""
        return log2(self.components)

    @property
    def weakest(self) -> ComponentHold | None:
        """The component that the fewest rows split; ``None`` where nothing splits any."""
        splitting = [hold for hold in self.holds if hold.most is not None]
        return min(splitting, key=lambda hold: hold.most or 0, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        weakest = self.weakest
        return {
            "least_shared": self.least_shared,
            "components": self.components,
            "bits": self.bits,
            "splitting_rows_least": None if weakest is None else weakest.least,
            "splitting_rows_most": None if weakest is None else weakest.most,
            "holds": [hold.to_dict() for hold in self.holds[:MOST_HOLDS]],
        }


def _fewest_rows(seen: Int64s, secret: Int64s, weight: Int64s) -> tuple[int | None, int | None]:
    """Return bounds on the rows that split a component, the heaviest pair that stays tried in turn."""
    observations, one = np.unique(seen, return_inverse=True)
    other = np.unique(secret, return_inverse=True)[1] + len(observations)
    order = np.lexsort((np.arange(len(weight)), -weight))
    one, other, weight = one[order], other[order], weight[order]
    is_exact = len(weight) <= MOST_EXACT
    best: int | None = None
    gone = 0
    for first in range(len(weight)):
        if best is not None and gone >= best:
            return best, best
        partners = np.flatnonzero(
            (one != one[first]) & (other != other[first]) & (np.arange(len(weight)) > first)
        )
        if not is_exact:
            partners = partners[:: max(1, len(partners) // MOST_CUTS)]
        for partner in partners.tolist():
            if best is None or gone < best:
                cut = gone + _cut(one, other, weight, first, partner)
                best = cut if best is None else min(best, cut)
        if not is_exact and best is not None:
            # What has two pairs apart is split by no removal of nothing.
            return (1, best)
        gone += int(weight[first])
    return best, best


def _cut(one: Int64s, other: Int64s, weight: Int64s, first: int, partner: int) -> int:
    """Return the least rows between two pairs, where the pairs before the first are gone."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    size = int(other.max()) + 1
    place = np.arange(size)
    place[[other[first], other[partner]]] = one[first], one[partner]
    ends, starts, rows = place[one[first:]], place[other[first:]], weight[first:]
    graph = csr_array(
        (
            np.concatenate((rows, rows)).astype(np.int32),
            (np.concatenate((ends, starts)), np.concatenate((starts, ends))),
        ),
        shape=(size, size),
    )
    graph.sum_duplicates()
    return int(maximum_flow(graph, int(one[first]), int(one[partner])).flow_value)
