"""Carrying a compiled loop on in slices, so that it can be stopped and is heard of.

A compiled loop cannot ask whether to stop. So it keeps all it knows in arrays, returns after about as many
elementary steps as it is allowed, and goes on from there when it is called again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hartley.hot_loops import HotLoop
from hartley.search.effort import Effort

COMPILED_SLICE, PLAIN_SLICE = 2_000_000, 30_000
"""Elementary steps of a slice, compiled and interpreted: about a twentieth of a second."""


def run_in_slices(
    loop: HotLoop[..., bool],
    steps: int,
    state: tuple[Any, ...],
    effort: Effort,
    report: Callable[[], tuple[int, int, str]],
) -> bool:
    """Call ``loop(budget, *state)`` until it is over; tell whether it came to its end or was stopped.

    ``steps`` is about how many elementary steps the whole takes; ``report`` gives what to tell the
    effort's listener.
    """
    if effort.should_stop():
        return False
    advance = loop.for_size(steps)
    budget = PLAIN_SLICE if advance is loop.plain else COMPILED_SLICE
    while not advance(budget, *state):
        effort.progress(*report())
        if effort.should_stop():
            return False
    return True
