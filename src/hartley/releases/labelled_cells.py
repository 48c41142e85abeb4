"""Stata and SPSS files as the verifier reads them."""

from __future__ import annotations

from typing import Any


def labelled_cells(path: Any) -> Any:
    """Read a Stata or SPSS file; an empty text is missing, for these formats have no other.

    Dates and times that Python does not have, or that their format does not tell apart, stay numbers.
    """
    import pyarrow as pa
    import pyreadstat

    read = pyreadstat.read_dta if str(path).lower().endswith(".dta") else pyreadstat.read_sav

    def columns(**more: Any) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = read(str(path), user_missing=True, output_format="dict", **more)[0]
        return found

    def with_times(name: str) -> list[Any]:
        try:
            return columns(usecols=[name])[name]
        except OverflowError:
            return stored[name]

    try:
        stored = columns(disable_datetime_conversion=True)
        try:
            shown = columns()
        except OverflowError:
            shown = {name: with_times(name) for name in stored}
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        raise OSError(f"{path} is no such file") from None
    return pa.table(
        {
            name: pa.array(
                [None if cell == "" or cell != cell else cell for cell in _told_apart(stored[name], column)]
            )
            for name, column in shown.items()
        }
    )


def _told_apart(stored: list[Any], shown: list[Any]) -> list[Any]:
    different = len(set(map(repr, stored)))
    return stored if len(set(map(repr, shown))) < different else shown
