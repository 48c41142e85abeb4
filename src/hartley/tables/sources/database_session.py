"""Connections to databases, through ADBC: what they are called, and how they fail.

What a database says when it fails is said in our words: a driver's message may hold the password, the query
or a cell, and is never passed on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hartley.errors import OptionError, TableError, option
from hartley.tables.counting.sql_summary import Columns
from hartley.tables.engine import tell_progress
from hartley.tables.interrupts import interruptible
from hartley.tables.other_databases import file_of, is_other_database, scheme_of, shown_other
from hartley.tables.sources.source import required

Product = Literal["postgresql", "sqlite"]
_PART = re.compile(r'"(?:[^"]|"")+"|[^".]+')
_PARTS = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern}))*")
_QUERY = re.compile(r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*(SELECT|WITH|VALUES|TABLE)\b", re.IGNORECASE | re.DOTALL)
# Without quotes: a semicolon inside a text is none that ends a query.
_END = re.compile(r"""[\s;]*;(?:[\s;]|--[^\n'"]*(?:\n|\Z)|/\*[^'"]*?\*/)*\Z""")
# Whatever is not surely a host, a port or a database may be a part of a password: one with a / in it, say.
_HOST = r"(?:[\w.%-]*|\[[0-9A-Fa-f:.%]+\])(?::[0-9]*)?"
_PLAIN_URL = re.compile(
    rf"[^:]+://(?:[^@/?#]*@)?(?P<shown>{_HOST}(?:,{_HOST})*(?:/[^/?#@&;=\s]*)?)(?:\?[^@]*)?"
)
HIDDEN = "…"
LONGEST_NAME = 63
"""Bytes of a name in PostgreSQL; what is longer is cut."""


def product_of(url: str) -> Product:
    """Say which database a URL is for."""
    scheme = scheme_of(url).split("+", 1)[0]
    if scheme in ("postgresql", "postgres"):
        return "postgresql"
    if scheme == "sqlite":
        return "sqlite"
    raise OptionError(f"no table is made in {scheme}:// databases; give one of postgresql:// or sqlite:///")


def shown_url(url: str) -> str:
    """Return a URL as it may be shown: without user, password and parameters, and without what may be those.

    >>> shown_url("postgresql://ann:secret@host:5433/clinic?sslmode=require")
    'postgresql://host:5433/clinic'
    >>> shown_url("postgresql://ann:sec/ret@host:5433/clinic")
    'postgresql://…'
    """
    if is_other_database(url):
        return shown_other(url)
    if product_of(url) == "sqlite":
        return f"sqlite:///{file_of(url)}"
    plain = _PLAIN_URL.fullmatch(url)
    return f"postgresql://{HIDDEN if plain is None else plain['shown']}"


def selected(query: str | None, url: str) -> str:
    """Return what follows FROM: the query in brackets, or the quoted name of a table."""
    if query is None or not query.strip():
        raise OptionError(f"{shown_url(url)}: name a table, or give a SELECT ({option('query')})")
    text = _END.sub("", query).strip()
    if _QUERY.match(text):
        return f"({text}\n) AS hartley_query"
    return quoted_table(text)


def name_parts(name: str) -> list[str]:
    """Return the parts of the name of a table; a dot inside quotes is a letter like any other.

    >>> name_parts('clinic.patients'), name_parts('"my.schema".patients')
    (['clinic', 'patients'], ['"my.schema"', 'patients'])
    """
    return _PART.findall(name) if _PARTS.fullmatch(name) else name.split(".")


def quoted_table(name: str) -> str:
    """Quote the name of a table, part by part, for SQL.

    >>> quoted_table("clinic.patients")
    '"clinic"."patients"'
    """
    return ".".join(map(quoted_name, name_parts(name)))


def quoted_name(name: str) -> str:
    """Quote a name for SQL, unless it is quoted already."""
    if len(name) > 1 and name[0] == name[-1] == '"':
        return name
    return '"' + name.replace('"', '""') + '"'


def require_new_name(name: str, url: str) -> None:
    """Refuse a name that a new table in a database could not have, or would not have for long."""
    parts = [_plain_name(part) for part in name_parts(name)]
    if not all(part.strip() for part in parts):
        raise OptionError(f"{option('into')} needs the name of a new table")
    is_sqlite = product_of(url) == "sqlite"
    if len(parts) > (1 if is_sqlite else 2):
        raise OptionError(
            f"{option('into')} takes the name of a table{'' if is_sqlite else ', or schema.table'}; "
            "put a name with dots into double quotes"
        )
    if is_sqlite:
        return
    if any(len(part.encode()) > LONGEST_NAME for part in parts):
        raise OptionError(
            f"PostgreSQL cuts names after {LONGEST_NAME} bytes; give a shorter one ({option('into')})"
        )
    if len(parts) > 1 and parts[0].startswith("pg_temp"):
        raise OptionError(
            f"a temporary table would be gone at once; give the name of another ({option('into')})"
        )


def _plain_name(part: str) -> str:
    is_quoted = len(part) > 1 and part[0] == part[-1] == '"'
    return part[1:-1].replace('""', '"') if is_quoted else part


ONE_READING = {
    "extra_float_digits": "3",
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
}
"""Settings of PostgreSQL on which the text of a value depends: the same for every user, server and day."""


class Database:
    """A connection in which everything that is read is of one moment."""

    def __init__(self, url: str, *, is_writing: bool = False) -> None:
        self.product = product_of(url)
        self.name = shown_url(url)
        self._errors = required("adbc_driver_manager", f"reading {self.name}", "databases")
        driver = required(f"adbc_driver_{self.product}.dbapi", f"reading {self.name}", "databases")
        self._percent = 0.0
        """How far the rows under way have come; groups come when all are counted."""
        self._new_file: Path | None = None
        """A SQLite file that is not there before the first commit."""
        self._kept: set[str] = set()
        self._connection = self._connect(driver, url, is_writing)
        self._is_closed = False
        if self.product == "postgresql":
            self.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            self.execute("SET client_encoding TO 'UTF8'")
            for setting, value in ONE_READING.items():
                self.execute(f"SET {setting} TO '{value}'")

    def _connect(self, driver: Any, url: str, is_writing: bool) -> Any:
        place = url
        if self.product == "sqlite":
            path = Path(file_of(url))
            if not path.is_file() and not is_writing:
                raise TableError(f"no file {str(path)!r}; give the path of a database")
            if is_writing and not path.exists():
                self._new_file = path
            place = f"{path.absolute().as_uri()}?mode={'rwc' if is_writing else 'ro'}"
        else:
            place = "postgresql:" + place.split(":", 1)[1]
        try:
            return driver.connect(place)
        except self._errors.Error as error:
            fault = connection_fault(str(error)) if self.product == "postgresql" else "cannot open the file"
            raise TableError(f"{self.name}: {fault}") from None

    def execute(self, statement: str) -> None:
        """Run a statement."""
        self._guarded(lambda cursor: cursor.execute(statement))

    def fetch_arrow(self, query: str) -> Any:
        """Fetch the outcome of a query."""
        return self._run(query, lambda cursor: cursor.fetch_arrow_table())

    def fetch(self, query: str) -> Columns:
        """Fetch a few columns of numbers."""
        table = self.fetch_arrow(query)
        return {name: np.asarray(table[name].to_numpy()) for name in table.column_names}

    def planned(self, query: str) -> tuple[int, int]:
        """Return how many rows PostgreSQL expects of a query, and how many bytes in each; it is not run."""

        def explain(cursor: Any) -> Any:
            # By itself the driver would copy the outcome, and a plan cannot be copied.
            cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "false"})
            cursor.execute(f"EXPLAIN (FORMAT JSON) {query}")
            return cursor.fetchall()

        ((text,),) = self._guarded(explain)
        plan = json.loads(text)[0]["Plan"]
        return int(plan["Plan Rows"]), int(plan["Plan Width"])

    def stream(self, query: str, use: Callable[[Any], None], *, rows: int | None = None) -> None:
        """Hand the outcome of a query over to DuckDB, batch by batch; ``rows`` is how many there will be."""
        import duckdb
        import pyarrow as pa

        def counted(batches: Any) -> Iterator[Any]:
            done = 0
            for batch in batches:
                yield batch
                done += batch.num_rows
                self._percent = 100 * done / max(rows or 0, done, 1) if rows else 0.0

        def hand_over(cursor: Any) -> None:
            # The driver must let go of the outcome before it lets go of the connection.
            with closing(cursor.fetch_record_batch()) as batches:
                use(pa.RecordBatchReader.from_batches(batches.schema, counted(batches)))

        try:
            self._run(query, hand_over)
        except duckdb.Error as error:
            if "stream" not in str(error):
                raise
            raise TableError(f"{self.name}: {fault_in(str(error))}") from None
        finally:
            self._percent = 0.0

    def ingest(self, table: str, data: Any) -> None:
        """Make a new table and fill it, inside the open transaction."""
        parts = [_plain_name(part) for part in name_parts(table)]
        schema = {"db_schema_name": parts[0]} if len(parts) > 1 else {}

        def fill(cursor: Any) -> None:
            cursor.adbc_ingest(parts[-1], data, mode="create", **schema)

        self._guarded(fill)

    def commit(self) -> None:
        """Make what was written visible."""
        try:
            self._connection.commit()
        except self._errors.Error as error:
            raise TableError(self._fault(error)) from None
        self._new_file = None

    def close(self) -> None:
        """Let go of the connection; what was not committed is undone."""
        if not self._is_closed:
            self._is_closed = True
            self._connection.close()
            if self._new_file is not None:
                self._new_file.unlink(missing_ok=True)

    # As an engine that counts pairs:

    def keep(self, name: str, query: str) -> None:
        """Keep the outcome of a query in a temporary table."""
        self.execute(f"CREATE TEMPORARY TABLE {name} AS {query}")
        self._kept.add(name)
        if self.product == "postgresql":
            self.execute(f"ANALYZE {name}")

    def drop(self, name: str) -> None:
        """Drop a temporary table; after a failure it goes with the transaction."""
        if name in self._kept:
            self._kept.remove(name)
            with suppress(TableError):
                self.execute(f"DROP TABLE IF EXISTS {name}")

    def can_keep(self) -> bool:
        """Tell whether there may be temporary tables: not where the user, or the server, can only read."""
        if self.product == "sqlite":
            return True
        found = self.fetch(
            "SELECT (current_setting('transaction_read_only') = 'off' "
            "AND has_database_privilege(current_database(), 'TEMPORARY'))::int AS can"
        )
        return bool(found["can"][0])

    def same(self, one: str, other: str) -> str:
        """Compare two values, missing ones included; PostgreSQL can hash arrays, and no other such test."""
        return f"ARRAY[{one}] = ARRAY[{other}]" if self.product == "postgresql" else f"{one} IS {other}"

    def _run(self, statement: str, use: Callable[[Any], Any]) -> Any:
        def work(cursor: Any) -> Any:
            cursor.execute(statement)
            return use(cursor)

        return self._guarded(work)

    def _guarded(self, work: Callable[[Any], Any]) -> Any:
        try:
            with closing(self._connection.cursor()) as cursor:
                return interruptible(
                    lambda: work(cursor), cursor.adbc_cancel, lambda: tell_progress(self._percent)
                )
        except self._errors.Error as error:
            raise TableError(self._fault(error)) from None
        finally:
            tell_progress(100.0)

    def _fault(self, error: Any) -> str:
        state = getattr(error, "sqlstate", None) or ""
        for start in (state, state[:3], state[:2]):
            if start and start in FAULTS:
                return f"{self.name}: {FAULTS[start]}"
        return f"{self.name}: {fault_in(str(error))}{f' (SQLSTATE {state})' if state else ''}"


TAKEN = "the table exists already"
FAULTS = {
    "28": "the user or the password is wrong",
    "08": "the connection was lost",
    "25P02": "an earlier query failed; open the table again",
    "3D": "there is no such database",
    "3F": "there is no such schema",
    "40": "others have changed it meanwhile; try again",
    "42P01": "there is no such table",
    "42P07": TAKEN,
    "25006": "the session can only read",
    "42703": "the query names a column that is not there",
    "42601": "the query is no valid SQL",
    "42501": "the user may not do this",
    "53100": "its disk is full",
    "53300": "it has too many connections; try again later",
    "57014": "the query was cancelled",
    "57P": "the server has ended the connection",
}


def fault_in(text: str) -> str:
    """Say what a driver's message is about, without a word of it."""
    for words, fault in (
        ("no such table", FAULTS["42P01"]),
        ("already exists", FAULTS["42P07"]),
        ("no such column", FAULTS["42703"]),
        ("syntax error", FAULTS["42601"]),
        ("not a database", "the file is not a SQLite database"),
        ("malformed", "the file is damaged"),
        ("locked", "another program has locked it"),
        ("readonly", FAULTS["42501"]),
        ("permission denied", FAULTS["42501"]),
        ("ERROR:  schema", FAULTS["3F"]),
        ("unsupported type", "it has no type for one of the columns"),
        ("out of range", "it has no type for one of the columns"),
        ('"UTF8": 0x00', "a text holds the character NUL, which PostgreSQL cannot hold"),
        ("invalid byte sequence", "a text is not in UTF-8; mend it, or leave its column out"),
        ("terminating connection", FAULTS["57P"]),
        ("server closed", FAULTS["08"]),
        ("no connection", FAULTS["08"]),
    ):
        if words in text:
            return fault
    return "the database refuses the query"


def connection_fault(text: str) -> str:
    """Say why there is no connection, without a word of the driver."""
    for words, fault in (
        ("password authentication failed", FAULTS["28"]),
        ("no password supplied", "a password is needed; put it into the URL or into PGPASSWORD"),
        ("role", "there is no such user"),
        ("does not exist", FAULTS["3D"]),
        ("refused", "no server answers there"),
        ("translate host", "there is no such host"),
        ("No such file", "no server answers there"),
        ("timeout", "no server answers there"),
        ("pg_hba.conf", "the server does not let this user in from here"),
        ("too many", FAULTS["53300"]),
        ("SSL", "the server and sslmode do not agree"),
    ):
        if words in text:
            return fault
    return (
        "cannot connect to the database; write postgresql://user:password@host:port/database, "
        "and odd characters of the password by their codes, such as %2F for /"
    )
