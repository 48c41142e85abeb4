"""Hot loops: plain functions that run interpreted on small input and compiled on large.

A function marked with :func:`hot_loop` stays an ordinary function: calling it runs
it as written, on any input, with no compiler. ``loop.for_size(n)`` gives the same
function, compiled when ``n`` is large enough to be worth the wait. The compiler is
imported only then, and its work is kept on disk for the next run.

Where nothing is kept yet nobody waits for the compiler at once but on very large input. Elsewhere the
function runs as written until that has taken about as long as the compiler would; then it is compiled. So a
short first search never waits, and a long one takes little more than twice as long as it must. A loop that
can take long is therefore called piece by piece, and asked for before each. Where time is short
(:func:`compiling_while`), nobody waits on any input.

A hot loop may call other hot loops by name, of its own module or of others; they are compiled with it.
What is kept on disk has a name that covers the loop, the loops it calls and the numbers it reads, so that a
change in any of them is noticed, in whatever file. A loop that is called often from inside another and makes
no array of its own is better marked with :func:`hot_part`.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import update_wrapper
from hashlib import sha256
from os import devnull
from os.path import exists, join
from time import monotonic, perf_counter
from types import CodeType, FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

from hartley.notes import note

P = ParamSpec("P")
R = TypeVar("R")

COMPILED_FROM = 20_000
"""Number of elementary steps from which a compiled loop pays for itself."""

FIRST_COMPILED_FROM = 200_000
"""The same of one call where nothing is on disk yet, and the compiler takes seconds."""
OFTEN = 200_000
"""Steps of many small calls of a loop from which it is taken as one that is called over and over."""
LOADED_AFTER = 0.25
"""Seconds that loops of fewer steps run as written, in all, before it is worth to load the compiler.

That takes nearly as long, also where its work is on disk.
"""
PATIENCE = 2.0
"""Seconds that a loop of fewer steps runs as written, in all, before it is compiled, which takes as long."""
PIECE_AS_WRITTEN = 25
"""As written, a loop takes at least so many times as long; its pieces are so many times smaller."""

NOT_KEPT = (
    "compiled loops cannot be kept, for no folder for them can be written to: every run compiles them anew; "
    "set NUMBA_CACHE_DIR to a folder of yours"
)

_listeners: list[Callable[[str], None]] = []
_conditions: list[Callable[[], bool]] = []
_times: list[int] = []
_seconds_as_written = 0.0


@contextmanager
def on_compilation(listener: Callable[[str], None]) -> Iterator[None]:
    """Have ``listener(name)`` called, inside, when a loop that is nowhere kept is compiled at once."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def compiling_while(has_time: Callable[[], bool]) -> Iterator[None]:
    """Have loops compiled, inside, only where ``has_time()`` says so or the compiler's work is on disk.

    A compilation takes seconds and cannot be cut short.
    """
    _conditions.append(has_time)
    try:
        yield
    finally:
        _conditions.remove(has_time)


@contextmanager
def repeated(times: int) -> Iterator[None]:
    """Have loops take it, inside, that they are called so many times, when they weigh the compiler's time."""
    _times.append(times)
    try:
        yield
    finally:
        _times.pop()


class _CompilerWatch:
    """Knows when the compiler is at work: it can be left half done by nothing that is raised meanwhile."""

    def __init__(self) -> None:
        self.depth = 0
        self.is_installed = False
        self.waiting: list[int] = []
        self.since = 0.0
        self.seconds = 0.0

    def install(self) -> None:
        """Hear from the compiler when it begins and ends."""
        if not self.is_installed:
            from numba.core import config, event

            # A file in the folder we are in would tell it where compiled code is kept, and so what is run.
            config._config_fname = devnull
            config.reload_config()  # type: ignore[no-untyped-call]
            self.is_installed = True
            event.Listener.register(_CompilerWatch)
            event.register("numba:compiler_lock", self)  # type: ignore[no-untyped-call]

    def notify(self, heard: Any) -> None:
        """Count the beginnings and ends; after the last end, send a signal again that has waited for it."""
        if heard.is_start and self.depth == 0:
            self.since = monotonic()
        self.depth += 1 if heard.is_start else -1
        if self.depth == 0:
            self.seconds += monotonic() - self.since
        if self.depth <= 0 and self.waiting:
            signal.raise_signal(self.waiting.pop())


_watch = _CompilerWatch()


def compiling_seconds() -> float:
    """Return how long the compiler has been at work in this process, up to now."""
    return _watch.seconds + (monotonic() - _watch.since if _watch.depth > 0 else 0.0)


def interrupt(number: int) -> None:
    """Raise KeyboardInterrupt for a signal, or once the compiler is done where it is at work.

    Raised inside the compiler, it would come out as another error, or leave it in a state in which the
    process dies. It is for handlers of signals, and the handler is called again.
    """
    if _watch.depth > 0:
        _watch.waiting[:] = [number]
    else:
        raise KeyboardInterrupt


class HotLoop(Generic[P, R]):
    """A plain function that can also be had compiled; see the module's text."""

    def __init__(self, function: Callable[P, R], options: Mapping[str, bool] | None = None) -> None:
        self.plain = function
        self._options = dict(options or {})
        self._compiled: Callable[P, R] | None = None
        self._interpreted: Callable[P, R] | None = None
        self._dispatched: Any = None
        self._seconds = 0.0
        self._steps = 0
        self._is_kept: bool | None = None
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function as written, interpreted."""
        return self.plain(*args, **kwargs)

    def for_size(
        self, steps: int, compiled_from: int = COMPILED_FROM, *, in_pieces: bool = False, piece: int = 0
    ) -> Callable[P, R]:
        """Return the function to use for an input of about this many elementary steps.

        ``compiled_from`` is how many make it worth to load the compiler for this loop alone. Where it is
        loaded anyway and its work is at hand, fewer do. A loop that is asked for before each of many short
        calls runs ``in_pieces``: it can be compiled between two of them, however many steps are ahead, unless
        the next ``piece`` is a long call all the same.
        """
        of_one_call = steps
        steps *= max(_times, default=1)
        if compiled_from == COMPILED_FROM and not in_pieces:
            self._steps += of_one_call
            if self._steps >= OFTEN:
                steps = max(steps, self._steps)
        is_loaded = "numba" in sys.modules
        if steps < min(compiled_from, COMPILED_FROM) or (steps < compiled_from and not is_loaded):
            return self.plain
        is_small = of_one_call < FIRST_COMPILED_FROM or (in_pieces and piece < FIRST_COMPILED_FROM)
        if is_small and not is_loaded and _seconds_as_written < LOADED_AFTER:
            return self._timed
        if self._is_at_hand():
            return self.compiled
        if steps < compiled_from:
            return self.plain
        if is_small and self._seconds < PATIENCE:
            return self._timed
        if not all(has_time() for has_time in _conditions):
            return self.interpreted
        if is_small and self._compiled is None:
            self._compiled = cast("Callable[P, R]", self._made())  # nobody waits for long, and nobody is told
        return self.compiled

    def piece(self, chosen: Callable[P, R], size: int) -> int:
        """Return how large a piece of work is for the function that :meth:`for_size` chose.

        ``size`` is that of a compiled piece, which takes some hundredths of a second.
        """
        return size if self.is_compiled(chosen) else max(1, size // PIECE_AS_WRITTEN)

    def is_compiled(self, chosen: Callable[P, R]) -> bool:
        """Tell whether what :meth:`for_size` chose is the compiled function."""
        return chosen is self._compiled

    def _timed(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function as written, and count the seconds."""
        global _seconds_as_written
        began = perf_counter()
        try:
            return self.interpreted(*args, **kwargs)
        finally:
            spent = perf_counter() - began
            self._seconds += spent
            _seconds_as_written += spent

    def is_at_hand(self, steps: int, worth_loading: int) -> bool:
        """Tell whether the compiler's work is there already; below so many steps it is not looked for."""
        return steps >= worth_loading and self._is_at_hand()

    def _is_at_hand(self) -> bool:
        """Tell whether the compiler's work is there already; the disk is asked once."""
        if self._is_kept is None:
            self._is_kept = _is_kept_on_disk(self._made())
        return self._is_kept or self._compiled is not None

    @property
    def compiled(self) -> Callable[P, R]:
        """The compiled function; the first use on a machine takes the compiler's time."""
        if self._options:
            # It has no door for Python: a call from here would end the process.
            raise TypeError(f"{self.plain.__name__} is a part: only hot loops call what is compiled of it")
        if self._compiled is None:
            if not self._is_at_hand():
                for listener in _listeners:
                    listener(self.plain.__name__)
            self._compiled = cast("Callable[P, R]", self._made())
        return self._compiled

    @property
    def interpreted(self) -> Callable[P, R]:
        """The function as written, for many turns: it calls other loops directly and reads plain numbers.

        It may be given lists in place of arrays, which the interpreter reads several times as fast.
        """
        if self._interpreted is None:
            plain = cast("FunctionType", self.plain)
            read = {name: plain.__globals__.get(name) for name in plain.__code__.co_names}
            direct: dict[str, Any] = {name: loop.interpreted for name, loop in self._callees().items()}
            for name, value in read.items():
                if type(value).__module__ == "numpy" and hasattr(value, "item"):
                    direct[name] = cast("Any", value).item()
            copy = FunctionType(
                plain.__code__, {**plain.__globals__, **direct}, plain.__name__, plain.__defaults__
            )
            copy.__kwdefaults__ = plain.__kwdefaults__
            self._interpreted = cast("Callable[P, R]", copy)
        return self._interpreted

    def _made(self) -> Any:
        """Return what compiles the function when it is first called with arguments of a kind."""
        if self._dispatched is None:
            self._dispatched = self._dispatcher(self._with_compiled_callees())
        return self._dispatched

    def _dispatcher(self, function: FunctionType) -> Any:
        import numba

        _watch.install()
        compiled: Any = numba.njit
        for options in ({"cache": True} | self._options, {"cache": True}, self._options, {}):
            try:
                return compiled(**options)(function)
            except KeyError:
                # A compiler that does not know an option does without: slower, with the same result.
                continue
            except RuntimeError:
                if "cache" in options:  # neither the folder of the package nor the user's can be written to
                    note(NOT_KEPT)
        raise AssertionError("the last attempt names no option")

    def _with_compiled_callees(self) -> FunctionType:
        """Copy the function so that the hot loops it calls are the compiled ones."""
        plain = cast("FunctionType", self.plain)
        callees = {name: loop._made() for name, loop in self._callees().items()}
        copy = FunctionType(
            plain.__code__, {**plain.__globals__, **callees}, plain.__name__, plain.__defaults__
        )
        # The compiler names its files after this, and looks for changes in the loop's own file only.
        copy.__qualname__ = f"{plain.__qualname__}-{self.digest()}"
        copy.__module__ = plain.__module__
        copy.__kwdefaults__ = plain.__kwdefaults__
        return copy

    def _callees(self) -> dict[str, HotLoop[Any, Any]]:
        """Return the hot loops that the function calls, by name."""
        plain = cast("FunctionType", self.plain)
        named = {name: plain.__globals__.get(name) for name in plain.__code__.co_names}
        return {name: value for name, value in named.items() if isinstance(value, HotLoop)}

    def digest(self) -> str:
        """Return a name for what is compiled: the function, its numbers, and the hot loops it calls."""
        plain = cast("FunctionType", self.plain)
        read = {name: plain.__globals__.get(name) for name in plain.__code__.co_names}
        numbers = [(name, value) for name, value in sorted(read.items()) if isinstance(value, _NUMBERS)]
        # What is kept of a loop names the modules of those it calls: one that has moved is another.
        callees = [
            (name, loop.digest())
            + ((loop.plain.__module__,) if loop.plain.__module__ != plain.__module__ else ())
            for name, loop in sorted(self._callees().items())
        ]
        # So does it name the modules of the named tuples that it takes.
        taken = sorted(
            (name, value.__module__)
            for name, value in plain.__globals__.items()
            if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")
        )
        parts = (_written(plain.__code__), numbers, callees, taken, sorted(self._options.items()))
        return sha256(repr(parts).encode()).hexdigest()[:16]


def hot_loop(function: Callable[P, R]) -> HotLoop[P, R]:
    """Mark a plain function as a hot loop.

    >>> @hot_loop
    ... def double(x):
    ...     return 2 * x
    >>> double(4), double.for_size(10)(4)
    (8, 8)
    """
    return HotLoop(function)


def hot_part(function: Callable[P, R]) -> HotLoop[P, R]:
    """Mark a plain function that hot loops alone call, often, and that makes no array.

    The arrays it is given belong to its caller, so it is compiled without counting who uses them, which would
    take longer than its work; the compiler refuses one that makes an array all the same. It has no compiled
    door for callers from outside, which can take a third of the compiler's time.
    """
    return HotLoop(function, {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True})


_NUMBERS = (bool, int, float, str, tuple)
"""What a loop reads from its module, that is compiled into it."""


def _written(code: CodeType) -> tuple[Any, ...]:
    """Return what a piece of code does, without where it stands."""
    constants = [_written(each) if isinstance(each, CodeType) else each for each in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, constants


def _is_kept_on_disk(dispatcher: Any) -> bool:
    cache = getattr(dispatcher, "_cache", None)
    folder = getattr(cache, "cache_path", None)
    prefix = getattr(getattr(cache, "_cache_file", None), "_index_name", None)
    return bool(folder and prefix and exists(join(folder, prefix)))
