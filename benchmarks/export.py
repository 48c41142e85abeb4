"""How long an export takes, and how exported SQL does against a bare join.

python benchmarks/export.py [--values 1000000] [--rows 10000000]
"""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from pathlib import Path

import duckdb
from meter import forget_peak, peak_gigabytes

from hartley.releases.export import statement
from hartley.releases.policy import Choices, Cluster, MeasuredColumn, Policy, Reading, RecodedColumn
from hartley.workflow.warehouse.export_codebook import export


def cpu() -> float:
    """Return the CPU time of this process, all threads together."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def policy_of(values: int) -> Policy:
    """Return the policy of a codebook of whole numbers, ten to a cluster."""
    clusters = tuple(
        Cluster(label=(str(first + 5),), members=tuple((str(value),) for value in range(first, first + 10)))
        for first in range(0, values, 10)
    )
    return Policy(
        hartley="0",
        key="0" * 64,
        columns=("x", "s"),
        sensitive=(MeasuredColumn(name="s", kind="number"),),
        public=(RecodedColumn(name="x", kind="number", coding="midpoint"),),
        reading=Reading(),
        choices=Choices(
            target={"kind": "distinct_l", "number": 2},
            leakage="l0",
            utility="distortion",
            codeword="midpoint",
            search="optimal",
            labels="midpoint",
        ),
        clusters=clusters,
    )


def timed(connection: duckdb.DuckDBPyConnection, query: str, into: Path | None = None) -> float:
    """Return the CPU time of the best of three runs of a query whose result is summed up, or written."""
    summed = f"CREATE OR REPLACE TEMP TABLE result AS SELECT sum(x) AS total FROM ({query}) AS q"
    runs = []
    for _ in range(3):
        start = cpu()
        connection.execute(summed if into is None else f"COPY ({query}) TO '{into}' (FORMAT parquet)")
        runs.append(cpu() - start)
    return min(runs)


def main() -> None:
    """Measure, and print one line of JSON for each figure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--values", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=10_000_000)
    given = parser.parse_args()
    policy = policy_of(given.values)
    for to, dialect in (
        ("sql", "duckdb"),
        ("sql", "snowflake"),
        ("dbt", None),
        ("python", None),
        ("r", None),
        ("csv", None),
    ):
        forget_peak()
        start = cpu()
        export(policy, to=to, dialect=dialect)  # type: ignore[arg-type]
        print(
            json.dumps(
                {
                    "export": to,
                    "dialect": dialect,
                    "values": given.values,
                    "seconds": round(cpu() - start, 2),
                    "peak_mb": round(peak_gigabytes() * 1024),
                }
            )
        )
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "rows.parquet"
        connection.execute(
            "COPY (SELECT (hash(i) % 10000)::BIGINT AS x, i % 97 AS s "
            f"FROM range({given.rows}) AS t(i)) TO '{path}'"
        )
        few = policy_of(10_000)
        script = export(few, to="sql", table=str(path)).text
        *before, query = [one for one in script.split(";\n") if one.strip()]
        for one in before:
            connection.execute(one)
        joined = f"'{path}' AS t {{}} JOIN hartley_codebook AS b ON t.x = b.k0"
        # An inner join would lose the rows of values that the codebook lacks; a left one keeps every row.
        bare = {how: f"SELECT b.l0 AS x FROM {joined.format(how)}" for how in ("", "LEFT")}
        for into in (None, Path(folder) / "out.parquet"):
            inner, left, exported = (timed(connection, one, into) for one in (bare[""], bare["LEFT"], query))
            told = {
                "rows": given.rows,
                "bare_inner_join": inner,
                "bare_left_join": left,
                "exported": exported,
                "times_the_left_join": exported / left,
                "peak_mb": round(peak_gigabytes() * 1024),
            }
            print(
                json.dumps(
                    {"written": into is not None} | {name: round(figure, 3) for name, figure in told.items()}
                )
            )
        small = policy_of(statement.CASE_LIMIT)
        query = export(small, to="sql", table=str(path)).text.rstrip().removesuffix(";")
        connection.execute(f"CREATE VIEW small AS SELECT x % {statement.CASE_LIMIT} AS x, s FROM '{path}'")
        query = query.replace(f'"{path}"', "small")
        print(
            json.dumps(
                {
                    "rows": given.rows,
                    "conditions": statement.CASE_LIMIT,
                    "seconds": round(timed(connection, query), 3),
                    "peak_mb": round(peak_gigabytes() * 1024),
                }
            )
        )


if __name__ == "__main__":
    main()
