"""The original as the verifier gets it: a file it reads by itself, or rows where it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hartley.errors import OptionError
from hartley.release.formats import Format
from hartley.tables import ReadOptions, open_table


def original_file(source: Any) -> Path | None:
    """Give the one file that a source is, where the verifier can read it by itself.

    >>> original_file("sqlite:///clinic.db") is None
    True
    """
    if not isinstance(source, (str, Path)) or not Path(source).is_file():
        return None
    try:
        Format.of(Path(source))
    except OptionError:
        return None
    return Path(source)


def for_verifier(source: Any, options: ReadOptions) -> Any:
    """Give what the verifier takes as the original: a file, a frame, or else the rows as Arrow.

    A workbook, a database, several files: these are read as for the release. All counting is
    the verifier's own.
    """
    if original_file(source) is not None or not isinstance(source, (str, Path)):
        return source
    table = open_table(source, options)
    try:
        names = table.column_names
        cells = ", ".join(f"o{place} AS {_quoted(name)}" for place, name in enumerate(names))
        query = f"SELECT {cells} FROM ({table.rows_sql(names)}) ORDER BY r"  # noqa: S608 (our own names)
        return table.connection.sql(query).to_arrow_table()
    finally:
        table.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
