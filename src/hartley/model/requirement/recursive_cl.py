"""Recursive (c, l): the commonest value is not too common beside the rarer ones."""

from __future__ import annotations

from collections.abc import Sequence
from math import ulp
from typing import Any

import numpy as np

from hartley.errors import OptionError
from hartley.model.alphabet import Alphabet
from hartley.model.arrays import Floats
from hartley.model.closeness import Closeness
from hartley.model.requirement.class_counts import ClassCounts
from hartley.model.requirement.shares import Shares, largest, summed
from hartley.model.words import value_of


class RecursiveCL(Shares, kind="recursive-cl"):
    """In every class the commonest value has fewer rows than ``wanted`` times those from the l-th on."""

    examples = ("recursive-cl=3,2",)
    least = ulp(0.0)
    needs = "c above 0"
    is_at_least = False
    rule = "tail"

    @classmethod
    def parse_number(cls, name: str, text: str) -> Any:
        """Read ``c,l``."""
        times, _, values = text.partition(",")
        try:
            return float(times), int(values)
        except ValueError:
            raise OptionError(
                f"the requirement {name} needs two numbers c,l such as 3,2, not {text!r}"
            ) from None

    def read_number(self, given: Any) -> float:
        """Return c, and keep l; raise where they are no such numbers."""
        values: Any = self.second
        if isinstance(given, (tuple, list)) and len(given) == 2:
            given, values = given
        if not isinstance(values, int) or isinstance(values, bool) or not 2 <= values < 2**31:
            raise OptionError(
                f"the requirement {self.name} needs two numbers (c, l), with a whole l from 2 on"
            )
        object.__setattr__(self, "second", values)
        return super().read_number(given)

    @property
    def text(self) -> str:
        """The requirement as it is typed."""
        return f"{self.label}={self.wanted:g},{self.second}"

    @property
    def least_values(self) -> int:
        """Fewer different values than this lack it whatever their shares."""
        return self.second or 1

    def is_met_by(self, found: float) -> bool:
        """Tell whether what was found is less than what is wanted."""
        return found < self.wanted

    def of_each_class(self, counts: ClassCounts, sensitive: Alphabet) -> Floats:
        """Return the rows of the commonest value of each class by those of the l-th and rarer ones."""
        order = np.lexsort((-counts.rows, counts.class_of))
        place = np.arange(len(order)) - counts.starts[counts.class_of]
        rows = counts.rows[order].astype(np.float64)
        tail = summed(np.where(place >= self.least_values - 1, rows, 0.0), counts)
        with np.errstate(divide="ignore"):
            return np.asarray(largest(rows, counts) / tail)

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns."""
        return (
            f"its commonest {value_of(columns)} in fewer rows than {self.wanted:g} times those of the "
            f"{_ordinal(self.least_values)} and rarer ones together"
        )


def _ordinal(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")
