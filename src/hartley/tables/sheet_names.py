"""The sheets of a workbook, by name."""

from __future__ import annotations

from pathlib import Path

from hartley.errors import TableError
from hartley.tables.locations import ENDINGS
from hartley.tables.optional_packages import required


def sheet_names(path: Path) -> tuple[str, ...]:
    """Name the sheets of a workbook, in order; nothing for any other kind of file.

    >>> sheet_names(Path("heart.csv"))
    ()
    """
    if ENDINGS.get(path.suffix.lower()) != "workbook":
        return ()
    calamine = required("python_calamine", f"reading {path.name}", "excel")
    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as book:
            return tuple(book.sheet_names)
    except (calamine.CalamineError, OSError):
        raise TableError(f"{path.name}: the file is not a workbook that can be read") from None
