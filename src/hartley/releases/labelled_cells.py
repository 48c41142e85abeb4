"""Stata and SPSS files as the verifier reads them."""

from __future__ import annotations

from typing import Any

from hartley.errors import TableError


def labelled_cells(path: Any) -> Any:
    """Read a Stata or SPSS file; an empty text is missing, for these formats have no other."""
    import pyarrow as pa
    import pyreadstat

    read = pyreadstat.read_dta if str(path).lower().endswith(".dta") else pyreadstat.read_sav

    def columns(**more: Any) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = read(str(path), user_missing=True, output_format="dict", **more)[0]
        return found

    def with_times(name: str) -> list[Any]:
        try:
            return columns(usecols=[name])[name]
        except OverflowError:  # dates that Python does not have
            return stored[name]

    try:
        stored = columns(disable_datetime_conversion=True)
        cells = {name: with_times(name) for name in stored}
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        raise OSError(f"{path} is no such file") from None
    for name, column in cells.items():
        if len(set(map(repr, column))) < len(set(map(repr, stored[name]))):
            raise TableError(f"column {name!r} holds dates or times that its format does not tell apart")
    return pa.table(
        {
            name: pa.array([None if cell == "" or cell != cell else cell for cell in column])
            for name, column in cells.items()
        }
    )
