"""What a source hands to DuckDB to be counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Missing = Literal["value", "drop"]
"""Whether a missing cell is a value of its own, or its row is left out and counted."""


@dataclass(frozen=True)
class Scan:
    """What SQL can select raw columns from; each record stands for ``rows`` rows."""

    source: str
    rows: str | None = None
    """The column with the number of rows, or nothing where each record is one row."""
    is_distinct: bool = False
    """Whether no two records have the same values."""
