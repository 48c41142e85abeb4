"""Which clusters may be: any, runs of neighbours, one codebook for each column, or leaves of a tree."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal, TypeAlias, get_args

from hartley.errors import OptionError, option, quoted
from hartley.model.shapes.border_grid import CALENDARS, Calendar, OwnBorders, is_list

ShapeName: TypeAlias = Literal["any", "intervals", "columns", "tree"]
SHAPES: tuple[ShapeName, ...] = get_args(ShapeName)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Which clusters may be.

    >>> Shape(name="intervals", borders=10)
    Shape(name='intervals', borders=10.0)
    >>> Shape(borders=10)
    Traceback (most recent call last):
    hartley.errors.OptionError: borders needs shape='intervals'; choose that shape
    """

    name: ShapeName = "any"
    borders: float | Calendar | Literal["auto"] | OwnBorders | None = None
    """Where borders may lie: multiples of a step, a calendar, a list, or the finest that is free."""

    def __post_init__(self) -> None:
        if self.name not in SHAPES:
            raise OptionError.unknown("shape", self.name, SHAPES)
        if is_list(self.borders):
            object.__setattr__(self, "borders", OwnBorders.of(self.borders))  # type: ignore[arg-type]
        if isinstance(self.borders, (int, float)) and not isinstance(self.borders, bool):
            if not (isfinite(self.borders) and self.borders > 0):
                raise OptionError(f"{option('borders')} needs a step above 0, not {self.borders!r}")
            object.__setattr__(self, "borders", float(self.borders))
        elif not (isinstance(self.borders, OwnBorders) or self.borders in (None, *CALENDARS, "auto")):
            raise OptionError(
                f"unknown kind of borders {self.borders!r}; give a step above 0, or choose "
                f"{quoted([*CALENDARS, 'auto'], last=' or ')}, or list your own: 18,40,65"
            )
        if self.borders is None:
            return
        if self.name == "any":
            raise OptionError(f"{option('borders')} needs {option('shape', 'intervals')}; choose that shape")
        if self.name == "tree":
            raise OptionError(f"{option('borders')} has no meaning under {option('shape', 'tree')}")
        if self.name == "columns":
            raise OptionError(f"name the column of {option('borders')}, as in {option('borders', 'age=5')}")

    @property
    def is_any(self) -> bool:
        """Whether every partition is allowed."""
        return self.name == "any"


ANY_SHAPE = Shape()
