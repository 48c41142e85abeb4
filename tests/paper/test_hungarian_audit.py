"""The paper's real data, as it is (Section VII-B), by our reading of its counts."""

from __future__ import annotations

from math import log2

import pytest

import hartley


def test_the_counts_of_the_experiment(hungarian_heart):
    found = hartley.audit(hungarian_heart, sensitive="age", public="chol").audit
    # Paper: 293 patients. The public file has 294 rows.
    assert found.rows == 294
    assert (found.sensitive.values, found.public.values, found.pairs) == (38, 154, 281)
    assert found.l0_bits == log2(38)
    assert found.i0_bits == pytest.approx(log2(38 / 15), abs=1e-12)
    # Paper: 117 or 118 components, which is impossible: never more than min(38, 154).
    assert found.components == 2
    assert (found.narrowest_count, found.narrowest_rows) == (85, 86)


def test_pairs_seen_once(hungarian_heart):
    from hartley.tables import Roles, open_table

    joint = open_table(hungarian_heart).joint_range(Roles(sensitive=("age",), public=("chol",))).joint
    assert int((joint.rows == 1).sum()) == 269


def test_whether_statistics_can_be_trusted(hungarian_heart):
    found = hartley.audit(hungarian_heart, sensitive="age", public="chol", stochastic=True).to_dict()
    assert found["stochastic"]["rows_per_pair"] == pytest.approx(294 / 281)
    assert round(found["stochastic"]["coverage"], 3) == 0.085
    assert found["stochastic"]["regime"] == "non-stochastic"
