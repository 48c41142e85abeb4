"""Results in a notebook: short texts, small pages, frames; no sensitive cell and no secret in any of them."""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest

import hartley
from hartley.errors import InputError
from hartley.report.notebook import result_frame

SECRETS = [f"Zq{place}x" for place in range(12)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    table = pa.table({"illness": SECRETS * 2, "chol": [*range(12), *(place + 1 for place in range(12))]})
    with hartley.Study(table, sensitive="illness", public="chol") as study:
        audit = study.audit(require={"distinct_l": 2})
        frontier = study.frontier()
        release = study.release(folder / "out.csv", require={"distinct_l": 3})
        compared = study.compare(require={"distinct_l": 3}, time_limit=1)
        return study, audit, frontier, release, compared


def test_nothing_shown_holds_a_sensitive_cell(results):
    study, audit, frontier, release, _ = results
    shown = [repr(one) for one in (*results, audit.audit, frontier.frontier, release.before, release.point)]
    shown += [repr(narrow) for narrow in audit.audit.narrowest]
    shown += [one._repr_html_() for one in (study, audit, frontier, release)]
    policy = hartley.Policy.read(release.policy)
    shown.append(repr(policy))
    assert policy.key not in "".join(shown)
    assert release.input_sha256 is None or release.input_sha256 not in "".join(shown)
    assert not any(secret in text for secret in SECRETS for text in shown)


def test_texts_are_short_and_say_what_matters(results):
    study, audit, frontier, release, compared = results
    assert repr(audit) == (
        "AuditResult(Audit(illness from chol: 2 of 24 rows exposed, l=1), requirements do not hold)"
    )
    assert repr(release) == "ReleaseResult('out.csv': 24 rows, l=3, verified)"
    assert all(len(repr(one)) < 120 for one in (study, audit, frontier, release, compared))


def test_pages_are_small_and_pictures_have_a_text(results):
    study, audit, frontier, release, _ = results
    pages = [one._repr_html_() for one in (study, audit, frontier, release)]
    assert all(len(page) < 40_000 for page in pages)
    assert 'role="img" aria-label="2 of 24 people are fully exposed"' in pages[1]
    assert "<svg" in pages[2]
    assert "EXPOSED" in pages[1]
    assert all("<script" not in page for page in pages)


def test_results_are_frames(results):
    _, audit, frontier, _, compared = results
    assert list(audit.to_frame()["distinct_l"]) == [1]
    assert list(frontier.to_frame()["distinct_l"]) == [point.distinct_l for point in frontier.frontier.points]
    columns = list(frontier.frontier.to_frame().columns)  # bare points know no rows
    assert list(frontier.to_frame().columns) == [*columns, "released_information_bits"]
    assert list(compared.to_frame()["method"])[:2] == ["optimal", "greedy"]


def test_a_frame_is_of_the_library_that_is_there(monkeypatch):
    for there, other in (("pandas", "polars"), ("polars", "pandas")):
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, other, None)
            assert type(result_frame([{"l": 1}])).__module__.startswith(there)
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match="pandas or polars"):
        result_frame([{"l": 1}])
