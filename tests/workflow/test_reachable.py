"""What cannot be met: the message lists what can be reached of each part, and that can be reached."""

from __future__ import annotations

import re
from dataclasses import replace

import pyarrow as pa
import pytest

import hartley
from hartley.errors import UnreachableError
from hartley.model import Partition
from hartley.workflow.publication import choose_point

TABLE = pa.table(
    {"age": [30, 41, 52, 30, 41, 52, 30], "chol": [180, 181, 190, 195, 230, 231, 300]},
)


def made(folder, **wanted):
    return hartley.release(
        TABLE, folder / "out.csv", sensitive="age", public="chol", require=wanted, overwrite=True
    )


@pytest.mark.parametrize(
    ("wanted", "offers"),
    [
        ({"distinct_l": 3, "row_k": 4, "max_distortion": 50}, 1),
        ({"distinct_l": 2, "row_k": 4, "max_distortion": 40}, 2),
        ({"distinct_l": 4, "row_k": 3}, 1),
        ({"row_k": 7, "max_leakage": 0.0, "max_distortion": 30}, 1),
    ],
)
def test_each_offer_is_within_reach_and_no_more_is(tmp_path, wanted, offers):
    with pytest.raises(UnreachableError) as refused:
        made(tmp_path, **wanted)
    found = re.findall(
        r"(distinct-l|row-k|max_leakage|max_distortion)[= ]'?([0-9.]+)'? in place of", str(refused.value)
    )
    assert len(found) >= offers
    for name, number in found:
        key, much = name.replace("-", "_"), float(number)
        lowered = int(much) if key in ("distinct_l", "row_k") else much
        assert made(tmp_path, **{**wanted, key: lowered}).rows == 7
        if key in ("distinct_l", "row_k") and lowered + 1 < wanted[key]:
            with pytest.raises(UnreachableError):
                made(tmp_path, **{**wanted, key: lowered + 1})


def test_nothing_is_offered_where_no_single_part_is_to_blame():
    with pytest.raises(UnreachableError, match=r"however coarse$"):
        hartley.frontier(TABLE, sensitive="age", public="chol", require={"distinct_l": 4, "row_k": 9})


def test_a_search_that_is_wrong_writes_nothing(monkeypatch, tmp_path):
    real = choose_point.searched_point

    def careless(*given):
        untouched = Partition.singletons(given[0].joint.public.size)
        return replace(real(*given), cut=lambda: untouched)

    monkeypatch.setattr(choose_point, "searched_point", careless)
    table = pa.table({"x": list(range(8)), "s": list("abababab")})
    with pytest.raises(UnreachableError):
        hartley.release(table, tmp_path / "out.csv", sensitive="s", public="x", require=["distinct-l=2"])
    assert not list(tmp_path.iterdir())
