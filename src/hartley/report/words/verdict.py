"""The three words of a verdict, and the one rule that says which of them a table or a release deserves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hartley.measures.by_column import ColumnLeft

Colour = Literal["red", "amber", "green"]
WORDS: dict[Colour, str] = {"red": "EXPOSED", "amber": "AT RISK", "green": "PROTECTED"}
FEWEST = 3
"""Sensitive values left for everyone below which nothing is called protected; two of a yes/no answer."""
USUAL = 5
"""How many candidates curators usually ask for, where nobody says."""
MANY = 10
"""Sensitive values from which so many are asked for; of fewer, most would have to stay possible."""


def usual_for(values: int) -> int:
    """Return how many candidates to ask for of a sensitive column with so many values.

    >>> [usual_for(values) for values in (2, 3, 4, 9, 10, 500)]
    [2, 3, 3, 3, 5, 5]
    """
    return USUAL if values >= MANY else min(FEWEST, values)


@dataclass(frozen=True)
class Headline:
    """What a person reads first."""

    colour: Colour
    sentence: str

    @property
    def word(self) -> str:
        """The verdict where there is no colour."""
        return WORDS[self.colour]

    def to_dict(self) -> dict[str, str]:
        """Return it as the page shows it."""
        return {"colour": self.colour, "word": self.word, "said": self.sentence}

    def beside(self, warning: str) -> Headline:
        """Return the verdict with a warning, beside which nothing is called protected."""
        if not warning:
            return self
        return Headline("amber" if self.colour == "green" else self.colour, f"{self.sentence} {warning}")


def colour_of(left: int, values: int, *, holds: bool = True) -> Colour:
    """Return the colour of a table or release that leaves the most exposed person so many of the values.

    EXPOSED: someone keeps one candidate. AT RISK: what was asked for does not hold, or someone keeps fewer
    than three. PROTECTED: neither; where there are two values in all, two are enough.

    >>> [WORDS[colour_of(left, 9)] for left in (1, 2, 3)], WORDS[colour_of(2, 2)]
    (['EXPOSED', 'AT RISK', 'PROTECTED'], 'PROTECTED')
    >>> WORDS[colour_of(4, 9, holds=False)]
    'AT RISK'
    """
    if left == 1:
        return "red"
    return "green" if holds and left >= min(FEWEST, values) else "amber"


def worst_colour(left: Sequence[ColumnLeft], *, holds: bool = True) -> Colour:
    """Return the colour of the worst protected of several sensitive columns, each by itself."""
    colours = {colour_of(one.distinct_l, one.values, holds=holds) for one in left}
    return next(colour for colour in WORDS if colour in colours)
