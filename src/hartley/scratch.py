"""Room on disk for spills and translated copies, gone when the work is done.

One folder for each process, readable by its owner alone, with a lock in it that the process
holds. It is removed when the process ends. A killed process cannot do that; the next one
finds its folder, sees that nobody holds the lock, and removes it. A folder without a lock belongs to
a process that was killed, or that is about to make it: it is renamed first, and whoever lives makes another.
"""

from __future__ import annotations

import atexit
import os
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path
from secrets import token_hex

from hartley.operating_system import hold_lock, is_own, remove_locked_folder, takes_over_lock

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
        while (made := _locked_folder()) is None:
            continue
        _home = (os.getpid(), made[0])
        atexit.register(_remove_own, os.getpid(), *made)
    return _home[1]


def _locked_folder() -> tuple[Path, int] | None:
    """Make a folder and hold its lock; nothing where another process has taken it for abandoned meanwhile."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    except FileNotFoundError:
        return None
    try:
        hold_lock(lock)
    except BlockingIOError:
        os.close(lock)
        return None
    if not (folder / "lock").exists():
        os.close(lock)
        return None
    return folder, lock


def _remove_own(process: int, folder: Path, lock: int) -> None:
    if os.getpid() == process:
        remove_locked_folder(folder, lock)


def remove_abandoned(where: Path) -> None:
    """Remove the scratch folders of processes that are no more."""
    for folder in where.glob(PREFIX + "*"):
        with suppress(OSError):
            if not is_own(folder.lstat()) or folder.is_symlink():
                continue
            aside = folder
            if not (folder / "lock").exists():
                aside = folder.rename(folder.with_name(PREFIX + token_hex(8)))
            lock = os.open(aside / "lock", os.O_CREAT | os.O_RDWR, 0o600)
            if takes_over_lock(lock):
                remove_locked_folder(aside, lock)
            else:
                os.close(lock)
