"""The values one role can take, in their order."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError
from hartley.model.arrays import Flags, Floats, different, equal_arrays, frozen_array

Kind = Literal["number", "boolean", "date", "timestamp", "text"]
Label = Any
"""A value as the user knows it: number, text, date, ``None`` for missing, a tuple for several columns."""

EPOCH = dt.date(1970, 1, 1)
EXACT = 2**53
"""Up to here every whole number is a float."""

CLUSTER = "cluster"
"""The name of released values that have no labels yet."""


@dataclass(frozen=True, eq=False)
class Coordinate:
    """One column of an alphabet: the cell of every value in that column."""

    name: str
    kind: Kind
    values: npt.NDArray[Any]
    """One cell per value; what stands at a missing place has no meaning."""
    missing: Flags
    """Where the cell is missing."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen_array(self.values))
        object.__setattr__(self, "missing", frozen_array(np.asarray(self.missing, dtype=bool)))
        if self.values.shape != self.missing.shape:
            raise InputError("a coordinate needs one missing flag per value")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Coordinate):
            return NotImplemented
        return (
            self.name == other.name
            and self.kind == other.kind
            and equal_arrays(self.missing, other.missing)
            and equal_arrays(self.values[~self.missing], other.values[~other.missing])
        )

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.values.shape))

    def cell(self, place: int) -> Label:
        """Return the cell at a place as a Python value, ``None`` where it is missing."""
        if self.missing[place]:
            return None
        value = self.values[place]
        return value.item() if isinstance(value, np.generic) else value

    @property
    def cells(self) -> list[Label]:
        """All cells as Python values, ``None`` where one is missing."""
        cells: list[Label] = self.values.tolist()
        for place in np.flatnonzero(self.missing).tolist():
            cells[place] = None
        return cells

    @cached_property
    def positions(self) -> Floats | None:
        """Where each value lies on a line; NaN where it is missing; ``None`` for text.

        A date lies at its day, a timestamp at its second, a truth value at 0 or 1. Only distances
        mean something: numbers of more digits than a float has are counted from :attr:`origin`.
        """
        if self.kind == "text":
            return None
        positions = np.full(self.values.shape, np.nan)
        here = ~self.missing
        present = self.values[here]
        if self.kind == "date":
            positions[here] = [(value - EPOCH).days for value in present]
        elif self.kind == "timestamp":
            positions[here] = [_second(value) for value in present]
        else:
            far = self.origin
            positions[here] = (
                [float(Fraction(v) - far) for v in self._present] if far else present.astype(float)
            )
        return frozen_array(positions)

    def position_of(self, cell: Label) -> float:
        """Return where any cell of the column's kind lies on the line of :attr:`positions`."""
        if cell is None:
            return float("nan")
        if self.kind == "date":
            return float((cell - EPOCH).days)
        if self.kind == "timestamp":
            return _second(cell)
        return float(Fraction(cell) - self.origin) if self.origin else float(cell)

    @cached_property
    def origin(self) -> Fraction:
        """The number that lies at position 0: the least one where floats would blur the distances."""
        return min(map(Fraction, self._present)) if self._is_long else Fraction(0)

    @cached_property
    def is_blurred(self) -> bool:
        """Whether different numbers lie at one position: floats do not reach so far so finely."""
        if not self._is_long or self.positions is None:
            return False
        return len(different(self.positions[~self.missing])) < len(set(self._present))

    @property
    def _present(self) -> list[Label]:
        found: list[Label] = self.values[~self.missing].tolist()
        return found

    @cached_property
    def _is_long(self) -> bool:
        """Whether there are numbers of more digits than a float has."""
        present = self.values[~self.missing]
        if self.kind != "number" or present.dtype.kind == "f" or not len(present):
            return False
        if present.dtype.kind in "iu":
            return max(-int(present.min()), int(present.max())) > EXACT
        if not all(np.isfinite(float(value)) for value in present):
            return False
        exact = [Fraction(value) for value in present]
        units = max(value.denominator for value in exact)
        return max(map(abs, exact)) * units > EXACT

    def take(self, places: npt.NDArray[np.intp]) -> Coordinate:
        """Return the same column with its values in another order, or some of them."""
        return Coordinate(self.name, self.kind, self.values[places], self.missing[places])


@dataclass(frozen=True, eq=False)
class Alphabet:
    """The distinct values of a role, in order; several columns act as one joint value.

    Most callers build one with :meth:`of_values`.

    Parameters
    ----------
    coordinates : tuple of Coordinate
        One for each column: its name, its kind, and the cell of every value.
    given_positions : numpy.ndarray, optional
        Positions on a line that differ from the values' own; see :attr:`positions`.

    Raises
    ------
    InputError
        If there is no column, the columns differ in length, or the positions do not fit the values.

    Examples
    --------
    >>> import hartley
    >>> chol = hartley.Alphabet.of_values([180, 214, None], columns=("chol",))
    >>> chol.size, chol.label(1), chol.label(2)
    (3, 214, None)
    >>> chol.positions
    array([180., 214.,  nan])
    """

    coordinates: tuple[Coordinate, ...]
    given_positions: Floats | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.coordinates:
            raise InputError("an alphabet needs at least one column")
        if len({len(c.values) for c in self.coordinates}) > 1:
            raise InputError("the columns of an alphabet must be of one length")
        if self.given_positions is not None:
            positions = frozen_array(np.asarray(self.given_positions, dtype=float))
            if positions.shape != (self.size,):
                raise InputError(f"{self.size} values need {self.size} positions, not {positions.size}")
            object.__setattr__(self, "given_positions", positions)

    @classmethod
    def of_values(
        cls,
        values: Iterable[Label],
        columns: Sequence[str] = ("value",),
        positions: Sequence[float] | None = None,
    ) -> Alphabet:
        """Build from distinct values in the order given.

        Parameters
        ----------
        values : iterable
            The values, each once; tuples where there are several columns; ``None`` or NaN for missing.
        columns : sequence of str
            The name of each column.
        positions : sequence of float, optional
            Where each value lies on a line, if not where its own number puts it.

        Returns
        -------
        Alphabet
            The values, numbered from 0 in the order given.

        Raises
        ------
        InputError
            If a value stands twice, or does not have one cell for each column.
        """
        rows = list(values)
        cells = [(row,) for row in rows] if len(columns) == 1 else rows
        if any(len(row) != len(columns) for row in cells):
            raise InputError(f"each value needs {len(columns)} cells, one for each column")
        coordinates = tuple(_coordinate(name, [row[j] for row in cells]) for j, name in enumerate(columns))
        alphabet = cls(coordinates, None if positions is None else np.asarray(positions, dtype=float))
        if len(set(alphabet.labels())) != alphabet.size:
            raise InputError("an alphabet holds each value once")
        return alphabet

    @classmethod
    def numbered(cls, size: int, name: str = CLUSTER) -> Alphabet:
        """Build the alphabet 0, 1, ..., size - 1."""
        return cls((Coordinate(name, "number", np.arange(size), np.zeros(size, dtype=bool)),))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alphabet):
            return NotImplemented
        if (self.given_positions is None) != (other.given_positions is None):
            return False
        return self.coordinates == other.coordinates and (
            self.given_positions is None or equal_arrays(self.given_positions, other.given_positions)
        )

    def __hash__(self) -> int:
        return hash(self.coordinates)

    def __repr__(self) -> str:
        return f"Alphabet({', '.join(self.columns)}: {self.size} values)"

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.coordinates[0].values)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(c.name for c in self.coordinates)

    def label(self, place: int) -> Label:
        """Return the value at a place: a cell, or a tuple of cells where there are several columns."""
        cells = tuple(c.cell(place) for c in self.coordinates)
        return cells[0] if len(cells) == 1 else cells

    def cells(self, place: int) -> dict[str, Label]:
        """Return the cells of the value at a place, by column."""
        return {coordinate.name: coordinate.cell(place) for coordinate in self.coordinates}

    def labels(self) -> list[Label]:
        """Return all values, in order."""
        return [self.label(place) for place in range(self.size)]

    def place(self, label: Label) -> int:
        """Return the place of a value."""
        try:
            return self._places[label]
        except (KeyError, TypeError):
            raise InputError(
                f"no such value among the {self.size} values of {', '.join(self.columns)}"
            ) from None

    @cached_property
    def _places(self) -> dict[Label, int]:
        return {label: place for place, label in enumerate(self.labels())}

    @property
    def positions(self) -> Floats | None:
        """Where each value lies on a line, NaN where it has no place; ``None`` when there is no line.

        There is one for a single column of numbers, dates or truth values, and
        wherever positions were given.
        """
        if self.given_positions is not None:
            return self.given_positions
        return self.coordinates[0].positions if len(self.coordinates) == 1 else None

    @property
    def missing(self) -> Flags:
        """Where any cell of the value is missing."""
        flags = self.coordinates[0].missing.copy()
        for coordinate in self.coordinates[1:]:
            flags |= coordinate.missing
        return flags

    def take(self, places: npt.NDArray[np.intp]) -> Alphabet:
        """Return the values at these places, in that order."""
        given = None if self.given_positions is None else self.given_positions[places]
        return Alphabet(tuple(c.take(places) for c in self.coordinates), given)


def _coordinate(name: str, cells: list[Label]) -> Coordinate:
    cells = [None if isinstance(cell, float) and cell != cell else cell for cell in cells]
    missing = np.array([cell is None for cell in cells], dtype=bool)
    kind = _kind([cell for cell in cells if cell is not None])
    if kind == "number":
        present = np.array([0 if cell is None else cell for cell in cells])
        if present.dtype.kind in "iu" or (
            present.dtype.kind == "f" and not any(_loses(cell) for cell in cells)
        ):
            return Coordinate(name, kind, present, missing)
    values = np.empty(len(cells), dtype=object)
    values[:] = cells
    return Coordinate(name, kind, values, missing)


def _kind(cells: list[Label]) -> Kind:
    if not cells:
        return "text"
    if all(isinstance(cell, (bool, np.bool_)) for cell in cells):
        return "boolean"
    if all((isinstance(cell, Real) and not isinstance(cell, bool)) or _is_decimal(cell) for cell in cells):
        return "number"
    if all(isinstance(cell, dt.datetime) for cell in cells):
        return "timestamp"
    if all(isinstance(cell, dt.date) and not isinstance(cell, dt.datetime) for cell in cells):
        return "date"
    return "text"


def _is_decimal(cell: Label) -> bool:
    from decimal import Decimal

    return isinstance(cell, Decimal)


def _loses(cell: Label) -> bool:
    """Tell whether turning the cell into a float would change it."""
    return isinstance(cell, int) and int(float(cell)) != cell


def _second(value: dt.datetime) -> float:
    if value.tzinfo is None:
        value = value.replace(tzinfo=dt.UTC)
    return value.timestamp()


def label_to_json(label: Label) -> Any:
    """Return a label as JSON has it: numbers, strings, truth values, ``null``; lists for joint values."""
    if isinstance(label, tuple):
        return [label_to_json(cell) for cell in label]
    if label is None or isinstance(label, (bool, int, float, str)):
        return label
    if isinstance(label, (dt.date, dt.datetime)):
        return label.isoformat()
    return str(label)
