"""What a search may spend, and to whom it reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from hartley.hot_loops import compiling_while

COMPILER_TAKES = 20.0
"""Seconds that must be left for a loop to be compiled which this machine has never compiled before."""


def _never() -> bool:
    return False


def _for_ever() -> float:
    return inf


def _quiet(done: int, total: int, what: str) -> None:
    del done, total, what


def _unheard(levels: Callable[[], Iterable[Any]]) -> None:
    del levels


@dataclass(frozen=True, kw_only=True)
class Effort:
    """What is handed to a search from outside: when to stop, a seed, and an ear for its progress.

    No search reads a clock or a random source of its own.
    """

    seed: int = 0
    """The same seed gives the same result on one thread."""
    should_stop: Callable[[], bool] = _never
    """Asked often; once it says yes the search ends soon and gives the best it has."""
    remaining: Callable[[], float] = _for_ever
    """Seconds left, for a solver that must be told beforehand and cannot ask ``should_stop``."""
    progress: Callable[[int, int, str], None] = _quiet
    """Told (done, total, what) now and then."""
    found: Callable[[Callable[[], Iterable[Any]]], None] = _unheard
    """Offered the levels known so far whenever there may be a new one; built only when called for."""

    def share(self, parts: int) -> Effort:
        """Return an effort that ends when one of so many equal parts of the time that is left is over."""
        left = self.remaining()
        if left == inf or parts <= 1:
            return self
        end = left - left / parts
        return replace(
            self,
            should_stop=lambda: self.should_stop() or self.remaining() <= end,
            remaining=lambda: self.remaining() - end,
        )


UNLIMITED = Effort()


def compiling_in_time(effort: Effort) -> AbstractContextManager[None]:
    """Have no loop compiled, inside, when the effort would be over before the compiler is."""
    return compiling_while(lambda: effort.remaining() > COMPILER_TAKES and not effort.should_stop())
