"""Nobody but the user's own page gets through."""

from __future__ import annotations

import re

import pytest

from hartley.web.guard import HEADER
from web_door import ORIGIN, PORT, TOKEN

OPEN = ["/", "/static/app.js", "/static/app.css", "/static/icon.svg"]
LOCKED = ["/api/search", "/download/table", "/figure/1/0/recoding/light.svg", "/nothing"]
POSTS = [
    "/api/open",
    "/api/upload?name=a.csv",
    "/api/earlier?name=a.json",
    "/api/audit",
    "/api/search",
    "/api/stop",
]


@pytest.mark.parametrize("path", LOCKED)
def test_without_the_key_every_door_is_locked(stranger, path):
    assert stranger.get(path).status_code == 403


@pytest.mark.parametrize("path", POSTS)
def test_without_the_key_nothing_is_done(stranger, path):
    assert stranger.post(path, headers={"Origin": ORIGIN}, json={}).status_code == 403


@pytest.mark.parametrize("path", OPEN)
def test_what_everybody_may_see_says_nothing_of_the_table(stranger, path, clinic_csv):
    answer = stranger.get(path)
    assert answer.status_code == 200
    assert clinic_csv.name not in answer.text.replace("a made-up clinic", "")
    assert TOKEN not in answer.text


def enter(client, token, **headers):
    return client.post("/api/enter", headers={"Origin": ORIGIN, **headers}, json={"token": token})


@pytest.mark.parametrize(
    "token", ["", "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), None, 7, [TOKEN], "ü"]
)
def test_a_wrong_token_opens_nothing(stranger, token):
    answer = enter(stranger, token)
    assert answer.status_code == 403
    assert "terminal" in answer.text


def test_the_token_is_turned_in_for_a_secret_that_is_no_cookie(stranger, door, clinic_csv):
    answer = enter(stranger, TOKEN)
    assert answer.json() == {"secret": door.secret, "ticket": door.ticket, "given": clinic_csv.name}
    assert len({door.secret, door.ticket, TOKEN}) == 3
    assert "set-cookie" not in answer.headers
    assert TOKEN not in answer.text
    assert stranger.get("/api/search", headers={HEADER: door.secret}).status_code == 200


def test_the_token_is_taken_only_from_our_page(stranger):
    assert enter(stranger, TOKEN, Origin="http://evil.example").status_code == 403
    assert enter(stranger, TOKEN, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert stranger.post("/api/enter", json={"token": TOKEN}).status_code == 403
    assert stranger.get(f"/api/enter?token={TOKEN}").status_code == 403


def test_a_token_for_one_use_opens_once(stranger, door):
    used = []
    url = door.one_time_url(lambda: used.append(1))
    token = url.split("#key=")[1]
    assert url.startswith(f"{ORIGIN}/#key=")
    assert enter(stranger, token + "x").status_code == 403
    assert used == []
    assert enter(stranger, token).status_code == 200
    assert used == [1]
    assert enter(stranger, token).status_code == 403
    assert used == [1]


def test_no_word_but_the_secret_is_one(stranger, door):
    for word in ("", TOKEN, door.ticket, door.secret[:-1], door.secret + "x", "é".encode("latin-1")):
        assert stranger.get("/api/search", headers={HEADER: word}).status_code == 403
    twice = [(HEADER, door.secret), (HEADER, "x"), ("Host", f"127.0.0.1:{PORT}")]
    assert stranger.get("/api/search", headers=twice).status_code == 403
    assert stranger.get("/api/search", headers={"Cookie": f"{HEADER}={door.secret}"}).status_code == 403


def test_a_ticket_reads_images_and_downloads_and_nothing_else(stranger, door):
    ticket = {"ticket": door.ticket}
    assert stranger.get("/download/table", params=ticket).status_code == 404
    assert stranger.get("/figure/0/0/recoding/light.svg", params=ticket).status_code == 422
    assert stranger.get("/api/search", params=ticket).status_code == 403
    for path in POSTS:
        answer = stranger.post(path.split("?")[0], params=ticket, headers={"Origin": ORIGIN}, json={})
        assert answer.status_code == 403
    for wrong in ("", "x", TOKEN, door.secret):
        assert stranger.get("/download/table", params={"ticket": wrong}).status_code == 403
    assert stranger.get(f"/download/table?ticket={door.ticket}&ticket=x").status_code == 403


def test_the_secrets_stand_in_no_text_of_the_door(door):
    for word in (door.token, door.secret, door.ticket):
        assert word not in repr(door)


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
    assert browser.post("/api/enter", headers={"Host": host}, json={"token": TOKEN}).status_code == 421


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


@pytest.mark.parametrize("path", [*OPEN, *LOCKED])
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
    assert "set-cookie" not in headers


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
