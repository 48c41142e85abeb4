"""Entropy-l: the values of every class are as evenly spread as so many equally common ones."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from hartley.model.alphabet import Alphabet
from hartley.model.arrays import Floats
from hartley.model.closeness import Closeness
from hartley.model.requirement.class_counts import ClassCounts
from hartley.model.requirement.shares import Shares, summed
from hartley.model.words import SLACK, values_of


class EntropyL(Shares, kind="entropy-l"):
    """The Shannon entropy of the values of every class is at least the logarithm of ``wanted``."""

    examples = ("entropy-l=3",)
    least = 1
    needs = "a number from 1 on"
    rule = "entropy"

    @property
    def least_values(self) -> int:
        """Fewer different values than this lack it whatever their shares."""
        return ceil(self.wanted - SLACK)

    def is_met_by(self, found: float) -> bool:
        """Tell whether what was found meets what is wanted, up to rounding."""
        return found >= self.wanted - SLACK

    def of_each_class(self, counts: ClassCounts, sensitive: Alphabet) -> Floats:
        """Return how many equally common values would have the entropy of each class."""
        share = counts.share
        return np.asarray(np.exp(-summed(share * np.log(share), counts)))

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns."""
        return f"{values_of(columns)} at least as evenly spread as {self.wanted:g} equally common ones"
