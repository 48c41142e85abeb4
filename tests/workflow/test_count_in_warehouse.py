"""Audits inside a warehouse: the statement counts there, and its result gives the same audit."""

from __future__ import annotations

import csv
import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot

from hartley import audit
from hartley.cli.program import run
from hartley.errors import OptionError, TableError
from hartley.releases.export.dialect import DIALECTS, TRANSLATED
from hartley.workflow.warehouse.count_in_warehouse import audit_counts, audit_statement

POOLS: dict[str, list[Any]] = {
    "x": [None, 0.0, -0.0, 1.5, float("nan"), 2.0],
    "t": [None, "a", "A", "a ", "", "ü"],
    "s": ["p", "q", "r", None],
    "a": [1, 2, None],
}


def drawn(source: Random) -> pa.Table:
    rows = source.randint(1, 14)
    columns = {name: [source.choice(pool) for _ in range(rows)] for name, pool in POOLS.items()}
    types = {"x": pa.float64(), "t": pa.string(), "s": pa.string(), "a": pa.int64()}
    return pa.table({name: pa.array(cells, types[name]) for name, cells in columns.items()})


def bare(found: Any) -> Any:
    """The measures without witnesses, which numbers do not name, and without groups of values."""
    return replace(found, narrowest=(), groups=())


def save(path: Path, names: list[str], rows: list[tuple[Any, ...]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def in_duckdb(table: pa.Table, query: str, path: Path) -> Path:
    with duckdb.connect() as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE source_table AS FROM given")
        found = connection.execute(query)
        return save(path, [one[0] for one in found.description], found.fetchall())


def in_sqlite(table: pa.Table, query: str, path: Path) -> Path:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE source_table (x REAL, t TEXT, s TEXT, a INTEGER)")
    connection.executemany(
        "INSERT INTO source_table VALUES (?, ?, ?, ?)", [tuple(row.values()) for row in table.to_pylist()]
    )
    found = connection.execute(query.rstrip().removesuffix(";"))
    try:
        return save(path, [one[0] for one in found.description], found.fetchall())
    finally:
        connection.close()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_counts_give_the_audit_of_the_table(dialect: str, tmp_path: Path) -> None:
    for number in range(25):
        source = Random(number)
        table = drawn(source)
        roles: dict[str, Any] = {"sensitive": ["s"], "public": source.choice([["x"], ["t"], ["x", "t"]])}
        roles["side"] = source.choice([[], ["a"]])
        missing = source.choice(["value", "drop"])
        named = [name for names in roles.values() for name in names]
        left = [
            row for row in table.to_pylist() if all(row[n] is not None and row[n] == row[n] for n in named)
        ]
        if missing == "drop" and not left:
            continue
        query = audit_statement(**roles, dialect=dialect, missing=missing)
        run_there = in_duckdb if dialect == "duckdb" else in_sqlite
        found = audit_counts(run_there(table, query, tmp_path / "counts.csv"))
        wanted = audit(table, **roles, missing=missing).audit
        assert bare(found.audit) == bare(wanted)


def test_the_result_holds_no_cell(tmp_path: Path) -> None:
    table = pa.table({"s": ["secret one", "secret two"], "x": ["open one", "open two"]})
    counts = in_duckdb(table, audit_statement(sensitive="s", public="x"), tmp_path / "counts.csv")
    assert "secret" not in counts.read_text()
    assert "open" not in counts.read_text()


@pytest.mark.parametrize("dialect", TRANSLATED)
def test_every_dialect_parses_its_statement(dialect: str) -> None:
    query = audit_statement(sensitive="s", public=["x", "t y"], side="a", dialect=dialect, number=["x"])
    name = TRANSLATED[dialect]
    again = sqlglot.parse_one(query, dialect=name).sql(dialect=name)
    assert sqlglot.parse_one(again, dialect=name).sql(dialect=name) == again
    assert "HARTLEY_" not in query


def test_counts_that_do_not_add_up_are_refused(tmp_path: Path) -> None:
    table = drawn(Random(5))
    path = in_duckdb(table, audit_statement(sensitive="s", public="x"), tmp_path / "counts.csv")
    head, *lines = path.read_text().splitlines()
    for left_out in range(len(lines)):
        path.write_text("\n".join([head, *lines[:left_out], *lines[left_out + 1 :]]))
        with pytest.raises(TableError, match=r"does not add up|no result"):
            audit_counts(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(TableError, match="no result of a counting statement"):
        audit_counts(path)


def test_the_command_line_prints_counts_and_judges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pa.table({"s": ["p", "q", "p"], "x": [1, 1, 2]})
    for dialect in DIALECTS:
        assert run(["sql", "audit", "--dialect", dialect, "-s", "s", "-p", "x"]) == 0
    capsys.readouterr()
    assert run(["sql", "audit", "-s", "s", "-p", "x"]) == 0
    counts = str(in_duckdb(table, capsys.readouterr().out, tmp_path / "counts.csv"))
    assert run(["audit", "--counts", counts, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["distinct_l"], told["rows"], told["sensitive"]) == (1, 3, {"columns": ["s"], "values": 2})
    assert run(["audit", "--counts", counts, "--require", "distinct-l=2"]) == 3
    capsys.readouterr()
    for wrong in (
        ["audit", "--counts", counts, "-s", "s"],
        ["audit", str(tmp_path / "t.csv"), "--counts", counts],
        ["audit", "--counts", counts, "--require", "separated-l=2"],
        ["sql", "audit", "--dialect", "oracle", "-s", "s", "-p", "x"],
        ["audit"],
    ):
        assert run(wrong) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_requirements_that_counts_do_not_say_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="counts do not say"):
        audit_counts(tmp_path / "none.csv", require={"separated_l": 2})
