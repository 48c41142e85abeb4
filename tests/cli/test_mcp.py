"""The gate for agents, asked by a real client over stdin and stdout."""

from __future__ import annotations

import asyncio
import csv
import json
import sys

import pytest

from hartley.cli.program import run
from hartley.examples import CLINIC_COLUMNS, clinic

mcp = pytest.importorskip("mcp")


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "data"
    inside.mkdir()
    (tmp_path / "outside.csv").write_text("age,chol\n1,2\n", encoding="utf-8")
    with (inside / "clinic.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([CLINIC_COLUMNS, *clinic()])
    (inside / "link.csv").symlink_to(tmp_path / "outside.csv")
    (inside / "names.csv").write_text("name,x\nZyxwvut,1\nQponmlk,1\n", encoding="utf-8")
    (inside / "labels.csv").write_text("name,x\nZyxwvut,Unreadable\n", encoding="utf-8")
    return inside


def asked(folder, *calls):
    """Ask a server in a process of its own; return its tools and the answer to each call."""

    async def conversation():
        place = mcp.StdioServerParameters(command=sys.executable, args=["-m", "hartley", "mcp", str(folder)])
        async with mcp.Client(place) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(conversation())


def test_a_client_describes_audits_explains_and_is_refused(folder):
    roles = {"sensitive": ["age"], "public": ["cholesterol"]}
    tools, answers = asked(
        folder,
        ("describe", {"table": "clinic.csv"}),
        ("audit", {"table": "clinic.csv", **roles, "require": ["distinct-l=2"]}),
        ("explain", {"table": "clinic.csv", **roles}),
        ("describe", {"table": "../outside.csv"}),
        ("describe", {"table": "link.csv"}),
        ("describe", {"table": "postgresql://localhost/x"}),
        ("audit", {"table": "clinic.csv", "sensitive": ["agee"], "public": ["cholesterol"]}),
        ("audit", {"table": "clinic.csv", **roles, "requires": ["distinct-l=2"]}),
        ("describe", {"table": "clinic\0.csv"}),
        ("audit", {"table": "labels.csv", "sensitive": ["name"], "public": ["x"], "against": "names.csv"}),
        ("describe", {"table": "names.csv"}),
    )
    assert [tool.name for tool in tools] == ["describe", "audit", "verify", "explain"]
    assert all(tool.annotations.read_only_hint and tool.output_schema for tool in tools)
    described, audited, explained, *refused, unread, names = answers
    assert described.structured_content["rows"] == 300
    assert [one["name"] for one in described.structured_content["columns"]] == list(CLINIC_COLUMNS)
    found = audited.structured_content
    assert found["distinct_l"] == 1
    assert not found["holds"]
    assert found["verdict"].startswith("EXPOSED: ")
    assert "people" in explained.structured_content["verdict"]
    assert all(answer.is_error for answer in (*refused, unread))
    assert all("internal error" not in answer.content[0].text for answer in refused)
    misspelt, unknown, _ = refused[-3:]
    assert "did you mean 'age'" in misspelt.content[0].text
    assert "requires" in unknown.content[0].text
    said = json.dumps([answer.model_dump(mode="json") for answer in answers])
    for cell in ("Zyxwvut", "Qponmlk", "Unreadable"):
        assert cell not in said
    assert names.structured_content["rows"] == 2


def test_a_folder_that_is_none_is_refused(tmp_path, capsys):
    assert run(["mcp", str(tmp_path / "nowhere")]) == 2
    assert "no folder" in capsys.readouterr().err
