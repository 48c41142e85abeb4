"""What the routes share: the search that runs, what can be downloaded, and the work as it stands."""

from __future__ import annotations

import asyncio
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

from hartley.web.worker import CallError, Json, Worker

STEPS = ("table", "audit", "search", "asked", "borders", "look", "release", "taken")
"""The steps of the work, and the names under which it is kept."""


@dataclass(kw_only=True)
class Search:
    """A search that runs or has run."""

    number: int
    state: str = "running"
    progress: Json = field(default_factory=dict)
    frontier: Json | None = None
    """The points found so far, or the finished frontier."""
    message: str | None = None
    is_to_stop: bool = False
    """Whether the user asked it to end, perhaps before it had begun."""

    def to_dict(self) -> Json:
        """Return it as it stands in JSON."""
        return {
            "number": self.number,
            "state": self.state,
            "progress": self.progress,
            "frontier": self.frontier,
            "message": self.message,
        }


TAKEN = "this search was ended: another table or search was started, in another window perhaps"
IDLE = Search(number=0, state="idle")
"""Nothing is searched, and nothing has been since the table was opened."""


@dataclass(kw_only=True)
class Service:
    """What the routes share."""

    worker: Worker
    folder: Path
    given: Path | None
    """The table named on the command line; the browser can ask for it, but not name it."""
    upload_limit: int
    search: Search | None = None
    task: asyncio.Task[None] | None = None
    files: dict[str, tuple[Path, str]] = field(default_factory=dict)
    """What can be downloaded: a word of ours to the file and the name it is saved under."""
    uploaded: Path | None = None
    work: Json = field(default_factory=dict)
    """What was asked and answered since the table was opened, for a page that is loaded again."""
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    """Numbers of searches; none comes twice, so that no page takes one for another."""
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while one search ends and another begins: two windows that ask at once take turns."""

    def at(self, step: str, answered: Json) -> None:
        """Note what a step asked and answered; what came of later steps is of other choices, and goes."""
        for later in STEPS[STEPS.index(step) + 1 :]:
            self.work.pop(later, None)
        self.work |= answered


MOST_TABS = 6
"""Tabs that work at the same time; each has a process of its own."""


class Tabs:
    """The tabs of the browser, each with a table and a worker of its own."""

    def __init__(self, first: Service) -> None:
        self._first = first
        self._of: dict[str, Service] = {}
        """By the word of a tab, the one that was used longest ago first."""

    def of(self, word: str) -> Service:
        """Return what belongs to a tab; a new one gets a worker, where need be that of a forgotten tab."""
        if not re.fullmatch("[0-9a-f]{0,32}", word):
            raise CallError("this is no word for a tab", 400)
        service = self._of.pop(word, None) or (self._new() if self._of else self._first)
        self._of[word] = service
        return service

    def close(self) -> None:
        """End every worker."""
        for service in {id(one): one for one in (self._first, *self._of.values())}.values():
            service.worker.close()

    def _new(self) -> Service:
        if len(self._of) >= MOST_TABS:
            idle = [word for word, one in self._of.items() if one.task is None or one.task.done()]
            forgotten = self._of.pop(idle[0] if idle else next(iter(self._of)))
            threading.Thread(target=self._leave, args=(forgotten,), daemon=True).start()
        folder = Path(mkdtemp(prefix="tab-", dir=self._first.folder))
        worker = Worker(folder)
        worker.start()
        first = self._first
        return Service(worker=worker, folder=folder, given=first.given, upload_limit=first.upload_limit)

    def _leave(self, forgotten: Service) -> None:
        forgotten.worker.close()
        if forgotten.folder != self._first.folder:
            shutil.rmtree(forgotten.folder, ignore_errors=True)
