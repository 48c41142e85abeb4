"""Limits on bits, of the release as a whole: what the worst released value tells, and what is certain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hartley.errors import OptionError
from hartley.model.closeness import Closeness, apart
from hartley.model.requirement.requirement import Requirement
from hartley.model.words import MOST_ASKED_BITS, listed


class Bits(Requirement):
    """At most so many bits."""

    is_monotone = False
    is_limit = True
    is_at_least = False
    least = 0
    is_whole = False
    needs = "a number of bits from 0 on"
    led_in = "The release reveals"
    ending: str
    """How its sentence ends."""

    def read_number(self, given: Any) -> float:
        """Return the limit in bits; raise where it is no number, or above what any table leaks."""
        number = super().read_number(given)
        if number > MOST_ASKED_BITS:
            raise OptionError(
                f"the requirement {self.name} needs at most {MOST_ASKED_BITS} bits; no table leaks more"
            )
        return number

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns."""
        bits = "bit" if self.wanted == 1 else "bits"
        counted = "" if closeness.is_empty else f", counting {apart(columns, closeness)}"
        return f"at most {self.wanted:g} {bits} about {listed(columns)}{self.ending}{counted}"


class WorstBits(Bits, kind="l0"):
    """At most so many bits from any one released value (L0)."""

    examples = ("l0=2.5 (bits)",)
    audited_as = "l0_bits"
    ending = " from any one released value"


class CertainBits(Bits, kind="istar"):
    """At most so many bits for certain, whatever is released (I*)."""

    examples = ("istar=0 (bits)",)
    audited_as = "istar_bits"
    ending = " for certain"
