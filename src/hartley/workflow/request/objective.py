"""What is weighed against what: a leakage, a utility, a shape of clusters, and who searches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypedDict

from hartley.errors import OptionError
from hartley.measures.utility import Utility
from hartley.model import Alphabet
from hartley.model.shape import ANY_SHAPE, Shape
from hartley.model.words import LEAKAGES, SEARCHES, Leakage, SearchName
from hartley.workflow.request.utility_choice import UtilityChoice


class ObjectiveFields(TypedDict, total=False):
    """The fields of an objective, as keywords of the one-call forms."""

    leakage: Leakage
    utility: UtilityChoice | Literal["resolution", "distortion"] | None
    search: SearchName
    shape: Shape | Literal["any", "intervals", "columns"]


@dataclass(frozen=True, kw_only=True)
class Objective:
    """What is weighed against what, and who searches."""

    leakage: Leakage = "l0"
    utility: UtilityChoice | Literal["resolution", "distortion"] | None = None
    search: SearchName = "optimal"
    shape: Shape | Literal["any", "intervals", "columns"] = field(default=ANY_SHAPE)

    def __post_init__(self) -> None:
        if self.leakage not in LEAKAGES:
            raise OptionError.unknown("leakage", self.leakage, LEAKAGES)
        if self.search not in SEARCHES:
            raise OptionError.unknown("search", self.search, SEARCHES)
        if not isinstance(self.shape, Shape):
            object.__setattr__(self, "shape", Shape(name=self.shape))

    @property
    def choice(self) -> UtilityChoice:
        """What was said about utility."""
        given = self.utility
        return given if isinstance(given, UtilityChoice) else UtilityChoice(name=given)

    @property
    def clusters(self) -> Shape:
        """Which clusters may be."""
        return self.shape if isinstance(self.shape, Shape) else Shape(name=self.shape)

    def utility_for(self, public: Alphabet) -> Utility:
        """Return the utility for these public values."""
        return self.choice.for_alphabet(public)
