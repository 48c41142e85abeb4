"""How much a file is like its original: histograms, a tree that tells them apart, regressions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hartley.errors import HartleyError
from hartley.measures.likeness.binned_columns import SharedColumn
from hartley.measures.likeness.marginals import shares_in_common
from hartley.measures.likeness.propensity import propensity
from hartley.measures.likeness.regression import Formula, regression_likeness
from sample_sizes import sample


def category(name, one, other):
    return SharedColumn(name, False, np.array(one, float), np.array(other, float))


@pytest.mark.parametrize("seed", range(sample(20, 200)))
def test_histograms_have_in_common_what_counting_says(seed):
    source = np.random.default_rng(seed)
    one, other = source.integers(0, 3, (40, 4)), source.integers(0, 3, (25, 4))
    columns = [category(name, one[:, place], other[:, place]) for place, name in enumerate("abcd")]
    for ways in (1, 2, 3):
        for names, share in shares_in_common(columns, ways).items():
            places = ["abcd".index(name) for name in names]
            first, second = (Counter(map(tuple, rows[:, places].tolist())) for rows in (one, other))
            wanted = sum(min(first[key] / 40, second[key] / 25) for key in first)
            assert share == pytest.approx(wanted)


def test_numbers_lie_in_bins_of_the_original():
    line = np.arange(1000.0)
    (share,) = shares_in_common([SharedColumn("x", True, line, line + 100)], 1).values()
    assert share == pytest.approx(0.9)


def test_pmse_by_hand():
    # 60 rows each; by the one column, 0 is 40 of the original and 20 of the release, 1 the other way round.
    column = category("x", [0] * 40 + [1] * 20, [0] * 20 + [1] * 40)
    found = propensity([column])
    assert found.pmse == pytest.approx((1 / 3 - 1 / 2) ** 2)
    assert found.share_of_worst == pytest.approx(found.pmse / 0.25)


def test_files_that_share_nothing_are_told_apart_always():
    assert propensity([category("x", [0] * 50, [1] * 50)]).share_of_worst == pytest.approx(1)


def test_a_regression_is_that_of_the_normal_equations():
    source = np.random.default_rng(2)
    x, group = source.normal(size=200), source.integers(0, 2, 200).astype(float)
    y = 1 + 2 * x - group + source.normal(size=200)
    columns = [
        SharedColumn("y", True, y, y),
        SharedColumn("x", True, x, x),
        SharedColumn("g", False, group, group),
    ]
    found = regression_likeness(columns, Formula.parse("y ~ x + g"))
    design = np.stack([np.ones(200), x, group], axis=1)
    wanted = np.linalg.solve(design.T @ design, design.T @ y)
    assert [one.original for one in found.coefficients] == pytest.approx(wanted)
    assert found.mean_overlap == pytest.approx(1)


def test_intervals_that_lie_half_apart_overlap_by_half():
    source = np.random.default_rng(3)
    x = source.normal(size=100)
    noise = source.normal(size=100)
    columns = [SharedColumn("y", True, x + noise, x + noise), SharedColumn("x", True, x, x)]
    same = regression_likeness(columns, Formula.parse("y ~ x")).coefficients[1]
    design = np.stack([np.ones(100), x], axis=1)
    residual = (x + noise) - design @ np.linalg.lstsq(design, x + noise, rcond=None)[0]
    spread = np.sqrt(residual @ residual / 98 * np.linalg.inv(design.T @ design)[1, 1])
    half = 1.9844674545084788 * spread  # Student's t of 98 degrees at .975
    moved = [SharedColumn("y", True, x + noise, x * (1 + half) + noise), SharedColumn("x", True, x, x)]
    assert regression_likeness(moved, Formula.parse("y ~ x")).coefficients[1].overlap == pytest.approx(0.5)
    assert same.overlap == pytest.approx(1)


@pytest.mark.parametrize("text", ["", "y", "y ~", "~ x", "y ~ x * z", "y ~ x + x", "y ~ y"])
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(HartleyError):
        Formula.parse(text)


def test_estimates_without_any_doubt_overlap_where_they_are_the_same():
    line, nothing = np.arange(20.0), np.zeros(20)
    same = [SharedColumn("x", True, line, line), SharedColumn("y", True, nothing, nothing)]
    other = [same[0], SharedColumn("y", True, nothing, line % 7)]
    for columns, overlap in ((same, 1.0), (other, 0.0)):
        found = regression_likeness(columns, Formula.parse("y ~ x")).coefficients
        assert [one.overlap for one in found] == [overlap, overlap]


def test_what_cannot_be_fitted_is_refused_or_said():
    line = np.arange(10.0)
    columns = [SharedColumn("y", True, line, line), SharedColumn("x", True, line, np.ones(10))]
    assert regression_likeness(columns, Formula.parse("y ~ x")).coefficients[1].released is None
    with pytest.raises(HartleyError, match="no column"):
        regression_likeness(columns, Formula.parse("y ~ z"))
    with pytest.raises(HartleyError, match="cannot be fitted"):
        regression_likeness([columns[0], SharedColumn("x", True, np.ones(10), line)], Formula.parse("y ~ x"))
