"""Disclosed-at-most: so many people whose value is read off, of a file that is held against its original."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.errors import OptionError, option
from hartley.model.closeness import Closeness
from hartley.model.requirement.requirement import Requirement
from hartley.model.words import listed, numeral


class DisclosedPeople(Requirement, kind="disclosed-at-most"):
    """At most so many people of the original whose sensitive value is read off from the file, rightly."""

    examples = ("disclosed-at-most=0",)
    least = 0
    needs = "a whole number from 0 on"
    takes_column = True
    is_monotone = False
    is_at_least = False
    led_in = "The file lets"

    def require_fitting(self, sensitive: Sequence[str], closeness: Closeness) -> None:
        """Raise always: only the audit of a file beside its original counts people, and it does not ask."""
        raise OptionError(
            f"{self.name} is about a file that is held against its original; audit the file and name the "
            f"original with {option('against')}"
        )

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns."""
        who = {0: "nobody has", 1: "at most one person has"}.get(
            int(self.wanted), f"at most {numeral(self.wanted)} people have"
        )
        return f"{who} their {listed(columns)} read off, rightly"
