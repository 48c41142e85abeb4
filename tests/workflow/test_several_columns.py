"""Releases of several columns: what is said of them, and how long they may take."""

from __future__ import annotations

from math import inf
from random import Random

import pyarrow as pa
import pytest

import hartley
from hartley.measures.usefulness import Usefulness
from hartley.search.effort import Effort
from hartley.workflow.request.time_limit import SECONDS_OVER_COLUMNS, SearchLimits


def table(rows: int = 40) -> pa.Table:
    source = Random(3)
    return pa.table(
        {
            "pay": [source.randint(1, 6) for _ in range(rows)],
            "age": [source.randint(20, 26) for _ in range(rows)],
            "sex": [source.choice("fm") for _ in range(rows)],
        }
    )


ROLES = {"sensitive": "pay", "public": ["age", "sex"]}


def test_where_nobody_says_how_long_a_search_over_columns_has_a_limit_that_is_told():
    heard: list[str] = []
    told = Effort(progress=lambda done, total, what: heard.append(what))
    limited = SearchLimits(effort=told).start(SECONDS_OVER_COLUMNS)
    assert 0 < limited.remaining() <= SECONDS_OVER_COLUMNS
    assert heard == ["searching, for at most 60 seconds"]
    assert SearchLimits(effort=told).start().remaining() == inf
    assert SearchLimits(time_limit=5.0).start(SECONDS_OVER_COLUMNS).remaining() <= 5
    stopped = SearchLimits(effort=Effort(should_stop=lambda: True)).start(SECONDS_OVER_COLUMNS)
    assert stopped.should_stop()


def test_a_release_says_whether_its_search_was_stopped(tmp_path):
    whole = hartley.release(table(), tmp_path / "a.csv", **ROLES, require={"distinct_l": 3})
    assert whole.to_dict()["complete"] is True
    effort = Effort(should_stop=lambda: True)
    stopped = hartley.release(table(), tmp_path / "b.csv", **ROLES, require={"distinct_l": 3}, effort=effort)
    assert stopped.complete is False
    assert stopped.after.distinct_l >= 3
    assert stopped.verification.holds
    from hartley.report.words.release import proof

    assert "stopped at its time limit" in proof(stopped)
    assert "stopped" not in proof(whole)


def test_a_point_that_is_looked_at_has_its_usefulness():
    found = hartley.frontier(table(), **ROLES)
    for point in found.frontier.points:
        use = found.usefulness(point)
        assert use == Usefulness.of(found.joint, point.partition)
        assert point.mean_distortion == pytest.approx(use.loss)
