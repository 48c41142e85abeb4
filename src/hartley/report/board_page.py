"""Page one of the report, for people who decide: the verdict, people, rows before and after, loss, limits.

No bits and no versions stand here. Sensitive cells are on no page; of the public columns this one shows five
of the commonest combinations, and the bands that a released file lists anyway.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.errors import worded
from hartley.releases.cell_text import cell_text
from hartley.report.figures.figure import shown_label
from hartley.report.words import audit as words
from hartley.report.words.release import share, vanished, what_is_lost
from hartley.workflow.show_release import CodebookLines, left_of_each, usefulness_of

if TYPE_CHECKING:
    from hartley.measures.audit import Audit
    from hartley.measures.by_column import ColumnLeft
    from hartley.model import Alphabet
    from hartley.report.html import Report

MOST_ROWS = 5
LOOKED_AT = 200
"""Combinations, the commonest, among which those to show are looked for."""
MOST_BANDS = 90
"""Bands of one column that are listed."""
_LONG_NUMBER = re.compile(r"\d+\.\d{5,}(e[+-]?\d+)?")
NOT_PROTECTED = (
    "Readers may still guess: candidates are counted, not weighed, and one may be likelier than the rest.",
    "Only the columns named here are covered. Another table about the same people, or another release of "
    "this one, can be combined with it.",
)


def of_transparency(report: Report) -> str:
    """Say what a reader who knows how the release was chosen learns, and the price of a promise there."""
    price = report.price
    if price is None or f"{price.transparent:.3f}" == f"{price.best:.3f}":
        spans, instead = "", ""
    else:
        theirs, best = f"{100 * price.transparent:.1f} %", f"{100 * price.best:.1f} %"
        keeps = ", and keeps more detail" if price.transparent < price.best else ""
        spans = f"{keeps}: its values span {theirs} of a column on average, not {best}"
        instead = f". Its values span {theirs} of a column on average, those of the best release found {best}"
    if report.is_transparent:
        return f"A reader who knows how the release was chosen is left what was asked for, too{instead}."
    if report.persons is not None:
        return "A reader who knows how the release was chosen may learn more."
    return (
        "A reader who knows how the release was chosen may learn more; a release that holds against such a "
        f"reader too can be made{spans}."
    )


@dataclass(frozen=True)
class BandList:
    """The labels of one column as they stand in the file, with the rows of each."""

    column: str
    bands: tuple[tuple[str, str], ...]
    """Label and rows, in the order of the column, at most ninety."""
    more: int
    """Labels that are not listed."""


def board_content(report: Report, before: Audit, after: Audit) -> dict[str, Any]:
    """Return what page one tells, every number counted from the recoding that a release would write."""
    joint, point = report.joint, report.chosen
    lines = CodebookLines.of_point(joint, point, report.frontier.codeword)
    left = left_of_each(report.reader, lines.book.partition)
    first = words.headline(after, left=left, jointly=report.jointly)
    if any(one.values == 2 for one in left):
        first = replace(first, sentence=f"{first.sentence} {words.likeliest_guess(left)}")
    use = usefulness_of(joint, point, report.frontier.codeword)
    lost = what_is_lost(use, joint.row_count, point, joint.public)
    gone = vanished(use, point, joint.public)
    return {
        "verdict": first,
        "is_exposed": first.colour == "red",
        "people_before": words.worst_case(before),
        "vanished": None if gone is None else worded(gone, lambda _name, _value: "").replace(" ()", ""),
        "rules": _rules(report, after, left),
        "columns": joint.public.columns,
        "examples": _examples(report, lines),
        "lost_first": lost[: 1 + bool(use.withheld_rows) + len(use.columns)],
        "not_protected": (*NOT_PROTECTED, of_transparency(report)),
        "bands": [_bands(lines, joint.public, place) for place in range(len(joint.public.columns))],
    }


def _rules(report: Report, after: Audit, left: Sequence[ColumnLeft]) -> list[tuple[str, str]]:
    """Return the rules of a house that the release meets: what was asked for, then l, k and the guess."""
    columns = report.joint.sensitive.columns
    asked = [one.sentence(columns, report.closeness) for one in report.demand.requirements]
    rules = [("What was asked for", "; ".join(asked))] if asked else []
    counted = [f"{one.distinct_l:,} of {words.values_of(one.values, [one.column])}" for one in left]
    who = "Rows"
    if report.persons is not None:
        who = "Persons"
        counted = [f"{after.distinct_l:,} of {words.values_of(after.sensitive.values, columns)}"]
    rules.append(("Left for everyone, at least (l-diversity)", ", ".join(counted)))
    rules.append((f"{who} behind every released value, at least (k-anonymity)", f"{after.row_k:,}"))
    guesses = [f"{share(one.guess_share)} have the same {one.column}" for one in left]
    rules.append(("The likeliest guess, in the worst class", ", ".join(guesses)))
    return rules


def _examples(report: Report, lines: CodebookLines) -> list[dict[str, Any]]:
    """Return the commonest combinations, as they are and as released; those that change come first."""
    joint, book = report.joint.without_side(), lines.book
    rows = np.bincount(joint.observation_of, weights=joint.rows, minlength=joint.public.size)
    common = np.argsort(-rows, kind="stable")[:LOOKED_AT].tolist()
    told = []
    for value in common:
        label = joint.public.label(value)
        before = map(_shown, label if isinstance(label, tuple) else (label,))
        after = map(_shown, book.labels[book.partition.labels[value]])
        kinds = (one.kind for one in joint.public.coordinates)
        cells = [
            _rounded(was, now) if kind == "number" else (was, now)
            for was, now, kind in zip(before, after, kinds, strict=True)
        ]
        told.append({"rows": f"{int(rows[value]):,}", "cells": cells})
    return sorted(told, key=lambda one: all(was == now for was, now in one["cells"]))[:MOST_ROWS]


def _rounded(was: str, now: str) -> tuple[str, str]:
    """Write long numbers with six digits, except where what was recoded would look the same.

    >>> _rounded("56.39972621492129", "50.00000012345 to 60"), _rounded("0.12345678", "0.12345679")
    (('56.3997', '50 to 60'), ('0.12345678', '0.12345679'))
    """
    short = _LONG_NUMBER.sub(_six_digits, was), _LONG_NUMBER.sub(_six_digits, now)
    return short if was == now or short[0] != short[1] else (was, now)


def _six_digits(found: re.Match[str]) -> str:
    number = float(found[0])
    return f"{number:.6g}" if abs(number) < 10**6 else f"{number:.0f}"


def _bands(lines: CodebookLines, public: Alphabet, place: int) -> BandList:
    """Return the labels of one column and the rows of each, in the order of their values, text by letter."""
    rows: dict[str, int] = {}
    ends: dict[str, tuple[float, float]] = {}
    where = public.coordinates[place].positions
    for cluster, members in enumerate(lines.book.partition.clusters()):
        label = _shown(lines.book.labels[cluster][place])
        rows[label] = rows.get(label, 0) + int(lines.rows[cluster])
        if where is not None and not np.isnan(where[members]).all():
            low, high = ends.get(label, (inf, -inf))
            ends[label] = min(low, np.nanmin(where[members])), max(high, np.nanmax(where[members]))
    missing = _shown(None)
    ordered = sorted(rows, key=lambda label: (label == missing, *ends.get(label, (inf, inf)), label))
    listed = tuple((label, f"{rows[label]:,}") for label in ordered[:MOST_BANDS])
    return BandList(lines.book.columns[place].name, listed, len(rows) - len(listed))


def _shown(cell: Any) -> str:
    return shown_label(cell) if cell is None else cell_text(cell) or ""
