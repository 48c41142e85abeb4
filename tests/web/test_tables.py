"""Tables go in by upload or by a word, never by a path from the browser."""

from __future__ import annotations

import io
import json

import pytest

import hartley
from hartley.tables.locations import ENDINGS, PACKED_KINDS
from hartley.tables.text_files import PACKINGS as READ_PACKINGS
from hartley.web.uploads import KINDS, PACKINGS, TEXT
from hartley.workflow.describe_table import describe
from web_door import LIMIT, finished, opened


def upload(browser, content: bytes, name: str = "table.csv"):
    return browser.post("/api/upload", params={"name": name}, content=content)


def test_the_kinds_of_file_are_those_that_the_readers_know():
    assert set(KINDS) == set(ENDINGS), "hartley.web.uploads.KINDS lists what hartley.tables.locations reads"
    assert set(TEXT) == {ending for ending, kind in ENDINGS.items() if kind in PACKED_KINDS}
    assert set(PACKINGS) == set(READ_PACKINGS)


def test_an_uploaded_table_is_described(browser):
    described = upload(browser, b"age,sex\n30,f\n41,\n").json()
    assert (described["name"], described["rows"]) == ("table.csv", 2)
    assert described["columns"][1] == {
        "name": "sex",
        "kind": "text",
        "values": 1,
        "missing": 1,
        "examples": ["f"],
    }


def test_the_table_of_the_command_line_is_opened_by_a_word(browser, clinic_csv):
    described = browser.post("/api/open", json={"which": "given"}).json()
    assert described["name"] == "clinic.csv"
    assert described["columns"] == describe(clinic_csv).to_dict()["columns"]


@pytest.mark.parametrize(
    "which", ["/etc/passwd", "../clinic.csv", None, 3, ["given"], {"path": "/etc/passwd"}, "path"]
)
def test_no_path_from_the_browser_is_opened(browser, which):
    answer = browser.post("/api/open", json={"which": which, "path": "/etc/passwd", "name": "/etc/passwd"})
    assert answer.status_code == 404
    assert "passwd" not in answer.text


@pytest.mark.parametrize(
    "name",
    ["../../evil.csv", "/etc/cron.d/evil.csv", "..\\evil.csv", "a\x00b.csv", "con.csv", "x" * 500 + ".csv"],
)
def test_a_name_from_the_browser_is_no_path(browser, service, name):
    answer = upload(browser, b"a,b\n1,2\n", name)
    assert answer.status_code == 200
    assert "/" not in answer.json()["name"]
    assert "\\" not in answer.json()["name"]
    assert {path.name.split("-")[0] for path in service.folder.iterdir() if "evil" in path.name} == set()


def test_only_the_last_upload_is_kept(browser, service):
    for _ in range(3):
        assert upload(browser, b"a,b\n1,2\n").status_code == 200
    kept = list(service.folder.glob("upload-*"))
    assert len(kept) == 1
    assert kept[0].stat().st_mode & 0o077 == 0


def test_a_file_that_is_too_large_is_refused_and_not_kept(browser, service):
    before = set(service.folder.iterdir())
    answer = upload(browser, b"a\n" * LIMIT)
    assert answer.status_code == 413
    assert answer.json()["error"] == "the file is larger than 200 kB, the most that is taken"
    assert set(service.folder.iterdir()) == before


def test_a_file_that_hides_its_size_is_cut_off_at_the_limit(browser, service):
    before = set(service.folder.iterdir())

    def chunks():
        for _ in range(100):
            yield b"1234567\n" * 1000

    answer = browser.post("/api/upload", params={"name": "a.csv"}, content=chunks())
    assert answer.status_code == 413
    assert set(service.folder.iterdir()) == before


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "a.csv", "the file is empty"),
        (b"%PDF-1.4", "a.pdf", "must end in one of"),
        (b"a,b\n1\n", "a.csv", "line 2"),
        (b"\xff\xfe\x00\x00binary", "a.csv", ""),
        (b"not parquet", "a.parquet", ""),
        (b"{broken", "a.jsonl", ""),
    ],
)
def test_a_wrong_file_is_refused_in_one_line_and_not_kept(browser, service, content, name, said):
    before = set(service.folder.iterdir())
    answer = upload(browser, content, name)
    assert answer.status_code == 422
    assert said in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
    assert "internal error" not in answer.json()["error"]
    assert set(service.folder.iterdir()) == before


def test_after_a_wrong_file_the_table_before_is_still_there(browser):
    opened = browser.post("/api/open", json={"which": "example"}).json()
    assert upload(browser, b"").status_code == 422
    asked = {"revision": opened["revision"], "sensitive": ["age"], "public": ["cholesterol"]}
    assert browser.post("/api/audit", json=asked).status_code == 200


def test_the_audit_is_that_of_the_workflow(browser, clinic_csv):
    opened = browser.post("/api/open", json={"which": "given"}).json()
    asked = {"revision": opened["revision"], "sensitive": ["age"], "public": ["cholesterol"], "side": ["sex"]}
    found = browser.post("/api/audit", json=asked).json()["audit"]
    expected = hartley.audit(clinic_csv, sensitive="age", public="cholesterol", side="sex").to_dict()
    assert found == json.loads(json.dumps(expected))


@pytest.mark.parametrize(
    ("content", "said", "reading"),
    [
        ("age,Stra\xdfe\n1,\xfc\n".encode("latin-1"), "line 1 is not UTF-8", {"encoding": "latin-1"}),
        ("age,place\n1,2\n".encode("utf-16"), "“UTF-16” for “Encoding”", {"encoding": "utf-16"}),
    ],
)
def test_a_file_written_another_way_is_read_when_the_page_says_how(browser, content, said, reading):
    refused = upload(browser, content, "mine.csv").json()["error"]
    assert said in refused
    assert "mine.csv: " in refused
    assert "\u201cHow the file is read\u201d" in refused
    assert "--" not in refused
    answer = browser.post("/api/upload", params={"name": "mine.csv", **reading}, content=content)
    assert len(answer.json()["columns"]) == 2


def workbook(*sheets: tuple[str, list[list]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl", reason="writes the workbook")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def test_a_workbook_offers_its_sheets(browser):
    people = [["age", "place"], [30, "a"], [41, "b"]]
    others = [["size", "colour", "mixed"], [1, "red", 1], [2, "blue", "x"]]
    described = upload(browser, workbook(("People", people), ("A & B", others)), "two.xlsx").json()
    assert (described["sheets"], described["sheet"]) == (["People", "A & B"], "People")
    asked = {"which": "again", "revision": described["revision"], "reading": {"sheet": "A & B"}}
    described = browser.post("/api/open", json=asked).json()
    assert [column["name"] for column in described["columns"]] == ["size", "colour", "mixed"]
    assert (described["sheet"], described["name"]) == ("A & B", "two.xlsx")
    # A column of mixed cells can be read as text.
    assert described["columns"][2]["kind"] is None
    asked["revision"], asked["reading"]["text"] = described["revision"], ["mixed"]
    described = browser.post("/api/open", json=asked).json()
    assert described["columns"][2]["kind"] == "text"
    asked = {"revision": described["revision"], "sensitive": ["size"], "public": ["mixed"]}
    assert browser.post("/api/audit", json=asked).json()["audit"]["rows"] == 2


def test_a_first_sheet_of_remarks_does_not_hide_the_others(browser):
    content = workbook(("Remarks", [["read me"]]), ("People", [["age", "place"], [30, "a"], [41, "b"]]))
    described = upload(browser, content, "two.xlsx").json()
    assert (described["sheet"], described["rows"]) == ("People", 2)
    answer = upload(browser, workbook(("Remarks", [["read me"]])), "one.xlsx")
    assert answer.status_code == 422
    assert "a header but no rows" in answer.json()["error"]


@pytest.mark.parametrize(
    "reading",
    [
        {"sheet": "none"},
        {"sheet": 3},
        {"delimiter": ";;"},
        {"encoding": "klingon"},
        ["utf-8"],
        {"text": "age"},
    ],
)
def test_a_way_of_reading_that_makes_no_sense_leaves_the_table_as_it_was(browser, reading):
    opened = browser.post("/api/open", json={"which": "given"}).json()
    asked = {"which": "again", "revision": opened["revision"], "reading": reading}
    answer = browser.post("/api/open", json=asked)
    assert answer.status_code == 422
    assert "internal error" not in answer.json()["error"]
    asked = {"revision": opened["revision"], "sensitive": ["age"], "public": ["cholesterol"]}
    assert browser.post("/api/audit", json=asked).status_code == 200


@pytest.mark.parametrize(
    ("content", "said"), [(b"age,place\n", "no rows"), (b"\n\n", "empty"), (b'"a\nb",c\n1,2\n', "line break")]
)
def test_a_table_without_rows_or_names_is_refused(browser, content, said):
    answer = upload(browser, content)
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_a_single_column_is_both_protected_and_published_or_nothing(browser):
    opened = upload(browser, b"age\n1\n2\n").json()
    asked = {"revision": opened["revision"], "sensitive": ["age"], "public": ["age"]}
    assert browser.post("/api/audit", json=asked).json()["audit"]["distinct_l"] == 1
    assert browser.post("/api/audit", json={**asked, "public": []}).status_code == 422


@pytest.mark.parametrize(
    "roles",
    [
        {"public": ["age", "age"], "sensitive": ["place"]},
        {"public": ["age"], "sensitive": ["place"], "keep": ["k", "k"]},
        {"public": ["age"], "sensitive": ["place"], "keep": ["k"], "harmless": ["k"]},
        {"public": ["age"], "sensitive": ["place"], "harmless": ["place"]},
        {"public": ["age"], "sensitive": ["place"], "keep": ["age"]},
    ],
    ids=str,
)
def test_a_column_in_two_roles_is_refused_before_anything_is_searched(browser, roles):
    opened = upload(browser, b"age,place,k\n1,2,3\n3,4,5\n1,3,2\n").json()
    answer = browser.post("/api/audit", json={"revision": opened["revision"], **roles})
    assert answer.status_code == 422
    assert "--" not in answer.json()["error"]


def test_names_with_breaks_quotes_and_markup_go_all_the_way(browser):
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["a\nb", "<b>\"c'", "k,;\t$(x)"]
    content = io.BytesIO()
    pq.write_table(
        pa.table({names[0]: [1, 2, 3] * 4, names[1]: list("xyzu") * 3, names[2]: [1, 2] * 6}), content
    )
    opened = upload(browser, content.getvalue(), "odd.parquet").json()
    asked = {"revision": opened["revision"], "public": names[:1], "sensitive": names[1:2], "keep": names[2:]}
    assert browser.post("/api/audit", json=asked).status_code == 200
    found = finished(browser, browser.post("/api/search", json=asked).json())
    last = {"revision": opened["revision"], "point": len(found["frontier"]["points"]) - 1}
    for path in ("/api/look", "/api/release", "/api/report"):
        answer = browser.post(path, json=last)
        assert answer.status_code == 200, answer.text
    released = browser.get("/download/table").content
    assert set(pq.read_table(io.BytesIO(released)).column_names) == {names[0], names[2]}
    assert '<b>"c' not in browser.get("/download/report").text


def test_a_page_about_an_older_table_is_told_so(browser):
    opened = browser.post("/api/open", json={"which": "example"}).json()
    browser.post("/api/open", json={"which": "example"})
    asked = {"revision": opened["revision"], "sensitive": ["age"], "public": ["cholesterol"]}
    answer = browser.post("/api/audit", json=asked)
    assert answer.status_code == 422
    assert "another table has been opened" in answer.json()["error"]


@pytest.mark.parametrize(
    "asked",
    [
        {"sensitive": "age"},
        {"sensitive": [1]},
        {"sensitive": [], "public": []},
        {"sensitive": ["nothing"], "public": ["age"]},
    ],
)
def test_roles_that_make_no_sense_are_refused_in_one_line(browser, asked):
    opened = browser.post("/api/open", json={"which": "example"}).json()
    answer = browser.post("/api/audit", json={"revision": opened["revision"], **asked})
    assert answer.status_code == 422
    assert "internal error" not in answer.json()["error"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"which=example", "application/x-www-form-urlencoded", 415),
        (b"[" * 100_000, "application/json", 400),
        (b" " * 300_000, "application/json", 413),
    ],
)
def test_anything_but_a_small_json_object_is_refused(browser, content, kind, status):
    assert browser.post("/api/open", content=content, headers={"Content-Type": kind}).status_code == status


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/download/..%2f..%2fetc%2fpasswd",
        "/download/../../etc/passwd",
    ],
)
def test_no_file_outside_ours_is_given(browser, path):
    answer = browser.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize("path", [3, True, [], ["x"], {"a": 1}, 1e300, "/etc/passwd", None, "\x00"])
def test_a_path_in_a_request_is_no_path_whatever_it_is(browser, path):
    asked = {**opened(browser), "path": path, "name": path, "sensitive": ["absent"]}
    for call in ("audit", "look", "release", "report"):
        answer = browser.post(f"/api/{call}", json=asked)
        assert 400 <= answer.status_code < 500, answer.text
        assert "internal error" not in answer.text


def test_how_a_table_was_read_is_noted_and_can_be_said_otherwise(browser):
    content = b"age;size;place\n30;1,5;NA\n41;2,5;3\n30;NA;4\n"
    sent = {"Content-Type": "application/octet-stream"}
    opened = browser.post("/api/upload", params={"name": "eu.csv"}, content=content, headers=sent).json()
    assert [column["kind"] for column in opened["columns"]] == ["number", "text", "text"]
    assert opened["notes"][0].startswith("eu.csv: the header has semicolons")
    assert "“comma, as in 3,5” for “Decimal sign” under “How the file is read”" in " ".join(opened["notes"])
    how = {"decimal": ",", "missing_words": "NA, .; 999,0"}
    again = {"which": "again", "revision": opened["revision"], "reading": how}
    opened = browser.post("/api/open", json=again).json()
    assert [column["kind"] for column in opened["columns"]] == ["number"] * 3
    assert opened["reading"]["missing_words"] == ["NA", ".", "999,0"]
