"""What every released value must keep: ``distinct-l=5``, ``separated-l:age=3``, ``row-k=10``; or bits.

The first three stay true when a cluster grows (they are *monotone*), which is what the searches rely on. The
limits on bits, ``l0`` and ``istar``, are about the release as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from hartley.errors import ColumnError, OptionError, quoted
from hartley.model.closeness import NO_CLOSENESS, Closeness, plain_number
from hartley.model.target import LARGEST, MOST_ASKED_BITS
from hartley.model.words import SLACK

COUNTS = ("distinct-l", "separated-l")
"""Requirements that count sensitive values, and so may be of one column."""
NAMES = ("distinct-l", "separated-l", "row-k", "l0", "istar")
IN_BITS = ("l0", "istar")

NUMERALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
NOUNS = {"age": ("ages", "years")}
"""How the values of a column are called, and their unit, where everybody knows."""


@dataclass(frozen=True)
class Requirement:
    """One thing that every released value must keep.

    >>> Requirement.parse("distinct-l:age=5")
    Requirement(name='distinct-l', wanted=5, column='age')
    >>> Requirement.parse("distinctl=5")
    Traceback (most recent call last):
    hartley.errors.OptionError: unknown requirement 'distinctl'; did you mean 'distinct-l'?
    """

    name: str
    wanted: float
    column: str | None = None
    """The sensitive column that is counted by itself; ``None`` for the joint value of all of them."""

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            near = get_close_matches(self.name, NAMES, n=1)
            if near:
                raise OptionError(f"unknown requirement {self.name!r}; did you mean {near[0]!r}?")
            raise OptionError.unknown("requirement", self.name, NAMES)
        if self.column is not None and self.name not in COUNTS:
            raise OptionError(f"the requirement {self.name} is of the whole release and takes no column")
        object.__setattr__(self, "wanted", _wanted(self.name, self.wanted))

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read ``name=number`` or ``name:column=number``."""
        _require_text(text)
        target, separator, number = text.rpartition("=")
        name, colon, column = target.partition(":")
        if not separator or (colon and not column.strip()):
            raise OptionError(
                f"cannot read the requirement {text!r}; write one of "
                "distinct-l=5, separated-l=3, row-k=5, distinct-l:COLUMN=5, l0=2.5 (bits), istar=0 (bits)"
            )
        return cls(name.strip(), _number(name.strip(), number), column.strip() if colon else None)

    @classmethod
    def of_mapping(cls, wanted: Mapping[str, float]) -> tuple[Requirement, ...]:
        """Read ``{"distinct_l": 5, "separated_l:age": 3}``.

        >>> [requirement.text for requirement in Requirement.of_mapping({"distinct_l": 5, "row_k": 10})]
        ['distinct-l=5', 'row-k=10']
        """
        found = []
        for key, number in wanted.items():
            _require_text(key)
            name, colon, column = key.partition(":")
            found.append(cls(name.strip().replace("_", "-"), number, column.strip() if colon else None))
        return require_consistent(found)

    @property
    def is_monotone(self) -> bool:
        """Whether it stays true when a cluster grows, and can be told from each cluster by itself."""
        return self.name not in IN_BITS

    @property
    def text(self) -> str:
        """The requirement as it is typed."""
        return f"{self.label}={self.wanted:g}"

    @property
    def label(self) -> str:
        """What is counted, as it is typed: the name, and the column where there is one."""
        return self.name if self.column is None else f"{self.name}:{self.column}"

    def is_met_by(self, found: float) -> bool:
        """Tell whether what was found meets what is wanted."""
        return found >= self.wanted if self.is_monotone else found <= self.wanted + SLACK

    def verdict(self, found: float) -> Verdict:
        """Hold the requirement against what was found."""
        return Verdict(self.name, self.wanted, found, self.is_met_by(found), self.column)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"name": self.name, "column": self.column, "wanted": self.wanted}

    def sentence(self, sensitive: Sequence[str], closeness: Closeness = NO_CLOSENESS) -> str:
        """Say it in plain words, to follow "every released value leaves possible" or the like.

        >>> closeness = Closeness.of({"age": 4})
        >>> Requirement("separated-l", 3).sentence(["age"], closeness)
        'at least three ages more than 4 years apart'
        >>> Requirement("distinct-l", 5).sentence(["age", "income"])
        'at least five different combinations of age and income'
        >>> Requirement("distinct-l", 1).sentence(["age"])
        'at least one age'
        """
        columns = list(sensitive) if self.column is None else [self.column]
        if self.name == "row-k":
            return f"at least {_counted(self.wanted, 'row', 'rows')}"
        if self.name in IN_BITS:
            certain = " for certain" if self.name == "istar" else " from any one released value"
            bits = "bit" if self.wanted == 1 else "bits"
            return f"at most {self.wanted:g} {bits} about {_listed(columns)}{certain}"
        if self.wanted == 1:
            return f"at least one {_value(columns)}"
        if self.name == "distinct-l":
            return f"at least {_numeral(self.wanted)} different {_values(columns)}"
        return f"at least {_numeral(self.wanted)} {_apart(columns, closeness)}"


@dataclass(frozen=True)
class Verdict:
    """Whether a requirement holds, and what was found."""

    name: str
    wanted: float
    found: float
    holds: bool
    column: str | None = None

    @property
    def requirement(self) -> Requirement:
        """What was asked."""
        return Requirement(self.name, self.wanted, self.column)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "name": self.name,
            "column": self.column,
            "wanted": self.wanted,
            "found": self.found,
            "holds": self.holds,
        }


def require_consistent(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return the requirements; raise where one is given twice, or twice with different numbers.

    >>> require_consistent([Requirement("row-k", 5), Requirement("row-k", 7)])
    Traceback (most recent call last):
    hartley.errors.OptionError: row-k is required twice, with 5 and with 7; say it once
    """
    given = tuple(requirements)
    seen: dict[tuple[str, str | None], Requirement] = {}
    for requirement in given:
        key = requirement.name, requirement.column
        if key in seen:
            of = "" if requirement.column is None else f" of {requirement.column!r}"
            first, second = seen[key].wanted, requirement.wanted
            numbers = "" if first == second else f", with {first:g} and with {second:g}"
            raise OptionError(f"{requirement.name}{of} is required twice{numbers}; say it once")
        seen[key] = requirement
    return given


def require_fitting(
    requirements: Iterable[Requirement], sensitive: Sequence[str], closeness: Closeness = NO_CLOSENESS
) -> None:
    """Raise where a requirement is of a column that is not sensitive, or lacks its tolerance."""
    for requirement in requirements:
        column = requirement.column
        if column is not None and column not in sensitive:
            raise ColumnError(
                f"the requirement {requirement.name} is of {column!r}, which is not sensitive; the sensitive "
                f"columns are {quoted(list(sensitive), last=' and ')}"
            )
        if requirement.name == "separated-l" and not closeness.is_about(column):
            of = "" if column is None else f" for {column!r}"
            raise OptionError(
                f"separated-l needs a tolerance or groups{of}; without them use distinct-l, which counts "
                "different values"
            )


def of_each_column(
    requirements: Iterable[Requirement], sensitive: Sequence[str], closeness: Closeness = NO_CLOSENESS
) -> tuple[Requirement, ...]:
    """Return the requirements with every count of the joint value replaced by one count of each column.

    A count under a tolerance is of the columns that have a tolerance or groups.

    >>> [r.text for r in of_each_column([Requirement("distinct-l", 5)], ["age", "income"])]
    ['distinct-l:age=5', 'distinct-l:income=5']
    """
    found: list[Requirement] = []
    for requirement in requirements:
        if requirement.name not in COUNTS or requirement.column is not None:
            found.append(requirement)
            continue
        is_close = requirement.name == "separated-l"
        # Where no column has a tolerance the requirement stays, to be refused.
        found += [
            replace(requirement, column=name)
            for name in sensitive
            if not is_close or closeness.is_about(name)
        ] or [requirement]
    return require_consistent(found)


def _require_text(given: object) -> None:
    if not isinstance(given, str):
        raise OptionError(f"a requirement is a text such as 'distinct-l=5', not {type(given).__name__}")


def _number(name: str, text: str) -> float:
    try:
        return float(text) if name in IN_BITS else int(text)
    except ValueError:
        kind = "a number of bits" if name in IN_BITS else "a whole number"
        raise OptionError(f"the requirement {name} needs {kind}, not {text!r}") from None


def _wanted(name: str, given: Any) -> float:
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    if isinstance(given, int) and abs(given) > LARGEST:
        raise OptionError(f"the requirement {name} needs a number up to 2^62")
    if name not in IN_BITS and not (is_number and float(given).is_integer()):
        raise OptionError(f"the requirement {name} needs a whole number, not {given!r}")
    if name not in IN_BITS and given < 1:
        raise OptionError(f"the requirement {name} needs a whole number from 1 on, not {given!r}")
    if not is_number or not 0 <= given < float("inf"):
        raise OptionError(f"the requirement {name} needs a number from 0 on, not {given!r}")
    if name in IN_BITS and given > MOST_ASKED_BITS:
        raise OptionError(f"the requirement {name} needs at most {MOST_ASKED_BITS} bits; no table leaks more")
    return float(given) if name in IN_BITS else int(given)


def _numeral(number: float) -> str:
    return NUMERALS[int(number)] if 0 < number < len(NUMERALS) else f"{number:g}"


def _counted(number: float, one: str, many: str) -> str:
    return f"{_numeral(number)} {one if number == 1 else many}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _values(columns: Sequence[str]) -> str:
    if len(columns) > 1:
        return f"combinations of {_listed(columns)}"
    return NOUNS[columns[0]][0] if columns[0] in NOUNS else f"values of {columns[0]}"


def _value(columns: Sequence[str]) -> str:
    if len(columns) > 1:
        return f"combination of {_listed(columns)}"
    return columns[0] if columns[0] in NOUNS else f"value of {columns[0]}"


def _apart(columns: Sequence[str], closeness: Closeness) -> str:
    by_groups = [name for name, _ in closeness.groups if name in columns]
    if len(columns) == 1 and by_groups:
        return f"groups of {columns[0]}"
    differences = []
    for name in columns:
        limit = closeness.tolerance_of(name)
        if limit is None:
            differences.append(f"in {'the group of ' if name in by_groups else ''}{name}")
            continue
        unit = f" {NOUNS[name][1]}" if name in NOUNS else ""
        shown = f"more than {plain_number(limit):g}{unit}"
        if len(columns) == 1:
            return f"{_values(columns)} {shown} apart"
        differences.insert(0, f"by {shown} in {name}")
    return f"{_values(columns)} that differ {' or '.join(differences)}"
