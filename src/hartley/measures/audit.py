"""All measures of one table or one release together, with the witnesses that say why."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.uncertainty import candidate_counts, prior_counts, row_counts
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.alphabet import label_to_json

MOST_NARROWEST = 10
MOST_COMPONENTS = 10
MOST_LISTED = 100
"""No witness lists more sensitive values than this."""


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
        """Give it as it stands in JSON."""
        return {"columns": list(self.columns), "values": self.values}


@dataclass(frozen=True, kw_only=True)
class Narrow:
    """An observation that narrows the sensitive value down as far as any."""

    public: dict[str, Any]
    """The public cells, by column; a column that is also sensitive is left out."""
    side: dict[str, Any] | None
    candidates: int
    rows: int
    sensitive: tuple[Any, ...]
    """The sensitive values it leaves possible: for the curator only."""

    def to_dict(self, *, disclosive: bool) -> dict[str, Any]:
        """Give it as it stands in JSON; with sensitive values only when disclosive."""
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
    sensitive: tuple[Any, ...]
    """The values themselves: for the curator only."""

    def to_dict(self, *, disclosive: bool) -> dict[str, Any]:
        """Give it as it stands in JSON; with sensitive values only when disclosive."""
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

    >>> from hartley.examples import toy
    >>> found = audit(toy())
    >>> found.distinct_l, found.components, found.narrowest_count, found.l0_bits == log2(6)
    (1, 5, 6, True)
    """

    rows: int
    pairs: int
    sensitive: Role
    public: Role
    side: Role | None
    h0_bits: float
    h0_given_public_bits: float
    b0_bits: float
    i0_bits: float
    l0_bits: float
    istar_bits: float
    components: int
    distinct_l: int
    row_k: int
    independent: bool
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

    def to_dict(self, *, disclosive: bool = False) -> dict[str, Any]:
        """Give the audit as it stands in JSON; sensitive values appear only when disclosive."""
        return {
            "rows": self.rows,
            "pairs": self.pairs,
            "sensitive": self.sensitive.to_dict(),
            "public": self.public.to_dict(),
            "side": None if self.side is None else self.side.to_dict(),
            "h0_bits": self.h0_bits,
            "h0_given_public_bits": self.h0_given_public_bits,
            "b0_bits": self.b0_bits,
            "i0_bits": self.i0_bits,
            "l0_bits": self.l0_bits,
            "istar_bits": self.istar_bits,
            "components": self.components,
            "distinct_l": self.distinct_l,
            "row_k": self.row_k,
            "independent": self.independent,
            "witnesses": {
                "narrowest_count": self.narrowest_count,
                "narrowest_rows": self.narrowest_rows,
                "narrowest": [narrow.to_dict(disclosive=disclosive) for narrow in self.narrowest],
                "components": [group.to_dict(disclosive=disclosive) for group in self.groups],
            },
        }


def audit(joint: JointRange, partition: Partition | None = None) -> Audit:
    """Measure a table as it is, or a release of it."""
    released = joint.release(partition)
    counts = candidate_counts(released)
    priors = prior_counts(released)
    rows = row_counts(released)
    groups = overlap_partition(released)
    fewest = int(counts.min())
    narrowest = np.flatnonzero(counts == fewest)
    return Audit(
        rows=joint.row_count,
        pairs=released.pairs,
        sensitive=Role.of(joint.sensitive),
        public=Role(joint.public.columns, released.public.size),
        side=None if joint.side is None else Role.of(joint.side),
        h0_bits=log2(joint.sensitive.size),
        h0_given_public_bits=log2(counts.max()),
        b0_bits=log2(fewest),
        i0_bits=log2((priors / counts).min()),
        l0_bits=log2((priors / counts).max()),
        istar_bits=log2(groups.size),
        components=groups.size,
        distinct_l=fewest,
        row_k=int(rows.min()),
        independent=bool((counts == priors).all()),
        observations=released.observations,
        narrowest_count=len(narrowest),
        narrowest_rows=int(rows[narrowest].sum()),
        narrowest=tuple(
            _narrow(released, int(observation), int(rows[observation]))
            for observation in narrowest[:MOST_NARROWEST]
        ),
        groups=_components(released, groups, rows),
    )


def _narrow(released: JointRange, observation: int, rows: int) -> Narrow:
    candidates = released.candidates(observation)
    hidden = set(released.sensitive.columns)
    side = None
    if released.side is not None and released.observed_side is not None:
        side = _cells(released.side, int(released.observed_side[observation]), hidden)
    return Narrow(
        public=_cells(released.public, int(released.public_of[observation]), hidden),
        side=side,
        candidates=len(candidates),
        rows=rows,
        sensitive=tuple(
            label_to_json(released.sensitive.label(int(code))) for code in candidates[:MOST_LISTED]
        ),
    )


def _cells(alphabet: Alphabet, place: int, hidden: set[str]) -> dict[str, Any]:
    return {
        coordinate.name: label_to_json(coordinate.cell(place))
        for coordinate in alphabet.coordinates
        if coordinate.name not in hidden
    }


def _components(released: JointRange, groups: Partition, rows: np.ndarray) -> tuple[Component, ...]:
    of_observation = groups.labels[released.indices[released.indptr[:-1]]]
    observations = np.bincount(of_observation, minlength=groups.size)
    row_totals = np.bincount(of_observation, weights=rows, minlength=groups.size).astype(np.int64)
    order = np.lexsort((np.arange(groups.size), groups.sizes))[:MOST_COMPONENTS]
    return tuple(
        Component(
            sensitive_values=int(groups.sizes[group]),
            observations=int(observations[group]),
            rows=int(row_totals[group]),
            sensitive=tuple(
                label_to_json(released.sensitive.label(int(code)))
                for code in np.flatnonzero(groups.labels == group)[:MOST_LISTED]
            ),
        )
        for group in order
    )
