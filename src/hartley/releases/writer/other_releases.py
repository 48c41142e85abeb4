"""Policies that lie beside a new release and may be of the same table, though nobody named them.

Two releases of one table may combine: each keeps its promise by itself, and together they leave less. A
policy may be of the same table where that had the same columns and one of the protected ones was protected
then, too: its rows are in no policy. Nothing but the names of files is told of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hartley.releases.policy import FORMAT

MOST_FILES = 100
MOST_BYTES = 100_000_000


class _Named(msgspec.Struct, frozen=True):
    name: str


class _PolicyHead(msgspec.Struct, frozen=True):
    """What a policy says of its table."""

    format: str
    columns: tuple[str, ...]
    sensitive: tuple[_Named, ...]


def policies_beside(
    folder: Path, columns: Sequence[str], sensitive: Iterable[str], known: Iterable[Any]
) -> tuple[Path, ...]:
    """Return the policies of tables with these columns in a folder, but those that are known; at most 100."""
    named = {Path(one).resolve() for one in known if isinstance(one, (str, Path))}
    protected = set(sensitive)
    found = []
    for place in sorted(folder.glob("*.policy.json"))[:MOST_FILES]:
        head = None if place.resolve() in named else _head(place)
        if head is None or head.format != FORMAT or set(head.columns) != set(columns):
            continue
        if protected & {column.name for column in head.sensitive}:
            found.append(place)
    return tuple(found)


def _head(place: Path) -> _PolicyHead | None:
    """Read what a policy says of its table; nothing where the file is none, or cannot be read."""
    try:
        if not place.is_file() or place.stat().st_size > MOST_BYTES:
            return None
        return msgspec.json.decode(place.read_bytes(), type=_PolicyHead)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
