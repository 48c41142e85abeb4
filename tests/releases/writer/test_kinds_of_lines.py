"""Columns of every kind that lies on a line are released, and the verifier counts the same distances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import hartley

RNG = np.random.default_rng(1)
ROWS = 60
COLUMNS = {
    "moments": np.datetime64("2020-01-01T00:00:00") + RNG.integers(0, 10**7, ROWS).astype("timedelta64[s]"),
    "microseconds": np.datetime64("2020-01-01T00:00:00.000000")
    + RNG.integers(0, 10**13, ROWS).astype("timedelta64[us]"),
    "days": np.datetime64("1950-01-01") + RNG.integers(0, 20000, ROWS).astype("timedelta64[D]"),
    "two decimals": np.round(RNG.normal(size=ROWS) * 50, 2),
    "many decimals": RNG.normal(size=ROWS) * 7,
    "small and large": RNG.normal(size=ROWS) * 10.0 ** RNG.integers(-9, 12, ROWS),
}


@pytest.mark.parametrize(("search", "withhold"), [("greedy", 0), ("optimal", 0), ("optimal", "5%")])
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_release_is_verified(kind: str, search: str, withhold: int | str, tmp_path: Path) -> None:
    secrets = np.random.default_rng(2).integers(0, 6, ROWS)
    made = hartley.release(
        pa.table({"x": COLUMNS[kind], "s": secrets}),
        tmp_path / "released.csv",
        sensitive="s",
        public="x",
        require={"distinct_l": 3},
        search=search,
        withhold=withhold,
    )
    assert made.rows <= ROWS
