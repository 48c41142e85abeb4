"""The worker: a process of its own for everything that takes long, so that the page always answers.

The server sends it calls, one at a time; it sends back events while it works, and at the end a result
or an error in one line. Whatever happens to it (a table too large for the memory, say), the
server stays, and starts another.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol

from hartley.errors import HartleyError

Json = dict[str, Any]
Tell = Callable[[Json], None]


class CallError(Exception):
    """A call that the worker refused or could not do; the message is one line for the user."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class StopFlag(Protocol):
    """What tells a search to end soon."""

    def is_set(self) -> bool:
        """Tell whether it should."""

    def set(self) -> None:
        """Ask it to."""

    def clear(self) -> None:
        """Take that back."""


@dataclass(frozen=True)
class _Pending:
    future: asyncio.Future[Any]
    on_event: Tell
    loop: asyncio.AbstractEventLoop = field(repr=False)


def _ignore(event: Json) -> None:
    del event


class Worker:
    """The server's end of the worker process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._context = get_context("spawn")
        self._stop: StopFlag = self._context.Event()
        self._numbers = count()
        self._pending: dict[int, _Pending] = {}
        self._turn = asyncio.Lock()
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def start(self) -> None:
        """Start the process; it loads what it needs while the first page is shown."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=work, args=(theirs, self._stop, self.folder), name="hartley-worker", daemon=True
        )
        process.start()
        theirs.close()
        self._process, self._connection = process, ours
        threading.Thread(target=self._listen, args=(ours,), name="hartley-listener", daemon=True).start()

    async def call(
        self,
        name: str,
        arguments: Json,
        on_event: Tell = _ignore,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Any:
        """Have the worker do something, and wait for its result; calls take turns.

        What ``is_stopped`` before its turn comes is begun all the same, and ends soon with what it has.
        """
        async with self._turn:
            if self._connection is None:
                self.start()
            loop = asyncio.get_running_loop()
            number = next(self._numbers)
            future: asyncio.Future[Any] = loop.create_future()
            self._pending[number] = _Pending(future, on_event, loop)
            self._stop.clear()
            if is_stopped():
                self._stop.set()
            try:
                connection = self._connection
                if connection is None:
                    raise BrokenPipeError
                connection.send((number, name, arguments))
                return await future
            except (BrokenPipeError, OSError):
                raise CallError("the search process ended unexpectedly; open the table again", 500) from None
            finally:
                self._pending.pop(number, None)

    def stop(self) -> None:
        """Ask a search to end soon and to give the best it has."""
        self._stop.set()

    def close(self) -> None:
        """End the process."""
        self._stop.set()
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.send(None)
            connection.close()
        if process is not None:
            process.join(timeout=1)
            if process.is_alive():
                process.terminate()
                process.join(timeout=2)

    def _listen(self, connection: Connection) -> None:
        while True:
            try:
                number, what, content = connection.recv()
            except (EOFError, OSError, TypeError):
                break
            pending = self._pending.get(number)
            if pending is not None:
                pending.loop.call_soon_threadsafe(_deliver, pending, what, content)
        if self._connection is connection:
            self._connection = None
        for pending in list(self._pending.values()):
            lost = (
                "the search process ended unexpectedly, perhaps for want of memory; open the table again",
                500,
            )
            with contextlib.suppress(RuntimeError):
                pending.loop.call_soon_threadsafe(_deliver, pending, "error", lost)


def _deliver(pending: _Pending, what: str, content: Any) -> None:
    if what == "event":
        pending.on_event(content)
    elif not pending.future.done():
        if what == "result":
            pending.future.set_result(content)
        else:
            pending.future.set_exception(CallError(*content))


def work(connection: Connection, stop: StopFlag, folder: Path) -> None:
    """Be the worker: take calls until there are no more."""
    import signal

    # Ctrl-C in the terminal reaches every process; the server decides when the worker ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from hartley.web.session import Desk

    desk = Desk(folder, stop)
    warm = False
    while True:
        try:
            call = connection.recv()
        except (EOFError, OSError):
            break
        if call is None:
            break
        number, name, arguments = call

        def tell(event: Json, number: int = number) -> None:
            connection.send((number, "event", event))

        try:
            answer = ("result", desk.do(name, arguments, tell))
        except HartleyError as error:
            answer = ("error", (str(error), 422))
        except MemoryError:
            answer = ("error", ("not enough memory for this table", 422))
        except BrokenPipeError:
            break
        except Exception as error:
            # The message of a foreign exception may hold a cell; its kind and its place never do.
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            answer = ("error", (f"internal error ({place}); this is a bug", 500))
        try:
            connection.send((number, *answer))
        except (BrokenPipeError, OSError):
            break
        if name == "search" and not warm:
            warm = True
            threading.Thread(target=_load_figures, name="hartley-warming", daemon=True).start()


def _load_figures() -> None:
    """Load what draws figures while the user looks at the frontier, so that none has to wait for it."""
    with contextlib.suppress(ImportError):
        import altair  # noqa: F401
        import vl_convert  # noqa: F401
