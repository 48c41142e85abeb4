"""One thing that every released class must keep, and whether it does.

A requirement that stays true when a class grows is *monotone* (Theorem M1), which most searches rely on.
Limits on bits are of the release as a whole. The others are of each class as it is published and may be
broken by a class that grows; only trees of cuts keep them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, ClassVar

from hartley.errors import ColumnError, OptionError, option, quoted
from hartley.model.alphabet import Alphabet
from hartley.model.closeness import NO_CLOSENESS, Closeness, SensitiveCodes
from hartley.model.words import LARGEST, SLACK


@dataclass(frozen=True, repr=False)
class Requirement:
    """One thing that every released class must keep; each kind is a subclass in a file of its own.

    Parameters
    ----------
    name : str
        What is counted, such as ``distinct-l``, ``row-k`` or ``istar``.
    wanted : float
        How much of it at least; of bits, at most.
    column : str, optional
        The sensitive column that is counted by itself; without one the joint value of all of them.
    second : int, optional
        The second number of a requirement that has two, such as l of recursive (c, l)-diversity.

    Raises
    ------
    OptionError
        If there is no such requirement, or what is wanted is no number of its kind.

    Examples
    --------
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
    second: int | None = None
    """The second number of a requirement that has two."""

    kinds: ClassVar[dict[str, type[Requirement]]] = {}
    """The classes by their names."""
    examples: ClassVar[tuple[str, ...]] = ()
    """How it is typed."""
    takes_column: ClassVar[bool] = False
    """Whether it may be of one sensitive column."""
    is_monotone: ClassVar[bool] = True
    """Whether it stays true when a class grows, and can be told from each class by itself."""
    is_of_classes: ClassVar[bool] = False
    """Whether it is of each class as it is published, and may be broken by one that grows."""
    needs_tree: ClassVar[str] = "can be broken by a class that grows, so only a tree of cuts keeps it"
    """Why other shapes refuse it, where it is of each class as it is published."""
    is_limit: ClassVar[bool] = False
    """Whether it is of the release as a whole, and cannot be told from each class by itself."""
    is_at_least: ClassVar[bool] = True
    """Whether more is better."""
    least: ClassVar[float] = 1
    """The least that can be wanted of it."""
    most: ClassVar[float] = inf
    """The most that can be wanted of it; never infinity itself."""
    is_whole: ClassVar[bool] = True
    needs: ClassVar[str] = "a whole number from 1 on"
    """What can be wanted, in words."""
    audited_as: ClassVar[str | None] = None
    """The measure of an audit that answers it for all sensitive columns together, if one does."""
    led_in: ClassVar[str] = "Every released value leaves possible"
    """What its sentence follows in a report."""

    def __init_subclass__(cls, kind: str = "", **others: Any) -> None:
        super().__init_subclass__(**others)
        if kind:
            Requirement.kinds[kind] = cls

    def __new__(cls, name: str = "", *_: Any, **__: Any) -> Requirement:
        """Return one of the class that has this name."""
        return object.__new__(Requirement.kinds.get(name, cls))

    def __post_init__(self) -> None:
        if self.name not in Requirement.kinds:
            names = sorted(
                Requirement.kinds, key=lambda name: (not Requirement.kinds[name].is_monotone, name)
            )
            raise OptionError.unknown("requirement", self.name, names)
        if self.column is not None and not self.takes_column:
            raise OptionError(f"the requirement {self.name} is of the whole release and takes no column")
        object.__setattr__(self, "wanted", self.read_number(self.wanted))

    def __repr__(self) -> str:
        return f"Requirement(name={self.name!r}, wanted={self.wanted!r}, column={self.column!r})"

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read ``name=number`` or ``name:column=number``."""
        _require_text(text)
        target, separator, number = text.rpartition("=")
        name, colon, column = target.partition(":")
        if not separator or (colon and not column.strip()):
            kinds = sorted(Requirement.kinds.values(), key=lambda kind: (not kind.is_monotone, kind.examples))
            examples = [example for kind in kinds for example in kind.examples]
            raise OptionError(f"cannot read the requirement {text!r}; write one of {', '.join(examples)}")
        named = Requirement.kinds.get(name.strip(), Requirement)
        return cls(name.strip(), named.parse_number(name.strip(), number), column.strip() if colon else None)

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

    @classmethod
    def parse_number(cls, name: str, text: str) -> Any:
        """Read what is wanted as it is typed."""
        try:
            return int(text) if cls.is_whole else float(text)
        except ValueError:
            raise OptionError(f"the requirement {name} needs {cls.needs}, not {text!r}") from None

    def read_number(self, given: Any) -> float:
        """Return what is wanted as a number of the right kind; raise where it is none."""
        if isinstance(given, int) and abs(given) > LARGEST:
            raise OptionError(f"the requirement {self.name} needs a number up to 2^62")
        is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
        fits = is_number and self.least <= given <= self.most and given < inf
        if not fits or (self.is_whole and not float(given).is_integer()):
            raise OptionError(f"the requirement {self.name} needs {self.needs}, not {given!r}")
        return int(given) if self.is_whole else float(given)

    @property
    def text(self) -> str:
        """The requirement as it is typed."""
        return f"{self.label}={self.wanted:g}"

    @property
    def label(self) -> str:
        """What is counted, as it is typed: the name, and the column where there is one."""
        return self.name if self.column is None else f"{self.name}:{self.column}"

    def codes(self, sensitive: Alphabet, closeness: Closeness = NO_CLOSENESS) -> SensitiveCodes | None:
        """Return the codes of sensitive values that a search and an audit count; ``None``: rows."""
        return None

    def is_about(self, column: str, closeness: Closeness) -> bool:
        """Tell whether it can be asked of a column by itself."""
        return self.takes_column

    def require_fitting(self, sensitive: Sequence[str], closeness: Closeness) -> None:
        """Raise where it is of a column that is not sensitive, or lacks what it needs."""
        if self.column is not None and self.column not in sensitive:
            raise ColumnError(
                f"the requirement {self.name} is of {self.column!r}, which is not sensitive; the sensitive "
                f"columns are {quoted(list(sensitive), last=' and ')}"
            )

    def is_met_by(self, found: float) -> bool:
        """Tell whether what was found meets what is wanted."""
        return found >= self.wanted if self.is_at_least else found <= self.wanted + SLACK

    def verdict(self, found: float) -> Verdict:
        """Hold the requirement against what was found."""
        return Verdict(self.name, self.wanted, found, self.is_met_by(found), self.column, self.second)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"name": self.name, "column": self.column, "wanted": self.wanted, **_second(self.second)}

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
        return self.words(list(sensitive) if self.column is None else [self.column], closeness)

    def amount(self, found: float) -> str:
        """Return a found amount in words.

        >>> Requirement("guess-at-most", 0.8).amount(0.75), Requirement("row-k", 5).amount(1200)
        ('75 %', '1,200')
        """
        return f"{found:,}" if isinstance(found, int) else f"{found:,.4g}"

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it of some columns; a kind that has no words of its own is said as it is typed."""
        return f"{self.label} of at {'least' if self.is_at_least else 'most'} {self.amount(self.wanted)}"


@dataclass(frozen=True)
class Verdict:
    """Whether a requirement holds, and what was found.

    Examples
    --------
    >>> Requirement("distinct-l", 3).verdict(2).holds
    False
    """

    name: str
    """The name of the requirement."""
    wanted: float
    """How much of it was asked for."""
    found: float
    """How much of it there is at worst."""
    holds: bool
    """Whether that is enough."""
    column: str | None = None
    """The sensitive column that was counted by itself; ``None`` for the joint value of all of them."""
    second: int | None = None
    """The second number of a requirement that has two."""

    @property
    def requirement(self) -> Requirement:
        """What was asked."""
        return Requirement(self.name, self.wanted, self.column, self.second)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "name": self.name,
            "column": self.column,
            "wanted": self.wanted,
            "found": self.found if isfinite(self.found) else None,
            "holds": self.holds,
            **_second(self.second),
        }


def _second(number: int | None) -> dict[str, int]:
    return {} if number is None else {"l": number}


def require_consistent(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return the requirements; raise where one is given twice, or twice with different numbers."""
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
    """Raise where a requirement is of a column that is not sensitive, or lacks what it needs."""
    for requirement in requirements:
        requirement.require_fitting(sensitive, closeness)


def require_shape_for(requirements: Iterable[Requirement], shape: str) -> None:
    """Raise where a requirement is of classes as they are published, and the shape is no tree of cuts."""
    for requirement in requirements:
        if requirement.is_of_classes and shape != "tree":
            raise OptionError(f"{requirement.name} {requirement.needs_tree}; say {option('shape', 'tree')}")


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
        if not requirement.takes_column or requirement.column is not None:
            found.append(requirement)
            continue
        # Where it can be asked of no column the requirement stays, to be refused.
        found += [
            replace(requirement, column=name) for name in sensitive if requirement.is_about(name, closeness)
        ] or [requirement]
    return require_consistent(found)


def _require_text(given: object) -> None:
    if not isinstance(given, str):
        raise OptionError(f"a requirement is a text such as 'distinct-l=5', not {type(given).__name__}")
