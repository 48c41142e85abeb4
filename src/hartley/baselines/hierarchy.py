"""Ever coarser words for the cells of one public column.

Level 0 is the cell itself; every level is a coarsening of the one before; at the top one word,
``"*"``, stands for everything. Numbers and dates get aligned intervals, doubling in width, whose words are
their numbers, for nobody reads them; any column can be given its own words as rows of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, isfinite, log10

import numpy as np

from hartley.errors import InputError
from hartley.model import Alphabet, Coordinate, Label, Partition
from hartley.model.arrays import Int64s

EVERYTHING = "*"
"""The word that tells nothing."""

INTERVALS_AT_FIRST = 100
"""About how many intervals the first level of a hierarchy of numbers has, when no width is given."""


@dataclass(frozen=True)
class Hierarchy:
    """The word of every public value at every level, for one column."""

    words: tuple[tuple[Label, ...], ...]
    """``words[level][place]``: what stands for the public value at that level."""

    def __post_init__(self) -> None:
        if not self.words or len({len(level) for level in self.words}) != 1:
            raise InputError("a hierarchy needs one word for each value at every level")
        for level in range(self.height):
            if not self.partition(level).refines(self.partition(level + 1)):
                raise InputError(
                    f"a hierarchy must be nested: two values share a word at level {level} "
                    f"but not at level {level + 1}"
                )
        if self.partition(self.height).size != 1:
            raise InputError("the top level of a hierarchy must be one word for everything")

    @classmethod
    def of_intervals(cls, public: Alphabet, *, width: float | None = None, column: int = 0) -> Hierarchy:
        """Build the intervals ``floor(x / width)`` of a column, then twice as wide, and so on.

        Missing cells stay a word of their own until the top. Without a width it is a
        hundredth of the range, rounded down to 1, 2 or 5 times a power of ten. Negative and
        positive numbers never share an aligned interval, so they meet only at the top.

        Days count for dates, seconds for timestamps.
        """
        cells = public.coordinates[column]
        if cells.positions is None:
            raise InputError(f"column {cells.name!r} has no intervals: it is text; give it a hierarchy table")
        here = ~cells.missing
        present = cells.positions[here]
        if not len(present):
            return cls.of_suppression(public, column=column)
        if width is None:
            # Halved, which is exact, because the whole range of huge numbers may be no number.
            half = float(present.max()) / 2 - float(present.min()) / 2
            width = _round_width(half / (INTERVALS_AT_FIRST / 2))
        if not (isfinite(width) and width > 0):
            raise InputError("the width of an interval must be a positive number")
        number = np.floor(present / width)
        levels = [_cells(cells)]
        # Halving the number, not dividing the cell anew, keeps the levels nested whatever the rounding.
        while True:
            words = np.full(len(here), None, dtype=object)
            words[here] = number.tolist()
            levels.append(tuple(words.tolist()))
            if number.min() == number.max() or (number.min() == -1 and number.max() == 0):
                break
            number = np.floor(number / 2)
        return cls((*levels, (EVERYTHING,) * public.size))

    @classmethod
    def of_suppression(cls, public: Alphabet, *, column: int = 0) -> Hierarchy:
        """Build the smallest hierarchy: the cell, or nothing.

        >>> Hierarchy.of_suppression(Alphabet.of_values(["red", "blue"])).words
        (('red', 'blue'), ('*', '*'))
        """
        return cls((_cells(public.coordinates[column]), (EVERYTHING,) * public.size))

    @classmethod
    def of_rows(cls, public: Alphabet, rows: Iterable[Sequence[Label]], *, column: int = 0) -> Hierarchy:
        """Build from rows (value, word at level 1, word at level 2, ...).

        A value is found as it is or as it is written; an empty one stands for missing, which need not
        be named. Rows of values that do not occur are ignored; a top level is added where there is none.
        """
        cells = public.coordinates[column]
        table: dict[Label, tuple[Label, ...]] = {}
        lengths = set()
        for value, *words in rows:
            lengths.add(len(words))
            key = None if _is_missing(value) else value
            if table.setdefault(key, tuple(words)) != tuple(words):
                raise InputError("a hierarchy table names a value twice, with different words")
        if len(lengths) != 1 or 0 in lengths:
            raise InputError(
                "every row of a hierarchy table needs a value and equally many words, at least one"
            )
        # A missing cell that the table does not name stays missing, up to a word that all values share.
        tops = {words[-1] for words in table.values()}
        top_word = tops.pop() if len(tops) == 1 else None
        table.setdefault(None, (*[None] * (lengths.pop() - 1), top_word))
        own = _cells(cells)
        found = [table.get(cell, table.get(str(cell)) if cell is not None else None) for cell in own]
        absent = sum(words is None for words in dict(zip(own, found, strict=True)).values())
        if absent:
            raise InputError(f"the hierarchy table lacks {absent} of the values of column {cells.name!r}")
        levels = list(zip(*(words for words in found if words is not None), strict=True))
        top = [] if len(set(levels[-1])) == 1 else [(EVERYTHING,) * public.size]
        return cls((own, *levels, *top))

    @classmethod
    def of_column(cls, public: Alphabet, *, column: int = 0) -> Hierarchy:
        """Build the hierarchy a column has when none is given: intervals, or suppression for text."""
        if public.coordinates[column].kind in ("text", "boolean"):
            return cls.of_suppression(public, column=column)
        return cls.of_intervals(public, column=column)

    @property
    def height(self) -> int:
        """How many levels there are above the cells themselves."""
        return len(self.words) - 1

    def partition(self, level: int) -> Partition:
        """Return the public values that share a word at this level."""
        return self._partitions[level]

    @cached_property
    def _partitions(self) -> tuple[Partition, ...]:
        return tuple(_by_word(level) for level in self.words)


def hierarchies_for(public: Alphabet, given: Sequence[Hierarchy] | None = None) -> tuple[Hierarchy, ...]:
    """Return the hierarchy of every column: the given ones, checked, or those a column has by itself."""
    columns = len(public.coordinates)
    if given is None:
        return tuple(Hierarchy.of_column(public, column=column) for column in range(columns))
    if len(given) != columns or any(len(tree.words[0]) != public.size for tree in given):
        raise InputError(
            f"{columns} public column{'s' if columns > 1 else ''} of {public.size} values need"
            f"{'' if columns > 1 else 's'} one hierarchy each, with a word for every value"
        )
    return tuple(given)


def in_step(hierarchies: Sequence[Hierarchy]) -> Hierarchy:
    """Make one chain of several columns: all rise a level at a time, the shorter ones wait at their top."""
    if len(hierarchies) == 1:
        return hierarchies[0]
    height = max(tree.height for tree in hierarchies)
    return Hierarchy(
        tuple(
            tuple(zip(*(tree.words[min(level, tree.height)] for tree in hierarchies), strict=True))
            for level in range(height + 1)
        )
    )


def _cells(cells: Coordinate) -> tuple[Label, ...]:
    return tuple(cells.cell(place) for place in range(len(cells.values)))


def _by_word(words: Sequence[Label]) -> Partition:
    number: dict[Label, int] = {}
    labels: Int64s = np.array([number.setdefault(word, len(number)) for word in words])
    return Partition(labels)


def _round_width(width: float) -> float:
    if width <= 0:
        return 1.0
    power = 10.0 ** floor(log10(width))
    return power * max(step for step in (1, 2, 5) if step * power <= width * (1 + 1e-12))


def _is_missing(value: Label) -> bool:
    return value is None or value == "" or (isinstance(value, float) and value != value)
