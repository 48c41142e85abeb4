"""What an audit needs of a joint range, so small that the engine with the rows can count it.

The worst case and both kinds of k need only how many candidates and rows each observation has; the
components need only which sensitive values occur together. For that it suffices to link every
candidate of an observation to one of them, the *anchor*: the distinct links are at most as many as
there are pairs, and never more than the square of the sensitive values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hartley.errors import InputError
from hartley.model.alphabet import Alphabet
from hartley.model.arrays import Ints, frozen_array

MOST_NARROWEST = 10
"""How many observations are shown as witnesses."""
MOST_LISTED = 100
"""No witness lists more sensitive values than this."""


@dataclass(frozen=True)
class Span:
    """The fewest and most candidates among observations that had the same number before."""

    prior: int
    """How many sensitive values are possible to a reader with the side information alone."""
    fewest: int
    most: int


@dataclass(frozen=True, kw_only=True)
class NarrowObservation:
    """One observation that leaves the fewest candidates."""

    public: dict[str, Any]
    """Its public cells, by column."""
    side: dict[str, Any] | None
    candidates: int
    rows: int
    listed: tuple[int, ...]
    """The codes of its candidates, ascending, and not more than a hundred."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RangeSummary:
    """Counts of a joint range, witnesses, and the links that decide its components."""

    rows: int
    pairs: int
    sensitive: Alphabet
    public_columns: tuple[str, ...]
    public_values: int
    side_columns: tuple[str, ...] | None
    side_values: int
    observations: int
    """How many different things a reader can see."""
    spans: tuple[Span, ...]
    """One for each number of sensitive values possible before; a single one without side information."""
    row_k: int
    narrowest_count: int
    narrowest_rows: int
    narrowest: Sequence[NarrowObservation]
    """The first few of those with the fewest candidates, in the order of their values."""
    anchors: Ints
    """For each link the code of its anchor, and in ``linked`` that of the candidate linked to it."""
    linked: Ints
    anchored_observations: Ints
    """For each sensitive value, how many observations have it as anchor, and how many rows those have."""
    anchored_rows: Ints

    def __post_init__(self) -> None:
        for name in ("anchors", "linked", "anchored_observations", "anchored_rows"):
            object.__setattr__(self, name, frozen_array(np.asarray(getattr(self, name))))
        counted = int(self.anchored_rows.sum()), int(self.anchored_observations.sum())
        if counted != (self.rows, self.observations):
            raise InputError("the counts of a summary contradict each other")

    @property
    def fewest(self) -> int:
        """The fewest candidates that an observation leaves."""
        return min(span.fewest for span in self.spans)
