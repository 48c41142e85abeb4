"""The clock of a search: how long it may take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from numbers import Integral
from time import monotonic
from typing import TypedDict

from hartley.errors import OptionError, option
from hartley.hot_loops import compiling_seconds
from hartley.search.effort import UNLIMITED, Effort


class LimitFields(TypedDict, total=False):
    """The fields of the limits of a search, as keywords of the one-call forms."""

    time_limit: float | None
    seed: int
    effort: Effort | None
    progress: Callable[[int, int, str], None]


@dataclass(frozen=True, kw_only=True)
class SearchLimits:
    """How long a search may take, its seed, and who hears of its progress."""

    time_limit: float | None = None
    seed: int = 0
    effort: Effort | None = None
    """In place of the others: when to stop is then told by it."""
    progress: Callable[[int, int, str], None] = UNLIMITED.progress

    def __post_init__(self) -> None:
        _require_limits(self.time_limit, self.seed)

    def start(self, default: float | None = None) -> Effort:
        """Return what is handed to the search; the clock runs from now on.

        ``default`` are the seconds it may take where no limit was given, not counting the compiler's.
        """
        effort = self.effort or effort_within(self.time_limit, seed=self.seed, progress=self.progress)
        if default is None or effort.remaining() < inf:
            return effort
        effort.progress(0, 1, f"searching, for at most {default:g} seconds")
        end = monotonic() + default - compiling_seconds()

        def remaining() -> float:
            return max(end + compiling_seconds() - monotonic(), 0.0)

        return replace(
            effort, should_stop=lambda: remaining() <= 0 or effort.should_stop(), remaining=remaining
        )


def effort_within(
    time_limit: float | None = None,
    *,
    seed: int = 0,
    should_stop: Callable[[], bool] = UNLIMITED.should_stop,
    progress: Callable[[int, int, str], None] = UNLIMITED.progress,
) -> Effort:
    """Return an effort that ends after so many seconds, or when asked to.

    >>> effort_within(seed=-1)
    Traceback (most recent call last):
    hartley.errors.OptionError: seed needs a whole number from 0 on, not -1
    """
    _require_limits(time_limit, seed)
    if time_limit is None:
        return Effort(seed=seed, should_stop=should_stop, progress=progress)
    end = monotonic() + time_limit
    return Effort(
        seed=seed,
        should_stop=lambda: monotonic() >= end or should_stop(),
        remaining=lambda: max(end - monotonic(), 0.0),
        progress=progress,
    )


def _require_limits(time_limit: float | None, seed: int) -> None:
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise OptionError(f"{option('seed')} needs a whole number from 0 on, not {seed!r}")
    if time_limit is not None and not 0 < time_limit < inf:
        raise OptionError(f"{option('time_limit')} needs a number of seconds above 0, not {time_limit!r}")
