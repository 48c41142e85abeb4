"""An audit of every column alone reads the table once, and counts what counting one by one counts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley import audit as audit_table
from hartley.errors import ColumnError, InputError
from hartley.measures.audit import audit_of_summary, measure
from hartley.tables import RangeRead, Roles, open_table
from hartley.tables.counting import held_rows
from hartley.tables.engine import _Engine
from hartley.tables.text_types import SAMPLED
from random_tables import cell_as_text
from tables.test_one_answer import KINDS, NASTY, tables

NAMES = st.sampled_from(list(KINDS))
ROLES = st.builds(
    lambda public, sensitive, side: Roles(sensitive=tuple(sensitive), public=tuple(public), side=tuple(side)),
    st.lists(NAMES, min_size=1, max_size=3, unique=True),
    st.lists(NAMES, min_size=1, max_size=2, unique=True),
    st.lists(NAMES, max_size=2, unique=True),
)


def measured(read: Any) -> Any:
    found = measure(read.joint) if isinstance(read, RangeRead) else audit_of_summary(read.summary)
    return found, read.dropped_rows


@settings(max_examples=40, deadline=None)
@given(
    frame=tables(),
    role_sets=st.lists(ROLES, min_size=1, max_size=3),
    missing=st.sampled_from(["value", "drop"]),
)
def test_rows_held_here_give_the_joint_range_of_the_engine(
    frame: pa.Table, role_sets: list[Roles], missing: Any
) -> None:
    table = open_table(frame)
    expected: list[Any] = []
    said = None
    for roles in role_sets:
        try:
            expected.append(table.joint_range(roles, missing=missing))
        except InputError as error:
            said = str(error)
            break
    counted = table.several_counts(role_sets, missing=missing)
    assert [next(counted) for _ in expected] == expected
    if said is not None:
        with pytest.raises(InputError) as found:
            next(counted)
        assert str(found.value) == said


@pytest.mark.parametrize("missing", ["value", "drop"])
def test_the_nasty_table_is_the_same_held_and_not_held(missing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = NASTY.column_names
    role_sets = [
        Roles(sensitive=(s,), public=(x,), side=side)
        for s in names[::2]
        for x in names
        for side in ((), ("truth",))
    ]
    table = open_table(NASTY)
    held = list(map(measured, table.several_counts(role_sets, missing=missing)))
    monkeypatch.setattr(held_rows, "MOST_CELLS", 0)
    assert list(map(measured, table.several_counts(role_sets, missing=missing))) == held


@pytest.mark.parametrize("cells", [[1.0, float("inf")], pa.array([1, 2000], pa.timestamp("ns")), [[1], [2]]])
def test_a_column_is_refused_in_the_same_words(cells: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pa.table({"s": [1, 2], "fine": ["a", "b"], "x": cells, "y": cells})
    said = []
    for most in (10**6, 0):
        monkeypatch.setattr(held_rows, "MOST_CELLS", most)
        with pytest.raises(ColumnError, match="column 'x'") as found:
            audit_table(frame, sensitive="s")
        said.append(str(found.value))
    assert said[0] == said[1]


def wide_csv(folder: Path, columns: int, rows: int = 5) -> Path:
    """Write a table in which every kind of text occurs."""
    source = Random(columns)
    makers = [
        lambda: str(source.randint(0, 3)),
        lambda: source.choice(["a", "b", "", '""']),
        lambda: f"{source.random():.2f}",
        lambda: f"2024-01-0{source.randint(1, 9)}",
        lambda: f"2024-01-01T0{source.randint(0, 9)}:00Z",
        lambda: str(10**40 + source.randint(0, 1)),
        lambda: source.choice(["0.1", "0.10000000000000000001", "1e3"]),
        lambda: source.choice(["1", "x"]),
    ]
    path = folder / f"wide{columns}.csv"
    lines = [",".join(f"c{place}" for place in range(columns))]
    lines += [",".join(makers[place % len(makers)]() for place in range(columns)) for _ in range(rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_thousand_columns_are_typed_as_a_few_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = wide_csv(tmp_path, 40, 30)
    found = {}
    for few in (0, 10**9):
        monkeypatch.setattr("hartley.tables.text_types.FEW_COLUMNS", few)
        found[few] = open_table(path).typed_columns([f"c{place}" for place in range(40)])
    assert found[0] == found[10**9]
    assert {column.carrier for column in found[0]} == {"integer", "float", "exact", "text"}


@settings(max_examples=20, deadline=None)
@given(frame=tables())
def test_cells_of_every_kind_are_typed_the_same_one_by_one_and_below_one_another(
    tmp_path_factory: pytest.TempPathFactory, frame: pa.Table
) -> None:
    path = tmp_path_factory.mktemp("typed") / "t.csv"
    rows = [[cell_as_text(cell) for cell in row.values()] for row in frame.to_pylist()]
    quoted = ["" if cell is None else '"' + cell.replace('"', '""') + '"' for row in rows for cell in row]
    width = len(frame.column_names)
    lines = [",".join(frame.column_names)]
    lines += [",".join(quoted[start : start + width]) for start in range(0, len(quoted), width)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for few in (0, 10**9):
            patch.setattr("hartley.tables.text_types.FEW_COLUMNS", few)
            found.append(open_table(path).typed_columns(frame.column_names))
    assert found[0] == found[1]


def test_a_wide_table_is_counted_here_though_its_cells_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = wide_csv(tmp_path, 201)
    expected = audit_table(path, sensitive="c0")
    monkeypatch.setattr(held_rows, "MOST_CELLS", 0)
    monkeypatch.delattr("hartley.tables.table.Table._count")
    assert audit_table(path, sensitive="c0") == expected


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_questions_do_not_grow_with_the_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    asked: list[str] = []
    execute = _Engine.execute

    def counted(self: _Engine, *arguments: Any) -> _Engine:
        asked.append(arguments[0])
        return execute(self, *arguments)

    monkeypatch.setattr(_Engine, "execute", counted)
    numbers = []
    for columns in (24, 96):
        path = wide_csv(tmp_path, columns)
        if ending != "csv":
            import csv

            with path.open() as lines:
                rows = list(csv.DictReader(lines))
            path = path.with_suffix(f".{ending}")
            if ending == "jsonl":
                path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            else:
                import pyarrow.parquet as pq

                pq.write_table(pa.Table.from_pylist(rows), path)
        asked.clear()
        assert len(audit_table(path, sensitive="c0").each) == columns - 1
        numbers.append(len(asked))
    # Texts are looked through for identifiers 64 columns at a time.
    assert numbers[1] - numbers[0] <= 1


def test_no_statement_grows_with_the_columns_of_a_wide_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    execute = _Engine.execute

    def counted(self: _Engine, *arguments: Any) -> _Engine:
        asked.append(arguments[0])
        return execute(self, *arguments)

    monkeypatch.setattr(_Engine, "execute", counted)
    found = audit_table(wide_csv(tmp_path, 96), sensitive="c0")
    assert max(statement.count(" AS v") for statement in asked) == 96
    asked.clear()
    monkeypatch.setattr("hartley.tables.counting.held_rows.COLUMNS_AT_A_TIME", 10)
    assert audit_table(wide_csv(tmp_path, 96), sensitive="c0").to_dict() == found.to_dict()
    assert max(statement.count(" AS v") for statement in asked) == 10


@pytest.mark.parametrize("missing", ["value", "drop"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_file_that_is_too_large_for_memory_is_parsed_once_for_all_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: Any, ending: str
) -> None:
    source = Random(3)
    rows = [
        {
            "s": source.randint(0, 4),
            "x": source.choice(["a", "b", None]),
            "f": source.choice([0.5, 1.5, 2.0, None]),
            "d": f"2024-01-0{source.randint(1, 9)}",
        }
        for _ in range(60)
    ]
    path = tmp_path / f"t.{ending}"
    if ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        cells = [",".join("" if cell is None else str(cell) for cell in row.values()) for row in rows]
        path.write_text("\n".join(["s,x,f,d", *cells]) + "\n")
    # The likeliest guess is counted on tables that are held.
    expected = replace(audit_table(path, sensitive="s", missing=missing), by_sensitive=())
    module = {"csv": "csv", "jsonl": "json_lines"}[ending]
    monkeypatch.setattr(f"hartley.tables.sources.{module}.KEPT_IN_MEMORY", 0)
    monkeypatch.setattr(held_rows, "MOST_CELLS", 0)
    read: list[str] = []
    execute = _Engine.execute

    def noted(self: _Engine, *arguments: Any) -> _Engine:
        read.append(arguments[0])
        return execute(self, *arguments)

    monkeypatch.setattr(_Engine, "execute", noted)
    assert audit_table(path, sensitive="s", missing=missing) == expected
    whole = [
        query for query in read if f"LIMIT {SAMPLED}" not in query
    ]  # a look at the first rows ends there
    parsed = [query for query in whole if "read_csv" in query or "read_json" in query]
    alone = audit_table(path, sensitive="s", public="x", missing=missing)
    assert alone.audit == next(one for one in expected.each if one.public.columns == ("x",))
    assert len(parsed) <= 6
