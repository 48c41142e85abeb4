"""pyCANON, written by others, agrees on what it can compute: k-anonymity and distinct l-diversity."""

from __future__ import annotations

import random

import pandas as pd
import pytest

import hartley
from sample_sizes import sample

anonymity = pytest.importorskip("pycanon.anonymity", reason="pyCANON is not installed (scripts/setup dev)")


@pytest.mark.parametrize("seed", range(sample(30, 300)))
def test_rows_and_distinct_values_agree(seed):
    source = random.Random(seed)
    rows = source.randint(2, 60)
    frame = pd.DataFrame(
        {
            "zip": [source.choice("abcd") for _ in range(rows)],
            "age": [source.randint(1, 4) for _ in range(rows)],
            "illness": [source.choice(["flu", "cold", "none"]) for _ in range(rows)],
        }
    )
    found = hartley.audit(frame, sensitive="illness", public=["zip", "age"]).audit
    assert found.row_k == anonymity.k_anonymity(frame, ["zip", "age"])
    assert found.distinct_l == anonymity.l_diversity(frame, ["zip", "age"], ["illness"])
