"""Every step of a release fails once in turn: the old files stay, or the new ones are complete, never a mix.

A step is whatever touches a file (open, write, rename, link, remove, fsync) or, for want of memory, any call
of a function. The same is done by a kill in test_staging.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hartley import release
from hartley.errors import HartleyError
from hartley.releases.writer.staging import PREFIX, staged
from hartley.workflow.verify_release import verify
from sample_sizes import sample

NAMES = {
    "output": "out.csv",
    "policy": "keep/policy.json",
    "record": "keep/record.json",
    "certificate": "c.json",
}
ON_FILES = ("open", "os", "shutil", "fcntl")


class Faults:
    """Counts steps, and lets one of them fail."""

    def __init__(self) -> None:
        self.fails_at = 0
        self.steps = 0
        self.folder = ""
        self.error: Callable[[], BaseException] = MemoryError
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        # A hook cannot be removed; outside of a test it does nothing.
        if self.folder and event.split(".")[0] in ON_FILES and self._is_here(event, arguments):
            self.step()

    def _is_here(self, event: str, arguments: tuple[Any, ...]) -> bool:
        return event == "fcntl.flock" or any(
            isinstance(one, str | bytes | os.PathLike) and self.folder in os.fsdecode(one)
            for one in arguments
        )

    def step(self) -> None:
        """Count a step; fail where it is the one."""
        self.steps += 1
        if self.steps == self.fails_at:
            raise self.error()

    @contextmanager
    def at(self, number: int, folder: Path, error: Callable[[], BaseException]) -> Iterator[None]:
        """Let the step of a number fail, of those that touch something in a folder."""
        self.fails_at, self.steps, self.folder, self.error = number, 0, str(folder), error
        try:
            yield
        finally:
            self.folder = ""


FAULTS = Faults()


@pytest.fixture(autouse=True)
def _counted_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count writes and flushes to disk as well, of which nobody is told."""

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if FAULTS.folder:
                FAULTS.step()
            return function(*arguments, **named)

        return call

    # No machine loses its power here, so nothing has to wait for the disk.
    monkeypatch.setattr(os, "fsync", counted(lambda _handle: None))
    monkeypatch.setattr(Path, "write_bytes", counted(Path.write_bytes))
    monkeypatch.setattr(Path, "write_text", counted(Path.write_text))


def full_disk() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def seen(folder: Path) -> dict[str, bytes | None]:
    return {
        role: (folder / name).read_bytes() if (folder / name).exists() else None
        for role, name in NAMES.items()
    }


def leftovers(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.name.startswith(PREFIX) or path.is_symlink()]


def publish(folder: Path, word: str) -> None:
    finals = {role: folder / name for role, name in NAMES.items()}
    with staged(finals, overwrite=True, private=("policy", "record")) as staging:
        for role in finals:
            staging.path(role).write_bytes(f"{word} {role}".encode())
        staging.publish()


@pytest.mark.parametrize("error", [full_disk, MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize("replaces", [False, True])
def test_files_appear_together_whatever_step_fails(
    tmp_path: Path, error: Callable[[], BaseException], replaces: bool
) -> None:
    (tmp_path / "keep").mkdir()
    number, outcomes = 1, set()
    # Each way to fail takes other steps, and in the long run every one.
    stride = sample(usual=3, long=1)
    number += [full_disk, MemoryError, KeyboardInterrupt].index(error) % stride
    while True:
        for name in NAMES.values():
            (tmp_path / name).unlink(missing_ok=True)
        if replaces:
            publish(tmp_path, "old")
        before = seen(tmp_path)
        after: dict[str, bytes | None] = {role: f"new {role}".encode() for role in NAMES}
        failed = False
        with FAULTS.at(number, tmp_path, error):
            try:
                publish(tmp_path, "new")
            except (HartleyError, OSError, MemoryError, KeyboardInterrupt):
                failed = True
            steps = FAULTS.steps
        found = seen(tmp_path)
        assert found in (before, after), (number, found)
        if not failed:
            assert found == after, number
        outcomes.add(found == after)
        # The next run settles whatever was left, and is not hindered by it.
        publish(tmp_path, "later")
        assert seen(tmp_path) == {role: f"later {role}".encode() for role in NAMES}, number
        assert leftovers(tmp_path) == [], number
        if steps < number:
            break
        number += stride
    assert number > (80 if replaces else 70)
    assert outcomes == {True, False}


def released(folder: Path) -> Any:
    return release(
        folder / "in.csv",
        folder / "out.csv",
        require={"distinct_l": 2},
        sensitive="s",
        public="x",
        search="greedy",
        overwrite=True,
    )


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def is_whole(folder: Path) -> bool:
    """Tell whether the files that are there are those of one release."""
    return verify(
        folder / "out.csv",
        original=folder / "in.csv",
        policy=folder / "out.policy.json",
        certificate=folder / "out.certificate.json",
        record=folder / "out.record.json",
    ).holds


@pytest.mark.parametrize("error", [full_disk, MemoryError])
def test_a_release_is_whole_or_not_there_whatever_step_fails(
    tmp_path: Path, error: Callable[[], BaseException]
) -> None:
    (tmp_path / "in.csv").write_text("x,s\n" + "".join(f"{n},{'abc'[n % 3]}\n" for n in range(12)))
    released(tmp_path)
    with FAULTS.at(0, tmp_path, error):
        released(tmp_path)
        steps = FAULTS.steps
    assert steps > 60
    old = files_of(tmp_path)
    for number in range(1, steps + 2, sample(usual=3 if error is full_disk else 7, long=1)):
        with FAULTS.at(number, tmp_path, error):
            try:
                released(tmp_path)
            except (HartleyError, MemoryError, OSError):
                assert files_of(tmp_path) == old or is_whole(tmp_path), number
        assert is_whole(tmp_path), number
        old = files_of(tmp_path)
    released(tmp_path)
    assert leftovers(tmp_path) == []
    assert set(files_of(tmp_path)) == {
        "in.csv",
        "out.csv",
        "out.policy.json",
        "out.certificate.json",
        "out.record.json",
        "out.codebook.csv",
        "out.codebook.html",
        "out.codebook.json",
    }


@contextmanager
def no_memory_at(number: int) -> Iterator[list[int]]:
    """Let the call of a number fail for want of memory, of those in the code that writes a release."""
    calls = [0]

    def heard(frame: Any, event: str, _: Any) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("hartley.releases") and "verifier" not in name:
            calls[0] += 1
            if calls[0] == number:
                raise MemoryError

    sys.setprofile(heard)
    try:
        yield calls
    finally:
        sys.setprofile(None)


# A generator that is thrown away counts as a call, and nobody hears what fails there.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_files_appear_together_wherever_memory_ends(tmp_path: Path) -> None:
    (tmp_path / "keep").mkdir()
    publish(tmp_path, "old")
    with no_memory_at(0) as calls:
        publish(tmp_path, "old")
    assert calls[0] > 60
    before = seen(tmp_path)
    after = {role: f"new {role}".encode() for role in NAMES}
    for number in range(1, calls[0] + 1, sample(usual=3, long=1)):
        publish(tmp_path, "old")
        with suppress(HartleyError, MemoryError), no_memory_at(number):
            publish(tmp_path, "new")
        assert seen(tmp_path) in (before, after), number
        publish(tmp_path, "later")
        assert leftovers(tmp_path) == [], number


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_release_is_whole_or_not_there_wherever_memory_ends(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x,s\n" + "".join(f"{n},{'abc'[n % 3]}\n" for n in range(12)))
    released(tmp_path)
    with no_memory_at(0) as calls:
        released(tmp_path)
    old = files_of(tmp_path)
    for number in range(1, calls[0] + 1, max(1, calls[0] // sample(usual=12, long=400))):
        try:
            with no_memory_at(number):
                released(tmp_path)
        except (HartleyError, MemoryError):
            assert files_of(tmp_path) == old or is_whole(tmp_path), number
        assert is_whole(tmp_path), number
        old = files_of(tmp_path)
    released(tmp_path)
    assert leftovers(tmp_path) == []


def test_a_stream_that_fails_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "keep").mkdir()
    publish(tmp_path, "old")
    before = seen(tmp_path)

    class Failing(io.FileIO):
        def write(self, content: Any) -> int:
            super().write(bytes(content)[:3])
            raise full_disk()

    finals = {role: tmp_path / name for role, name in NAMES.items()}
    with (
        pytest.raises(OSError, match="No space"),
        staged(finals, overwrite=True) as staging,
        Failing(staging.path("output"), "w") as stream,
    ):
        stream.write(b"half of it")
    assert seen(tmp_path) == before
    assert leftovers(tmp_path) == []
