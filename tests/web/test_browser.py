"""The whole path in a real browser: what a curator sees, clicks and saves."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import hartley
from hartley.workflow.demands.drawn_borders import BorderLine, BorderMove
from hartley.workflow.verify_release import verify

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = os.environ.get("HARTLEY_CHROMIUM") or shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("no Chromium is installed (set HARTLEY_CHROMIUM to one)", allow_module_level=True)

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def serve(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "hartley", "serve", "--no-open", *arguments], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, re.search(r"http://\S+", process.stdout.readline())[0]


def end(process: subprocess.Popen[str]) -> int:
    process.send_signal(2)
    try:
        return process.wait(15)
    finally:
        process.stdout.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    process, url = serve()
    yield url
    assert end(process) == 0


class Visit:
    """A page that notes whatever it should not do."""

    def __init__(self, chromium, url: str, tab: str = "1", **options) -> None:
        self.origin = url.split("/#")[0]
        self.context = chromium.new_context(viewport={"width": 1100, "height": 900}, **options)
        self.context.set_default_timeout(20_000)
        # One tab after the other, so that not every visit waits for a worker of its own.
        self.context.add_init_script(f"sessionStorage.setItem('hartley-tab', '{tab}')")
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.expected_refusals = 0
        self.page.on("request", self._on_request)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("console", self._on_console)
        self.page.on("dialog", lambda dialog: (self.wrong.append("dialog"), dialog.dismiss()))
        self.page.goto(url)

    def _on_request(self, request) -> None:
        if not request.url.startswith(self.origin + "/"):
            self.wrong.append(f"request: {request.url}")

    def _on_console(self, message) -> None:
        # A refusal with its status is the server's word; anything else is a fault of the page.
        if "the server responded with a status of 4" in message.text and self.expected_refusals:
            self.expected_refusals -= 1
        elif message.type in ("error", "warning"):
            self.wrong.append(f"{message.type}: {message.text}")

    def open_example(self) -> None:
        self.page.click("#open-example")
        self.page.wait_for_selector("#columns tbody tr")

    def upload(self, path: Path) -> None:
        self.page.set_input_files("#file", str(path))

    def give_role(self, column: str, role: str) -> None:
        self.page.get_by_label(f"Role of {column}", exact=True).select_option(role)

    def measure(self) -> None:
        self.page.click("#measure")
        self.page.wait_for_selector("#findings .card")

    def wait_for_frontier(self) -> None:
        self.page.wait_for_selector("#chart .point")
        self.page.wait_for_selector("#progress", state="hidden")

    def to_frontier(self) -> None:
        self.open_example()
        self.to_frontier_from_roles()

    def to_frontier_from_roles(self) -> None:
        self.give_role("age", "sensitive")
        self.give_role("cholesterol", "public")
        self.measure()
        self.wait_for_frontier()

    def text(self, selector: str) -> str:
        return self.page.inner_text(selector)

    def chosen(self) -> int:
        return int(self.page.get_attribute('#chart [aria-checked="true"]', "data-index"))


@pytest.fixture
def visit(chromium, address) -> Iterator[Visit]:
    visit = Visit(chromium, address)
    yield visit
    visit.context.close()
    assert visit.wrong == []


@pytest.fixture(scope="module")
def frontier(clinic_csv):
    return hartley.frontier(clinic_csv, sensitive="age", public="cholesterol").frontier


def test_from_a_table_to_its_files(visit, clinic_csv, frontier, tmp_path):
    page = visit.page
    visit.to_frontier()

    # The audit and the frontier are those of the workflow.
    audit = hartley.audit(clinic_csv, sensitive="age", public="cholesterol").audit
    assert f"{audit.l0_bits:.2f} bits" in visit.text("#findings")
    assert page.locator("#chart .point").count() == len(frontier.points)
    assert visit.text("#search-said") == f"{len(frontier.points)} points, all proven to be best."
    # Who is exposed stands before all numbers, and the point to begin with is explained.
    exposed = f"EXPOSED. {audit.narrowest_rows} of 300 people can have their exact age read off from"
    assert visit.text("#audit-verdict").startswith(exposed)
    assert f"{audit.narrowest_count} of its {audit.observations} values" in visit.text("#audit-verdict")
    point = frontier.best_utility_with(5)
    assert visit.chosen() == frontier.points.index(point)
    assert visit.text("#meaning").startswith("Suggested: 5 candidates, because five is what curators")

    # Hovering names a point beside it; what the page is about stays the chosen one.
    page.hover(f'#chart [data-index="{len(frontier.points) - 1}"] .dot')
    assert f"click for at least {frontier.points[-1].distinct_l} candidates" in page.text_content(
        "#chart .hover"
    )
    assert f"at least {point.distinct_l} candidates of 37" in visit.text("#meaning")
    page.click('#chart [data-index="1"] .dot')
    assert visit.chosen() == 1

    # The sliders ask the frontier as Python does.
    page.locator("#by-candidates").fill("4")
    assert visit.chosen() == frontier.points.index(frontier.best_utility_with(4))
    page.locator("#by-cost").fill("2")
    assert visit.chosen() == 2
    assert frontier.least_leakage_within(frontier.points[2].max_distortion) == frontier.points[2]

    # The preview shows the recoding of the chosen point.
    page.locator("#by-candidates").fill("5")
    point = frontier.best_utility_with(5)
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    assert page.locator("#recoding tbody tr").count() == point.clusters
    for image in page.locator("#figures img").all():
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100

    # The release is verified, and its files are what was promised.
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    assert f"at least {point.distinct_l} candidates" in visit.text("#verified")
    for button in ("Report for the board", "Curator's report"):
        page.get_by_role("button", name=button).click()
        page.get_by_role("link", name=button).wait_for()
    files = {}
    for link in page.locator("#downloads a").all():
        with page.expect_download() as waiting:
            link.click()
        files[waiting.value.suggested_filename] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(files[waiting.value.suggested_filename])
    assert sorted(files) == [
        "clinic-released.certificate.json",
        "clinic-released.codebook.csv",
        "clinic-released.codebook.html",
        "clinic-released.codebook.json",
        "clinic-released.csv",
        "clinic-released.policy.json",
        "clinic-released.record.json",
        "curators-report.html",
        "report.html",
    ]
    checked = verify(
        files["clinic-released.csv"],
        original=clinic_csv,
        policy=files["clinic-released.policy.json"],
        certificate=files["clinic-released.certificate.json"],
    )
    assert checked.holds
    record = json.loads(files["clinic-released.record.json"].read_text())
    assert record["after"]["distinct_l"] == point.distinct_l
    assert "Internal, do not publish" in files["report.html"].read_text(encoding="utf-8")
    assert "For the curator only" in files["curators-report.html"].read_text(encoding="utf-8")


def test_a_kept_and_a_harmless_column_from_the_roles_to_the_file(visit, clinic_csv, tmp_path):
    page = visit.page
    visit.open_example()
    for column, role in (
        ("age", "sensitive"),
        ("cholesterol", "public"),
        ("sex", "keep"),
        ("pulse", "harmless"),
    ):
        visit.give_role(column, role)
    visit.measure()
    assert visit.text("#audit-about").startswith("A reader of cholesterol and sex learns about age")
    visit.wait_for_frontier()

    # The frontier is that of a reader of both, and the sentences say what he learns from both.
    found = hartley.frontier(clinic_csv, sensitive="age", public="cholesterol", keep="sex")
    frontier = found.frontier
    assert page.locator("#chart .point").count() == len(frontier.points)
    page.locator("#by-candidates").fill("4")
    point = frontier.best_utility_with(4)
    assert visit.chosen() == frontier.points.index(point)
    said = visit.text("#meaning")
    assert f"with sex beside it, leaves at least {point.distinct_l} candidates of 37" in said
    learnt = f"{found.reader.l0_bits(point.partition):.2f}".rstrip("0").rstrip(".")
    added = f"{point.leakage_bits:.2f}".rstrip("0").rstrip(".")
    assert (
        f"together they give away at most {learnt} bits. Of that, cholesterol adds at most {added} bits"
        in said
    )
    assert "Added to what sex tells (L0, bits)" in visit.text("#chart")

    # The release is of that point, and says what the harmless column adds.
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    assert "with sex beside it" in visit.text("#release-about")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a", state="attached")
    assert "Do not publish yet: with pulse included" in visit.text("#exposed")
    assert page.is_hidden("#downloads")
    page.click("#accept")
    assert page.locator("#rows thead th").all_inner_texts() == ["sex", "cholesterol", "pulse"]
    assert "sex, unchanged; pulse, unchanged and harmless on your word" in visit.text("#holds")
    assert page.locator("#readers tbody tr").count() == 3
    files = {}
    for link in page.locator("#downloads a").all():
        with page.expect_download() as waiting:
            link.click()
        path = files[waiting.value.suggested_filename] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
    record = json.loads(files["clinic-released.record.json"].read_text())
    assert record["after"]["distinct_l"] == point.distinct_l
    certificate = json.loads(files["clinic-released.certificate.json"].read_text())["predicate"]
    assert {column["name"]: column["treatment"] for column in certificate["columns"]}["sex"] == "kept"
    assert verify(
        files["clinic-released.csv"],
        original=clinic_csv,
        policy=files["clinic-released.policy.json"],
        certificate=files["clinic-released.certificate.json"],
    ).holds


def test_more_choices_reach_the_release(visit, clinic_csv, tmp_path):
    first = hartley.release(
        clinic_csv,
        tmp_path / "first.csv",
        target=hartley.Target("distinct_l", 3),
        sensitive="age",
        public="pain",
    )
    page = visit.page
    visit.open_example()
    visit.give_role("age", "sensitive")
    visit.give_role("cholesterol", "public")
    page.click("#more summary")
    page.fill("#missing-at", "220.5")
    page.check("#publish-sensitive")
    page.check("#keep-order")
    page.set_input_files("#earlier-file", str(first.policy))
    page.get_by_text("first.policy.json").wait_for()
    visit.measure()
    assert "of this table and of 1 earlier release" in visit.text("#audit-about")
    # Another search can be asked for before the first has ended.
    page.wait_for_selector("#chart .point")
    assert "with 1 earlier release beside it" in visit.text("#meaning")
    page.click("#options summary")
    page.select_option("[name=search]", "greedy")
    page.select_option("[name=codeword]", "member")
    page.click("#search-options button")
    page.get_by_text("of the greedy run").wait_for()
    page.focus('#chart [tabindex="0"]')
    page.keyboard.press("End")
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    page.select_option("[name=labels]", "interval")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    assert "The rows are in the order of the original." in visit.text("#verified")
    assert "age stands in the file" in visit.text("#holds")
    assert "of the release and the earlier ones" in visit.text("#readers")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Policy").click()
    waiting.value.save_as(tmp_path / "policy.json")
    choices = json.loads((tmp_path / "policy.json").read_text())["choices"]
    expected = {"missing_at": 220.5, "codeword": "member", "labels": "interval", "keep_order": True}
    assert {name: choices[name] for name in expected} == expected
    # Without the earlier release, what was shown is of another reader; it goes.
    page.get_by_role("button", name="Remove first.policy.json").click()
    assert page.is_hidden("#audit")
    assert page.locator("#earlier li").count() == 0


def test_results_hide_when_a_role_changes(visit):
    page = visit.page
    visit.to_frontier()
    visit.give_role("sex", "keep")
    for section in ("audit", "frontier", "release"):
        assert page.is_hidden(f"#{section}")
    visit.measure()
    visit.wait_for_frontier()
    assert "with sex beside it" in visit.text("#meaning")


def test_a_role_can_change_while_a_search_runs(visit, hard_csv):
    page = visit.page
    visit.upload(hard_csv)
    page.wait_for_selector("#columns tbody tr")
    visit.give_role("place", "public")
    visit.give_role("illness", "sensitive")
    visit.measure()
    page.wait_for_selector("#progress:not([hidden])")
    visit.give_role("place", "sensitive")
    visit.give_role("illness", "public")
    assert page.is_hidden("#frontier")
    # The new audit does not wait for the old search.
    page.click("#measure")
    page.wait_for_selector("#audit:not([hidden])", timeout=15_000)
    assert visit.text("#audit-about").startswith("A reader of illness learns about place")


def test_a_search_can_be_stopped_and_started_again(visit, hard_csv):
    page = visit.page
    visit.upload(hard_csv)
    page.wait_for_selector("#columns tbody tr")
    visit.give_role("place", "public")
    visit.give_role("illness", "sensitive")
    visit.measure()
    page.wait_for_selector("#chart .point")
    page.click("#stop")
    page.wait_for_selector("#progress", state="hidden", timeout=30_000)
    page.click("#options summary")
    page.select_option("[name=leakage]", "istar")
    page.click("#search-options button")
    page.locator("#search-said", has_text="proven to be best").wait_for()
    assert "for certain" in visit.text("#chart")


def test_each_window_has_a_table_of_its_own(chromium, visit, address, hard_csv):
    page = visit.page
    visit.upload(hard_csv)
    page.wait_for_selector("#columns tbody tr")
    visit.give_role("place", "public")
    visit.give_role("illness", "sensitive")
    visit.measure()
    page.wait_for_selector("#chart .point")
    other = Visit(chromium, address, "2")
    other.context.set_default_timeout(60_000)
    other.to_frontier()
    # The first search goes on, and ends when it is told to.
    page.click("#stop")
    page.wait_for_selector("#progress", state="hidden", timeout=30_000)
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    assert "values of place" in visit.text("#release-about")
    other.page.click("#preview")
    other.page.wait_for_selector("#recoding tbody tr")
    assert "values of cholesterol" in other.text("#release-about")
    other.context.close()
    assert other.wrong == []


def test_ways_side_by_side_from_the_roles_to_the_file_and_back_again(visit):
    page = visit.page
    visit.open_example()
    visit.give_role("age", "sensitive")
    visit.give_role("sex", "public")
    visit.give_role("pulse", "public")
    page.click("#measure")
    page.fill("#require-wanted", "3")
    page.click("#require-form button")
    page.wait_for_selector("#progress", state="hidden", timeout=60_000)
    page.locator("#ways-said", has_text="can be published").wait_for()
    assert page.locator(".way h5", has_text="3 candidates").count() == page.locator(".way").count() == 5
    page.locator(".way.best button").click()
    page.wait_for_selector("#downloads a")
    assert "--require distinct-l=3" in visit.text("#same-command")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Codebook as a page").click()
    assert waiting.value.suggested_filename == "clinic-released.codebook.html"
    page.reload()
    page.wait_for_selector("#downloads a")
    page.go_back()
    page.wait_for_selector("#release", state="hidden")
    assert page.is_visible("#ways-found .way")
    page.go_forward()
    page.wait_for_selector("#downloads a")


def test_a_page_that_is_loaded_again_goes_on_where_it_was(visit, hard_csv):
    page = visit.page
    visit.upload(hard_csv)
    page.wait_for_selector("#columns tbody tr")
    visit.give_role("place", "public")
    visit.give_role("illness", "sensitive")
    visit.measure()
    page.wait_for_selector("#progress:not([hidden])")
    # The search goes on, and can be stopped from the page that was loaded again.
    page.reload()
    page.wait_for_selector("#chart .point")
    assert page.input_value("[aria-label='Role of place']") == "public"
    page.click("#stop")
    page.wait_for_selector("#progress", state="hidden", timeout=30_000)
    page.focus('#chart [tabindex="0"]')
    page.keyboard.press("End")
    chosen = visit.chosen()
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    page.reload()
    page.wait_for_selector("#downloads a")
    assert visit.chosen() == chosen
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Released table").click()
    assert waiting.value.suggested_filename == "hard-released.csv"
    # Another table can be opened all the same.
    visit.to_frontier()
    assert page.locator("#error").is_hidden()


def test_requirements_intervals_and_withheld_rows_from_the_form_to_the_file(visit, tmp_path):
    page = visit.page
    visit.open_example()
    page.click("#more summary")
    page.select_option("#missing", "drop")
    visit.give_role("age", "sensitive")
    visit.give_role("pulse", "public")
    visit.measure()
    visit.wait_for_frontier()

    # A sentence is added, every point keeps it, and what cannot be had is answered beside the form.
    page.select_option("#require-kind", "separated-l")
    page.fill("#require-wanted", "3")
    page.fill("#require-distance", "4")
    page.click("#require-form button")
    page.get_by_text("at least 3 values of age that are more than 4 apart").wait_for()
    page.get_by_text("Suggested: 3 candidates that are apart, because no release that keeps").wait_for()
    page.select_option("#require-kind", "row-k")
    page.fill("#require-wanted", "4000")
    page.click("#require-form button")
    page.get_by_text("No release can meet “at least 4000 rows”").wait_for()
    assert page.is_hidden("#chosen-area")
    page.fill("#require-wanted", "6")
    page.click("#require-form button")
    page.get_by_text("at least 6 rows (").wait_for()
    assert page.locator("#requirements button").count() == 2

    # Intervals begin where they may; a few withheld rows buy the others something.
    page.select_option("[name=shape]", "intervals")
    page.select_option("[name=grid]", "step")
    page.locator("#withhold").fill("3")
    page.get_by_text("Withholding the pulse of ").wait_for(timeout=60_000)
    page.wait_for_selector("#progress", state="hidden")
    assert "instead of" in visit.text("#meaning")
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    assert page.locator("#strips .mark.held").count() > 0
    page.fill("#find", "withheld")
    page.get_by_text("0 of ").wait_for()
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    assert "pulse withheld" in visit.text("#holds")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Policy").click()
    waiting.value.save_as(tmp_path / "policy.json")
    choices = json.loads((tmp_path / "policy.json").read_text())["choices"]
    assert choices["tolerance"] == {"age": "4"}
    assert choices["withhold"] == 8


def test_a_border_is_dragged_and_candidates_and_cost_change_at_once(visit, clinic_csv, tmp_path):
    page = visit.page
    visit.open_example()
    page.click("#more summary")
    page.select_option("#missing", "drop")
    visit.give_role("age", "sensitive")
    visit.give_role("cholesterol", "public")
    visit.measure()
    visit.wait_for_frontier()
    assert page.is_hidden("#borders")
    page.select_option("[name=shape]", "intervals")
    page.wait_for_selector("#borders .handle")
    page.wait_for_selector("#progress", state="hidden")
    page.locator("#by-candidates").fill("9")
    found = hartley.frontier(
        clinic_csv, sensitive="age", public="cholesterol", missing="drop", shape="intervals"
    )
    point, line = found.frontier.best_utility_with(9), BorderLine.of(found.question)
    own = line.borders_of(point)
    page.get_by_text(f"{len(own) + 1} bands of cholesterol").wait_for()
    assert page.locator("#borders .handle").count() == len(own)
    assert page.get_attribute("#borders .handle >> nth=0", "aria-valuenow") == f"{own[0]:g}"
    assert f"the weakest leaves {point.distinct_l} candidates" in visit.text("#borders-said")

    # Dragged onto its neighbour, the last border stops before it; the numbers are those of the workflow.
    page.locator("#borders").scroll_into_view_if_needed()
    box = page.locator("#borders .knob").last.bounding_box()
    page.mouse.move(box["x"] + 6, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(box["x"] - 400, box["y"] + 6, steps=5)
    last = len(own) - 1
    moved = line.drawn(point, line.settled(own, BorderMove(last, to=0.0)))
    page.get_by_text(f"the largest move is {moved.point.max_distortion:g}").wait_for()
    page.mouse.up()
    assert page.get_attribute("#borders .handle >> nth=-1", "aria-valuenow") == f"{moved.borders[last]:g}"
    assert f"the weakest leaves {moved.point.distinct_l} candidate" in visit.text("#borders-said")
    assert f"leaves at least {moved.point.distinct_l} candidate" in visit.text("#meaning")
    assert "nothing is proven of them" in visit.text("#meaning")
    assert page.locator("#chart .own").count() == 1

    # From the keyboard: back to where it was, past one value more, one border less, one border more.
    page.click("#borders-reset")
    page.get_by_text("Proven: no recoding").wait_for()
    page.locator("#borders .handle").last.focus()
    page.keyboard.press("ArrowRight")
    beyond = line.drawn(point, line.settled(own, BorderMove(last, by=1)))
    page.wait_for_selector(f'#borders [data-border="{last}"][aria-valuenow="{beyond.borders[last]:g}"]')
    assert page.evaluate("document.activeElement.getAttribute('data-border')") == str(last)
    page.keyboard.press("Delete")
    fewer = line.drawn(point, own[:-1])
    page.get_by_text(f"{len(fewer.bands)} bands of cholesterol").wait_for()
    assert f"farther than {fewer.point.max_distortion:g} from" in visit.text("#meaning")
    page.click("#border-add")
    page.get_by_text(f"{len(fewer.bands) + 1} bands of cholesterol").wait_for()

    # A page that is loaded again still has them; what is required and not kept cannot be released.
    page.click("#borders-reset")
    page.get_by_text("Proven: no recoding").wait_for()
    page.locator("#borders .handle").last.focus()
    page.keyboard.press("Delete")
    page.get_by_text(f"{len(fewer.bands)} bands of cholesterol").wait_for()
    page.reload()
    page.get_by_text(f"{len(fewer.bands)} bands of cholesterol").wait_for()
    assert "nothing is proven of them" in visit.text("#meaning")

    # What is released is what was drawn.
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    released = page.locator("#recoding tbody tr td:first-child").all_inner_texts()
    assert sorted(released) == sorted(band.label for band in fewer.bands)
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    files = {}
    for link in page.locator("#downloads a").all():
        with page.expect_download() as waiting:
            link.click()
        path = files[waiting.value.suggested_filename] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
    with files["clinic-released.csv"].open(encoding="utf-8") as file:
        cells = {row["cholesterol"] for row in csv.DictReader(file)}
    assert cells == {band.label for band in fewer.bands}
    assert verify(
        files["clinic-released.csv"],
        original=clinic_csv,
        policy=files["clinic-released.policy.json"],
        certificate=files["clinic-released.certificate.json"],
        record=files["clinic-released.record.json"],
    ).holds
    page.get_by_role("button", name="Report for the board").click()
    page.get_by_role("link", name="Report for the board").wait_for()

    # Where something is required, borders that do not keep it cannot be released.
    page.fill("#require-wanted", "9")
    page.click("#require-form button")
    page.get_by_text("Required and kept: at least 9 different values").wait_for()
    page.wait_for_selector("#borders .handle")
    page.click("#border-add")
    page.get_by_text("Required and not kept: at least 9 different values").wait_for()
    assert page.is_disabled("#preview")


def test_everything_has_a_name_and_the_page_is_light(visit):
    page = visit.page
    loaded = page.evaluate(
        "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
        ".reduce((sum, one) => sum + one.encodedBodySize, 0)"
    )
    assert 10_000 < loaded < 300_000
    visit.to_frontier()
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, a, input, select, progress, section, img, "
            + "[role=radio], [role=img], [role=region], svg[role]")].filter((one) => {
          const by = one.getAttribute("aria-labelledby");
          const said = one.getAttribute("aria-label") || one.alt || one.labels?.[0]?.innerText
            || (by && document.getElementById(by)?.innerText) || one.innerText;
          return one.checkVisibility() && !said?.trim();
        }).map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    # What scrolls can be scrolled from the keyboard, headings go down one by one, ids are given once.
    assert page.locator(".scroll:not([tabindex])").count() == 0
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].filter((one) => one.checkVisibility())"
        ".map((one) => Number(one.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


def test_a_release_made_twice_has_its_own_files(visit):
    page = visit.page
    visit.to_frontier()
    names = []
    for place in (1, 3):
        page.click(f'#chart [data-index="{place}"] .dot')
        page.click("#preview")
        page.wait_for_selector("#recoding tbody tr")
        page.click("#release-options button")
        page.wait_for_selector("#downloads a")
        # The report of the other point is gone; it can be made for this one.
        page.get_by_role("button", name="Report for the board").click()
        page.get_by_role("link", name="Report for the board").wait_for()
        with page.expect_download() as waiting:
            page.get_by_role("link", name="Released table").click()
        names.append(Path(waiting.value.path()).read_text(encoding="utf-8"))
    assert len(set(names[0].split())) > len(set(names[1].split()))


def test_files_written_another_way_are_read_when_the_page_is_told_how(visit, tmp_path):
    page = visit.page
    path = tmp_path / "praxis.csv"
    path.write_bytes("Alter;Straße\n30;Hauptstraße\n41;Mühlweg\n30;Mühlweg\n".encode("latin-1"))
    visit.expected_refusals = 1
    visit.upload(path)
    page.get_by_text("read it with “Windows, Western Europe” for “Encoding”").wait_for()
    assert page.is_visible("[name=encoding]")
    page.select_option("[name=encoding]", "cp1252")
    page.wait_for_selector("#columns tbody tr")  # it is read again without being chosen again
    assert "Mühlweg" in visit.text("#columns")
    visit.give_role("Alter", "sensitive")
    visit.give_role("Straße", "public")
    visit.measure()
    visit.wait_for_frontier()
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Released table").click()
    assert "Mühlweg" in Path(waiting.value.path()).read_text(encoding="cp1252")


def test_a_sheet_of_a_workbook_can_be_chosen(visit, tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="writes the workbook")
    book = openpyxl.Workbook()
    book.active.title = "<b>People"
    # The sheet with most rows is open first, so that choosing the other one opens it.
    for row in (["age", "place"], [30, "a"], [41, "b"], [52, "b"], [60, "a"]):
        book.active.append(row)
    sheet = book.create_sheet("Others")
    for row in (["size", "mixed"], [1, 2], [2, "x"], [3, "x"]):
        sheet.append(row)
    book.save(tmp_path / "two.xlsx")
    page = visit.page
    visit.upload(tmp_path / "two.xlsx")
    page.get_by_label("Role of age", exact=True).wait_for()
    assert page.locator("#sheet option").all_inner_texts() == ["<b>People", "Others"]
    page.select_option("#sheet", "Others")
    page.get_by_label("Role of size", exact=True).wait_for()
    assert page.is_disabled("[aria-label='Role of mixed']")
    page.get_by_role("button", name="Read mixed as text").click()
    page.wait_for_selector("[aria-label='Role of mixed']:not([disabled])")
    page.get_by_role("button", name="Read mixed as found").click()
    page.wait_for_selector("[aria-label='Role of mixed'][disabled]")
    assert page.input_value("#sheet") == "Others"
    visit.open_example()
    page.get_by_label("Role of pulse", exact=True).wait_for()
    assert page.is_hidden("#sheet-choice")


def test_a_file_that_is_too_large_is_not_even_sent(chromium, tmp_path):
    process, url = serve("--upload-limit", "1")
    try:
        visit = Visit(chromium, url)
        path = tmp_path / "large.csv"
        path.write_bytes(b"age,place\n" + b"30,somewhere\n" * 100_000)
        sent: list[str] = []
        visit.page.on("request", lambda request: sent.append(request.url))
        visit.upload(path)
        visit.page.wait_for_selector("#error:not([hidden])")
        assert visit.text("#error") == "large.csv is larger than 1 MB, the most that is taken."
        # A tab may still be on its way in; that carries no file.
        assert [url for url in sent if "/api/" in url and not url.endswith("/api/enter")] == []
        visit.open_example()
        visit.context.close()
        assert visit.wrong == []
    finally:
        assert end(process) == 0


def test_everything_can_be_done_from_the_keyboard(visit, frontier):
    page = visit.page
    page.focus("#open-example")
    page.keyboard.press("Enter")
    page.wait_for_selector("#columns tbody tr")
    for column, presses in (("age", 1), ("cholesterol", 2)):
        page.get_by_label(f"Role of {column}", exact=True).focus()
        for _ in range(presses):
            page.keyboard.press("ArrowDown")
    page.focus("#measure")
    page.keyboard.press("Enter")
    visit.wait_for_frontier()
    page.focus('#chart [tabindex="0"]')
    page.keyboard.press("Home")
    assert visit.chosen() == 0
    page.keyboard.press("ArrowRight")
    assert visit.chosen() == 1
    assert page.evaluate("document.activeElement.getAttribute('data-index')") == "1"
    page.keyboard.press("End")
    assert visit.chosen() == len(frontier.points) - 1
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert f"at least {frontier.points[-1].distinct_l} candidates" in label
    page.focus("#preview")
    page.keyboard.press("Enter")
    page.wait_for_selector("#recoding tbody tr")
    page.focus("#release-options button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#downloads a")


def test_names_and_cells_are_only_ever_text(visit, tmp_path):
    nasty = tmp_path / '<img src=x onerror="alert(0)">.csv'
    public, sensitive = "<img src=x onerror=alert(1)>", '"><script>alert(2)</script>'
    with nasty.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([public, sensitive, "{{ 7*7 }}"])
        for place in range(30):
            cell = ["<b onmouseover=alert(3)>", "'; alert(4) //", "</script><svg onload=alert(5)>"][place % 3]
            writer.writerow([f"{cell}{place // 6}", f"<i>{place % 7}</i>", "${alert(6)}"])
    visit.upload(nasty)
    page = visit.page
    page.wait_for_selector("#columns tbody tr")
    assert public in visit.text("#columns")
    assert "{{ 7*7 }}" in visit.text("#columns")
    visit.give_role(public, "public")
    visit.give_role(sensitive, "sensitive")
    visit.measure()
    assert "'; alert(4) //0" in visit.text("#witnesses")
    visit.wait_for_frontier()
    page.focus('#chart [tabindex="0"]')
    page.keyboard.press("End")
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    assert "onload=alert(5)" in visit.text("#recoding")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    for button in ("Report for the board", "Curator's report"):
        page.get_by_role("button", name=button).click()
        page.get_by_role("link", name=button).wait_for()
    assert page.locator("img[src=x], main script, main b, main i").count() == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("a.pdf", b"%PDF", "must end in one of"), ("a.csv", b"a,b\n1\n", "line 2"), ("b.csv", b"", "empty")],
)
def test_a_wrong_file_is_answered_in_a_line_and_the_page_goes_on(visit, tmp_path, name, content, said):
    visit.expected_refusals = 1
    path = tmp_path / name
    path.write_bytes(content)
    visit.upload(path)
    visit.page.wait_for_selector("#error:not([hidden])")
    assert said in visit.text("#error")
    visit.open_example()
    assert visit.page.is_hidden("#error")


def test_roles_that_are_missing_are_asked_for(visit):
    visit.open_example()
    visit.page.click("#measure")
    assert visit.text("#error") == "Choose at least one column to protect."
    visit.give_role("age", "sensitive")
    visit.page.click("#measure")
    assert visit.text("#error") == "Choose at least one column to publish."


@pytest.fixture(scope="module")
def hard_csv(tmp_path_factory) -> Path:
    """A table whose search takes far longer than anybody waits."""
    source = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("hard") / "hard.csv"
    rows = zip(source.integers(0, 900, 2_500), source.integers(0, 300, 2_500), strict=True)
    path.write_text("place,illness\n" + "\n".join(f"p{x},i{s}" for x, s in rows) + "\n", encoding="utf-8")
    return path


def test_a_search_can_be_stopped_and_keeps_what_it_found(visit, hard_csv):
    page = visit.page
    visit.upload(hard_csv)
    page.wait_for_selector("#columns tbody tr")
    visit.give_role("place", "public")
    visit.give_role("illness", "sensitive")
    visit.measure()
    # Points appear while the search goes on, and the page can be used.
    page.wait_for_selector("#progress:not([hidden])")
    page.wait_for_selector("#chart .point")
    assert page.is_visible("#stop")
    assert page.is_disabled("#preview")
    page.click("#stop")
    page.wait_for_selector("#progress", state="hidden", timeout=30_000)
    assert visit.text("#search-said").startswith("Stopped early.")
    page.focus('#chart [tabindex="0"]')
    page.keyboard.press("End")
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")


def test_a_new_table_ends_the_search_of_the_old_one(visit, hard_csv):
    visit.upload(hard_csv)
    visit.page.wait_for_selector("#columns tbody tr")
    visit.give_role("place", "public")
    visit.give_role("illness", "sensitive")
    visit.measure()
    visit.page.wait_for_selector("#progress:not([hidden])")
    visit.open_example()
    visit.page.get_by_label("Role of pulse", exact=True).wait_for()
    assert visit.page.is_hidden("#frontier")


def test_the_greedy_run_can_be_asked_for(visit, clinic_csv):
    visit.to_frontier()
    visit.page.click("#options summary")
    visit.page.select_option("[name=search]", "greedy")
    visit.page.select_option("[name=utility]", "resolution")
    visit.page.click("#search-options button")
    visit.page.get_by_text("of the greedy run").wait_for()
    greedy = hartley.frontier(
        clinic_csv, sensitive="age", public="cholesterol", search="greedy", utility="resolution"
    )
    assert visit.page.locator("#chart .point").count() == len(greedy.frontier.points)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_on_a_phone(chromium, address, scheme):
    visit = Visit(chromium, address, color_scheme=scheme)
    visit.page.set_viewport_size({"width": 360, "height": 740})
    visit.open_example()
    visit.give_role("sex", "keep")
    visit.give_role("pulse", "harmless")
    for summary in visit.page.locator("details:visible > summary").all():
        summary.click()
    visit.to_frontier_from_roles()
    visit.page.click("#options summary")
    visit.page.click("#preview")
    visit.page.wait_for_selector("#recoding tbody tr")
    visit.page.click("#release-options button")
    visit.page.click("#accept")
    visit.page.wait_for_selector("#downloads a")
    wide = visit.page.evaluate("document.documentElement.scrollWidth")
    visit.context.close()
    assert wide <= 360
    assert visit.wrong == []


def test_long_names_do_not_run_out_of_a_phone(chromium, address, tmp_path):
    visit = Visit(chromium, address)
    page = visit.page
    page.set_viewport_size({"width": 360, "height": 740})
    names = [
        "A_long_column_name_without_any_break_that_goes_on_and_on_and_on",
        "Another long name (in mmol/l)",
    ]
    path = tmp_path / "wide.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "s", "c" * 70])
        writer.writerows([i % 13, f"v{i % 3}", i % 11, i % 2] for i in range(60))
    visit.upload(path)
    page.wait_for_selector("#columns tbody tr")
    for place, role in enumerate(("public", "keep", "sensitive", "keep")):
        page.select_option(f"[name=role-{place}]", role)
    visit.measure()
    visit.wait_for_frontier()
    assert "with 2 columns beside it" in visit.text("#meaning")
    assert "Added to what 2 columns tell (L0, bits)" in visit.text("#chart")
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    visit.context.close()
    assert visit.wrong == []


def test_the_key_leaves_the_address_bar_and_stays_valid(visit, address):
    visit.page.wait_for_url(address.split("#")[0])
    visit.page.reload()
    visit.open_example()


def test_without_the_key_the_page_is_locked(chromium, address):
    context = chromium.new_context()
    page = context.new_page()
    front = address.split("#")[0]
    page.goto(front)
    page.get_by_text("This page is locked; open the address from the terminal.").wait_for()
    page.click("#open-example")
    page.get_by_text("This page is locked; open the address from the terminal.").wait_for()
    assert page.is_hidden("#roles")
    page.goto(front + "#key=wrong")
    page.get_by_text("This page is locked; open the address from the terminal.").wait_for()
    assert page.goto(front + "api/search").status == 403
    assert "Open the address that hartley printed" in page.inner_text("body")
    # The right address opens it in the same tab, and leaves nothing in the address bar.
    page.goto(front)
    page.goto(address)
    page.wait_for_url(front)
    page.click("#open-example")
    page.wait_for_selector("#columns tbody tr")
    assert page.url == front
    assert context.cookies() == []
    context.close()


def test_the_private_page_leads_to_the_app_once(chromium, tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "hartley", "serve"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "BROWSER": f"{browser} %s"},
    )
    while not seen.exists():
        assert process.poll() is None
    context = chromium.new_context()
    page = context.new_page()
    page.goto(seen.read_text())
    page.wait_for_url("http://127.0.0.1:*/")
    page.click("#open-example")
    page.wait_for_selector("#columns tbody tr")
    # The tab keeps its session when it is loaded again; another one has none.
    page.reload()
    page.click("#open-example")
    page.wait_for_selector("#columns tbody tr")
    other = context.new_page()
    other.goto(page.url)
    other.get_by_text("This page is locked").wait_for()
    context.close()
    assert end(process) == 0


def test_another_site_cannot_reach_the_app(chromium, address, tmp_path):
    # The browser that holds the key visits a page that tries everything a page can.
    origin = address.split("/#")[0]
    context = chromium.new_context()
    page = context.new_page()
    page.goto(address)
    evil = tmp_path / "evil.html"
    evil.write_text(
        f"""<body><script>
        const readable = (answer) => answer.text().then((text) => text || Promise.reject("opaque"));
        const body = '{{"which": "example"}}';
        const post = {{method: "POST", mode: "no-cors", credentials: "include", body}};
        window.tried = Promise.allSettled([
          fetch("{origin}/api/search", {{credentials: "include"}}).then(readable),
          fetch("{origin}/api/open", post).then(readable),
        ]).then((all) => all.map((one) => one.status).join());
        </script>
        <form method="post" action="{origin}/api/open"><input name="which" value="example"></form>"""
    )
    page.goto(evil.as_uri())
    assert page.evaluate("window.tried") == "rejected,rejected"
    with page.expect_navigation() as waiting:
        page.evaluate("document.forms[0].submit()")
    assert waiting.value.status == 403
    context.close()


def test_ending_the_app_removes_its_copies(clinic_csv, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "hartley", "serve", "--no-open", str(clinic_csv)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert "#key=" in process.stdout.readline()
    (private,) = tmp_path.glob("hartley-*")
    assert private.stat().st_mode & 0o077 == 0
    assert end(process) == 0
    assert not private.exists()


def test_figures_and_reports_open_without_a_network(chromium, clinic_csv, frontier, tmp_path):
    from hartley.cli.program import run

    pages = [frontier.plot().save(tmp_path / "frontier.html"), tmp_path / "report.html"]
    assert (
        run(
            ["report", str(clinic_csv), "-s", "age", "-p", "cholesterol", "-o", str(pages[1]), "--disclosive"]
        )
        == 0
    )
    context = chromium.new_context()
    for path in pages:
        page = context.new_page()
        asked: list[str] = []
        faults: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda message, faults=faults: faults.append(message.text))
        page.on("pageerror", lambda error, faults=faults: faults.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_selector("svg")
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
        assert faults == []
    context.close()


def serious_findings(page) -> list[str]:
    """What axe-core calls serious or critical in a page, with the first places of each."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    return [
        f"{one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in axe.Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 360)])
def test_axe_finds_nothing_serious_in_the_app(chromium, address, scheme, width):
    visit = Visit(chromium, address, color_scheme=scheme)
    page = visit.page
    page.set_viewport_size({"width": width, "height": 800})
    assert serious_findings(page) == []
    visit.open_example()
    for summary in page.locator("details:visible > summary").all():
        summary.click()
    visit.to_frontier_from_roles()
    page.click("#options summary")
    page.select_option("[name=shape]", "intervals")
    page.wait_for_selector("#borders .handle")
    page.wait_for_selector("#progress", state="hidden")
    page.click("#border-add")
    page.get_by_text("nothing is proven of them").wait_for()
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a", state="attached")
    if page.is_visible("#accept"):
        page.click("#accept")
    assert serious_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    visit.context.close()
    assert visit.wrong == []


def test_axe_finds_nothing_serious_in_a_report(chromium, clinic_csv, tmp_path):
    from hartley.cli.program import run

    context = chromium.new_context(color_scheme="light")
    for audience in ("public", "board", "curator"):
        path = tmp_path / f"{audience}.html"
        asked = ["report", str(clinic_csv), "-s", "age", "-p", "cholesterol", "--distinct-l", "5"]
        assert run([*asked, "--for", audience, "-o", str(path)]) == 0
        page = context.new_page()
        page.goto(path.as_uri())
        assert serious_findings(page) == []
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 360, "height": 800})
        assert serious_findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.close()
    context.close()


def test_axe_finds_nothing_serious_in_the_site(chromium, tmp_path):
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    root = Path(__file__).resolve().parents[2]
    built = [sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(tmp_path)]
    subprocess.run(built, cwd=root, check=True, capture_output=True)
    for scheme, width in (("light", 1200), ("dark", 390)):
        context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
        for name in ("index.html", "gallery/index.html", "law/index.html", "paper_notebook/index.html"):
            page = context.new_page()
            page.goto((tmp_path / name).as_uri())
            page.wait_for_load_state("networkidle")
            assert serious_findings(page) == []
        context.close()
