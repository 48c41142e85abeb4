"""What a released file gives away about the people of its original, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hartley.errors import option
from hartley.report.words.audit import counted, listed, people
from hartley.report.words.verdict import FEWEST, Headline

if TYPE_CHECKING:
    from hartley.workflow.against.audit_against import Against
    from hartley.workflow.audit_table import AuditResult

_FORMS = {
    "value": ("value", "values"),
    "band": ("band", "bands"),
    "set": ("set of values", "sets of values"),
    "prefix": ("beginning followed by stars", "beginnings followed by stars"),
    "anything": ("cell that may be anything", "cells that may be anything"),
    "group": ("group that a file lists", "groups that a file lists"),
    "rest": ("label of all that no other names", "labels of all that no other names"),
    "missing": ("empty cell", "empty cells"),
}
_SOURCES = {
    "release": "",
    "linked rows": "The file has no sensitive column; its rows are in the order of the original's, so each "
    "one's "
    "sensitive value was taken from there.",
    "people who fit": "The file has no sensitive column; beside each of its rows stand the sensitive values "
    "of all "
    "people of the original who fit it.",
}


def against_headline(found: Against, result: AuditResult) -> Headline:
    """Return the verdict on a file that was held against its original.

    EXPOSED: someone's value is read off, rightly. AT RISK: someone is singled out, a wrong value is read
    off, rows of the file leave fewer than three values (two of two), what was required does not hold, or
    nobody is found in the file at all.
    """
    secret = listed([one.column for one in found.columns])
    public = listed(result.audit.public.columns)
    if found.disclosed_right:
        return Headline(
            "red",
            f"{people(found.disclosed_right, found.people)} of the original can have their {secret} read "
            f"off, rightly, by anyone who knows their {public}.",
        )
    if not found.found:
        return Headline(
            "amber",
            f"Nobody of the original is found in the file by their {public}, so nothing is said about them: "
            "is each column written as in the original, or as labels that name its values?",
        )
    fewest = [one for one in result.by_sensitive if one.distinct_l < min(FEWEST, one.values)]
    strange = mostly_strange(found)
    if not result.holds or found.singled_out or found.disclosed_wrong or fewest or strange:
        alone = f"; most values of {listed(strange)} are not in the original" if strange else ""
        if found.singled_out:
            alone += f"; {people(found.singled_out, found.people)} fit one row of the file only"
        if found.disclosed_wrong:
            alone += f"; {people(found.disclosed_wrong, found.people)} have a wrong one read off"
        for one in fewest:
            alone += f"; some rows leave only {counted(one.distinct_l, 'value')} of {one.column}"
        return Headline("amber", f"Nobody's {secret} is read off, rightly, from the file{alone}.")
    return Headline(
        "green",
        f"Nobody's {secret} is read off, rightly, by anyone who knows their {public}; nobody is singled out.",
    )


def mostly_strange(found: Against) -> list[str]:
    """Return the columns of which most values are not in the original."""
    return [one["column"] for one in found.labels if 2 * one["not_in_original"] > _values_of(one)]


def _values_of(label: dict[str, Any]) -> int:
    return sum(entry["values"] for entry in label["read_as"] if entry["form"] == "value")


def fits_nobody() -> str:
    """Say what values mean that the original does not hold."""
    return (
        "Values that are not in the original fit nobody. Where they stand for several (midpoints, means) "
        f"that makes a file look safer than it is: say for which ({option('hierarchy', 'COL=FILE')})."
    )


def against_rows(found: Against) -> list[list[str]]:
    """Return what was counted: the words, the people, their share."""
    rows = [
        ("found in the file by their public values", found.found),
        ("value read off for certain, and rightly (DiSCO)", found.disclosed_right),
        ("value read off for certain, but wrongly", found.disclosed_wrong),
        ("the same in the original itself (DiO)", found.disclosed_in_original),
        ("value guessed rightly as the likeliest in the file", found.guessed_right),
        ("value guessed rightly as the commonest of all", found.guessed_right_by_marginals),
        ("alone with their public values in the original", found.unique_public),
        ("of these, fit one row of the file only (RepU)", found.singled_out),
        ("alone with their whole row in the original", found.unique_rows),
        ("of these, whole row stands in the file", found.unique_rows_matched),
    ]
    shown = [[words, f"{number:,}", f"{number / found.people:.2%}"] for words, number in rows]
    if found.k_disco is not None:
        mean = "mean of DiSCO over every column and every two others (K-DiSCO)"
        shown.append([mean, "", f"{found.k_disco:.2%}"])
    return shown


def how_read(found: Against) -> list[str]:
    """Say how many people and rows were compared, and how the labels of the file were read."""
    lines = [
        f"{counted(found.people, 'person', 'people')} in the original, {counted(found.released_rows, 'row')} "
        f"in the "
        "file."
    ]
    for one in found.labels:
        read = [counted(entry["values"], *_FORMS[entry["form"]]) for entry in one["read_as"]]
        if len(one["read_as"]) > 1 or one["read_as"][0]["form"] != "value" or one["not_in_original"]:
            strange = one["not_in_original"]
            beyond = f"; {strange:,} of the values are not in the original" if strange else ""
            lines.append(f"{one['column']} was read as {listed(read)}{beyond}.")
    if any(one["not_in_original"] for one in found.labels):
        lines.append(fits_nobody())
    if _SOURCES[found.sensitive_from]:
        lines.append(_SOURCES[found.sensitive_from])
    if len(found.columns) > 1:
        lines.append("Of several sensitive columns the worst is shown.")
    return lines
