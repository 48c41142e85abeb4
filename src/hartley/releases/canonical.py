r"""The bytes of a document: one text for one content, so that nothing can hide between the lines.

A document is JSON in ASCII, two spaces to a level, fields in the order of their definition, other
keys sorted, shortest numbers, one line feed at the end. Whatever reads as the same content but is written
otherwise is refused: a key that stands twice, other spaces, another order, ``é`` for ``\u00e9``.
"""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from hartley.errors import PolicyError

Document = TypeVar("Document", bound=msgspec.Struct)

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


def read_canonical(content: bytes, kind: type[Document], name: str, what: str) -> Document:
    """Read a document; refuse one of another shape, and one whose bytes are not what they say."""
    try:
        document = msgspec.json.decode(content, type=kind, strict=True)
        written = canonical_bytes(document)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise PolicyError(f"{name} is damaged: it does not have the shape of {what}") from None
    if written != content:
        raise PolicyError(
            f"{name} is not as it was written: the same content has other bytes (a key twice, other spaces, "
            "another order or spelling); give the file that the release wrote"
        )
    return document


def read_head(content: bytes, kind: type[Document], name: str, what: str) -> Document:
    """Read what kind of document this is, and of which version."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise PolicyError(
            f"{name} is damaged, or not {what}: it is not the JSON that a release writes"
        ) from None
