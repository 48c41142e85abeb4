"""Databases that are read through any other ADBC driver: rows come here, and are counted here.

PostgreSQL and SQLite count themselves; of another database nothing is known but that its driver gives
Arrow. What a driver says when it fails may hold the password, the query or a cell, and is not passed on.
"""

from __future__ import annotations

import re
from contextlib import closing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from hartley.errors import OptionError, TableError, option
from hartley.tables.interrupts import interruptible
from hartley.tables.sources.source import require_rows, required

COUNTED_THERE = ("postgresql", "postgres", "sqlite")
DRIVERS = {"grpc": "flightsql", "grpc+tls": "flightsql", "grpc+tcp": "flightsql"}
"""Drivers that have another name than their URLs."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_QUERY = re.compile(r"\s*\(?\s*(SELECT|WITH|VALUES|TABLE|FROM)\b", re.IGNORECASE)
_NAME = re.compile(r'[\w.$`"-]+')


def scheme_of(url: str) -> str:
    """Return what stands before the colon of a URL.

    >>> scheme_of("duckdb:///clinic.duckdb")
    'duckdb'
    """
    found = _SCHEME.match(url)
    return "" if found is None else found[1].lower()


def is_other_database(url: str) -> bool:
    """Tell whether a URL is of a database that does not count for us.

    >>> is_other_database("duckdb:///clinic.duckdb"), is_other_database("sqlite:///clinic.db")
    (True, False)
    """
    return scheme_of(url).split("+", 1)[0] not in COUNTED_THERE


def shown_other(url: str) -> str:
    """Return a URL as it may be shown: of a server nothing but its kind.

    >>> shown_other("snowflake://ann:secret@account/db"), shown_other("duckdb:///clinic.duckdb")
    ('snowflake://…', 'duckdb:///clinic.duckdb')
    """
    scheme = scheme_of(url)
    return f"duckdb:///{file_of(url)}" if scheme == "duckdb" else f"{scheme}://…"


def read_other(url: str, query: str | None) -> Any:
    """Read what a query or the name of a table gives, as an Arrow table."""
    name = shown_other(url)
    statement = statement_of(query, name)
    manager = required("adbc_driver_manager", f"reading {name}", "databases")
    with closing(_connect(url, name, manager)) as connection, closing(connection.cursor()) as cursor:
        try:
            found = interruptible(lambda: _fetched(cursor, statement), cursor.adbc_cancel)
        except manager.Error:
            raise TableError(f"{name}: the query fails; look at it, and at what you may read") from None
    require_rows(found.num_rows, f"{name}: the query", "gives")
    return found


def _fetched(cursor: Any, statement: str) -> Any:
    cursor.execute(statement)
    return cursor.fetch_arrow_table()


def statement_of(query: str | None, name: str) -> str:
    """Return the statement that a query, or the name of a table, stands for."""
    if query is None or not query.strip():
        raise OptionError(f"{name}: name a table, or give a SELECT ({option('query')})")
    text = query.strip().rstrip(";")
    if _QUERY.match(text):
        return text
    if not _NAME.fullmatch(text):
        raise OptionError(f"{name}: that is no name of a table; give a SELECT ({option('query')})")
    return f"SELECT * FROM {text}"  # noqa: S608 (a name, as it is quoted there)


def _connect(url: str, name: str, manager: Any) -> Any:
    scheme = scheme_of(url)
    driver = DRIVERS.get(scheme, scheme)
    module = f"adbc_driver_{driver}"
    try:
        if find_spec(module) is not None:
            return import_module(f"{module}.dbapi").connect(url)
        return import_module("adbc_driver_manager.dbapi").connect(driver=driver, uri=url)
    except manager.Error:
        if find_spec(module) is not None:
            raise TableError(f"{name}: cannot connect; look at the URL, and at what you may read") from None
        raise OptionError(
            f"no driver for {scheme}:// databases is installed; pip install adbc-driver-{driver}, or another "
            f"ADBC driver of the name {driver!r}; postgresql://, sqlite:/// and duckdb:/// come with hartley"
        ) from None


def database_file(url: str) -> str:
    """Return the path of a file of DuckDB that is there."""
    path = file_of(url)
    if not Path(path).is_file():
        raise TableError(f"no file {path!r}; give the path of a database")
    return path


def file_of(url: str) -> str:
    """Return the file that a URL names: ``sqlite:///relative`` or ``sqlite:////absolute``.

    >>> file_of("sqlite:///clinic.db"), file_of("sqlite:////data/clinic.db")
    ('clinic.db', '/data/clinic.db')
    """
    path = unquote(url.split(":", 1)[1].split("?", 1)[0])
    return path.removeprefix("//").removeprefix("/") if path.startswith("///") else path.removeprefix("//")
