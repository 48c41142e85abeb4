"""Beta-likeness: no value is much more common in a class than in the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from math import ulp

from hartley.model.alphabet import Alphabet
from hartley.model.arrays import Floats
from hartley.model.closeness import Closeness
from hartley.model.requirement.class_counts import ClassCounts
from hartley.model.requirement.shares import Shares, largest
from hartley.model.words import value_of


class BetaLikeness(Shares, kind="beta-likeness"):
    """The share of every value in a class exceeds its share in the table by at most ``wanted`` times it."""

    examples = ("beta-likeness=2",)
    least = ulp(0.0)
    needs = "a number above 0"
    is_at_least = False
    rule = "gain"

    def of_each_class(self, counts: ClassCounts, sensitive: Alphabet) -> Floats:
        """Return how many times its share in the table the worst value of each class has gained."""
        whole = counts.whole[counts.code]
        return largest((counts.share - whole) / whole, counts)

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns."""
        return f"no {value_of(columns)} more than {1 + self.wanted:g} times as common as in the whole table"
