"""The verifier's own counting: every row, by its cells as they are, whatever the batches."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.verifier import tally as tally_module
from hartley.verifier.recount import Recount
from hartley.verifier.tables import other_cells, row_numbers
from hartley.verifier.tables.cell_numbers import CellNumbers
from hartley.verifier.tables.reread import RereadTable
from hartley.verifier.tables.row_numbers import Combined, Numbered
from hartley.verifier.tally import RowTally, tally
from reference_recount import plain_recount

COLUMNS = {
    "a": st.sampled_from([0.0, -0.0, 1.5, math.nan, None]),
    "b": st.sampled_from(["", "x", "y", None]),
    "c": st.sampled_from([1, 2**60 + 1, 2**60, None]),
    "d": st.sampled_from([[1], [1, 2], None]),
}


def counter(found: RowTally) -> Counter[tuple[str, ...]]:
    columns = [[column.keys[code] for code in column.codes] for column in found.columns.values()]
    rows = zip(*columns, strict=True)
    counted: Counter[tuple[str, ...]] = Counter()
    for row, count in zip(rows, found.counts.tolist(), strict=True):
        assert tuple(map(str, row)) not in counted, "a row that comes twice"
        counted[tuple(map(str, row))] = count
    return counted


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(*COLUMNS.values()), max_size=40),
    batch=st.integers(1, 10),
    at_once=st.integers(1, 20),
    widest=st.sampled_from([2, 5, 1 << 62]),
)
def test_rows_are_counted_as_they_are(rows: list[Any], batch: int, at_once: int, widest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally_module, "AT_ONCE", at_once)
        for module in (tally_module, row_numbers):
            patch.setattr(module, "WIDEST", widest)
        cells = list(zip(*rows, strict=True)) if rows else [[], [], [], []]
        kinds = [pa.float64(), pa.string(), pa.int64(), pa.list_(pa.int64())]
        columns = [pa.array(column, kind) for column, kind in zip(cells, kinds, strict=True)]
        table = pa.table(columns, names=list(COLUMNS))
        source = RereadTable(pa.Table.from_batches(table.to_batches(max_chunksize=batch), table.schema))
        assert counter(tally(source, list(COLUMNS))) == Counter(tuple(map(str, row)) for row in rows)


def test_batches_of_a_file_are_counted_together(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setattr(other_cells, "BATCH", 7)
    rows = [(number * 7 % 5, f"t{number % 3}") for number in range(100)]
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": [n for n, _ in rows], "t": [t for _, t in rows]}), path)
    expected = Counter((str(n), t) for n, t in rows)
    assert counter(tally(RereadTable(path), ["n", "t"])) == expected
    folder = tmp_path / "parts.parquet"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    for start in (0, 40):
        pq.write_table(pq.read_table(path).slice(start, 40 if start == 0 else 60), folder / f"part-{start}")
    found = RereadTable(folder)
    assert (found.columns, found.rows_nearly()) == (["n", "t"], 100)
    assert counter(tally(found, ["n", "t"])) == expected


def numbered(values: list[int]) -> Combined:
    return Combined.of([Numbered(np.array(values), range(max(values) + 1))], len(values))


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 8), st.integers(0, 2), st.integers(1, 4)),
        min_size=1,
        max_size=30,
    ),
    has_side=st.booleans(),
)
def test_measures_are_those_of_plain_dictionaries(rows: list[Any], has_side: bool) -> None:
    if not has_side:
        rows = [(seen, secret, 0, count) for seen, secret, _, count in rows]
    seen, secret, known, counts = (list(column) for column in zip(*rows, strict=True))
    reader = Recount(has_side=has_side)
    reader.add(numbered(seen), numbered(secret), numbered(known), np.array(counts))
    found = reader.found()
    assert found == plain_recount(rows, has_side=has_side)


def test_cells_of_several_types_are_told_apart_in_one_column() -> None:
    cells = CellNumbers("x")
    bits = np.array([-0.0, 1.0]).view(np.int64).tolist()
    columns = [
        pa.array([1, 2, None]),
        pa.array([0.0, -0.0, 1.0, None, float("nan")]),
        pa.array(["1", None, "a"]),
        pa.array([1, *bits]),
        pa.array([2.0, -0.0, 1.0]),
    ]
    codes = [cells.codes(column).tolist() for column in columns]
    keys = list(cells.keys())
    shown = [[repr(keys[code]) for code in found] for found in codes]
    assert shown == [
        ["1", "2", "None"],
        ["0.0", "-0.0", "1.0", "None", "nan"],
        ["'1'", "None", "'a'"],
        ["1", *map(str, bits)],
        ["2.0", "-0.0", "1.0"],
    ]
