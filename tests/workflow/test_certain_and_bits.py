"""Limits on what is certain, and on bits, beside bands, a tolerance and side information.

Compared with all bands, and with all partitions, of small random tables.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from math import log2
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import hartley
from hartley.frontiers import Point
from sample_sizes import sample

Row = tuple[int, int, str]


def _table(rows: list[Row]) -> pa.Table:
    x, s, a = zip(*rows, strict=True)
    return pa.table({"x": x, "s": s, "a": a})


def _random_rows(seed: int) -> list[Row]:
    rng = np.random.default_rng(seed)
    places = rng.choice(30, size=rng.integers(2, 7), replace=False)
    kinds = rng.choice(np.arange(20, 45), size=rng.integers(2, 6), replace=False)
    return [
        (int(x), int(rng.choice(kinds)), str(rng.choice(["u", "v"])))
        for x in places
        for _ in range(rng.integers(1, 4))
    ]


def _components(sets: list[set[int]], tolerance: int) -> int:
    values = sorted(set().union(*sets))
    links = [*sets, *({low, high} for low, high in pairwise(values) if high - low <= tolerance)]
    left: list[set[int]] = []
    for link in links:
        met = [one for one in left if one & link]
        left = [one for one in left if not one & link] + [set(link).union(*met)]
    return len(left)


def _all_bands(rows: list[Row], tolerance: int, by_size: bool) -> list[tuple[float, int]]:
    """Return the cost and the components of every way to cut the public values into bands."""
    values = sorted({x for x, _, _ in rows})
    found = []
    for count in range(len(values)):
        for cuts in combinations(range(1, len(values)), count):
            bands = [values[low:high] for low, high in pairwise([0, *cuts, len(values)])]
            sets = [{s for x, s, _ in rows if x in band} for band in bands]
            cost = max(len(band) if by_size else (band[-1] - band[0]) / 2 for band in bands)
            found.append((cost, _components(sets, tolerance)))
    return found


def _is_in_bands(point: Point) -> bool:
    return bool((np.diff(point.partition.labels) >= 0).all())


def _cost(point: Point) -> float:
    return point.largest_cluster if point.max_distortion is None else point.max_distortion


@pytest.mark.parametrize("utility", ["distortion", "resolution"])
@pytest.mark.parametrize("tolerance", [0, 3])
def test_what_a_frontier_of_bands_claims_of_what_is_certain_holds_for_all_bands(
    utility: str, tolerance: int
) -> None:
    proven = 0
    for seed in range(sample(20, 500)):
        rows = _random_rows(seed)
        close = {"s": tolerance} if tolerance else {}
        study = hartley.Study(_table(rows), sensitive="s", public="x", tolerance=close)
        frontier = study.frontier(leakage="istar", shape="intervals", utility=utility).frontier
        everything = _all_bands(rows, tolerance, by_size=utility == "resolution")
        for point in frontier.points:
            assert _is_in_bands(point)
            assert point.lower_bound_bits is not None
            assert point.lower_bound_cost is not None
            count = round(2**point.leakage_bits)
            assert (_cost(point), count) in everything
            fewest = min(left for cost, left in everything if cost <= _cost(point))
            cheapest = min(cost for cost, left in everything if left <= count)
            assert point.lower_bound_bits <= log2(fewest) + 1e-9
            assert point.lower_bound_cost <= cheapest
            if point.proven_optimal:
                assert (count, _cost(point)) == (fewest, cheapest)
                proven += 1
    assert proven


@pytest.mark.parametrize("utility", ["distortion", "resolution"])
def test_bands_that_leave_nothing_certain_are_bands(utility: str) -> None:
    for seed in range(sample(30, 500)):
        study = hartley.Study(_table(_random_rows(seed)), sensitive="s", public="x")
        frontier = study.frontier(leakage="joint", shape="intervals", utility=utility).frontier
        assert all(_is_in_bands(point) and point.components == 1 for point in frontier.points)


def test_a_band_that_was_joined_holds_no_value_of_another_band(tmp_path: Path) -> None:
    rows = [(19, 20), (9, 25), (6, 34), (9, 34), (24, 25), (13, 20), (16, 20), (15, 34)]
    table = pa.table({"x": [x for x, _ in rows], "s": [s for _, s in rows]})
    study = hartley.Study(table, sensitive="s", public="x")
    made = study.release(
        tmp_path / "out.csv",
        require={"distinct_l": 1},
        leakage="joint",
        shape="intervals",
        utility="resolution",
    )
    assert _is_in_bands(made.point)
    assert made.after.components == 1
    assert made.verification.holds


@pytest.mark.parametrize("shape", ["any", "intervals"])
def test_a_limit_on_what_is_certain_is_met_beside_requirements_and_a_tolerance(
    tmp_path: Path, shape: str
) -> None:
    for seed in range(sample(10, 100)):
        study = hartley.Study(_table(_random_rows(seed)), sensitive="s", public="x", tolerance={"s": 1})
        made = study.release(
            tmp_path / "out.csv",
            require={"max_leakage": 0.0, "row_k": 2},
            leakage="istar",
            shape=shape,
            overwrite=True,
        )
        assert made.point.separation.istar_bits == 0
        assert made.after.row_k >= 2


def test_a_limit_on_bits_is_met_with_a_tolerance(tmp_path: Path) -> None:
    for seed in range(sample(10, 100)):
        study = hartley.Study(_table(_random_rows(seed)), sensitive="s", public="x", tolerance={"s": 6})
        for require in ({"l0": 0.0}, {"max_leakage": 0.5}, {"l0": 1.0, "row_k": 2}):
            made = study.release(tmp_path / "out.csv", require=require, overwrite=True)
            assert made.point.separation.l0_bits <= require.get("l0", 0.5) + 1e-9
            assert made.verification.holds


@pytest.mark.parametrize("utility", ["distortion", "resolution"])
def test_a_limit_on_bits_is_met_beside_side_information(tmp_path: Path, utility: str) -> None:
    for seed in range(sample(10, 100)):
        study = hartley.Study(_table(_random_rows(seed)), sensitive="s", public="x", side="a")
        for require in ({"l0": 0.0}, {"l0": 1.0, "row_k": 1}):
            made = study.release(
                tmp_path / "out.csv", require=require, utility=utility, overwrite=True, keep_order=True
            )
            assert made.after.l0_bits <= require["l0"] + 1e-9
            assert made.verification.holds
