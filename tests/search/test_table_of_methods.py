"""The one table of methods: docs/optimality.md prints it, and what it refuses is refused in one line."""

from __future__ import annotations

import re
from pathlib import Path

from hartley.errors import worded
from hartley.search.solve import TABLE, Row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "optimality.md"
COSTS = {"size": "number of values", "line": "along one column", "columns": "over several columns"}


def printed(row: Row) -> str:
    method = row.method if row.run is not None else f"*refused*: {worded(row.method)}"
    cost = COSTS.get(row.cost, row.cost)
    return (
        f"| {cost} | {row.shape} | {row.reader} | {row.withheld} | {row.certain} | {method} | {row.bound} |"
    )


def test_the_page_prints_the_table():
    text = PAGE.read_text()
    section = text[text.index("## Which method answers what") :]
    found = re.findall(r"^\| .*\|$", section[: section.index("\n## ", 3)], flags=re.MULTILINE)[1:]
    wanted = [printed(row) for row in TABLE]
    assert found == wanted, "\n".join(wanted)


def test_a_refusal_is_one_line():
    assert all("\n" not in row.method for row in TABLE)
    assert all((row.run is None) == (row.bound == "") for row in TABLE)
