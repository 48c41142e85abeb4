"""DuckDB, as we use it: an engine of our own for each table, and SQL that cannot be escaped from.

An engine keeps to its memory limit, spills what does not fit to the scratch folder, and says in one
line when even that does not suffice. Its own messages may quote a cell or a password, and are not
passed on.
"""

from __future__ import annotations

import re
import shutil
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, cast
from warnings import catch_warnings

import numpy as np

from hartley.errors import OptionError, TableError, option
from hartley.operating_system import usable_cores
from hartley.scratch import scratch_folder

if TYPE_CHECKING:
    import numpy.typing as npt
    from duckdb import DuckDBPyConnection

_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?I?B)", re.IGNORECASE)
LEAST_MEMORY = 32 * 10**6
MOST_MEMORY = 2**60
"""DuckDB has no number for limits that are much larger."""
LEAST_SHARED = 256 * 10**6
"""A memory limit up to here is the engine's alone."""
MEMORY_OF_A_THREAD = 125 * 10**6
"""Every thread holds blocks that it cannot spill: with less for each, queries fail that fewer could do."""
# The statistics of Parquet files leave NaN out, and from them DuckDB concludes that isnan() is false.
# Joins are taken as written, with the small table on the right, which is held in memory: DuckDB knows
# nothing of the length of a text file, takes it for the smaller one, and would hold all its rows.
DISABLED_OPTIMIZERS = "SET disabled_optimizers = 'statistics_propagation,join_order,build_side_probe_side'"


NOT_UTF8 = ("Invalid unicode", "Invalid string encoding")
"""How DuckDB words that a text is none."""
ONE_BATCH = 1 << 17
"""Rows that come at once when the outcome of a query streams by."""
WATCHED_EVERY = 0.25
"""Seconds between two looks at how far a query has come."""
_progress: Callable[[float], None] | None = None


def on_progress(callback: Callable[[float], None] | None) -> None:
    """Have a callback told how far each query of engines opened from now on has come, in percent."""
    global _progress
    _progress = callback


def tell_progress(percent: float) -> None:
    """Tell the callback, where there is one, how far a read of another engine has come."""
    if _progress is not None:
        _progress(percent)


def memory_bytes(size: str) -> int:
    """Read a size such as ``2GB``.

    >>> memory_bytes("2GB"), memory_bytes("512 MiB")
    (2000000000, 536870912)
    """
    found = _SIZE.fullmatch(size.strip())
    if found is None:
        raise OptionError(f"cannot read the memory limit {size!r}; write a size such as 500MB or 2GB")
    number = int(min(float(found[1]) * _UNITS[found[2].upper()], 2 * MOST_MEMORY))
    if number > MOST_MEMORY:
        raise OptionError(f"a memory limit of {size} is more than any machine has; give less, or none")
    if number < LEAST_MEMORY:
        raise OptionError(f"a memory limit of {size} is too small; give at least {LEAST_MEMORY // 10**6}MB")
    return number


def connect(memory_limit: str | None = None) -> DuckDBPyConnection:
    """Open an engine of our own: it installs nothing, and spills into the scratch folder."""
    import duckdb

    spill = scratch_folder()
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "temp_directory": str(spill),
    }
    if memory_limit is not None:
        limit = memory_bytes(memory_limit)
        config["memory_limit"] = f"{limit}B"
        config["threads"] = max(1, min(usable_cores(), limit // MEMORY_OF_A_THREAD))
    connection = duckdb.connect(config=config)
    # In a notebook without ipywidgets DuckDB refuses to change its progress bar, which is off there.
    with suppress(duckdb.InvalidInputException):
        connection.execute(f"SET enable_progress_bar = {'false' if _progress is None else 'true'}")
        connection.execute("SET enable_progress_bar_print = false")
    connection.execute(DISABLED_OPTIMIZERS)
    connection.execute("SET TimeZone = 'UTC'")
    return cast("DuckDBPyConnection", _Engine(connection, spill, memory_limit))


@contextmanager
def with_statistics(connection: DuckDBPyConnection) -> Iterator[None]:
    """Have an engine plan by statistics for a while, in which nothing is asked about NaN."""
    connection.execute("SET disabled_optimizers = ''")
    try:
        yield
    finally:
        connection.execute(DISABLED_OPTIMIZERS)


def memory_of(connection: DuckDBPyConnection) -> int:
    """Return how many bytes an engine may take."""
    ((shown,),) = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    return memory_bytes(cast("_Engine", connection).memory_limit or shown)


@contextmanager
def with_less_memory(connection: DuckDBPyConnection, share: float) -> Iterator[None]:
    """Lower an engine's memory limit to a share of it inside the block; rows come in any order there.

    What an engine holds beyond it, it spills. Small limits stay, for no engine does with much less.
    """
    given = cast("_Engine", connection).memory_limit
    ((shown,),) = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    limit = memory_bytes(given or shown)
    less = max(int(limit * share), min(limit, LEAST_SHARED))
    connection.execute("SET preserve_insertion_order = false")
    connection.execute(f"SET memory_limit = '{less}B'")
    try:
        yield
    finally:
        connection.execute("RESET memory_limit" if given is None else f"SET memory_limit = '{limit}B'")
        connection.execute("RESET preserve_insertion_order")


def blame_file(connection: DuckDBPyConnection, name: str) -> None:
    """Take what fails in later queries for the fault of a file that is read only then."""
    cast("_Engine", connection).blamed = name


class _Engine:
    """A connection that words a lack of memory or disk, and removes its spill folder."""

    def __init__(self, connection: Any, spill: Path | None, memory_limit: str | None) -> None:
        self._connection = connection
        self.memory_limit = memory_limit
        self.blamed: str | None = None
        """The file whose fault it is where a query fails; none where that is a bug."""
        self._remove: Callable[[], object] = lambda: None
        if spill is not None:
            self._remove = weakref.finalize(self, shutil.rmtree, spill, ignore_errors=True)

    def beside(self) -> _Engine:
        """Return a second connection, which can write down what this one gives meanwhile."""
        second = self._connection.cursor()
        second.execute("SET TimeZone = 'UTC'")
        engine = _Engine(second, None, self.memory_limit)
        engine.blamed = self.blamed
        return engine

    def execute(self, *arguments: Any) -> _Engine:
        """Run a query."""
        with self._watched():
            self._clearly(self._connection.execute, *arguments)
        return self

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Tell the callback how far the query has come, from a thread of its own."""
        told = _progress
        if told is None:
            yield
            return
        is_over, is_shown = Event(), Event()

        def watch() -> None:
            while not is_over.wait(WATCHED_EVERY):
                percent = float(self._connection.query_progress())
                if percent >= 0:
                    is_shown.set()
                    told(percent)

        thread = Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()
            if is_shown.is_set():
                told(100.0)

    def stream(self, query: str) -> Iterator[Any]:
        """Run a query and give its outcome in Arrow batches, none of which is kept."""
        reader = self._clearly(lambda: self._connection.sql(query).to_arrow_reader(ONE_BATCH))
        while (batch := self._clearly(next, reader, None)) is not None:
            yield batch

    def fetchall(self) -> Any:
        """Return the rows of the last query."""
        if any(str(column[1]) == "TIMESTAMP WITH TIME ZONE" for column in self._connection.description or ()):
            # DuckDB makes such moments with a package of its own choice, which need not be there.
            with catch_warnings(action="ignore", category=UserWarning):  # (of a copy of the few rows)
                found = self._clearly(self._connection.to_arrow_table)
            return list(zip(*(column.to_pylist() for column in found.columns), strict=True))
        return self._clearly(self._connection.fetchall)

    def fetchnumpy(self) -> Any:
        """Return the columns of the last query."""
        return self._clearly(self._connection.fetchnumpy)

    def close(self) -> None:
        """Let go of memory and disk."""
        self._connection.close()
        self._remove()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def _clearly(self, act: Callable[..., Any], *arguments: Any) -> Any:
        import duckdb

        try:
            return act(*arguments)
        except duckdb.OutOfMemoryException:
            raise self._too_small() from None
        except (duckdb.Error, RuntimeError, OSError, ValueError) as error:
            words = str(error)
            if "interrupted" in words.lower() and isinstance(error, (RuntimeError, OSError)):
                raise KeyboardInterrupt from None  # Ctrl-C, as DuckDB words it
            if "out of memory" in words.lower():  # as Arrow hands it on
                raise self._too_small() from None
            if any(told in words for told in NOT_UTF8):
                raise TableError(
                    "a text of the table is not in UTF-8; mend it, or leave its column out"
                ) from None
            bugs = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
            # What fails while a file is written may be the disk's fault, and the writer says so.
            is_copy = arguments[:1] and str(arguments[0]).startswith("COPY")
            if self.blamed is None or is_copy or isinstance(error, bugs):
                raise
            raise TableError(f"{self.blamed}: the file is damaged") from None

    def _too_small(self) -> TableError:
        limit = self.memory_limit
        return TableError(
            "this machine has too little memory for the table; give a "
            f"{option('memory_limit')}, so that it spills"
            if limit is None
            else (
                f"a memory limit of {limit} is too small for this table; give more ({option('memory_limit')})"
            )
        )


def batches(connection: DuckDBPyConnection, query: str, rows: int) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """Let the outcome of a query, numbers without NULL, stream by in batches of columns.

    ``rows`` is how many there will be; few of them come as one batch.
    """
    if rows <= ONE_BATCH:
        found = connection.execute(query).fetchnumpy()
        yield {name: np.ma.getdata(array) for name, array in found.items()}
        return
    told, done = _progress, 0
    for batch in cast("_Engine", connection).stream(query):
        yield {name: np.from_dlpack(batch.column(name)) for name in batch.schema.names}
        done += batch.num_rows
        if told is not None:
            told(100 * done / rows)


def streamed(connection: DuckDBPyConnection, query: str) -> Iterator[Any]:
    """Let the outcome of a query stream by in Arrow batches, in the order of its rows."""
    return cast("_Engine", connection).stream(query)


def one_row(connection: DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    """Run a query that gives one row, such as an aggregate."""
    (row,) = connection.execute(query).fetchall()
    return tuple(row)


def literal(text: str) -> str:
    """Write a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def path_literal(path: Path) -> str:
    """Write a path as an SQL literal that names this one file, whatever characters it holds."""
    plain = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path))
    return literal(plain)


def paths_literal(paths: tuple[Path, ...]) -> str:
    """Write several paths as an SQL list, in this order."""
    return "[" + ", ".join(map(path_literal, paths)) + "]"
