"""What withheld rows buy, in sentences that claim no more than was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hartley.frontiers import Frontier, Point
from hartley.report.words.audit import counted, listed

if TYPE_CHECKING:
    from hartley.workflow import FrontierResult
    from hartley.workflow.demands.budgets import BudgetFrontier, BudgetGain


def withheld_rows(rows: int, total: int, columns: Sequence[str]) -> str:
    """Say how many rows have their public value withheld.

    >>> withheld_rows(12, 300, ["cholesterol"]), withheld_rows(1, 300, ["age", "sex"])
    ('12 of 300 rows have their cholesterol withheld', '1 of 300 rows has its age and sex withheld')
    """
    verb, whose = ("has", "its") if rows == 1 else ("have", "their")
    return f"{rows:,} of {counted(total, 'row')} {verb} {whose} {listed(columns)} withheld"


def budget(one: BudgetFrontier, total: int) -> str:
    """Name a budget of withheld rows."""
    if not one.rows:
        return "no row withheld"
    return f"at most {one.rows:,} of {counted(total, 'row')} withheld"


def bought(result: FrontierResult) -> list[str]:
    """Say what each budget buys at the same protection, or what budget would buy something."""
    columns = result.joint.public.columns
    lines = [_bought(one, columns) for one in result.budgets if one.gain is not None]
    if not result.budgets:
        most = max((point.withheld_rows for point in result.frontier.points), default=0)
        if result.unused is not None:
            lines.append(_bought_nothing(result.question.budget, result.unused))
        if most:
            lines.append(f"At most {withheld_rows(most, result.joint.row_count, columns)}.")
    return lines


def _bought(one: BudgetFrontier, columns: Sequence[str]) -> str:
    gain = one.gain
    assert gain is not None  # noqa: S101 (asked only of budgets that were compared)
    named = listed(columns)
    if not gain.is_gain:
        return _bought_nothing(one.rows, gain)
    before = ""
    if gain.protection.withheld_rows:
        before = f" (with {counted(gain.protection.withheld_rows, 'row')} withheld)"
    return (
        f"{_kept(gain)}: withholding {_owners(gain.point.withheld_rows)} {named} "
        "lets everyone else's "
        f"{_change(one.frontier, gain.point)} instead of {_size(one.frontier, gain.protection)}{before}."
    )


def _bought_nothing(rows: int, gain: BudgetGain) -> str:
    return f"{_kept(gain)}, {unused(rows, gain.helpful_rows, gain.needed_rows)}."


def _kept(gain: BudgetGain) -> str:
    """Say at which protection two budgets are compared."""
    if gain.is_of_components:
        groups = gain.protection.components
        return f"With {f'{groups:,} groups of values' if groups > 1 else 'nothing'} told apart for certain"
    return f"With at least {counted(gain.protection.distinct_l, 'candidate')} left for everyone"


def unused(rows: int, helpful_rows: int | None, needed_rows: int = 0) -> str:
    """Say that a budget buys nothing, and which one would, or which one is needed at the least.

    >>> unused(3, 5), unused(1, None)
    ('withholding up to 3 rows buys nothing; 5 rows would', 'withholding up to 1 row buys nothing')
    >>> unused(3, None, 15)
    'withholding up to 3 rows buys nothing; it takes at least 15 rows'
    """
    nothing = f"withholding up to {counted(rows, 'row')} buys nothing"
    if helpful_rows is not None:
        return f"{nothing}; {counted(helpful_rows, 'row')} would"
    return f"{nothing}; it takes at least {counted(needed_rows, 'row')}" if needed_rows > rows else nothing


def _owners(rows: int) -> str:
    return "1 person's" if rows == 1 else f"{rows:,} people's"


def _change(frontier: Frontier, point: Point) -> str:
    verb = "share a label with at most" if frontier.utility == "resolution" else "move at most"
    if point.codebooks is not None:
        verb = "detail shrink by"
    return f"{verb} {_size(frontier, point)}"


def _size(frontier: Frontier, point: Point) -> str:
    if frontier.utility == "resolution":
        return counted(point.largest_cluster - 1, "other value")
    if point.codebooks is not None:
        return f"{100 * point.codebooks.loss:.3g} % on average"
    return f"{point.max_distortion:g}"
