"""The worst class of a release over several columns, and what every other release must have, in words.

A class mixes categories, or it spans a part of a column's range: its cost is 1, or half of that part. Where
distances were asked for, it costs what they say. A bound is of all recodings, so it names both.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context
from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hartley.model import Alphabet
    from hartley.search.problem import CostMeaning

MIXED = 0.5 * (1 + 1e-9)
"""A class of a greater cost, where costs are of spans, mixes categories."""


def worst_class(meaning: CostMeaning, cost: float, public: Alphabet) -> str:
    """Say what the class of greatest cost does.

    >>> from hartley.model import Alphabet
    >>> public = Alphabet.of_values([(20, "m"), (30, "f")], columns=("age", "sex"))
    >>> worst_class("spans", 0.4174, public), worst_class("spans", 1, public)
    ("spans 83.5 % of a column's range", 'mixes categories')
    >>> worst_class("distances", 1.5, public)
    'costs 1.5 by the distances asked for'
    """
    if meaning == "distances":
        return f"costs {cost:.4g} by the distances asked for"
    if cost > MIXED:
        return f"mixes {_mixed(public)}"
    return f"spans {200 * cost:.3g} % of a column's range"


def unavoidable(meaning: CostMeaning, bound: float, public: Alphabet) -> str:
    """Say what some class of every recoding does, where none costs less than a bound.

    >>> from hartley.model import Alphabet
    >>> public = Alphabet.of_values([(20, "m"), (30, "f")], columns=("age", "sex"))
    >>> unavoidable("spans", 0.4172, public)
    "mixes categories or spans at least 83.4 % of a column's range"
    >>> unavoidable("spans", 1, public)
    'mixes categories'
    >>> unavoidable("distances", 2 / 3, public)
    'costs at least 0.6666 by the distances asked for'
    """
    if meaning == "distances":
        least = Context(prec=4, rounding=ROUND_FLOOR).create_decimal_from_float(bound)
        return f"costs at least {least:f} by the distances asked for"
    mixed = _mixed(public)
    if bound > MIXED:
        return f"mixes {mixed}"
    least_span = f"spans at least {floor(2000 * bound * (1 + 1e-12)) / 10:g} % of a column's range"
    return f"mixes {mixed} or {least_span}" if mixed else least_span


def _mixed(public: Alphabet) -> str:
    """Say what a class of these columns may mix at a cost of 1; nothing where all of them are numbers."""
    is_text = [column.kind == "text" for column in public.coordinates]
    has_gaps = any(
        column.missing.any() for column, text in zip(public.coordinates, is_text, strict=True) if not text
    )
    mixed = ["categories"] if any(is_text) else []
    return " or ".join([*mixed, "empty cells with others"] if has_gaps else mixed)
