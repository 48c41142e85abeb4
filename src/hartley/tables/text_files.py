"""Opening a file of text: its bytes, unpacked, and in UTF-8."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import shutil
import zlib
from pathlib import Path
from typing import IO, BinaryIO, cast

from hartley.documents import DocumentKind, kind_of_no_file
from hartley.errors import OptionError, TableError, option
from hartley.scratch import scratch_folder

PACKINGS = (".gz", ".zst", ".bz2", ".xz")
_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError)


def packing(path: Path) -> str:
    """Return the ending of a packed file, or nothing where it is not packed."""
    ending = path.suffix.lower()
    return ending if ending in PACKINGS else ""


def open_bytes(path: Path, content: bytes | None = None) -> BinaryIO:
    """Open a file for reading, unpacked where its name ends in ``.gz``, ``.zst``, ``.bz2`` or ``.xz``.

    ``content`` stands for the bytes of the file, where they were read already.
    """
    ending, source = packing(path), path if content is None else io.BytesIO(content)
    if ending == ".gz":
        return cast("BinaryIO", gzip.open(source, "rb"))
    if ending == ".bz2":
        return cast("BinaryIO", bz2.open(source, "rb"))
    if ending == ".xz":
        return cast("BinaryIO", lzma.open(source, "rb"))
    if ending == ".zst":
        import pyarrow as pa

        packed = pa.OSFile(str(path)) if content is None else pa.BufferReader(content)
        return cast("BinaryIO", io.BufferedReader(pa.CompressedInputStream(packed, "zstd")))
    return path.open("rb") if isinstance(source, Path) else source


def read_unpacked(path: Path, kind: DocumentKind) -> bytes:
    """Return the bytes of a document, unpacked; none may be too large, packed or unpacked."""
    content = kind.read(path)
    if not content:
        raise TableError(f"{path.name}: the file is empty")
    try:
        with open_bytes(path, content) as stream:
            return kind.within_limit(stream, path)
    except (*_DAMAGED, OSError):
        raise _damaged(path) from None


def require_file(path: Path) -> None:
    """Refuse what cannot be opened, in one line."""
    try:
        other = kind_of_no_file(path.stat().st_mode)
        if other == "a folder":
            raise TableError(f"{str(path)!r} is a folder; give the path of a table in it")
        if other is not None:
            raise TableError(f"{str(path)!r} is no file but {other}; save the table as a file first")
        with path.open("rb") as stream:
            stream.read(1)
        if not path.stat().st_size:
            raise TableError(f"{path.name}: the file is empty")
        if packing(path):
            _require_whole(path)
    except FileNotFoundError:
        raise TableError(f"no file {str(path)!r}; give the path of a table") from None
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be read: {(error.strerror or 'input error').lower()}"
        ) from None
    except ValueError:
        raise TableError(f"{str(path)!r} is no path; it holds a character that no path has") from None


def _require_whole(path: Path) -> None:
    """Unpack a file once, for nothing but its errors."""
    try:
        with open_bytes(path) as stream:
            while stream.read(1 << 20):
                pass
    except (*_DAMAGED, OSError):
        raise _damaged(path) from None


def _damaged(path: Path) -> TableError:
    kind = {".gz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz"}[packing(path)]
    return TableError(f"{path.name}: the compressed file is damaged, or not {kind}")


def is_utf8(encoding: str) -> bool:
    """Tell whether an encoding needs no translation."""
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)  # codecs that are no encodings of text (hex, rot13) refuse
        return found.name in ("utf-8", "ascii", "utf-8-sig")
    except (LookupError, ValueError):
        raise OptionError(
            f"unknown encoding {encoding!r}; for example 'utf-8', 'latin-1', 'utf-16'"
        ) from None


def translated(path: Path, encoding: str, folder: Path) -> Path:
    """Write the file in UTF-8 into a folder, and give the copy."""
    # Paths under this folder are readable by their owner alone.
    copy = folder / (path.stem if packing(path) else path.name)
    is_utf8(encoding)
    try:
        with (
            open_bytes(path) as packed,
            codecs.getreader(encoding)(packed) as source,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            shutil.copyfileobj(cast("IO[str]", source), target, 1 << 20)
    except UnicodeError:
        raise TableError(
            f"{path.name}: the file is not {encoding}; name its encoding with {option('encoding')}"
        ) from None
    return copy


def without_mark(path: Path, encoding: str) -> Path:
    """Return a readable file that does not begin with a byte order mark."""
    with open_bytes(path) as stream:
        is_marked = stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    if is_marked and is_utf8(encoding):
        return translated(path, "utf-8-sig", scratch_folder())
    return readable(path, encoding)


def readable(path: Path, encoding: str) -> Path:
    """Return a file that the engine can read: this one, or a copy in the scratch folder.

    A packed file is unpacked once, and not again for each question.
    """
    if is_utf8(encoding) and not packing(path):
        return path
    if is_utf8(encoding):
        copy = scratch_folder() / path.stem
        with open_bytes(path) as packed, copy.open("wb") as plain:
            shutil.copyfileobj(packed, plain, 1 << 20)
        return copy
    return translated(path, encoding, scratch_folder())
