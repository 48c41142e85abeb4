"""The dbt part, run by dbt itself on DuckDB where it is installed."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hartley.releases.export import statement
from hartley.releases.policy import Policy
from hartley.workflow import release
from hartley.workflow.warehouse.export_codebook import export

DBT = os.environ.get("HARTLEY_DBT") or shutil.which("dbt")
TABLE = pa.table(
    {
        "age": [30, 41, 52, 63] * 6,
        "t x": ["a", "it's", "{{ b }}", "null", "", None, "{% c %}", "=d", 'é\n"q"', "−", "\\", "0"] * 2,
        "n": [0.0, -0.0, float("nan"), 1.5, None, 2.25] * 4,
        "d": [dt.date(2024, 2, 29), None, dt.date(1999, 12, 31)] * 8,
    }
)
PROJECT = "name: visits_project\nversion: '1.0.0'\nprofile: hartley\n"
SOURCE = "{{{{ config(materialized='view') }}}}\nselect * from read_parquet('{path}')\n"


def profile(database: Path) -> str:
    return f"hartley:\n  target: dev\n  outputs:\n    dev: {{type: duckdb, path: '{database}', threads: 1}}\n"


def run_dbt(project: Path, output: Path) -> None:
    """Build the project, and write what is released as Parquet, by the DuckDB that dbt has."""
    query = f"copy (select * from hartley_released) to '{output}' (format parquet)"  # noqa: S608 (a path of the test)
    (project / "macros").mkdir()
    macro = "{% macro copy_out() %}{% do run_query(" + repr(query) + ") %}{% endmacro %}"
    (project / "macros" / "copy_out.sql").write_text(macro)
    folders = ["--project-dir", str(project), "--profiles-dir", str(project)]
    more = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DO_NOT_TRACK": "1", "DBT_VERSION_CHECK": "false"}
    for command in (["build", *folders], ["run-operation", "copy_out", *folders]):
        done = subprocess.run(
            [str(DBT), *command], capture_output=True, text=True, check=False, env={**os.environ, **more}
        )
        assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.skipif(DBT is None, reason="dbt is not installed (pip install dbt-duckdb, or set HARTLEY_DBT)")
@pytest.mark.parametrize("limit", [1, 200])
def test_dbt_gives_every_cell_that_apply_gives(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statement, "CASE_LIMIT", limit)
    asked: list[dict[str, Any]] = [
        {"public": "t x", "withhold": 2},
        {"public": "n"},
        {"public": ["d", "t x"]},
        {"public": ["n", "t x"], "shape": "columns"},
    ]
    for number, more in enumerate(asked if limit == 1 else asked[:1]):
        made = release(
            TABLE, tmp_path / f"o{number}.csv", sensitive="age", require={"distinct_l": 2, "row_k": 2}, **more
        )
        policy = Policy.read(made.policy)
        project = tmp_path / f"project{number}"
        export(policy, to="dbt", table="visits", output=project)
        source = tmp_path / f"visits{number}.parquet"
        pq.write_table(TABLE, source)
        (project / "models" / "visits.sql").write_text(SOURCE.format(path=source))
        (project / "dbt_project.yml").write_text(PROJECT)
        (project / "profiles.yml").write_text(profile(tmp_path / f"db{number}.duckdb"))
        run_dbt(project, tmp_path / f"found{number}.parquet")
        found = pq.read_table(tmp_path / f"found{number}.parquet")
        expected = policy.apply(TABLE)
        assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, expected.to_pylist()))
