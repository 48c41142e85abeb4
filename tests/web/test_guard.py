"""Nobody but the user's own page gets through."""

from __future__ import annotations

import re

import pytest

from web_door import ORIGIN, PORT, TOKEN

PATHS = ["/", "/static/app.js", "/api/search", "/download/table", "/figure/1/0/recoding/light.svg"]


@pytest.mark.parametrize("path", PATHS)
def test_without_the_key_every_door_is_locked(stranger, path):
    assert stranger.get(path).status_code == 403


@pytest.mark.parametrize("key", ["", "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper()])
def test_a_wrong_key_opens_nothing(stranger, key):
    answer = stranger.get("/", params={"token": key})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert "terminal" in answer.text


def test_two_keys_are_no_key(stranger):
    assert stranger.get(f"/?token={TOKEN}&token=x").status_code == 403


def test_the_key_is_taken_only_at_the_front_door(stranger):
    assert stranger.get(f"/api/search?token={TOKEN}").status_code == 403


def test_the_key_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(stranger):
    cookie = stranger.get(f"/?token={TOKEN}").headers["set-cookie"]
    stranger.cookies.clear()
    assert cookie.startswith(f"hartley-{PORT}={TOKEN};")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_a_wrong_cookie_opens_nothing(stranger):
    for value in ("x", "", TOKEN + ";", '"' + TOKEN):
        assert stranger.get("/api/search", headers={"cookie": f"hartley-{PORT}={value}x"}).status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        f"127.0.0.1:{PORT + 1}",
        f"127.0.0.1.evil.example:{PORT}",
        "",
    ],
)
def test_another_name_for_this_machine_is_refused(browser, host):
    # DNS rebinding: the page of another site, whose name now points here.
    assert browser.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_the_names_of_this_machine_are_known(browser, host):
    answer = browser.get(
        "/static/app.js", headers={"Host": f"{host}:{PORT}", "Origin": f"http://{host}:{PORT}"}
    )
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        f"https://127.0.0.1:{PORT}",
        f"http://127.0.0.1:{PORT + 1}",
        ORIGIN + ".evil.example",
    ],
)
@pytest.mark.parametrize(
    "path", ["/api/open", "/api/upload?name=a.csv", "/api/earlier?name=a.json", "/api/stop"]
)
def test_another_site_cannot_post(browser, origin, path):
    assert browser.post(path, headers={"Origin": origin}, json={}).status_code == 403


def test_a_post_must_say_where_it_comes_from(browser):
    assert browser.build_request("POST", "/api/open").headers["origin"] == ORIGIN
    del browser.headers["Origin"]
    try:
        assert browser.post("/api/open", json={"which": "example"}).status_code == 403
    finally:
        browser.headers["Origin"] = ORIGIN


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_cannot_read_either(browser, site):
    assert browser.get("/api/search", headers={"Sec-Fetch-Site": site}).status_code == 403


def test_a_websocket_is_closed(stranger):
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), stranger.websocket_connect("/"):
        pass


@pytest.mark.parametrize("path", [*PATHS, "/nothing"])
def test_every_answer_forbids_foreign_scripts_frames_and_keeping(browser, path):
    headers = browser.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers


def test_the_page_holds_no_script_and_no_style_of_its_own(browser):
    page = browser.get("/").text
    assert not re.search(r"<script(?![^>]*src=)", page)
    assert "<style" not in page
    assert not re.search(r"\son\w+=|\sstyle=", page)
    assert TOKEN not in page


def test_nothing_in_our_files_loads_from_elsewhere(browser):
    for name in ("app.js", "api.js", "chart.js", "dom.js", "page.js", "release.js", "app.css", "icon.svg"):
        text = browser.get(f"/static/{name}").text
        addresses = set(re.findall(r"https?://[^\s\"')]+", text)) - {"http://www.w3.org/2000/svg"}
        assert addresses == set()
        assert "innerHTML" not in text
        assert "eval(" not in text
