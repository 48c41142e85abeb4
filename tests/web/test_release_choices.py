"""What the command line's release can do, the app can: kept and harmless columns, order, earlier releases."""

from __future__ import annotations

import csv
import io
import json
from types import SimpleNamespace

import pytest

import hartley
from hartley import Target, verify
from hartley.cli.program import run
from hartley.web import page_json
from web_door import FILES, LIMIT, finished, opened


def frontier_of(browser, **asked) -> tuple[dict, dict]:
    given = {**opened(browser), "search": "greedy", **asked}
    found = finished(browser, browser.post("/api/search", json=given).json())
    assert found["state"] == "done", found["message"]
    return given, found["frontier"]


def place_with(frontier: dict, distinct_l: int) -> int:
    return next(i for i, point in enumerate(frontier["points"]) if point["distinct_l"] >= distinct_l)


def released(browser, asked: dict, place: int, **choices) -> tuple[dict, list[dict[str, str]]]:
    answer = browser.post("/api/release", json={"revision": asked["revision"], "point": place, **choices})
    assert answer.status_code == 200, answer.text
    made = answer.json()
    text = browser.get(made["links"]["table"]["href"]).text
    return made, list(csv.DictReader(io.StringIO(text)))


def test_the_point_chosen_beside_a_kept_column_is_the_point_released(browser):
    asked, frontier = frontier_of(browser, keep=["sex"], harmless=["pulse"], exposure="accept")
    place = place_with(frontier, 4)
    seen = browser.post("/api/look", json={"revision": asked["revision"], "point": place}).json()
    assert "with sex beside it, leaves at least" in seen["about"]
    made, rows = released(browser, asked, place)
    assert made["release"]["point"] == frontier["points"][place]
    after = made["release"]["after"]
    assert after["distinct_l"] == frontier["points"][place]["distinct_l"] == seen["after"]["distinct_l"]
    # The reader of the file learns more than the recoded column adds to the kept one; that is what is said.
    assert after["l0_bits"] == pytest.approx(frontier["reader_bits"][place])
    assert after["l0_bits"] == pytest.approx(seen["after"]["l0_bits"])
    assert after["l0_bits"] >= frontier["points"][place]["leakage_bits"]
    assert set(rows[0]) == {"sex", "cholesterol", "pulse"}
    assert made["release"]["after_all"]["distinct_l"] < after["distinct_l"]
    assert [reader["who"] for reader in made["readers"]] == [
        "of cholesterol and sex as the table has it",
        "of the release",
        "of every column in the file, harmless ones too",
    ]
    assert made["warning"].startswith("Do not publish yet: with pulse included, ")
    assert "fully exposed" in made["warning"]
    assert made["readers"][2]["candidates"] == str(made["release"]["after_all"]["distinct_l"])
    assert made["holds"] == [
        "The file holds cholesterol, recoded; sex, unchanged; pulse, unchanged and harmless on your word."
    ]


def test_app_and_command_line_release_the_same_with_kept_and_harmless_columns(
    browser, clinic_csv, tmp_path, capsys
):
    asked, frontier = frontier_of(browser, keep=["sex"], harmless=["pulse"], exposure="accept")
    made, rows = released(browser, asked, place_with(frontier, 4))
    out = tmp_path / "out.csv"
    command = ["release", str(clinic_csv), str(out), "-s", "age", "-p", "cholesterol", "--keep", "sex"]
    command += [
        "--accept-exposure",
        "--harmless",
        "pulse",
        "--distinct-l",
        "4",
        "--search",
        "greedy",
        "--json",
    ]
    assert run(command) == 0
    other = json.loads(capsys.readouterr().out)
    for key in ("point", "before", "after", "after_all", "columns", "rows"):
        assert made["release"][key] == other[key], key
    with out.open(newline="", encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    assert sorted(map(str, rows)) == sorted(map(str, written))


def test_the_audit_is_of_a_reader_of_recoded_and_kept_columns(browser, clinic_csv):
    found = browser.post(
        "/api/audit", json={**opened(browser), "keep": ["sex"], "harmless": ["pulse"]}
    ).json()
    expected = hartley.audit(clinic_csv, sensitive="age", public=["cholesterol", "sex"]).to_dict()
    assert found["audit"] == json.loads(json.dumps(expected))
    assert "A reader of cholesterol and sex" in found["about"]


def test_the_protected_column_is_published_only_where_it_is_asked_for(browser):
    asked, frontier = frontier_of(browser, publish_sensitive=True)
    made, rows = released(browser, asked, place_with(frontier, 3))
    assert set(rows[0]) == {"age", "cholesterol"}
    assert "which row belongs to somebody of whom only cholesterol is known" in made["holds"][1]
    asked, frontier = frontier_of(browser)
    made, rows = released(browser, asked, place_with(frontier, 3))
    assert set(rows[0]) == {"cholesterol"}
    assert len(made["holds"]) == 1
    assert made["warning"] is None


def test_the_order_of_the_rows_is_kept_only_where_it_is_asked_for(browser, clinic_csv):
    with clinic_csv.open(newline="", encoding="utf-8") as file:
        original = [row["sex"] for row in csv.DictReader(file)]
    for keep_order in (True, False):
        asked, frontier = frontier_of(browser, keep=["sex"], keep_order=keep_order)
        made, rows = released(browser, asked, place_with(frontier, 3))
        assert ([row["sex"] for row in rows] == original) == keep_order
        said = "are in the order of the original" if keep_order else "were put in a random order"
        assert said in made["said"]


def test_a_missing_number_takes_the_place_it_is_given(browser):
    asked, frontier = frontier_of(browser, missing_at=200, codeword="member")
    place = len(frontier["points"]) - 1
    seen = browser.post("/api/look", json={"revision": asked["revision"], "point": place}).json()
    made, _ = released(browser, asked, place)
    # The preview names released values as the release does.
    lines = [[one["released"] for one in page["codebook"]["lines"]] for page in (seen, made)]
    assert lines[0] == lines[1]
    assert made["release"]["point"] == frontier["points"][place]
    policy = json.loads(browser.get(made["links"]["policy"]["href"]).content)
    assert policy["choices"]["missing_at"] == 200
    assert policy["choices"]["codeword"] == "member"
    merged = [one for one in policy["clusters"] if [None] in one["members"]]
    assert len(merged[0]["members"]) > 1


@pytest.mark.parametrize("labels", ["midpoint", "centroid", "member", "interval", "set"])
def test_every_kind_of_label_can_be_written(browser, labels):
    asked, frontier = frontier_of(browser)
    made, _ = released(browser, asked, place_with(frontier, 3), labels=labels)
    policy = json.loads(browser.get(made["links"]["policy"]["href"]).content)
    assert policy["choices"]["labels"] == labels


def policy_of(tmp_path, clinic_csv, **asked) -> bytes:
    made = hartley.release(
        clinic_csv, tmp_path / "first.csv", target=Target("distinct_l", 3), sensitive="age", **asked
    )
    return made.policy.read_bytes()


def add(browser, content: bytes, revision, name: str = "first.policy.json"):
    return browser.post("/api/earlier", params={"name": name, "revision": revision}, content=content)


def test_an_earlier_release_is_counted_with_the_new_one(browser, clinic_csv, service, tmp_path):
    content = policy_of(tmp_path, clinic_csv, public="pressure", search="greedy")
    asked = opened(browser)
    added = add(browser, content, asked["revision"])
    assert added.status_code == 200, added.text
    assert added.json()["columns"] == ["pressure"]
    # The policy holds a codebook and a key; no copy of it stays behind.
    assert not list(service.folder.glob("*.json"))
    asked = {**asked, "earlier": [added.json()["word"]], "search": "greedy"}
    about = browser.post("/api/audit", json=asked).json()["about"]
    assert "A reader of this table and of 1 earlier release learns about age" in about
    found = finished(browser, browser.post("/api/search", json=asked).json())
    assert found["state"] == "done", found["message"]
    frontier = found["frontier"]
    policy = tmp_path / "first.policy.json"
    expected = hartley.frontier(
        clinic_csv, sensitive="age", public="cholesterol", earlier=[policy], search="greedy"
    )
    assert frontier["points"] == json.loads(json.dumps(expected.to_dict()["points"]))
    place = len(frontier["points"]) - 1
    made, _ = released(browser, asked, place)
    assert made["release"]["together"]["distinct_l"] == frontier["points"][place]["distinct_l"]
    assert made["release"]["together"]["l0_bits"] == pytest.approx(frontier["reader_bits"][place])
    assert made["readers"][-1]["who"] == "of the release and the earlier ones"
    files = {}
    for word in ("table", "policy", "certificate"):
        files[word] = tmp_path / made["links"][word]["name"]
        files[word].write_bytes(browser.get(made["links"][word]["href"]).content)
    checked = verify(
        files["table"],
        original=clinic_csv,
        policy=files["policy"],
        certificate=files["certificate"],
        earlier=[policy],
    )
    assert checked.holds
    report = browser.post("/api/report", json={"revision": asked["revision"], "point": place}).json()
    page = browser.get(report["links"]["report"]["href"]).text
    assert "--earlier first.policy.json" in page
    assert "earlier release 1" in page


@pytest.mark.parametrize("content", [b"", b"{}", b"not json", b'{"format": "hartley policy", "version": 9}'])
def test_what_is_no_policy_is_refused_in_one_line(browser, content):
    answer = add(browser, content, opened(browser)["revision"])
    assert answer.status_code == 422
    assert "\n" not in answer.json()["error"]
    assert "internal error" not in answer.json()["error"]
    assert "upload-" not in answer.json()["error"]


def test_a_policy_that_is_too_large_or_comes_from_elsewhere_is_refused(browser, service):
    revision = opened(browser)["revision"]
    before = set(service.folder.iterdir())
    assert add(browser, b" " * (LIMIT + 1), revision).status_code == 413
    assert add(browser, b"{}", revision, name="../../../etc/passwd").status_code == 422
    elsewhere = {"Origin": "http://evil.example"}
    answer = browser.post("/api/earlier", params={"revision": revision}, content=b"{}", headers=elsewhere)
    assert answer.status_code == 403
    assert set(service.folder.iterdir()) == before


def test_a_policy_of_another_table_is_refused(browser, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("place,age\n1,2\n2,3\n3,4\n")
    content = policy_of(tmp_path, other, public="place", utility="resolution")
    answer = add(browser, content, opened(browser)["revision"])
    assert answer.status_code == 422
    assert "place" in answer.json()["error"]


def test_the_same_policy_is_not_counted_twice(browser, clinic_csv, tmp_path):
    content = policy_of(tmp_path, clinic_csv, public="pressure", search="greedy")
    revision = opened(browser)["revision"]
    assert add(browser, content, revision).status_code == 200
    assert "counted already" in add(browser, content, revision).json()["error"]


def test_a_policy_belongs_to_the_table_it_was_added_to(browser, clinic_csv, tmp_path):
    content = policy_of(tmp_path, clinic_csv, public="pressure", search="greedy")
    asked = opened(browser)
    word = add(browser, content, asked["revision"]).json()["word"]
    assert add(browser, content, "0").status_code == 422
    assert add(browser, content, "x").status_code == 422
    answer = browser.post("/api/audit", json={**opened(browser), "earlier": [word]})
    assert answer.status_code == 422
    assert "add its policy again" in answer.json()["error"]


def test_a_new_release_does_not_stand_beside_the_report_of_another_point(browser):
    asked, frontier = frontier_of(browser)
    first, _ = released(browser, asked, 1)
    made = browser.post("/api/report", json={"revision": asked["revision"], "point": 1}).json()
    assert "report" in made["links"]
    second, _ = released(browser, asked, place_with(frontier, 4))
    assert set(second["links"]) == FILES
    assert browser.get("/download/report").status_code == 404
    assert first["release"]["sha256"]["output"] != second["release"]["sha256"]["output"]


def test_the_report_repeats_the_choices_as_a_command(browser):
    asked, frontier = frontier_of(
        browser, keep=["sex"], missing_at=200.5, codeword="member", utility="distortion"
    )
    place = place_with(frontier, 3)
    made = browser.post("/api/report", json={"revision": asked["revision"], "point": place}).json()
    page = browser.get(made["links"]["report"]["href"]).text
    assert "--keep sex --leakage l0 --utility distortion --codeword member --search greedy" in page
    assert "--missing-at 200.5" in page
    assert "beyond what sex tells" in page
    assert "<dt>Seen beside it, as it is</dt><dd>sex</dd>" in page


def test_a_column_that_is_harmless_gives_no_warning(browser):
    content = "x,s,h\n" + "".join(f"{x},{s},same\n" for x in range(6) for s in range(x % 3 + 1))
    opened = browser.post("/api/upload", params={"name": "t.csv"}, content=content.encode()).json()
    asked = {"revision": opened["revision"], "sensitive": ["s"], "public": ["x"], "harmless": ["h"]}
    finished(browser, browser.post("/api/search", json=asked).json())
    made, _ = released(browser, asked, 1)
    assert made["warning"] is None


def test_the_page_warns_of_cells_that_a_spreadsheet_would_run():
    made = SimpleNamespace(formula_cells={"note": 2})
    (told,) = page_json._formulas(made, SimpleNamespace(defuse_formulas=False))
    assert told.startswith("Careful: 2 cells of 'note' begin as formulas do")
    assert "tick “Put a quote before cells that a spreadsheet would run”" in told
    defused = SimpleNamespace(defuse_formulas=True)
    (told,) = page_json._formulas(made, defused)
    assert told == "2 cells of 'note' begin as formulas do; each has a quote before it."
    assert page_json._formulas(SimpleNamespace(formula_cells={}), defused) == []


def test_formulas_are_defused_where_that_is_asked_for(browser):
    content = "x,s,k\n" + "".join(f"{x},{s},=cmd()\n" for x in range(4) for s in range(3))
    opened = browser.post("/api/upload", params={"name": "t.csv"}, content=content.encode()).json()
    asked = {"revision": opened["revision"], "sensitive": ["s"], "public": ["x"], "keep": ["k"]}
    for defuse_formulas, cell in ((False, "=cmd()"), (True, "'=cmd()")):
        asked["defuse_formulas"] = defuse_formulas
        finished(browser, browser.post("/api/search", json=asked).json())
        made, rows = released(browser, asked, 0)
        assert {row["k"] for row in rows} == {cell}
        assert any("12 cells of 'k'" in said for said in made["holds"])
