"""What is asked of a release: requirements that combine, and at most one cap on what may be lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, TypedDict, get_args

from hartley.errors import OptionError, option
from hartley.model.requirement import Requirement, require_consistent
from hartley.model.words import LARGEST, MOST_ASKED_BITS

TargetKind: TypeAlias = Literal[
    "distinct_l", "max_leakage", "largest_cluster", "max_distortion", "utility_weight"
]
TARGET_KINDS: tuple[TargetKind, ...] = get_args(TargetKind)
_WHOLE = ("distinct_l", "largest_cluster")


@dataclass(frozen=True)
class Target:
    """One demand on a release, by name.

    Parameters
    ----------
    kind : {"distinct_l", "max_leakage", "largest_cluster", "max_distortion", "utility_weight"}
        ``distinct_l``: every released value leaves at least this many candidates.
        ``max_leakage``: at most this many bits leak. ``largest_cluster``: no cluster holds more
        values. ``max_distortion``: no value moves farther. ``utility_weight``: the least
        Lagrangian for this weight of the utility.
    number : float
        How many, how much, how far.

    Raises
    ------
    OptionError
        If there is no such kind, or the number makes no sense for it.

    Examples
    --------
    >>> import hartley, numpy
    >>> hartley.Target("distinct_l", 5)
    Target(kind='distinct_l', number=5)
    >>> hartley.Target("max_leakage", numpy.float32(0.5))
    Target(kind='max_leakage', number=0.5)
    >>> hartley.Target("max_leakage", -1)
    Traceback (most recent call last):
    hartley.errors.OptionError: max_leakage needs a finite number from 0 on, not -1
    """

    kind: TargetKind
    number: float

    def __post_init__(self) -> None:
        if self.kind not in TARGET_KINDS:
            raise OptionError.unknown("target", self.kind, TARGET_KINDS)
        if isinstance(self.number, bool) or not isinstance(self.number, Real):
            raise OptionError(f"{self.option} needs a number, not {self.number!r}")
        # NumPy's numbers are as good as Python's, but JSON does not know them.
        whole = isinstance(self.number, Integral)
        object.__setattr__(self, "number", int(self.number) if whole else float(self.number))
        if (whole or self.kind in _WHOLE) and LARGEST < abs(self.number) < inf:
            raise OptionError(f"{self.option} needs a number up to 2^62")
        if self.kind in _WHOLE:
            if not isfinite(self.number) or self.number != int(self.number):
                raise OptionError(f"{self.option} needs a whole number, not {self.number!r}")
            if self.number < 1:
                raise OptionError(f"{self.option} needs a whole number from 1 on, not {self.number!r}")
            object.__setattr__(self, "number", int(self.number))
        elif not (isfinite(self.number) and self.number >= 0):
            raise OptionError(f"{self.option} needs a finite number from 0 on, not {self.number!r}")
        if self.kind == "max_leakage" and self.number > MOST_ASKED_BITS:
            raise OptionError(f"{self.option} needs at most {MOST_ASKED_BITS} bits; no table leaks more")

    @classmethod
    def one_of(cls, given: Mapping[str, float | None]) -> Target:
        """Take the one target that is given among several that may be.

        >>> Target.one_of({"distinct_l": None, "max_leakage": 2.0})
        Target(kind='max_leakage', number=2.0)
        >>> Target.one_of({"distinct_l": 3, "max_leakage": 2.0})
        Traceback (most recent call last):
        hartley.errors.OptionError: give one target, not both distinct_l and max_leakage
        """
        chosen = [(kind, number) for kind, number in given.items() if number is not None]
        options = [option(kind) for kind, _ in chosen]
        if len(chosen) == 2:
            raise OptionError(f"give one target, not both {options[0]} and {options[1]}")
        if len(chosen) > 2:
            raise OptionError(f"give one target, not {', '.join(options[:-1])} and {options[-1]}")
        if not chosen:
            raise OptionError(
                f"a release needs a target: one of {', '.join(option(kind) for kind in TARGET_KINDS)}"
            )
        kind, number = chosen[0]
        return cls(kind, number)  # type: ignore[arg-type]

    @property
    def option(self) -> str:
        """The mention of the option that asks for it, for messages."""
        return option(self.kind)

    def __str__(self) -> str:
        return f"{self.kind} = {self.number:g}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"kind": self.kind, "number": self.number}


Wanted: TypeAlias = (
    "Demand | Target | str | Requirement | Mapping[str, float] | Iterable[str | Requirement] | None"
)
"""How a demand may be given."""

CAPS = ("largest_cluster", "max_distortion")


class DemandFields(TypedDict, total=False):
    """What is asked of a release by keywords of its own: ``release(..., distinct_l=5, row_k=10)``."""

    distinct_l: int
    separated_l: int
    row_k: int
    max_leakage: float
    max_distortion: float
    largest_cluster: int
    utility_weight: float


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What a release must keep, and at most one cap on what may be lost.

    With no cap the best utility counts among what keeps the requirements; with one, the least leakage
    among what stays within it.

    >>> Demand.of({"distinct_l": 5, "row_k": 10}).texts
    ('distinct-l=5', 'row-k=10')
    >>> Demand.of(Target("max_distortion", 2.5)).cap
    Target(kind='max_distortion', number=2.5)
    """

    requirements: tuple[Requirement, ...] = ()
    max_leakage: float | None = None
    """Bits, on the axis of the frontier: the worst case, or what is certain."""
    cap: Target | None = None
    utility_weight: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "requirements", require_consistent(self.requirements))
        if self.cap is not None and self.cap.kind not in CAPS:
            raise OptionError(f"{self.cap.option} is no cap on what may be lost")
        if self.utility_weight is not None and (
            self.requirements or self.cap or self.max_leakage is not None
        ):
            raise OptionError(
                f"{option('utility_weight')} weighs leakage against utility by itself; leave the other "
                "targets out"
            )

    @classmethod
    def of(cls, wanted: Wanted) -> Demand:
        """Take a demand as it may be given: by name and number, as text, as a target."""
        if wanted is None:
            return cls()
        if isinstance(wanted, Demand):
            return wanted
        if isinstance(wanted, Target):
            return cls().with_target(wanted)
        if isinstance(wanted, (str, Requirement)):
            wanted = (wanted,)
        if isinstance(wanted, Mapping):
            return cls._of_mapping(wanted)
        if not isinstance(wanted, Iterable):
            raise OptionError(f"what is required is a mapping or a text, not {type(wanted).__name__}")
        return cls(
            requirements=tuple(
                one if isinstance(one, Requirement) else Requirement.parse(one) for one in wanted
            )
        )

    @classmethod
    def of_keywords(cls, keywords: Mapping[str, float | None], wanted: Wanted = None) -> Demand:
        """Take what keywords ask for, or what was given in another way; refuse both together."""
        named = {name: number for name, number in keywords.items() if number is not None}
        if wanted is not None and named:
            raise OptionError(
                f"give {option(next(iter(named)))} and {option('require')} in one way, not in both"
            )
        return cls.of(named or wanted)

    @classmethod
    def _of_mapping(cls, wanted: Mapping[str, float]) -> Demand:
        targets = {name: wanted[name] for name in ("max_leakage", *CAPS, "utility_weight") if name in wanted}
        rest = {name: number for name, number in wanted.items() if name not in targets}
        demand = cls(requirements=Requirement.of_mapping(rest))
        for name, number in targets.items():
            demand = demand.with_target(Target(name, number))  # type: ignore[arg-type]
        return demand

    def with_target(self, target: Target) -> Demand:
        """Return the demand with one more target; raise where it contradicts another."""
        if target.kind == "distinct_l":
            return self.with_requirements((Requirement("distinct-l", target.number),))
        if target.kind == "max_leakage":
            return replace(self, max_leakage=target.number)
        if target.kind == "utility_weight":
            return replace(self, utility_weight=target.number)
        if self.cap is not None:
            raise OptionError(
                f"give one cap on what may be lost, not both {self.cap.option} and {target.option}"
            )
        return replace(self, cap=target)

    def with_requirements(self, more: Iterable[Requirement]) -> Demand:
        """Return the demand with further requirements; raise where one is given twice."""
        return replace(self, requirements=(*self.requirements, *more))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked."""
        return (
            not self.requirements
            and self.max_leakage is None
            and self.cap is None
            and self.utility_weight is None
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """The requirements as they are typed."""
        return tuple(requirement.text for requirement in self.requirements)

    @property
    def target(self) -> Target:
        """The demand as one target, the first edition's way: the cap where there is one."""
        if self.cap is not None:
            return self.cap
        if self.utility_weight is not None:
            return Target("utility_weight", self.utility_weight)
        if self.max_leakage is not None:
            return Target("max_leakage", self.max_leakage)
        counted = [one for one in self.requirements if one.name == "distinct-l" and one.column is None]
        return Target("distinct_l", counted[0].wanted if counted else 1)

    def beside(self, name: str) -> tuple[Requirement, ...]:
        """Return the requirements but those of this name on the sensitive value as a whole.

        A frontier over that count is drawn of what keeps the others.
        """
        return tuple(one for one in self.requirements if (one.name, one.column) != (name, None))

    def wanted(self, name: str, column: str | None = None) -> float | None:
        """Return what is wanted of a requirement; ``None`` where it is not among them."""
        for requirement in self.requirements:
            if (requirement.name, requirement.column) == (name, column):
                return requirement.wanted
        return None

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the requirements as they stand in JSON."""
        return [requirement.to_dict() for requirement in self.requirements]
