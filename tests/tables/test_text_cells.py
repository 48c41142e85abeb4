"""The one rule of types for files without types."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.tables import ReadOptions, Roles, open_table

UTC = dt.UTC


def read(path: Path, cells: list[str], **options: tuple[str, ...]) -> tuple[str | None, list[object]]:
    """Write one column of cells as they stand, and give its kind and its sorted values."""
    path.write_text("i,c\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)), encoding="utf-8")
    table = open_table(path, ReadOptions(**options))  # type: ignore[arg-type]
    joint = table.joint_range(Roles(sensitive=("i",), public=("c",))).joint
    assert joint.rows.sum() == len(cells)
    return table.columns[1].kind, joint.public.labels()


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["3", "-3", "20"], "number", [-3, 3, 20]),
        (["1.10", "1.1", "-0", "0"], "number", [0, 1.1]),
        (["1e5", "100000", "1E-2"], "number", [0.01, 100000]),
        (["1.0", "2.00"], "number", [1, 2]),
        (["007", "7"], "text", ["007", "7"]),
        (["+5", "5"], "text", ["+5", "5"]),
        ([".5", "5"], "text", [".5", "5"]),
        (["5.", "5"], "text", ["5", "5."]),
        (["1_000", "5"], "text", ["1_000", "5"]),
        (["NaN", "5"], "text", ["5", "NaN"]),
        (["NA", "5"], "text", ["5", "NA"]),
        (["inf", "5"], "text", ["5", "inf"]),
        ([" 5", "5"], "text", [" 5", "5"]),
        (["0x10", "16"], "text", ["0x10", "16"]),
        (["true", "false"], "text", ["false", "true"]),
        (["b", "a", "Z", "é", "😀", "｡"], "text", ["Z", "a", "b", "é", "｡", "😀"]),
        (["5", "", "3"], "number", [3, 5, None]),
        (["", ""], "text", [None]),
        (['""', "x", ""], "text", ["", "x", None]),
        (['""', "1", ""], "number", [1, None]),
        (['""', "2024-02-29", ""], "date", [dt.date(2024, 2, 29), None]),
        (["2024-02-29", "1969-12-31"], "date", [dt.date(1969, 12, 31), dt.date(2024, 2, 29)]),
        (["2023-02-29", "1969-12-31"], "text", ["1969-12-31", "2023-02-29"]),
        (["0000-01-01"], "text", ["0000-01-01"]),
        (["0001-01-01", "9999-12-31"], "date", [dt.date.min, dt.date.max]),
        (["2024-2-9"], "text", ["2024-2-9"]),
        (["20240209"], "number", [20240209]),
        (["2024-02-29", "2024-02-29T10:00"], "text", ["2024-02-29", "2024-02-29T10:00"]),
        (
            ["2024-02-29T10:00", "2024-02-29 10:00:00.000", "2024-02-29 09:00:00.000001"],
            "timestamp",
            [dt.datetime(2024, 2, 29, 9, 0, 0, 1), dt.datetime(2024, 2, 29, 10)],
        ),
        (
            ["2024-02-29T10:00Z", "2024-02-29 11:00:00+01:00", "2024-02-29T10:00:01-00:30"],
            "timestamp",
            [dt.datetime(2024, 2, 29, 10, tzinfo=UTC), dt.datetime(2024, 2, 29, 10, 30, 1, tzinfo=UTC)],
        ),
        (["2024-02-29T10:00Z", "2024-02-29T10:00"], "text", ["2024-02-29T10:00", "2024-02-29T10:00Z"]),
        (["2024-02-29T24:00"], "text", ["2024-02-29T24:00"]),
        (["2024-02-29T10:00:00.1234567"], "text", ["2024-02-29T10:00:00.1234567"]),
    ],
)
def test_a_column_gets_its_kind_from_every_cell(
    tmp_path: Path, cells: list[str], kind: str, values: list[object]
) -> None:
    assert read(tmp_path / "t.csv", cells) == (kind, values)


def test_whole_numbers_stay_exact(tmp_path: Path) -> None:
    numbers = [2**53, 2**53 + 1, 2**60 + 1, -(2**63), 2**63 - 1]
    assert read(tmp_path / "t.csv", [str(n) for n in numbers]) == ("number", sorted(numbers))
    numbers.append(10**38 - 1)
    assert read(tmp_path / "t.csv", [str(n) for n in numbers]) == ("number", sorted(numbers))
    digits = "1" * 39
    assert read(tmp_path / "t.csv", [digits, "2"]) == ("text", [digits, "2"])


def test_decimals_beyond_floats_are_never_merged(tmp_path: Path) -> None:
    cells = ["0.1", "0.10000000000000000001"]
    assert read(tmp_path / "t.csv", cells) == ("number", [Decimal(cell) for cell in cells])
    assert read(tmp_path / "t.csv", ["9007199254740993", "0.5"]) == (
        "number",
        [Decimal("0.5"), 9007199254740993],
    )
    for cells in (["1e400", "2"], ["1e-400", "0.5"], ["0." + "1" * 39, "2"], ["1e99999999999999999999", "2"]):
        assert read(tmp_path / "t.csv", cells) == ("text", sorted(cells))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False),
            st.integers(-(2**70), 2**70),
            st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000, places=25),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_numbers_are_equal_exactly_when_they_are_the_same_decimal(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float | int | Decimal]
) -> None:
    cells = [str(number) for number in numbers]
    kind, values = read(tmp_path_factory.mktemp("numbers") / "t.csv", cells)
    exact = sorted({Decimal(cell) for cell in cells})
    if kind == "number":
        assert [Decimal(str(value)) for value in values] == exact
    else:
        assert values == sorted(set(cells))
        # Text is the answer only where neither floats nor 38 digits hold every number.
        assert any(Decimal(repr(float(number))) != number for number in exact)
        whole = max(max(number.adjusted() + 1, 0) for number in exact)
        scale = max(max(-int(number.normalize().as_tuple().exponent), 0) for number in exact)
        assert whole + scale > 38


def test_the_user_decides_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    cells = ["007", "+7", " 7 ", "7.", ".5", "1e1", '""', ""]
    assert read(path, cells, number=("c",)) == ("number", [0.5, 7, 10, None])
    assert read(path, ["1.10", "1.1"], text=("c",)) == ("text", ["1.1", "1.10"])
    assert read(path, ["2024-01-01"], text=("c",)) == ("text", ["2024-01-01"])
    assert read(path, ["", ""], number=("c",)) == ("number", [None])
