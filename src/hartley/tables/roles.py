"""Which columns play which part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hartley.errors import OptionError, quoted

ROLES = ("public", "sensitive", "side")


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The columns of each role; several columns of one role act as one joint value.

    A column may stand in two roles (the paper's remark on Y = (S, X)).

    >>> Roles(sensitive=("age",), public=("age", "chol")).columns
    ('age', 'chol')
    """

    sensitive: tuple[str, ...]
    """S: what must not be learnt."""
    public: tuple[str, ...]
    """X: what is published."""
    side: tuple[str, ...] = ()
    """A: what the reader knows already."""

    def __post_init__(self) -> None:
        for role in ("sensitive", "public", "side"):
            names = getattr(self, role)
            if isinstance(names, str):
                raise OptionError(f"the {role} columns must be a tuple of names, not the text {names!r}")
            object.__setattr__(self, role, tuple(names))
            require_once(role, getattr(self, role))
        for role in ("sensitive", "public"):
            if not getattr(self, role):
                raise OptionError(f"no {role} column is named; name at least one")

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is needed, once, in order of first mention."""
        return tuple(dict.fromkeys(self.sensitive + self.public + self.side))

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """The columns of each role that has some, the public ones first."""
        return {role: getattr(self, role) for role in ROLES if getattr(self, role)}


def require_once(role: str, columns: Sequence[str]) -> None:
    """Refuse a column that is named twice in one role."""
    twice = [name for name, times in Counter(columns).items() if times > 1]
    if twice:
        raise OptionError(f"column {quoted(twice)} is named twice as {role}; name it once")
