"""Separated-l: so many sensitive values that are more than a tolerance apart, or in different groups."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.errors import OptionError
from hartley.model.alphabet import Alphabet
from hartley.model.closeness import NO_CLOSENESS, Closeness, SensitiveCodes, apart
from hartley.model.requirement.requirement import Requirement
from hartley.model.words import numeral, value_of


class SeparatedValues(Requirement, kind="separated-l"):
    """At least so many values of a sensitive column, or of all together, that count as different."""

    examples = ("separated-l=3",)
    takes_column = True

    def codes(self, sensitive: Alphabet, closeness: Closeness = NO_CLOSENESS) -> SensitiveCodes:
        """Return codes of which neighbours may count as one."""
        return closeness.codes(sensitive, self.column)

    def is_about(self, column: str, closeness: Closeness) -> bool:
        """Tell whether it can be asked of a column by itself: one that has a tolerance or groups."""
        return closeness.is_about(column)

    def require_fitting(self, sensitive: Sequence[str], closeness: Closeness) -> None:
        """Raise where there is no tolerance and there are no groups."""
        super().require_fitting(sensitive, closeness)
        if not closeness.is_about(self.column):
            of = "" if self.column is None else f" for {self.column!r}"
            raise OptionError(
                f"separated-l needs a tolerance or groups{of}; without them use distinct-l, which counts "
                "different values"
            )

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns."""
        if self.wanted == 1:
            return f"at least one {value_of(columns)}"
        return f"at least {numeral(self.wanted)} {apart(columns, closeness)}"
