"""Thousands of hostile calls: each ends with 0, 2 or 3, in one line, and tells no sensitive cell."""

from __future__ import annotations

import pytest

from fuzz.damaged_releases import CERTIFICATE, CHOICES, POLICY, RECORD, whole_release
from fuzz.judgement import try_case
from sample_sizes import sample

SEED = 1928
BATCHES = sample(usual=4, long=500)
CASES_TO_A_BATCH = 100


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_hostile_call_ends_in_a_bug_or_tells_a_secret(batch: int) -> None:
    first = batch * CASES_TO_A_BATCH
    findings = [try_case(SEED, number)[1] for number in range(first, first + CASES_TO_A_BATCH)]
    wrong = [str(finding) for finding in findings if finding is not None]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("number", [3818, 3915])
def test_what_long_runs_found_stays_mended(number: int) -> None:
    """Half a character in a path; a damaged Stata file that leads its reader into a TypeError."""
    assert try_case(1, number)[1] is None


@pytest.mark.parametrize("number", range(len(CHOICES)))
def test_releases_that_are_to_be_damaged_are_whole_first(number: int) -> None:
    assert {POLICY, CERTIFICATE, RECORD} <= set(whole_release(number))
