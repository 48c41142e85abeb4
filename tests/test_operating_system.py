"""The same answers where fcntl, SIGHUP, links, or the fsync of folders are missing."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hartley import operating_system
from hartley.cli.program import run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="plays other systems on Linux")
TESTS = Path(__file__).parent
SYSTEMS = ("linux", "macos", "windows", "without locks")


def on(system: str, code: str, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process that has what a system has."""
    begin = "import sys, other_systems\n" + ("" if system == "linux" else f"other_systems.play({system!r})\n")
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, "-c", begin + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path, **variables},
        check=False,
    )


TABLE = "age,chol,note\n" + "".join(f"{30 + k % 7},{200 + k % 5},β☃{k}\n" for k in range(60))
CALLS = """
from pathlib import Path
from hartley.cli import main
folder = Path(sys.argv[1])
table, policy, certificate = (str(folder / name) for name in ("table.csv", "policy.json", "certificate.json"))
made = ["--policy", policy, "--certificate", certificate]
asked = [*made, "-s", "age", "-p", "chol", "--distinct-l", "2"]
csv, parquet = str(folder / "released.csv"), str(folder / "released.parquet")
codes = []
for call in (
    ["audit", table, "-s", "age", "--json"],
    ["release", table, csv, *asked],
    ["release", table, csv, *asked, "--overwrite"],
    ["verify", csv, "--original", table, *made],
    ["release", table, parquet, *asked, "--overwrite"],
    ["verify", parquet, "--original", table, *made],
    ["audit", table, "-s", "age", "-p", "note", "--memory-limit", "500MB"],
):
    sys.argv = ["hartley", *call]
    try:
        main()
    except SystemExit as end:
        codes.append(end.code)
print(codes, file=sys.stderr)
"""


@pytest.mark.parametrize("system", SYSTEMS)
def test_audit_release_and_verify_work_on_every_system(tmp_path, system):
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = on(system, CALLS, tmp_path, TMPDIR=str(scratch), PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert done.stderr == "[0, 0, 0, 0, 0, 0, 0]\n"
    assert r"\u2603" in done.stdout  # a snowman, which cp1252 lacks
    assert json.JSONDecoder().raw_decode(done.stdout)[0]["rows"] == 60
    made = {
        "released.csv",
        "released.parquet",
        "released.record.json",
        "released.codebook.csv",
        "released.codebook.html",
        "released.codebook.json",
        "policy.json",
        "certificate.json",
    }
    assert {path.name for path in tmp_path.iterdir()} == made | {"table.csv", "scratch"}
    assert list(scratch.glob("hartley-scratch-*")) == []
    assert (tmp_path / "policy.json").stat().st_mode & 0o077 == 0


KILLS = """
import os, shutil, signal
from pathlib import Path
from hartley.releases.writer.staging import recover, staged
folder = Path(sys.argv[1])
finals = {"out": folder / "out.csv", "policy": folder / "keep" / "p.json", "certificate": folder / "c.json"}
deadline, steps, fork = 0, 0, other_systems.fork

def at_step(event, arguments):
    global steps
    if event.split(".")[0] in ("open", "os", "shutil") and event != "os.listdir":
        steps += 1
        if steps == deadline:
            os.kill(os.getpid(), 9)

def write(word, overwrite):
    with staged(finals, overwrite=overwrite, private=("policy",)) as staging:
        for role in finals:
            staging.path(role).write_text(word + role)
        staging.publish()

def seen():
    return {role: path.read_text() if path.exists() else None for role, path in finals.items()}

def content(word):
    return {role: word + role for role in finals}

sys.addaudithook(at_step)
for overwrite in (False, True):
    before = content("old") if overwrite else dict.fromkeys(finals)
    deadline = 0
    while True:
        deadline += 1
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "keep").mkdir(parents=True)
        if overwrite:
            write("old", False)
        child = fork()
        if not child:
            steps = 0
            write("new", overwrite)
            os._exit(0)
        _, end = os.waitpid(child, 0)
        for place in (folder, folder / "keep"):
            recover(place)
        assert seen() in ([content("new")] if not end else [before, content("new")]), (deadline, seen())
        left = [str(path) for path in folder.rglob(".hartley-*")]
        assert not left, (deadline, left)
        if not end:
            break
    print(deadline)
"""


def test_without_links_a_kill_at_any_step_is_undone_or_completed_by_the_next_run(tmp_path):
    done = on("windows", KILLS, tmp_path / "folder", TMPDIR=str(tmp_path))
    assert done.stderr == ""
    assert all(int(steps) > 20 for steps in done.stdout.split())


OPEN_ELSEWHERE = """
from pathlib import Path
from hartley.errors import WriteError
from hartley.releases.writer.staging import staged
folder = Path(sys.argv[1])
finals = {"out": folder / "out.csv", "policy": folder / "p.json"}
for path in finals.values():
    path.write_text("old")
with open(finals[sys.argv[2]]):
    try:
        with staged(finals, overwrite=True) as staging:
            for role in finals:
                staging.path(role).write_text("new")
            staging.publish()
    except WriteError as error:
        print(error)
print(*sorted((path.name, path.read_text()) for path in folder.iterdir()))
"""


@pytest.mark.parametrize("which", ["out", "policy"])
def test_a_file_that_another_program_has_open_changes_nothing(tmp_path, which):
    folder = tmp_path / "folder"
    folder.mkdir()
    done = on("windows", OPEN_ELSEWHERE, folder, which, TMPDIR=str(tmp_path))
    assert done.stderr == ""
    message, found = done.stdout.splitlines()
    assert message.endswith("the file is open; nothing was changed")
    assert found == "('out.csv', 'old') ('p.json', 'old')"


HELD = """
import os
from pathlib import Path
from hartley.scratch import remove_abandoned, scratch_folder
import hartley.operating_system as system
mine = scratch_folder()
dead = Path(sys.argv[1]) / "hartley-scratch-dead"
dead.mkdir()
(dead / "lock").touch()
(dead.parent / "hartley-scratch-before-its-lock").mkdir()
remove_abandoned(Path(sys.argv[1]))
print(mine.is_dir(), dead.is_dir(), len(list(dead.parent.glob("hartley-scratch-*"))))
with system.sole_user(dead.parent):
    print(len([name for name in os.listdir(sys.argv[1]) if name.startswith("hartley-folder-")]))
"""


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("linux", "True False 1 0"),
        ("macos", "True False 1 0"),
        ("windows", "True False 1 1"),
        ("without locks", "True True 3 1"),
    ],
)
def test_living_processes_keep_their_folders_and_those_of_dead_ones_go(tmp_path, system, said):
    done = on(system, HELD, tmp_path, TMPDIR=str(tmp_path))
    assert (" ".join(done.stdout.split()), done.stderr) == (said, "")


def test_a_reader_that_goes_away_says_so_in_the_words_of_its_system(monkeypatch):
    invalid = OSError(errno.EINVAL, "Invalid argument")
    assert operating_system.is_closed_pipe(BrokenPipeError())
    assert not operating_system.is_closed_pipe(invalid)
    monkeypatch.setattr(operating_system, "IS_WINDOWS", True)
    assert operating_system.is_closed_pipe(invalid)


def test_a_gate_keeps_its_exit_code_where_a_closed_pipe_is_an_invalid_argument(tmp_path, monkeypatch):
    class Closed(io.StringIO):
        def write(self, _):
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(operating_system, "IS_WINDOWS", True)
    monkeypatch.setattr(sys, "stdout", Closed())
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    for form in ([], ["--json"]):
        asked = ["audit", str(tmp_path / "table.csv"), "-s", "age", "--require", "distinct-l=50"]
        assert run([*asked, *form]) == 3


def test_only_one_module_names_what_some_systems_lack():
    modules = "fcntl|msvcrt|resource|termios|pwd|grp|pty"
    calls = (
        r"os\.(fork|fsync|getuid|geteuid|sched_getaffinity)|signal\.SIG(HUP|ALRM|KILL)|sys\.platform|os\.name"
    )
    lacking = re.compile(rf"^\s*(import|from) ({modules})\b|\b({calls})\b", re.MULTILINE)
    sources = Path(operating_system.__file__).parent.rglob("*.py")
    found = {path.name for path in sources if lacking.search(path.read_text("utf-8"))}
    assert found == {"operating_system.py"}
