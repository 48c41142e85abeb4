"""An audit counted inside the engine is the audit of the joint range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley import audit as audit_table
from hartley.errors import ColumnError
from hartley.measures.audit import audit_of_summary, measure
from hartley.tables import ReadOptions, Roles, Table, open_table
from hartley.tables import table as table_module
from hartley.tables.counting import held_rows
from hartley.tables.counting.sql_summary import SummaryRead
from tables.test_one_answer import KINDS, NASTY, tables

NAMES = st.sampled_from(list(KINDS))


def by_every_way(table: Table, roles: Roles, missing: Any = "value") -> list[SummaryRead]:
    """Have an audit's counts marked on a grid, and counted by the engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hartley.tables.table.grid_room", lambda *_: 0)
        patch.setattr("hartley.tables.table.FEW_PAIRS", 0)
        counted = table.range_summary(roles, missing=missing)
    assert counted is not None
    chosen = table.range_summary(roles, missing=missing)
    # Nothing is counted where fetching the joint range costs less.
    return [counted] if chosen is None else [chosen, counted]


@settings(max_examples=60, deadline=None)
@given(
    frame=tables(),
    public=st.lists(NAMES, min_size=1, max_size=2, unique=True),
    sensitive=st.lists(NAMES, min_size=1, max_size=2, unique=True),
    side=st.lists(NAMES, max_size=2, unique=True),
    missing=st.sampled_from(["value", "drop"]),
)
def test_the_summary_gives_the_audit_of_the_joint_range(
    frame: pa.Table, public: list[str], sensitive: list[str], side: list[str], missing: Any
) -> None:
    roles = Roles(sensitive=tuple(sensitive), public=tuple(public), side=tuple(side))
    table = open_table(frame)
    rows = frame.to_pylist()
    if missing == "drop" and not any(all(_is_there(row[name]) for name in roles.columns) for row in rows):
        return
    read = table.joint_range(roles, missing=missing)
    for counted in by_every_way(table, roles, missing):
        assert audit_of_summary(counted.summary) == measure(read.joint)
        assert counted.dropped_rows == read.dropped_rows


@settings(max_examples=40, deadline=None)
@given(
    frame=tables(),
    public=st.lists(NAMES, min_size=1, max_size=2, unique=True),
    sensitive=st.lists(NAMES, min_size=1, max_size=2, unique=True),
    side=st.lists(NAMES, max_size=1),
)
def test_tables_whose_rows_are_counted_first_give_the_same(
    frame: pa.Table, public: list[str], sensitive: list[str], side: list[str]
) -> None:
    roles = Roles(sensitive=tuple(sensitive), public=tuple(public), side=tuple(side))
    doubled = pa.concat_tables([frame, frame])
    expected = open_table(doubled).joint_range(roles)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hartley.tables.table.COUNTED_FROM", 1)
        table = open_table(doubled)
        assert table.joint_range(roles) == expected
        for counted in by_every_way(table, roles):
            assert audit_of_summary(counted.summary) == measure(expected.joint)


def test_each_way_of_counting_is_taken_where_it_is_best(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    for name in ("read_on_grid", "read_range", "read_summary"):
        way = getattr(table_module, name)

        def noted(*arguments: Any, name: str = name, way: Any = way) -> Any:
            found = way(*arguments)
            taken.append(name if found is not None else "no room")
            return found

        monkeypatch.setattr(table_module, name, noted)
    many, few = np.arange(6000), np.arange(6000) % 700
    monkeypatch.setattr(held_rows, "MOST_CELLS", 0)
    roles = Roles(sensitive=("s",), public=("x",))
    for x in (many, few):
        spread = {"x": [f"x{i}" for i in x], "s": [f"s{i}" for i in x]}
        assert audit_table(pa.table(spread), sensitive="s", public="x").audit.pairs == len(set(x))
    assert taken == ["no room", "read_range", "read_on_grid"]
    taken.clear()
    limited = open_table(pa.table({"x": few, "s": few}), ReadOptions(memory_limit="32MB"))
    monkeypatch.setattr(table_module, "grid_room", lambda *_: 700 * 699)
    assert limited.range_summary(roles).summary.pairs == 700
    assert taken == ["no room", "read_summary"]


def _is_there(cell: object) -> bool:
    return cell is not None and cell == cell


@pytest.mark.parametrize("sensitive", NASTY.column_names)
def test_the_nasty_table_is_counted_inside_as_outside(sensitive: str) -> None:
    table = open_table(NASTY)
    for public in NASTY.column_names:
        for side in ((), ("truth",), ("category", "day")):
            roles = Roles(sensitive=(sensitive,), public=(public,), side=side)
            expected = measure(table.joint_range(roles).joint)
            for counted in by_every_way(table, roles):
                assert audit_of_summary(counted.summary) == expected


def test_witnesses_are_the_first_ten_and_a_hundred_candidates() -> None:
    frame = pa.table(
        {"x": [f"x{i % 25:02}" for i in range(25 * 150)], "s": [i // 25 for i in range(25 * 150)]}
    )
    table = open_table(frame)
    roles = Roles(sensitive=("s",), public=("x",))
    for counted in by_every_way(table, roles):
        found = audit_of_summary(counted.summary)
        assert found == measure(table.joint_range(roles).joint)
        assert [narrow.public["x"] for narrow in found.narrowest] == [f"x{i:02}" for i in range(10)]
        assert [len(narrow.sensitive) for narrow in found.narrowest] == [100] * 10


def test_what_no_alphabet_can_hold_is_refused_inside_as_well() -> None:
    table = open_table(pa.table({"x": [1.0, float("inf"), 2.5], "s": [1, 2, 3]}))
    with pytest.raises(ColumnError, match="'x' holds infinite numbers"):
        table.range_summary(Roles(sensitive=("s",), public=("x",)))
    fine = open_table(pa.table({"x": pa.array([1, 2000, 3], pa.timestamp("ns")), "s": [1, 2, 3]}))
    with pytest.raises(ColumnError, match="finer than a microsecond"):
        fine.range_summary(Roles(sensitive=("s",), public=("x",)))
    far = open_table(pa.table({"x": pa.array([10_000_000, 0], pa.date32()), "s": [1, 2]}))
    with pytest.raises(ColumnError, match="outside the years 1 to 9999"):
        far.range_summary(Roles(sensitive=("s",), public=("x",)))
