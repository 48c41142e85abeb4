"""Reading documents: policies, certificates, records, keys, hierarchies and other files that are read whole.

A document is a regular file of a size that such a document can have. A pipe would be waited for, a device
has no end: they are refused in one line, and so is a file that is too large, before it is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hartley.errors import InputError, PolicyError, TableError


@dataclass(frozen=True)
class DocumentKind:
    """A kind of document: what messages call it, how large it can be, and what to give instead."""

    name: str
    most: int
    """Bytes."""
    hint: str
    refusal: type[InputError] = PolicyError

    def read(self, path: str | Path) -> bytes:
        """Return the bytes of a document, or say in one line why it cannot be read."""
        with self.opened(path) as stream:
            return self.within_limit(stream, path)

    def within_limit(self, stream: BinaryIO, path: str | Path) -> bytes:
        """Return what is left of a stream; refuse more than such a document can have."""
        content = stream.read(self.most + 1)
        self._require_size(len(content), path)
        return content

    @contextmanager
    def opened(self, path: str | Path) -> Iterator[BinaryIO]:
        """Open a regular file; whatever its system says while it is read is said in one line."""
        if not isinstance(path, (str, os.PathLike)):
            raise self.refusal(f"a {self.name} is given as a path, not as {type(path).__name__}; {self.hint}")
        try:
            self._require_fit(os.stat(path), path)
            # Whoever puts a pipe in the place of the file now must not keep us waiting.
            flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
            with open(os.open(path, flags), "rb") as stream:
                self._require_fit(os.fstat(stream.fileno()), path)
                yield stream
        except FileNotFoundError:
            raise self.refusal(f"no {self.name} {str(path)!r}; {self.hint}") from None
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or "input error").lower()
            raise self.refusal(f"the {self.name} {str(path)!r} cannot be read: {reason}") from None

    def _require_fit(self, found: os.stat_result, path: str | Path) -> None:
        other = kind_of_no_file(found.st_mode)
        if other is not None:
            raise self.refusal(f"{str(path)!r} is {other}, and no {self.name}; {self.hint}")
        self._require_size(found.st_size, path)

    def _require_size(self, size: int, path: str | Path) -> None:
        if size > self.most:
            raise self.refusal(
                f"{str(path)!r} is larger than {_size(self.most)}, and no {self.name} is; {self.hint}"
            )


def kind_of_no_file(mode: int) -> str | None:
    """Say what stands under a path that is no regular file; return None where it is one.

    >>> kind_of_no_file(stat.S_IFIFO), kind_of_no_file(stat.S_IFREG)
    ('a pipe or a device', None)
    """
    if stat.S_ISREG(mode):
        return None
    return "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"


def _size(count: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if count >= unit:
            return f"{count // unit} {name}"
    return f"{count // 1000} kB"


_WRITTEN = "give the file that the release wrote"
POLICY = DocumentKind("policy", 2 * 10**9, _WRITTEN)
RECORD = DocumentKind("record", 2 * 10**9, _WRITTEN)
CERTIFICATE = DocumentKind("certificate", 10**9, _WRITTEN)
"""That of a transparent release has its tree: about half a kilobyte for each class."""
CODEBOOK = DocumentKind("public codebook", 200 * 10**6, _WRITTEN)
SIGNATURE = DocumentKind("signature", 2 * 10**9, _WRITTEN)
"""It holds the certificate once more."""
KEY = DocumentKind("key", 64_000, "make one with: hartley key FILE")
PUBLIC_KEY = DocumentKind("public key", 64_000, "give the .pub file of the signer")
JOURNAL = DocumentKind("journal", 1 * 10**6, "remove its folder")
COUNTS = DocumentKind(
    "file of counts", 200 * 10**6, "give the result of the counting statement", refusal=TableError
)
VALUES = DocumentKind("file of values", 1 * 10**9, "give the path of one", refusal=TableError)
STUDY = DocumentKind("study", 1 * 10**6, "give a TOML file of options")
HEART_DATA = DocumentKind("file of the paper's data", 16 * 10**6, "give the file of UCI", refusal=TableError)
