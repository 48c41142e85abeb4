"""Distinct-l: so many different sensitive values stay possible."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.model.alphabet import Alphabet
from hartley.model.closeness import NO_CLOSENESS, Closeness, SensitiveCodes, plain_codes
from hartley.model.requirement.requirement import Requirement
from hartley.model.words import numeral, value_of, values_of


class DistinctValues(Requirement, kind="distinct-l"):
    """At least so many different values of a sensitive column, or of all of them together."""

    examples = ("distinct-l=5", "distinct-l:COLUMN=5")
    takes_column = True
    audited_as = "distinct_l"

    def codes(self, sensitive: Alphabet, closeness: Closeness = NO_CLOSENESS) -> SensitiveCodes:
        """Return a code for every different value."""
        return plain_codes(sensitive, self.column)

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns."""
        if self.wanted == 1:
            return f"at least one {value_of(columns)}"
        return f"at least {numeral(self.wanted)} different {values_of(columns)}"
