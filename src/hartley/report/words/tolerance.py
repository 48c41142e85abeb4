"""What is left when values that lie close to each other count as one, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.report.words.audit import listed

if TYPE_CHECKING:
    from hartley.measures.verdicts import ToleranceMeasures


def candidates_apart(
    measured: ToleranceMeasures, sensitive: Sequence[str], public: Sequence[str], closeness: Closeness
) -> str:
    """Say how many values that are apart everyone is left with, of how many.

    >>> from hartley.measures.verdicts import ToleranceMeasures
    >>> from hartley.model import JointRange, Alphabet
    >>> joint = JointRange.from_codes(
    ...     public_codes=[0, 0, 1, 1, 1],
    ...     sensitive_codes=[0, 2, 0, 1, 2],
    ...     public=Alphabet.of_values([180, 190], ("chol",)),
    ...     sensitive=Alphabet.of_values([41, 43, 52], ("age",)),
    ... )
    >>> close = Closeness.of({"age": 4})
    >>> candidates_apart(ToleranceMeasures.of(joint, close), ["age"], ["chol"], close)
    'Whatever the chol, at least two ages more than 4 years apart remain possible (the table has 2).'
    """
    named = listed(public)
    apart = Requirement("separated-l", max(measured.separated_l, 2)).sentence(sensitive, closeness)
    if measured.separated_l < 2:
        none = apart.removeprefix("at least two ")
        return (
            f"For some {named} no two {none} remain possible (the table has {measured.separated_values:,})."
        )
    return f"Whatever the {named}, {apart} remain possible (the table has {measured.separated_values:,})."
