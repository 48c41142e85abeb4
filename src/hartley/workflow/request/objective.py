"""What is weighed against what: a leakage, a utility, a shape of clusters, and who searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypedDict

from hartley.errors import OptionError, option
from hartley.measures.utility import Utility
from hartley.model import Alphabet
from hartley.model.shape import ANY_SHAPE, Shape, ShapeName
from hartley.model.words import LEAKAGES, SEARCHES, Leakage, SearchName
from hartley.workflow.request.budget import Budget
from hartley.workflow.request.utility_choice import UtilityChoice


class ObjectiveFields(TypedDict, total=False):
    """The fields of an objective, as keywords of the one-call forms."""

    leakage: Leakage
    utility: UtilityChoice | Literal["resolution", "distortion"] | None
    search: SearchName
    shape: Shape | ShapeName
    borders: float | str | None
    offset: float
    equal_width: bool
    open_ends: bool
    withhold: Budget | str | int | Sequence[Budget | str | int] | None


@dataclass(frozen=True, kw_only=True)
class Objective:
    """What is weighed against what, and who searches."""

    leakage: Leakage = "l0"
    utility: UtilityChoice | Literal["resolution", "distortion"] | None = None
    search: SearchName = "optimal"
    shape: Shape | ShapeName = ANY_SHAPE
    borders: float | str | None = None
    """Where borders of intervals may lie; see :class:`Shape`."""
    offset: float = 0.0
    equal_width: bool = False
    open_ends: bool = False
    withhold: Budget | str | int | Sequence[Budget | str | int] | None = None
    """The most rows whose public value may be withheld: a number, or a share such as ``"2%"``; of a frontier
    also several, one after the other."""

    def __post_init__(self) -> None:
        if self.leakage not in LEAKAGES:
            raise OptionError.unknown("leakage", self.leakage, LEAKAGES)
        if self.search not in SEARCHES:
            raise OptionError.unknown("search", self.search, SEARCHES)
        if not isinstance(self.shape, Shape):
            shape = Shape(
                name=self.shape,
                borders=self.borders,  # type: ignore[arg-type]
                offset=self.offset,
                equal_width=self.equal_width,
                open_ends=self.open_ends,
            )
            object.__setattr__(self, "shape", shape)
        elif self.borders is not None or self.offset or self.equal_width or self.open_ends:
            # Named beside a whole shape, they have to be of it.
            object.__setattr__(
                self,
                "shape",
                replace(
                    self.shape,
                    borders=self.borders,  # type: ignore[arg-type]
                    offset=self.offset,
                    equal_width=self.equal_width,
                    open_ends=self.open_ends,
                ),
            )
        object.__setattr__(self, "withhold", Budget.several(self.withhold))
        if self.search == "greedy" and not (self.clusters.is_any and self.withholds_nothing):
            raise OptionError(f"shapes and withheld rows are of {option('search', 'optimal')}")

    @property
    def choice(self) -> UtilityChoice:
        """What was said about utility."""
        given = self.utility
        return given if isinstance(given, UtilityChoice) else UtilityChoice(name=given)

    @property
    def clusters(self) -> Shape:
        """Which clusters may be."""
        return self.shape if isinstance(self.shape, Shape) else Shape(name=self.shape)

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """The most rows whose public value may be withheld, one after the other."""
        return Budget.several(self.withhold)

    @property
    def budget(self) -> Budget:
        """The most rows whose public value may be withheld, where there is one answer to it."""
        if len(self.budgets) > 1:
            raise OptionError(f"only a frontier takes several {option('withhold')}; give one")
        return self.budgets[0]

    @property
    def withholds_nothing(self) -> bool:
        """Whether every row keeps a public value."""
        return not any(budget.number for budget in self.budgets)

    def utility_for(self, public: Alphabet) -> Utility:
        """Return the utility for these public values."""
        return self.choice.for_alphabet(public)
