"""The command that stands in a report of the app can be run as it is printed, and makes the same report."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path
from threading import Event

import pytest

from hartley.cli.program import run
from hartley.web.session import Desk

CASES = [
    {},
    {"require": [{"name": "row-k", "wanted": 8}, {"name": "distinct-l", "wanted": 5}], "shape": "intervals"},
    {"require": [{"name": "separated-l", "wanted": 3}], "tolerance": {"age": 4}, "withhold": 2},
    {"keep": ["sex"], "missing": "value", "missing_at": 220.5, "codeword": "member", "search": "greedy"},
]


def without_command(page: str) -> str:
    return re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize("more", CASES)
def test_the_command_of_a_report_makes_the_same_report(more, tmp_path, monkeypatch):
    def tell(event):
        del event

    desk = Desk(tmp_path, Event())
    opened = desk.do("open", {"path": None, "name": "clinic.csv"}, tell)
    asked = {"revision": opened["revision"], "sensitive": ["age"], "public": ["cholesterol"]}
    found = desk.do("search", {**asked, "missing": "drop", "number": 1, **more}, tell)
    made = desk.do("report", {**asked, "point": found["suggested"]}, tell)
    page = Path(made["files"]["report"][0]).read_text(encoding="utf-8")
    command = html.unescape(re.search(r"<pre>(.*?)</pre>", page, re.DOTALL)[1])
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(command)[1:]) == 0
    assert without_command(Path("report.html").read_text(encoding="utf-8")) == without_command(page)
