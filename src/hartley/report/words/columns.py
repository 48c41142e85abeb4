"""The columns of a table that nobody has given a role yet, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hartley.errors import option
from hartley.report.words.audit import counted

PRIVATE = (
    "diagnos",
    "disease",
    "illness",
    "hiv",
    "salary",
    "wage",
    "income",
    "earning",
    "debt",
    "religion",
    "status",
    "age",
    "birth",
    "weight",
)
"""Parts of names that sound private, the most private first: for a first guess, no more."""

if TYPE_CHECKING:
    from hartley.workflow import ColumnDescription, TableDescription


def column_kind(column: ColumnDescription) -> str:
    """Return what the cells of a column are, in a word."""
    if column.kind is None:
        return "not measurable"
    return {"boolean": "yes or no"}.get(column.kind, column.kind)


def column_note(column: ColumnDescription, rows: int) -> str:
    """Say what to know of a column before it is given a role."""
    notes = []
    if column.is_identifier:
        notes.append("looks like a name or identifier: do not publish")
    elif column.values is not None and column.values == 1 and not column.missing:
        notes.append("the same in every row")
    elif column.values is not None and rows >= 10 and column.values >= 0.95 * rows:
        notes.append("nearly all different")
    if column.is_coded:
        notes.append("looks like codes")
    if column.is_written_date:
        notes.append("looks like dates, and is read as text")
    if column.missing_code is not None:
        notes.append(f"{column.missing_code} may mean missing")
    if column.missing:
        notes.append(
            "empty in every row" if column.missing == rows else f"{counted(column.missing, 'cell')} empty"
        )
    return "; ".join(notes)


def persons_note(table: TableDescription) -> str | None:
    """Say which column tells whose rows are whose, and what to add; nothing where none repeats."""
    repeating = [one for one in table.columns if one.rows_each is not None]
    if not repeating:
        return None
    one = max(repeating, key=lambda column: column.values or 0)
    return (
        f"{one.name} repeats: {counted(one.values or 0, 'person')} with {one.rows_each:.2g} rows each on "
        f"average. If a reader can link the rows of one person, add {option('person', one.name)} to every "
        "command; people are then counted, not rows."
    )


def next_columns(table: TableDescription) -> tuple[str, str] | None:
    """Return a column to protect and one to publish, for a first call; nothing where there are no two."""
    usable = [
        one
        for one in table.columns
        if one.kind is not None and not one.is_identifier and (one.values or 0) > 1
    ]
    if len(usable) < 2:
        return None
    protected = _private(usable) or usable[0]
    others = [one for one in usable if one is not protected]
    # Another form of the same column, such as a logarithm, is no column to publish.
    others = [one for one in others if protected.name.lower() not in one.name.lower()] or others
    # The column with most values is the likeliest to single somebody out.
    published = max(others, key=lambda one: (one.values or 0, one.name))
    return protected.name, published.name


def _private(columns: Sequence[ColumnDescription]) -> ColumnDescription | None:
    """Return the column whose name sounds most private, the shortest of them; nothing where none does."""
    for word in PRIVATE:
        named = [column for column in columns if word in column.name.lower()]
        if named:
            return min(named, key=lambda column: len(column.name))
    return None
