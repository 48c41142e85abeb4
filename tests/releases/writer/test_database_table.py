"""A release goes back into a database whole, or not at all."""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hartley import release
from hartley.cli.program import run
from hartley.errors import InputError, WriteError
from hartley.model.demand import Target
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.sources.database_session import Database
from servers import PASSWORD, lacking, running_postgresql

ROWS = [
    (age, 100 + 10 * (i % 9) + 0.5 * (i % 2), "é" if i % 3 else None)
    for i, age in enumerate([31, 32, 40, 55] * 12)
]


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    pytest.importorskip("adbc_driver_sqlite")
    path = tmp_path / "clinic.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE patients (age INTEGER, chol REAL, site TEXT)")
        connection.executemany("INSERT INTO patients VALUES (?, ?, ?)", ROWS)
    connection.close()
    return f"sqlite:///{path}"


def released(url: str, out: Path, **more: Any) -> Any:
    return release(
        url,
        out,
        target=Target("distinct_l", 2),
        sensitive="age",
        public="chol",
        harmless="site",
        exposure="accept",
        options=ReadOptions(query="patients"),
        **{"into": "released", **more},
    )


def rows_of(path: Path) -> Counter[tuple[object, ...]]:
    return Counter(tuple(row.values()) for row in pq.read_table(path).to_pylist())


def test_a_release_is_written_back_into_sqlite(clinic: str, tmp_path: Path) -> None:
    result = released(clinic, tmp_path / "out.parquet")
    assert result.verification.holds
    with sqlite3.connect(tmp_path / "clinic.db") as connection:
        found = Counter(connection.execute("SELECT chol, site FROM released").fetchall())
    connection.close()
    assert found == rows_of(tmp_path / "out.parquet")
    assert found.total() == len(ROWS)


def test_moments_and_text_like_numbers_go_into_sqlite(clinic: str, tmp_path: Path) -> None:
    texts = ["NaN", "sNaN", "1.10", "1.1", "2024-01-01 10:00:00", "2024-01-01T10:00:00", "", None]
    moments = [dt.datetime(2024, 1, 1, 10, 0, second % 3) for second in range(8)]
    source = pa.table({"x": [1, 2] * 4, "text": texts, "at": moments, "s": [1, 1, 2, 2] * 2})
    released = release(
        source,
        tmp_path / "out.parquet",
        target=Target("distinct_l", 2),
        sensitive="s",
        public="x",
        harmless=["text", "at"],
        exposure="accept",
        into="released",
        into_database=clinic,
    )
    assert released.verification.holds
    with sqlite3.connect(tmp_path / "clinic.db") as connection:
        found = Counter(connection.execute("SELECT text, at FROM released").fetchall())
    connection.close()
    assert found == Counter(
        (text, at.isoformat(timespec="microseconds")) for text, at in zip(texts, moments, strict=True)
    )


def test_instants_go_into_sqlite_as_instants(clinic: str, tmp_path: Path) -> None:
    moments = [dt.datetime(2024, 7, 1, hour % 3, 0, 0, 5, dt.UTC) for hour in range(8)]
    source = pa.table(
        {"x": [1, 2] * 4, "at": pa.array(moments, pa.timestamp("us", "Europe/Paris")), "s": [1, 1, 2, 2] * 2}
    )
    release(
        source,
        tmp_path / "out.parquet",
        target=Target("distinct_l", 2),
        sensitive="s",
        public="x",
        harmless="at",
        exposure="accept",
        into="released",
        into_database=clinic,
    )
    table = open_table(clinic, ReadOptions(query="released"))
    roles = Roles(sensitive=("at",), public=("at",))
    assert table.joint_range(roles) == open_table(tmp_path / "out.parquet").joint_range(roles)
    table.close()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "needs the name of a new table"),
        ("  ", "needs the name of a new table"),
        ("clinic.", "needs the name of a new table"),
        ("clinic.released", "takes the name of a table; put a name with dots into double quotes"),
    ],
)
def test_a_name_that_a_table_cannot_have_is_refused(
    clinic: str, tmp_path: Path, name: str, fault: str
) -> None:
    with pytest.raises(InputError, match=fault):
        released(clinic, tmp_path / "out.parquet", into=name)
    for name, fault in (
        ("a.b.c", "takes the name of a table, or schema.table"),
        ("x" * 64, "cuts names after 63 bytes"),
        ("pg_temp.released", "would be gone at once"),
    ):
        with pytest.raises(InputError, match=fault):
            released(clinic, tmp_path / "out.parquet", into=name, into_database="postgresql://host/db")


def test_a_new_file_of_sqlite_is_gone_where_nothing_was_written(clinic: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="nothing was written"):
        released(
            clinic, tmp_path / "out.parquet", into="sqlite_own", into_database=f"sqlite:///{tmp_path}/new.db"
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clinic.db"]


def test_a_table_that_cannot_be_committed_is_told_apart_from_the_files(clinic: str, tmp_path: Path) -> None:
    reader = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN'); "
        "c.execute('SELECT * FROM patients').fetchone(); print('reads', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", reader, tmp_path / "clinic.db"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    other.stdout.readline()
    try:
        with pytest.raises(WriteError, match="locked it; the files were written, but not the table"):
            released(clinic, tmp_path / "out.parquet")
    finally:
        other.communicate()
    assert (tmp_path / "out.parquet").exists()


def test_nothing_is_written_where_the_table_exists(clinic: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "clinic.db") as connection:
        connection.execute("CREATE TABLE released (a)")
    connection.close()
    with pytest.raises(WriteError, match="the table exists already; nothing was written"):
        released(clinic, tmp_path / "out.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clinic.db"]


def test_a_table_that_exists_is_told_before_any_work(
    clinic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hartley.workflow.request.study_table.open_table", None)
    with pytest.raises(WriteError, match="the table exists already; nothing was written"):
        released(clinic, tmp_path / "out.parquet", into="patients")
    assert [path.name for path in tmp_path.iterdir()] == ["clinic.db"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_commit_comes_too_late(
    clinic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    commit, before = Database.commit, signal.getsignal(number)

    def interrupted(database: Database) -> None:
        os.kill(os.getpid(), number)
        commit(database)

    monkeypatch.setattr(Database, "commit", interrupted)
    assert released(clinic, tmp_path / "out.parquet").verification.holds
    assert signal.getsignal(number) is before
    names = {path.name for path in tmp_path.iterdir()}
    documents = {f"out.{one}.json" for one in ("policy", "certificate", "record", "codebook")}
    assert names == {"clinic.db", "out.parquet", "out.codebook.csv", "out.codebook.html"} | documents
    with sqlite3.connect(tmp_path / "clinic.db") as connection:
        assert connection.execute("SELECT count(*) FROM released").fetchall() == [(len(ROWS),)]
    connection.close()


def test_a_file_that_cannot_be_published_leaves_no_table(
    clinic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: object) -> None:
        del self
        raise WriteError("the disk is full")

    monkeypatch.setattr("hartley.releases.writer.staging.Staging.publish", full)
    with pytest.raises(WriteError, match="disk is full"):
        released(clinic, tmp_path / "out.parquet")
    with sqlite3.connect(tmp_path / "clinic.db") as connection:
        names = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert names == [("patients",)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clinic.db"]


def test_into_needs_a_database_and_a_file_with_types(clinic: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="OUT to be a Parquet file"):
        released(clinic, tmp_path / "out.csv")
    csv = tmp_path / "t.csv"
    csv.write_text("age,chol\n1,2\n2,3\n")
    with pytest.raises(InputError, match="needs a database"):
        release(
            csv,
            tmp_path / "o.parquet",
            target=Target("distinct_l", 2),
            sensitive="age",
            public="chol",
            into="t",
        )


def test_a_release_is_written_back_into_postgresql_without_showing_the_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        import adbc_driver_postgresql.dbapi as driver
    except ImportError:
        lacking("adbc-driver-postgresql is not installed")
    with running_postgresql() as url:
        with driver.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE patients (age int, chol numeric(6, 1), site text)")
            for age, chol, site in ROWS:
                cursor.execute(
                    f"INSERT INTO patients VALUES ({age}, {chol}, {'NULL' if site is None else repr(site)})"
                )
            connection.commit()
        out = tmp_path / "out.parquet"
        arguments = [
            "release",
            url,
            str(out),
            "--query",
            "patients",
            "-s",
            "age",
            "-p",
            "chol",
            "--accept-exposure",
            "--harmless",
            "site",
        ]
        assert run([*arguments, "--distinct-l", "2", "--into", "released", "--json"]) == 0
        said = capsys.readouterr()
        assert json.loads(said.out)["verified"] is True
        again = [*arguments, "--distinct-l", "2", "--into", "released", "--overwrite"]
        assert run(again) == 2
        refused = capsys.readouterr()
        assert refused.err.endswith("the table exists already; nothing was written\n")
        long = tmp_path / "long.csv"
        long.write_text(f"s,x,{'é' * 40}\n1,2,3\n2,2,3\n")
        cut = [
            "release",
            str(long),
            str(tmp_path / "o.parquet"),
            "-s",
            "s",
            "-p",
            "x",
            "--accept-exposure",
            "--harmless",
            "é" * 40,
        ]
        assert run([*cut, "--distinct-l", "2", "--into", "cut", "--into-database", url]) == 2
        assert "does not keep the names" in capsys.readouterr().err
        long.unlink()
        with driver.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT chol::text, site FROM released")
            found = Counter((float(row[0]), row[1]) for row in cursor.fetchall())
    assert found == Counter({(float(chol), site): n for (chol, site), n in rows_of(out).items()})
    written = "".join(path.read_text() for path in tmp_path.glob("*.json"))
    for text in (said.out, said.err, refused.out, refused.err, written):
        assert PASSWORD not in text
        assert "curator" not in text
