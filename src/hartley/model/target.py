"""What a release has to reach: one demand, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, get_args

from hartley.errors import OptionError, option

TargetKind: TypeAlias = Literal[
    "distinct_l", "max_leakage", "largest_cluster", "max_distortion", "utility_weight"
]
TARGET_KINDS: tuple[TargetKind, ...] = get_args(TargetKind)
_WHOLE = ("distinct_l", "largest_cluster")
LARGEST = 2**62
"""No table has so many values, and loops have no numbers for many more."""
MOST_ASKED_BITS = 64
"""No table leaks so much: its rows would be too many to count. A limit beyond it asks for nothing."""


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
