"""Numbers as plain words for the person whose data it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hartley.frontiers import Frontier, Point

_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

if TYPE_CHECKING:
    from hartley.measures.audit import Audit, Role


def bits(value: float) -> str:
    """Return a number of bits.

    >>> bits(5.247927513443585), bits(0.0), bits(1.0)
    ('5.25 bits', '0 bits', '1 bit')
    """
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{shown} bit" if shown == "1" else f"{shown} bits"


def counted(number: int, thing: str) -> str:
    """Return a number of things.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def named(role: Role) -> str:
    """Name the columns of a role.

    >>> from hartley.measures.audit import Role
    >>> named(Role(("age", "sex"), 3))
    'age and sex'
    """
    return listed(role.columns)


def listed(columns: Sequence[str]) -> str:
    """Name a few columns, count many.

    >>> listed(["age"]), listed(["age", "sex", "pain"])
    ('age', 'age, sex and pain')
    """
    *most, last = columns
    if len(most) > 4:
        return f"{len(columns)} columns together"
    return f"{', '.join(most)} and {last}" if most else last


def told_by(columns: Sequence[str]) -> str:
    """Say what columns tell, to read on from "beyond".

    >>> told_by(["age"]), told_by(["age", "sex"])
    ('what age tells', 'what age and sex tell')
    """
    return f"what {listed(columns)} {'tells' if len(columns) == 1 else 'tell'}"


def worst_case(audit: Audit) -> str:
    """Say what the worst case means.

    The side information, where there is some, is what the reader knew before, and the leakage is what
    the public columns add to it.
    """
    secret, public = named(audit.sensitive), named(audit.public)
    things = f"{public} values" if len(audit.public.columns) == 1 else f"combinations of {public}"
    if audit.side is not None:
        things = f"pairs of {public} and {named(audit.side)}"
    seen = f"{audit.narrowest_count:,} of {audit.observations:,} {things}"
    rows = counted(audit.narrowest_rows, "row")
    if audit.sensitive.values == 1:
        return f"There is only one {secret} value in the table, so everybody knows it already."
    if audit.independent:
        if audit.side is not None:
            known = named(audit.side)
            return (
                f"No value of {public} rules out any {secret} that {known} leaves possible: without "
                f"statistics, a reader who knows {known} learns nothing new."
            )
        return f"No value of {public} rules out any {secret}: without statistics, a reader learns nothing."
    added = ""
    if audit.side is not None:
        added = (
            f" Of the candidates that {named(audit.side)} left, {public} leaves as few as "
            f"{_share(audit.l0_bits)}."
        )
    if audit.distinct_l == 1:
        verb = "gives" if audit.narrowest_count == 1 else "give"
        return f"{seen} {verb} one {secret} away exactly: {rows}.{added}"
    verb = "leaves" if audit.narrowest_count == 1 else "leave"
    left = f"{audit.distinct_l} of {audit.sensitive.values:,} {secret} values"
    return f"{seen} {verb} only {left} possible: {rows}.{added}"


def for_certain(audit: Audit) -> str:
    """Say what is known for certain."""
    secret = named(audit.sensitive)
    if audit.components == 1:
        return f"No group of {secret} values is told apart for certain from all the others."
    return (
        f"The {secret} values fall into {audit.components:,} groups that are never confused: "
        "every reader knows for certain to which group a person belongs."
    )


def at_least(audit: Audit) -> str:
    """Say what even the least telling value reveals."""
    most = round(2**audit.h0_given_public_bits)
    if audit.side is not None:
        known, public = named(audit.side), named(audit.public)
        if audit.i0_bits == 0:
            return f"Somebody's {public} rules out no {named(audit.sensitive)} that {known} leaves possible."
        share = _share(audit.i0_bits)
        return f"For everybody, {public} leaves no more than {share} of the candidates that {known} left."
    if audit.i0_bits == 0:
        return f"The least telling value rules out no {named(audit.sensitive)} at all."
    return (
        f"Even the least telling value leaves no more than {most:,} of {audit.sensitive.values:,} "
        f"{named(audit.sensitive)} values."
    )


def _share(bits: float) -> str:
    """Say as a share what so many bits of leakage leave of the candidates.

    >>> _share(1.0), _share(5.25)
    ('50 %', '2.6 %')
    """
    return f"{100 * 2.0**-bits:.2g} %"


def candidates_left(audit: Audit) -> str:
    """Say how many candidates the most telling value leaves, and how many rows share the rarest."""
    return (
        f"The most telling value leaves {counted(audit.distinct_l, 'sensitive value')} possible "
        f"(distinct l-diversity); the rarest stands in {counted(audit.row_k, 'row')} (k-anonymity)."
    )


def cell(value: Any) -> str:
    """Show a cell; a missing one as a word."""
    return "(missing)" if value is None else visible(str(value))


def visible(text: str) -> str:
    r"""Show what would otherwise steer the terminal, break the line or turn the writing round.

    Names and cells come from strangers.

    >>> print(visible("a\x1b[31m\nb"))
    a\x1b[31m\nb
    """
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def number(value: Any) -> str:
    """Show a number of any kind; what is infinite as a word.

    >>> number(0.08503401), number(3), number(None), number(True)
    ('0.085', '3', 'infinite', 'yes')
    """
    if value is None:
        return "infinite"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def proof(point: Point) -> str:
    """Say whether a point is proven optimal, or how far a bound lies below it."""
    if point.proven_optimal:
        return "proven"
    if point.lower_bound_bits is None:
        return "-"
    return f"gap {bits(point.leakage_bits - point.lower_bound_bits)}"


def point_meaning(point: Point, frontier: Frontier, secret: str) -> str:
    """Say in a few words what a point means for the person whose data it is."""
    if frontier.leakage == "istar":
        if point.components == 1:
            return "nothing known for certain"
        return f"{point.components:,} groups told apart for certain"
    if point.distinct_l == 1:
        return f"gives some {secret} away"
    return f"{point.distinct_l:,} or more {secret} values possible"
