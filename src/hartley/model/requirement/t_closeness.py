"""T-closeness: the values of every class are distributed nearly as in the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hartley.model.alphabet import Alphabet
from hartley.model.arrays import Floats
from hartley.model.closeness import NO_CLOSENESS, Closeness, SensitiveCodes, plain_codes
from hartley.model.requirement.class_counts import ClassCounts
from hartley.model.requirement.shares import Shares, summed
from hartley.model.words import values_of


class TCloseness(Shares, kind="t-closeness"):
    """The earth mover's distance between every class and the whole table is at most ``wanted``, from 0 to 1.

    For numbers and dates rows move along the order of the values, and one step of m values costs 1 / (m - 1).
    For text, for several columns together, and where a cell is missing, every move costs 1.
    """

    examples = ("t-closeness=0.2",)
    most = 1
    needs = "a distance from 0 to 1"
    is_at_least = False

    def codes(self, sensitive: Alphabet, closeness: Closeness = NO_CLOSENESS) -> SensitiveCodes:
        """Return a code for every different value, ascending where they have an order."""
        if not self.is_ordered(sensitive):
            return plain_codes(sensitive, self.column)
        places = self._column(sensitive).positions
        found, code_of = np.unique(places, return_inverse=True)
        return SensitiveCodes(code_of.astype(np.int64), np.arange(1, len(found) + 1))

    def is_ordered(self, sensitive: Alphabet) -> bool:
        """Tell whether the values lie on a line."""
        if self.column is None and len(sensitive.coordinates) > 1:
            return False
        column = self._column(sensitive)
        return column.kind in ("number", "date", "timestamp") and not (
            column.missing.any() or column.is_blurred
        )

    def _column(self, sensitive: Alphabet) -> Any:
        return next(one for one in sensitive.coordinates if self.column in (None, one.name))

    def loop_rule(self, sensitive: Alphabet) -> str:
        """Return how loops tell whether a part lacks it."""
        return "moved" if self.is_ordered(sensitive) else "apart"

    def of_each_class(self, counts: ClassCounts, sensitive: Alphabet) -> Floats:
        """Return the distance of each class from the whole table."""
        if not self.is_ordered(sensitive):
            return summed(np.maximum(counts.share - counts.whole[counts.code], 0.0), counts)
        width = len(counts.whole)
        if width == 1:
            return np.zeros(len(counts.starts))
        below = np.cumsum(counts.whole)
        # The share of a class up to a code stays the same until its next code.
        ends = np.append(counts.code[1:], width)
        is_last = np.append(counts.class_of[1:] != counts.class_of[:-1], True)
        ends[is_last] = width
        share = counts.share
        before = np.cumsum(share)
        of_class = before[counts.starts] - share[counts.starts]
        reached = before - of_class[counts.class_of]
        return _moved(reached, counts, ends, below) / (width - 1)

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns."""
        return f"{values_of(columns)} distributed as in the whole table, up to a distance of {self.wanted:g}"


def _moved(reached: Floats, counts: ClassCounts, ends: Any, below: Floats) -> Floats:
    """Return for each class the sum over codes of what must move past them.

    ``reached`` is the share of a class up to each of its codes, which holds until ``ends``. As ``below``
    ascends, a stretch is split where it passes the share: sums of what is below and above come from prefixes.
    """
    prefix = np.concatenate([[0.0], np.cumsum(below)])
    starts = counts.code
    split = np.clip(np.searchsorted(below, reached), starts, ends)
    under = reached * (split - starts) - (prefix[split] - prefix[starts])
    over = (prefix[ends] - prefix[split]) - reached * (ends - split)
    first = counts.code[counts.starts]
    return np.asarray(prefix[first] + summed(under + over, counts))
