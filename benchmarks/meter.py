"""What a piece of work costs: CPU seconds of all threads, and the most memory it held meanwhile."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

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
