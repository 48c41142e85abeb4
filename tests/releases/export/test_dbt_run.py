"""The dbt part, run by dbt itself on DuckDB."""

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

from hartley import release
from hartley.releases.export import statement
from hartley.releases.policy import Policy
from hartley.workflow.warehouse.export_codebook import export
from servers import lacking

OWN = Path(__file__).resolve().parents[3] / ".venv-dbt" / "bin" / "dbt"
TABLE = pa.table(
    {
        "age": [30, 41, 52, 63] * 6,
        "t x": ["a", "it's", "{{ b }}", "null", "", None, "{% c %}", "=d", 'é\n"q"', "−", "\\", "0"] * 2,
        "n": [0.0, -0.0, float("nan"), 1.5, None, 2.25] * 4,
        "d": [dt.date(2024, 2, 29), None, dt.date(1999, 12, 31)] * 8,
    }
)
ASKED: list[tuple[int, dict[str, Any]]] = [
    (200, {"public": "t x", "withhold": 2}),
    (1, {"public": "t x", "withhold": 2}),
    (1, {"public": "n"}),
    (1, {"public": ["d", "t x"]}),
    (1, {"public": ["n", "t x"], "shape": "columns"}),
]
PROJECT = """name: visits_project
version: '1.0.0'
profile: hartley
on-run-end: "copy (select * from hartley_released) to '{output}' (format parquet)"
"""
SOURCE = "{{{{ config(materialized='view') }}}}\nselect * from read_parquet('{path}')\n"
PROFILE = "hartley:\n  target: dev\n  outputs:\n    dev: {{type: duckdb, path: '{path}', threads: 1}}\n"
# One process for all projects: most of what dbt takes is its start.
BUILD = """
import sys
from dbt.cli.main import dbtRunner
for project in sys.argv[1:]:
    folders = ["--project-dir", project, "--profiles-dir", project, "--target-path", project + "/target"]
    done = dbtRunner().invoke(["--quiet", "build", *folders])
    print(project, done.success, *(f"{one.node.name}:{one.status.value}" for one in done.result or ()))
"""


def build(projects: list[Path]) -> list[list[str]]:
    """Build projects, and return the words that were printed of each: its folder, success, and every node."""
    named = os.environ.get("HARTLEY_DBT") or (str(OWN) if OWN.exists() else shutil.which("dbt"))
    if named is None:
        lacking("dbt is not installed (scripts/setup-dbt installs it, or HARTLEY_DBT names it)")
    python = Path(named).resolve().with_name("python")
    more = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DO_NOT_TRACK": "1", "DBT_VERSION_CHECK": "false"}
    called = [str(python), "-c", BUILD, *map(str, projects)]
    done = subprocess.run(
        called, capture_output=True, text=True, check=False, env={**os.environ, **more}, cwd=projects[0]
    )
    told = [line.split() for line in done.stdout.splitlines() if line.startswith(str(projects[0].parent))]
    assert len(told) == len(projects), done.stdout[-3000:] + done.stderr[-3000:]
    return told


def test_dbt_gives_every_cell_that_apply_gives_and_its_tests_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "visits.parquet"
    pq.write_table(TABLE, source)
    projects, expected = [], []
    for number, (limit, more) in enumerate(ASKED):
        monkeypatch.setattr(statement, "CASE_LIMIT", limit)
        made = release(
            TABLE, tmp_path / f"o{number}.csv", sensitive="age", require={"distinct_l": 2, "row_k": 2}, **more
        )
        policy = Policy.read(made.policy)
        project = tmp_path / f"project{number}"
        export(policy, to="dbt", table="visits", output=project)
        (project / "models" / "visits.sql").write_text(SOURCE.format(path=source))
        (project / "dbt_project.yml").write_text(PROJECT.format(output=project / "found.parquet"))
        (project / "profiles.yml").write_text(PROFILE.format(path=project / "db.duckdb"))
        projects.append(project)
        expected.append(policy.apply(TABLE))
    # The last project asks too much of what is released.
    broken = tmp_path / "broken"
    shutil.copytree(projects[0], broken)
    tests = broken / "models" / "hartley_recoded.yml"
    tests.write_text(tests.read_text().replace("l: 2", "l: 99").replace("k: 2", "k: 99"))
    *told, refused = build([*projects, broken])
    for project, cells, (_, success, *nodes) in zip(projects, expected, told, strict=True):
        assert success == "True", nodes
        assert sum(one.endswith(":pass") for one in nodes) == 2
        found = pq.read_table(project / "found.parquet")
        assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, cells.to_pylist()))
    assert refused[1] == "False"
    assert sum(one.startswith("hartley_") and one.endswith(":fail") for one in refused) == 2
