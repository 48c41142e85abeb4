"""Requirements on how the rows of a class share its sensitive values.

They stay true when two classes that keep them are joined, not when a class grows. So only a tree of cuts
keeps them, which publishes every class as it was checked.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hartley.model.alphabet import Alphabet
from hartley.model.arrays import Floats
from hartley.model.closeness import NO_CLOSENESS, Closeness, SensitiveCodes, plain_codes
from hartley.model.requirement.class_counts import ClassCounts
from hartley.model.requirement.requirement import Requirement


class Shares(Requirement):
    """A requirement on the shares of values in every class as it is published."""

    takes_column = True
    is_monotone = False
    is_of_classes = True
    least: ClassVar[float] = 0
    is_whole = False
    needs = "a number from 0 on"
    led_in = "Every released class has"
    rule: ClassVar[str]
    """How loops tell whether a part lacks it."""

    def codes(self, sensitive: Alphabet, closeness: Closeness = NO_CLOSENESS) -> SensitiveCodes:
        """Return a code for every different value."""
        return plain_codes(sensitive, self.column)

    def of_each_class(self, counts: ClassCounts, sensitive: Alphabet) -> Floats:
        """Return how much each class keeps of it."""
        raise NotImplementedError

    def kept(self, counts: ClassCounts, sensitive: Alphabet) -> float:
        """Return how much the worst class keeps."""
        found = self.of_each_class(counts, sensitive)
        return float(found.min() if self.is_at_least else found.max())

    @property
    def least_values(self) -> int:
        """Fewer different values than this lack it whatever their shares."""
        return 1

    def loop_rule(self, sensitive: Alphabet) -> str:
        """Return how loops tell whether a part lacks it."""
        return self.rule


def largest(numbers: Floats, counts: ClassCounts) -> Floats:
    """Return the greatest of the numbers of each class."""
    return np.asarray(np.maximum.reduceat(numbers, counts.starts))


def summed(numbers: Floats, counts: ClassCounts) -> Floats:
    """Return the sum of the numbers of each class."""
    return np.asarray(np.add.reduceat(numbers, counts.starts))
