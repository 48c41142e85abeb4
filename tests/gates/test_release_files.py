"""What a release of the package needs: one version everywhere, bounds that agree, an image without rights."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
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


def instructions(path: Path) -> list[tuple[str, str]]:
    """The instructions of a container's definition, lines that go on joined."""
    text = re.sub(r"\\\n\s*", "", path.read_text())
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_definition_of_the_image_is_as_a_linter_wants_it() -> None:
    told = instructions(ROOT / "Containerfile")
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}
    assert {word for word, _ in told} <= known
    assert told[0][0] == "FROM"
    image = r"([\w/]+):([\w.-]+)@sha256:[0-9a-f]{64}(?: AS (\w+))?"
    stages = [re.fullmatch(image, rest) for word, rest in told if word == "FROM"]
    assert all(stage is not None and stage[2] != "latest" for stage in stages)
    assert len({rest.split()[0] for word, rest in told if word == "FROM"}) == 1
    made = {stage[3] for stage in stages if stage is not None}
    for word, rest in told:
        if word in ("ENTRYPOINT", "CMD"):
            assert isinstance(json.loads(rest), list)
        if word == "WORKDIR":
            assert rest.startswith("/")
        if word == "RUN":
            assert "sudo" not in rest
            assert "pip install" not in rest or "--no-cache-dir" in rest
            for extra in re.findall(r"\[([\w,]+)\]", rest):
                assert set(extra.split(",")) <= set(PROJECT["optional-dependencies"])
        if word == "COPY" and not rest.startswith("--from="):
            assert all((ROOT / name).exists() for name in rest.split()[:-1])
        if word == "COPY" and rest.startswith("--from="):
            assert rest.split()[0].removeprefix("--from=") in made


def test_the_image_is_built_and_runs_where_there_is_an_engine() -> None:
    if os.environ.get("HARTLEY_TESTS") != "long":
        pytest.skip("building an image takes minutes; HARTLEY_TESTS=long does it, and so does the release")
    engine = shutil.which("podman") or shutil.which("docker")
    if engine is None or subprocess.run([engine, "info"], capture_output=True, check=False).returncode:
        pytest.skip("neither docker nor podman answers here")
    subprocess.run(
        [engine, "build", "--file", "Containerfile", "--tag", "hartley:test", "."], cwd=ROOT, check=True
    )
    run = [engine, "run", "--rm", "--read-only", "--tmpfs", "/tmp"]  # noqa: S108 (inside the container)
    done = subprocess.run([*run, "hartley:test", "--version"], capture_output=True, text=True, check=True)
    assert PROJECT["version"] in done.stdout
    who = [*run, "--entrypoint", "id", "hartley:test", "-u"]
    assert subprocess.run(who, capture_output=True, text=True, check=True).stdout.strip() == "10001"


def test_the_workflow_builds_attests_and_lists_what_is_inside() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    assert set(jobs) == {"build", "test", "image", "publish"}
    used = [step["uses"].split("@")[0] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert {"actions/attest-build-provenance", "actions/attest-sbom"} <= set(used)
    assert all("@" in step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step)
    assert {*jobs["publish"]["needs"]} == {"test", "image"}
    assert "cyclonedx" in " ".join(step.get("run", "") for step in jobs["build"]["steps"])


def test_what_makes_a_release_is_named_to_the_last_bit() -> None:
    pinned = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    for path in [*(ROOT / ".github/workflows").glob("*.y*ml"), ROOT / "action.yml"]:
        text = path.read_text()
        used = re.findall(r"uses:\s*(.+)", text)
        assert len(used) == len(re.findall(r"\buses\b", text))
        assert all(pinned.fullmatch(one.strip()) for one in used), path.name
    tools = (ROOT / "constraints-build.txt").read_text().splitlines()[1:]
    assert all(re.fullmatch(r"[a-z0-9.-]+==[0-9][\w.]*", tool) for tool in tools)
    versions = dict(tool.split("==") for tool in tools)
    assert {"build", "hatchling", "cyclonedx-bom", "uv"} <= set(versions)
    assert f"hatchling=={versions['hatchling']}" in (ROOT / "constraints.txt").read_text().splitlines()
    made = (ROOT / ".github/workflows/release.yml").read_text(), (ROOT / "Containerfile").read_text()
    for line in re.sub(r"\\\n\s*", "", "\n".join(made)).splitlines():
        # What is tested with the newest versions, and what a plain install brings, are meant to float.
        if "pip install" in line and ".whl" not in line:
            assert "--constraint constraints" in line, line


def test_nothing_names_the_host_of_a_registry() -> None:
    for path in FILES:
        assert not re.search(r"https?://|\b[\w-]+\.(io|org|com|dev)\b", path.read_text()), path.name
