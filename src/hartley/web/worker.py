"""The worker: a process of its own for everything that takes long, so that the page always answers.

The server sends it calls, one at a time, and perhaps that it should stop; it sends back events while it
works, and at the end a result or an error in one line. Whatever happens to it (a table too large for the
memory, say), the server stays, and starts another.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import subprocess
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from hartley.errors import HartleyError
from hartley.operating_system import start_python

Json = dict[str, Any]
Tell = Callable[[Json], None]
Call = tuple[int, str, Json]
STOP = "stop"
"""What is sent in place of a call to end the one that runs soon."""


class CallError(Exception):
    """A call that the worker refused or could not do; the message is one line for the user."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


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
        self._numbers = count()
        self._pending: dict[int, _Pending] = {}
        self._turn = asyncio.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process; it loads what it needs while the first page is shown."""
        begin = f"from hartley.web.worker import work; work({str(self.folder)!r})"
        self._process = start_python(begin, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(
            target=self._listen, args=(self._process,), name="hartley-listener", daemon=True
        ).start()

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
            if self._process is None:
                self.start()
            loop = asyncio.get_running_loop()
            number = next(self._numbers)
            future: asyncio.Future[Any] = loop.create_future()
            self._pending[number] = _Pending(future, on_event, loop)
            try:
                self._send((number, name, arguments))
                if is_stopped():
                    self._send(STOP)
                return await future
            except OSError:
                raise CallError("the search process ended unexpectedly; open the table again", 500) from None
            finally:
                self._pending.pop(number, None)

    def stop(self) -> None:
        """Ask a search to end soon and to give the best it has."""
        with contextlib.suppress(OSError):
            self._send(STOP)

    def close(self) -> None:
        """End the process: with nobody to hear from it ends by itself, or soon after is made to."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            _stream(process.stdin).close()
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=2)

    def _send(self, message: Call | str) -> None:
        if self._process is None:
            raise BrokenPipeError
        _put(_stream(self._process.stdin), message)

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        with _stream(process.stdout) as said:
            for number, what, content in _messages(said):
                pending = self._pending.get(number)
                if pending is not None:
                    pending.loop.call_soon_threadsafe(_deliver, pending, what, content)
        process.wait()
        with contextlib.suppress(OSError):
            _stream(process.stdin).close()
        if self._process is process:
            self._process = None
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


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # noqa: S101 (the process was started with it)
    return stream


def _put(stream: IO[bytes], message: object) -> None:
    stream.write(pickle.dumps(message))
    stream.flush()


def _messages(stream: IO[bytes]) -> Iterator[Any]:
    """Take what the process at the other end has put, until it is gone."""
    with contextlib.suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
        while True:
            yield pickle.load(stream)  # noqa: S301 (we started it, or it us)


def _hear(heard: IO[bytes], calls: SimpleQueue[Call | None], stop: threading.Event) -> None:
    """Pass on calls; to stop is about the call before it. A server that is gone wants none."""
    for message in _messages(heard):
        if message == STOP:
            stop.set()
        else:
            stop.clear()
            calls.put(message)
    stop.set()
    calls.put(None)


def work(folder: str) -> None:
    """Be the worker: take calls on stdin until there are no more, and answer on stdout."""
    import signal
    import sys

    # Ctrl-C in the terminal reaches every process; the server decides when the worker ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from hartley.web.session import Desk

    # Whatever else is printed must not come between the answers.
    said = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    stop = threading.Event()
    calls: SimpleQueue[Call | None] = SimpleQueue()
    threading.Thread(
        target=_hear, args=(sys.stdin.buffer, calls, stop), name="hartley-hearing", daemon=True
    ).start()
    desk = Desk(Path(folder), stop)
    warm = False
    while (call := calls.get()) is not None:
        number, name, arguments = call

        def tell(event: Json, number: int = number) -> None:
            _put(said, (number, "event", event))

        try:
            answer = ("result", desk.do(name, arguments, tell))
        except HartleyError as error:
            answer = ("error", (str(error), 422))
        except MemoryError:
            answer = ("error", ("not enough memory for this table", 422))
        except BrokenPipeError:
            continue  # the server is gone, and no call follows
        except Exception as error:
            # The message of a foreign exception may hold a cell; its kind and its place never do.
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            answer = ("error", (f"internal error ({place}); this is a bug", 500))
        with contextlib.suppress(OSError):
            _put(said, (number, *answer))
        if name == "search" and not warm:
            warm = True
            threading.Thread(target=_load_figures, name="hartley-warming", daemon=True).start()


def _load_figures() -> None:
    """Load what draws figures while the user looks at the frontier, so that none has to wait for it."""
    with contextlib.suppress(ImportError):
        import altair  # noqa: F401
        import vl_convert  # noqa: F401
