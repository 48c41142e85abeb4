"""Several files that appear together or not at all, whatever happens while they are written.

The files are written aside, into a workspace ``.hartley-<token>`` beside each place they are
meant for. Publishing them goes through one pointer, so that it is a single step:

1. every file is complete and on disk, and the journal in the first workspace says where each
   belongs; files that are to be replaced get a second name in the workspace;
2. each final name becomes a symbolic link through the pointer ``current``, which still leads to
   what was there before: to the old file, or nowhere;
3. **the pointer is turned** to the new files. This one rename is the commit;
4. each link is replaced by the file itself, and the workspaces are removed.

Whoever looks sees all of the old files or all of the new ones, at any moment. A process that is killed
leaves a workspace behind; the next run that writes into the same folder finds it, and
completes it (killed after 3) or undoes it (killed before). A workspace whose process is alive is left
alone: it holds a lock.

Where there are no symbolic or hard links (some file systems, Windows), what is to be replaced is moved
aside, the mark ``moved`` is the commit, and the files are renamed one after the other, the last one being
the released table. Whoever looks meanwhile may find some of them missing, never one in part; after a
kill the next run undoes or completes it in the same way.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from hartley.documents import JOURNAL
from hartley.errors import InputError, WriteError, option
from hartley.notes import tell_written
from hartley.operating_system import (
    create_private,
    hold_lock,
    is_own,
    renames_over_links,
    takes_over_lock,
    undisturbed,
)
from hartley.operating_system import flush_to_disk as _to_disk
from hartley.operating_system import sole_user as _sole_user
from hartley.releases.writer.release_paths import require_not_input

PREFIX = ".hartley-"
_WORKSPACE = re.compile(re.escape(PREFIX) + "[0-9a-f]{16}")
_ROLE = re.compile("[a-z]+[0-9]*")
"""What a role is called: writing and recovering go by this one rule."""
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


@dataclass(frozen=True)
class _File:
    """One file of a release: where it is written, where it belongs, where the one it replaces is kept."""

    role: str
    staged: Path
    final: Path
    backup: Path


def _file(role: str, final: Path, workspace: str) -> _File:
    aside = final.parent / workspace
    return _File(role, aside / f"{role}-{final.name}", final, aside / f"old-{role}")


def require_free(
    finals: Mapping[str, Path], *, overwrite: bool, source: Any = None, again: bool = False
) -> dict[str, Path]:
    """Refuse names that cannot or must not be written; give the places they stand for.

    None may be the ``source`` that is read. What killed runs have left there is settled first.
    """
    for path in finals.values():
        require_not_input(path, source)
    if not again:
        for path in finals.values():
            _recover_along(Path(os.path.abspath(path)))
    places = {role: Path(os.path.realpath(path)) for role, path in finals.items()}
    if len(set(places.values())) < len(places):
        raise WriteError("two of the files to write have the same name; give each its own")
    for place in places.values():
        if any(map(_WORKSPACE.fullmatch, place.parts)):
            raise WriteError("another run is writing the same file; wait for it, and try again")
        if place.is_dir():
            raise WriteError(f"{str(place)!r} is a folder; give the name of a file")
        if not place.parent.is_dir():
            raise WriteError(f"no folder {str(place.parent)!r}; make it first")
        if place.exists() and not overwrite:
            raise WriteError(
                f"{str(place)!r} exists already; choose another name, or give {option('overwrite')}"
            )
    return places


class Staging:
    """Files written aside, to be published together."""

    def __init__(self, finals: Mapping[str, Path], *, overwrite: bool, private: tuple[str, ...]) -> None:
        self._overwrite = overwrite
        places = require_free(finals, overwrite=overwrite)
        folders = list(dict.fromkeys(place.parent for place in places.values()))
        for folder in folders:
            recover(folder)
        if not all(map(_ROLE.fullmatch, places)):
            raise ValueError(f"a role is a word, perhaps with a number: {list(places)}")
        name = PREFIX + token_hex(8)
        self._workspaces = [folder / name for folder in folders]
        self.home = self._workspaces[0]
        self._files = [_file(role, place, name) for role, place in places.items()]
        self._lock: int | None = None
        try:
            self._prepare(private)
        except OSError as error:
            self.settle()
            raise cannot_write(folders[0], error) from None
        except BaseException:
            self.settle()
            raise

    def _prepare(self, private: tuple[str, ...]) -> None:
        with _sole_user(self.home.parent):
            self.home.mkdir(mode=0o700)
            self._lock = os.open(self.home / "lock", os.O_CREAT | os.O_RDWR, 0o600)
            hold_lock(self._lock)
        for workspace in self._workspaces[1:]:
            with _sole_user(workspace.parent):
                workspace.mkdir(mode=0o700)
                (workspace / "home").write_bytes(os.fsencode(self.home))
        for file in self._files:
            if file.role in private:
                os.close(create_private(file.staged))
        journal = {
            # A folder that was copied or unpacked has another number than the one that is made here.
            "folders": {str(workspace): workspace.lstat().st_ino for workspace in self._workspaces},
            "files": [{"role": file.role, "final": str(file.final)} for file in self._files],
        }
        unready = self.home / "journal.part"
        unready.write_text(json.dumps(journal), encoding="ascii")
        _to_disk(unready)
        unready.replace(self.home / "journal")
        _to_disk(self.home)

    def path(self, role: str) -> Path:
        """Return the place where a file is to be written before it is published."""
        return next(file.staged for file in self._files if file.role == role)

    def publish(self) -> None:
        """Make all files appear under their names at once; a signal that comes meanwhile comes too late."""
        with undisturbed():
            self._publish()
            tell_written([file.final for file in self._files])

    def _publish(self) -> None:
        try:
            for file in self._files:
                _to_disk(file.staged)
            require_free(
                {file.role: file.final for file in self._files}, overwrite=self._overwrite, again=True
            )
            try:
                if not renames_over_links():
                    raise OSError(errno.ENOTSUP, "no links")
                self._point_names()
                self._commit()
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                self._rename_plainly()
        except FileExistsError as error:
            raise WriteError(f"{error.filename!r} has appeared meanwhile; nothing was written") from None
        except OSError as error:
            raise cannot_write(self._files[0].final.parent, error) from None
        finally:
            self.settle()

    def _point_names(self) -> None:
        """Make each final name a link through the pointer, which leads to what was there before."""
        for side in ("old", "new"):
            (self.home / side).mkdir()
        (self.home / "current").symlink_to("old")
        for file in self._files:
            (self.home / "new" / file.role).symlink_to(file.staged)
            if file.final.exists():
                os.link(file.final, file.backup)
                (self.home / "old" / file.role).symlink_to(file.backup)
        for workspace in self._workspaces:
            _to_disk(workspace)
        for file in self._files:
            through = self.home / "current" / file.role
            if file.backup.exists():
                link = file.backup.with_name(f"link-{file.role}")
                link.symlink_to(through)
                link.replace(file.final)
            else:
                # Fails where somebody has made the file meanwhile: nothing is ever overwritten unasked.
                file.final.symlink_to(through)

    def _commit(self) -> None:
        turned = self.home / "turned"
        turned.symlink_to("new")
        turned.replace(self.home / "current")
        with suppress(OSError):  # it is done, even where the disk does not say so
            _to_disk(self.home)

    def _rename_plainly(self) -> None:
        _settle_files(self.home, self._files, is_committed=False)
        for file in self._files:
            if file.final.exists():
                # Fails where another program has the file open and the system does not allow it.
                os.replace(file.final, file.backup)
        (self.home / "moved").touch()
        with suppress(OSError):
            _to_disk(self.home)

    def settle(self) -> None:
        """Complete what is committed, undo what is not, and leave nothing behind.

        Where that fails, whoever looks still sees all of the old files or all of the new ones, and the
        next run tries again.
        """
        try:
            if self.home.is_dir():
                _settle(self.home, self._files, self._workspaces)
        except OSError as error:
            if (self.home / "moved").exists():
                raise cannot_write(self.home.parent, error, "some files are not in place yet") from None
        finally:
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None
                _remove_rest(self.home)


@contextmanager
def staged(
    finals: Mapping[str, Path], *, overwrite: bool = False, private: tuple[str, ...] = ()
) -> Iterator[Staging]:
    """Write files aside; whatever is not published when the block ends is removed.

    ``finals`` names the files by their roles, the released table first. Files whose role is
    ``private`` can be read by their owner only.
    """
    staging = Staging(finals, overwrite=overwrite, private=private)
    try:
        yield staging
    finally:
        staging.settle()


def write_files(contents: Mapping[Path, bytes], *, overwrite: bool, is_private: bool) -> None:
    """Write files that appear together or not at all; private ones can be read by their owner only."""
    finals = {f"file{number}": path for number, path in enumerate(contents)}
    with staged(finals, overwrite=overwrite, private=tuple(finals) if is_private else ()) as staging:
        try:
            for role, path in finals.items():
                staging.path(role).write_bytes(contents[path])
        except OSError as error:
            raise cannot_write(path.parent, error) from None
        staging.publish()


def recover(folder: Path) -> None:
    """Complete or undo what killed runs have left in a folder.

    Nothing is believed that somebody else may have put there: workspaces are our own user's folders,
    those of one run have one name, and only they are ever removed.
    """
    # Under the name that the run before used: what it left are links with whole paths.
    folder = Path(os.path.realpath(folder))
    left = [workspace for workspace in folder.glob(PREFIX + "*") if _is_workspace(workspace)]
    if not left:
        return
    with _sole_user(folder):
        for workspace in left:
            home = workspace
            with suppress(InputError, ValueError):
                home = Path(os.fsdecode(JOURNAL.read(workspace / "home")))
            if home == workspace or (home.name == workspace.name and _is_workspace(home)):
                _recover(home)
            else:
                _remove([workspace])


def _recover_along(path: Path) -> None:
    """Settle the folder of a file, and that of every file it is a link to."""
    recover(path.parent)
    for _ in range(40):  # as far as the system itself follows links
        if not path.is_symlink():
            return
        path = Path(os.path.abspath(path.parent / os.readlink(path)))
        recover(path.parent)


def _is_workspace(path: Path) -> bool:
    """Tell whether a path is a folder that a run of this user has made to write aside."""
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return False
    is_ours = stat.S_ISDIR(found.st_mode) and is_own(found)
    return is_ours and _WORKSPACE.fullmatch(path.name) is not None


def _recover(home: Path) -> None:
    try:
        lock = os.open(home / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        return
    try:
        if not takes_over_lock(lock):
            return  # its process is alive
        journal = _Journal.read(home)
        if journal.is_ours(home):
            _settle(home, journal.files(home), journal.workspaces)
        # Otherwise the folder was copied or unpacked here: its links lead elsewhere, and nothing is safe.
    except OSError:
        # The folder is not ours to write.
        return
    finally:
        os.close(lock)
    _remove_rest(home)


@dataclass(frozen=True)
class _Journal:
    """Which files a run was writing, and into which folders: all that is believed of what it left.

    Where a file was written aside, and where the one it replaces is kept, follows from its name. Nothing
    outside the folders that the run itself made is ever moved or removed.
    """

    folders: Mapping[str, int]
    """The workspaces of the run, and the number that the system gave each."""
    finals: tuple[tuple[str, str], ...]
    """The role of each file, and where it belongs."""

    @classmethod
    def read(cls, home: Path) -> _Journal:
        """Read the journal of a workspace; there is none where the run was killed before it wrote one."""
        if not os.path.lexists(home / "journal"):
            return cls({str(home): home.lstat().st_ino}, ())
        try:
            found = json.loads(JOURNAL.read(home / "journal").decode("ascii"))
        except (InputError, ValueError, RecursionError):
            raise _damaged(home) from None
        try:
            folders, files = found["folders"], found["files"]
            finals = tuple((file["role"], file["final"]) for file in files)
            texts = [*folders, *(text for pair in finals for text in pair)]
            is_sound = all(type(number) is int for number in folders.values()) and bool(folders)
        except (TypeError, KeyError, AttributeError):
            raise _damaged(home) from None
        if not is_sound or not all(type(text) is str and text and "\0" not in text for text in texts):
            raise _damaged(home)
        return cls(folders, finals)

    @property
    def workspaces(self) -> list[Path]:
        """The folders that the run made, the one with the journal first."""
        return [Path(folder) for folder in self.folders]

    def is_ours(self, home: Path) -> bool:
        """Tell whether what is left is what the run made, and its files belong beside that."""
        workspaces = self.workspaces
        if workspaces[0] != home or any(workspace.name != home.name for workspace in workspaces):
            return False
        left = [workspace for workspace in workspaces if os.path.lexists(workspace)]
        if not all(
            _is_workspace(workspace) and workspace.lstat().st_ino == self.folders[str(workspace)]
            for workspace in left
        ):
            return False
        return all(
            _ROLE.fullmatch(role) is not None
            and os.path.isabs(final)
            and os.path.normpath(final) == final
            and Path(final).parent / home.name in workspaces
            for role, final in self.finals
        )

    def files(self, home: Path) -> list[_File]:
        """Return the files, with their places in the workspaces."""
        return [_file(role, Path(final), home.name) for role, final in self.finals]


def _damaged(home: Path) -> WriteError:
    return WriteError(
        f"the folder {str(home)!r}, which a killed run seems to have left, cannot be understood; "
        "nothing was changed: look into it, and remove it"
    )


def _settle(home: Path, files: list[_File], workspaces: list[Path]) -> None:
    pointer = home / "current"
    is_committed = pointer.is_symlink() and os.readlink(pointer) == "new"
    _settle_files(home, files, is_committed=is_committed)
    _settle_moves(files, is_committed=(home / "moved").exists())
    for folder in {file.final.parent for file in files}:
        _to_disk(folder)
    _remove(workspaces)


def _settle_files(home: Path, files: list[_File], *, is_committed: bool) -> None:
    for file in reversed(files):
        if not (file.final.is_symlink() and os.readlink(file.final).startswith(str(home) + os.sep)):
            continue
        if is_committed:
            file.staged.replace(file.final)
        elif file.backup.exists():
            file.backup.replace(file.final)
        else:
            file.final.unlink()


def _settle_moves(files: list[_File], *, is_committed: bool) -> None:
    """Complete or undo what goes without links."""
    for file in reversed(files):
        if is_committed and file.staged.exists():
            os.replace(file.staged, file.final)
        elif not is_committed and file.backup.exists() and not os.path.lexists(file.final):
            os.replace(file.backup, file.final)


def _remove(workspaces: list[Path]) -> None:
    # The first one holds the journal: it goes last, so that a kill in between is found again.
    for workspace in reversed(workspaces):
        shutil.rmtree(workspace, ignore_errors=True)


def _remove_rest(home: Path) -> None:
    """Remove a settled workspace whose lock could not go while it was open."""
    if home.is_dir() and os.listdir(home) == ["lock"]:
        _remove([home])


def cannot_write(where: Path, error: OSError, state: str = "nothing was changed") -> WriteError:
    """Word the failure to write into a folder."""
    reason = (error.strerror or "output error").lower()
    return WriteError(f"cannot write into {str(where)!r}: {reason}; {state}")
