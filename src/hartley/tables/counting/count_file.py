"""The result of a counting statement: a small table without a cell of the original, as an audit needs it.

Each line says what it is in ``part``. A line of a role names one of its columns; ``total`` has the rows of
the table, its pairs and how many lines there are; ``observations`` counts the observations that have the same
anchor, prior and number of candidates; ``link`` says that two sensitive values, told apart by numbers only,
occur together.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hartley.documents import COUNTS
from hartley.errors import InputError, TableError
from hartley.model import Alphabet, RangeSummary
from hartley.model.range_summary import Span

NUMBERS = ("anchor", "value", "prior", "candidates", "observations", "table_rows", "least_rows")
MOST_LINES = 5_000_000
PARTS = ("sensitive", "public", "side", "total", "observations", "link")


@dataclass(frozen=True)
class CountLine:
    """A line of the result."""

    part: str
    name: str
    anchor: int
    value: int
    prior: int
    candidates: int
    observations: int
    table_rows: int
    least_rows: int


@dataclass(frozen=True)
class CountFile:
    """What was counted, and the columns of each role."""

    roles: dict[str, tuple[str, ...]]
    summary: RangeSummary


def read_counts(path: str | Path) -> CountFile:
    """Read what a counting statement returned, as CSV or Parquet; refuse counts that do not add up."""
    name = Path(path).name
    content = COUNTS.read(path)
    try:
        found = _lines(content, is_parquet=Path(path).suffix.lower() == ".parquet")
        lines = list(islice(found, MOST_LINES + 1))
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
        raise _no_counts(name) from None
    if len(lines) > MOST_LINES:
        raise TableError(
            f"{name} has more than {MOST_LINES:,} lines, and no result of a counting statement does"
        )
    return counts_of(lines, name)


def _no_counts(name: str) -> TableError:
    return TableError(
        f"{name} is no result of a counting statement; save what it returned, with the names of its columns"
    )


def _lines(content: bytes, *, is_parquet: bool) -> Iterable[CountLine]:
    rows: Iterable[dict[str, Any]]
    if is_parquet:
        import pyarrow.parquet as pq

        rows = (row for batch in pq.ParquetFile(BytesIO(content)).iter_batches() for row in batch.to_pylist())
    else:
        rows = csv.DictReader(TextIOWrapper(BytesIO(content), encoding="utf-8-sig", newline=""))
    for row in rows:
        told = {str(key).lower(): cell for key, cell in row.items()}
        numbers = {name: int(told[name] or 0) for name in NUMBERS}
        part = str(told["part"])
        if part not in PARTS:
            raise ValueError(part)
        yield CountLine(part=part, name=told["name"] or "", **numbers)


def counts_of(lines: list[CountLine], name: str = "the counts") -> CountFile:
    """Return what the lines of a file of counts add up to; a refusal calls the file by its ``name``."""
    roles = {
        role: tuple(one.name for one in sorted(lines, key=lambda one: one.value) if one.part == role)
        for role in ("sensitive", "public", "side")
    }
    totals = [one for one in lines if one.part == "total"]
    groups = [one for one in lines if one.part == "observations"]
    links = [one for one in lines if one.part == "link"]
    if len(totals) != 1 or not groups or not roles["sensitive"] or not roles["public"]:
        raise _no_counts(name)
    total = totals[0]
    size = len({one.value for one in links})
    rows, observations = sum(one.table_rows for one in groups), sum(one.observations for one in groups)
    pairs = sum(one.candidates * one.observations for one in groups)
    codes = {one.value for one in links} | {one.anchor for one in (*links, *groups)}
    adds_up = (
        rows == total.table_rows
        and pairs == total.candidates
        and observations == total.observations
        and len(links) == len({(one.anchor, one.value) for one in links}) == total.prior
        and sum(map(len, roles.values())) == total.least_rows
        and codes == set(range(1, size + 1))
        and all(_is_possible(one, size) for one in groups)
        and {one.anchor for one in groups} == {one.anchor for one in links}
    )
    if not adds_up:
        raise TableError(f"{name} does not add up: lines of it are missing, or were changed or counted twice")
    anchored = {field: np.zeros(size, dtype=np.int64) for field in ("observations", "table_rows")}
    for one in groups:
        for field, counts in anchored.items():
            counts[one.anchor - 1] += getattr(one, field)
    fewest = min(one.candidates for one in groups)
    narrow = [one for one in groups if one.candidates == fewest]
    try:
        summary = RangeSummary(
            rows=rows,
            pairs=pairs,
            sensitive=Alphabet.numbered(size, "sensitive"),
            public_columns=roles["public"],
            public_values=total.anchor,
            side_columns=roles["side"] or None,
            side_values=total.value,
            observations=observations,
            spans=_spans(groups),
            row_k=min(one.least_rows for one in groups),
            narrowest_count=sum(one.observations for one in narrow),
            narrowest_rows=sum(one.table_rows for one in narrow),
            narrowest=(),
            anchors=np.array([one.anchor - 1 for one in links]),
            linked=np.array([one.value - 1 for one in links]),
            anchored_observations=anchored["observations"],
            anchored_rows=anchored["table_rows"],
        )
    except InputError:
        raise TableError(f"{name} does not add up") from None
    return CountFile(roles, summary)


def _is_possible(one: CountLine, size: int) -> bool:
    few = one.observations * max(one.candidates, one.least_rows) <= one.table_rows
    return 1 <= one.candidates <= one.prior <= size and one.candidates <= one.least_rows and few


def _spans(groups: list[CountLine]) -> tuple[Span, ...]:
    found: dict[int, list[int]] = {}
    for one in groups:
        found.setdefault(one.prior, []).append(one.candidates)
    return tuple(Span(prior, min(some), max(some)) for prior, some in sorted(found.items()))
