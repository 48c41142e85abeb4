"""The pages for those who work on hartley say what is true of the tree."""

from __future__ import annotations

import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest

import hartley
from hartley.measures import stochastic

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MEASURES = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "measures").glob("*.md"))
FOR_DEVELOPERS = [ROOT / "CONTRIBUTING.md", DOCS / "architecture.md"]


@pytest.mark.parametrize("page", FOR_DEVELOPERS, ids=lambda page: page.stem)
def test_every_file_that_is_named_is_there(page):
    named = re.findall(r"`([\w.]+(?:/[\w.]+)*/?)`", page.read_text(encoding="utf-8"))
    paths = {name for name in named if name.endswith((".py", "/"))}
    there = [
        path.as_posix() + "/" * path.is_dir()
        for top in ("src", "tests", "docs", "benchmarks")
        for path in (ROOT / top).rglob("*")
    ]
    assert {name for name in paths if not any(f"/{path}".endswith(f"/{name}") for path in there)} == set()


@pytest.mark.parametrize("name", [name for name in stochastic.__all__ if name[0].islower()])
def test_every_stochastic_measure_is_on_a_page(name):
    assert re.search(rf"`[^`\n]*\b{name}\b", MEASURES), f"name {name} on a page of docs/measures"


def test_every_decision_is_listed_by_its_title():
    listed = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    decisions = sorted((DOCS / "decisions").glob("0*.md"))
    lines = [f"- [{path.read_text(encoding='utf-8').splitlines()[0][2:]}]({path.name})" for path in decisions]
    assert [line for line in listed.splitlines() if line.startswith("- ")] == lines
    assert [int(path.name[:4]) for path in decisions] == list(range(1, len(decisions) + 1))


def test_the_table_of_options_is_current():
    script = runpy.run_path(str(DOCS / "options.py"))
    assert (DOCS / "options.md").read_text(encoding="utf-8") == script["page"](), "run python docs/options.py"


def test_the_picture_of_the_layers_is_drawn_from_the_imports_as_they_are():
    script = runpy.run_path(str(DOCS / "images" / "layers.py"))
    assert (DOCS / "images" / "layers.svg").read_text(encoding="utf-8") == script["drawing"](), (
        "run python docs/images/layers.py"
    )


THRESHOLDS = re.findall(
    r"^\| `([a-z_.]+)\.([A-Z_]+)` \| ([\d,]+) ",
    (DOCS / "architecture.md").read_text(encoding="utf-8"),
    flags=re.M,
)


@pytest.mark.parametrize(("module", "name", "value"), THRESHOLDS, ids=lambda text: text)
def test_every_threshold_is_the_one_in_the_code(module, name, value):
    assert getattr(import_module(f"hartley.{module}"), name) == int(value.replace(",", ""))


def test_every_threshold_of_counting_is_on_the_page():
    named = {(module, name) for module, name, _ in THRESHOLDS}
    for path in (ROOT / "src/hartley/tables/counting").glob("*.py"):
        for name in re.findall(
            r"^([A-Z][A-Z_]+)(?:: int)? = (?:\d+ << \d+|1 << \d+|\d[\d_]*)$", path.read_text("utf-8"), re.M
        ):
            assert (f"tables.counting.{path.stem}", name) in named


def test_the_reference_has_every_public_name_once():
    listed = re.findall(r"^::: hartley\.(\w+)$", (DOCS / "api.md").read_text(encoding="utf-8"), flags=re.M)
    assert sorted(listed) == hartley.__all__


def test_the_site_has_a_place_for_every_page():
    named = re.findall(
        r"^ +- (?:[^:]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.M
    )
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    listed = {page for page in pages if not re.match(r"decisions/0", page)}
    assert set(named) == listed, "list every page in mkdocs.yml"
    assert len(named) == len(set(named))


def test_the_citation_names_the_version():
    assert (
        f"version: {hartley.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    )


MAP = (DOCS / "paper_map.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(tests/[\w/.]+)`", MAP))))
def test_every_test_on_the_papers_map_is_there(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize(
    "name",
    sorted(set(re.findall(r"`((?:measures|search|paper|workflow|frontiers|model|examples)\.[\w.]+)`", MAP))),
)
def test_every_name_on_the_papers_map_is_there(name):
    thing = hartley
    for part in name.split("."):
        thing = getattr(thing, part, None) or import_module(f"{thing.__name__}.{part}")
