"""All measures of one table or one release together, with the witnesses that say why."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2
from typing import Any

import numpy as np

from hartley.measures.overlap import linked_roots
from hartley.measures.uncertainty import candidate_counts, prior_counts, row_counts
from hartley.model import Alphabet, JointRange, Partition, RangeSummary
from hartley.model.alphabet import label_to_json
from hartley.model.arrays import Int64s, totals_of
from hartley.model.range_summary import MOST_LISTED, MOST_NARROWEST, NarrowObservation, Span

MOST_COMPONENTS = 10
WITNESSES = frozenset({"observations", "narrowest_count", "narrowest_rows", "narrowest", "groups"})
"""What stands apart from the measures in JSON, or not in it."""


@dataclass(frozen=True)
class Role:
    """The columns of a role and how many different values they take together."""

    columns: tuple[str, ...]
    values: int

    @classmethod
    def of(cls, alphabet: Alphabet) -> Role:
        """Describe an alphabet."""
        return cls(alphabet.columns, alphabet.size)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"columns": list(self.columns), "values": self.values}


@dataclass(frozen=True, kw_only=True)
class Narrow:
    """An observation that narrows the sensitive value down as far as any."""

    public: dict[str, Any]
    """The public cells, by column; a column that is also sensitive is left out."""
    side: dict[str, Any] | None
    candidates: int
    rows: int
    sensitive: tuple[Any, ...] = field(repr=False)
    """The sensitive values it leaves possible: for the curator only."""

    def to_dict(self, *, disclosive: bool) -> dict[str, Any]:
        """Return it as it stands in JSON; with sensitive values only when disclosive."""
        shown: dict[str, Any] = {"public": self.public, "candidates": self.candidates, "rows": self.rows}
        if self.side is not None:
            shown["side"] = self.side
        if disclosive:
            shown["sensitive"] = list(self.sensitive)
        return shown


@dataclass(frozen=True, kw_only=True)
class Component:
    """A group of sensitive values that is told apart from all others for certain."""

    sensitive_values: int
    observations: int
    rows: int
    sensitive: tuple[Any, ...] = field(repr=False)
    """The values themselves: for the curator only."""

    def to_dict(self, *, disclosive: bool) -> dict[str, Any]:
        """Return it as it stands in JSON; with sensitive values only when disclosive."""
        shown: dict[str, Any] = {
            "sensitive_values": self.sensitive_values,
            "public_values": self.observations,
            "rows": self.rows,
        }
        if disclosive:
            shown["sensitive"] = list(self.sensitive)
        return shown


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What a reader of the public columns learns about the sensitive ones.

    All quantities in bits unless their name says otherwise.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> found = hartley.measure(toy())
    >>> found.distinct_l, found.components, found.narrowest_count
    (1, 5, 6)
    >>> round(found.l0_bits, 3)
    2.585
    """

    rows: int
    """Rows of the table."""
    pairs: int
    """Distinct pairs of what a reader sees and a sensitive value."""
    sensitive: Role
    """The sensitive columns, and how many values they take together."""
    public: Role
    """The public columns, and how many values they take together."""
    side: Role | None
    """What the reader knows besides; ``None`` where that is nothing."""
    h0_bits: float
    """Bits needed to name a sensitive value before anything is seen (:func:`~hartley.hartley_entropy`)."""
    h0_given_public_bits: float
    """Most bits still missing after an observation (:func:`~hartley.conditional_entropy`)."""
    b0_bits: float
    """Fewest bits still missing after an observation (:func:`~hartley.least_posterior_entropy`)."""
    i0_bits: float
    """Bits that every observation reveals at least (:func:`~hartley.min_uncertainty_reduction`)."""
    l0_bits: float
    """Bits that the worst observation reveals (:func:`~hartley.max_uncertainty_reduction`)."""
    istar_bits: float
    """Bits that every reader gets for certain (:func:`~hartley.maximin_information`)."""
    components: int
    """Groups of sensitive values that are told apart for certain."""
    distinct_l: int
    """Fewest sensitive values that an observation leaves possible."""
    row_k: int
    """Fewest rows that share an observation."""
    independent: bool
    """Whether no observation rules anything out."""
    observations: int
    """How many different things a reader can see: released values, with side values beside them."""
    narrowest_count: int
    """How many of them leave the fewest candidates."""
    narrowest_rows: int
    """How many rows show one of those."""
    narrowest: tuple[Narrow, ...]
    """The first few of those, in order."""
    groups: tuple[Component, ...]
    """The first few components, those with the fewest sensitive values first."""

    def __repr__(self) -> str:
        exposed = self.narrowest_rows if self.distinct_l == 1 else 0
        seen, secret = " and ".join(self.public.columns), " and ".join(self.sensitive.columns)
        return f"Audit({secret} from {seen}: {exposed} of {self.rows} rows exposed, l={self.distinct_l})"

    def to_dict(self, *, disclosive: bool = False) -> dict[str, Any]:
        """Return the audit as it stands in JSON; sensitive values appear only when disclosive."""
        measures = {
            name: value.to_dict() if isinstance(value, Role) else value
            for name, value in vars(self).items()
            if name not in WITNESSES
        }
        witnesses = {
            "narrowest_count": self.narrowest_count,
            "narrowest_rows": self.narrowest_rows,
            "narrowest": [narrow.to_dict(disclosive=disclosive) for narrow in self.narrowest],
            "components": [group.to_dict(disclosive=disclosive) for group in self.groups],
        }
        return {**measures, "witnesses": witnesses}


def measure(joint: JointRange, partition: Partition | None = None) -> Audit:
    """Measure a table as it is, or a release of it.

    Parameters
    ----------
    joint : JointRange
        Which values occur together.
    partition : Partition, optional
        Which public values the release merges; without one, the table as it is.

    Returns
    -------
    Audit
        All measures, and the observations that are to blame.

    Raises
    ------
    InputError
        If the partition is of another number of values.

    Examples
    --------
    >>> import hartley
    >>> from hartley.examples import toy
    >>> found = hartley.measure(toy())
    >>> found.distinct_l, found.components
    (1, 5)
    """
    return audit_of_summary(summary(joint, partition))


def audit_of_summary(found: RangeSummary) -> Audit:
    """Measure what was counted where the rows are."""
    roots = linked_roots(found.sensitive.size, found.anchors, found.linked)
    components = int((roots == np.arange(len(roots))).sum())
    fewest, most = found.fewest, max(span.most for span in found.spans)
    return Audit(
        rows=found.rows,
        pairs=found.pairs,
        sensitive=Role.of(found.sensitive),
        public=Role(found.public_columns, found.public_values),
        side=None if found.side_columns is None else Role(found.side_columns, found.side_values),
        h0_bits=log2(found.sensitive.size),
        h0_given_public_bits=log2(most),
        b0_bits=log2(fewest),
        i0_bits=log2(min(span.prior / span.most for span in found.spans)),
        l0_bits=log2(max(span.prior / span.fewest for span in found.spans)),
        istar_bits=log2(components),
        components=components,
        distinct_l=fewest,
        row_k=found.row_k,
        independent=all(span.fewest == span.prior for span in found.spans),
        observations=found.observations,
        narrowest_count=found.narrowest_count,
        narrowest_rows=found.narrowest_rows,
        narrowest=tuple(_narrow(found.sensitive, narrow) for narrow in found.narrowest),
        groups=_components(found, Partition(roots)),
    )


def summary(joint: JointRange, partition: Partition | None = None) -> RangeSummary:
    """Count what an audit needs of a joint range."""
    released = joint.release(partition)
    counts = candidate_counts(released)
    rows = row_counts(released)
    narrowest = (counts == counts.min()).nonzero()[0]
    anchor = released.indices[released.indptr[:-1]]
    size = released.sensitive.size
    return RangeSummary(
        rows=joint.row_count,
        pairs=released.pairs,
        sensitive=joint.sensitive,
        public_columns=joint.public.columns,
        public_values=released.public.size,
        side_columns=None if joint.side is None else joint.side.columns,
        side_values=0 if joint.side is None else joint.side.size,
        observations=released.observations,
        spans=_spans(released, counts),
        row_k=int(rows.min()),
        narrowest_count=len(narrowest),
        narrowest_rows=int(rows[narrowest].sum()),
        narrowest=tuple(
            _observation(released, int(observation), int(rows[observation]))
            for observation in narrowest[:MOST_NARROWEST]
        ),
        anchors=np.repeat(anchor, counts),
        linked=released.indices,
        anchored_observations=np.bincount(anchor, minlength=size),
        anchored_rows=totals_of(anchor, rows, size),
    )


def _spans(released: JointRange, counts: Int64s) -> tuple[Span, ...]:
    if released.observed_side is None:
        return (Span(released.sensitive.size, int(counts.min()), int(counts.max())),)
    priors = prior_counts(released)
    order = np.lexsort((counts, priors))
    different, starts = np.unique(priors[order], return_index=True)
    ends = np.append(starts[1:], len(order)) - 1
    return tuple(
        Span(int(prior), int(fewest), int(most))
        for prior, fewest, most in zip(different, counts[order][starts], counts[order][ends], strict=True)
    )


def _observation(released: JointRange, observation: int, rows: int) -> NarrowObservation:
    candidates = released.candidates(observation)
    side = None
    if released.side is not None and released.observed_side is not None:
        side = released.side.cells(int(released.observed_side[observation]))
    return NarrowObservation(
        public=released.public.cells(int(released.public_of[observation])),
        side=side,
        candidates=len(candidates),
        rows=rows,
        listed=tuple(map(int, candidates[:MOST_LISTED])),
    )


def _narrow(sensitive: Alphabet, found: NarrowObservation) -> Narrow:
    hidden = set(sensitive.columns)

    def shown(cells: dict[str, Any]) -> dict[str, Any]:
        return {name: label_to_json(cell) for name, cell in cells.items() if name not in hidden}

    return Narrow(
        public=shown(found.public),
        side=None if found.side is None else shown(found.side),
        candidates=found.candidates,
        rows=found.rows,
        sensitive=tuple(label_to_json(sensitive.label(code)) for code in found.listed),
    )


def _components(found: RangeSummary, groups: Partition) -> tuple[Component, ...]:
    observations = totals_of(groups.labels, found.anchored_observations, groups.size)
    row_totals = totals_of(groups.labels, found.anchored_rows, groups.size)
    order = np.lexsort((np.arange(groups.size), groups.sizes))[:MOST_COMPONENTS]
    return tuple(
        Component(
            sensitive_values=int(groups.sizes[group]),
            observations=int(observations[group]),
            rows=int(row_totals[group]),
            sensitive=tuple(
                label_to_json(found.sensitive.label(int(code)))
                for code in np.flatnonzero(groups.labels == group)[:MOST_LISTED]
            ),
        )
        for group in order
    )
