"""Gates: the pre-commit hook and the action, run as they would be."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
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
    assert gate(["--sensitive=age", str(tables / "good.csv")]) == 2
    assert gate(arguments) == 0
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="the action runs bash")
def test_the_action_runs_its_audit_step(tables: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = action["runs"]["steps"][1]["run"]
    (tables / "hartley").write_text(
        textwrap.dedent(f"""\
        #!{sys.executable}
        import sys
        sys.path.insert(0, {str(ROOT / "src")!r})
        from hartley.cli import main
        main()
        """)
    )
    (tables / "hartley").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tables}{os.pathsep}{os.environ['PATH']}",
        "TABLE": "bad.csv",
        "SENSITIVE": "age\n",
        "PUBLIC": "chol",
        "REQUIRE": "distinct-l=2\nrow-k=1",
        "ARGUMENTS": "",
        "REPORT": str(tables / "report.json"),
        "GITHUB_OUTPUT": str(tables / "outputs"),
    }
    ended = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], cwd=tables, env=environment, check=False
    )
    assert ended.returncode == 3
    assert '"distinct_l": 1' in (tables / "report.json").read_text()
    assert (tables / "outputs").read_text() == f"report={tables / 'report.json'}\n"
