"""A process beside ours in which hot loops are compiled, while the search that needs them goes on without.

A first search of a small table would wait longer for the compiler than it takes. So the compiler works in a
process of its own: it is told which loop and for arguments of which kinds, keeps its work on disk, and says
so; whoever asked goes on as written and takes the compiled loop from there. Nothing is left behind: the
process ends with the one that started it, and where none can be started there is none.

Only kinds of arguments go over, never what arrays hold.
"""

from __future__ import annotations

import atexit
import os
import pickle
import sys
from importlib import import_module
from queue import SimpleQueue
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread
from typing import IO, Any, Literal

import numpy as np

from hartley.operating_system import start_python

State = Literal["working", "done", "failed"]


def kind_of(argument: Any) -> Any:
    """Return what the compiler needs to know of an argument: of an array its type and layout, no content.

    >>> kind_of(np.zeros((3, 2)))
    ('array', '<f8', 2, 'C', True)
    """
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return "array", argument.dtype.str, argument.ndim, layout, flags.writeable
    if isinstance(argument, tuple):
        named = type(argument) if hasattr(argument, "_fields") else None
        return "tuple", named, tuple(map(kind_of, argument))
    return "other", type(argument), argument if isinstance(argument, int | str) else None


def specimen(kind: Any) -> Any:
    """Return an argument of a kind.

    >>> specimen(kind_of((np.zeros((3, 2)), 5)))[0].shape
    (2, 2)
    """
    if kind[0] == "array":
        _, dtype, dimensions, layout, is_writeable = kind
        made = np.zeros((2,) * dimensions, dtype, order="F" if layout == "F" else "C")
        if layout == "A":
            made = np.zeros((4,) * dimensions, dtype)[(slice(None, None, 2),) * dimensions]
        made.flags.writeable = is_writeable
        return made
    _, made_by, content = kind
    if kind[0] == "tuple":
        parts = tuple(map(specimen, content))
        return parts if made_by is None else made_by(*parts)
    return made_by() if content is None else content


class CompilerProcess:
    """The process in which loops are compiled; it starts when first asked for one."""

    def __init__(self) -> None:
        self._states: dict[str, State] = {}
        self._process: Popen[bytes] | None = None
        self._owner = 0

    def state(self, name: str) -> State | None:
        """Tell how far a loop is that was asked for; ``None`` where it was not."""
        return self._states.get(name)

    def ask(self, name: str, module: str, function: str, arguments: tuple[Any, ...]) -> None:
        """Have a loop compiled, once; its name holds what its code is."""
        if name in self._states:
            return
        try:
            asked = pickle.dumps((name, module, function, tuple(map(kind_of, arguments))))
            into = self._started()
            into.write(asked)
            into.flush()
        except (OSError, pickle.PickleError, AttributeError, TypeError):
            self._states[name] = "failed"
        else:
            self._states[name] = "working"

    def _started(self) -> IO[bytes]:
        if self._process is None or self._owner != os.getpid():
            self._owner = os.getpid()
            begin = "from hartley.compiler_process import serve; serve()"
            self._process = start_python(begin, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
            atexit.register(self.end)
            Thread(target=self._listen, args=(self._process,), daemon=True).start()
        assert self._process.stdin is not None  # noqa: S101 (it was started with one)
        return self._process.stdin

    def _listen(self, process: Popen[bytes]) -> None:
        """Hear what is done, until the process ends; what it had not done then it never will."""
        assert process.stdout is not None  # noqa: S101 (it was started with one)
        for line in process.stdout:
            done, _, name = line.decode().strip().partition(" ")
            self._states[name] = "done" if done == "done" else "failed"
        for name, state in self._states.items():
            if state == "working":
                self._states[name] = "failed"

    def end(self) -> None:
        """End the process; what it was about is not kept."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            self._process = None


def serve() -> None:
    """Compile what is asked for on stdin, one loop after another, until whoever asks is gone."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the search
    said, sys.stdout = sys.stdout, open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (for as long as we run)
    waiting: SimpleQueue[Any] = SimpleQueue()

    def hear() -> None:
        try:
            while True:
                waiting.put(pickle.load(sys.stdin.buffer))  # noqa: S301 (from the process that started this)
        except Exception:  # (whatever it was, nobody asks any more)
            os._exit(0)

    Thread(target=hear, daemon=True).start()
    while True:
        name, module, function, kinds = waiting.get()
        word = "done" if _compiled(name, module, function, kinds) else "failed"
        said.write(f"{word} {name}\n")
        said.flush()


def _compiled(name: str, module: str, function: str, kinds: tuple[Any, ...]) -> bool:
    """Compile a loop for arguments of these kinds and keep it on disk; tell whether that worked."""
    try:
        loop = getattr(import_module(module), function)
        return loop.digest() in name and loop.compile_for(tuple(map(specimen, kinds)))
    except Exception:  # (then the loop runs as written, or is compiled where it is called)
        return False
