"""Make the pictures in this folder; see scripts/screenshots."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import hartley
from hartley.examples import CLINIC_COLUMNS, clinic, toy
from hartley.model import Partition
from hartley.report.figures import (
    candidates_figure,
    confusability_figure,
    frontier_figure,
    joint_range_figure,
    recoding_figure,
)
from hartley.report.words.audit import frontier_title

HERE = Path(__file__).resolve().parent
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--no-first-run",
]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "clinic.csv"
        with table.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(CLINIC_COLUMNS)
            writer.writerows(clinic())
        draw_figures(table)
        photograph_app(table)


def draw_figures(table: Path) -> None:
    found = hartley.frontier(table, sensitive="age", public="cholesterol")
    greedy = hartley.frontier(
        table, sensitive="age", public="cholesterol", search="greedy", utility_weight=0.05
    )
    chosen = found.frontier.best_utility_with(5)
    partition = chosen.partition
    figures = {
        "frontier": frontier_figure(
            found.frontier,
            beside={"greedy": greedy.frontier.points},
            chosen=chosen,
            unit="cholesterol",
            subject=frontier_title(found.joint, table.name),
        ),
        "joint-range": joint_range_figure(found.joint, partition),
        "candidates": candidates_figure(found.joint, partition),
        "recoding": recoding_figure(found.joint.public, partition),
        "confusability": confusability_figure(toy(), Partition.from_clusters([[0, 2], [1, 4], [3, 5], [6]])),
    }
    for name, figure in figures.items():
        figure.save(HERE / f"{name}.svg")


def photograph_app(table: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "hartley", "serve", "--no-open", str(table)], stdout=subprocess.PIPE, text=True
    )
    try:
        url = re.search(r"http://\S+", server.stdout.readline())[0]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("HARTLEY_CHROMIUM") or shutil.which("chromium"), args=FLAGS
            )
            for name, size, scheme in (
                ("app", (1100, 900), "light"),
                ("app-dark", (1100, 900), "dark"),
                ("app-phone", (390, 844), "light"),
            ):
                context = browser.new_context(
                    viewport={"width": size[0], "height": size[1]}, color_scheme=scheme
                )
                page = context.new_page()
                page.goto(url)
                walk(page, name)
                context.close()
            browser.close()
    finally:
        server.send_signal(2)
        server.wait(10)


def walk(page: Page, name: str) -> None:
    def shot(part: str, selector: str) -> None:
        page.locator(selector).screenshot(path=HERE / f"{name}-{part}.png")

    page.click("#open-given")
    page.wait_for_selector("#columns tbody tr")
    page.get_by_label("Role of age", exact=True).select_option("sensitive")
    page.get_by_label("Role of cholesterol", exact=True).select_option("public")
    shot("roles", "#roles")
    page.get_by_label("Role of sex", exact=True).select_option("keep")
    page.click("#more summary")
    if name == "app":
        shot("more", "#roles")
    page.click("#more summary")
    page.get_by_label("Role of sex", exact=True).select_option("")
    page.click("#measure")
    page.wait_for_selector("#chart .point")
    page.wait_for_selector("#progress", state="hidden")
    page.locator("#by-candidates").fill("5")
    shot("audit", "#audit")
    shot("frontier", "#frontier")
    page.click("#preview")
    page.wait_for_selector("#recoding tbody tr")
    page.click("#release-options button")
    page.wait_for_selector("#downloads a")
    page.wait_for_load_state("networkidle")
    shot("release", "#release")
    borders(page, shot)


def borders(page: Page, shot: Callable[[str, str], None]) -> None:
    """Photograph borders that were moved."""
    page.select_option("[name=shape]", "intervals")
    page.wait_for_selector("#borders .handle")
    page.locator("#by-candidates").fill("12")
    page.get_by_text("the weakest leaves 12").wait_for()
    page.locator("#borders .handle").nth(2).focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("nothing is proven of them").wait_for()
    shot("borders", "#borders")
    ways(page, shot)


def ways(page: Page, shot: Callable[[str, str], None]) -> None:
    """Photograph ways to publish two columns, side by side."""
    page.select_option("[name=shape]", "any")
    page.get_by_label("Role of sex", exact=True).select_option("public")
    page.click("#measure")
    page.wait_for_selector(".way")
    page.fill("#require-wanted", "3")
    page.click("#require-form button")
    page.locator("#ways-said", has_text="can be published").wait_for()
    shot("ways", "#ways")


if __name__ == "__main__":
    main()
