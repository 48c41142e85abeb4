"""What a curator says about single columns, for a codebook of their own or as distances.

A weight multiplies the distances of a column. The values of an ordered column lie evenly from 0 to 1. Two
values of a hierarchy are as far apart as the lowest group that holds both is high; the top is 1 high. Or
it is said of each two values how unlike they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from itertools import combinations
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from hartley.errors import ColumnError, InputError, OptionError, option
from hartley.model import Alphabet, Coordinate, Label
from hartley.model.shapes.border_grid import OwnBorders, is_list
from hartley.model.words import OBJECTIVES, ObjectiveName
from hartley.tables.looks.orders import known_order
from hartley.tables.value_files import read_dissimilarities, read_hierarchy, read_order
from hartley.workflow.request.named_ranges import named_ranges
from hartley.workflow.request.utility_choice import UtilityChoice

if TYPE_CHECKING:
    from hartley.search.codebooks import CodebookOptions, ColumnSettings

Listed: TypeAlias = str | Path | Sequence[str]
"""A file of values, the values, or ``auto`` where their words tell."""
Tree: TypeAlias = str | Path | Sequence[Sequence[str]]
"""A file of values with their groups, or its rows."""


Dissimilarities: TypeAlias = str | Path | Mapping[tuple[str, str], float]
"""A file of pairs of values and how unlike they are, or the numbers by pair."""


Edges: TypeAlias = float | str | Sequence[float | str | date]
"""A step, a calendar, or a list of borders."""


@dataclass(frozen=True, kw_only=True)
class ColumnChoices:
    """What a curator says about single columns, and about codebooks as a whole.

    >>> ColumnChoices(weight={"age": 0})
    Traceback (most recent call last):
    hartley.errors.OptionError: weight of 'age' must be a positive number, not 0
    """

    objective: ObjectiveName = "mean"
    weight: Mapping[str, float] = field(default_factory=dict)
    order: Mapping[str, Listed] = field(default_factory=dict)
    hierarchy: Mapping[str, Tree] = field(default_factory=dict)
    prefix: str | Sequence[str] = ()
    dissimilarity: Mapping[str, Dissimilarities] = field(default_factory=dict)
    borders: Mapping[str, Edges] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = (self.prefix,) if isinstance(self.prefix, str) else tuple(self.prefix)
        object.__setattr__(self, "prefix", given)
        for name, number in self.weight.items():
            if not (isinstance(number, (int, float)) and isfinite(number) and number > 0):
                raise OptionError(f"{option('weight')} of {name!r} must be a positive number, not {number}")
        if self.objective not in OBJECTIVES:
            raise OptionError.unknown("objective", self.objective, OBJECTIVES)
        for borders in self.borders.values():
            if is_list(borders):
                OwnBorders.of(borders)  # type: ignore[arg-type]

    @property
    def said(self) -> list[str]:
        """The options that were said."""
        plain = ColumnChoices()
        return [one.name for one in fields(self) if getattr(self, one.name) != getattr(plain, one.name)]

    def options(self, **more: Any) -> CodebookOptions:
        """Return how codebooks are to be looked for."""
        from hartley.search.codebooks import CodebookOptions

        return CodebookOptions(objective=self.objective, spares_columns=not self.weight, **more)

    def require_among(self, columns: Iterable[str]) -> None:
        """Refuse what is said about a column that is not published."""
        there = list(columns)
        for named in (
            *(self.weight, self.order, self.hierarchy, self.prefix),
            *(self.dissimilarity, self.borders),
        ):
            for name in named:
                if name not in there:
                    raise ColumnError.absent(name, there, "public")

    def dissimilarities(self, name: str) -> Mapping[tuple[str, str], float]:
        """Return how unlike the values of a column are, by pairs."""
        given = self.dissimilarity[name]
        return read_dissimilarities(given) if isinstance(given, (str, Path)) else dict(given)

    def settings(self, coordinate: Coordinate, *, keep: bool, has_ranges: bool = False) -> ColumnSettings:
        """Return what is said about one column; only with ``has_ranges`` may numbers have a hierarchy."""
        from hartley.search.codebooks import ColumnSettings

        name = coordinate.name
        given = self.borders.get(name)
        borders = given if given is None or isinstance(given, (int, float, str)) else OwnBorders.of(given)
        if isinstance(borders, str) and is_list(borders):
            borders = OwnBorders.of(borders)
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
        of_text = ("order", "hierarchy", "prefix", "dissimilarity")
        texts = [one for one in of_text if name in getattr(self, one)]
        if "dissimilarity" in texts and len(texts) > 1:
            raise OptionError(
                f"column {name!r} has {option(texts[0])} and {option('dissimilarity')}; give one of them"
            )
        is_line = coordinate.kind in ("number", "date", "timestamp")
        if texts == ["hierarchy"] and is_line:
            if not has_ranges:
                raise OptionError(
                    f"column {name!r} is a {coordinate.kind}, and hierarchies of these are of "
                    f"{option('shape', 'columns')}; choose that shape"
                )
            if borders is not None:
                raise OptionError(
                    f"column {name!r} has {option('hierarchy')} and {option('borders')}; give one"
                )
            if not keep:
                borders = named_ranges(self.hierarchy[name], coordinate)
            texts = []
        if texts and coordinate.kind != "text":
            raise OptionError(
                f"{option(texts[0])} is for text; column {name!r} is a {coordinate.kind}, unless it is "
                f"read as text ({option('text')})"
            )
        return ColumnSettings(
            keep=keep,
            borders=None if keep else borders,
            weight=float(self.weight.get(name, 1.0)),
            order=_order(self.order[name], coordinate) if name in self.order else None,
            hierarchy=_rows(self.hierarchy[name], name) if "hierarchy" in texts else None,
            prefix=name in self.prefix,
        )


def _order(given: Listed, coordinate: Coordinate) -> Sequence[str]:
    """Return the order that is said, or with ``auto`` the one that common words have."""
    if given == "auto":
        cells = [str(cell) for cell in _cells(coordinate) if cell is not None]
        found = known_order(cells)
        if found is None:
            raise OptionError(
                f"the order of the values of column {coordinate.name!r} is not known; list them from least "
                f"to greatest in a file, one on each line ({option('order', f'{coordinate.name}=FILE')})"
            )
        return found
    return read_order(given) if isinstance(given, (str, Path)) else tuple(given)


def _rows(given: Tree, column: str) -> Sequence[Sequence[str]]:
    if isinstance(given, (str, Path)):
        return read_hierarchy(given, column)
    return tuple(tuple(row) for row in given)


Distances = dict[tuple[Label, Label], float]
Paths = dict[Label, tuple[Label, ...]]
"""The ever wider groups of each value, itself first."""


def with_distances(choice: UtilityChoice, said: ColumnChoices, public: Alphabet) -> UtilityChoice:
    """Return a choice of utility with the distances that are said for single columns."""
    named = {*said.weight, *said.order, *said.hierarchy, *said.dissimilarity}
    if not named:
        return choice
    said.require_among(public.columns)
    if len(public.columns) < 2:
        other = "" if said.dissimilarity else f", or choose {option('shape', 'columns')}"
        raise OptionError(f"{option(said.said[0])} needs several public columns; name more{other}")
    scales, tables = dict(choice.scales), dict(choice.dissimilarities)
    for place, column in enumerate(public.coordinates):
        if column.name not in named:
            continue
        weight = float(said.weight.get(column.name, 1.0))
        # The settings refuse an order, a hierarchy or dissimilarities of a column that is no text.
        settings = said.settings(column, keep=False)
        if settings.hierarchy is not None:
            tables[column.name] = _weighed(_by_hierarchy(public, place, settings.hierarchy), weight)
        elif settings.order is not None:
            tables[column.name] = _weighed(_by_order(column, settings.order), weight)
        elif column.name in said.dissimilarity:
            tables[column.name] = _weighed(said.dissimilarities(column.name), weight)
        elif column.name in tables:
            tables[column.name] = _weighed(tables[column.name], weight)
        elif column.kind == "text":
            tables[column.name] = dict.fromkeys(combinations(_cells(column), 2), weight)
        else:
            scales[column.name] = scales.get(column.name, _range(column)) / weight
    return replace(choice, scales=scales, dissimilarities=tables)


def _weighed(distances: Mapping[Any, float], weight: float) -> Distances:
    return {pair: weight * distance for pair, distance in distances.items()}


def _cells(column: Coordinate) -> list[Label]:
    return list(dict.fromkeys(column.cell(place) for place in range(len(column.values))))


def _range(column: Coordinate) -> float:
    positions = column.positions
    here = positions[~np.isnan(positions)] if positions is not None else np.zeros(0)
    return (float(np.ptp(here)) if len(here) else 0.0) or 1.0


def _by_order(column: Coordinate, order: Sequence[str]) -> Distances:
    rank = {value: place for place, value in enumerate(order)}
    cells = _cells(column)
    lacking = [cell for cell in cells if cell is not None and str(cell) not in rank]
    if lacking:
        raise InputError(f"the order lacks {len(lacking)} of the values of column {column.name!r}")
    length = max(len(order) - 1, 1)

    def distance(one: Label, other: Label) -> float:
        if one is None or other is None:
            return 1.0
        return abs(rank[str(one)] - rank[str(other)]) / length

    return {(one, other): distance(one, other) for one, other in combinations(cells, 2)}


def groups_said(said: ColumnChoices, public: Alphabet) -> dict[str, Paths]:
    """Return the ever wider groups of the values of each column that has a hierarchy or prefixes."""
    found = {}
    for place, column in enumerate(public.coordinates):
        rows = said.settings(column, keep=False).hierarchy if column.name in said.hierarchy else None
        if rows is not None:
            found[column.name] = _paths(public, place, rows)
        elif column.name in said.prefix:
            found[column.name] = _beginnings(column)
    return found


def _beginnings(column: Coordinate) -> Paths:
    """Return the ever shorter beginnings of each value of a column of text.

    >>> _beginnings(Alphabet.of_values(["8010", "81"]).coordinates[0])
    {'8010': ('8010', '801…', '80…', '8…'), '81': ('81', '81…', '81…', '8…')}
    """
    cells = [cell for cell in _cells(column) if cell is not None]
    longest = max((len(str(cell)) for cell in cells), default=0)
    return {cell: (cell, *(f"{str(cell)[:size]}…" for size in range(longest - 1, 0, -1))) for cell in cells}


def _paths(public: Alphabet, place: int, rows: Sequence[Sequence[str]]) -> Paths:
    # Loaded where there is a hierarchy: with it come all searches that others have.
    from hartley.baselines.hierarchy import Hierarchy

    column = public.coordinates[place]
    try:
        words = Hierarchy.of_rows(public, rows, column=place).words
    except InputError as error:
        raise InputError(f"hierarchy of {column.name!r}: {error.message}") from None
    return {column.cell(at): tuple(level[at] for level in words) for at in range(public.size)}


def _by_hierarchy(public: Alphabet, place: int, rows: Sequence[Sequence[str]]) -> Distances:
    path = _paths(public, place, rows)
    top = max(len(next(iter(path.values()))) - 1, 1)

    def height(one: Label, other: Label) -> float:
        pairs = zip(path[one], path[other], strict=True)
        return next((level for level, (a, b) in enumerate(pairs) if a == b), top) / top

    return {(one, other): height(one, other) for one, other in combinations(path, 2)}
