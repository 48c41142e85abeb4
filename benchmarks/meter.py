"""What a piece of work costs: CPU seconds of all threads, and the most memory the process held meanwhile.

:func:`timed` returns seconds that carry the memory with them, and :func:`table` prints it beside every time.
Loops of small searches run as written, and others wait for the compiler. A program that measures the search
alone calls :func:`compile_loops` first, and searches once before it counts.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GIGABYTE = 2**30


@dataclass(frozen=True)
class Cost:
    """What a piece of work cost."""

    seconds: float
    """CPU seconds, all threads together."""
    gigabytes: float
    """The most memory that the process held meanwhile, with all it held before."""


def cost(work: Callable[[], object]) -> Cost:
    """Return what a piece of work costs in this process."""
    forget_peak()
    start = time.process_time()
    work()
    return Cost(time.process_time() - start, peak_gigabytes())


class Seconds(float):
    """CPU seconds, with the most memory that the process held meanwhile; sums keep the greatest."""

    megabytes: float

    def __new__(cls, seconds: float, megabytes: float) -> Seconds:
        """Put the two together."""
        made = super().__new__(cls, seconds)
        made.megabytes = megabytes
        return made

    def __add__(self, other: float) -> Seconds:
        """Return the sum of the times, with the greater memory."""
        return Seconds(float(self) + float(other), max(self.megabytes, getattr(other, "megabytes", 0.0)))

    __radd__ = __add__

    def __truediv__(self, other: float) -> Seconds:
        """Return a share of the time, with the same memory."""
        return Seconds(float(self) / other, self.megabytes)

    def __str__(self) -> str:
        """Return both as they are printed."""
        return f"{float(self):.3g} s, {self.megabytes:.0f} MB"


def timed(action: Callable[[], Any]) -> tuple[Any, Seconds]:
    """Run something; return its result, and its CPU seconds with the memory held meanwhile."""
    forget_peak()
    begin = time.process_time()
    result = action()
    return result, Seconds(time.process_time() - begin, peak_gigabytes() * 1024)


def table(title: str, head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Print a Markdown table; times stand with the memory that was held."""
    names = list(head)
    print(f"\n### {title}\n\n| {' | '.join(names)} |\n|{'---|' * len(names)}")
    for row in rows:
        print(f"| {' | '.join(map(shown, row))} |", flush=True)


def shown(cell: object) -> str:
    """Return a cell of a table as text."""
    return f"{cell:.4g}" if isinstance(cell, float) and not isinstance(cell, Seconds) else str(cell)


def compile_loops() -> None:
    """Have every loop run compiled, whatever its size and the time that is left."""
    from hartley.hot_loops import HotLoop

    HotLoop.for_size = lambda loop, *_, **__: loop.compiled  # type: ignore[method-assign]


def forget_peak() -> None:
    """Have :func:`peak_gigabytes` begin anew, where the system can (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_gigabytes() -> float:
    """Return the most memory that this process held: since it was last forgotten, or ever."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        kilobytes = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
        return int(kilobytes) * 1024 / GIGABYTE
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIGABYTE
