"""What the page asks for, read strictly: nothing of it is a path, and nothing unknown gets further."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, get_args

from hartley.errors import OptionError, quoted
from hartley.model.words import Codeword, Leakage, SearchName
from hartley.tables import ReadOptions
from hartley.tables.read_options import AS_IT_IS
from hartley.web.column_form import ColumnForm
from hartley.web.demand_form import DemandForm
from hartley.workflow.request.utility_choice import UtilityChoice, UtilityName

Json = dict[str, Any]
ROLES = ("sensitive", "public", "side", "keep", "harmless")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Roles and choices for an audit, a search and a release."""

    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    side: tuple[str, ...]
    keep: tuple[str, ...]
    """Published unchanged; the frontier is of a reader who sees them."""
    harmless: tuple[str, ...]
    """Published unchanged and left out of the target, on the curator's word."""
    publish_sensitive: bool
    keep_order: bool
    defuse_formulas: bool
    """Whether a quote is put before cells that a spreadsheet would run."""
    missing: Literal["value", "drop"]
    missing_at: float | None
    earlier: tuple[str, ...]
    """Our words for the policies of earlier releases that were sent."""
    leakage: Leakage
    utility: UtilityName | None
    codeword: Codeword | None
    search: SearchName
    time_limit: float | None
    demand: DemandForm
    """What every released value must keep, and how values may be merged."""
    said: ColumnForm
    """What is said about people, readers and single columns."""

    @classmethod
    def of(cls, asked: Json) -> Asked:
        """Read a request; refuse in one line what makes no sense."""
        given = cls(
            **{role: texts(asked, role, "roles are lists of column names") for role in ROLES},
            publish_sensitive=_flag(asked, "publish_sensitive"),
            keep_order=_flag(asked, "keep_order"),
            defuse_formulas=_flag(asked, "defuse_formulas"),
            missing=_one_of(asked, "missing", ("value", "drop")) or "value",
            missing_at=number(asked, "missing_at"),
            earlier=texts(asked, "earlier", "earlier releases are named by the words for them"),
            leakage=_one_of(asked, "leakage", get_args(Leakage)) or "l0",
            utility=_one_of(asked, "utility", get_args(UtilityName)),
            codeword=_one_of(asked, "codeword", get_args(Codeword)),
            search=_one_of(asked, "search", get_args(SearchName)) or "optimal",
            time_limit=number(asked, "time_limit"),
            demand=DemandForm.of(asked, texts(asked, "sensitive", "roles are lists of column names")),
            said=ColumnForm.of(asked),
        )
        # As a release would, but before anything is searched.
        published = (*given.public, *given.keep, *given.harmless)
        twice = [name for name in dict.fromkeys(published) if published.count(name) > 1]
        twice += [name for name in given.sensitive if name in (*given.keep, *given.harmless)]
        if twice:
            raise OptionError(f"column {quoted(twice)} has two roles; give it one")
        return given

    @property
    def utility_choice(self) -> UtilityChoice:
        """What was asked about utility."""
        return UtilityChoice(name=self.utility, codeword=self.codeword)

    @property
    def search_fields(self) -> Json:
        """What is said about shape, withheld rows and single columns, as keywords of a search."""
        fields = {**self.said.search_fields, **self.demand.shape_fields}
        if self.said.borders and self.demand.shape in ("intervals", "columns"):
            fields["borders"] = self.own_borders
        return fields

    @property
    def own_borders(self) -> dict[str, str] | str:
        """The borders that are listed, of a single public column without its name."""
        return self.said.borders if len(self.public) > 1 else next(iter(self.said.borders.values()))

    @property
    def table_fields(self) -> Json:
        """What is said of the table and its roles, as fields of a study; what is of each column names it."""
        return {
            **{name: getattr(self, name) for name in ("sensitive", "public", "side", "keep")},
            "jointly": len(self.sensitive) > 1,
            "missing": self.missing,
            "missing_at": self.missing_at,
            "tolerance": self.demand.tolerance,
        }

    def typed_search(self) -> Json:
        """Return what asks for the same frontier on the command line, by the names of its options."""
        named = ("sensitive", "public", "side", "keep", "leakage", "utility", "codeword", "search", "missing")
        return {
            **{name: getattr(self, name) for name in (*named, "missing_at", "time_limit")},
            "require": [one.text for one in self.demand.requirements],
            "tolerance": self.demand.tolerance,
            **self.search_fields,
            "shape": None if self.demand.shape == "any" else self.demand.shape,
            **self.said.typed_columns,
        }


def typed_reading(options: ReadOptions) -> Json:
    """Return what reads a table in the same way on the command line, by the names of its options."""
    return {name: value for name, value in vars(options).items() if value != getattr(AS_IT_IS, name)}


def reading(asked: Json) -> ReadOptions:
    """Say how a table is to be read: its encoding, what separates cells, its sheet, columns taken as text."""
    given = asked.get("reading") or {}
    if not isinstance(given, dict):
        raise OptionError("how to read a table is given as names and values")
    return ReadOptions(
        encoding=_text(given, "encoding") or "utf-8",
        delimiter=_text(given, "delimiter"),
        decimal=_text(given, "decimal") or ".",
        missing_words=_words(given),
        sheet=_text(given, "sheet"),
        text=texts(given, "text", "columns to read as text are a list of names"),
    )


def _words(given: Json) -> tuple[str, ...]:
    """Take the words for a missing cell: a list, or one text with commas or semicolons between them.

    Where the table has decimal commas, a comma between digits is one of those.
    """
    said = given.get("missing_words")
    if isinstance(said, str):
        commas = r",(?!\d)|(?<!\d)," if given.get("decimal") == "," else ","
        return tuple(word.strip() for word in re.split(f";|{commas}", said) if word.strip())
    return texts(given, "missing_words", "words for a missing cell are a list of texts")


def texts(asked: Json, name: str, otherwise: str) -> tuple[str, ...]:
    """Take a list of texts."""
    given = asked.get(name) or []
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise OptionError(otherwise)
    return tuple(given)


def number(asked: Json, name: str) -> float | None:
    """Take a finite number, or none."""
    given = asked.get(name)
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not isfinite(given):
        raise OptionError(f"{name.replace('_', ' ')} needs a number")
    return float(given)


def _text(asked: Json, name: str) -> str | None:
    given = asked.get(name) or None
    if given is not None and not isinstance(given, str):
        raise OptionError(f"{name} needs a text")
    return given


def _flag(asked: Json, name: str) -> bool:
    given = asked.get(name, False)
    if not isinstance(given, bool):
        raise OptionError(f"{name.replace('_', ' ')} is yes or no")
    return given


def _one_of(asked: Json, name: str, choices: tuple[str, ...]) -> Any:
    given = asked.get(name) or None
    if given is not None and given not in choices:
        raise OptionError.unknown(name, given, choices)
    return given
