"""What a comparison shows, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hartley.errors import option
from hartley.report.words import audit as words
from hartley.report.words.release import withheld_rows
from hartley.report.words.worst_class import worst_class
from hartley.workflow.rivals.comparison import Axis, Comparison, Measured, Refused

if TYPE_CHECKING:
    from hartley.search.greedy.runs import TieSpread

MOST_SPREAD = 6
"""Values of a spread that a sentence lists."""


def finding(comparison: Comparison) -> str:
    """Say what the comparison shows: by the worst class, by the average loss and by counts."""
    worst = _worst_class(comparison) if comparison.is_by_mean else _worst_case(comparison)
    return f"{worst} {_on_average(comparison)}".strip()


def tie_words(spread: TieSpread | None) -> list[str]:
    """Say how much the greedy search depends on the way its ties are broken."""
    if spread is None or not spread.found:
        return []
    unit = " bits" if spread.in_bits else ""
    best, worst = spread.found[0][0], spread.found[-1][0]
    ours = "" if spread.in_order is None else f", {spread.in_order:.4g}{unit} in the order of the values"
    if best == worst:
        reached = f"{best:.4g}{unit} in all of them"
    else:
        listed = ", ".join(f"{reached:.4g}{unit} in {runs}" for reached, runs in spread.found[:MOST_SPREAD])
        more = ", …" if len(spread.found) > MOST_SPREAD else ""
        reached = f"{best:.4g} to {worst:.4g}{unit} ({listed}{more})"
    return [
        f"The greedy search leaves ties open. Over {spread.runs} random ways to break them it reaches "
        f"{reached}{ours}; the optimal search reaches {spread.optimum:.4g}{unit}."
    ]


def _worst_class(comparison: Comparison) -> str:
    """Say what the worst class is where the average decides, and who has a smaller one."""
    said = f"{_asked(comparison)}, hartley {_reached(comparison, comparison.ours)}"
    best = comparison.best_by("worst_case")
    if best is None:
        return f"{said}; no other method has an answer."
    if comparison.better_by("worst_case"):
        return f"{said}; that of {best[0].name} is smaller: it {_reached(comparison, best[1])}."
    return f"{said}; no other is smaller."


def _worst_case(comparison: Comparison) -> str:
    """Say in one sentence how the methods compare in the worst case."""
    best = comparison.baselines
    ours = _reached(comparison, comparison.ours)
    if not best:
        return f"{_asked(comparison)}, hartley {ours}; no other method has an answer."
    other, answer = best[0]
    theirs = _reached(comparison, answer)
    if comparison.better:
        return (
            f"{_asked(comparison)}, {other.name} does better than hartley: it {theirs}, "
            f"where hartley {ours}.{_why(comparison)}"
        )
    if theirs == ours:
        return f"{_asked(comparison)}, hartley {ours}, and so does the best of the others, {other.name}."
    return f"{_asked(comparison)}, hartley {ours}; the best of the others, {other.name}, {theirs}."


def _on_average(comparison: Comparison) -> str:
    """Say who loses least on average and who answers counts best, and whether anybody is better at all."""
    if not comparison.rivals:
        return ""
    axes: tuple[Axis, ...] = ("ncp", "query_error")
    others = [text for axis in axes if (text := _better(comparison, axis))]
    said = (
        f"On average a class of hartley's release spans {_percent(comparison.ours.ncp)} of a column "
        f"(NCP{_next_best(comparison, 'ncp')})"
    )
    if comparison.ours.query_error is not None:
        said += (
            f", and counts on it are off by {_percent(comparison.ours.query_error)} "
            f"(median{_next_best(comparison, 'query_error')})"
        )
    if others:
        return f"{said}. Others are better there: {'; '.join(others)}."
    if comparison.better_by("worst_case"):
        return f"{said}. No other method is better there."
    return f"{said}. No method does better in the worst case, on average or in counts."


def _better(comparison: Comparison, axis: Axis) -> str | None:
    names = comparison.better_by(axis)
    best = comparison.best_by(axis)
    if not names or best is None:
        return None
    answer = best[1]
    if axis == "ncp":
        kept = "keeps" if len(names) == 1 else "keep"
        return f"{words.listed(names)} {kept} classes narrower on average ({_percent(answer.ncp)} at best)"
    error = _percent(answer.query_error or 0.0)
    return f"counts are closer with {words.listed(names)} (off by {error} at best)"


def _next_best(comparison: Comparison, axis: Axis) -> str:
    best = comparison.best_by(axis)
    if best is None or comparison.better_by(axis):
        return ""
    method, answer = best
    number = answer.ncp if axis == "ncp" else answer.query_error
    return f"; the best of the others, {method.name}: {_percent(number or 0.0)}"


def _percent(share: float) -> str:
    """Return a share in percent with two digits that count.

    >>> _percent(0.01234), _percent(0.4567), _percent(0.0)
    ('1.2 %', '46 %', '0 %')
    """
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"


def noise_finding(comparison: Comparison) -> str:
    """Say what noise on our clusters does, judged both ways."""
    noise = comparison.noise
    if isinstance(noise.answer, Refused):
        return f"Noise on hartley's classes is not applicable: {noise.answer.reason}."
    before, after = noise.answer.release.before, noise.answer.release.after
    return (
        f"Noise on hartley's classes ({noise.answer.setting}): by what is possible, the worst case goes from "
        f"{words.bits(before.l0_bits)} to {words.bits(after.l0_bits)}; by how likely it is, a reader learns "
        f"{words.bits(before.stochastic.mutual_information_bits)} on average before and "
        f"{words.bits(after.stochastic.mutual_information_bits)} after. With noise read the second: any "
        "chance at all makes a value possible."
    )


def target_words(comparison: Comparison) -> str:
    """Say what all methods are held to."""
    number = comparison.target.number
    if comparison.requirements:
        is_counted = all(one.is_monotone for one in comparison.requirements)
        who = "every released value keeps " if is_counted else ""
        return f"All methods are held to the same: {who}{_required(comparison)}."
    said = {
        "distinct_l": f"at least {_values(comparison)} remain possible for everyone",
        "max_leakage": f"the most exposed person reveals at most {words.bits(number)}",
        "largest_cluster": f"a released value stands for at most {words.counted(int(number), 'value')}",
        "max_distortion": f"no value moves farther than {words.digits(number)}",
    }[comparison.target.kind]
    if comparison.is_given:
        return f"All methods are held to the same: {said}."
    return f"You gave no target, so all methods are held to that of hartley's balanced point: {said}."


def _values(comparison: Comparison) -> str:
    return words.values_of(int(comparison.target.number), comparison.joint.sensitive.columns)


def _why(comparison: Comparison) -> str:
    if comparison.joint.side is None or comparison.target.kind != "distinct_l":
        return ""
    return (
        " With side information, what is left and what is revealed part ways, and hartley reveals little: "
        f"give {option('max_leakage')} to compare by that."
    )


def _required(comparison: Comparison) -> str:
    sensitive, closeness = comparison.joint.sensitive.columns, comparison.question.closeness
    return " and ".join(one.sentence(sensitive, closeness) for one in comparison.requirements)


def _asked(comparison: Comparison) -> str:
    number = comparison.target.number
    if comparison.requirements:
        ours = comparison.ours.point.withheld_rows
        rows = withheld_rows(ours, comparison.joint.row_count, comparison.joint.public.columns)
        held = f" ({rows} by hartley)" if ours else ""
        is_counted = all(one.is_monotone for one in comparison.requirements)
        return f"{'To keep' if is_counted else 'With'} {_required(comparison)}{held}"
    return {
        "distinct_l": f"To leave {_values(comparison)} possible for everyone",
        "max_leakage": f"To reveal at most {words.bits(number)}",
        "largest_cluster": f"With at most {words.counted(int(number), 'value')} sharing a released value",
        "max_distortion": f"With no value moved farther than {number:g}",
    }[comparison.target.kind]


def _reached(comparison: Comparison, answer: Measured) -> str:
    point = answer.point
    if comparison.is_at_utility:
        return f"reveals {words.bits(point.leakage_bits)}"
    if point.max_distortion is not None and len(comparison.joint.public.columns) > 1:
        meaning, public = comparison.question.cost_meaning, comparison.joint.public
        return f"has a worst class that {worst_class(meaning, point.max_distortion, public)}"
    if point.max_distortion is not None:
        return f"moves no value farther than {words.digits(point.max_distortion)}"
    return f"lets a released value stand for at most {words.counted(point.largest_cluster, 'value')}"
