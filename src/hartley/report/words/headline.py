"""The verdict on a table, in one word, one colour and one sentence about people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hartley.report.words import audit as words

if TYPE_CHECKING:
    from hartley.measures.audit import Audit
    from hartley.workflow import AuditResult

Colour = Literal["red", "amber", "green"]
COMFORTABLE = 5
"""Sensitive values left for everyone from which a table is shown in green."""
WORDS: dict[Colour, str] = {"red": "EXPOSED", "amber": "AT RISK", "green": "PROTECTED"}


@dataclass(frozen=True)
class Headline:
    """What a person reads first."""

    colour: Colour
    sentence: str

    @property
    def word(self) -> str:
        """The verdict where there is no colour."""
        return WORDS[self.colour]


def headline(audit: Audit) -> Headline:
    """Return the verdict on a table or a release: who is exposed, and how much.

    >>> from hartley.examples import toy
    >>> from hartley.measures.audit import audit
    >>> headline(audit(toy())).word
    'EXPOSED'
    """
    if audit.distinct_l == 1:
        return Headline("red", words.worst_case(audit))
    is_calm = audit.independent or audit.distinct_l >= COMFORTABLE
    return Headline("green" if is_calm else "amber", words.worst_case(audit))


def identifier_warning(result: AuditResult) -> str | None:
    """Name the public columns that look like names or identifiers; nothing where there is none."""
    if not result.identifiers:
        return None
    names = words.listed(result.identifiers)
    if len(result.identifiers) == 1:
        return (
            f"{names} looks like a name or an identifier: nearly every row has a value of its own. "
            "Do not publish it."
        )
    return (
        f"{names} look like names or identifiers: nearly every row has a value of its own. "
        "Do not publish them."
    )
