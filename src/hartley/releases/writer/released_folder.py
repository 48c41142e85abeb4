"""A release that stays in Spark: a folder of Parquet files, written, counted and hashed by its workers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hartley.errors import WriteError
from hartley.releases.apply import apply_in_spark
from hartley.releases.certificate import listing_sha256
from hartley.releases.policy import Policy
from hartley.releases.writer.original_source import CountedFrame
from hartley.tables import ReadOptions
from hartley.tables.sources.frames import computed

if TYPE_CHECKING:
    from hartley.releases.formats import Format

ROWS_IN_A_FILE = 1 << 24
"""Rows of one file at most, so that a worker can hold a file to hash it."""


def stays_in_spark(format_: Format, reading: ReadOptions, into: str | None) -> bool:
    """Tell whether the rows of a Spark frame stay there.

    They do where it is released as Parquet. A file of another format, a table of a database,
    and columns that are read as something else than they are to Spark, are written here from counted rows.
    """
    is_as_it_is = not reading.text and not reading.number
    return format_.name == "parquet" and into is None and is_as_it_is


def require_no_folder(place: Path) -> None:
    """Refuse a folder that is there already: it may hold anything, so it is never replaced."""
    if place.is_dir():
        raise WriteError(
            f"{str(place)!r} exists already, and folders are not replaced; choose another name, or remove it"
        )


class ReleasedFolder(CountedFrame):
    """The Parquet files of a release, as Spark reads them: the verifier gets counts of their rows."""

    def __init__(self, session: Any, path: Path) -> None:
        self.path = path
        self._session = session
        with computed("pyspark"):
            super().__init__(session.read.parquet(_address(path)))

    def sha256(self) -> str:
        """Return the hash of the folder; the workers hash the files."""
        from pyspark.sql import functions as f

        with computed("pyspark"):
            files = self._session.read.format("binaryFile").load(_address(self.path))
            rows = files.select("path", f.sha2("content", 256).alias("hash")).collect()
        return listing_sha256((str(row["path"]).rsplit("/", 1)[-1], str(row["hash"])) for row in rows)


class FolderWriter:
    """The folder of a release: written aside, and given its name when everything else is ready."""

    def __init__(self, rows: Any, final: Path, workspace: str) -> None:
        self._frame = rows
        self._final = Path(os.path.realpath(final))
        self._aside = self._final.parent / workspace
        self._staged = self._aside / "folder"

    def write(self, policy: Policy) -> ReleasedFolder:
        """Have the table recoded and written by the workers, and return what they wrote."""
        rows = self._frame
        if policy.reading.missing == "drop":
            measured = (*policy.public_names, *policy.sensitive_names, *policy.side_names, *policy.keep)
            rows = _complete(rows, measured)
        self._aside.mkdir(mode=0o700, exist_ok=True)
        released = apply_in_spark(policy, rows, "error")
        with computed("pyspark"):
            released.write.option("maxRecordsPerFile", ROWS_IN_A_FILE).parquet(_address(self._staged))
        return ReleasedFolder(self._frame.sparkSession, self._staged)

    @contextmanager
    def published(self) -> Iterator[None]:
        """Let the folder have its name while the documents get theirs; take it back where they do not."""
        try:
            self._staged.rename(self._final)
        except OSError:
            raise WriteError(f"{str(self._final)!r} has appeared meanwhile; nothing was written") from None
        try:
            yield
        except BaseException:
            self._final.rename(self._staged)
            raise


def frame_like(source: Any, path: Path) -> Any:
    """Return the rows of a Parquet file as a frame of the session of another one."""
    with computed("pyspark"):
        return source.sparkSession.read.parquet(_address(path))


def _address(path: Path) -> str:
    """Return a path for Spark, which would look for one without a scheme wherever it is set to."""
    return path.absolute().as_uri()


def _complete(frame: Any, names: tuple[str, ...]) -> Any:
    """Leave out rows that lack a measured value; NaN is missing, as everywhere."""
    from pyspark.sql import functions as f

    places = {name: f"c{place}" for place, name in enumerate(frame.columns)}
    types = {field.name: field.dataType.typeName() for field in frame.schema.fields}
    rows = frame.toDF(*places.values())
    for name in names:
        cell = f.col(places[name])
        is_there = cell.isNotNull()
        rows = rows.where(is_there & ~f.isnan(cell) if types[name] in ("float", "double") else is_there)
    return rows.toDF(*places)
