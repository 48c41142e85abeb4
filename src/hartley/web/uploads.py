"""What the browser sends: small JSON; and tables, into a private folder, under names of our own."""

from __future__ import annotations

import asyncio
import json
import lzma
import os
import secrets
import zipfile
import zlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO

from starlette.requests import Request

from hartley.errors import TableError
from hartley.operating_system import create_private
from hartley.web.worker import CallError, Json

TEXT = (".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson")
KINDS = (
    *TEXT,
    ".parquet",
    ".pq",
    ".arrow",
    ".feather",
    ".ipc",
    ".xlsx",
    ".xls",
    ".xlsb",
    ".ods",
    ".dta",
    ".sav",
)
PACKINGS = (".gz", ".zst", ".bz2", ".xz")
"""The endings of tables that can be read. A test holds them against the readers; the server loads none."""
ACCEPTED = ",".join((*KINDS, *PACKINGS))
"""What the page lets a user choose."""
ZIPPED = (".xlsx", ".xlsb", ".ods")
"""Workbooks that are archives of packed parts."""
LONGEST_NAME = 120
LONGEST_REQUEST = 256 * 1024
"""Bytes of JSON; only an upload may be longer."""
MOST_EXACT = 2**53
"""Whole numbers above are not exact in a browser."""


class TooLargeError(TableError):
    """A file beyond the limit."""


def too_large(limit: int, unpacked: bool = False) -> TooLargeError:
    """Word that a file is too large."""
    where = ", unpacked," if unpacked else ""
    return TooLargeError(f"the file{where} is larger than {size_in_words(limit)}, the most that is taken")


def kind_of(name: str) -> str:
    """Return the ending that tells how to read a file; refuse one that no table has.

    >>> kind_of("patients.CSV"), kind_of("patients.csv.gz")
    ('.csv', '.csv.gz')
    """
    lower = name.lower()
    packed = next((ending for ending in PACKINGS if lower.endswith(ending)), "")
    for kind in TEXT if packed else KINDS:
        if lower.removesuffix(packed).endswith(kind):
            return kind + packed
    raise TableError(
        f"this is no kind of table that can be read; its name must end in one of {', '.join(KINDS)}"
    )


def plain_name(name: str) -> str:
    r"""Return a name to show and to save under: no folder, no control character, not too long.

    >>> plain_name("../../etc/passwd.csv"), plain_name("C:\\data\\a b.csv")
    ('passwd.csv', 'a b.csv')
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(character for character in last if character.isprintable()).strip(". ")
    return kept[-LONGEST_NAME:] or "table"


async def received(chunks: AsyncIterator[bytes], folder: Path, kind: str, limit: int) -> Path:
    """Write what arrives to a new private file; beyond the limit nothing is kept."""
    # The name is ours alone: nothing that the browser said becomes part of a path.
    path = folder / f"upload-{secrets.token_hex(8)}{kind}"
    handle = create_private(path)
    total = 0
    try:
        with os.fdopen(handle, "wb") as file:
            async for chunk in chunks:
                total += len(chunk)
                if total > limit:
                    raise too_large(limit)
                file.write(chunk)
        if not total:
            raise TableError("the file is empty")
        await asyncio.to_thread(require_unpacked_within, path, limit)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def require_unpacked_within(path: Path, limit: int) -> None:
    """Refuse a packed file that holds more than the limit, before anything is made of it.

    What the file says of itself is not believed: it is unpacked, and counted until it is too much.
    """
    left = limit
    try:
        for stream in _unpacked(path):
            while chunk := stream.read(1 << 20):
                left -= len(chunk)
                if left < 0:
                    raise too_large(limit, unpacked=True)
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        return  # its reader has words for a damaged file
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError):
        raise TableError("the file is damaged, locked, or not what its name says") from None


def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    """Open what a packed file holds, part by part; nothing where the file is not packed as a whole."""
    from hartley.tables.text_files import open_bytes, packing

    if packing(path):
        with open_bytes(path) as stream:
            yield stream
    elif path.suffix in ZIPPED:
        with zipfile.ZipFile(path) as archive:
            for part in archive.infolist():
                with archive.open(part) as stream:
                    yield stream


def size_in_words(size: int) -> str:
    """Return a size in bytes as people say it.

    >>> size_in_words(2_500_000), size_in_words(999)
    ('2.5 MB', '999 bytes')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"


async def json_object(request: Request) -> Json:
    """Read a small JSON object; anything else is refused."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise CallError("this needs JSON", 415)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_REQUEST:
            raise CallError("the request is too long", 413)
    try:
        asked = json.loads(body, parse_int=_exact)
        json.dumps(asked, ensure_ascii=False).encode()  # half a character has no bytes anywhere
    except (ValueError, RecursionError):
        raise CallError("this is not JSON", 400) from None
    if not isinstance(asked, dict):
        raise CallError("this needs a JSON object", 400)
    return asked


def _exact(text: str) -> int:
    """Return a whole number of JSON; refuse one that a page could not have meant."""
    if len(text) > 17 or abs(int(text)) > MOST_EXACT:
        raise ValueError(text)
    return int(text)
