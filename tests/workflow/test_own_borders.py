"""Own borders ask for bands by themselves: of one column, or of each."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import hartley

PEOPLE = pa.table(
    {
        "age": [17, 20, 35, 41, 50, 64, 70, 80] * 3,
        "sex": ["f", "m"] * 12,
        "pay": [number % 5 for number in range(24)],
    }
)


@pytest.mark.parametrize("public", ["age", ["age"], ["age", "sex"]])
def test_borders_are_kept_without_a_word_about_the_shape(tmp_path: Path, public: str | list[str]) -> None:
    made = hartley.release(
        PEOPLE,
        tmp_path / "out.csv",
        sensitive="pay",
        public=public,
        borders={"age": "18,40,65"},
        distinct_l=2,
    )
    head, *rows = made.output.read_text(encoding="utf-8").splitlines()
    place = head.split(",").index("age")
    # Joined where that costs nothing by the worst class, never cut elsewhere.
    bands = {"under 18", "18 to 39", "under 40", "40 to 64", "65 and over"}
    assert {row.split(",")[place] for row in rows} <= bands
