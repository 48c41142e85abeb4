"""What was given for options that several commands share, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from math import inf
from typing import Any

from hartley.errors import OptionError
from hartley.errors import option as mention
from hartley.model.demand import Demand, Target
from hartley.model.requirement import Requirement
from hartley.tables import ReadOptions
from hartley.workflow.request.declared_options import typed_options
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable
from hartley.workflow.request.utility_choice import UtilityChoice

EXAMPLES = {
    "order": "education=order.txt",
    "hierarchy": "country=regions.csv",
    "dissimilarity": "job=unlike.csv",
    "weight": "age=2",
    "tolerance": "age=4",
    "groups": "diagnosis=groups.csv",
}
"""Options that are given for each column, as they are typed."""


def fields_of(given: dict[str, Any], *kinds: type) -> dict[str, Any]:
    """Return what was typed for the fields of some values, by their names."""
    names = {one.name for kind in kinds for one in fields(kind)}
    return {name: _read(name, value) for name, value in given.items() if name in names}


def _read(name: str, value: Any) -> Any:
    if name == "borders":
        return _borders(value)
    if name not in EXAMPLES:
        return value
    found = _by_column(value, name, EXAMPLES[name])
    return {column: _weight(text, column) for column, text in found.items()} if name == "weight" else found


def study_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return what is said of the table and its roles, as the fields of a study."""
    return {**fields_of(given, StudyTable), "options": read_options(given)}


def search_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return what is said of leakage, utility, shape and withheld rows, as keywords."""
    return {**fields_of(given, Objective), "utility": utility_choice(given)}


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


def hierarchy_files(given: dict[str, Any]) -> dict[str, str]:
    """Return the file of the hierarchy of each column that was named as COL=FILE."""
    return dict(_pair(text, "hierarchy", "city=city.csv") for text in given["hierarchies"])


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


def _weight(number: str, column: str) -> float:
    try:
        return float(number)
    except ValueError:
        text = f"{column}={number}"
        raise OptionError(f"cannot read {mention('weight')} {text!r}; write it as age=2") from None


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
    return ReadOptions(**fields_of(given, ReadOptions))


def reading_words(given: dict[str, Any]) -> list[str]:
    """Return what was said about reading, to be said again in a call that is suggested."""
    read = ("delimiter", "decimal", "encoding", "sheet", "query", "missing")
    several = ("dates", "missing_words", "text", "number")
    usual = {"encoding": "utf-8", "decimal": ".", "missing": "value"}
    said = {name: given.get(name) for name in (*read, *several)}
    return typed_options({name: value for name, value in said.items() if value != usual.get(name)})


def asked_words(given: dict[str, Any]) -> list[str]:
    """Return what was asked of protection, to be said again in a call that is suggested."""
    asked = ("require", "jointly", "tolerance", "groups", "earlier", "hierarchies")
    return typed_options({name: given.get(name) for name in asked})


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
