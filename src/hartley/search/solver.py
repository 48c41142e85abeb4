"""Binary programs by HiGHS (through SciPy), which keeps the time, lets Ctrl-C through, and says nothing.

HiGHS cannot be stopped from outside. It is told beforehand how long it may take, and runs beside the
main thread, which so hears of signals meanwhile. Asked to be silent, it still prints a line now and then from
its inside. A script that reads JSON from the standard output must not meet it, so the output is closed to it
while it runs.

Limits are counted in nodes, so that results do not depend on the machine's speed; the time limit only guards
against being stuck.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any, Literal, TypeVar

import numpy as np

from hartley.model.arrays import Floats
from hartley.search.effort import Effort

T = TypeVar("T")

POLL = 0.05
"""Seconds between two looks at whether a signal has come."""


def solved(solve: Callable[[float], T], seconds: float, effort: Effort) -> T | None:
    """Return what ``solve(seconds)`` gives, with no more seconds than are left; nothing where none are."""
    seconds = min(seconds, effort.remaining())
    if effort.should_stop() or seconds <= 0:
        return None
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(solve(seconds))
        except BaseException as error:
            answer.set_exception(error)

    with _quiet():
        # A program that is to end at once does not wait for a daemon.
        Thread(target=run, name="solver", daemon=True).start()
        while not answer.done():
            wait([answer], timeout=POLL)
    return answer.result()


@contextmanager
def _quiet() -> Iterator[None]:
    """Send what compiled code prints to nowhere, and give the output back at the end."""
    try:
        kept = os.dup(1)
    except OSError:
        # There is no standard output to keep clean.
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    _flush()
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _flush() -> None:
    """Write out what the C library still holds back."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).fflush(None)


INFEASIBLE = 2
"""SciPy's word for a model without a solution."""
NODE_LIMIT = 400
SECONDS_LIMIT = 2.0
SOLVER_TOLERANCE = 1e-6
"""HiGHS lets a constraint or an objective be off by this much."""


def minimised(
    costs: Floats,
    rows: Sequence[Floats],
    lows: Sequence[float | Floats],
    effort: Effort,
    least: Floats | None = None,
    most: Floats | None = None,
) -> tuple[Floats, float] | Literal["impossible", "undecided"]:
    """Minimise over binary variables with rows bounded from below; give a solution and a proven bound.

    ``rows`` are blocks of rows, ``lows`` what each block, or each row of it, must reach.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    size = len(costs)
    # One matrix: a constraint object for each row costs more than the solver itself.
    reached = np.concatenate([np.broadcast_to(low, len(row)) for row, low in zip(rows, lows, strict=True)])

    def solve(seconds: float) -> Any:
        return milp(
            costs,
            constraints=LinearConstraint(csr_array(np.concatenate(rows)), reached, np.inf),
            integrality=np.ones(size),
            bounds=Bounds(
                np.zeros(size) if least is None else least, np.ones(size) if most is None else most
            ),
            options={"node_limit": NODE_LIMIT, "time_limit": seconds, "mip_rel_gap": 0.0},
        )

    result = solved(solve, SECONDS_LIMIT, effort)
    if result is None:
        return "undecided"
    if result.x is None:
        return "impossible" if result.status == INFEASIBLE else "undecided"
    return np.asarray(result.x), float(result.mip_dual_bound)
