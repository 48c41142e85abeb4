"""Databases: one answer, counted there, and no password anywhere."""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

import datetime as dt
import os
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hartley import audit as audit_table
from hartley import release, verify
from hartley.cli.program import run
from hartley.errors import InputError
from hartley.measures.audit import audit_of_summary, measure
from hartley.releases.policy import Policy
from hartley.search.trees import stem
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.engine import on_progress
from hartley.tables.estimate import estimate
from hartley.tables.sources.database_session import Database, shown_url
from hartley.workflow.describe_table import describe
from hartley.workflow.publication import release_policy
from hartley.workflow.trees import reduced_table
from servers import PASSWORD
from tables.test_one_answer import NASTY

ROLES = Roles(sensitive=("s",), public=("x",))


def execute(url: str, *statements: str) -> None:
    import adbc_driver_postgresql.dbapi as driver

    with driver.connect(url) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        connection.commit()


def count(url: str, selected: str) -> int:
    """Count what a query selects, in a transaction of its own: within one, activity does not change."""
    with closing(Database(url)) as database:
        return int(database.fetch(f"SELECT count(*) AS n FROM (SELECT {selected}) AS t")["n"][0])


@pytest.fixture(scope="session")
def nasty_in_postgresql(postgresql: str) -> str:
    def cell(value: Any, kind: str) -> str:
        return "NULL" if value is None else f"'{value}'::{kind}"

    kinds = {
        "whole": "bigint",
        "fraction": "double precision",
        "text": "text",
        "decimal": "numeric(10, 2)",
        "day": "date",
        "moment": "timestamp",
        "instant": "timestamptz",
        "truth": "boolean",
        "category": "mood",
    }
    execute(
        postgresql,
        "CREATE TYPE mood AS ENUM ('a', 'b', 'c', 'é')",
        f"CREATE TABLE nasty ({', '.join(f'{name} {kind}' for name, kind in kinds.items())})",
        *(
            f"INSERT INTO nasty VALUES ({', '.join(cell(row[name], kind) for name, kind in kinds.items())})"
            for row in NASTY.to_pylist()
        ),
    )
    return postgresql


def test_the_nasty_table_is_the_same_in_postgresql(nasty_in_postgresql: str) -> None:
    here = open_table(NASTY)
    there = open_table(nasty_in_postgresql, ReadOptions(query="nasty"))
    assert {c.name: c.kind for c in there.columns} == {c.name: c.kind for c in here.columns}
    for sensitive in NASTY.column_names:
        others = tuple(name for name in NASTY.column_names if name != sensitive)
        for public, side in ((others, ()), (others[:1], ()), (others[1:3], others[3:4])):
            roles = Roles(sensitive=(sensitive,), public=public, side=side)
            expected = here.joint_range(roles)
            assert there.joint_range(roles) == expected
            counted = there.range_summary(roles).summary
            assert audit_of_summary(counted) == measure(expected.joint)
    there.close()


@pytest.mark.parametrize("missing", ["value", "drop"])
def test_an_audit_of_several_columns_is_counted_in_the_database(
    nasty_in_postgresql: str, missing: Any
) -> None:
    arguments: dict[str, Any] = {
        "sensitive": ("truth", "day"),
        "public": ("category", "fraction"),
        "side": "decimal",
    }
    there = audit_table(
        nasty_in_postgresql, **arguments, missing=missing, options=ReadOptions(query="SELECT * FROM nasty;")
    )
    assert there == audit_table(NASTY, **arguments, missing=missing)


def test_decimals_that_differ_as_text_are_one_number_or_two_texts(postgresql: str) -> None:
    execute(postgresql, "CREATE TABLE ends AS SELECT * FROM (VALUES (1.10, 1), (1.1, 2)) AS t(x, s)")
    as_number = open_table(postgresql, ReadOptions(query="ends"))
    assert as_number.joint_range(ROLES).joint.public.labels() == [1.1]
    assert as_number.range_summary(ROLES).summary.public_values == 1
    as_text = open_table(postgresql, ReadOptions(query="ends", text=("x",)))
    assert as_text.joint_range(ROLES).joint.public.labels() == ["1.1", "1.10"]
    assert as_text.range_summary(ROLES).summary.public_values == 2
    as_number.close()
    as_text.close()


def test_odd_types_of_postgresql_are_refused_with_a_reason(postgresql: str) -> None:
    query = (
        "SELECT 1 AS s, ARRAY[1] AS list, 'x'::bytea AS raw, '{}'::jsonb AS doc, '1 day'::interval AS span, "
        "'10:00'::time AS hour, '7f000001-0000-0000-0000-000000000000'::uuid AS id, 'infinity'::float8 AS far"
    )
    table = open_table(postgresql, ReadOptions(query=query))
    kinds = {column.name: column.kind for column in table.columns}
    assert [name for name, kind in kinds.items() if kind is None] == ["list", "raw", "doc", "span", "hour"]
    with pytest.raises(InputError, match="'far' holds infinite numbers"):
        table.range_summary(Roles(sensitive=("s",), public=("far",)))
    table.close()


def test_infinite_dates_are_refused_or_words_and_never_other_dates(postgresql: str) -> None:
    query = (
        "SELECT * FROM (VALUES (1, 'infinity'::date, '-infinity'::timestamptz), (2, '2024-01-01', NULL)) "
        "AS t(s, x, at)"
    )
    table = open_table(postgresql, ReadOptions(query=query))
    for name in ("x", "at"):
        for roles in (
            Roles(sensitive=("s",), public=(name,)),
            Roles(sensitive=(name,), public=("s",)),
        ):
            with pytest.raises(InputError, match=f"'{name}' holds infinite dates"):
                table.range_summary(roles)
    table.close()
    table = open_table(postgresql, ReadOptions(query=query, text=("x", "at")))
    assert table.joint_range(ROLES).joint.public.labels() == ["2024-01-01", "infinity"]
    assert table.range_summary(ROLES).summary.public_values == 2
    table.close()


def test_a_refused_audit_leaves_the_table_usable(postgresql: str) -> None:
    query = "SELECT * FROM (VALUES (1, 'inf'::float8, 3), (2, 1, 4)) AS t(s, far, x)"
    table = open_table(postgresql, ReadOptions(query=query))
    for _ in range(2):
        with pytest.raises(InputError, match="'far' holds infinite numbers"):
            table.range_summary(Roles(sensitive=("s",), public=("far",)))
    assert table.range_summary(ROLES).summary.public_values == 2
    table.close()


@pytest.mark.parametrize(
    "query",
    [
        "-- all of them\nSELECT s, x FROM ends2",
        "/* all; of 'them' */ SELECT s, x FROM ends2 -- not more",
        "(SELECT s, x FROM ends2)",
        "SELECT s, x FROM ends2; ;",
        "SELECT s, x FROM ends2; -- the end",
        "SELECT s, x FROM ends2 WHERE '%s :x ?' <> ';--';",
    ],
)
def test_a_query_may_hold_comments_and_end_in_semicolons(clinic: str, postgresql: str, query: str) -> None:
    with sqlite3.connect(clinic.removeprefix("sqlite:///")) as connection:
        connection.execute("CREATE TABLE ends2 AS SELECT 1 AS s, 2 AS x")
    connection.close()
    execute(postgresql, "CREATE TABLE IF NOT EXISTS ends2 AS SELECT 1 AS s, 2 AS x")
    for url in (clinic, postgresql):
        table = open_table(url, ReadOptions(query=query))
        assert table.joint_range(ROLES).joint.public.labels() == [2]
        table.close()


def test_a_query_that_fails_midway_is_one_line_without_cells(
    postgresql: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = "CASE WHEN i = 3 THEN ('SECRET' || i)::int ELSE i END"
    query = f"SELECT i AS s, {cell} AS x FROM generate_series(1, 4) i"
    for command in ("audit", "frontier"):
        assert run([command, postgresql, "--query", query, "-s", "s", "-p", "x"]) == 2
        assert capsys.readouterr().err.startswith(
            f"hartley: {shown_url(postgresql)}: the database refuses the query"
        )


@pytest.mark.parametrize("is_kept", [True, False])
def test_ctrl_c_ends_a_long_query_at_once_and_leaves_no_session(postgresql: str, is_kept: bool) -> None:
    slow = "SELECT i, pg_sleep(0.1)::text AS x FROM generate_series(1, 400) i"
    database = Database(postgresql)
    (pid,) = database.fetch("SELECT pg_backend_pid() AS pid")["pid"]
    began = time.monotonic()
    Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    ask = (
        partial(database.keep, "slow", slow)
        if is_kept
        else partial(database.stream, slow, lambda batches: batches.read_all())
    )
    with pytest.raises(KeyboardInterrupt):
        ask()
    assert time.monotonic() - began < 30  # to the end it would take 40
    database.close()
    while count(postgresql, f"pid FROM pg_stat_activity WHERE pid = {pid}"):
        assert time.monotonic() - began < 60
        time.sleep(0.1)


def test_a_long_read_of_a_database_is_seen(postgresql: str) -> None:
    seen: list[float] = []
    query = "SELECT i AS s, i + (pg_sleep(0.005) IS NULL)::int AS x FROM generate_series(1, 200) i"
    table = open_table(postgresql, ReadOptions(query=query))
    on_progress(seen.append)
    try:
        assert table.range_summary(ROLES) is not None
        # Groups come when all are counted: something is under way, nobody knows how far.
        assert set(seen) == {0.0, 100.0}
        seen.clear()
        table.rows_sql(["s", "x"])
    finally:
        on_progress(None)
    table.close()
    assert set(seen) >= {0.0, 100.0}
    assert all(0 <= percent <= 100 for percent in seen)
    assert seen[-1] == 100


def test_a_connection_that_the_server_ends_is_one_line(
    postgresql: str, capsys: pytest.CaptureFixture[str]
) -> None:
    running = (
        "FROM pg_stat_activity WHERE query LIKE '%pg_sleep(0.2)%' AND pid <> pg_backend_pid() "
        "AND state = 'active' AND clock_timestamp() - query_start > interval '0.3 s'"
    )

    def end() -> None:
        until = time.monotonic() + 60
        while not count(postgresql, f"pg_terminate_backend(pid) {running}") and time.monotonic() < until:
            time.sleep(0.05)

    query = "SELECT i AS s, i % 2 + (pg_sleep(0.2) IS NULL)::int AS x FROM generate_series(1, 100) i"
    for command in ("audit", "frontier"):
        # A session that was ended is listed until it has gone, and is not to be taken for the next one.
        while count(postgresql, f"pid {running}"):
            time.sleep(0.05)
        alarm = Timer(0, end)
        alarm.start()
        assert run([command, postgresql, "--query", query, "-s", "s", "-p", "x"]) == 2
        alarm.join()
        said = capsys.readouterr().err
        assert said == f"hartley: {shown_url(postgresql)}: the server has ended the connection\n"


def test_a_database_in_another_encoding_gives_the_same_text(postgresql: str) -> None:
    import adbc_driver_postgresql.dbapi as driver

    with driver.connect(postgresql, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
        cursor.execute("CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C'")
    server = postgresql.rsplit("/", 1)[0]
    query = "SELECT 1 AS s, {} AS x"
    table = open_table(f"{server}/latin", ReadOptions(query=query.format("chr(233)")))
    assert table.joint_range(ROLES).joint.public.labels() == ["é"]
    table.close()
    table = open_table(f"{server}/bytes", ReadOptions(query=query.format("E'\\xe9'")))
    with pytest.raises(InputError, match="not in UTF-8"):
        table.joint_range(ROLES)
    table.close()


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    path = tmp_path / "clinic.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (s, x, word COLLATE NOCASE, day TEXT, real, mixed, big, blob)")
        connection.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (2**60 + 1, None, "A", "2024-02-29", 1, 1, 2**60, b"x"),
                (2**60, "1.10", "a", None, -0.0, "x", 1.5, None),
                (2**60, "1.1", "é", "1969-12-31", 0.1, 2, None, None),
                (None, "007", None, "1969-12-31", None, None, 1, None),
            ],
        )
    connection.close()
    return f"sqlite:///{path}"


def test_sqlite_tells_what_each_cell_is(clinic: str) -> None:
    table = open_table(clinic, ReadOptions(query="t"))
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds == {
        "s": "number",
        "x": "text",
        "word": "text",
        "day": "date",
        "real": "number",
        "mixed": None,
        "big": None,
        "blob": None,
    }
    here = open_table(
        pa.table(
            {
                "s": pa.array([2**60 + 1, 2**60, 2**60, None], pa.int64()),
                "x": [None, "1.10", "1.1", "007"],
                "word": ["A", "a", "é", None],
                "day": pa.array([dt.date(2024, 2, 29), None, dt.date(1969, 12, 31), dt.date(1969, 12, 31)]),
                "real": [1.0, -0.0, 0.1, None],
            }
        )
    )
    for sensitive in ("s", "x", "word", "day", "real"):
        for public in (("s", "x"), ("word",), ("day", "real")):
            for side in ((), ("word",)):
                roles = Roles(sensitive=(sensitive,), public=public, side=side)
                expected = here.joint_range(roles)
                assert table.joint_range(roles) == expected
                assert audit_of_summary(table.range_summary(roles).summary) == measure(expected.joint)
    mixed = open_table(clinic, ReadOptions(query="t", text=("mixed",)))
    assert mixed.joint_range(Roles(sensitive=("s",), public=("mixed",))).joint.public.labels() == [
        "1",
        "2",
        "x",
        None,
    ]


def test_an_empty_text_among_dates_is_missing_in_sqlite(clinic: str) -> None:
    with sqlite3.connect(clinic.removeprefix("sqlite:///")) as connection:
        connection.execute("CREATE TABLE visits (s, x)")
        days = ["2024-01-01", "", None, "2024-01-02", "", None]
        connection.executemany("INSERT INTO visits VALUES (?, ?)", enumerate(days))
    connection.close()
    table = open_table(clinic, ReadOptions(query="visits"))
    for roles in (ROLES, Roles(sensitive=("x",), public=("s",))):
        for missing in ("value", "drop"):
            expected = table.joint_range(roles, missing=missing)
            counted = table.range_summary(roles, missing=missing)
            assert audit_of_summary(counted.summary) == measure(expected.joint)
            assert counted.dropped_rows == expected.dropped_rows
    table.close()


def test_text_of_sqlite_that_is_no_text_is_refused(clinic: str) -> None:
    with sqlite3.connect(clinic.removeprefix("sqlite:///")) as connection:
        connection.execute("CREATE TABLE odd AS SELECT 1 AS s, CAST(x'ff' AS TEXT) AS x")
    connection.close()
    table = open_table(clinic, ReadOptions(query="odd"))
    with pytest.raises(InputError, match="not in UTF-8"):
        table.joint_range(ROLES)
    table.close()


def test_the_path_of_a_sqlite_file_may_hold_any_character(clinic: str, tmp_path: Path) -> None:
    Path(clinic.removeprefix("sqlite:///")).rename(tmp_path / "what? #1%41.db")
    table = open_table(f"sqlite:///{tmp_path}/what%3F%20%231%2541.db", ReadOptions(query="t"))
    assert table.row_count == 4
    table.close()


def test_of_columns_that_differ_in_capitals_only_sqlite_renames_one_and_never_gives_the_other(
    clinic: str,
) -> None:
    table = open_table(clinic, ReadOptions(query="SELECT s, x, word AS X FROM t"))
    with pytest.raises(InputError, match="no column 'X'"):
        table.joint_range(Roles(sensitive=("s",), public=("X",)))
    table.close()


def test_the_name_of_a_table_may_hold_dots_and_quotes(clinic: str, postgresql: str) -> None:
    with sqlite3.connect(clinic.removeprefix("sqlite:///")) as connection:
        connection.execute('CREATE TABLE "a ""b"".c" AS SELECT 1 AS s, 2 AS x')
    connection.close()
    execute(
        postgresql,
        'CREATE SCHEMA "dotted.schema"',
        'CREATE TABLE "dotted.schema"."a ""b"".c" AS SELECT 1 AS s, 2 AS x',
    )
    name = '"a ""b"".c"'
    for url, query in ((clinic, name), (postgresql, f'"dotted.schema".{name}')):
        table = open_table(url, ReadOptions(query=query))
        assert table.joint_range(ROLES).joint.public.labels() == [2]
        table.close()


def test_rows_of_a_database_come_in_their_types(nasty_in_postgresql: str) -> None:
    table = open_table(nasty_in_postgresql, ReadOptions(query="nasty"))
    query = table.rows_sql(["whole", "decimal", "text"], typed=["decimal"])
    rows = sorted(
        table.connection.execute(f"SELECT o0, o1, o2, v0::VARCHAR FROM ({query})").fetchall(), key=repr
    )
    expected = [
        (row["whole"], None if row["decimal"] is None else str(row["decimal"]), row["text"])
        for row in NASTY.to_pylist()
    ]
    assert sorted((row[:3] for row in rows), key=repr) == sorted(expected, key=repr)
    assert all(row[3] is None or Decimal(row[3]) == Decimal(row[1]) for row in rows)
    table.close()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda url: url.replace(PASSWORD, "wrong-word"), "the user or the password is wrong"),
        (lambda url: url.rsplit("/", 1)[0] + "/nowhere", "there is no such database"),
        (lambda url: url.rsplit(":", 1)[0] + ":1/postgres", "no server answers there"),
        (lambda url: f"{url}?sslmode=require", "the server and sslmode do not agree"),
        (
            lambda url: f"{url}?sslmode=nonsense",
            "cannot connect to the database; write postgresql://user:password@host:port/database, "
            "and odd characters of the password by their codes, such as %2F for /",
        ),
    ],
)
def test_a_database_that_cannot_be_reached_is_named_without_the_password(
    postgresql: str, change: Any, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    url = change(postgresql)
    assert run(["audit", url, "--query", "t", "-s", "s", "-p", "x"]) == 2
    out = capsys.readouterr()
    assert out.err == f"hartley: {shown_url(url)}: {fault}\n"
    assert PASSWORD not in out.out + out.err
    assert "wrong-word" not in out.out + out.err


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("nowhere", "there is no such table"),
        ("SELECT nothing", "the query names a column that is not there"),
        ("SELECT FROM WHERE", "the query is no valid SQL"),
        ("SELECT 'secret-cell'::int AS s", "the database refuses the query (SQLSTATE 22P02)"),
        ("SELECT 1 AS s, 2 AS s", "column 's' appears twice; give each column its own name"),
        ("SELECT 1 AS s WHERE false", "the query gives columns but no rows"),
    ],
)
def test_a_query_that_fails_is_one_line_without_cells(postgresql: str, query: str, fault: str) -> None:
    with pytest.raises(InputError) as caught:
        open_table(postgresql, ReadOptions(query=query))
    assert str(caught.value) == f"{shown_url(postgresql)}: {fault}"


def test_the_password_is_nowhere_in_what_an_audit_prints(
    nasty_in_postgresql: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ([], ["--json"]):
        arguments = ["audit", nasty_in_postgresql, "--query", "nasty", "-s", "truth", "-p", "category", *more]
        assert run(arguments) == 0
        out = capsys.readouterr()
        assert PASSWORD not in out.out + out.err
        assert "curator" not in out.out + out.err


@pytest.mark.parametrize(
    "given",
    [
        "postgresql://ann:pa/WORD@127.0.0.1:1/clinic",
        "postgresql://ann:WORD#1@127.0.0.1:1/clinic",
        "postgresql://ann:WORD?1@127.0.0.1:1/clinic",
        "postgresql://ann:WORD[1@127.0.0.1:1/clinic",
        "postgresql://127.0.0.1:1/clinic?user=ann&password=x@WORD",
        "postgresql://127.0.0.1:1/clinic;password=WORD",
        "postgresql://ann:WORD",
        "postgresql:/ann:WORD@127.0.0.1:1/clinic",
        "ann:WORD@127.0.0.1:1/clinic",
        "jdbc:postgresql://127.0.0.1:1/clinic?user=ann&password=WORD",
        "host=127.0.0.1 port=1 user=ann password=WORD",
        "host=127.0.0.1 port=1 password = 'a WORD'",
        "sqlite://ann:WORD@host/clinic.db",
    ],
)
def test_no_part_of_a_password_is_shown_however_its_database_is_written(
    given: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    columns = ("-s", "s", "-p", "x")
    for arguments in (
        ["audit", given, "--query", "t", *columns],
        ["audit", given, *columns],
        # In wrong places, too, where it can be told from a name.
        *([["apply", given, "t.csv", "out.csv"], [given]] if "@" in given or "password" in given else []),
    ):
        assert run(arguments) == 2
        said = capsys.readouterr()
        assert "WORD" not in said.out + said.err, arguments
        assert said.err.count("\n") == 1


def test_other_ways_to_write_the_scheme_of_postgresql(nasty_in_postgresql: str) -> None:
    for scheme in ("postgres", "POSTGRESQL", "postgresql+psycopg2"):
        url = nasty_in_postgresql.replace("postgresql", scheme, 1)
        table = open_table(url, ReadOptions(query="nasty"))
        assert table.row_count == len(NASTY)
        table.close()


def test_the_password_can_come_from_the_environment(
    nasty_in_postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    url = nasty_in_postgresql.replace(f":{PASSWORD}@", "@")
    table = open_table(url, ReadOptions(query="nasty"))
    assert table.row_count == len(NASTY)
    table.close()


def test_files_of_duckdb_are_copied_into_our_engine(tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"
    rows = pa.table(
        {"x": [1.5, None, 2.5, 1.5], "s": ["it's", "b", None, "b"], "d": [dt.date(2024, 2, 29)] * 4}
    )
    with duckdb.connect(path) as connection:
        connection.register("given", rows)
        connection.execute("CREATE TABLE visits AS SELECT *, [1] AS l, INTERVAL 1 DAY AS i FROM given")
    roles = Roles(sensitive=("s",), public=("x", "d"))
    for query in ("visits", "SELECT * FROM visits; ", "main.visits", "clinic.main.visits"):
        table = open_table(f"duckdb:///{path}", ReadOptions(query=query, memory_limit="500MB"))
        assert table.name == f"duckdb:///{path}"
        assert table.joint_range(roles).joint == open_table(rows).joint_range(roles).joint
        assert [column.name for column in table.columns if column.kind is None] == ["l", "i"]
        with duckdb.connect(path) as connection:  # nobody holds the file
            connection.execute("CHECKPOINT")
    for query in (None, "no such", "SELECT nothing FROM visits", "visits; DROP TABLE visits"):
        with pytest.raises(InputError) as caught:
            open_table(f"duckdb:///{path}", ReadOptions(query=query))
        assert "nothing" not in str(caught.value)
    made = release(
        f"duckdb:///{path}",
        tmp_path / "out.csv",
        sensitive="s",
        public="d",
        require={"distinct_l": 2},
        options=ReadOptions(query="visits"),
    )
    assert made.verification.holds


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    def refusal(url: str, query: str | None = "t") -> str:
        with pytest.raises(InputError) as caught:
            open_table(url, ReadOptions(query=query))
        return str(caught.value)

    missing = refusal("mysql://u:p@h/d")
    assert missing.startswith("no driver for mysql:// databases is installed; pip install adbc-driver-mysql")
    assert "u:p" not in missing
    assert refusal(f"duckdb:///{tmp_path}/none.duckdb").startswith("no file ")
    (tmp_path / "odd.duckdb").write_text("hello " * 100)
    assert "cannot connect" in refusal(f"duckdb:///{tmp_path}/odd.duckdb")
    assert refusal(f"sqlite:///{tmp_path}/none.db").startswith("no file ")
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "odd.db").write_text("hello " * 100)
    assert refusal(f"sqlite:///{tmp_path}/odd.db").endswith("the file is not a SQLite database")
    assert refusal("sqlite:///x.db", None) == "sqlite:///x.db: name a table, or give a SELECT (query)"
    with pytest.raises(InputError, match="a query is for databases"):
        open_table(NASTY, ReadOptions(query="t"))


def test_postgresql_tells_how_many_rows_to_expect(postgresql: str) -> None:
    execute(
        postgresql,
        "DROP TABLE IF EXISTS expected",
        "CREATE TABLE expected AS SELECT i AS x, i % 7 AS s FROM generate_series(1, 200000) AS g(i)",
        "ANALYZE expected",
    )
    found = estimate(postgresql, "expected")
    assert found is not None
    assert found.rows == 200_000
    assert str(found).startswith("about 200,000 rows, ")
    some = estimate(postgresql, "SELECT x, s FROM expected WHERE x <= 1000;")
    assert some is not None
    assert some.rows is not None
    assert 500 < some.rows < 2000
    assert estimate(postgresql, "absent") is None
    assert estimate(postgresql) is None


def test_a_database_that_cannot_be_reached_is_refused_before_it_is_read() -> None:
    with pytest.raises(InputError, match=r"127\.0\.0\.1:1/db: "):
        estimate("postgresql://ann:secret@127.0.0.1:1/db", "t")


def test_settings_of_a_session_change_no_answer(postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query = (
        "SELECT * FROM (VALUES (1, point '(0.1,1)', tstzrange('2020-01-01', '2020-02-01')), "
        "(2, point '(0.10000000000000001,1)', tstzrange('2020-01-01', '2020-02-02')), "
        "(3, point '(0.1000000000000002,1)', tstzrange('2020-01-01', '2020-02-01'))) AS t(s, x, y)"
    )

    def answers() -> list[Any]:
        table = open_table(postgresql, ReadOptions(query=query, text=("x", "y")))
        found = [
            (table.joint_range(roles).joint, audit_of_summary(table.range_summary(roles).summary))
            for roles in (ROLES, Roles(sensitive=("s",), public=("y",)))
        ]
        table.close()
        return found

    expected = answers()
    assert [joint.public.size for joint, _ in expected] == [2, 2]
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")
    monkeypatch.setenv("PGDATESTYLE", "German")
    monkeypatch.setenv("PGOPTIONS", "-c extra_float_digits=-5")
    assert answers() == expected


def test_who_can_only_read_can_audit(postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    execute(
        postgresql, "CREATE TABLE read_only AS SELECT i % 3 AS s, i % 4 AS x FROM generate_series(1, 24) i"
    )
    expected = audit_table(postgresql, sensitive="s", public="x", options=ReadOptions(query="read_only"))
    monkeypatch.setenv("PGOPTIONS", "-c default_transaction_read_only=on")
    found = audit_table(postgresql, sensitive="s", public="x", options=ReadOptions(query="read_only"))
    assert found.audit == expected.audit


@pytest.mark.parametrize("name", ["hartley_side", "hartley_pairs", "hartley_values", "hartley_sensitive"])
def test_a_table_of_the_user_may_have_a_name_of_ours(postgresql: str, name: str) -> None:
    execute(postgresql, f"CREATE TABLE {name} AS SELECT i % 3 AS s, i % 4 AS x FROM generate_series(1, 24) i")
    found = audit_table(postgresql, sensitive="s", public="x", options=ReadOptions(query=name))
    assert (found.audit.rows, found.audit.pairs) == (24, 12)
    assert count(postgresql, f"* FROM {name}") == 24


def test_moments_that_do_not_fit_are_refused_or_text(postgresql: str) -> None:
    query = (
        "SELECT i % 3 AS s, CASE WHEN i % 4 = 0 THEN timestamptz '294276-01-01' "
        "ELSE '2020-01-01' END AS x FROM generate_series(1, 48) i"
    )
    with pytest.raises(InputError, match="after the year 294246"):
        audit_table(postgresql, sensitive="s", public="x", options=ReadOptions(query=query))
    table = open_table(postgresql, ReadOptions(query=query, text=("x",)))
    assert table.joint_range(ROLES).joint.public.labels() == [
        "2020-01-01 00:00:00+00",
        "294276-01-01 00:00:00+00",
    ]
    table.close()


def test_columns_that_cannot_be_measured_stand_in_nobodys_way(postgresql: str) -> None:
    execute(
        postgresql,
        "CREATE TABLE odd AS SELECT i % 3 AS s, ARRAY[1, i] AS a, '{}'::jsonb AS j, interval '1 day' AS v, "
        "time '10:00' AS h, '\\x01'::bytea AS b FROM generate_series(1, 12) i",
    )
    found = describe(postgresql, ReadOptions(query="odd"))
    assert [(column.name, column.kind) for column in found.columns] == [
        ("s", "number"),
        *((name, None) for name in "ajvhb"),
    ]


@pytest.mark.parametrize("transparent", [None, "retry"])
def test_a_tree_of_a_table_that_is_not_held_is_searched_in_postgresql(
    postgresql: str, transparent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"people_{transparent or 'plain'}".lower()
    execute(
        postgresql,
        f"CREATE TABLE {name} AS SELECT (random() * 40)::int2 AS age, "
        "(ARRAY['x', 'y', 'Z', 'ü', NULL])[1 + (random() * 4)::int] AS sort, "
        "round((random() * 30)::numeric, 1) AS score, DATE '2024-01-01' + (random() * 60)::int AS day, "
        "(ARRAY['p', 'q', 'r', 't'])[1 + (random() * 3)::int] AS answer FROM generate_series(1, 900)",
    )
    asked: dict[str, Any] = {
        "sensitive": "answer",
        "public": ["age", "sort", "score", "day"],
        "shape": "tree",
        "distinct_l": 2,
        "publish_sensitive": True,
        "transparent": transparent,
        "options": ReadOptions(query=name),
    }
    for module in (stem, release_policy):
        monkeypatch.setattr(module, "MOST_AT_ONCE", 300)
    held = release(postgresql, tmp_path / "held.parquet", **asked)
    monkeypatch.setattr(reduced_table, "memory_of", lambda _: 800 * reduced_table.BYTES_A_ROW)
    monkeypatch.setattr(reduced_table._Few, "require_held", lambda *_: None)
    there = release(postgresql, tmp_path / "there.parquet", **asked)
    assert Policy.read(there.policy).lists_ends
    assert there.before == held.before
    cells = [
        Counter(tuple(map(str, row.values())) for row in pq.read_table(made.output).to_pylist())
        for made in (held, there)
    ]
    assert cells[0] == cells[1]
    papers = {"policy": there.policy, "certificate": there.certificate, "record": there.record}
    assert verify(there.output, original=postgresql, **papers).holds
