"""Files appear together or not at all, at whatever moment the process is killed."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from crashes import WATCH
from hartley.errors import WriteError
from hartley.releases.writer.staging import PREFIX, recover, staged
from sample_sizes import sample

ROLES = {"out": "released.csv", "policy": "keep/policy.json", "certificate": "certificate.json"}

WRITER = """
import os, signal, sys
from pathlib import Path
from hartley.releases.writer.staging import staged

folder, word, overwrite, deadline = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "yes", int(sys.argv[4])
roles = {"out": "released.csv", "policy": "keep/policy.json", "certificate": "certificate.json"}
steps = 0

def at_step(event, arguments):
    # Every audited operation on a file is a moment at which the process can die.
    global steps
    if event.split(".")[0] in ("open", "os", "shutil", "fcntl") and event != "os.listdir":
        steps += 1
        if steps == deadline:
            os.kill(os.getpid(), signal.SIGKILL)

finals = {role: folder / name for role, name in roles.items()}
sys.addaudithook(at_step)
with staged(finals, overwrite=overwrite, private=("policy",)) as staging:
    for role in finals:
        with staging.path(role).open("w") as stream:
            stream.write(word * 1000)
            stream.flush()
            stream.write(role)
    staging.publish()
print(steps)
"""


def write(folder: Path, word: str, overwrite: bool, deadline: int = 0) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-c", WRITER, str(folder), word, "yes" if overwrite else "no", str(deadline)]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def seen(folder: Path) -> dict[str, str | None]:
    return {
        role: (folder / name).read_text() if (folder / name).exists() else None
        for role, name in ROLES.items()
    }


def content(word: str) -> dict[str, str]:
    return {role: word * 1000 + role for role in ROLES}


def leftovers(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.name.startswith(PREFIX) or path.is_symlink()]


NOTHING = dict.fromkeys(ROLES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "keep").mkdir()
    return tmp_path


def publish(folder: Path, word: str, *, overwrite: bool = False) -> None:
    finals = {role: folder / name for role, name in ROLES.items()}
    with staged(finals, overwrite=overwrite, private=("policy",)) as staging:
        for role, text in content(word).items():
            staging.path(role).write_text(text)
        staging.publish()


def test_files_appear_with_the_codebook_for_its_owner_only(folder: Path) -> None:
    publish(folder, "a")
    assert seen(folder) == content("a")
    assert leftovers(folder) == []
    assert stat.S_IMODE((folder / ROLES["policy"]).stat().st_mode) == 0o600
    assert not (folder / ROLES["out"]).is_symlink()


def test_existing_files_are_overwritten_only_when_asked(folder: Path) -> None:
    publish(folder, "a")
    with pytest.raises(WriteError, match="exists already"):
        publish(folder, "b")
    assert seen(folder) == content("a")
    publish(folder, "b", overwrite=True)
    assert seen(folder) == content("b")
    assert leftovers(folder) == []


def test_one_existing_file_among_three_stops_all(folder: Path) -> None:
    (folder / ROLES["policy"]).write_text("mine")
    with pytest.raises(WriteError, match=r"policy\.json' exists already"):
        publish(folder, "a")
    assert seen(folder) == {**NOTHING, "policy": "mine"}
    assert leftovers(folder) == []


def half_write(finals: dict[str, Path]) -> None:
    with staged(finals) as staging:
        staging.path("out").write_text("half")
        raise KeyboardInterrupt


def test_what_is_not_published_is_removed(folder: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        half_write({role: folder / name for role, name in ROLES.items()})
    assert seen(folder) == NOTHING
    assert leftovers(folder) == []


def test_a_file_that_appears_meanwhile_is_not_overwritten(folder: Path) -> None:
    finals = {role: folder / name for role, name in ROLES.items()}
    with staged(finals) as staging:
        for role in finals:
            staging.path(role).write_text("new")
        (folder / ROLES["certificate"]).write_text("somebody else's")
        with pytest.raises(WriteError):
            staging.publish()
    assert seen(folder) == {**NOTHING, "certificate": "somebody else's"}
    assert leftovers(folder) == []


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("how", ["crash", "kill"])
def test_a_kill_at_any_step_leaves_all_old_or_all_new_files(folder: Path, overwrite: bool, how: str) -> None:
    if overwrite:
        publish(folder, "old")
    before = seen(folder)
    if how == "kill":
        steps = int(write(folder, "new", overwrite).stdout)
    else:
        steps = WATCH.run(folder, lambda: publish(folder, "new", overwrite=overwrite))
    assert steps > 50
    outcomes = set()
    # A process that is really killed is the proof, one that stops where it is the quicker one.
    # From the last step back, which comes after the commit.
    for deadline in range(steps, 0, -1 if how == "crash" else -max(1, steps // sample(10, steps))):
        for name in ROLES.values():
            (folder / name).unlink(missing_ok=True)
        if overwrite:
            publish(folder, "old")
        if how == "kill":
            assert write(folder, "new", overwrite, deadline).returncode == -signal.SIGKILL
        else:
            WATCH.run(folder, lambda: publish(folder, "new", overwrite=overwrite), deadline)
        found = seen(folder)
        assert found in (before, content("new")), f"killed at step {deadline}"
        outcomes.add(found == before)
        recover(folder)
        recover(folder / "keep")
        assert seen(folder) == found
        assert leftovers(folder) == []
    assert outcomes == {True, False}


@pytest.mark.parametrize("role", ["", "2nd", "Out", "../x", "a-b"])
def test_a_role_that_recovery_would_not_know_is_not_written(tmp_path: Path, role: str) -> None:
    with pytest.raises(ValueError, match="a role is a word"), staged({role: tmp_path / "x.csv"}):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_next_run_clears_what_a_killed_one_left(folder: Path) -> None:
    assert write(folder, "new", False, 30).returncode == -signal.SIGKILL
    assert leftovers(folder)
    publish(folder, "later")
    assert seen(folder) == content("later")
    assert leftovers(folder) == []


KILLED_BEFORE_COMMIT = """
import os, signal, sys
from pathlib import Path
from hartley.releases.writer import staging as writing
writing.Staging._commit = lambda staging: os.kill(os.getpid(), signal.SIGKILL)
with writing.staged({"out": Path(sys.argv[1])}, overwrite=True) as staging:
    staging.path("out").write_text("new")
    staging.publish()
"""


def killed_while_replacing(path: Path) -> None:
    path.write_text("old")
    run = subprocess.run([sys.executable, "-c", KILLED_BEFORE_COMMIT, str(path)], check=False)
    assert run.returncode == -signal.SIGKILL
    assert path.is_symlink()


def test_the_old_file_survives_when_the_next_run_names_the_folder_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    killed_while_replacing(tmp_path / "real" / "x.csv")
    with pytest.raises(WriteError, match="exists already"), staged({"out": tmp_path / "link" / "x.csv"}):
        pass
    assert (tmp_path / "real" / "x.csv").read_text() == "old"
    assert leftovers(tmp_path / "real") == []


def test_a_file_that_is_a_link_is_settled_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "x.csv").symlink_to(tmp_path / "far" / "x.csv")
    killed_while_replacing(tmp_path / "far" / "x.csv")
    with staged({"out": tmp_path / "x.csv"}, overwrite=True) as staging:
        staging.path("out").write_text("newer")
        staging.publish()
    assert (tmp_path / "far" / "x.csv").read_text() == (tmp_path / "x.csv").read_text() == "newer"
    assert leftovers(tmp_path / "far") == []


def test_a_copy_of_a_folder_with_leftovers_takes_nothing_from_the_original(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    killed_while_replacing(tmp_path / "one" / "x.csv")
    shutil.copytree(tmp_path / "one", tmp_path / "two", symlinks=True)
    recover(tmp_path / "two")
    assert (tmp_path / "one" / "x.csv").read_text() == "old"
    recover(tmp_path / "one")
    assert (tmp_path / "one" / "x.csv").read_text() == "old"
    assert leftovers(tmp_path / "one") == []


def test_folders_that_no_run_has_made_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "diary").write_text("mine")
    (tmp_path / f"{PREFIX}cache").mkdir()
    (tmp_path / f"{PREFIX}cache" / "note").write_text("mine")
    planted = tmp_path / f"{PREFIX}{'0' * 16}"
    planted.mkdir()
    (planted / "home").write_text(str(tmp_path / "home"))
    other = tmp_path / f"{PREFIX}{'1' * 16}"
    other.mkdir()
    folders = {str(other): other.stat().st_ino, str(tmp_path / "home"): (tmp_path / "home").stat().st_ino}
    (other / "journal").write_text(json.dumps({"folders": folders, "files": []}))
    recover(tmp_path)
    assert (tmp_path / "home" / "diary").read_text() == "mine"
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["diary"]
    assert (tmp_path / f"{PREFIX}cache" / "note").read_text() == "mine"


def test_two_runs_do_not_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    with staged({"out": path}, overwrite=True) as staging:
        staging.path("out").write_text("new")
        staging._point_names()
        with pytest.raises(WriteError, match="another run"), staged({"out": path}, overwrite=True):
            pass
    assert path.read_text() == "old"


def test_a_living_process_keeps_its_workspace(folder: Path) -> None:
    finals = {role: folder / name for role, name in ROLES.items()}
    with staged(finals) as staging:
        script = (
            "import sys, pathlib, hartley.releases.writer.staging as w; w.recover(pathlib.Path(sys.argv[1]))"
        )
        subprocess.run([sys.executable, "-c", script, str(folder)], check=True)
        for role in finals:
            staging.path(role).write_text("new")
        staging.publish()
    assert seen(folder) == dict.fromkeys(ROLES, "new")


def test_a_full_disk_changes_nothing(folder: Path) -> None:
    publish(folder, "old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    finals = {role: folder / name for role, name in ROLES.items()}
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, hard))
    try:
        with pytest.raises(OSError, match="too large"), staged(finals, overwrite=True) as staging:
            staging.path("out").write_text("x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert seen(folder) == content("old")
    assert leftovers(folder) == []


def test_a_folder_that_is_not_there_or_a_name_that_is_one(folder: Path) -> None:
    with pytest.raises(WriteError, match="no folder"), staged({"out": folder / "none" / "x.csv"}):
        pass
    with pytest.raises(WriteError, match="is a folder"), staged({"out": folder / "keep"}):
        pass
    with pytest.raises(WriteError, match="same name"), staged({"a": folder / "x", "b": folder / "x"}):
        pass


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc here")
def test_a_folder_that_takes_no_files_is_one_clear_line() -> None:
    with pytest.raises(WriteError, match="cannot write into '/proc'"), staged({"out": Path("/proc/x.csv")}):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into a read-only folder")
def test_a_read_only_folder_is_one_clear_line(folder: Path) -> None:
    folder.chmod(0o500)
    try:
        with pytest.raises(WriteError, match="permission denied"), staged({"out": folder / "x.csv"}):
            pass
    finally:
        folder.chmod(0o700)


def planted(folder: Path, journal: object) -> Path:
    """Plant what an unpacked archive could: a workspace with a journal, and files that look written aside."""
    workspace = folder / f"{PREFIX}{'a' * 16}"
    workspace.mkdir()
    (workspace / "journal").write_text(journal if isinstance(journal, str) else json.dumps(journal))
    (workspace / "moved").touch()
    (workspace / "out-diary.txt").write_text("planted")
    (workspace / "current").symlink_to("new")
    return workspace


def test_a_planted_journal_moves_no_file(tmp_path: Path) -> None:
    home, shared = tmp_path / "home", tmp_path / "shared"
    home.mkdir()
    shared.mkdir()
    (home / "diary.txt").write_text("mine")
    (shared / "diary.txt").write_text("mine as well")
    workspace = planted(shared, "")
    number = workspace.stat().st_ino
    diary, here = str(home / "diary.txt"), str(shared / "diary.txt")
    journals: list[object] = [
        # As it was first: every path was believed.
        {"workspaces": [str(workspace)], "files": [{"role": "out", "staged": diary, "final": here}]},
        {"folders": {str(workspace): number}, "files": [{"role": "out", "final": diary}]},
        {"folders": {str(workspace): number}, "files": [{"role": "../../home/x", "final": here}]},
        {
            "folders": {str(workspace): number},
            "files": [{"role": "out", "final": f"{shared}/../home/diary.txt"}],
        },
        {"folders": {str(workspace): number, str(home): 1}, "files": [{"role": "out", "final": diary}]},
        {"folders": {str(workspace): number + 1}, "files": [{"role": "out", "final": here}]},
        {"folders": {}, "files": []},
        {},
        [],
        "{",
        "[" * 100_000,
        {"folders": {str(workspace): "1"}, "files": []},
        {"folders": {str(workspace): number}, "files": [{"role": 1, "final": here}]},
        {"folders": {str(workspace): number}, "files": [{"role": "out", "final": "\0"}]},
        {"folders": {str(workspace): number}, "files": None},
    ]
    for journal in journals:
        (workspace / "journal").write_text(journal if isinstance(journal, str) else json.dumps(journal))
        with suppress(WriteError):
            publish_one(shared / "other.csv")
        assert (home / "diary.txt").read_text() == "mine"
        assert (shared / "diary.txt").read_text() == "mine as well"
        assert (workspace / "out-diary.txt").read_text() == "planted"


def test_a_damaged_journal_is_one_clear_line(tmp_path: Path) -> None:
    workspace = planted(tmp_path, {})
    with pytest.raises(WriteError, match="cannot be understood") as caught:
        publish_one(tmp_path / "other.csv")
    assert workspace.name in str(caught.value)
    assert "\n" not in str(caught.value)
    shutil.rmtree(workspace)
    publish_one(tmp_path / "other.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are not of this system")
def test_a_pipe_or_a_device_in_the_place_of_a_journal_is_neither_waited_for_nor_read(tmp_path: Path) -> None:
    workspace = planted(tmp_path, "")
    (workspace / "journal").unlink()
    os.mkfifo(workspace / "journal")
    with pytest.raises(WriteError, match="cannot be understood"):
        publish_one(tmp_path / "other.csv")
    (workspace / "journal").unlink()
    (workspace / "journal").symlink_to("/dev/zero")
    with pytest.raises(WriteError, match="cannot be understood"):
        publish_one(tmp_path / "other.csv")
    shutil.rmtree(workspace)
    workspace = planted(tmp_path, "{}")
    os.mkfifo(workspace / "home")
    with pytest.raises(WriteError, match="cannot be understood"):
        publish_one(tmp_path / "other.csv")


def publish_one(path: Path) -> None:
    with staged({"out": path}, overwrite=True) as staging:
        staging.path("out").write_text("released")
        staging.publish()


def test_a_workspace_that_was_unpacked_elsewhere_is_left_alone(tmp_path: Path) -> None:
    workspace = planted(tmp_path, "")
    (tmp_path / "diary.txt").write_text("mine")
    journal = {
        "folders": {str(workspace): 7},
        "files": [{"role": "out", "final": str(tmp_path / "diary.txt")}],
    }
    (workspace / "journal").write_text(json.dumps(journal))
    publish_one(tmp_path / "other.csv")
    assert (tmp_path / "other.csv").read_text() == "released"
    assert (tmp_path / "diary.txt").read_text() == "mine"
    assert workspace.exists()
