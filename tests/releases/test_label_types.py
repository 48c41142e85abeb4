"""The type of a recoded column holds every label as it is."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from hartley import release
from hartley.model.demand import Target
from hartley.releases.codebook import type_for_labels


@pytest.mark.parametrize(
    ("own", "labels", "expected"),
    [
        ("TINYINT", ["-128", "127"], "TINYINT"),
        ("TINYINT", ["128"], "BIGINT"),
        ("UTINYINT", ["255"], "UTINYINT"),
        ("UTINYINT", ["-1"], "BIGINT"),
        ("UBIGINT", [str(2**64 - 1)], "UBIGINT"),
        ("BIGINT", [str(2**63)], "DECIMAL(38, 0)"),
        ("BIGINT", ["0.5", "1"], "DOUBLE"),
        ("DOUBLE", [str(2**53 + 1)], "BIGINT"),
        ("DECIMAL(5,1)", ["0.1"], "DECIMAL(5,1)"),
        ("DECIMAL(5,1)", ["0.15"], "DOUBLE"),
        ("DECIMAL(5,1)", ["123456"], "BIGINT"),
        ("BIGINT", ["12345678901234567890.123456789"], "DECIMAL(38, 9)"),
        ("BIGINT", ["1e300", "0.1234567890123456789"], "VARCHAR"),
        ("BIGINT", [None], "BIGINT"),
    ],
)
def test_numbers_get_the_first_type_that_rounds_none(
    own: str, labels: list[str | None], expected: str
) -> None:
    assert type_for_labels(own, "number", labels) == expected


def test_moments_get_microseconds_only_where_a_label_needs_them() -> None:
    assert type_for_labels("TIMESTAMP_MS", "timestamp", ["2024-01-01 00:00:00.001000"]) == "TIMESTAMP_MS"
    assert type_for_labels("TIMESTAMP_MS", "timestamp", ["2024-01-01 00:00:00.001500"]) == "TIMESTAMP"
    assert type_for_labels("TIMESTAMP_S", "timestamp", ["2024-01-01 00:00:00.500000"]) == "TIMESTAMP"
    assert type_for_labels("TIMESTAMP_NS", "timestamp", ["2300-01-01 00:00:00"]) == "TIMESTAMP"
    assert type_for_labels("DATE", "date", ["2300-01-01"]) == "DATE"


def test_the_middle_of_two_milliseconds_can_be_released(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    start = dt.datetime(2024, 1, 1)
    moments = [start + dt.timedelta(milliseconds=count) for count in (1, 2, 3, 4)]
    frame = pl.DataFrame({"x": pl.Series(moments, dtype=pl.Datetime("ms")), "s": list("pqpq")})
    made = release(frame, tmp_path / "out.parquet", target=Target("distinct_l", 2), sensitive="s", public="x")
    found = set(pl.read_parquet(made.output)["x"].to_list())
    assert found == {start + dt.timedelta(microseconds=count) for count in (1500, 3500)}
