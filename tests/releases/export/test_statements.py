"""Exported statements and scripts, run for real: every cell is the one that ``hartley apply`` gives."""

from __future__ import annotations

import csv
import datetime as dt
import os
import runpy
import shutil
import sqlite3
import subprocess
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import sqlglot

from hartley import release
from hartley.errors import HartleyError, OptionError, PolicyError
from hartley.model import Alphabet, Partition
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import codebook
from hartley.releases.export import statement
from hartley.releases.export.dialect import TRANSLATED
from hartley.releases.export.recoding import recoding_of
from hartley.releases.export.sql import sql_of
from hartley.releases.policy import Choices, MeasuredColumn, Policy, Reading, Unseen
from hartley.workflow.warehouse.export_codebook import export
from sample_sizes import sample
from servers import lacking, running_postgresql

NAN = float("nan")
POOLS: dict[str, list[Any]] = {
    "whole": [-3, 0, 1, 2, 5, 9, 2**60, 2**60 + 2],
    "fraction": [0.1, 0.2, 0.15, 0.0, -0.0, -2.5, 1e22, 0.30000000000000004, NAN],
    "decimal": [Decimal("1.10"), Decimal("2.50"), Decimal("-0.75"), Decimal("3.00")],
    "text": ["a", "A", "a ", "", "it's", "ü", "{{ x }}", "back\\slash", "two\nlines", "漢", '"'],
    "date": [dt.date(2024, 2, day) for day in (1, 2, 5, 9, 28)],
    "moment": [dt.datetime(2024, 2, 1, 7, 30, second) for second in (0, 1, 4, 30)],
    "truth": [True, False],
}
TYPES = {
    "whole": pa.int64(),
    "fraction": pa.float64(),
    "decimal": pa.decimal128(12, 2),
    "text": pa.string(),
    "date": pa.date32(),
    "moment": pa.timestamp("us"),
    "truth": pa.bool_(),
}
NATURAL = {
    "whole": "bigint",
    "fraction": "double precision",
    "decimal": "numeric(12, 2)",
    "text": "text",
    "date": "date",
    "moment": "timestamp",
    "truth": "boolean",
}


INSTANCES = sample(usual=6, long=12)


@dataclass(frozen=True)
class Case:
    """Rows under a policy, and what ``hartley apply`` gives: sorted, and nothing where it refuses."""

    policy: Policy
    unseen: Unseen
    rows: pa.Table
    cells: list[tuple[str | None, ...]] | None
    case_limit: int


def draw_table(source: Random, kinds: list[str], rows: int) -> pa.Table:
    columns = {
        f"c {place}": pa.array(
            [None if source.random() < 0.15 else source.choice(POOLS[kind]) for _ in range(rows)], TYPES[kind]
        )
        for place, kind in enumerate(kinds)
    }
    return pa.table({**columns, "kept": list(range(rows)), "s": ["p", "q"] * (rows // 2)})


def policy_of(source: Random, table: pa.Table, labels: str, *, drop: bool = False) -> Policy:
    """A policy with a random codebook for the table's values."""
    names = [name for name in table.column_names if name.startswith("c ")]
    rows = [
        tuple(None if cell != cell else cell for cell in row)
        for row in zip(*(table[name].to_pylist() for name in names), strict=True)
        if not drop or all(cell is not None and cell == cell for cell in row)
    ]
    values = list(dict.fromkeys(rows))
    alphabet = Alphabet.of_values(values if len(names) > 1 else [row[0] for row in values], tuple(names))
    clusters = source.randint(1, alphabet.size)
    part = Partition([source.randrange(clusters) for _ in range(alphabet.size)])
    withheld = source.randrange(part.size) if source.random() < 0.3 else None
    book = codebook(alphabet, part, labels, withheld=withheld)  # type: ignore[arg-type]
    blank = [number for number, label in enumerate(book.labels) if set(label) == {None}]
    policy = Policy.of(
        alphabet,
        book,
        columns=tuple(table.column_names),
        sensitive=(MeasuredColumn(name="s", kind="text"),),
        keep=("kept",),
        untouched_kinds={"kept": "number"},
        reading=Reading(missing="drop" if drop else "value"),
        withheld=blank[0] if blank else None,
        choices=Choices(
            target={"kind": "distinct_l", "number": 1},
            leakage="l0",
            utility="resolution",
            codeword=None,
            search="optimal",
            labels=labels,
            keep_order=True,
        ),
    )
    return Policy.read_json(policy.to_json())


def instance(source: Random) -> tuple[pa.Table, Policy]:
    kinds = [source.choice(list(POOLS)) for _ in range(source.choice([1, 1, 1, 2, 3]))]
    table = draw_table(source, kinds, source.randrange(4, 25, 2))
    return table, policy_of(source, table, source.choice(["midpoint", "member", "interval", "set"]))


def with_news(source: Random, table: pa.Table) -> pa.Table:
    """New rows of the same columns, some with values that were never seen."""
    kinds = {str(type_): kind for kind, type_ in TYPES.items()}
    names = [name for name in table.column_names if name.startswith("c ")]
    return draw_table(source, [kinds[str(table.schema.field(name).type)] for name in names], 12)


@cache
def cases() -> list[Case]:
    """Random tables and codebooks; the same rows again, and others with values that were never seen."""
    found = []
    for number in range(INSTANCES):
        source = Random(number)
        table, policy = instance(source)
        limit = source.choice([1, 3, 200])
        news = with_news(source, table)
        unseens: tuple[Unseen, ...] = ("error", "suppress", "nearest")
        for unseen in unseens:
            if unseen == "nearest" and not {"number", "date", "timestamp"} & {c.kind for c in policy.public}:
                continue
            tried = (news,) if unseen == "suppress" else (table, news)
            found += [Case(policy, unseen, rows, expected(policy, rows, unseen), limit) for rows in tried]
    return found


@cache
def column_cases() -> list[Case]:
    """Codebooks of each column by itself, as a release of the shape ``columns`` makes them."""
    source = Random(3)
    rows = 48  # few values: the search is not what is tested
    table = pa.table(
        {
            "c 0": [source.choice([None, *range(20, 60, 5)]) for _ in range(rows)],
            "c 1": [source.choice(["a", "b", "it's", "d", "ü", "{f}"]) for _ in range(rows)],
            "c 2": [dt.date(2024, source.randint(1, 12), source.randint(1, 28)) for _ in range(rows)],
            "s": [source.choice("pqrst") for _ in range(rows)],
        }
    )
    news = pa.table(
        {
            "c 0": pa.array([20, 45, 101, 30, None], pa.int64()),
            "c 1": ["a", "b", "ü", "new", "a"],
            "c 2": [dt.date(2024, month, 7) for month in (1, 5, 6, 8, 9)],
            "s": list("pqrst"),
        }
    )
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for names, wanted in ((["c 0", "c 1"], 2), (["c 0", "c 2"], 2), (["c 1", "c 2"], 5)):
            made = release(
                table,
                f"{folder}/{names[0]}{names[1]}.csv",
                sensitive="s",
                public=names,
                require={"distinct_l": wanted},
                shape="columns",
                keep_order=True,
            )
            policy = Policy.read(made.policy)
            assert policy.codebooks
            unseens: tuple[Unseen, ...] = ("error", "suppress")
            found += [
                Case(policy, unseen, given, expected(policy, given, unseen), limit)
                for unseen in unseens
                for given in (table, news)
                for limit in (1, 200)
            ]
    return found


def expected(policy: Policy, table: pa.Table, unseen: Unseen) -> list[tuple[str | None, ...]] | None:
    try:
        return texts(policy.apply(table, unseen=unseen).to_pylist())
    except HartleyError:
        return None


def texts(rows: list[dict[str, Any]]) -> list[tuple[str | None, ...]]:
    return sorted((tuple(cell_text(cell) for cell in row.values()) for row in rows), key=repr)


def statements(text: str) -> list[str]:
    return [one for one in text.split(";\n") if one.strip()]


def in_duckdb(table: pa.Table, script: str) -> list[tuple[str | None, ...]] | None:
    with duckdb.connect() as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE source_table AS FROM given")
        *before, query = statements(script)
        for one in before:
            connection.execute(one)
        try:
            return texts(connection.sql(query).to_arrow_table().to_pylist())
        except duckdb.Error as error:
            assert "never seen" in str(error)  # noqa: PT017
            return None


def test_duckdb_gives_every_cell_that_apply_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    for case in (*cases(), *column_cases()):
        monkeypatch.setattr(statement, "CASE_LIMIT", case.case_limit)
        monkeypatch.setattr(statement, "LISTED_FROM", 5)
        script = export(case.policy, to="sql", unseen=case.unseen).text
        assert in_duckdb(case.rows, script) == case.cells


def test_nan_in_parquet_files_is_missing_though_their_statistics_leave_it_out(tmp_path: Path) -> None:
    table = pa.table({"x": [0.0, -0.0, float("nan"), 1.5, None, 2.25] * 4, "s": [1, 2, 3, 4] * 6})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    for missing in ("value", "drop"):
        made = release(
            table,
            tmp_path / f"{missing}.csv",
            sensitive="s",
            public="x",
            require={"distinct_l": 2},
            missing=missing,
        )
        policy = Policy.read(made.policy)
        is_there = pc.fill_null(pc.invert(pc.is_nan(table["x"])), False)
        measured = table if missing == "value" else table.filter(is_there)
        script = export(policy, to="sql", table="t").text
        with duckdb.connect() as connection:
            connection.execute(f"CREATE VIEW t AS FROM '{path}'")
            *before, query = [one for one in script.split(";\n") if one.strip()]
            for one in before:
                connection.execute(one)
            found = connection.execute(query).fetchall()
        expected = [(cell,) for cell in policy.apply(measured)["x"].to_pylist()]
        assert sorted(map(repr, found)) == sorted(map(repr, expected))


def test_rows_with_missing_cells_are_left_out_where_the_policy_does(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, limit in enumerate((1, 200)):
        monkeypatch.setattr(statement, "CASE_LIMIT", limit)
        source = Random(number)
        table = draw_table(source, ["fraction", "text"], 20)
        policy = policy_of(source, table, "interval", drop=True)
        left = [row for row in table.to_pylist() if row["c 0"] is not None and row["c 1"] is not None]
        left = [row for row in left if row["c 0"] == row["c 0"]]
        there = pa.Table.from_pylist(left, table.schema)
        assert in_duckdb(table, export(policy, to="sql").text) == expected(policy, there, "error")


def sqlite_cell(cell: Any) -> Any:
    if isinstance(cell, bool):
        return int(cell)
    return cell_text(cell) if isinstance(cell, (dt.date, Decimal)) else cell


def in_sqlite(table: pa.Table, script: str) -> list[tuple[str | None, ...]] | None:
    connection = sqlite3.connect(":memory:")
    kinds = {pa.int64(): "INTEGER", pa.float64(): "REAL", pa.bool_(): "INTEGER", pa.string(): "TEXT"}
    columns = ", ".join(f'"{field.name}" {kinds.get(field.type, "TEXT")}' for field in table.schema)
    connection.execute(f"CREATE TABLE source_table ({columns} )")
    marks = ", ".join("?" * table.num_columns)
    rows = [tuple(map(sqlite_cell, row.values())) for row in table.to_pylist()]
    connection.executemany(f"INSERT INTO source_table VALUES ({marks})", rows)  # noqa: S608
    *before, query = statements(script)
    for one in before:
        connection.execute(one)
    try:
        found = connection.execute(query).fetchall()
    except sqlite3.OperationalError as error:
        assert "never seen" in str(error)  # noqa: PT017
        return None
    finally:
        connection.close()
    return sorted((tuple(map(cell_text, row)) for row in found), key=repr)


def without_truth(rows: list[tuple[str | None, ...]] | None, policy: Policy) -> Any:
    """SQLite has no truth values: they are 1 and 0."""
    if rows is None:
        return None
    kinds = {column.name: column.released_kind for column in policy.public}
    said = {"true": "1", "false": "0"}
    return sorted(
        (
            tuple(
                said.get(cell or "", cell) if kinds.get(name) == "boolean" else cell
                for name, cell in zip(policy.published, row, strict=True)
            )
            for row in rows
        ),
        key=repr,
    )


def test_sqlite_gives_every_cell_that_apply_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    for case in (*cases(), *column_cases()):
        kinds = [column.kind for column in case.policy.public]
        if any(pa.types.is_decimal(field.type) for field in case.rows.schema):
            continue  # SQLite has no fixed decimals
        if case.unseen == "nearest" and "timestamp" in kinds and len(kinds) > 1:
            continue  # nor distances of moments to the microsecond
        monkeypatch.setattr(statement, "CASE_LIMIT", case.case_limit)
        monkeypatch.setattr(statement, "LISTED_FROM", 5)
        script = export(case.policy, to="sql", dialect="sqlite", unseen=case.unseen).text
        assert in_sqlite(case.rows, script) == without_truth(case.cells, case.policy)


@pytest.fixture(scope="module")
def postgresql() -> Any:
    try:
        import adbc_driver_postgresql.dbapi as driver
    except ImportError:
        lacking("adbc-driver-postgresql is not installed")
    with running_postgresql() as url, driver.connect(url) as connection:
        yield connection


def in_postgresql(connection: Any, table: pa.Table, script: str) -> list[tuple[str | None, ...]] | None:
    kinds = {str(type_): NATURAL[kind] for kind, type_ in TYPES.items()}
    columns = ", ".join(f'"{field.name}" {kinds[str(field.type)]}' for field in table.schema)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMP TABLE source_table ({columns})")
        for row in table.to_pylist():
            cells = ", ".join(
                "NULL" if c is None else "'" + str(c).replace("'", "''") + "'" for c in row.values()
            )
            cursor.execute(f"INSERT INTO source_table VALUES ({cells})")  # noqa: S608
        *before, query = statements(script)
        try:
            for one in before:
                cursor.execute(one.replace("CREATE TABLE", "CREATE TEMP TABLE"))
            cursor.execute(query)
            return texts(cursor.fetch_arrow_table().to_pylist())
        except connection.Error as error:
            assert "never seen" in str(error)  # noqa: PT017
            return None
        finally:
            connection.rollback()


def test_postgresql_gives_every_cell_that_apply_gives(
    postgresql: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for case in (*cases(), *column_cases()):
        monkeypatch.setattr(statement, "CASE_LIMIT", case.case_limit)
        monkeypatch.setattr(statement, "LISTED_FROM", 5)
        script = export(case.policy, to="sql", dialect="postgresql", unseen=case.unseen).text
        assert in_postgresql(postgresql, case.rows, script) == case.cells


def csv_cell(cell: Any) -> str:
    if cell is None or cell != cell:
        return ""
    text = cell_text(cell) or ""
    return '"' + text.replace('"', '""') + '"' if isinstance(cell, str) else text


def test_the_python_script_gives_every_cell_that_apply_gives(tmp_path: Path) -> None:
    for case in (*cases(), *column_cases()):
        script = tmp_path / "recode.py"
        export(case.policy, to="python", unseen=case.unseen, output=script, overwrite=True)
        module = runpy.run_path(str(script))
        lines = [",".join(map(csv_cell, case.rows.column_names))]
        lines += [",".join(map(csv_cell, row.values())) for row in case.rows.to_pylist()]
        (tmp_path / "in.csv").write_text("\n".join(lines) + "\n", newline="")
        found: Any
        try:
            module["main"](str(tmp_path / "in.csv"), str(tmp_path / "out.csv"))
        except SystemExit as error:
            assert "never seen" in str(error)  # noqa: PT017
            found = None
        else:
            head, *body = module["records"]((tmp_path / "out.csv").read_bytes().decode(), ",")
            assert tuple(head) == case.policy.published
            found = sorted(map(tuple, body), key=repr)
        assert found == case.cells


@pytest.mark.parametrize("dialect", TRANSLATED)
def test_other_dialects_are_parsed_and_come_back_the_same(
    dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = TRANSLATED[dialect]
    written = {(id(case.policy), case.unseen, case.case_limit): case for case in (*cases(), *column_cases())}
    for case in written.values():
        policy = case.policy
        if case.unseen == "nearest" and len(policy.public) > 1:
            continue
        monkeypatch.setattr(statement, "CASE_LIMIT", case.case_limit)
        script = sql_of(recoding_of(policy, case.unseen), dialect, "db.t")[0]
        parsed = [one for one in sqlglot.parse(script, dialect=name) if one is not None]
        again = [one.sql(dialect=name) for one in parsed]
        assert [sqlglot.parse_one(one, dialect=name).sql(dialect=name) for one in again] == again
        assert "HARTLEY_" not in script
        held = {one.this for tree in parsed for one in tree.find_all(sqlglot.exp.Literal) if one.is_string}
        held |= {one.this for tree in parsed for one in tree.find_all(sqlglot.exp.National)}
        if case.unseen == "nearest":
            continue
        wanted = {
            cluster.label[place]
            for cluster in policy.clusters
            for place, column in enumerate(policy.public)
            if column.released_kind == "text" and cluster.label[place] is not None
        }
        assert wanted <= held


def test_what_cannot_be_said_is_refused_in_one_line() -> None:
    source = Random(1)
    table = draw_table(source, ["text"], 10)
    policy = policy_of(source, table, "set")
    with pytest.raises(OptionError, match="unknown dialect 'oracle'; choose 'duckdb', 'postgres', 'sqlite'"):
        export(policy, to="sql", dialect="oracle")
    with pytest.raises(PolicyError, match="no nearest"):
        export(policy, to="sql", unseen="nearest")
    with pytest.raises(OptionError, match="dialect is of SQL"):
        export(policy, to="csv", dialect="duckdb")
    with pytest.raises(OptionError, match="unknown language"):
        export(policy, to="sas")  # type: ignore[arg-type]


def test_the_r_script_gives_every_cell_that_apply_gives(tmp_path: Path) -> None:
    if shutil.which("Rscript") is None:
        lacking("R is not installed (Debian package r-base-core)")
    tried = [
        case
        for case in (*cases(), *column_cases())
        # R reads an empty text as missing, and has no whole numbers beyond 2^53.
        if not {"", str(2**60)} & {cell for c in case.policy.clusters for m in c.members for cell in m}
        and not any({"", 2**60, 2**60 + 2} & set(column.to_pylist()) for column in case.rows.columns)
        and not (case.policy.codebooks and case.unseen == "suppress")
    ]
    assert len(tried) > 3
    calls = ["recoded <- list()"]
    for number, case in enumerate(tried):
        folder = tmp_path / str(number)
        folder.mkdir()
        export(case.policy, to="r", unseen=case.unseen, output=folder / "recode.R")
        lines = [",".join(map(csv_cell, case.rows.column_names))]
        lines += [",".join(map(csv_cell, row.values())) for row in case.rows.to_pylist()]
        (folder / "in.csv").write_text("\n".join(lines) + "\n", newline="")
        calls.append(
            f"""local({{
              source("{folder}/recode.R", local = TRUE, encoding = "UTF-8")
              d <- read.csv("{folder}/in.csv", colClasses = "character", na.strings = "", check.names = FALSE,
                encoding = "UTF-8")
              out <- tryCatch(hartley_recode(d), error = function(e) NULL)
              if (!is.null(out)) write.csv(out, "{folder}/out.csv", row.names = FALSE, na = "",
                fileEncoding = "UTF-8")
            }})"""
        )
    (tmp_path / "all.R").write_text("\n".join(calls))
    called = ["Rscript", "--vanilla", str(tmp_path / "all.R")]
    subprocess.run(called, check=True, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    reader = runpy.run_path(str(export_of_nothing(tmp_path)))["records"]
    for number, case in enumerate(tried):
        out = tmp_path / str(number) / "out.csv"
        found = None
        if out.exists():
            _, *body = reader(out.read_bytes().decode(), ",")
            found = sorted(map(tuple, body), key=repr)
        assert found == case.cells, number


def test_the_r_script_writes_missing_cells_of_a_single_column_as_rows(tmp_path: Path) -> None:
    if shutil.which("Rscript") is None:
        lacking("R is not installed (Debian package r-base-core)")
    table = pa.table({"x": ["é", "it's", None, "two\nlines"] * 2, "s": [1, 2, 3, 4, 2, 1, 4, 3]})
    made = release(table, tmp_path / "o.csv", sensitive="s", public="x", require={"distinct_l": 2})
    export(made.policy, to="r", output=tmp_path / "recode.R")
    lines = [",".join(map(csv_cell, row.values())) for row in table.to_pylist()]
    (tmp_path / "in.csv").write_text("x,s\n" + "\n".join(lines) + "\n", newline="", encoding="utf-8")
    called = ["Rscript", "--vanilla", "recode.R", "in.csv", "out.csv"]
    subprocess.run(called, check=True, cwd=tmp_path, env={**os.environ, "LC_ALL": "C.UTF-8"})
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    expected = [cell or "" for cell in Policy.read(made.policy).apply(table)["x"].to_pylist()]
    assert sorted(rows) == sorted([cell] for cell in expected)


def export_of_nothing(folder: Path) -> Path:
    """A Python script, for its reader of CSV."""
    export(cases()[0].policy, to="python", output=folder / "reader.py")
    return folder / "reader.py"
