"""The public codebook held against the released table: every label it lists, with the rows that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import numpy as np

from hartley.errors import TableError
from hartley.releases.policy import Policy
from hartley.verifier.checks import Checks
from hartley.verifier.tables.delimited import Delimited
from hartley.verifier.tables.reread import RereadTable, as_kind
from hartley.verifier.tally import numbered_batches

HEADER = ["column", "treatment", "order", "label", "rows", "meaning"]


def check_public_codebook(checks: Checks, content: bytes, policy: Policy, released: RereadTable) -> None:
    """Check that the codebook names the published columns and counts the cells of the file as they are."""
    try:
        lines = Delimited(content.decode(), ",", "the public codebook")
        header = lines.header()
        batches = lines.columns([HEADER.index(name) for name in ("column", "label", "rows", "meaning")])
        cells = (zip(*(column.to_pylist() for column in batch), strict=True) for batch in batches)
        told = [tuple(cell or "" for cell in line) for batch in cells for line in batch]
    except (ValueError, IndexError, TableError):
        header, told = [], []
    columns = list(dict.fromkeys(name for name, *_ in told))
    checks.add(
        "columns of the codebook",
        header == HEADER and columns == list(policy.published),
        "the public codebook has other columns than the release",
    )
    kinds = {column.name: column.released_kind for column in policy.public}
    listed: dict[str, Counter[Hashable]] = {}
    for name, label, rows, meaning in told:
        if rows.isdecimal() and name in kinds:
            is_missing = not label and meaning == "missing or withheld"
            key = None if is_missing else as_kind(label, kinds[name])
            listed.setdefault(name, Counter())[key] += int(rows)
    found = _counts(released, {name: kinds[name] for name in listed})
    checks.add(
        "rows of the codebook",
        all(found[name] == counts for name, counts in listed.items()),
        "the public codebook counts other labels or rows than the release has",
    )


def _counts(released: RereadTable, kinds: dict[str, str]) -> dict[str, Counter[Hashable]]:
    """Count the cells of some columns."""
    counts: dict[str, Counter[Hashable]] = {name: Counter() for name in kinds}
    # In a text file of a single column a missing cell is a pair of quotes.
    is_lone = released.is_text and len(released.columns) == 1
    for columns, rows in numbered_batches(released, list(kinds)) if kinds else ():
        for name, column in columns.items():
            totals = np.bincount(column.codes, weights=rows, minlength=len(column.keys)).astype(np.int64)
            for place in np.flatnonzero(totals).tolist():
                cell = column.keys[place]
                key = None if is_lone and cell == "" else as_kind(cell, kinds[name])
                counts[name][key] += int(totals[place])
    return counts
