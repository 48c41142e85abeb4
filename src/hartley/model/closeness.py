"""Which sensitive values count as one: a tolerance on a number or a date, groups of values, or neither.

A tolerance says how far apart two values must be to count as two: more than that. Comparisons are of exact
decimals: 0.4 and 0.3 are 0.1 apart, whatever their floats say. A group counts as one value. A missing value
is apart from every other. Of several sensitive columns at most one may have a tolerance: two make the count a
packing of squares, which nobody can compute exactly for tables of any size.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from math import floor, isfinite, isinf, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.errors import ColumnError, OptionError, quoted
from hartley.model.alphabet import EPOCH, Alphabet, Coordinate, Label
from hartley.model.arrays import Floats, Int64s, frozen_array
from hartley.model.words import NOUNS, values_of

MOST_PLACES = 15
"""Decimal places that floats are tried to be scaled by at once."""
EXACT_DIGITS = 10**15
"""Numbers of so many digits are told apart by their floats."""
MOST_WHOLE = 2**62
"""Whole numbers below this can be added without a thought."""
SECOND = 1_000_000
DAY = 86_400 * SECOND
"""In microseconds."""


def first_beyond(column: Coordinate, limit: Fraction) -> tuple[Int64s, Int64s]:
    """Return the rank of each cell, and for each rank the first one that is more than ``limit`` above.

    Ranks count the different cells in ascending order; that of a missing cell is 0 and has no meaning. The
    limit is in the unit of the numbers, in days for dates. An infinite number is apart from every other.

    >>> cells = Coordinate("dose", "number", np.array([0.4, 0.3, 0.2]), np.zeros(3, dtype=bool))
    >>> [array.tolist() for array in first_beyond(cells, Fraction(1, 10))]
    [[2, 1, 0], [2, 3, 3]]
    """
    here = ~column.missing
    ranks = np.zeros(len(here), dtype=np.int64)
    if not here.any():
        return ranks, np.array([1], dtype=np.int64)
    numbers, unit = _whole_numbers(column, limit)
    found, inverse = np.unique(numbers, return_inverse=True)
    ranks[here] = inverse
    reach = floor(limit / unit)
    if abs(int(found[0])) + abs(int(found[-1])) + reach >= MOST_WHOLE:
        found = found.astype(object)
    return ranks, np.searchsorted(found, found + reach, side="right").astype(np.int64)


def spread(column: Coordinate, places: npt.NDArray[np.intp]) -> float:
    """Return how far the largest and the smallest of some cells are apart, in days for dates, or NaN."""
    present = places[~column.missing[places]]
    if not len(present):
        return float("nan")
    cells = [column.values[place] for place in present]
    low, high = min(cells), max(cells)
    if column.kind == "date":
        return float((high - low).days)
    if column.kind == "timestamp":
        return float((high - low).total_seconds()) / 86_400
    if not (isfinite(low) and isfinite(high)):
        return float("inf")
    return float(_fraction(high) - _fraction(low))


_ABOVE, _BELOW = 10**400, -(10**400)
"""Where infinite numbers stand: so far beyond every finite float that no tolerance reaches them."""


def _whole_numbers(column: Coordinate, limit: Fraction) -> tuple[npt.NDArray[Any], Fraction]:
    """Return the present cells as whole numbers of a unit, and the unit."""
    present = column.values[~column.missing]
    if column.kind == "date":
        return np.array([(cell - EPOCH).days for cell in present], dtype=np.int64), Fraction(1)
    if column.kind == "timestamp":
        return np.array([_microseconds(cell) for cell in present], dtype=np.int64), Fraction(1, DAY)
    if present.dtype.kind in "iu":
        is_small = max(-int(present.min()), int(present.max())) < MOST_WHOLE
        return present.astype(np.int64 if is_small else object), Fraction(1)
    if present.dtype.kind == "f":
        scaled = _scaled_floats(present)
        if scaled is not None:
            return scaled
    exact = [_fraction(cell) for cell in present.tolist()]
    unit = Fraction(1, lcm(*(number.denominator for number in exact), limit.denominator))
    whole = np.empty(len(exact), dtype=object)
    whole[:] = [int(number / unit) for number in exact]
    if max(map(abs, whole), default=0) < MOST_WHOLE:
        return whole.astype(np.int64), unit
    return whole, unit


def _scaled_floats(numbers: Floats) -> tuple[Int64s, Fraction] | None:
    """Return floats of few decimal places as whole numbers; ``None`` where they have too many digits."""
    if not np.isfinite(numbers).all():
        return None
    for places in range(MOST_PLACES + 1):
        scale = 10.0**places
        whole = np.rint(numbers * scale)
        if np.abs(whole).max(initial=0.0) >= EXACT_DIGITS:
            return None
        if bool((whole / scale == numbers).all()):
            return whole.astype(np.int64), Fraction(1, 10**places)
    return None


def _fraction(cell: Any) -> Fraction:
    """Return the decimal number that a cell is written as."""
    if isinstance(cell, float):
        if not isfinite(cell):
            return Fraction(_ABOVE if cell > 0 else _BELOW)
        return Fraction(Decimal(repr(float(cell))))
    if isinstance(cell, Decimal) and not cell.is_finite():
        return Fraction(_ABOVE if cell > 0 else _BELOW)
    return Fraction(cell)


def _microseconds(moment: dt.datetime) -> int:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds


@dataclass(frozen=True, eq=False)
class SensitiveCodes:
    """Sensitive values as codes, in an order in which closeness is a jump.

    The most values that are pairwise apart among some codes are found by a chain: take the smallest code
    ``s``, go on with the smallest one from ``next_code[s]`` on, and so forth.
    """

    code_of: Int64s
    """The code of each sensitive value."""
    next_code: Int64s
    """For each code the first one that is apart from it; the number of codes where none is."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "code_of", frozen_array(self.code_of))
        object.__setattr__(self, "next_code", frozen_array(self.next_code))

    @property
    def width(self) -> int:
        """How many codes there are."""
        return len(self.next_code)

    @property
    def is_plain(self) -> bool:
        """Whether every two codes are apart, so that counting codes is enough."""
        return bool((self.next_code == np.arange(1, self.width + 1)).all())

    @cached_property
    def chains(self) -> Int64s:
        """The number of the chain that each code belongs to; neighbours that are close are in one chain."""
        breaks = self.next_code[:-1] == np.arange(1, self.width)
        return frozen_array(np.concatenate(([0], np.cumsum(breaks))))


@dataclass(frozen=True)
class Closeness:
    """Tolerances and groups of sensitive columns.

    Examples
    --------
    >>> age = Alphabet.of_values([41, 42, 43, 44, 45], columns=("age",))
    >>> Closeness.of({"age": 1}).codes(age).next_code.tolist()
    [2, 3, 4, 5, 5]
    """

    tolerances: tuple[tuple[str, Fraction], ...] = ()
    """Columns with how far apart two of their values must be, at least a little more than that."""
    groups: tuple[tuple[str, tuple[tuple[Label, str], ...]], ...] = ()
    """Columns with the group of each of their values."""

    def __post_init__(self) -> None:
        names = [name for name, _ in self.tolerances]
        if len(names) > 1:
            raise OptionError(
                f"only one column may have a tolerance, not {quoted(names, last=' and ')}: counting "
                "values that are apart in two numbers at once is a packing problem with no fast exact answer"
            )
        for name, limit in self.tolerances:
            if limit < 0:
                raise OptionError(f"the tolerance of {name!r} must be 0 or more")
            if any(name == other for other, _ in self.groups):
                raise OptionError(f"column {name!r} has a tolerance and groups; choose one of the two")

    @classmethod
    def of(
        cls,
        tolerance: Mapping[str, Any] | None = None,
        groups: Mapping[str, Mapping[Label, str]] | None = None,
    ) -> Closeness:
        """Build from a tolerance for each column and from the group of each value of each column."""
        if not tolerance and not groups:
            return NO_CLOSENESS
        return cls(
            tuple((name, exact_number(name, limit)) for name, limit in (tolerance or {}).items()),
            tuple((name, tuple(members.items())) for name, members in (groups or {}).items()),
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said, so that every two different values are apart."""
        return not self.tolerances and not self.groups

    def is_about(self, column: str | None) -> bool:
        """Tell whether a tolerance or groups are given for a column, or for any where none is named."""
        named = [name for name, _ in (*self.tolerances, *self.groups)]
        return bool(named) if column is None else column in named

    def tolerance_of(self, column: str) -> Fraction | None:
        """Return the tolerance of a column; ``None`` where it has none."""
        return dict(self.tolerances).get(column)

    def require_fits(self, sensitive: Alphabet) -> None:
        """Raise where a column is not sensitive, is of the wrong kind, or has values in no group."""
        by_name = {coordinate.name: coordinate for coordinate in sensitive.coordinates}
        for name, _ in (*self.tolerances, *self.groups):
            if name not in by_name:
                what = "a tolerance" if name in dict(self.tolerances) else "groups"
                raise ColumnError(
                    f"{name!r} is not a sensitive column, so {what} cannot be given for it; the sensitive "
                    f"columns are {quoted(sensitive.columns, last=' and ')}"
                )
        for name, _ in self.tolerances:
            if by_name[name].kind in ("text", "boolean") and not by_name[name].missing.all():
                raise ColumnError(
                    f"column {name!r} is {by_name[name].kind}; a tolerance needs numbers or dates: give "
                    "groups of its values instead"
                )
        for name, members in self.groups:
            left = len(_cells(by_name[name]) - _keys(dict(members)))
            if left:
                raise ColumnError(
                    f"the groups of {name!r} leave out {left} of its values; give every value a group"
                )

    def codes(self, sensitive: Alphabet, column: str | None = None) -> SensitiveCodes:
        """Return the codes of the joint sensitive value, or of one column, under tolerance and groups."""
        if self.is_empty:
            return plain_codes(sensitive, column)
        self.require_fits(sensitive)
        other = np.zeros(sensitive.size, dtype=np.int64)
        rank = np.zeros(sensitive.size, dtype=np.int64)
        beyond = np.array([1], dtype=np.int64)
        for coordinate in _coordinates(sensitive, column):
            limit = self.tolerance_of(coordinate.name)
            grouped = dict(self.groups).get(coordinate.name)
            if limit is not None:
                rank, beyond = first_beyond(coordinate, limit)
                number = coordinate.missing.astype(np.int64)
            elif grouped is not None:
                number = _group_numbers(coordinate, dict(grouped))
            else:
                number = cell_numbers(coordinate)
            other = _dense(other * (int(number.max()) + 1) + number)
        # A missing number stands in a part of its own, so whatever its rank, nothing else is close to it.
        wide = len(beyond) + 1
        keys, code_of = np.unique(other * wide + rank, return_inverse=True)
        reached = (keys // wide) * wide + beyond[keys % wide]
        return SensitiveCodes(code_of.astype(np.int64), np.searchsorted(keys, reached).astype(np.int64))

    def to_dict(self) -> dict[str, float | int]:
        """Return the tolerances as they stand in JSON."""
        return {name: plain_number(limit) for name, limit in self.tolerances}


NO_CLOSENESS = Closeness()
"""Every two different values are apart: the paper's count."""


def plain_codes(sensitive: Alphabet, column: str | None = None) -> SensitiveCodes:
    """Return the codes of the joint sensitive value, or of one column, every two of them apart."""
    if column is None:
        code_of = np.arange(sensitive.size, dtype=np.int64)
        return SensitiveCodes(code_of, code_of + 1)
    (coordinate,) = _coordinates(sensitive, column)
    code_of = cell_numbers(coordinate)
    return SensitiveCodes(code_of, np.arange(1, int(code_of.max()) + 2, dtype=np.int64))


def cell_numbers(coordinate: Coordinate) -> Int64s:
    """Return a number for each cell of a column, equal for equal cells; a missing cell has the last one."""
    present = coordinate.values[~coordinate.missing]
    numbers = np.zeros(len(coordinate.values), dtype=np.int64)
    if present.dtype.kind in "iufb":
        found, inverse = np.unique(present, return_inverse=True)
        count = len(found)
    else:
        seen: dict[Label, int] = {}
        inverse = np.array([seen.setdefault(cell, len(seen)) for cell in present.tolist()], dtype=np.int64)
        count = len(seen)
    numbers[~coordinate.missing] = inverse
    numbers[coordinate.missing] = count
    return numbers


MOST_DIGITS = 400
"""Digits of a tolerance before or after its point; floating-point numbers have no more."""


def exact_number(name: str, given: Any) -> Fraction:
    """Return a tolerance as the decimal number that was written."""
    if isinstance(given, Fraction):
        return given
    try:
        if isinstance(given, bool):
            raise InvalidOperation
        number = Decimal(str(given))
        # A number of a billion digits would be written out as a fraction.
        if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS or isinf(float(number)):
            raise InvalidOperation
    except InvalidOperation:
        raise OptionError(
            f"the tolerance of {name!r} must be a number of at most {MOST_DIGITS} digits and finite, "
            f"not {given!r}"
        ) from None
    return Fraction(number)


def plain_number(exact: Fraction) -> float | int:
    """Return a decimal as JSON has it: whole where it is whole."""
    return int(exact) if exact.denominator == 1 else float(exact)


def _coordinates(sensitive: Alphabet, column: str | None) -> tuple[Coordinate, ...]:
    if column is None:
        return sensitive.coordinates
    found = tuple(c for c in sensitive.coordinates if c.name == column)
    if not found:
        raise ColumnError(
            f"{column!r} is not a sensitive column; the sensitive columns are "
            f"{quoted(sensitive.columns, last=' and ')}"
        )
    return found


def _cells(coordinate: Coordinate) -> set[Label]:
    cells = coordinate.values[~coordinate.missing].tolist()
    return _keys(dict.fromkeys(cells))


def _keys(members: Mapping[Label, Any]) -> set[Label]:
    return {_key(label) for label in members if label is not None}


def _key(cell: Label) -> Label:
    """Return a cell so that a value read from a file finds it: text as it is, all else as it prints."""
    return cell if isinstance(cell, str) else str(cell)


def _group_numbers(coordinate: Coordinate, members: Mapping[Label, str]) -> Int64s:
    group_of = {_key(label): group for label, group in members.items() if label is not None}
    number: dict[str, int] = {}
    numbers = np.zeros(len(coordinate.values), dtype=np.int64)
    for place, cell in enumerate(coordinate.values.tolist()):
        if not coordinate.missing[place]:
            numbers[place] = number.setdefault(group_of[_key(cell)], len(number))
    numbers[coordinate.missing] = len(number)
    return numbers


def _dense(keys: Int64s) -> Int64s:
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def apart(columns: Sequence[str], closeness: Closeness) -> str:
    """Return what values that count as different are called."""
    by_groups = [name for name, _ in closeness.groups if name in columns]
    if len(columns) == 1 and by_groups:
        return f"groups of {columns[0]}"
    differences = []
    for name in columns:
        limit = closeness.tolerance_of(name)
        if limit is None:
            differences.append(f"in {'the group of ' if name in by_groups else ''}{name}")
            continue
        unit = f" {NOUNS[name][1]}" if name in NOUNS else ""
        shown = f"more than {plain_number(limit):g}{unit}"
        if len(columns) == 1:
            return f"{values_of(columns)} {shown} apart"
        differences.insert(0, f"by {shown} in {name}")
    return f"{values_of(columns)} that differ {' or '.join(differences)}"
