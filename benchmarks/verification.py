"""Verification of a release, and a script for DuckDB doing the same, for ``guard.py`` and ``scale.py``."""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

from pathlib import Path

import numpy as np

SENSITIVE = 1_000
LEAST = 150
"""Sensitive values that every released value keeps."""


def make(folder: Path, rows: int, public: int) -> int:
    """Make a release of many rows with nearly as many pairs, to be verified."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import hartley

    rng = np.random.default_rng(6)
    table = pa.table({"x": rng.integers(0, public, rows), "s": rng.integers(0, SENSITIVE, rows)})
    pq.write_table(table, folder / "rows.parquet")
    del table
    made = hartley.release(
        folder / "rows.parquet",
        folder / "released.parquet",
        sensitive="s",
        public="x",
        require={"distinct_l": LEAST},
        search="greedy",
        overwrite=True,
        publish_sensitive=True,
    )
    policy = hartley.Policy.read(made.policy)
    members = [(one, cluster.label) for cluster in policy.clusters for one in cluster.members]
    book = pa.table(
        {"x": [int(one[0] or 0) for one, _ in members], "label": [label[0] for _, label in members]}
    )
    pq.write_table(book, folder / "book.parquet")
    return made.before.pairs


def ours(folder: Path) -> bool:
    """Verify the release."""
    import hartley

    return hartley.verify(
        folder / "released.parquet",
        original=folder / "rows.parquet",
        policy=folder / "released.policy.json",
        certificate=folder / "released.certificate.json",
    ).holds


def in_duckdb(folder: Path) -> bool:
    """Do the same in DuckDB alone: count pairs of both, join by the codebook, compare, count candidates."""
    import duckdb

    original, released, book = (f"'{folder / name}.parquet'" for name in ("rows", "released", "book"))
    connection = duckdb.connect()
    pairs = f"SELECT x, s, count(*) AS n FROM {original} GROUP BY ALL"
    connection.execute(
        f"CREATE TEMP TABLE pairs AS SELECT b.label, p.x, p.s, n FROM ({pairs}) p JOIN {book} b USING (x)"
    )
    expected = "SELECT label::DOUBLE AS label, s, sum(n) AS n FROM pairs GROUP BY ALL"
    found = f"SELECT x::DOUBLE AS label, s, count(*) AS n FROM {released} GROUP BY ALL"
    (wrong,) = connection.execute(
        f"SELECT count(*) FROM ({expected}) e FULL JOIN ({found}) f USING (label, s) "
        "WHERE e.n IS DISTINCT FROM f.n"
    ).fetchall()[0]
    (fewest,) = connection.execute(
        "SELECT min(c) FROM (SELECT count(DISTINCT s) AS c FROM pairs GROUP BY label)"
    ).fetchall()[0]
    return bool(wrong == 0 and fewest >= LEAST)
