"""Ways to publish a table, side by side: each is what the command that is named for it releases."""

from __future__ import annotations

import csv
import random
import shlex
from pathlib import Path
from threading import Event

import pytest

from hartley.cli.program import run
from hartley.errors import InputError
from hartley.web.routes import TAB
from hartley.web.service import MOST_TABS, Service, Tabs
from hartley.web.session import Desk
from hartley.web.worker import CallError, Worker
from web_door import finished

refuses_danger = True

GRADES = ("junior", "senior", "head")
CHOICES = 20


@pytest.fixture(scope="module")
def staff(tmp_path_factory) -> Path:
    """People with two rows each: a few numbers and words, a number of the person, and an illness."""
    source = random.Random(7)
    path = tmp_path_factory.mktemp("staff") / "staff.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["staff_id", "age", "grade", "sex", "illness", "town"])
        for number in range(30):
            who = [source.randrange(20, 40), source.choice(GRADES), source.choice("fm")]
            for _ in range(2):
                writer.writerow([f"S{1000 + number}", *who, source.choice("abcdef"), source.choice("NO")])
    return path


def quietly(event: dict) -> None:
    del event


def desk(folder: Path, table: Path, **asked) -> tuple[Desk, dict]:
    found = Desk(folder, Event())
    opened = found.do("open", {"path": str(table), "name": table.name}, print)
    return found, {"revision": opened["revision"], "sensitive": ["illness"], **asked}


def some_choice(source: random.Random) -> dict:
    """Draw what a curator may choose in the app."""
    public = source.sample(["age", "grade", "sex"], source.choice([1, 2, 3]))
    asked: dict = {"public": public, "require": [{"name": "distinct-l", "wanted": source.choice([2, 3])}]}
    if source.random() < 0.3:
        asked["require"].append({"name": "row-k", "wanted": 4})
    bands = "intervals" if len(public) == 1 else "columns"
    asked["shape"] = source.choice(["any", bands, "tree"])
    if len(public) > 1:
        if source.random() < 0.5:
            asked["weight"] = {public[0]: 2}
        if "grade" in public and source.random() < 0.5:
            asked["order"] = {"grade": "\n".join(GRADES)}
        elif "grade" in public and source.random() < 0.5:
            asked["hierarchy"] = {"grade": "value,group\njunior,staff\nsenior,staff\nhead,lead"}
    if "age" in public and source.random() < 0.4:
        asked |= {"own_borders": {"age": "24, 28, 32, 36"}, "shape": bands}
    elif asked["shape"] == "tree" and source.random() < 0.7:
        asked["transparent"] = True
    elif source.random() < 0.5:
        asked |= {"person": "staff_id", "require": asked["require"][:1]}
    else:
        asked["publish_sensitive"] = source.random() < 0.3
    asked["keep_order"] = source.random() < 0.2 and not asked.get("transparent")
    asked["like_input"] = source.choice(["yes", "no", "bom"])
    return asked


def test_app_and_command_release_the_same_for_twenty_random_choices(staff, tmp_path, monkeypatch, capsys):
    source, made = random.Random(3), 0
    for number in range(CHOICES):
        asked = some_choice(source)
        folder = tmp_path / f"app-{number}"
        folder.mkdir()
        found, request = desk(folder, staff, **asked)
        ways = found.do("candidates", request, quietly)["candidates"]
        place = tmp_path / f"command-{number}"
        place.mkdir()
        monkeypatch.chdir(place)
        Path("staff.csv").write_bytes(staff.read_bytes())
        for word in ("order", "hierarchy"):
            for column, text in asked.get(word, {}).items():
                Path(f"{word}-{column}.csv").write_text(text)
        way = source.choice(ways)
        status = run([*shlex.split(way["command"])[1:], "--overwrite"])
        if way["refused"]:
            assert status in (2, 3), way
            continue
        assert status == 0, capsys.readouterr().err
        taken = found.do("take", {"revision": request["revision"], "number": way["number"]}, print)
        made += 1
        for word, ending in (("table", ".csv"), ("codebook", ".codebook.csv")):
            ours, theirs = Path(taken["files"][word][0]), place / f"staff-released{ending}"
            assert lines(ours) == lines(theirs), way["command"]
    assert made > CHOICES / 2


def test_a_file_is_written_as_the_table_was_and_shown_as_it_stands_there(tmp_path):
    source = random.Random(2)
    people = [(source.choice("mw"), source.randrange(150, 200), source.choice("äöü")) for _ in range(80)]
    table = tmp_path / "größen.csv"
    lines = [f"{who};{size // 100},{size % 100};{ill}\n" for who, size, ill in people]
    table.write_text("Geschlecht;Größe;Leiden\n" + "".join(lines), encoding="cp1252")
    found = Desk(tmp_path, Event())
    how = {"encoding": "cp1252", "decimal": ","}
    opened = found.do("open", {"path": str(table), "name": table.name, "reading": how}, print)
    asked = {"revision": opened["revision"], "number": 1, "sensitive": ["Leiden"], "public": ["Größe"]}
    for like, encoding, mark in (("yes", "cp1252", ","), ("bom", "utf-8-sig", ","), ("no", "utf-8", ".")):
        points = found.do("search", {**asked, "like_input": like}, print)["points"]
        point = next(place for place, one in enumerate(points) if one["distinct_l"] == 3)
        made = found.do("release", {"revision": opened["revision"], "point": point}, print)
        text = Path(made["files"]["table"][0]).read_bytes().decode(encoding)
        written = [line.strip('"') for line in text.splitlines()]
        assert made["preview"]["columns"] == written[:1] == ["Größe"]
        assert {row for [row] in made["preview"]["rows"]} <= set(written)
        assert mark in "".join(written)
    asked |= {"public": ["Größe", "Geschlecht"], "shape": "columns", "like_input": "bom"}
    way = found.do("candidates", asked, quietly)["candidates"][-1]
    taken = found.do("take", {"revision": opened["revision"], "number": way["number"]}, print)
    assert taken["preview"]["columns"] == ["Geschlecht", "Größe"]
    assert sum(one["rows"] for one in taken["codebook"]["lines"]) == len(people)


def lines(path: Path) -> tuple[bytes, list[bytes]]:
    """Return the header and the rows of a file; the order of the rows is drawn anew for every release."""
    first, *others = path.read_bytes().splitlines()
    return first, sorted(others)


def test_no_way_is_shown_that_is_never_possible_for_persons(staff, tmp_path):
    rule = [{"name": "distinct-l", "wanted": 2}]
    found, request = desk(tmp_path, staff, public=["age", "sex"], person="staff_id", require=rule)
    ways = found.do("candidates", request, quietly)["candidates"]
    assert {way["shape"] for way in ways} == {"any", "columns"}


def test_of_a_secret_with_two_values_no_more_candidates_are_offered(staff, tmp_path):
    found, request = desk(tmp_path, staff, sensitive=["town"], public=["sex"], shape="intervals")
    assert {way["distinct_l"] for way in found.do("candidates", request, quietly)["candidates"]} == {2}


def test_an_identifier_is_published_only_where_that_is_said(staff, tmp_path):
    found, request = desk(tmp_path, staff, public=["staff_id"], require=[{"name": "distinct-l", "wanted": 2}])
    ways = found.do("candidates", request, quietly)["candidates"]
    assert all("looks like" in way["refused"] for way in ways)
    assert "“Publish it all the same”" in ways[0]["refused"]
    said = {**request, "accept_identifier": ["staff_id"], "shape": "tree"}
    [way] = found.do("candidates", said, quietly)["candidates"]
    assert "labels that list or show its values are never published" in way["refused"]


def test_persons_are_counted_and_a_frontier_says_that_it_counts_rows(staff, tmp_path):
    found, request = desk(tmp_path, staff, public=["age", "sex"], person="staff_id")
    said = found.do("audit", request, print)["verdict"]["said"]
    assert "of 30 people" in said
    with pytest.raises(InputError, match="ways side by side"):
        found.do("search", {**request, "number": 1}, print)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"weight": {"age": 0}}, "must be a positive number"),
        ({"weight": {"age": "2"}}, "must be a positive number"),
        ({"weight": ["age"]}, "must be a mapping from names"),
        ({"own_borders": {"age": 5}}, "must be a mapping from names"),
        ({"person": 5}, "must be a text"),
        ({"accept_identifier": "age"}, "must be a list"),
        ({"transparent": "yes"}, "must be True or False"),
        ({"like_input": "perhaps"}, "unknown like input"),
    ],
)
def test_odd_choices_are_refused_in_one_line(staff, tmp_path, asked, said):
    found, request = desk(tmp_path, staff, public=["age"], **asked)
    with pytest.raises(InputError, match=said):
        found.do("candidates", request, print)


@pytest.mark.parametrize("number", [None, "1", 99, True, -1])
def test_a_way_that_is_not_there_is_refused(staff, tmp_path, number):
    found, request = desk(tmp_path, staff, public=["age"])
    with pytest.raises(InputError, match="there is no such way"):
        found.do("take", {"revision": request["revision"], "number": number}, print)


def test_ways_are_followed_taken_and_there_again_for_a_page_that_is_loaded_again(browser):
    described = browser.post("/api/open", json={"which": "given"}).json()
    asked = {"revision": described["revision"], "sensitive": ["age"], "public": ["sex", "pulse"]}
    asked |= {"kind": "candidates", "require": [{"name": "distinct-l", "wanted": 3}]}
    browser.post("/api/audit", json=asked)
    found = finished(browser, browser.post("/api/search", json=asked).json())
    assert found["state"] == "done", found["message"]
    way = next(one for one in found["frontier"]["candidates"] if not one["refused"])
    assert way["left"] >= 3
    taken = browser.post(
        "/api/take", json={"revision": described["revision"], "number": way["number"]}
    ).json()
    assert browser.get(taken["links"]["codebook"]["href"]).text.startswith("column,")
    work = browser.get("/api/session").json()
    assert work["taken"]["command"] == way["command"] == taken["command"]
    assert work["asked"]["kind"] == "candidates"


def test_each_tab_has_a_table_of_its_own(browser):
    first, second = {TAB: ""}, {TAB: "ab12"}
    browser.post("/api/open", json={"which": "given"}, headers=first)
    content = b"town,ill\nA,1\nB,2\n"
    sent = {"Content-Type": "application/octet-stream"}
    other = browser.post("/api/upload?name=towns.csv", content=content, headers={**sent, **second}).json()
    assert other["name"] == "towns.csv"
    assert browser.get("/api/session", headers=first).json()["table"]["name"] == "clinic.csv"
    assert browser.get("/api/session", headers=second).json()["table"]["name"] == "towns.csv"
    assert browser.get("/api/session", headers={TAB: "../x"}).status_code == 400


def test_who_only_knocks_takes_no_tab(browser):
    # A word that is none would be refused as such, were it looked at.
    knocked = browser.post("/api/enter", json={"token": "wrong"}, headers={TAB: "../x"})
    assert knocked.status_code == 403


def test_the_tab_that_was_left_longest_makes_room(tmp_path, monkeypatch):
    tabs = Tabs(Service(worker=Worker(tmp_path), folder=tmp_path, given=None, upload_limit=1))
    monkeypatch.setattr(Worker, "start", lambda _: None)
    kept = [tabs.of(f"{number:x}") for number in range(MOST_TABS)]
    assert len({id(one) for one in kept}) == MOST_TABS
    assert tabs.of("0") is kept[0]
    tabs.of("ff")
    assert tabs.of("0") is kept[0]
    assert tabs.of("1") is not kept[1]
    with pytest.raises(CallError, match="no word for a tab"):
        tabs.of("x" * 40)
    tabs.close()
