r"""The bytes of a document: one text for one content, so that nothing can hide between the lines.

A document is JSON in ASCII, two spaces to a level, fields in the order of their definition, other
keys sorted, shortest numbers, one line feed at the end. Whatever reads as the same content but is written
otherwise is refused: a key that stands twice, other spaces, another order, ``é`` for ``\u00e9``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Self, TypeVar

import msgspec

from hartley.documents import DocumentKind
from hartley.errors import PolicyError

Head = TypeVar("Head", bound=msgspec.Struct)
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_INDENT = 2


class StrictStruct(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a document: it holds what it names, and nothing else."""


def canonical_bytes(document: msgspec.Struct) -> bytes:
    r"""Return the bytes of a document.

    >>> class Note(msgspec.Struct):
    ...     said: str
    >>> canonical_bytes(Note("é"))
    b'{\n  "said": "\\u00e9"\n}\n'
    """
    written = msgspec.json.format(msgspec.json.encode(document, order="deterministic"), indent=_INDENT)
    if not written.isascii():
        written = _NOT_ASCII.sub(_escaped, written.decode()).encode("ascii")
    return written + b"\n"


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


class Document(StrictStruct, frozen=True, kw_only=True):
    """A whole file of a release: read strictly, and written in one way."""

    file: ClassVar[DocumentKind]
    """What messages call it, and how large it can be."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a file, or say in one line what is wrong with it."""
        return cls.read_json(cls.file.read(path), Path(path).name)

    @classmethod
    def read_json(cls, content: bytes, name: str | None = None) -> Self:
        """Read it from its bytes, which must be those that :meth:`to_json` gives."""
        name = f"the {cls.file.name}" if name is None else name
        cls._require_kind(content, name)
        try:
            document = msgspec.json.decode(content, type=cls, strict=True)
            written = document.to_json()
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise PolicyError(f"{name} is damaged: it does not have the shape of a {cls.file.name}") from None
        if written != content:
            raise PolicyError(
                f"{name} is not as it was written: the same content has other bytes (a key twice, other "
                "spaces, another order or spelling); give the file that the release wrote"
            )
        document._require_sound(name, content)
        return document

    @classmethod
    def _require_kind(cls, content: bytes, name: str) -> None:
        """Refuse a document of another kind or version."""

    def _require_sound(self, name: str, _written: bytes) -> None:
        """Refuse what has the right shape and makes no sense."""

    def to_json(self) -> bytes:
        """Return the bytes of the file."""
        return canonical_bytes(self)


class _Head(msgspec.Struct):
    format: str
    version: int


class VersionedDocument(Document, frozen=True, kw_only=True):
    """A document that says first what it is, and of which version."""

    version_here: ClassVar[int]

    @classmethod
    def _require_kind(cls, content: bytes, name: str) -> None:
        what, head = cls.file.name, read_head(content, _Head, name, f"a {cls.file.name}")
        if head.format != f"hartley {what}":
            raise PolicyError(f"{name} is no {what}; give the {what} file that the release wrote")
        if head.version != cls.version_here:
            raise PolicyError(
                f"{name} is a {what} of version {head.version}; this hartley reads version {cls.version_here}"
            )


def read_head(content: bytes, kind: type[Head], name: str, what: str) -> Head:
    """Read what kind of document this is, and of which version."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise PolicyError(
            f"{name} is damaged, or not {what}: it is not the JSON that a release writes"
        ) from None


def require_each_once(columns: Iterable[str], name: str) -> None:
    """Refuse a document in which a column stands twice."""
    names = list(columns)
    if len(set(names)) < len(names):
        raise PolicyError(f"{name} is damaged: a column stands in it twice")
