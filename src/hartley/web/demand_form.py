"""The form of what every released value must keep, and of how values may be merged, read strictly.

Beside it: how the page calls the options that messages speak of.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hartley.errors import HartleyError, OptionError, option
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement, of_each_column
from hartley.workflow.request.declared_options import declared_option

Json = dict[str, Any]
NAMES = ("distinct-l", "separated-l", "row-k")
SHAPES = ("any", "intervals", "columns", "tree")
MOST_WITHHELD = 10
"""Percent of the rows; beyond that the page does not go."""


@dataclass(frozen=True, kw_only=True)
class DemandForm:
    """Requirements, tolerances, the shape of classes and the share of rows to withhold."""

    requirements: tuple[Requirement, ...] = ()
    tolerance: dict[str, float] = field(default_factory=dict)
    shape: str = "any"
    borders: float | str | None = None
    withhold: float = 0.0
    """Percent of the rows."""
    withheld_label: str | None = None
    """What stands in a withheld cell; ``None``: it is empty."""

    @classmethod
    def of(cls, asked: Json, sensitive: tuple[str, ...]) -> DemandForm:
        """Read the form; refuse in one line what makes no sense."""
        shape = asked.get("shape") or "any"
        if shape not in SHAPES:
            raise OptionError.unknown("shape", shape, SHAPES)
        is_shaped = shape == "intervals"
        withhold = _number(asked.get("withhold", 0), "withhold")
        if not 0 <= withhold <= MOST_WITHHELD:
            raise OptionError(f"{option('withhold')} goes from 0 to {MOST_WITHHELD} percent of the rows")
        return cls(
            requirements=_requirements(asked.get("require") or [], sensitive),
            tolerance=_tolerance(asked.get("tolerance") or {}, sensitive),
            shape=shape,
            borders=_borders(asked.get("borders")) if is_shaped else None,
            withhold=withhold,
            withheld_label=_label(asked.get("withheld_label")) if withhold else None,
        )

    @property
    def shape_fields(self) -> Json:
        """The shape of classes and the rows to withhold, as keywords of a search."""
        return {
            "shape": self.shape,
            "borders": self.borders,
            "withhold": f"{self.withhold:g}%" if self.withhold else None,
            "withheld_label": self.withheld_label,
        }


def in_words(message: str, asked: Json) -> str:
    """Return a message with the requirements of a request said in plain words.

    >>> in_words("no release can meet row-k=400", {"require": [{"name": "row-k", "wanted": 400}]})
    'no release can meet “at least 400 rows”'
    """
    sensitive = asked.get("sensitive")
    named = tuple(one for one in sensitive if isinstance(one, str)) if isinstance(sensitive, list) else ()
    try:
        form = DemandForm.of(asked, named)
        closeness = Closeness.of(form.tolerance)
        for one in form.requirements:
            message = message.replace(one.text, f"“{one.sentence(named or ('value',), closeness)}”")
    except HartleyError:
        return message
    return message


def _requirements(given: Any, sensitive: tuple[str, ...]) -> tuple[Requirement, ...]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise OptionError("requirements are a list of what every released value must keep")
    found: list[Requirement] = []
    for one in given:
        name, column = one.get("name"), one.get("column")
        if name not in NAMES:
            raise OptionError.unknown("requirement", str(name), NAMES)
        if column is not None and not isinstance(column, str):
            raise OptionError("a requirement is of a column by its name")
        wanted = _number(one.get("wanted"), "require")
        if wanted != int(wanted) or wanted < 1:
            raise OptionError("a requirement needs a whole number from 1 on")
        # Of a single sensitive column and of the value as a whole is the same; it is said once.
        of_one = column if len(sensitive) > 1 or column not in sensitive else None
        requirement = Requirement(name, int(wanted), of_one)
        found += (
            of_each_column([requirement], sensitive)
            if _is_of_each(one, requirement, sensitive)
            else [requirement]
        )
    return tuple(found)


def _is_of_each(one: dict[str, Any], requirement: Requirement, sensitive: tuple[str, ...]) -> bool:
    """Tell whether a requirement is of each column by itself, as it is unless something else is said."""
    is_said = one.get("each")
    return is_said is True or (is_said is None and requirement.column is None and len(sensitive) > 1)


def _tolerance(given: Any, sensitive: tuple[str, ...]) -> dict[str, float]:
    if not isinstance(given, dict):
        raise OptionError("tolerances are given as columns and numbers")
    strange = [name for name in given if name not in sensitive]
    if strange:
        raise OptionError(f"{option('tolerance')} is of a protected column, and {strange[0]!r} is none")
    return {name: _number(limit, "tolerance") for name, limit in given.items()}


def _borders(given: Any) -> float | str | None:
    if given is None or given == "":
        return None
    return given if isinstance(given, str) else _number(given, "borders")


def _label(given: Any) -> str | None:
    if given is not None and not isinstance(given, str):
        raise OptionError(f"{option('withheld_label')} needs a text")
    return given or None


def _number(given: Any, name: str) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not abs(given) < 2**53:
        raise OptionError(f"{option(name)} needs a number")
    return float(given)


def as_label(name: str, value: str | None) -> str:
    """Return an option in the words of the page.

    >>> as_label("time_limit", None), as_label("utility", "resolution")
    ('“Stop after”', '“number of values kept apart” for “What to keep”')
    """
    found = declared_option(name)
    label = found.app if found is not None and found.app else f"“{name.replace('_', ' ')}”"
    if value is None:
        return label
    return f"“{value if found is None else found.app_values.get(value, value)}” for {label}"
