"""A released file, policy or certificate that was changed is caught, whatever was changed."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from hartley import release
from hartley.errors import HartleyError
from hartley.model.demand import Target
from hartley.releases.policy import Policy
from hartley.tables import open_table
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.verify_release import verify
from random_tables import write_table

ROWS = [
    {"age": 30 + n % 7, "chol": 150 + (n * 37) % 23, "sex": "fm"[n % 2], "note": f"n{n % 3}", "extra": n}
    for n in range(40)
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ReleaseResult]:
    folder = tmp_path_factory.mktemp("release")
    source = folder / "in.csv"
    write_table(source, ROWS)
    result = release(
        source,
        folder / "out.csv",
        target=Target("distinct_l", 2),
        sensitive="age",
        public="chol",
        keep="sex",
        harmless="note",
        exposure="accept",
        search="greedy",
    )
    return source, result


def is_caught(source: Path, output: Path, policy: Path, certificate: Path, record: Path) -> bool:
    try:
        return not verify(
            output, original=source, policy=policy, certificate=certificate, record=record
        ).holds
    except HartleyError:
        return True


def test_what_was_not_changed_is_confirmed(made: tuple[Path, ReleaseResult]) -> None:
    source, result = made
    assert not is_caught(source, result.output, result.policy, result.certificate, result.record)


@pytest.mark.parametrize("role", ["output", "policy", "certificate", "record", "original"])
def test_a_single_changed_byte_is_caught(made: tuple[Path, ReleaseResult], tmp_path: Path, role: str) -> None:
    source, result = made
    files = {
        "output": result.output,
        "policy": result.policy,
        "certificate": result.certificate,
        "record": result.record,
        "original": source,
    }
    content = files[role].read_bytes()
    random = Random(role)
    for _ in range(60):
        place = random.randrange(len(content))
        byte = random.choice([b for b in range(256) if b != content[place]])
        changed = tmp_path / files[role].name
        changed.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
        paths = {**files, role: changed}
        order = [paths[name] for name in ("original", "output", "policy", "certificate", "record")]
        assert is_caught(*order), (place, byte)


def leaves(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(document, dict):
        return [leaf for key, value in document.items() for leaf in leaves(value, (*path, key))]
    if isinstance(document, list):
        return [leaf for place, value in enumerate(document) for leaf in leaves(value, (*path, place))]
    return [path]


def test_rows_that_are_added_lost_or_swapped_between_columns_are_caught(
    made: tuple[Path, ReleaseResult], tmp_path: Path
) -> None:
    source, result = made
    header, *lines = result.output.read_text().splitlines(keepends=True)
    changed = tmp_path / "out.csv"
    swapped = [",".join(reversed(lines[0].rstrip("\n").split(","))) + "\n", *lines[1:]]
    # The order is random, and rows that are alike may stand one after the other.
    other = next(line for line in lines if line != lines[0])
    for rows in (lines[1:], [*lines, lines[0]], swapped, [other, *lines[1:]]):
        changed.write_text(header + "".join(rows))
        found = verify(changed, original=source, policy=result.policy)
        assert [check.name for check in found.failures] == ["rows"]


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".jsonl"])
def test_untouched_cells_that_became_text_are_caught(tmp_path: Path, ending: str) -> None:
    source = tmp_path / "in.parquet"
    day = dt.date(2024, 2, 29)
    kept = {"number": [1, 2, None, 2], "truth": [True, None, False, True], "date": [day, day, None, day]}
    pq.write_table(pa.table({"x": [1, 2, 3, 4], "s": list("pqpq"), **kept}), source)
    result = release(
        source,
        tmp_path / f"out{ending}",
        target=Target("largest_cluster", 2),
        sensitive="s",
        public="x",
        harmless=list(kept),
        exposure="accept",
    )
    table = open_table(result.output)
    names = table.column_names
    table.close()
    for name, kind in (("number", pa.string()), ("truth", pa.int8()), ("date", pa.string())):
        if (ending, name) == (".jsonl", "date"):
            continue
        changed = tmp_path / f"changed{ending}"
        if ending == ".jsonl":
            rows = map(json.loads, result.output.read_text().splitlines())
            odd = [{**row, name: None if row[name] is None else str(row[name]).lower()} for row in rows]
            changed.write_text("".join(json.dumps(row) + "\n" for row in odd))
        else:
            is_parquet = ending == ".parquet"
            cells = pq.read_table(result.output) if is_parquet else feather.read_table(result.output)
            cells = cells.set_column(names.index(name), name, cells.column(name).cast(kind))
            (pq.write_table if is_parquet else feather.write_feather)(cells, changed)
        found = verify(changed, original=source, policy=result.policy)
        assert [check.name for check in found.failures] == ["rows"], name


def test_order_alone_is_no_difference(made: tuple[Path, ReleaseResult], tmp_path: Path) -> None:
    source, result = made
    header, *lines = result.output.read_text().splitlines(keepends=True)
    changed = tmp_path / "out.csv"
    changed.write_text(header + "".join(reversed(lines)))
    assert verify(changed, original=source, policy=result.policy).holds


def test_the_certificate_holds_no_cell_and_no_label(made: tuple[Path, ReleaseResult]) -> None:
    _, result = made
    document = json.loads(result.certificate.read_bytes())
    texts = [
        value
        for path in leaves(document)
        if isinstance(value := _at(document, path), str) and path[-1] not in ("seal", "commitment")
    ]
    cells = {str(cell) for row in ROWS for cell in row.values()}
    policy = Policy.read(result.policy)
    cells |= {text for cluster in policy.clusters for text in cluster.label if text is not None}
    assert not cells & set(texts)
    assert policy.key not in result.certificate.read_text()
    assert "witnesses" not in result.certificate.read_text()


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document
