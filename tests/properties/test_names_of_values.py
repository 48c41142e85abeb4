"""With labels alone, a release depends on which rows share a sensitive value, never on what the values are.

So a reader who knows the search, and sees labels alone, can exchange the names of all sensitive values: every
row keeps every value of the alphabet (for numbers of candidates; not where values are near or far, or
grouped). The certificate says so in these cases and in no other.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hartley
from hartley.errors import UnreachableError
from sample_sizes import sample

PUBLIC: dict[str, list[str]] = {
    "one": ["age"],
    "text": ["job"],
    "two": ["age", "job"],
    "dates": ["seen", "age"],
}
SHAPES: dict[str, dict[str, Any]] = {
    "any": {},
    "intervals": {"shape": "intervals"},
    "columns": {"shape": "columns"},
    "greedy": {"search": "greedy"},
    "worst": {"objective": "worst"},
    "rows": {"require": {"distinct_l": 2, "row_k": 3}},
    "kept": {"keep": ["sex"]},
    "sizes": {"utility": "resolution"},
    "greedy sizes": {"utility": "resolution", "search": "greedy"},
    "sizes of rows": {"utility": "resolution", "require": {"distinct_l": 2, "row_k": 3}},
    "certain": {"utility": "resolution", "keep": ["sex"]},
}


def random_table(draw: random.Random) -> pd.DataFrame:
    """Return a small table in which many rows have equal public values."""
    rows = draw.choice((8, 14, 25, 40))
    return pd.DataFrame(
        {
            "age": [draw.choice(range(20, 20 + draw.choice((5, 15)))) for _ in range(rows)],
            "job": [draw.choice("abcdef") for _ in range(rows)],
            "seen": [pd.Timestamp(2024, draw.randint(1, 6), 1).date() for _ in range(rows)],
            "sex": [draw.choice("fm") for _ in range(rows)],
            "secret": [draw.choice("uvwxyz"[: draw.choice((3, 6))]) for _ in range(rows)],
        }
    )


def renamed(table: pd.DataFrame, draw: random.Random, public: list[str]) -> pd.DataFrame:
    """Return the table with other names for its sensitive values, its rows in another order."""
    names = sorted(set(table["secret"]))
    others = draw.sample(["u", "v", "w", "x", "y", "z", "10", "9", None], len(names))
    changed = table.assign(secret=table["secret"].map(dict(zip(names, others, strict=True))))
    return changed.sample(frac=1.0, random_state=draw.randrange(1000)).sort_values(public, kind="stable")


def lines(table: pd.DataFrame, path: Path, **asked: Any) -> list[str]:
    """Return the lines of a release, whose order is drawn."""
    try:
        made = hartley.release(table, path, sensitive="secret", overwrite=True, **asked)
    except UnreachableError:
        return ["unreachable"]
    assert "statement" in json.loads(made.certificate.read_text())["predicate"]
    return sorted(made.output.read_text().splitlines())


NOT_ASKED = {
    # Bands are of one ordered column.
    *((public, "intervals") for public in PUBLIC if public != "one"),
}
"""Combinations that are refused."""


@pytest.mark.parametrize(
    ("public", "shape"), [(a, b) for a in PUBLIC for b in SHAPES if (a, b) not in NOT_ASKED]
)
def test_other_names_give_the_same_release(public: str, shape: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"require": {"distinct_l": 3}, "public": PUBLIC[public], **SHAPES[shape]}
    for seed in range(sample(2, 40)):
        draw = random.Random(f"{public} {shape} {seed}")
        table = random_table(draw)
        found = lines(table, tmp_path / "out.csv", **asked)
        for _ in range(sample(1, 2)):
            assert lines(renamed(table, draw, PUBLIC[public]), tmp_path / "out.csv", **asked) == found, seed
