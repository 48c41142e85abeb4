"""The different cells of a column as one array, for the verifier: numbers, dates, moments, and texts.

What a cell means is asked in plain Python, cell by cell. Where all cells of a column are numbers of at
most 38 digits, dates, moments or texts, the same is asked of all of them at once; other columns are left to
plain Python.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterator, Sequence
from decimal import Context, Decimal
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from hartley.verifier.tables.arrow_arrays import arrow_numbers, arrow_texts, flags, whole_numbers
from hartley.verifier.tables.reread import as_kind

Int64s = npt.NDArray[np.int64]

_PLAIN_NUMBER = r"^-?[0-9]{1,38}(\.[0-9]{1,38})?([eE][+-]?[0-9]{1,2})?$"
_MOST_DIGITS = 38
"""Digits of a number in two words."""
_EXACT = Context(prec=2 * _MOST_DIGITS)
_PLAIN_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_PLAIN_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?"
_ZONE = r"(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)"
"""How far a moment is from Greenwich."""
_DAYS_BEFORE_1970 = dt.date(1970, 1, 1).toordinal() - 1
_MICROSECONDS = 86400 * 10**6
"""In a day."""
_WORD_DIGITS = 18
"""Digits that a whole number of 64 bits has room for."""


class PlainKeys(Sequence[Hashable]):
    """Different cells, at most one of them missing, as an array."""

    def __init__(self, cells: Any) -> None:
        """``cells`` are an Arrow array of texts, of whole numbers in 64 bits, or of decimals.

        Or they are floats, of which -0.0 is not 0.0, dates, or moments in microseconds.
        """
        self.cells = cells

    @property
    def are_numbers(self) -> bool:
        """Whether the cells are numbers, and not texts."""
        import pyarrow as pa

        return bool(pa.types.is_int64(self.cells.type) or pa.types.is_decimal128(self.cells.type))

    @property
    def decimals(self) -> int:
        """How many digits numbers have after the point."""
        return int(getattr(self.cells.type, "scale", 0))

    @property
    def are_floats(self) -> bool:
        """Whether the cells are floats, whose digits Python says."""
        import pyarrow as pa

        return bool(pa.types.is_floating(self.cells.type))

    @property
    def are_moments(self) -> bool:
        """Whether the cells are dates or moments."""
        import pyarrow as pa

        return bool(pa.types.is_temporal(self.cells.type))

    @property
    def are_on_a_line(self) -> bool:
        """Whether the cells have places on a line."""
        return self.are_numbers or self.are_moments

    @property
    def per_unit(self) -> int:
        """How many ticks make a number, a day of dates, or a second of moments."""
        import pyarrow as pa

        return int(10**6 if pa.types.is_timestamp(self.cells.type) else 10**self.decimals)

    @property
    def ticks(self) -> npt.NDArray[Any]:
        """The cells as whole ticks, in 64 bits or as Python's whole numbers; 0 stands for a missing one.

        Dates count from the day before the first of the first year, moments from the first.
        """
        import pyarrow as pa

        found: npt.NDArray[Any]
        if pa.types.is_decimal128(self.cells.type):
            low, found = _words(self.cells)
            if ((found == low >> 63) | self.is_missing).all():
                found = low
            else:
                found = found.astype(object) * (1 << 64) + low.view(np.uint64).astype(object)
        elif pa.types.is_date32(self.cells.type):
            found = whole_numbers(self.cells.view(pa.int32())) + np.int64(_DAYS_BEFORE_1970 + 1)
        elif pa.types.is_timestamp(self.cells.type):
            found = whole_numbers(self.cells.view(pa.int64())) + _DAYS_BEFORE_1970 * _MICROSECONDS
        else:
            found = whole_numbers(self.cells)
        return np.where(self.is_missing, 0, found) if self.cells.null_count else found

    @property
    def is_missing(self) -> npt.NDArray[np.bool_]:
        """Tell of each cell whether it is the missing one."""
        return flags(self.cells.is_null())

    def __len__(self) -> int:
        return len(self.cells)

    @overload
    def __getitem__(self, place: int) -> Hashable: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hashable]: ...
    def __getitem__(self, place: int | slice) -> Hashable | Sequence[Hashable]:
        return self._listed[place]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._listed)

    @cached_property
    def _listed(self) -> list[Hashable]:
        if self.are_floats:
            return [None if cell is None else float_key(cell) for cell in self.cells.to_pylist()]
        if not self.are_on_a_line:
            texts: list[Hashable] = self.cells.to_pylist()
            return texts
        found = self.at(self.ticks)
        for place in np.flatnonzero(self.is_missing).tolist() if self.cells.null_count else ():
            found[place] = None
        return found

    def at(self, ticks: npt.NDArray[Any]) -> list[Hashable]:
        """Return the cells that lie at some ticks; at 0, where no date is, anything."""
        import pyarrow as pa

        found: list[Hashable]
        if pa.types.is_date32(self.cells.type):
            found = (ticks - (_DAYS_BEFORE_1970 + 1)).astype("datetime64[D]").tolist()
        elif pa.types.is_timestamp(self.cells.type):
            moments = (ticks - _DAYS_BEFORE_1970 * _MICROSECONDS).astype("datetime64[us]").tolist()
            has_zone = self.cells.type.tz is not None
            found = [moment.replace(tzinfo=dt.UTC) for moment in moments] if has_zone else moments
        elif self.decimals:
            found = [Decimal(tick).scaleb(-self.decimals, _EXACT) for tick in ticks.tolist()]
        else:
            found = ticks.tolist()
        return found

    def reprs(self) -> Any:
        """Return how Python shows each cell, as an Arrow array."""
        import pyarrow as pa

        if self.are_numbers and not self.decimals:
            return self.cells.cast(pa.string()).fill_null("None")
        return pa.array(map(repr, self), pa.string())

    def places_of(self, others: Sequence[Hashable]) -> Int64s:
        """Return where each of some other keys stands here; -1 where it does not.

        >>> import pyarrow as pa
        >>> tenths = PlainKeys(pa.array([Decimal("1.0"), Decimal("2.5"), None]))
        >>> tenths.places_of(PlainKeys(pa.array([1, 2, None]))).tolist()
        [0, -1, 2]
        """
        import pyarrow.compute as pc

        alike = _alike(self, others) if isinstance(others, PlainKeys) else None
        if alike is None:
            return _places_among(self, others)
        mine, theirs = alike
        found = pc.index_in(theirs, value_set=mine)
        places = whole_numbers(found).astype(np.int64)
        if found.null_count:
            places[flags(found.is_null())] = -1
        return places


def _alike(one: PlainKeys, other: PlainKeys) -> tuple[Any, Any] | None:
    """Return the cells of two columns in one type; nothing where there is none."""
    import pyarrow as pa

    if one.cells.type == other.cells.type:
        return (one.cells, other.cells) if not one.are_floats else None
    if not (one.are_numbers and other.are_numbers):
        return None
    kind = pa.decimal128(_MOST_DIGITS, max(one.decimals, other.decimals))
    try:
        return one.cells.cast(kind), other.cells.cast(kind)
    except pa.ArrowInvalid:
        return None


class _Float(float):
    """A float that tells -0.0 from 0.0 as a key."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and repr(float(self)) == repr(float(other))

    def __hash__(self) -> int:
        return hash(repr(float(self)))

    def __repr__(self) -> str:
        return repr(float(self))


_NAN = float("nan")


def float_key(cell: float) -> Hashable:
    """Return what tells a float from others: -0.0 is not 0.0, and NaN is itself."""
    return _NAN if cell != cell else _Float(cell)


def text_keys(texts: Sequence[str | None]) -> tuple[Int64s, Sequence[Hashable]]:
    """Return the different texts, and the number of each that was given."""
    try:
        coded = arrow_texts(texts).dictionary_encode(null_encoding="encode")
    except UnicodeError:
        return distinct(texts)
    return whole_numbers(coded.indices), PlainKeys(coded.dictionary)


def places_of(keys: Sequence[Hashable], others: Sequence[Hashable]) -> Int64s:
    """Return where each of some other keys stands among keys; -1 where it does not."""
    if isinstance(keys, PlainKeys):
        return keys.places_of(others)
    return _places_among(keys, others)


def _places_among(keys: Sequence[Hashable], others: Sequence[Hashable]) -> Int64s:
    place = {key: number for number, key in enumerate(keys)}
    return np.array([place.get(key, -1) for key in others], dtype=np.int64)


def distinct(keys: Sequence[Hashable]) -> tuple[Int64s, Sequence[Hashable]]:
    """Return keys without repetition, and the number of each that was given."""
    numbers: dict[Hashable, int] = {}
    own = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    return own, list(numbers)


def meaning(keys: Sequence[Hashable], kind: str | None) -> tuple[Int64s, Sequence[Hashable]]:
    """Return what cells mean in a column of a kind, each once, and which of it each cell means.

    It is what :func:`as_kind` says of each cell.

    >>> import pyarrow as pa
    >>> number, found = meaning(PlainKeys(pa.array(["1.50", "2", "1.5", None])), "number")
    >>> [found[place] for place in number]
    [Decimal('1.50'), Decimal('2.00'), Decimal('1.50'), None]
    """
    found = _plain_meaning(keys, kind) if isinstance(keys, PlainKeys) else None
    if found is not None:
        return found
    numbers, different = distinct([as_kind(cell, kind) for cell in keys])
    return numbers, _moments_together(different) if kind in ("date", "timestamp") else different


def _plain_meaning(keys: PlainKeys, kind: str | None) -> tuple[Int64s, PlainKeys] | None:
    import pyarrow as pa

    if keys.are_floats:
        return _plain_meaning(PlainKeys(_digits_of(keys.cells)), kind) if kind == "number" else None
    same = np.arange(len(keys), dtype=np.int64)
    if keys.are_numbers:
        if kind == "number":
            return same, keys
        return (same, PlainKeys(keys.cells.cast(pa.string()))) if kind == "text" else None
    if kind == "text":
        return same, keys
    if kind in ("date", "timestamp"):
        return _moments(keys, kind)
    return _numbers(keys) if kind == "number" else None


def _digits_of(floats: Any) -> Any:
    """Return floats as the shortest texts that mean them, which are those of Python."""
    return arrow_texts([None if cell is None else repr(cell) for cell in floats.to_pylist()])


def _numbers(texts: PlainKeys) -> tuple[Int64s, PlainKeys] | None:
    """Read texts as numbers; nothing where one is none, or all together have too many digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = texts.cells
    if not pc.all(pc.match_substring_regex(cells, _PLAIN_NUMBER), min_count=0).as_py():
        return None
    has_power = pc.or_(pc.match_substring(cells, "e"), pc.match_substring(cells, "E"))
    is_plain = ~(flags(has_power) | texts.is_missing)
    point = whole_numbers(pc.find_substring(cells, "."))
    length = whole_numbers(pc.binary_length(cells))
    decimals = int(np.where(is_plain & (point >= 0), length - point - 1, 0).max(initial=0))
    digits = int(np.where(is_plain, np.where(point < 0, length, point), 0).max(initial=0))
    # Numbers with a power of ten are few, and asked one by one.
    for text in cells.filter(has_power).to_pylist():
        number = Decimal(text)
        decimals = max(decimals, -int(number.as_tuple().exponent))
        digits = max(digits, number.adjusted() + 1)
    if digits + decimals > _MOST_DIGITS:
        return None
    if not decimals and digits <= _WORD_DIGITS and (is_plain | texts.is_missing).all():
        return _without_repetition(cells.cast(pa.int64()))
    return _without_repetition(cells.cast(pa.decimal128(_MOST_DIGITS, decimals)))


def _words(cells: Any) -> tuple[Int64s, Int64s]:
    """Return the lower and the higher word of each decimal number."""
    if not len(cells):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    words = np.frombuffer(cells.buffers()[1], dtype=np.int64)[2 * cells.offset :][: 2 * len(cells)]
    return words[::2], words[1::2]


def _moments(texts: PlainKeys, kind: str) -> tuple[Int64s, PlainKeys] | None:
    """Read texts as dates or moments; nothing where one is none, or has another form than most."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind == "date":
        forms: dict[str, Any] = {_PLAIN_DATE: pa.date32()}
    else:
        forms = {
            _PLAIN_MOMENT + "$": pa.timestamp("us"),
            _PLAIN_MOMENT + _ZONE + "$": pa.timestamp("us", "UTC"),
        }
    for form, type_ in forms.items():
        if pc.all(pc.match_substring_regex(texts.cells, form), min_count=0).as_py():
            try:
                found, keys = _without_repetition(texts.cells.cast(type_))
            except pa.ArrowInvalid:
                return None
            return (found, keys) if _are_of_the_calendar(keys.cells) else None
    return None


def _moments_together(keys: Sequence[Hashable]) -> Sequence[Hashable]:
    """Return dates or moments as an array; others as they are."""
    import pyarrow as pa

    types = set(map(type, keys)) - {type(None)}
    if types == {dt.date}:
        days = np.array(keys, dtype="datetime64[D]")
        return PlainKeys(arrow_numbers(days.astype(np.int32), np.isnat(days)).view(pa.date32()))
    zones = {cell.tzinfo for cell in keys if isinstance(cell, dt.datetime)}
    if types != {dt.datetime} or len(zones) > 1 or not zones <= {None, dt.UTC}:
        return keys
    if zones == {dt.UTC}:
        keys = [cell.replace(tzinfo=None) if isinstance(cell, dt.datetime) else None for cell in keys]
    moments = np.array(keys, dtype="datetime64[us]")
    whole = arrow_numbers(moments.astype(np.int64), np.isnat(moments))
    return PlainKeys(whole.view(pa.timestamp("us", tz=None if None in zones else "UTC")))


def _are_of_the_calendar(cells: Any) -> bool:
    """Tell whether Python has all dates or moments of an array: those of the years 1 to 9999."""
    import pyarrow as pa

    days = dt.date.max.toordinal()
    first, end = (1, days + 1) if pa.types.is_date32(cells.type) else (0, days * _MICROSECONDS)
    present = PlainKeys(cells.drop_null()).ticks
    return bool(((first <= present) & (present < end)).all())


def _without_repetition(cells: Any) -> tuple[Int64s, PlainKeys]:
    """Let what is written in several ways be one."""
    coded = cells.dictionary_encode(null_encoding="encode")
    return whole_numbers(coded.indices), PlainKeys(coded.dictionary)
