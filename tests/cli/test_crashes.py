"""Wherever a command that writes dies, the old files or the new ones are there, whole; the next tidies up."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from crashes import WATCH
from hartley.cli.program import run
from hartley.releases.writer.staging import write_files
from sample_sizes import sample

pytestmark = pytest.mark.skipif(os.name == "nt", reason="other systems are played by test_operating_system")
TABLE = "age,chol\n" + "".join(f"{30 + k % 7},{200 + k % 5}\n" for k in range(40))
ROLES = "-s age -p chol"
POLICY = "made.policy.json"
CALLS = {
    "release": f"release t.csv o.csv {ROLES} --distinct-l 2 --key mine --overwrite",
    "apply": f"apply {POLICY} t.csv o.csv --overwrite",
    **{
        language: f"export {POLICY} --to {language} -o o.txt --overwrite"
        for language in ("sql", "python", "r", "stata", "spss", "csv")
    },
    "dbt": f"export {POLICY} --to dbt -o . --overwrite",
    "report": f"report t.csv {ROLES} --distinct-l 2 --search greedy -o o.html --for curator --overwrite",
    "frontier": f"frontier t.csv {ROLES} --search greedy --plot o.svg",
    "compare": f"compare t.csv {ROLES} --distinct-l 2 --time-limit 1 --plot o.svg",
    "reproduce": "reproduce -o .",
    "key": "key o",
}
TO_PUBLISH = {"o.csv", "o.certificate.json", "o.certificate.sig.json", "o.pub"} | {
    f"o.codebook.{ending}" for ending in ("csv", "html", "json")
}


def called(call: str) -> None:
    assert run(call.split()) == 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "t.csv").write_text(TABLE)
    monkeypatch.chdir(tmp_path / "in")
    called("key mine")
    called(f"release t.csv made.csv {ROLES} --distinct-l 2")
    (tmp_path / "out").mkdir()
    for path in (tmp_path / "in").iterdir():
        (tmp_path / "out" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "out" / "mine").chmod(0o600)
    monkeypatch.chdir(tmp_path / "out")
    return tmp_path / "out"


def files(folder: Path) -> dict[str, bytes]:
    """Whatever is seen in a folder, by name; what is hidden is not looked for."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith(".hartley-") for part in path.parts):
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


@pytest.mark.parametrize("name", CALLS)
def test_wherever_a_command_dies_all_is_old_or_all_is_new(folder: Path, name: str) -> None:
    call = CALLS[name]
    given = files(folder)
    steps = WATCH.run(folder, lambda: called(call))
    assert WATCH.written_in_place == []
    made = sorted(set(files(folder)) - set(given))
    assert made
    for path in made:
        mode = stat.S_IMODE((folder / path).stat().st_mode)
        assert name == "reproduce" or (mode == 0o600) == (path not in TO_PUBLISH), path
    assert steps > 20
    old = {path: b"old " + path.encode() for path in made}
    stride = max(1, steps // sample(10, steps))
    outcomes = set()
    for deadline in range(1, steps + 1, stride):
        for place in made:
            (folder / place).unlink(missing_ok=True)
            if name != "key":
                (folder / place).write_bytes(old[place])
        before = files(folder)
        if os.environ.get("HARTLEY_TESTS") == "long":
            program = [sys.executable, str(Path(__file__).parents[1] / "crashes.py")]
            subprocess.run([*program, str(deadline), str(folder), *call.split()], capture_output=True)
        else:
            WATCH.run(folder, lambda: called(call), deadline)
        after = files(folder)
        is_old = after == before
        outcomes.add(is_old)
        assert is_old or (
            set(after) == {*given, *made} and not any(after[path] == old[path] for path in made)
        )
        following = {(folder / path).with_name("next"): b"" for path in made}
        write_files(following, overwrite=True, is_private=False)
        for path in following:
            path.unlink()
        assert files(folder) == after, f"died at step {deadline} of {steps}"
        left = [path.name for path in folder.rglob("*") if path.name.startswith(".") or path.is_symlink()]
        assert left == [], f"died at step {deadline} of {steps}"
    assert True in outcomes
    for path in made:
        (folder / path).unlink()
    called(call)
    assert sorted(set(files(folder)) - set(given)) == made
