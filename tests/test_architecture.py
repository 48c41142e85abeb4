"""The house rules that a look at the tree can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hartley

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
FOR_USERS = [*SOURCES, ROOT / "README.md", ROOT / "pyproject.toml", ROOT / "constraints.txt"]


def test_layers_are_kept():
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_every_public_name_is_there_and_is_named_for_type_checkers():
    for name in hartley.__all__:
        assert getattr(hartley, name) is not None
    tree = ast.parse((ROOT / "src/hartley/__init__.py").read_text(encoding="utf-8"))
    for_checkers = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.If)
        for item in node.body
        if isinstance(item, ast.ImportFrom)
        for alias in item.names
    }
    assert for_checkers == set(hartley.__all__)
    assert sorted(hartley.__all__) == hartley.__all__


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = hartley.no_such_name


def test_no_module_has_a_name_that_says_nothing():
    empty = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core"}
    assert [path for path in SOURCES if path.stem in empty] == []


@pytest.mark.parametrize("path", FOR_USERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_for_users_names_a_machine_or_a_registry(path):
    found = re.findall(
        r"/work/|/root/|/home/\w|\.\./shared|index-url|https?://\S*/simple", path.read_text("utf-8")
    )
    assert found == []


def test_the_version_is_one():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == hartley.__version__


def test_importing_hartley_is_light():
    heavy = [
        "numba",
        "numpy",
        "scipy",
        "duckdb",
        "pyarrow",
        "pandas",
        "polars",
        "altair",
        "starlette",
        "rich",
    ]
    code = f"import sys, hartley; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
