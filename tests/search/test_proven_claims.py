"""Claims about frontiers too large to enumerate, against dynamic programming over subsets."""

from __future__ import annotations

import pytest

from proven_claims import QUESTIONS, judge


@pytest.mark.parametrize("number", range(len(QUESTIONS)), ids=lambda number: " ".join(QUESTIONS[number]))
def test_both_bounds_are_true_and_what_is_proven_is_optimal(number: int) -> None:
    judged = judge(5, number, size=12)
    assert judged.false == ()
    assert judged.points
