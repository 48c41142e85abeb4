"""A value of the paper beside ours: as printed, a misprint whose corrected value holds, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log2
from typing import Any, Literal, TypeAlias

from hartley.paper.printed_values import Clusters, Printed, PrintedValue

Found: TypeAlias = float | int | Clusters
Verdict: TypeAlias = Literal["as printed", "misprint, corrected value holds", "differs"]
AS_PRINTED: Verdict = "as printed"
MISPRINT: Verdict = "misprint, corrected value holds"
DIFFERS: Verdict = "differs"
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class PaperValue:
    """One value: where, what, as printed, corrected, and found."""

    value: Printed
    found: Found

    @property
    def verdict(self) -> Verdict:
        """How the found value stands to the paper."""
        if self.value.corrected is None:
            return AS_PRINTED if agrees(self.found, self.value.printed) else DIFFERS
        # A correction that the printed value meets as well would be none.
        if agrees(self.found, self.value.printed) or not agrees(self.found, self.value.corrected):
            return DIFFERS
        return MISPRINT

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        corrected = self.value.corrected
        return {
            "key": self.value.key,
            "place": self.value.place,
            "quantity": self.value.quantity,
            "printed": shown(self.value.printed),
            "corrected": None if corrected is None else shown(corrected),
            "found": self.found if isinstance(self.found, (int, float)) else shown(self.found),
            "verdict": self.verdict,
            "note": self.value.note or None,
        }


def checks(values: Iterable[Printed], found: Mapping[str, Found]) -> tuple[PaperValue, ...]:
    """Put every printed value beside the one found."""
    return tuple(PaperValue(value=value, found=found[value.key]) for value in values)


def agrees(found: Found, printed: PrintedValue) -> bool:
    """Tell whether a value is what is printed, to within rounding in the last printed digit.

    >>> agrees(1.2182447, "1.2182"), agrees(1.2182447, "1.282"), agrees(log2(5), "log2 5")
    (True, False, True)
    """
    if isinstance(printed, tuple) or isinstance(found, tuple):
        return found == printed
    if printed.startswith("log2 "):
        over, _, under = printed.removeprefix("log2 ").partition("/")
        return abs(found - log2(float(over) / float(under or 1))) <= ROUNDING
    decimals = len(printed.partition(".")[2])
    within = 10.0**-decimals / 2 if decimals else 0.0
    return abs(found - float(printed)) <= within + ROUNDING


def shown(value: Found | PrintedValue) -> str:
    """Write a value: a number to four places, clusters in braces.

    >>> shown((("x1", "x2"), ("x3",))), shown(1.21824477)
    ('{x1,x2} {x3}', '1.2182')
    """
    if isinstance(value, tuple):
        return " ".join("{" + ",".join(group) + "}" for group in value)
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".") if value else "0"
    return str(value)
