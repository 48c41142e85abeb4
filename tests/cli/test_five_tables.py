"""Five tables as they lie on the disk of a curator, each published by the calls that hartley suggests."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

import people_tables
from hartley.cli.program import run
from hartley.documents import POLICY
from hartley.releases.policy import Policy

refuses_danger = True
TABLES = {
    "clinic": (people_tables.make_clinic, ("Patient-Nr", "Name"), "Status"),
    "visits": (people_tables.make_visits, ("patient_id",), "status"),
    "workbook": (people_tables.make_workbook, ("Patient ID",), "type"),
    "survey": (people_tables.make_survey, ("ssn",), "health"),
    "wages": (people_tables.make_wages, ("Staff no",), "wage"),
}


def suggested(text: str) -> list[str]:
    """Return the call that stands under "What to type next"."""
    (call,) = re.findall(r"^  (hartley (?:.*\\\n)*.*)$", text.split("What to type next")[1], re.MULTILINE)
    return shlex.split(call.replace("\\\n", " "))[1:]


def rows_of(path: Path, *, sheet: bool = False) -> list[dict[str, str]]:
    """Read a table without hartley, its cells as text."""
    if path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        found = book["Data" if sheet else book.sheetnames[0]].iter_rows(values_only=True)
        header, *lines = [["" if cell is None else str(cell) for cell in line] for line in found]
        return [dict(zip(header, line, strict=True)) for line in lines]
    content = path.read_bytes()
    text = content.decode("cp1252" if b";" in content.splitlines()[0] else "utf-8")
    mark = ";" if ";" in text.splitlines()[0] else ","
    return list(csv.DictReader(text.splitlines(), delimiter=mark))


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_published_as_hartley_suggests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    make: Callable[[Path], Path]
    make, identifiers, secret = TABLES[name]
    path = make(tmp_path)
    monkeypatch.chdir(tmp_path)
    call = ["audit", path.name]
    if run(call) == 2:  # the one line says which encoding
        (encoding,) = re.findall(r"--encoding (\w+)", capsys.readouterr().err)
        call += ["--encoding", encoding]
        assert run(call) == 0
    streams = capsys.readouterr()
    for one in identifiers:
        assert one in streams.out.split("Do not publish")[1].split("such columns")[0]
    audit = suggested(streams.out)
    assert audit[audit.index("-s") + 1] == secret
    assert not {"-p", *identifiers} <= {"-p", *audit[audit.index("-p") : audit.index("-p") + 2]}
    assert run(audit) == 0
    text = capsys.readouterr().out
    assert "EXPOSED" in text
    release = suggested(text)
    assert run(release) == 0
    said = capsys.readouterr().out
    assert "PROTECTED" in said or "AT RISK" in said
    wanted = int(release[release.index("--distinct-l") + 1])
    output = tmp_path / release[2]

    # What is said of the file is what the file shows, counted without hartley.
    policy = Policy.read_json(POLICY.read(tmp_path / "released.policy.json"), "released.policy.json")
    published = rows_of(output)
    original = rows_of(path, sheet=True)
    assert len(published) == len(original)
    assert not set(published[0]) & {*identifiers, secret}
    for one in identifiers:
        cells = {row[one] for row in original}
        assert len(cells) > 100
        shown = {cell for row in published for cell in row.values()}
        assert not any(cell in shown for cell in cells if len(cell) > 4)
    for column in published[0]:
        assert len({row[column] for row in published}) > 1 or f"{column}" in said.split("What is lost")[0]
    label = {member: cluster.label for cluster in policy.clusters for member in cluster.members}
    names = policy.public_names
    candidates: dict[tuple[str | None, ...], set[str]] = {}
    for row in original:
        key = tuple(_as_in_policy(row[column], policy, column) for column in names)
        candidates.setdefault(label[key], set()).add(row[secret])
    assert min(map(len, candidates.values())) >= wanted
    assert {tuple(row[column] for column in names) for row in published} == {
        tuple(cell or "" for cell in one) for one in candidates
    }
    documents = ["--original", path.name, "--policy", "released.policy.json"]
    assert run(["verify", output.name, *documents]) == 0


def _as_in_policy(cell: str, policy: Policy, column: str) -> str | None:
    """Return a cell as policies write it: dates of ISO, points before fractions, nothing where empty."""
    if cell == "":
        return None
    kind = next(one.kind for one in policy.public if one.name == column)
    if kind == "date" and (parts := re.fullmatch(r"(\d+)\.(\d+)\.(\d{4})", cell)):
        return f"{parts[3]}-{parts[2]}-{parts[1]}"
    return cell.replace(",", ".").removesuffix(".0") if kind == "number" else cell


@pytest.mark.parametrize("public", [["-p", "x"], ["-p", "x", "-p", "y"]])
def test_a_requirement_that_only_trees_keep_is_suggested_with_a_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], public: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{number * 7 % 5},{number % 20},{number % 3}\n" for number in range(60)]
    Path("t.csv").write_text("s,x,y\n" + "".join(lines))
    assert run(["audit", "t.csv", "-s", "s", *public, "--require", "guess-at-most=50%"]) == 3
    told = capsys.readouterr().out
    assert "--shape columns" not in told
    assert run(suggested(told)) == 0
