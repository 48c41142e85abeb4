"""Searches in the background, and the same numbers everywhere."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pickle
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import hartley
from hartley.cli.program import run
from hartley.web.worker import Worker
from web_door import FILES, finished, opened


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"utility": "resolution"},
        {"leakage": "istar"},
        {"search": "greedy"},
        {"codeword": "member"},
        {"codeword": "centroid", "search": "greedy"},
        {"missing_at": 200, "search": "greedy"},
        {"missing": "drop", "search": "greedy"},
        {"side": ["sex"], "search": "greedy"},
        {"keep": ["sex"], "search": "greedy"},
        {"keep": ["sex"], "side": ["pain"], "leakage": "istar", "search": "greedy"},
    ],
    ids=str,
)
def test_app_command_line_and_python_give_the_same_frontier(browser, clinic_csv, capsys, asked):
    found = finished(browser, browser.post("/api/search", json={**opened(browser), **asked}).json())
    assert found["state"] == "done"
    shown = dict(found["frontier"])
    suggested, reader_bits = shown.pop("suggested"), shown.pop("reader_bits")
    assert [one["word"] == "EXPOSED" for one in shown.pop("verdicts")] == [
        point["distinct_l"] == 1 for point in shown["points"]
    ]
    because, without = shown.pop("because"), (shown.pop("without"), shown.pop("bought"))
    options = []
    for name, value in asked.items():
        for one in value if isinstance(value, list) else [value]:
            options += [f"--{name.replace('_', '-')}", str(one)]
    command = ["frontier", str(clinic_csv), "-s", "age", "-p", "cholesterol", "--json", *options]
    assert run(command) == 0
    assert shown == json.loads(capsys.readouterr().out)
    given = dict(asked)
    if "codeword" in given:
        given["utility"] = hartley.UtilityChoice(codeword=given.pop("codeword"))
    result = hartley.frontier(clinic_csv, sensitive="age", public="cholesterol", **given)
    assert shown == json.loads(json.dumps(result.to_dict()))
    assert without == ([], None)
    if result.frontier.leakage == "istar":
        last = len(result.frontier.points) - 1
        assert suggested == (last if result.frontier.points[last].distinct_l > 1 else None)
    else:
        most = max(point.distinct_l for point in result.frontier.points)
        usual = min(5, max(2, -(-most // 2)))
        assert result.frontier.points[suggested] == result.frontier.best_utility_with(usual)
        assert because.startswith(f"{result.frontier.points[suggested].distinct_l} candidates, because ")
        assert ("five is what curators" in because) == (usual == 5)
    if reader_bits is not None:
        assert reader_bits == [result.reader.l0_bits(p.partition) for p in result.frontier.points]
    assert (reader_bits is None) == ("keep" not in asked or asked.get("leakage") == "istar")


def test_the_release_is_of_the_chosen_point_and_verified(browser, service):
    asked = opened(browser)
    frontier = finished(browser, browser.post("/api/search", json=asked).json())["frontier"]
    place = next(i for i, point in enumerate(frontier["points"]) if point["distinct_l"] >= 5)
    made = browser.post("/api/release", json={"revision": asked["revision"], "point": place}).json()
    assert made["release"]["verified"] is True
    assert made["release"]["point"] == frontier["points"][place]
    assert made["release"]["after"]["distinct_l"] >= 5
    assert set(made["links"]) == FILES
    text = browser.get(made["links"]["table"]["href"]).text
    assert len(text.splitlines()) == 301
    assert len(set(text.splitlines()[1:])) == frontier["points"][place]["clusters"]
    assert all(str(service.folder) not in str(value) for value in made["release"].values())


def test_labels_can_be_written_as_intervals(browser):
    asked = opened(browser)
    finished(browser, browser.post("/api/search", json=asked).json())
    made = browser.post(
        "/api/release", json={"revision": asked["revision"], "point": 3, "labels": "interval"}
    ).json()
    assert any(row[0] and row[0].startswith("[") for row in made["preview"]["rows"])
    assert any(str(one["released"]).startswith("[") for one in made["codebook"]["lines"])


def test_the_release_stays_inside_the_private_folder(browser, service):
    asked = opened(browser)
    finished(browser, browser.post("/api/search", json=asked).json())
    browser.post("/api/release", json={"revision": asked["revision"], "point": 1})
    for path, _ in service.files.values():
        assert path.resolve().is_relative_to(service.folder.resolve())


@pytest.mark.parametrize("point", [-1, 10_000, "1", None, 1.5, True and [0]])
def test_a_point_that_is_not_there_is_refused(browser, point):
    asked = opened(browser)
    finished(browser, browser.post("/api/search", json=asked).json())
    for path in ("/api/look", "/api/release", "/api/report"):
        answer = browser.post(path, json={"revision": asked["revision"], "point": point})
        assert answer.status_code == 422
        assert "no such point" in answer.json()["error"]


@pytest.mark.parametrize(
    "asked",
    [
        {"leakage": "nothing"},
        {"utility": "speed"},
        {"search": "magic"},
        {"time_limit": "soon"},
        {"time_limit": -1},
        {"codeword": "median"},
        {"codeword": "member", "utility": "resolution"},
        {"missing_at": "nowhere"},
        {"missing_at": 3, "public": ["sex"]},
        {"keep": "sex"},
        {"keep": ["cholesterol"]},
        {"keep": ["age"]},
        {"keep": ["nobody"]},
        {"harmless": [3]},
        {"publish_sensitive": "yes"},
        {"keep_order": 1},
        {"earlier": ["../../etc/passwd"]},
        {"public": []},
        {"public": ["age"], "sensitive": ["nobody"]},
    ],
    ids=str,
)
def test_a_search_that_makes_no_sense_fails_in_one_line(browser, asked):
    found = finished(browser, browser.post("/api/search", json={**opened(browser), **asked}).json())
    assert found["state"] == "failed"
    assert "internal error" not in found["message"]
    assert "\n" not in found["message"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/figure/{}/0/candidates/light.svg", 200),
        ("/figure/{}/0/candidates/dark.svg", 200),
        ("/figure/{}/0/secrets/light.svg", 422),
        ("/figure/{}/999/candidates/light.svg", 422),
        ("/figure/{}/0/candidates/pink.svg", 422),
        ("/figure/0/0/candidates/light.svg", 422),
    ],
)
def test_figures_are_images(browser, path, status):
    asked = opened(browser)
    found = finished(browser, browser.post("/api/search", json=asked).json())
    answer = browser.get(path.format(found["number"]))
    assert answer.status_code == status
    if status == 200:
        assert answer.headers["content-type"].startswith("image/svg+xml")
        assert "<script" not in answer.text


def test_before_a_search_there_is_nothing_to_look_at(browser):
    asked = opened(browser)
    assert browser.get("/api/search").json()["state"] == "idle"
    assert browser.post("/api/stop", json={}).json()["state"] == "idle"
    assert browser.post("/api/look", json={"revision": asked["revision"], "point": 0}).status_code == 422
    assert browser.get("/download/table").status_code == 404


def hard_table() -> bytes:
    source = np.random.default_rng(5)
    rows = zip(source.integers(0, 900, 2_500), source.integers(0, 300, 2_500), strict=True)
    return ("place,illness\n" + "\n".join(f"p{x},i{s}" for x, s in rows) + "\n").encode()


def started(browser) -> dict:
    described = browser.post("/api/upload", params={"name": "hard.csv"}, content=hard_table()).json()
    roles = {"revision": described["revision"], "sensitive": ["illness"], "public": ["place"]}
    found = browser.post("/api/search", json=roles).json()
    assert found["state"] == "running"
    return roles


def test_points_arrive_while_the_search_runs_and_stay_when_it_is_stopped(browser):
    started(browser)
    end = time.monotonic() + 60
    while not (found := browser.get("/api/search").json())["frontier"] and time.monotonic() < end:
        time.sleep(0.05)
    assert found["state"] == "running"
    assert found["frontier"]["points"][0]["largest_cluster"] == 1
    browser.post("/api/stop", json={})
    found = finished(browser, found)
    assert found["state"] == "stopped"
    assert found["frontier"]["complete"] is False
    assert len(found["frontier"]["points"]) > 1


def test_a_new_audit_does_not_wait_for_the_search_and_ends_it(browser):
    roles = started(browser)
    swapped = {**roles, "sensitive": roles["public"], "public": roles["sensitive"]}
    assert browser.post("/api/audit", json=swapped).status_code == 200
    found = browser.get("/api/search").json()
    assert found["state"] == "stopped"
    assert "another table or search was started" in found["message"]


def test_two_windows_that_search_at_once_leave_one_search(browser):
    roles = started(browser)
    with ThreadPoolExecutor(2) as windows:
        asked = [{**roles, "search": "greedy"}, {**roles, "leakage": "istar"}]
        answers = list(windows.map(lambda one: browser.post("/api/search", json=one).json(), asked))
    assert len({answer["number"] for answer in answers}) == 2
    found = finished(browser, browser.get("/api/search").json())
    assert found["state"] == "done"
    assert found["number"] in {answer["number"] for answer in answers}


def test_a_time_limit_ends_a_search(browser):
    roles = started(browser)
    found = finished(browser, browser.post("/api/search", json={**roles, "time_limit": 0.5}).json())
    assert found["state"] == "stopped"


def test_another_worker_takes_over_when_one_is_lost(browser, service):
    started(browser)
    os.kill(service.worker._process.pid, signal.SIGKILL)
    found = finished(browser, browser.get("/api/search").json())
    assert found["state"] == "failed"
    assert "open the table again" in found["message"]
    found = finished(browser, browser.post("/api/search", json=opened(browser)).json())
    assert found["state"] == "done"


def test_rows_with_missing_cells_can_be_left_out(browser, clinic_csv):
    asked = {**opened(browser), "missing": "drop", "search": "greedy"}
    audit = browser.post("/api/audit", json=asked).json()
    assert "left out for a missing value" in audit["about"]
    found = finished(browser, browser.post("/api/search", json=asked).json())
    result = hartley.frontier(
        clinic_csv, sensitive="age", public="cholesterol", missing="drop", search="greedy"
    )
    assert found["frontier"]["points"] == json.loads(json.dumps(result.to_dict()["points"]))
    made = browser.post("/api/release", json={"revision": asked["revision"], "point": 2}).json()
    assert made["release"]["rows"] == 300 - result.dropped_rows
    assert browser.post("/api/audit", json={**asked, "missing": "guess"}).status_code == 422


async def answered(worker, is_stopped):
    """Have a worker called that is answered at once, by nobody."""
    call = asyncio.create_task(worker.call("search", {}, is_stopped=is_stopped))
    while not worker._pending:
        await asyncio.sleep(0)
    for pending in worker._pending.values():
        pending.future.set_result(None)
    await call


def test_a_stop_that_comes_before_the_search_has_begun_is_not_lost(tmp_path):
    worker = Worker(tmp_path)
    for is_stopped in (True, False):
        line = io.BytesIO()  # to a process that is never there
        worker._process = SimpleNamespace(stdin=line)
        asyncio.run(answered(worker, lambda stopped=is_stopped: stopped))
        sent = io.BytesIO(line.getvalue())
        assert pickle.load(sent)[1] == "search"  # noqa: S301 (of our own making)
        assert sent.read() == (pickle.dumps("stop") if is_stopped else b"")
