"""A folder that holds modules of any name: no command runs them, nor does a process that a command starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from planted_names import NAMES, plant, ran, script

ROLES = "-s age -p cholesterol"
CALLS = f"""
--help
audit t.csv
audit t.csv {ROLES} --stochastic
frontier t.csv {ROLES} --search greedy --plot f.svg
key mine.key
release t.csv o.csv {ROLES} --distinct-l 5 --key mine.key
verify o.csv --original t.csv --policy o.policy.json --public-key mine.key.pub
apply o.policy.json t.csv again.csv
compare t.csv {ROLES} --distinct-l 5 --time-limit 2
report t.csv {ROLES} --distinct-l 5 -o r.html
export o.policy.json --to sql
export o.policy.json --to dbt -o project
sql audit {ROLES}
reproduce
""".strip().splitlines()
BESIDE = """
import subprocess, sys
from numba.core import config
from hartley import hot_loops
from hartley.operating_system import start_python
sys.path[:0] = ["", sys.argv[1]]
hot_loops._watch.install()
print(config.CACHE_DIR, flush=True)
sys.exit(start_python("import multiprocessing, threading, secrets, hartley.web.worker").wait())
"""


def test_no_command_runs_a_file_of_the_folder_it_is_called_in(tmp_path: Path) -> None:
    assert len(NAMES) >= 40
    folder = plant(tmp_path / "here")
    options = ["--sensitive=age", "--public=sex", "--require=distinct-l=2"]
    calls = [
        *([script("hartley"), *call.split()] for call in CALLS),
        [script("hartley-gate"), *options, "t.csv"],
    ]
    for call in calls:
        done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, ran(folder)) == (0, []), (call, done.stderr)
    assert not (tmp_path / "kept").exists()


def test_as_a_module_of_python_no_package_is_taken_from_the_folder(tmp_path: Path) -> None:
    # What Python loads before it comes to hartley is not ours to choose; `python -P -m hartley` is safe.
    folder = plant(tmp_path / "here", ["click", "rich", "numpy", "duckdb", "multiprocessing", "csv"])
    call = [sys.executable, "-m", "hartley", *CALLS[2].split()]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, ran(folder)) == (0, []), done.stderr


def test_no_process_of_ours_has_the_folder_on_its_path_even_where_ours_has(tmp_path: Path) -> None:
    folder = plant(tmp_path / "here")
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    code = [sys.executable, "-P", "-c", BESIDE, str(folder)]
    done = subprocess.run(code, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, ran(folder), done.stdout, done.stderr) == (0, [], "\n", "")
