"""The works of ``scale.py`` that write releases: DuckDB's bare COPY, our step that writes, the whole command.

The step that writes starts where the codebook is a table in the engine and all packages are loaded, for ours
as for the COPY; its CPU time is the answer of the work.
"""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import verification

LABELS, BOTH = ("x",), ("x", "other")
LIMIT = "2GB"
VERIFIED_ROWS, VERIFIED_PUBLIC = 20_000_000, 100_000


def cpu() -> float:
    """Give the CPU time of this process, all threads together."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def bare_copy(path: Path, columns: tuple[str, ...], order: str = "") -> float:
    """Copy columns with one join, in DuckDB alone: rows come in any order, but for an order that is asked."""
    import duckdb

    connection = duckdb.connect()
    connection.execute(
        f"CREATE TEMP TABLE book AS SELECT x, x // 10 * 10 AS label FROM "
        f"(SELECT DISTINCT x FROM read_parquet('{path}'))"
    )
    cells = ", ".join(["b.label AS x", *(f"t.{name}" for name in columns if name != "x")])
    out = path.with_suffix(".bare")
    start = cpu()
    connection.execute(
        f"COPY (SELECT {cells} FROM read_parquet('{path}') t JOIN book b ON t.x = b.x {order}) "
        f"TO '{out}' (FORMAT parquet)"
    )
    spent = cpu() - start
    out.unlink()
    return spent


def our_write(
    path: Path, columns: tuple[str, ...], *, keep_order: bool, memory_limit: str | None = None
) -> float:
    """Write the released table from a codebook that is known, as ``release`` does.

    Where only labels are published, their numbers of rows are known to it from the joint range.
    """
    import numpy as np

    from hartley.releases.formats import Format
    from hartley.releases.rows.source_rows import Rows
    from hartley.releases.writer.publication import Publication
    from hartley.tables import ReadOptions, open_table

    table = open_table(path, ReadOptions(memory_limit=memory_limit))
    policy = _policy(table, columns)
    found = table.connection.execute(
        f"SELECT x // 10 AS cluster, count(*) AS n FROM read_parquet('{path}') GROUP BY ALL ORDER BY ALL"
    ).fetchnumpy()
    out = path.with_suffix(".ours")
    publication = Publication(Rows(table, columns), policy)
    start = cpu()
    publication.write(
        out,
        Format("parquet", "", False),
        keep_order=keep_order,
        cluster_rows=np.ma.getdata(found["n"]) if columns == LABELS else None,
    )
    spent = cpu() - start
    out.unlink()
    return spent


def whole_release(path: Path, *, keep_order: bool, memory_limit: str | None = None) -> int:
    """Release the table: read, search, write, certify, and verify the files as they are on disk."""
    from hartley import release
    from hartley.tables import ReadOptions

    found = release(
        path,
        path.with_suffix(".released.parquet"),
        require={"distinct_l": 300},
        sensitive="s",
        public="x",
        search="greedy",
        keep_order=keep_order,
        overwrite=True,
        options=ReadOptions(memory_limit=memory_limit),
    )
    for file in (found.output, found.policy, found.certificate):
        file.unlink()
    return found.rows


def _policy(table: Any, columns: tuple[str, ...]) -> Any:
    import numpy as np

    from hartley.model import Alphabet, Coordinate, Partition
    from hartley.releases.codebook import Codebook
    from hartley.releases.policy import Choices, Policy, Reading, RecodedColumn

    values = table.connection.execute(
        f"SELECT DISTINCT v0 FROM ({table.rows_sql([], typed=['x'])}) ORDER BY v0"
    ).fetchnumpy()["v0"]
    public = Alphabet((Coordinate("x", "number", values, np.zeros(len(values), dtype=bool)),))
    partition = Partition(values // 10)
    labels = [(int(values[cluster[0]]) // 10 * 10,) for cluster in partition.clusters()]
    column = RecodedColumn(name="x", kind="number", coding="midpoint")
    book = Codebook((column,), partition, tuple(labels), 0)
    return Policy.of(
        public,
        book,
        columns=table.column_names,
        sensitive=(),
        side=(),
        keep=tuple(name for name in columns if name != "x"),
        harmless=(),
        untouched_kinds={"other": "number"},
        publish_sensitive=False,
        reading=Reading(),
        choices=Choices(
            target={"kind": "largest_cluster", "number": 10},
            leakage="l0",
            utility="distortion",
            codeword="midpoint",
            search="greedy",
            labels="midpoint",
            keep_order=True,
        ),
    )


WORKS: dict[str, Callable[[Path], Any]] = {
    "bare_labels": lambda path: bare_copy(path, LABELS),
    "shuffled_labels": lambda path: our_write(path, LABELS, keep_order=False),
    "kept_labels": lambda path: our_write(path, LABELS, keep_order=True),
    "shuffled_labels_limited": lambda path: our_write(path, LABELS, keep_order=False, memory_limit=LIMIT),
    "kept_labels_limited": lambda path: our_write(path, LABELS, keep_order=True, memory_limit=LIMIT),
    "bare_both": lambda path: bare_copy(path, BOTH),
    "random_both": lambda path: bare_copy(path, BOTH, "ORDER BY random()"),
    "shuffled_both": lambda path: our_write(path, BOTH, keep_order=False),
    "kept_both": lambda path: our_write(path, BOTH, keep_order=True),
    "whole_shuffled": lambda path: whole_release(path, keep_order=False),
    "whole_kept": lambda path: whole_release(path, keep_order=True),
    "whole_limited": lambda path: whole_release(path, keep_order=False, memory_limit=LIMIT),
    "to_verify": lambda path: verification.make(path.parent, VERIFIED_ROWS, VERIFIED_PUBLIC),
    "verify_ours": lambda path: verification.ours(path.parent),
    "verify_duckdb": lambda path: verification.in_duckdb(path.parent),
}


def verifications(path: Path, turns: int, costs: Callable[..., list[Any]], say: Callable[..., None]) -> None:
    """Compare verification with a script for DuckDB that does the same."""
    (made,) = costs(path, "to_verify", turns=1)
    ours, theirs = costs(path, "verify_ours", "verify_duckdb", turns=turns)
    assert ours.answer, "the release does not hold"
    assert theirs.answer, "DuckDB finds another answer"
    ratio = ours.cpu / theirs.cpu
    say(
        ratio <= 2.5,
        f"{ratio:.2f} times",
        f"verification of {VERIFIED_ROWS:,} rows with {made.answer:,} pairs: ours {ours.cpu:.1f} s of CPU, "
        f"{ours.wall:.1f} s, {ours.peak_mb} MB; DuckDB's script {theirs.cpu:.1f} s of CPU, "
        f"{theirs.wall:.1f} s, {theirs.peak_mb} MB (goal: at most 2.5)",
        is_checked=True,
    )
    say(
        None,
        f"{made.cpu:.0f} s",
        f"of CPU to make that table, its release and a codebook for the script; {made.peak_mb} MB",
    )


def releases(path: Path, turns: int, costs: Callable[..., list[Any]], say: Callable[..., None]) -> None:
    """Compare what a release costs with the bare COPY of the same columns."""
    for what, bare_name, names in (
        ("the labels", "bare_labels", ("shuffled_labels", "kept_labels")),
        ("the labels", "bare_labels", ("shuffled_labels_limited", "kept_labels_limited")),
        ("labels and a kept column", "bare_both", ("kept_both", "shuffled_both")),
    ):
        bare, *ours = costs(path, bare_name, *names, turns=turns)
        for name, one in zip(names, ours, strict=True):
            ratio = one.answer / bare.answer
            order = "order kept" if name.startswith("kept") else "shuffled"
            limit = f", {LIMIT}" if name.endswith("limited") else ""
            # Where a column is kept, its rows must first be counted to be shuffled: shown, without a goal.
            has_goal = name != "shuffled_both"
            say(
                ratio <= 1.3 if has_goal else None,
                f"{ratio:.2f} times",
                f"writing {what}, {order}{limit}: {one.answer:.1f} s of CPU, {one.peak_mb} MB; "
                f"DuckDB's COPY with one join {bare.answer:.1f} s, {bare.peak_mb} MB"
                + (" (goal: at most 1.3)" if has_goal else ""),
            )
    (random,) = costs(path, "random_both", turns=1)
    ratio = one.answer / random.answer
    say(
        None,
        f"{ratio:.2f} times",
        f"the last against DuckDB's COPY that shuffles as well: {random.answer:.1f} s, {random.peak_mb} MB",
    )
    (bare,) = costs(path, "bare_labels", turns=1)
    for name in ("whole_shuffled", "whole_kept", "whole_limited"):
        (one,) = costs(path, name, turns=1)
        say(
            one.peak_mb < 2000 if name.endswith("limited") else None,
            f"{one.cpu / bare.answer:.0f} times",
            f"the whole command ({name.removeprefix('whole_')}), read, search and verification with it: "
            f"{one.cpu:.0f} s of CPU, {one.wall:.0f} s, {one.peak_mb} MB; the same COPY {bare.answer:.1f} s"
            + (" (goal: under 2 GB)" if name.endswith("limited") else ""),
        )
