"""The form of what is said about people and single columns, read strictly.

Whose row it is, identifiers that are published all the same, who will read the release, and for each public
column its weight, borders of its own, and for text an order or groups.
"""

from __future__ import annotations

from csv import reader
from dataclasses import dataclass, field
from typing import Any

from hartley.errors import OptionError, option

Json = dict[str, Any]
LIKE_INPUT = ("yes", "bom", "no")


@dataclass(frozen=True, kw_only=True)
class ColumnForm:
    """What is said about people, readers and single columns."""

    person: str | None = None
    accept_identifier: tuple[str, ...] = ()
    is_transparent: bool = False
    """Whether the release must hold for a reader who knows how hartley works."""
    like_input: str = "yes"
    """How a CSV file is written: as the table was, the same for Excel, or plainly."""
    weight: dict[str, float] = field(default_factory=dict)
    borders: dict[str, str] = field(default_factory=dict)
    order: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hierarchy: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, asked: Json) -> ColumnForm:
        """Read the form; refuse in one line what makes no sense."""
        person, identifiers = asked.get("person") or None, asked.get("accept_identifier") or []
        if person is not None and not isinstance(person, str):
            raise OptionError(f"{option('person')} needs the name of a column")
        if not isinstance(identifiers, list) or not all(isinstance(one, str) for one in identifiers):
            raise OptionError(f"{option('accept_identifier')} needs names of columns")
        like_input = asked.get("like_input") or "yes"
        if like_input not in LIKE_INPUT:
            raise OptionError.unknown("way to write as the input was", str(like_input), LIKE_INPUT)
        if not isinstance(asked.get("transparent", False), bool):
            raise OptionError(f"{option('transparent')} is yes or no")
        return cls(
            person=person,
            accept_identifier=tuple(identifiers),
            is_transparent=asked.get("transparent", False),
            like_input=like_input,
            weight={name: _weight(name, one) for name, one in _by_column(asked, "weight").items()},
            borders={name: _text(one, "borders") for name, one in _by_column(asked, "own_borders").items()},
            order={
                name: tuple(line.strip() for line in _text(one, "order").splitlines() if line.strip())
                for name, one in _by_column(asked, "order").items()
            },
            hierarchy={
                name: _groups(_text(one, "hierarchy"), name)
                for name, one in _by_column(asked, "hierarchy").items()
            },
        )

    @property
    def study_fields(self) -> Json:
        """What a study takes of it."""
        return {} if self.person is None else {"person": self.person}

    @property
    def search_fields(self) -> Json:
        """What a search takes of it, borders aside."""
        return {name: getattr(self, name) for name in ("weight", "order", "hierarchy") if getattr(self, name)}

    @property
    def release_fields(self) -> Json:
        """What a release takes of it, borders aside."""
        return {
            **self.search_fields,
            **({"transparent": "retry"} if self.is_transparent else {}),
            "accept_identifier": self.accept_identifier,
            "like_input": self.like_input,
        }

    @property
    def typed_columns(self) -> Json:
        """What is said of columns as the command line takes it: orders and groups as files named by them."""
        files = {
            word: {name: f"{word}-{name}.csv" for name in given}
            for word, given in (("order", self.order), ("hierarchy", self.hierarchy))
        }
        return {"weight": self.weight, **files}

    @property
    def typed_release(self) -> Json:
        """Everything that a release is told, as the command line takes it."""
        return {
            "person": self.person,
            "accept_identifier": self.accept_identifier,
            **self.typed_columns,
            "borders": self.borders,
            "transparent": "retry" if self.is_transparent else None,
            "like_input": None if self.like_input == "yes" else self.like_input,
        }


def _by_column(asked: Json, name: str) -> Json:
    given = asked.get(name) or {}
    if not isinstance(given, dict):
        raise OptionError(f"{name.replace('_', ' ')} is given by column")
    return {column: one for column, one in given.items() if one not in (None, "")}


def _weight(name: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < 2**53:
        raise OptionError(f"{option('weight')} of {name!r} must be a positive number")
    return float(given)


def _text(given: Any, name: str) -> str:
    if not isinstance(given, str):
        raise OptionError(f"{option(name)} needs a text")
    return "".join(given.split()) if name == "borders" else given


def _groups(text: str, column: str) -> tuple[tuple[str, ...], ...]:
    """Return lines of a value and its ever wider groups, separated by commas or semicolons, less a header."""
    lines = [line for line in text.splitlines() if line.strip()]
    mark = ";" if lines and ";" in lines[0] else ","
    rows = tuple(tuple(cell.strip() for cell in row) for row in reader(lines, delimiter=mark))
    return rows[1:] if rows and rows[0][0] in ("value", column) else rows
