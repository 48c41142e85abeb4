"""What the page asks for, read strictly: nothing of it is a path, and nothing unknown gets further.

Beside it: how the page calls the options that messages speak of.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from hartley.argument_kinds import require_field_kinds
from hartley.errors import HartleyError, OptionError, option, quoted
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement, of_each_column
from hartley.model.shapes.shape import ShapeName
from hartley.model.words import LIKE_INPUT, Codeword, Leakage, LikeInput, SearchName
from hartley.tables import ReadOptions
from hartley.tables.read_options import AS_IT_IS
from hartley.workflow.request.column_choices import ColumnChoices
from hartley.workflow.request.declared_options import declared_option
from hartley.workflow.request.utility_choice import UtilityChoice, UtilityName

Json = dict[str, Any]
REQUIRED = ("distinct-l", "separated-l", "row-k")
MOST_WITHHELD = 10
"""Percent of the rows; beyond that the page does not go."""
MOST = 2**53
"""Greater numbers are not exact in a browser."""
CHOICES: dict[str, tuple[str, ...]] = {
    "missing": ("value", "drop"),
    "leakage": get_args(Leakage),
    "utility": get_args(UtilityName),
    "codeword": get_args(Codeword),
    "search": get_args(SearchName),
    "shape": get_args(ShapeName),
    "like_input": LIKE_INPUT,
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Roles and choices for an audit, a search and a release, by the names of the options where there are."""

    sensitive: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    side: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    """Published unchanged; the frontier is of a reader who sees them."""
    harmless: tuple[str, ...] = ()
    """Published unchanged and left out of the target, on the curator's word."""
    publish_sensitive: bool = False
    keep_order: bool = False
    defuse_formulas: bool = False
    missing: Literal["value", "drop"] = "value"
    missing_at: float | None = None
    earlier: tuple[str, ...] = ()
    """Our words for the policies of earlier releases that were sent."""
    leakage: Leakage = "l0"
    utility: UtilityName | None = None
    codeword: Codeword | None = None
    search: SearchName = "optimal"
    time_limit: float | None = None
    require: tuple[Mapping[str, Any], ...] = ()
    tolerance: Mapping[str, float] = field(default_factory=dict)
    shape: ShapeName = "any"
    borders: float | str | None = None
    withhold: float = 0.0
    """Percent of the rows."""
    withheld_label: str | None = None
    person: str | None = None
    accept_identifier: tuple[str, ...] = ()
    transparent: bool = False
    """Whether the release must hold for a reader who knows how hartley works."""
    like_input: LikeInput = "yes"
    weight: Mapping[str, Any] = field(default_factory=dict)
    own_borders: Mapping[str, str] = field(default_factory=dict)
    """Borders that are listed for single columns."""
    order: Mapping[str, str] = field(default_factory=dict)
    """By column, its values one on each line."""
    hierarchy: Mapping[str, str] = field(default_factory=dict)
    """By column, lines of a value and its ever wider groups."""

    @classmethod
    def of(cls, asked: Json) -> Asked:
        """Read a request; refuse in one line what makes no sense."""
        said = {one.name: asked[one.name] for one in fields(cls) if _is_said(asked.get(one.name))}
        return cls(**{name: _read(given) for name, given in said.items()})

    def __post_init__(self) -> None:
        for one in fields(self):
            if one.default == () and isinstance(getattr(self, one.name), str):
                raise OptionError(f"{option(one.name)} must be a list, not a text")
        require_field_kinds(self)
        for name, known in CHOICES.items():
            given = getattr(self, name)
            if given is not None and given not in known:
                raise OptionError.unknown(name.replace("_", " "), given, known)
        if not 0 <= self.withhold <= MOST_WITHHELD:
            raise OptionError(f"{option('withhold')} goes from 0 to {MOST_WITHHELD} percent of the rows")
        strange = [name for name in self.tolerance if name not in self.sensitive]
        if strange:
            raise OptionError(f"{option('tolerance')} is of a protected column, and {strange[0]!r} is none")
        ColumnChoices(weight=self.weight)
        if not self.withhold:
            object.__setattr__(self, "withheld_label", None)
        if self.shape != "intervals":
            object.__setattr__(self, "borders", None)
        _ = self.requirements
        # As a release would, but before anything is searched.
        published = (*self.public, *self.keep, *self.harmless)
        twice = [name for name in dict.fromkeys(published) if published.count(name) > 1]
        twice += [name for name in self.sensitive if name in (*self.keep, *self.harmless)]
        if twice:
            raise OptionError(f"column {quoted(twice)} has two roles; give it one")

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What every released value must keep; of each column by itself unless something else is said."""
        found: list[Requirement] = []
        for one in self.require:
            name, column, each = one.get("name"), one.get("column"), one.get("each")
            if name not in REQUIRED:
                raise OptionError.unknown("requirement", str(name), REQUIRED)
            if column is not None and not isinstance(column, str):
                raise OptionError("a requirement is of a column by its name")
            wanted = one.get("wanted")
            if isinstance(wanted, bool) or not isinstance(wanted, int | float) or not 1 <= wanted < MOST:
                raise OptionError(f"{option('require')} needs a whole number from 1 on")
            if wanted != int(wanted):
                raise OptionError("a requirement needs a whole number from 1 on")
            # Of a single sensitive column and of the value as a whole is the same; it is said once.
            of_one = column if len(self.sensitive) > 1 or column not in self.sensitive else None
            asked = Requirement(name, int(wanted), of_one)
            is_of_each = each is True or (each is None and of_one is None and len(self.sensitive) > 1)
            found += of_each_column([asked], self.sensitive) if is_of_each else [asked]
        return tuple(found)

    @property
    def utility_choice(self) -> UtilityChoice:
        """What was asked about utility."""
        return UtilityChoice(name=self.utility, codeword=self.codeword)

    @property
    def study_fields(self) -> Json:
        """What an audit or a release takes as fields of a study, besides those of a table."""
        return {} if self.person is None else {"person": self.person}

    @property
    def column_fields(self) -> Json:
        """What is said of single columns, borders aside, as keywords of a search."""
        order = {
            name: tuple(line.strip() for line in text.splitlines() if line.strip())
            for name, text in self.order.items()
        }
        groups = {name: _groups(text, name) for name, text in self.hierarchy.items()}
        said = {"weight": dict(self.weight), "order": order, "hierarchy": groups}
        return {name: given for name, given in said.items() if given}

    @property
    def search_fields(self) -> Json:
        """What is said about shape, withheld rows and single columns, as keywords of a search."""
        is_own = bool(self.own_borders) and self.shape in ("intervals", "columns")
        return {
            **self.column_fields,
            "shape": self.shape,
            "borders": self.listed_borders if is_own else self.borders,
            "withhold": f"{self.withhold:g}%" if self.withhold else None,
            "withheld_label": self.withheld_label,
        }

    @property
    def release_fields(self) -> Json:
        """What a release takes besides, borders aside."""
        return {
            **self.column_fields,
            **({"transparent": "retry"} if self.transparent else {}),
            "accept_identifier": self.accept_identifier,
            "like_input": self.like_input,
        }

    @property
    def listed_borders(self) -> Mapping[str, str] | str:
        """The borders that are listed, of a single public column without its name."""
        listed = {name: "".join(text.split()) for name, text in self.own_borders.items()}
        return listed if len(self.public) > 1 else next(iter(listed.values()))

    @property
    def table_fields(self) -> Json:
        """What is said of the table and its roles, as fields of a study; what is of each column names it."""
        named = ("sensitive", "public", "side", "keep", "missing", "missing_at", "tolerance")
        return {"jointly": len(self.sensitive) > 1, **{name: getattr(self, name) for name in named}}

    @property
    def typed_columns(self) -> Json:
        """What is said of columns as the command line takes it: orders and groups as files named by them."""
        files = {
            word: {name: f"{word}-{name}.csv" for name in getattr(self, word)}
            for word in ("order", "hierarchy")
        }
        return {"weight": self.weight, **files}

    @property
    def typed_release(self) -> Json:
        """Everything that a release is told, as the command line takes it."""
        return {
            "person": self.person,
            "accept_identifier": self.accept_identifier,
            **self.typed_columns,
            "borders": {name: "".join(text.split()) for name, text in self.own_borders.items()},
            "transparent": "retry" if self.transparent else None,
            "like_input": None if self.like_input == "yes" else self.like_input,
        }

    def typed_search(self) -> Json:
        """Return what asks for the same frontier on the command line, by the names of its options."""
        named = ("sensitive", "public", "side", "keep", "leakage", "utility", "codeword", "search", "missing")
        return {
            **{name: getattr(self, name) for name in (*named, "missing_at", "time_limit")},
            "require": [one.text for one in self.requirements],
            "tolerance": self.tolerance,
            **self.search_fields,
            "shape": None if self.shape == "any" else self.shape,
            **self.typed_columns,
        }


def _is_said(given: Any) -> bool:
    """Tell whether a field of a form is filled in."""
    return given not in (None, "", [], {})


def _read(given: Any) -> Any:
    """Return what stands in a field: lists as tuples, of columns those that are filled in, no odd number."""
    if isinstance(given, dict):
        return {name: _read(one) for name, one in given.items() if _is_said(one)}
    if isinstance(given, float) and not abs(given) < MOST:
        raise OptionError("a number of the request is none, or too great")
    return tuple(map(_read, given)) if isinstance(given, list) else given


def _groups(text: str, column: str) -> tuple[tuple[str, ...], ...]:
    """Return lines of a value and its ever wider groups, separated by commas or semicolons, less a header."""
    lines = [line for line in text.splitlines() if line.strip()]
    mark = ";" if lines and ";" in lines[0] else ","
    rows = tuple(tuple(cell.strip() for cell in row) for row in csv.reader(lines, delimiter=mark))
    return rows[1:] if rows and rows[0][0] in ("value", column) else rows


def typed_reading(options: ReadOptions) -> Json:
    """Return what reads a table in the same way on the command line, by the names of its options."""
    return {name: value for name, value in vars(options).items() if value != getattr(AS_IT_IS, name)}


READING = ("encoding", "delimiter", "decimal", "missing_words", "sheet", "text")
"""What the page may say about how a table is read."""


def reading(asked: Json) -> ReadOptions:
    """Say how a table is to be read."""
    given = asked.get("reading") or {}
    if not isinstance(given, dict):
        raise OptionError("how to read a table is given as names and values")
    said = {name: _read(given[name]) for name in READING if _is_said(given.get(name))}
    words = said.get("missing_words")
    if isinstance(words, str):
        # One text; where the table has decimal commas, a comma between digits is one of those.
        commas = r",(?!\d)|(?<!\d)," if said.get("decimal") == "," else ","
        said["missing_words"] = tuple(word.strip() for word in re.split(f";|{commas}", words) if word.strip())
    return ReadOptions(**said)


def in_words(message: str, asked: Json) -> str:
    """Return a message with the requirements of a request said in plain words.

    >>> in_words("no release can meet row-k=400", {"require": [{"name": "row-k", "wanted": 400}]})
    'no release can meet “at least 400 rows”'
    """
    try:
        given = Asked.of({name: asked.get(name) for name in ("sensitive", "require", "tolerance")})
        closeness = Closeness.of(given.tolerance)
        for one in given.requirements:
            message = message.replace(one.text, f"“{one.sentence(given.sensitive or ('value',), closeness)}”")
    except HartleyError:
        return message
    return message


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
