"""What a curator says about single columns where each has a codebook of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from hartley.errors import ColumnError, OptionError, option
from hartley.model.alphabet import Coordinate
from hartley.tables.hierarchy_file import (
    read_dissimilarities,
    read_hierarchy,
    read_neighbours,
    read_order,
)

if TYPE_CHECKING:
    from hartley.search.codebooks import CodebookOptions, ColumnSettings

BandsName: TypeAlias = Literal["variable", "equal"]
ObjectiveName: TypeAlias = Literal["mean", "worst"]
Listed: TypeAlias = str | Path | Sequence[str]
"""A file of values, or the values."""
Tree: TypeAlias = str | Path | Sequence[Sequence[str]]
"""A file of values with their groups, or its rows."""


Neighbours: TypeAlias = str | Path | Sequence[tuple[str, str]]
"""A file of pairs of values, or the pairs."""
Dissimilarities: TypeAlias = str | Path | Mapping[tuple[str, str], float]
"""A file of pairs of values and how unlike they are, or the numbers by pair."""


class ColumnFields(TypedDict, total=False):
    """What is said about single columns, as keywords of the one-call forms."""

    bands: BandsName
    objective: ObjectiveName
    lose_at_most: float | str
    weight: Mapping[str, float]
    order: Mapping[str, Listed]
    hierarchy: Mapping[str, Tree]
    prefix: str | Sequence[str]
    neighbours: Mapping[str, Neighbours]
    dissimilarity: Mapping[str, Dissimilarities]


@dataclass(frozen=True, kw_only=True)
class ColumnChoices:
    """What a curator says about single columns, and about codebooks as a whole.

    >>> ColumnChoices(lose_at_most="25%", weight={"age": 2}).share
    0.25
    >>> ColumnChoices(weight={"age": 0})
    Traceback (most recent call last):
    hartley.errors.OptionError: weight of 'age' must be a positive number, not 0
    """

    bands: BandsName = "variable"
    objective: ObjectiveName = "mean"
    lose_at_most: float | str = 0.5
    """The largest share of a band's rows that may be withheld: 0.5, or "50%"."""
    weight: Mapping[str, float] = field(default_factory=dict)
    order: Mapping[str, Listed] = field(default_factory=dict)
    hierarchy: Mapping[str, Tree] = field(default_factory=dict)
    prefix: str | Sequence[str] = ()
    neighbours: Mapping[str, Neighbours] = field(default_factory=dict)
    dissimilarity: Mapping[str, Dissimilarities] = field(default_factory=dict)
    borders: Mapping[str, float | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = (self.prefix,) if isinstance(self.prefix, str) else tuple(self.prefix)
        object.__setattr__(self, "prefix", given)
        for name, number in self.weight.items():
            if not (isinstance(number, (int, float)) and isfinite(number) and number > 0):
                raise OptionError(f"{option('weight')} of {name!r} must be a positive number, not {number}")
        self.options()

    @property
    def is_default(self) -> bool:
        """Whether nothing was said."""
        return self == ColumnChoices()

    @property
    def said(self) -> list[str]:
        """The options that were said."""
        plain = ColumnChoices()
        return [one.name for one in fields(self) if getattr(self, one.name) != getattr(plain, one.name)]

    @property
    def share(self) -> float:
        """The largest share of a band's rows that may be withheld."""
        text = str(self.lose_at_most).strip()
        try:
            number = Decimal(text.removesuffix("%").strip())
        except InvalidOperation:
            number = Decimal("NaN")
        share = number / 100 if text.endswith("%") else number
        if not share.is_finite() or not 0 <= share <= 1:
            raise OptionError(f"{option('lose_at_most')} needs a share from 0% to 100%, not {text!r}")
        return float(share)

    def options(self, **more: Any) -> CodebookOptions:
        """Return how codebooks are to be looked for."""
        from hartley.search.codebooks import CodebookOptions

        return CodebookOptions(bands=self.bands, objective=self.objective, lose_at_most=self.share, **more)

    def require_among(self, columns: Iterable[str]) -> None:
        """Refuse what is said about a column that is not published."""
        there = list(columns)
        told = (
            *(self.weight, self.order, self.hierarchy, self.prefix),
            *(self.neighbours, self.dissimilarity, self.borders),
        )
        for named in told:
            for name in named:
                if name not in there:
                    raise ColumnError.absent(name, there)

    def neighbour_pairs(self, name: str) -> Sequence[tuple[str, str]]:
        """Return the pairs of neighbouring values of a column."""
        given = self.neighbours[name]
        return read_neighbours(given) if isinstance(given, (str, Path)) else tuple(given)

    def dissimilarities(self, name: str) -> Mapping[tuple[str, str], float]:
        """Return how unlike the values of a column are, by pairs."""
        given = self.dissimilarity[name]
        return read_dissimilarities(given) if isinstance(given, (str, Path)) else dict(given)

    def settings(self, coordinate: Coordinate, *, keep: bool) -> ColumnSettings:
        """Return what is said about one column."""
        from hartley.search.codebooks import ColumnSettings

        name = coordinate.name
        borders = self.borders.get(name)
        if borders == "auto":
            borders = None
        if borders == "each" and coordinate.kind == "timestamp":
            raise OptionError(
                f"borders of moments lie between days; column {name!r} cannot have them at each moment"
            )
        if coordinate.kind == "number" and coordinate.origin and not keep:
            raise OptionError(
                f"the numbers of column {name!r} have more digits than bands can be cut by; read it as text "
                f"({option('text')}), or keep it"
            )
        of_text = ("order", "hierarchy", "prefix", "neighbours", "dissimilarity")
        texts = [one for one in of_text if name in getattr(self, one)]
        if "dissimilarity" in texts and len(texts) > 1:
            raise OptionError(
                f"column {name!r} has {option(texts[0])} and {option('dissimilarity')}; give one of them"
            )
        if texts and coordinate.kind != "text":
            raise OptionError(
                f"{option(texts[0])} is for text; column {name!r} is a {coordinate.kind}, unless it is "
                f"read as text ({option('text')})"
            )
        return ColumnSettings(
            keep=keep,
            borders=None if keep else borders,
            weight=float(self.weight.get(name, 1.0)),
            order=_order(self.order[name]) if name in self.order else None,
            hierarchy=_rows(self.hierarchy[name], name) if name in self.hierarchy else None,
            prefix=name in self.prefix,
        )


def _order(given: Listed) -> Sequence[str]:
    return read_order(given) if isinstance(given, (str, Path)) else tuple(given)


def _rows(given: Tree, column: str) -> Sequence[Sequence[str]]:
    if isinstance(given, (str, Path)):
        return read_hierarchy(given, column)
    return tuple(tuple(row) for row in given)
