"""What was given for options that several commands share, as values."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

from hartley.errors import OptionError
from hartley.errors import option as mention
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.target import Target
from hartley.tables import ReadOptions
from hartley.workflow.request.utility_choice import UtilityChoice

STUDY = (
    "sensitive",
    "jointly",
    "public",
    "side",
    "keep",
    "harmless",
    "publish_sensitive",
    "missing",
    "missing_at",
    "earlier",
    "person",
)
"""Options that are fields of a study under their own name."""


def study_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return what is said of the table and its roles, as the fields of a study."""
    return {
        **{name: given[name] for name in STUDY if name in given},
        **closeness_fields(given),
        "options": read_options(given),
    }


def search_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return what is said of leakage, utility, shape and withheld rows, as keywords."""
    return {
        "leakage": given["leakage"],
        "utility": utility_choice(given),
        "search": given["search"],
        "ties": given.get("ties", "order"),
        **shape_fields(given),
    }


def demand(given: dict[str, Any]) -> Demand:
    """Return what is asked of a release: requirements, and at most one cap."""
    found = Demand.of(given.get("require") or None)
    counted = {name: given.get(name) for name in ("distinct_l", "separated_l", "row_k")}
    for name, number in counted.items():
        if number is not None:
            if not 1 <= number < inf or number != int(number):
                raise OptionError(f"{mention(name)} needs a whole number from 1 on, not {number:g}")
            found = found.with_requirements((Requirement(name.replace("_", "-"), int(number)),))
    for kind in ("max_leakage", "largest_cluster", "max_distortion", "utility_weight"):
        number = given.get(kind)
        if number is not None:
            found = found.with_target(Target(kind, number))
    return found


def files_by_column(given: Iterable[str], name: str, example: str) -> dict[str, str]:
    """Return the file of each column that was named as COL=FILE."""
    return dict(_pair(text, name, example) for text in given)


def shape_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of clusters and the rows to withhold, as keywords."""
    return {
        "shape": given["shape"],
        "borders": _borders(given["borders"]),
        "withhold": given["withhold"],
        "transparent": given["transparent"],
        "transparent_knows": given["transparent_knows"],
        "withheld_label": given["withheld_label"],
        "order": dict(_pair(text, "order", "education=order.txt") for text in given["order"]),
        "hierarchy": dict(_pair(text, "hierarchy", "country=regions.csv") for text in given["hierarchy"]),
        "prefix": given["prefix"],
        "dissimilarity": dict(
            _pair(text, "dissimilarity", "job=unlike.csv") for text in given["dissimilarity"]
        ),
        "weight": dict(map(_weight, given["weight"])),
        "objective": given["objective"],
    }


def _borders(given: tuple[str, ...]) -> float | str | dict[str, float | str] | None:
    """Take borders of one column as they are, borders of several by column."""
    by_column: dict[str, float | str] = {}
    plain: list[float | str] = []
    for text in given:
        name, separator, step = text.rpartition("=")
        if separator and name in by_column:
            raise OptionError(f"{mention('borders')} of {name!r} are given twice; give them once")
        if separator:
            by_column[name] = _number_or_text(step)
        else:
            plain.append(_number_or_text(text))
    if len(plain) > 1 or (plain and by_column):
        raise OptionError(
            f"name the column of each {mention('borders')}, as in {mention('borders', 'age=5')}"
        )
    return by_column or (plain[0] if plain else None)


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _weight(text: str) -> tuple[str, float]:
    name, number = _pair(text, "weight", "age=2")
    try:
        return name, float(number)
    except ValueError:
        raise OptionError(f"cannot read {mention('weight')} {text!r}; write it as age=2") from None


def closeness_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return tolerances and groups of sensitive columns, as keywords."""
    return {
        "tolerance": _by_column(given["tolerance"], "tolerance", "age=4"),
        "groups": _by_column(given["groups"], "groups", "diagnosis=groups.csv"),
    }


def _by_column(texts: Iterable[str], what: str, example: str) -> dict[str, str]:
    """Return what is given for each column; raise where one is named twice."""
    found: dict[str, str] = {}
    for name, value in (_pair(text, what, example) for text in texts):
        if name in found:
            raise OptionError(f"{mention(what)} of {name!r} is given twice; say it once")
        found[name] = value
    return found


def _pair(text: str, what: str, example: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip() or not value.strip():
        raise OptionError(f"cannot read {mention(what)} {text!r}; write it as {example}")
    return name.strip(), value.strip()


def read_options(given: dict[str, Any]) -> ReadOptions:
    """Say how the table is to be read."""
    return ReadOptions(
        text=given["text"],
        number=given["number"],
        encoding=given["encoding"],
        delimiter=given["delimiter"],
        decimal=given["decimal"],
        dates=given["dates"],
        missing_words=given["missing_words"],
        sheet=given["sheet"],
        query=given["query"],
        memory_limit=given["memory_limit"],
    )


def reading_words(given: dict[str, Any]) -> list[str]:
    """Return what was said about reading, to be said again in a call that is suggested."""
    usual = {"encoding": "utf-8", "decimal": ".", "missing": "value"}
    said: list[str] = []
    for name in ("delimiter", "decimal", "encoding", "sheet", "query", "missing"):
        if given.get(name) not in (None, usual.get(name)):
            said += [f"--{name}", given[name]]
    for name in ("dates", "missing_words", "text", "number"):
        for word in given.get(name, ()):
            said += ["--missing-word" if name == "missing_words" else f"--{name}", word]
    return said


def utility_choice(given: dict[str, Any]) -> UtilityChoice:
    """Say what was asked about utility."""
    return UtilityChoice(
        name=given["utility"],
        codeword=given["codeword"],
        combination=given["combine"],
        scales=dict(map(_scale, given["scales"])),
    )


def _scale(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        scale = float(number)
    except ValueError:
        scale = 0.0
    if not name or not 0 < scale < inf:
        raise OptionError(f"cannot read the scale {text!r}; write a column and a number above 0, as age=10")
    return name, scale
