"""What Linux, macOS and Windows do differently, each difference in one place.

Nothing else in the package asks which system it runs on, or imports a module that one of them lacks.

================  =====================================  =============================================
What              Linux, macOS                           Windows
================  =====================================  =============================================
locks             ``fcntl.flock``, of folders too        ``msvcrt.locking``; for a folder, of a file
                                                         with the user's temporary files
owner-only files  mode 0600                              an access list that names the owner alone
fsync             of files and folders                   of files opened for writing; folders cannot
renames           replace whatever has the name, links   replace files; links need a privilege
open files        may be removed and renamed             stay until they are closed
a closed pipe     ``EPIPE``                              ``EINVAL``
asked to end      SIGTERM, SIGHUP                        SIGTERM, SIGBREAK
cores             those this process may use             those the machine has
address space     may be limited (``ulimit -v``)         is not
================  =====================================  =============================================
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket
    import subprocess

IS_WINDOWS = os.name == "nt"
OWNER_RIGHTS = "*S-1-3-4:(F)"
"""How Windows writes: everything, to whoever owns the file."""


def _module(name: str) -> Any:
    """Return a module that only some systems have."""
    try:
        return import_module(name)
    except ImportError:
        return None


fcntl: ModuleType | None = _module("fcntl")
msvcrt: ModuleType | None = _module("msvcrt")
resource: ModuleType | None = _module("resource")


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def address_space() -> int | None:
    """Return how many bytes of addresses this process may use; ``None`` where nothing limits them."""
    kind = getattr(resource, "RLIMIT_AS", None)
    if resource is None or kind is None:
        return None
    allowed: int = resource.getrlimit(kind)[0]
    return None if allowed == resource.RLIM_INFINITY else allowed


def start_python(code: str, **streams: Any) -> subprocess.Popen[bytes]:
    """Start this interpreter on code of ours, on our path without the folder we are in.

    That folder may hold a module of any name. ``PYTHONPATH``, which may name it, is not handed on.
    """
    import subprocess

    if not sys.executable or getattr(sys, "frozen", False):
        raise FileNotFoundError("there is no interpreter to start")
    here = os.path.realpath(os.getcwd())
    path = [entry for entry in sys.path if os.path.realpath(entry) != here]
    # Last, so that it hides nothing: we may be in the folder that our own package is in.
    path.append(str(Path(__file__).resolve().parents[1]))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {path!r}; {code}"]
    return subprocess.Popen(command, env=environment, **streams)  # noqa: S603 (our interpreter, our code)


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals by which this system asks a program to end."""
    names = ("SIGTERM", "SIGHUP", "SIGBREAK")
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Do what must not be cut in two: a signal to stop that comes meanwhile comes too late."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _too_late) for number in (*ending_signals(), signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _too_late(number: int, frame: FrameType | None) -> None:
    del number, frame


def is_closed_pipe(error: OSError) -> bool:
    """Tell whether writing failed because nobody reads any more."""
    return isinstance(error, BrokenPipeError) or (IS_WINDOWS and error.errno == errno.EINVAL)


def is_own(found: os.stat_result) -> bool:
    """Tell whether a file belongs to the user of this process; true where the system has no such numbers."""
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()


def hold_lock(handle: int) -> None:
    """Lock an open file of our own until it is closed; raise BlockingIOError where another holds it.

    A system without locks has none to hold.
    """
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif msvcrt is not None:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError(errno.EAGAIN, "another process holds the lock") from None


def takes_over_lock(handle: int) -> bool:
    """Lock an open file that another process has made, if that process has ended.

    Without locks nobody can tell, and the answer is no.
    """
    if fcntl is None and msvcrt is None:
        return False
    try:
        hold_lock(handle)
    except OSError:
        return False
    return True


@contextmanager
def sole_user(folder: Path) -> Iterator[None]:
    """Keep other processes of ours out of a folder; wait until they have left it."""
    handle = os.open(folder, os.O_RDONLY) if fcntl is not None else _open_file_for(folder)
    try:
        with suppress(OSError):
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX)
            elif msvcrt is not None:
                msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
        yield
    finally:
        os.close(handle)


def _open_file_for(folder: Path) -> int:
    """Open the file that is locked in place of a folder; it stays, empty, with the temporary files."""
    import hashlib
    import tempfile

    word = hashlib.sha256(os.fsencode(os.path.normcase(os.path.realpath(folder)))).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"hartley-folder-{word}.lock"
    return os.open(path, os.O_CREAT | os.O_RDWR, 0o600)


def remove_locked_folder(folder: Path, lock: int) -> None:
    """Remove a folder that holds its own lock, and let go of the lock.

    While the lock is held nobody else takes the folder for abandoned; but where open files stay, the
    file of the lock can go only after it was closed.
    """
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)
    if folder.exists():
        shutil.rmtree(folder, ignore_errors=True)


def create_private(path: Path) -> int:
    """Create a file that its owner alone can read, and open it for writing."""
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    if IS_WINDOWS:
        import subprocess

        tool = Path(os.environ.get("SYSTEMROOT", r"C:\Windows")) / "System32" / "icacls.exe"
        command = [str(tool), str(path), "/inheritance:r", "/grant:r", OWNER_RIGHTS]
        with suppress(OSError):
            subprocess.run(command, check=False, capture_output=True)  # noqa: S603 (a path of our own)
    return handle


def flush_to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, have reached the disk, as far as the system allows."""
    if IS_WINDOWS and path.is_dir():
        return
    handle = os.open(path, os.O_RDWR if IS_WINDOWS else os.O_RDONLY)
    try:
        _flush(handle)
    except OSError as error:
        # Some file systems cannot do this for folders.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(handle)


def _flush(handle: int) -> None:
    # On macOS fsync alone leaves the bytes with the disk, which may keep them in its memory.
    whole = getattr(fcntl, "F_FULLFSYNC", None)
    if fcntl is not None and whole is not None:
        with suppress(OSError):
            fcntl.fcntl(handle, whole)
            return
    os.fsync(handle)


def renames_over_links() -> bool:
    """Tell whether a name that is a symbolic link can be replaced in one step, by a link or by a file."""
    return not IS_WINDOWS


def keep_port_to_ourselves(listening: socket.socket) -> None:
    """Let a socket take a port that was in use a moment ago, and let nobody else take it then."""
    import socket

    exclusive = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)
    # On Windows SO_REUSEADDR would let another program listen on the same port.
    option = socket.SO_REUSEADDR if exclusive is None else exclusive
    listening.setsockopt(socket.SOL_SOCKET, option, 1)


def settle_file_types() -> None:
    """Say what files of ours are to browsers; Windows asks its registry, where any program may write."""
    import mimetypes

    for kind, ending in (("text/javascript", ".js"), ("text/css", ".css"), ("image/svg+xml", ".svg")):
        mimetypes.add_type(kind, ending)
