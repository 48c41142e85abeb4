"""Room on disk for spills and translated copies, gone when the work is done.

One folder for each process, readable by its owner alone, with a lock in it that the process
holds. It is removed when the process ends. A killed process cannot do that; the next one
finds its folder, sees that nobody holds the lock, and removes it.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path

PREFIX = "hartley-scratch-"
_numbers = count()
_home: tuple[int, Path] | None = None
"""The process that made the folder, and the folder: a forked child makes its own."""


def scratch_folder() -> Path:
    """Make a folder of our own below the process's scratch folder."""
    folder = _process_folder() / str(next(_numbers))
    folder.mkdir(mode=0o700)
    return folder


def _process_folder() -> Path:
    global _home
    if _home is None or _home[0] != os.getpid() or not _home[1].is_dir():
        remove_abandoned(Path(tempfile.gettempdir()))
        while (folder := _locked_folder()) is None:
            continue
        _home = (os.getpid(), folder)
        # The lock is let go by the end of the process, after the folder is gone.
        atexit.register(_remove_own, os.getpid(), folder)
    return _home[1]


def _locked_folder() -> Path | None:
    """Make a folder and hold its lock; nothing where another process has taken it for abandoned meanwhile."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    if not (folder / "lock").exists():
        os.close(lock)
        return None
    return folder


def _remove_own(process: int, folder: Path) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(where: Path) -> None:
    """Remove the scratch folders of processes that are no more."""
    for folder in where.glob(PREFIX + "*"):
        with suppress(OSError):
            if folder.stat().st_uid != os.getuid() or folder.is_symlink():
                continue
            lock = os.open(folder / "lock", os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
