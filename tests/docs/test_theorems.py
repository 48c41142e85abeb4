"""The list of theorems and the docstrings that cite it agree."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8")
STATED = {*re.findall(r"^\*\*([A-Z]\d+)\b", LIST, re.M), *re.findall(r"^### ([A-Z]\d+):", LIST, re.M)}
NOT_RELIED_ON = {
    name
    for name, text in re.findall(r"^\*\*([A-Z]\d+)\b(.*?)(?=^\*\*[A-Z]\d|^#)", LIST, re.M | re.S)
    if "Used for no" in text
}
CITED = re.compile(r"[Tt]heorems?\s+([A-Z]\d+(?:(?:,| and| to)\s+[A-Z]\d+)*)")


def cited_in(text: str) -> set[str]:
    found = set()
    for names in CITED.findall(text):
        for first, last in re.findall(r"([A-Z]\d+)(?: to ([A-Z]\d+))?", names):
            end = int((last or first)[1:])
            found |= {f"{first[0]}{number}" for number in range(int(first[1:]), end + 1)}
    return found


def test_every_theorem_is_cited_by_the_code_that_relies_on_it_and_no_other() -> None:
    assert len(STATED) > 40
    cited = set()
    for module in (ROOT / "src" / "hartley").rglob("*.py"):
        here = cited_in(module.read_text(encoding="utf-8"))
        assert here <= STATED, (module, here - STATED)
        cited |= here
    assert STATED - cited == NOT_RELIED_ON


def test_pages_cite_theorems_that_stand_in_the_list() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert cited_in(page.read_text(encoding="utf-8")) <= STATED, page
