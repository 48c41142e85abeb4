"""What a release of the package needs: one version everywhere, bounds that agree, an image without rights."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FILES = [
    ROOT / "Containerfile",
    ROOT / "action.yml",
    ROOT / ".pre-commit-hooks.yaml",
    ROOT / "packaging/conda/recipe.yaml",
    ROOT / ".github/workflows/release.yml",
]
OTHER_NAMES = {"duckdb": "python-duckdb"}


def test_every_place_says_the_same_version() -> None:
    script = runpy.run_path(str(ROOT / "scripts/check_version"))
    assert set(script["versions"]().values()) == {PROJECT["version"]}
    assert script["main"](f"v{PROJECT['version']}") == 0
    assert script["main"]("v9.9.9") == 1


def test_the_conda_recipe_has_the_bounds_of_the_package() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())
    told = set(recipe["requirements"]["run"]) - {"python >=3.11"}
    wanted = set()
    for requirement in PROJECT["dependencies"]:
        if ";" in requirement:
            continue
        name, bound = re.split("(?=>=)", requirement)
        wanted.add(f"{OTHER_NAMES.get(name, name)} {bound}")
    assert told == wanted
    scripts = {f"{name} = {target}" for name, target in PROJECT["scripts"].items()}
    assert set(recipe["build"]["python"]["entry_points"]) == scripts


def test_the_workflow_tests_every_python_on_every_system() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    classifiers = [one.split(" :: ")[-1] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert matrix["python"] == classifiers
    assert [name.split("-")[0] for name in matrix["os"]] == ["ubuntu", "macos", "windows"]
    assert {matrix["dependencies"][0], matrix["include"][0]["dependencies"]} == {"newest", "lowest"}
    publish = workflow["jobs"]["publish"]
    assert publish["permissions"]["id-token"] == "write"
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text()


def test_the_image_runs_as_a_user_without_rights() -> None:
    lines = (ROOT / "Containerfile").read_text().splitlines()
    last = [place for place, line in enumerate(lines) if line.startswith("FROM ")][-1]
    users = [line.split()[1] for line in lines[last:] if line.startswith("USER ")]
    assert users
    assert users[-1] not in ("0", "root")
    assert 'ENTRYPOINT ["hartley"]' in lines
    assert not any(line.startswith("ADD ") for line in lines)


def test_nothing_names_the_host_of_a_registry() -> None:
    for path in FILES:
        assert not re.search(r"https?://|\b[\w-]+\.(io|org|com|dev)\b", path.read_text()), path.name
