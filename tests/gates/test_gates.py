"""Gates: the pre-commit hook and the action, run as they would be."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from hartley.cli.gate import gate

ROOT = Path(__file__).resolve().parents[2]
GOOD = "age,chol\n30,180\n41,180\n30,214\n41,214\n"
BAD = "age,chol\n30,180\n41,214\n"


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "bad.csv").write_text(BAD)
    return tmp_path


def test_the_hook_runs_as_pre_commit_runs_it(tables: Path) -> None:
    """The entry is a script of the package; the arguments of the configuration come first, then the files."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    scripts = (ROOT / "pyproject.toml").read_text()
    assert f'{hook["entry"]} = "hartley.cli.gate:main"' in scripts
    arguments = ["--sensitive=age", "--public=chol", "--require=distinct-l=2"]
    called = [sys.executable, "-c", "from hartley.cli.gate import main; main()", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ended = subprocess.run(
        [*called, "good.csv", "bad.csv"],
        cwd=tables,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 3
    assert "bad.csv does not pass" in ended.stderr
    assert "good.csv does not pass" not in ended.stderr


def test_the_exit_code_is_the_worst(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--sensitive=age", "--public=chol", "--require=distinct-l=2"]
    assert gate([*arguments, str(tables / "good.csv")]) == 0
    assert gate([*arguments, str(tables / "bad.csv"), str(tables / "good.csv")]) == 3
    assert gate([*arguments, str(tables / "none.csv")]) == 2
    assert "Traceback" not in capsys.readouterr().err


AUDIT = ("--sensitive=age", "--public=chol", "--require=distinct-l=2")


@pytest.mark.parametrize(
    "arguments",
    [
        AUDIT,
        (*AUDIT, "--"),
        (*AUDIT, "-x.csv"),
        (*AUDIT, "--text=x.csv"),
        (*AUDIT, "--missing-word=x.csv", "good.csv"),
        (*AUDIT, "--help", "good.csv"),
        ("--sensitive=age", "--public=chol", "good.csv"),
        ("good.csv",),
        ("--help",),
        (),
    ],
)
def test_a_gate_that_has_audited_nothing_fails(
    arguments: tuple[str, ...],
    tables: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Files may be called like options, and an option may end the program early; neither lets them pass."""
    monkeypatch.chdir(tables)
    for name in ("-x.csv", "--text=x.csv", "--missing-word=x.csv"):
        Path(name).write_text(BAD)
    assert gate(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("hartley-gate: ")


def test_files_behind_two_dashes_are_audited_whatever_they_are_called(
    tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tables)
    Path("--text=x.csv").write_text(BAD)
    Path("-x.csv").write_text(GOOD)
    assert gate([*AUDIT, "--", "-x.csv"]) == 0
    assert gate([*AUDIT, "--", "-x.csv", "--text=x.csv"]) == 3
    said = capsys.readouterr().err
    assert said == "hartley-gate: --text=x.csv does not pass: distinct-l=2 is required, 1 was found\n"


@pytest.fixture
def action(tables: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the audit step of the action as GitHub does, with inputs of a table that passes."""
    (tables / "hartley-gate").write_text(
        textwrap.dedent(f"""\
        #!{sys.executable}
        import sys
        sys.path.insert(0, {str(ROOT / "src")!r})
        from hartley.cli.gate import main
        main()
        """)
    )
    (tables / "hartley-gate").chmod(0o755)
    script = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][1]["run"]

    def step(**inputs: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": f"{tables}{os.pathsep}{os.environ['PATH']}",
            "TABLE": "good.csv",
            "SENSITIVE": "age\n",
            "PUBLIC": "chol",
            "REQUIRE": "distinct-l=2\nrow-k=1",
            "ARGUMENTS": "",
            "REPORT": str(tables / "report.json"),
            "GITHUB_OUTPUT": str(tables / "outputs"),
        }
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=tables,
            env=environment | inputs,
            capture_output=True,
            text=True,
            check=False,
        )

    return step


@pytest.mark.skipif(os.name == "nt", reason="the action runs bash")
def test_the_action_passes_what_holds_and_names_what_does_not(tables: Path, action) -> None:
    assert action().returncode == 0
    ended = action(TABLE="bad.csv")
    assert ended.returncode == 3
    assert "bad.csv does not pass: distinct-l=2 is required, 1 was found" in ended.stderr
    assert '"distinct_l": 1' in (tables / "report.json").read_text()
    assert (tables / "outputs").read_text() == 2 * f"report={tables / 'report.json'}\n"


@pytest.mark.skipif(os.name == "nt", reason="the action runs bash")
@pytest.mark.parametrize(
    "inputs", [{"TABLE": "--help"}, {"REQUIRE": ""}, {"REQUIRE": "\n"}, {"ARGUMENTS": "--help"}]
)
def test_an_action_that_has_audited_nothing_fails(action, inputs: dict[str, str]) -> None:
    ended = action(**inputs)
    assert ended.returncode == 2
    assert "hartley-gate: " in ended.stderr
