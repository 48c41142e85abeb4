"""An audit counted inside the engine is the audit of the joint range."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.errors import ColumnError
from hartley.measures.audit import audit, audit_of_summary
from hartley.tables import Roles, open_table
from tables.test_one_answer import KINDS, NASTY, tables

NAMES = st.sampled_from(list(KINDS))


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
    counted = table.range_summary(roles, missing=missing)
    assert audit_of_summary(counted.summary) == audit(read.joint)
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
        assert audit_of_summary(table.range_summary(roles).summary) == audit(expected.joint)


def _is_there(cell: object) -> bool:
    return cell is not None and cell == cell


@pytest.mark.parametrize("sensitive", NASTY.column_names)
def test_the_nasty_table_is_counted_inside_as_outside(sensitive: str) -> None:
    table = open_table(NASTY)
    for public in NASTY.column_names:
        for side in ((), ("truth",), ("category", "day")):
            roles = Roles(sensitive=(sensitive,), public=(public,), side=side)
            expected = audit(table.joint_range(roles).joint)
            assert audit_of_summary(table.range_summary(roles).summary) == expected


def test_witnesses_are_the_first_ten_and_a_hundred_candidates() -> None:
    frame = pa.table(
        {"x": [f"x{i % 25:02}" for i in range(25 * 150)], "s": [i // 25 for i in range(25 * 150)]}
    )
    table = open_table(frame)
    roles = Roles(sensitive=("s",), public=("x",))
    found = audit_of_summary(table.range_summary(roles).summary)
    assert found == audit(table.joint_range(roles).joint)
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
