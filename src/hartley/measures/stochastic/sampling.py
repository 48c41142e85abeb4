"""Whether a table has enough rows for its frequencies to stand for probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from hartley.model import JointRange, Partition

Regime = Literal["non-stochastic", "transitional", "stochastic"]

TRUSTED_COVERAGE = 0.95
"""From here on frequencies describe all but one next person in twenty."""
DOUBTFUL_COVERAGE = 0.5
"""Below this the next person is as likely as not to show a pair that frequencies call impossible."""
CONFIDENCE = 1.96
"""Standard deviations allowed for chance, for 19 tables out of 20."""


@dataclass(frozen=True)
class Sampling:
    """How many rows, pairs, and pairs seen once a table has, and what that allows.

    >>> print(Sampling(rows=294, pairs=281, seen_once=269).regime)
    non-stochastic
    """

    rows: int
    pairs: int
    seen_once: int
    """Pairs that occur in exactly one row."""

    @classmethod
    def of(cls, joint: JointRange, partition: Partition | None = None) -> Sampling:
        """Count the rows and pairs of a table, or of its release.

        >>> Sampling.of(JointRange.from_pairs([("a", 1), ("a", 1), ("b", 2)]))
        Sampling(rows=3, pairs=2, seen_once=1)
        """
        released = joint.release(partition)
        return cls(released.row_count, released.pairs, int((released.rows == 1).sum()))

    @property
    def rows_per_pair(self) -> float:
        """How often a pair that occurs was seen, on average."""
        return self.rows / self.pairs

    @property
    def coverage(self) -> float:
        r"""Good and Turing's chance that the next row shows a pair already seen, :math:`1 - n_1 / n`."""
        return 1.0 - self.seen_once / self.rows

    @property
    def least_coverage(self) -> float:
        """The coverage that can be relied on: the low end of Wilson's interval around the estimate.

        The estimate alone would trust three rows that happen to be alike.
        """
        spread = CONFIDENCE**2 / self.rows
        middle = self.coverage + spread / 2
        reach = sqrt(spread * (self.coverage * (1 - self.coverage) + spread / 4))
        return max(0.0, (middle - reach) / (1 + spread))

    @property
    def regime(self) -> Regime:
        """Which measures to trust, by the coverage that can be relied on.

        ``stochastic`` from 95 % on: frequencies describe nearly everybody. ``non-stochastic``
        below 50 %: the next person may well show a pair that frequencies call impossible, so
        only which values occur together should be used. ``transitional`` in between: read both, and
        decide by the worse.
        """
        if self.least_coverage >= TRUSTED_COVERAGE:
            return "stochastic"
        return "non-stochastic" if self.least_coverage < DOUBTFUL_COVERAGE else "transitional"
