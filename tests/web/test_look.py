"""The page can be read: contrast of its inks, in light and dark."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import hartley.web

CSS = (Path(hartley.web.__file__).parent / "static" / "app.css").read_text(encoding="utf-8")


def inks(scheme: str) -> dict[str, str]:
    blocks = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[0 if scheme == "light" else 1]))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(scheme):
    ink = inks(scheme)
    for paper in ("paper", "raised"):
        for text in ("ink", "soft", "first", "second", "chosen", "good", "fair"):
            assert contrast(ink[text], ink[paper]) >= 4.5, (text, paper)
    assert contrast(ink["bad"], ink["bad-paper"]) >= 4.5
    assert contrast(ink["on-first"], ink["first"]) >= 4.5
    assert contrast(ink["edge"], ink["paper"]) >= 3


def test_light_and_dark_have_the_same_inks():
    assert inks("light").keys() == inks("dark").keys()


def test_the_server_loads_nothing_heavy():
    program = (
        "import sys, hartley.web.routes, hartley.web.server, hartley.web.server; "
        "print({'numpy', 'duckdb', 'pyarrow', 'altair', 'numba', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
