"""Opening a file of text: its bytes, unpacked, and in UTF-8."""

from __future__ import annotations

import codecs
import gzip
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import IO, BinaryIO, cast

from hartley.errors import OptionError, TableError


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading, unpacked where its name ends in ``.gz``."""
    return cast("BinaryIO", gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb"))


def require_file(path: Path) -> None:
    """Refuse what cannot be opened, in one line."""
    try:
        with path.open("rb") as stream:
            stream.read(1)
        if not path.stat().st_size:
            raise TableError(f"{path.name}: the file is empty")
        if path.suffix.lower() == ".gz":
            with open_bytes(path) as stream:
                while stream.read(1 << 20):
                    pass
    except FileNotFoundError:
        raise TableError(f"no file {str(path)!r}; give the path of a table") from None
    except IsADirectoryError:
        raise TableError(f"{str(path)!r} is a folder; give the path of a table in it") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise TableError(f"{path.name}: the compressed file is damaged, or not gzip") from None
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be read: {(error.strerror or 'input error').lower()}"
        ) from None


def is_utf8(encoding: str) -> bool:
    """Tell whether an encoding needs no translation."""
    try:
        return codecs.lookup(encoding).name in ("utf-8", "ascii", "utf-8-sig")
    except LookupError:
        raise OptionError(
            f"unknown encoding {encoding!r}; for example 'utf-8', 'latin-1', 'utf-16'"
        ) from None


def translated(path: Path, encoding: str, folder: Path) -> Path:
    """Write the file in UTF-8 into a folder, and give the copy."""
    # Paths under this folder are readable by their owner alone.
    copy = folder / path.name.removesuffix(".gz")
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
            f"{path.name}: the file is not {encoding}; name its encoding with --encoding"
        ) from None
    return copy


def private_folder() -> Path:
    """Make a temporary folder that only its owner can read."""
    return Path(tempfile.mkdtemp(prefix="hartley-"))
