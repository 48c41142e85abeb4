"""A program that dies at a chosen step on the files of a folder.

Every audited operation on a file is a step. In this process a crash is an error that nobody catches, and
from it on every further step fails: nothing more happens on disk, whatever is still done to tidy up. As a
program of its own (``python crashes.py STEP FOLDER hartley's arguments``) the process is killed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

STEPS = {
    "open",
    *(f"os.{name}" for name in ("chmod", "link", "listdir", "mkdir", "remove", "rename", "rmdir", "symlink")),
    *("os.truncate", "shutil.rmtree", "fcntl.flock"),
}


class Crash(BaseException):
    """The process is dead."""


class Watch:
    """Counts steps on the files of a folder, and dies at one of them."""

    def __init__(self) -> None:
        self.folder: str | None = None
        self.deadline = self.steps = 0
        self.written_in_place: list[str] = []
        self.die: Callable[[], None] = self._crash
        sys.addaudithook(self._at_step)

    def _crash(self) -> None:
        raise Crash

    def _at_step(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.folder is None or event not in STEPS:
            return
        named = [os.fsdecode(one) for one in arguments[:2] if isinstance(one, str | bytes | os.PathLike)]
        is_here = any(one.startswith(self.folder) for one in named)
        # What is removed as a whole is named by an open folder, and a lock by an open file.
        if not is_here and (event == "open" or all(map(os.path.isabs, named))) and event != "fcntl.flock":
            return
        self.steps += 1
        if self.deadline and self.steps >= self.deadline:
            self.die()
        is_for_writing = event == "open" and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
        if is_for_writing and "/.hartley-" not in named[0]:
            self.written_in_place.append(named[0])

    def run(self, folder: Path, act: Callable[[], object], deadline: int = 0) -> int:
        """Do something, and die at a step of it; return how many steps were taken."""
        self.steps, self.deadline, self.written_in_place = 0, deadline, []
        self.folder = str(folder)
        try:
            act()
        except Crash:
            pass
        finally:
            self.folder = None
        return self.steps


WATCH = Watch()


if __name__ == "__main__":
    from hartley.cli.program import run

    WATCH.die = lambda: os.kill(os.getpid(), signal.SIGKILL)
    WATCH.run(Path(sys.argv[2]), lambda: run(sys.argv[3:]), int(sys.argv[1]))
