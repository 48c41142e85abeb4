"""Requests that our own page would never send: each is answered with one line, and none ends in a bug."""

from __future__ import annotations

import json
from typing import Any

import pytest

from web_door import TOKEN, opened

ODD: tuple[Any, ...] = (
    *(None, True, "x", "\ud800", "\x00", [], {}, [[]], [None], ["\udfff"], {"a": 1}),
    *(-1, 0.5, 1e308, 2**53, 10**30, 10**400),
)
ROLES = ("sensitive", "public", "side", "keep", "harmless", "earlier", "missing", "missing_at")
QUESTION = (
    *("leakage", "utility", "codeword", "search", "require", "tolerance", "shape", "borders"),
    *("withhold", "withheld_label", "publish_sensitive", "keep_order", "defuse_formulas"),
)
READING = {
    "encoding": "utf-8",
    "delimiter": ",",
    "decimal": ".",
    "missing_words": [],
    "sheet": None,
    "text": [],
}


def asked_oddly(browser, path: str, asked: dict[str, Any]) -> None:
    """Ask with one field after the other replaced by what is odd."""
    for name in asked:
        for odd in ODD:
            if name == "time_limit" and odd != "x":
                continue
            body = json.dumps({**asked, name: odd}).encode()
            answer = browser.post(path, content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code < 500, (path, name, odd, answer.text)
            if answer.status_code >= 400:
                assert "\n" not in answer.json()["error"]
    assert browser.get("/api/session").status_code == 200


@pytest.mark.parametrize("word", ["\\ud800", "\\udfff", "a\\ud83d"])
@pytest.mark.parametrize("path", ["/api/enter", "/api/open", "/api/audit", "/api/look"])
def test_half_a_character_is_no_json(browser, path, word):
    body = f'{{"token": "{word}", "which": "{word}", "sensitive": ["{word}"]}}'.encode()
    answer = browser.post(path, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json() == {"error": "this is not JSON"}


def test_odd_values_at_the_entrance_and_of_readings(browser):
    opened(browser)
    asked_oddly(browser, "/api/enter", {"token": TOKEN})
    for name in READING:
        for odd in (None, 7, "\x00", [7], {}):
            answer = browser.post("/api/open", json={"which": "given", "reading": {**READING, name: odd}})
            assert answer.status_code < 500, (name, odd, answer.text)


def test_odd_values_of_an_audit(browser):
    asked_oddly(browser, "/api/audit", opened(browser) | dict.fromkeys(ROLES[3:]))


def test_odd_values_of_a_search(browser):
    asked = opened(browser) | dict.fromkeys((*ROLES[3:], *QUESTION)) | {"search": "greedy", "time_limit": 0.1}
    del asked["withhold"]
    asked_oddly(browser, "/api/search", asked)


@pytest.mark.parametrize(
    "path", ["/api/look", "/api/borders", "/api/codebook", "/api/release", "/api/report"]
)
def test_odd_values_of_what_follows_a_search(browser, path):
    asked = opened(browser)
    browser.post("/api/search", json={**asked, "search": "greedy", "time_limit": 20})
    point = {"revision": asked["revision"], "point": 0}
    browser.post("/api/look", json=point)
    more = {
        "/api/borders": ("borders", "move", "split"),
        "/api/codebook": ("find",),
        "/api/release": ("labels",),
    }
    asked_oddly(browser, path, point | dict.fromkeys(more.get(path, ())))
    if path == "/api/borders":
        for move in ("border", "to", "by"):
            for odd in ODD:
                body = {**point, "borders": [200, 1e300], "move": {"border": 0, "by": 1, move: odd}}
                answer = browser.post(
                    path, content=json.dumps(body), headers={"Content-Type": "application/json"}
                )
                assert answer.status_code < 500, (odd, answer.text)


@pytest.mark.parametrize("number", ["9" * 5000, "99999999999999999999", "x", "-1", "%C2%B2", "%D9%A3"])
def test_odd_numbers_in_addresses(browser, number):
    assert 400 <= browser.get(f"/figure/{number}/{number}/recoding/light.svg").status_code < 500
    answer = browser.post(f"/api/earlier?name=a.json&revision={number}", content=b"{}")
    assert 400 <= answer.status_code < 500
