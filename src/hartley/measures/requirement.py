"""A requirement on an audit, such as ``distinct-l=5``, for gates in pipelines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hartley.errors import OptionError
from hartley.measures.audit import Audit
from hartley.model.words import SLACK


@dataclass(frozen=True)
class Rule:
    """How a requirement is read off an audit, and which way is better."""

    found: Callable[[Audit], float]
    at_least: bool
    whole: bool


RULES: dict[str, Rule] = {
    "distinct-l": Rule(lambda audit: audit.distinct_l, at_least=True, whole=True),
    "row-k": Rule(lambda audit: audit.row_k, at_least=True, whole=True),
    "l0": Rule(lambda audit: audit.l0_bits, at_least=False, whole=False),
    "istar": Rule(lambda audit: audit.istar_bits, at_least=False, whole=False),
}


@dataclass(frozen=True)
class Requirement:
    """A bound that an audit must keep.

    >>> Requirement.parse("distinct-l=5")
    Requirement(name='distinct-l', wanted=5)
    """

    name: str
    wanted: float

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read ``name=number``."""
        name, separator, number = text.partition("=")
        name = name.strip()
        if not separator or name not in RULES:
            raise OptionError(
                f"cannot read the requirement {text!r}; write one of "
                "distinct-l=5, row-k=5, l0=2.5 (bits), istar=0 (bits)"
            )
        try:
            wanted = int(number) if RULES[name].whole else float(number)
        except ValueError:
            kind = "a whole number" if RULES[name].whole else "a number of bits"
            raise OptionError(f"the requirement {name} needs {kind}, not {number!r}") from None
        if not 0 <= wanted < float("inf"):
            raise OptionError(f"the requirement {name} needs a number from 0 on, not {number!r}")
        return cls(name, wanted)

    def check(self, audit: Audit) -> Verdict:
        """Hold the requirement against an audit."""
        rule = RULES[self.name]
        found = rule.found(audit)
        holds = found >= self.wanted if rule.at_least else found <= self.wanted + SLACK
        return Verdict(self.name, self.wanted, found, holds)


@dataclass(frozen=True)
class Verdict:
    """Whether a requirement holds, and what was found."""

    name: str
    wanted: float
    found: float
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"name": self.name, "wanted": self.wanted, "found": self.found, "holds": self.holds}
