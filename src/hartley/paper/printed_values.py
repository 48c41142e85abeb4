"""What the paper prints, value by value, and what its own definitions give where the two differ.

Numbers stand as printed, so that their digits say how exactly they were meant; ``log2 7/3`` is a number
too. The examples and figures of the toy are here; the formulas that are slips of the pen, and what of the
experiment cannot be reproduced, are listed below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log2
from typing import Any, Literal, TypeAlias

Clusters: TypeAlias = tuple[tuple[str, ...], ...]
"""A partition by the names of its values."""
PrintedValue: TypeAlias = str | Clusters


@dataclass(frozen=True)
class Printed:
    """A value in the paper."""

    key: str
    place: str
    quantity: str
    printed: PrintedValue
    corrected: PrintedValue | None = None
    """What the definitions give, where the printed value is a slip."""
    note: str = ""


@dataclass(frozen=True)
class Slip:
    """A formula or a claim that contradicts the paper's own definitions, and what holds here."""

    place: str
    printed: str
    here: str

    def to_dict(self) -> dict[str, str]:
        """Return it as it stands in JSON."""
        return {"place": self.place, "printed": self.printed, "here": self.here}


def clusters(text: str) -> Clusters:
    """Read clusters as the paper names them, by letter and numbers.

    >>> clusters("x 127 35")
    (('x1', 'x2', 'x7'), ('x3', 'x5'))
    """
    letter, *groups = text.split()
    return tuple(sorted(tuple(f"{letter}{digit}" for digit in sorted(group)) for group in groups))


_2A, _2B = "Example 2, U1, λ = 0.3", "Example 2, U2, λ = 2.5"
_3, _4, _5 = "Example 3, U1, λ = 0.3", "Example 4, U2, λ = 0.3", "Example 5, problem (3), λ = 0.3"
_FIRST = "Convergence of Algorithm 1"
_SECOND = "Convergence of Algorithm 2"
_FRONTIER = "Frontier of the toy"
_X6 = "x6 occurs with s5, not with s6"
_PLUS = "the figure shows I* + λ U1"
_ROUNDED = "the distortion 2/3 was rounded to 0.667 on the way"
_ONE = "x 1234567"

TOY: tuple[Printed, ...] = (
    Printed("1.components", "Example 1", "components of X", clusters("x 12 34 5 6 7")),
    Printed(
        "1.overlap",
        "Example 1",
        "overlap partition of S",
        clusters("s 12 3 4 4 6"),
        clusters("s 12 3 4 5 6"),
        "s4 stands there twice",
    ),
    Printed("1.istar", "Example 1", "I*(S; X)", "log2 5"),
    Printed("2a.q1", _2A, "clusters at t = 1", clusters("x 127 35 46")),
    Printed("2a.range46", _2A, "candidates of {x4, x6}", clusters("s 36"), clusters("s 35"), _X6),
    Printed("2a.delta1", _2A, "Δℒ of t = 1", "-0.5245"),
    Printed("2a.q2", _2A, "clusters at t = 2", clusters("x 127 3456")),
    Printed("2a.range3456", _2A, "candidates of {x3, …, x6}", clusters("s 346"), clusters("s 345"), _X6),
    Printed("2a.delta2", _2A, "Δℒ of t = 2", "-0.4605"),
    Printed("2a.returned", _2A, "clusters returned", clusters(_ONE)),
    Printed(
        "2a.last_line",
        "Algorithm 1, last line",
        "clusters returned in Example 2 (U1)",
        clusters("x 127 3456"),
        clusters(_ONE),
        "the last line returns the step before the last; the example rightly returns the last with Δℒ < 0",
    ),
    Printed("2b.q1", _2B, "clusters at t = 1", clusters("x 124 35 67")),
    Printed("2b.delta1", _2B, "Δℒ of t = 1", "-0.3750"),
    Printed(
        "2b.q2",
        _2B,
        "clusters at t = 2",
        clusters("x 127 3456"),
        clusters(_ONE),
        "the Δℒ printed for it is that of one cluster",
    ),
    Printed("2b.delta2", _2B, "Δℒ of t = 2", "0.0758"),
    Printed(
        "2b.returned",
        _2B,
        "clusters returned",
        clusters("x 127 35 46"),
        clusters("x 124 35 67"),
        "Q(1) is returned, but that of U1 is printed",
    ),
    Printed("fig1.u1.0", _FIRST, "U1, t = 0", "1.7428"),
    Printed("fig1.u1.1", _FIRST, "U1, t = 1", "1.282", "1.2182", "a digit is lost"),
    Printed("fig1.u1.2", _FIRST, "U1, t = 2", "0.7578"),
    Printed("fig1.u1.3", _FIRST, "U1, t = 3", "0"),
    Printed("fig1.u2.0", _FIRST, "U2, t = 0", "2.5850"),
    Printed("fig1.u2.1", _FIRST, "U2, t = 1", "2.21"),
    Printed("3.delta1", _3, "Δℒ of t = 1", "-0.0219", note="the value is that of + λ log2 2, printed is −"),
    Printed("3.q1", _3, "clusters at t = 1", clusters("x 13 2 4 5 6 7")),
    Printed("3.p1", _3, "components at t = 1", clusters("x 1234 5 6 7")),
    Printed("3.q2", _3, "clusters at t = 2", clusters("x 13 25 4 6 7")),
    Printed("3.p2", _3, "components at t = 2", clusters("x 12345 6 7")),
    Printed("3.q3", _3, "clusters at t = 3", clusters("x 13 25 46 7")),
    Printed("3.p3", _3, "components at t = 3", clusters("x 123456 7")),
    Printed("3.q4", _3, "clusters returned", clusters("x 137 25 46")),
    Printed("3.p4", _3, "components returned", clusters(_ONE)),
    Printed("fig2.u1.0", _SECOND, "U1, t = 0", "3.1641", "1.4797", _PLUS),
    Printed("fig2.u1.1", _SECOND, "U1, t = 1", "2.5422", "1.4578", _PLUS),
    Printed("fig2.u1.2", _SECOND, "U1, t = 2", "2.1272", "1.0428", _PLUS),
    Printed("fig2.u1.3", _SECOND, "U1, t = 3", "1.5422", "0.4578", _PLUS),
    Printed("fig2.u1.4", _SECOND, "U1, t = 4", "0.3667", "-0.3667", _PLUS),
    Printed("fig2.u2.0", _SECOND, "U2, t = 0", "2.3219"),
    Printed("fig2.u2.1", _SECOND, "U2, t = 1", "2.0015", "2.0150", "two digits are exchanged"),
    Printed("fig2.u2.2", _SECOND, "U2, t = 2", "1.6150"),
    Printed("fig2.u2.3", _SECOND, "U2, t = 3", "1.2001", "1.2000", _ROUNDED),
    Printed("4.q3", _4, "clusters at t = 3", clusters("x 14 356 2 7")),
    Printed("4.p3", _4, "components at t = 3", clusters("x 123456 7")),
    Printed(
        "4.stop",
        _4,
        "step of the end",
        "3",
        "4",
        "Δℒ of the fourth merge is below 0; the run stops at t = 3 for λ between 0.7793 and 1.0322",
    ),
    Printed(
        "4.returned",
        _4,
        "clusters returned",
        clusters("x 14 356 2 7"),
        clusters("x 14 27 356"),
        "the run goes on to t = 4",
    ),
    Printed("5.q1", _5, "clusters at t = 1", clusters("x 1 23 4 5 6 7")),
    Printed("5.p1", _5, "components at t = 1", clusters("x 1234 5 6 7")),
    Printed("5.q2", _5, "clusters at t = 2", clusters("x 1 23 45 6 7")),
    Printed("5.p2", _5, "components at t = 2", clusters("x 12345 6 7")),
    Printed("5.q3", _5, "clusters at t = 3", clusters("x 1 23 45 67")),
    Printed("5.p3", _5, "components at t = 3", clusters("x 12345 67")),
    Printed("5.q4", _5, "clusters returned", clusters("x 167 23 45")),
    Printed("5.p4", _5, "components returned", clusters(_ONE)),
    Printed("frontier.u1.solution", "Section VII-A", "U1 of Example 3's solution", "log2 7/3"),
    Printed("frontier.u1.1.loss", _FRONTIER, "U1, second point, loss", "0.356207187108022"),
    Printed("frontier.u1.1.leak", _FRONTIER, "U1, second point, leakage", "0.430676558073393"),
    Printed("frontier.u1.2.loss", _FRONTIER, "U1, third point, loss", "0.56457503405358"),
    Printed("frontier.u1.2.leak", _FRONTIER, "U1, third point, leakage", "0"),
    Printed("frontier.u2.1.loss", _FRONTIER, "U2, second point, loss", "0.0256410256410256"),
    Printed("frontier.u2.1.leak", _FRONTIER, "U2, second point, leakage", "0.861353116146786"),
    Printed("frontier.u2.2.loss", _FRONTIER, "U2, third point, loss", "0.0512820512820513"),
    Printed("frontier.u2.2.leak", _FRONTIER, "U2, third point, leakage", "0.682606194485985"),
    Printed(
        "frontier.u2.3.loss",
        _FRONTIER,
        "U2, fourth point, loss",
        "0.342051282051282",
        "0.341880341880342",
        _ROUNDED,
    ),
    Printed("frontier.u2.3.leak", _FRONTIER, "U2, fourth point, leakage", "0.430676558073393"),
    Printed("frontier.u2.4.loss", _FRONTIER, "U2, fifth point, loss", "1"),
    Printed("frontier.u2.4.leak", _FRONTIER, "U2, fifth point, leakage", "0"),
)
"""Examples 1 to 5, both convergence figures and the frontier figure of the toy."""

_DATA = "Hungarian data"
HUNGARIAN: tuple[Printed, ...] = (
    Printed("rows", _DATA, "patients", "293", "294", "the public file has one row more"),
    Printed("ages", _DATA, "ages, |S|", "38"),
    Printed("levels", _DATA, "cholesterol values, |X|", "154", note="a missing one counts as a value"),
    Printed("pairs", _DATA, "pairs", "281"),
    Printed("once", _DATA, "pairs seen once", "269"),
    Printed(
        "components",
        _DATA,
        "components at the start",
        "118",
        "2",
        "117 or 118 is impossible: there are never more components than ages",
    ),
)
"""The counts of the experiment."""

SLIPS: tuple[Slip, ...] = (
    Slip("Examples 2, 3 and 5", "U1 = I0(S → X̂)", "U1 = I0(X → X̂)"),
    Slip("Problem (3)", "s.t. I*(S; X) = 0", "s.t. I*(S; X̂) = 0"),
    Slip("Problem (3), θ", "θ ≥ min U", "feasible exactly where θ ≤ max { U : I*(S; X̂) = 0 }"),
    Slip("Rényi divergence, Section VI", "sum over x̂", "sum over s"),
    Slip("LDP, Section VI", "e^ε next to logs of base 2", "ε in nats is bits · ln 2; both are reported"),
    Slip(
        "Section V-A, cheapest union under U2",
        "always the best merge",
        "not for centroids: {0, 9, 10} costs 6.33, {0, 1, 9, 10} costs 5; the printed rule is followed",
    ),
    Slip("Complexity of BFS/DFS", "times the number of components", "O(V + E) in total"),
    Slip(
        "Pareto frontier",
        "one point for each λ",
        "the non-dominated steps of the run: the toy figure itself shows a step that no λ stops at",
    ),
)
"""Formulas and claims, not values."""

NOT_REPRODUCIBLE: tuple[Slip, ...] = (
    Slip(
        "Convergence on the Hungarian data",
        "ℒ from 1.64 to −0.0043 and from 1.3005 to 0.2588",
        "not in the units the text defines: by the definitions L0 alone starts at log2 38 = 5.25 bits",
    ),
    Slip(
        "Frontier on the Hungarian data, L0",
        "leakage 13/77 at a loss of 2/3, and others",
        "no ratio of logarithms of counts up to 38 gives these leakages; the losses are 1 − 1/m",
    ),
    Slip(
        "Frontier on the Hungarian data, I*",
        "118, 40, 15, 3 and 1 components",
        "by the definitions there are 2, and one merge leaves 1",
    ),
    Slip(
        "Generalisation and suppression, k = 5",
        "one point, loss 0.7",
        "neither hierarchy nor budget is given, and 0.7 is not of the form 1 − 1/m of its axis; "
        "five variants are run instead",
    ),
    Slip(
        "IAC-MDSF",
        "one point, leakage 0.85385",
        "that is 99.9 or 100.75 components, no whole number; "
        "the method is run over a scan of its weight instead",
    ),
)
"""What of the experiment cannot be had from the text."""


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
