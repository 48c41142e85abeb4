"""Other systems, as far as Linux can play them: what they lack is taken away before hartley is loaded.

``play("windows")`` is called first thing in a process of its own.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import subprocess  # noqa: F401 (looks for the modules of Windows when it is loaded)
import sys
from types import ModuleType

LACKED = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
CALLS_LACKED = ("fork", "getegid", "geteuid", "getgid", "getuid", "sched_getaffinity", "setsid", "statvfs")
fork = os.fork
"""For the tests themselves, before it is taken away."""


def play(system: str) -> None:
    """Take away what a system lacks."""
    for name in CALLS_LACKED if system == "windows" else ("sched_getaffinity",):
        if hasattr(os, name):
            delattr(os, name)
    if system == "macos":
        fcntl.F_FULLFSYNC = 51  # type: ignore[attr-defined]  # no such command here: it fails, as on some disks
        return
    play_locks(has_module=system == "windows")
    if system == "windows":
        _take_signals_away()
        _be_strict_about_files()
        import hartley.operating_system

        hartley.operating_system.IS_WINDOWS = True


def play_locks(*, has_module: bool) -> None:
    """Take the locks of Unix away, and put those of Windows in their place, or none."""
    flock, only, now = fcntl.flock, fcntl.LOCK_EX, fcntl.LOCK_NB
    for name in LACKED:
        sys.modules[name] = None  # type: ignore[assignment]
    if not has_module:
        return
    windows = ModuleType("msvcrt")

    def locking(handle: int, mode: int, length: int) -> None:
        assert length == 1
        try:
            flock(handle, only | (now if mode == 2 else 0))
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "the lock is taken") from None

    windows.locking, windows.LK_NBLCK, windows.LK_LOCK = locking, 2, 1  # type: ignore[attr-defined]
    sys.modules["msvcrt"] = windows


def _take_signals_away() -> None:
    for name in ("SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGCHLD"):
        if hasattr(signal, name):
            delattr(signal, name)


def _be_strict_about_files() -> None:
    """Refuse what Windows refuses: open folders, links, another name or none for what is open."""
    true_open, true_fsync, true_rename, true_replace = os.open, os.fsync, os.rename, os.replace
    writable: set[int] = set()

    def strict_open(path, flags, mode=0o777, **more):
        if not more and os.path.isdir(path):
            raise PermissionError(errno.EACCES, "a folder cannot be opened", os.fspath(path))
        handle = true_open(path, flags, mode, **more)
        (writable.add if flags & (os.O_WRONLY | os.O_RDWR) else writable.discard)(handle)
        return handle

    def strict_fsync(handle):
        if handle not in writable:
            raise OSError(errno.EBADF, "the file is not open for writing")
        true_fsync(handle)

    def no_link(*_, **__):
        raise OSError(errno.EINVAL, "a required privilege is not held by the client")

    def strict_rename(source, target, **more):
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "there is such a file already", os.fspath(target))
        _require_closed(source)
        true_rename(source, target, **more)

    def strict_replace(source, target, **more):
        _require_closed(source)
        _require_closed(target)
        true_replace(source, target, **more)

    true_unlink = os.unlink

    def strict_unlink(path, **more):
        _require_closed(path)
        true_unlink(path, **more)

    os.unlink = os.remove = strict_unlink
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    os.open, os.fsync, os.rename, os.replace = strict_open, strict_fsync, strict_rename, strict_replace
    os.symlink = os.link = no_link


def _require_closed(path) -> None:
    """Refuse to rename a file that this process has open or in its memory."""
    whole = os.path.realpath(path)
    held = {_target(name) for name in os.listdir("/proc/self/fd")}
    with open("/proc/self/maps", encoding="utf-8") as lines:
        held |= {line.split(maxsplit=5)[-1].strip() for line in lines if "/" in line}
    if whole in held:
        raise PermissionError(errno.EACCES, "the file is open", whole)


def _target(name: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        return ""
