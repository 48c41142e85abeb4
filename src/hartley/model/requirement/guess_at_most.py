"""Guess-at-most: the share of the commonest value in every class, which is the best guess of a reader."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, nextafter, ulp
from typing import Any

from hartley.errors import OptionError
from hartley.model.alphabet import Alphabet
from hartley.model.arrays import Floats
from hartley.model.closeness import Closeness
from hartley.model.requirement.class_counts import ClassCounts
from hartley.model.requirement.shares import Shares, largest
from hartley.model.words import value_of


class GuessAtMost(Shares, kind="guess-at-most"):
    """No value of a sensitive column, or of all together, has more than this share of the rows of a class."""

    examples = ("guess-at-most=80%",)
    least, most = ulp(0.0), nextafter(1.0, 0.0)
    needs = "a share between 0% and 100%"
    is_at_least = False
    rule = "share"

    @classmethod
    def parse_number(cls, name: str, text: str) -> Any:
        """Read a share: 80% or 0.8."""
        try:
            return float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            raise OptionError(f"the requirement {name} needs a share such as 80%, not {text!r}") from None

    @property
    def text(self) -> str:
        """The requirement as it is typed."""
        return f"{self.label}={100 * self.wanted:g}%"

    @property
    def least_values(self) -> int:
        """Fewer different values than this lack it whatever their shares."""
        return ceil(1 / self.wanted - 1e-9)

    def of_each_class(self, counts: ClassCounts, sensitive: Alphabet) -> Floats:
        """Return the share of the commonest value of each class."""
        return largest(counts.share, counts)

    def amount(self, found: float) -> str:
        """Return a share in words."""
        return f"{100 * found:.3g} %"

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns."""
        return f"no {value_of(columns)} in more than {100 * self.wanted:g} % of its rows"
