from __future__ import annotations

import csv
import json
import shlex
import subprocess
import sys
from importlib import import_module
from math import log2

import pytest

from hartley.cli.program import run
from hartley.examples import CLINIC_COLUMNS, clinic


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "clinic.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([CLINIC_COLUMNS, *clinic()])
    return path


def document(capsys, *arguments):
    code = run(["audit", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_json_holds_the_contracts_keys_and_the_counted_truth(table, capsys):
    code, found = document(capsys, table, "-s", "age", "-p", "cholesterol")
    ages = {row[0] for row in clinic()}
    beside: dict[int | None, set[int]] = {}
    for row in clinic():
        beside.setdefault(row[4], set()).add(row[0])
    assert code == 0
    assert found["rows"] == 300
    assert found["pairs"] == sum(map(len, beside.values()))
    assert found["sensitive"] == {"columns": ["age"], "values": len(ages)}
    assert found["public"] == {"columns": ["cholesterol"], "values": len(beside)}
    assert found["side"] is None
    assert found["h0_bits"] == log2(len(ages))
    assert found["distinct_l"] == min(map(len, beside.values()))
    assert found["l0_bits"] == log2(len(ages) / found["distinct_l"])
    assert found["i0_bits"] == log2(len(ages) / max(map(len, beside.values())))
    assert found["h0_given_public_bits"] == log2(max(map(len, beside.values())))
    assert {
        "b0_bits",
        "istar_bits",
        "components",
        "row_k",
        "independent",
        "witnesses",
        "requirements",
    } <= set(found)
    exact = [values for values in beside.values() if len(values) == 1]
    assert found["witnesses"]["narrowest_count"] == len(exact)


def test_without_public_all_other_columns_together_and_each_alone_worst_first(table, capsys):
    _, found = document(capsys, table, "-s", "age")
    assert found["public"]["columns"] == ["sex", "pain", "pressure", "cholesterol", "pulse"]
    alone = [each["public"]["columns"] for each in found["each"]]
    assert sorted(alone) == [["cholesterol"], ["pain"], ["pressure"], ["pulse"], ["sex"]]
    leaks = [each["l0_bits"] for each in found["each"]]
    assert leaks == sorted(leaks, reverse=True)


@pytest.mark.parametrize(("requirement", "code"), [("distinct-l=1", 0), ("distinct-l=5", 3), ("istar=0", 0)])
def test_a_requirement_that_does_not_hold_leaves_with_3(table, capsys, requirement, code):
    found_code, found = document(capsys, table, "-s", "age", "-p", "cholesterol", "--require", requirement)
    assert found_code == code
    assert found["requirements"][0]["holds"] is (code == 0)


def test_requirements_on_rows_are_shown_to_the_row(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text("s,x\n" + "1,1\n2,1\n" * 6172, encoding="utf-8")
    assert run(["audit", str(path), "-s", "s", "-p", "x", "--require", "row-k=12345"]) == 3
    assert "12,345 12,344 DOES NOT HOLD" in " ".join(capsys.readouterr().out.split())


def test_the_terminal_says_it_in_words(table, capsys):
    assert run(["audit", str(table), "-s", "age", "-p", "cholesterol"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "EXPOSED 97 of 300 people can have their exact age read off from cholesterol" in out
    assert "(94 of its 162 values occur with one age only)" in out
    assert "l = 1" in out


def test_no_sensitive_cell_is_shown_unless_asked(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("code,ward\nSECRET1,a\nSECRET2,b\nSECRET2,b\n")
    for arguments in ([], ["--json"], ["--require", "distinct-l=9"]):
        run(["audit", str(path), "-s", "code", "-p", "ward", *arguments])
        run(["audit", str(path), "-s", "code", "-p", "code", "-p", "ward", *arguments])
        captured = capsys.readouterr()
        assert "SECRET" not in captured.out + captured.err
    run(["audit", str(path), "-s", "code", "-p", "ward", "--disclosive"])
    assert "SECRET1" in capsys.readouterr().out


def said(tmp_path, capsys, rows):
    path = tmp_path / "table.csv"
    path.write_text("age,chol,sex\n" + rows, encoding="utf-8")
    assert run(["audit", str(path), "-s", "age", "-p", "chol", "--side", "sex"]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_what_side_information_gives_away_by_itself_is_not_put_down_to_the_public_columns(tmp_path, capsys):
    # Every man is 30, whatever his cholesterol; it halves the ages of the women.
    rows = "30,1,m\n30,2,m\n40,1,f\n50,1,f\n60,2,f\n70,2,f\n"
    words = said(tmp_path, capsys, rows)
    assert "Revealed at worst (L0) 1 bit" in words
    assert "At worst, chol leaves 50 % of the values that sex left possible." in words
    assert "For some people, chol rules out no age that sex leaves possible." in words
    rows = "40,1,f\n50,1,f\n60,2,f\n70,2,f\n"
    assert "For everyone, chol leaves no more than 50 % of what sex left possible." in said(
        tmp_path, capsys, rows
    )


def test_side_information_that_determines_everything_leaves_nothing_new_to_learn(tmp_path, capsys):
    words = said(tmp_path, capsys, "30,1,m\n30,2,m\n40,1,f\n40,2,f\n")
    assert "a reader who knows sex learns nothing new." in words
    assert "a reader learns nothing." not in words


def with_identifiers(tmp_path):
    path = tmp_path / "people.csv"
    rows = [(1000 + place, f"P{place}", *row) for place, row in enumerate(clinic())]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "name", *CLINIC_COLUMNS), *rows])
    return path


def test_without_options_the_columns_are_listed_with_what_to_type_next(tmp_path, capsys):
    path = with_identifiers(tmp_path)
    assert run(["audit", str(path)]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80 + len(str(path))
    assert "cholesterol  number               161  26 cells empty" in out
    assert "Do not publish id and name" in out
    assert "-s pulse -p age -p sex" in out
    assert "P17" not in out
    assert run(["audit", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 300
    assert [one["name"] for one in found["columns"] if one["identifier"]] == ["id", "name"]


def test_what_is_typed_next_can_be_typed(tmp_path, capsys):
    path = with_identifiers(tmp_path)
    assert run(["audit", str(path), "-s", "age"]) == 0
    out = capsys.readouterr().out
    call = out[out.index("  hartley release") :].replace("\\\n", " ").split()
    assert call[:2] == ["hartley", "release"]
    assert "id" not in call
    parsed = import_module("hartley.cli.release").command.make_context("release", call[2:])
    assert parsed.params["public"] == ("sex", "pain", "pressure", "cholesterol", "pulse")
    assert parsed.params["distinct_l"] == 5


def test_columns_that_look_like_names_are_named(tmp_path, capsys):
    path = with_identifiers(tmp_path)
    for public in (["id"], ["id", "sex"]):
        run(["audit", str(path), "-s", "age", *(word for name in public for word in ("-p", name))])
        out = " ".join(capsys.readouterr().out.split())
        assert "id looks like a name or number of persons" in out
    run(["audit", str(path), "-s", "age", "-p", "pulse", "-p", "cholesterol"])
    assert "identifier" not in capsys.readouterr().out


def test_missing_rows_are_dropped_and_counted(table, capsys):
    _, kept = document(capsys, table, "-s", "age", "-p", "cholesterol")
    _, dropped = document(capsys, table, "-s", "age", "-p", "cholesterol", "--missing", "drop")
    gone = sum(row[4] is None for row in clinic())
    assert dropped["dropped_rows"] == gone > 0
    assert dropped["rows"] == kept["rows"] - gone
    assert dropped["public"]["values"] == kept["public"]["values"] - 1


def test_side_information_is_measured(table, capsys):
    _, found = document(capsys, table, "-s", "age", "-p", "cholesterol", "--side", "sex")
    assert found["side"] == {"columns": ["sex"], "values": 2}


@pytest.mark.parametrize(
    ("content", "arguments", "says"),
    [
        (b"", ["-s", "a", "-p", "b"], "empty"),
        (b"a,b\n", ["-s", "a", "-p", "b"], "no rows"),
        (b"a,b\n1,2\n3\n", ["-s", "a", "-p", "b"], "line 3"),
        (b"a,a\n1,2\n", ["-s", "a", "-p", "a"], "twice"),
        (b"a,b\n\xff,2\n", ["-s", "a", "-p", "b"], "--encoding"),
        (b"a,b\n1,2\n", ["-s", "aa", "-p", "b"], "did you mean 'a'"),
        (b"a,b\n1,2\n", ["-s", "a", "-p", "b", "--require", "k=5"], "'distinct-l'"),
        (b"a,b\n1,2\n", ["-p", "b"], "--sensitive"),
        (b"a,b\n1,2\n", ["-s", "a", "--side", "b"], "--public"),
        (b"a,b\n1,x\n", ["-s", "a", "-p", "b", "--number", "b"], "line 2"),
    ],
)
def test_bad_input_gets_one_line_and_2(tmp_path, capsys, content, arguments, says):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    assert run(["audit", str(path), *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert says in captured.err
    assert "Traceback" not in captured.err


def test_a_file_that_is_not_there_and_a_folder(tmp_path, capsys):
    for path in (tmp_path / "nothing.csv", tmp_path):
        assert run(["audit", str(path), "-s", "a", "-p", "b"]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_tiny_tables_are_valid(tmp_path, capsys):
    path = tmp_path / "tiny.csv"
    for content in ("a,b\n1,2\n", "a,b\n1,2\n1,3\n", "a,b\n1,2\n2,2\n", "a,b\n,\n,\n"):
        path.write_text(content)
        code, found = document(capsys, path, "-s", "a", "-p", "b")
        assert code == 0
        assert found["l0_bits"] >= 0
        assert run(["audit", str(path), "-s", "a", "-p", "b"]) == 0
        capsys.readouterr()


def test_an_unknown_command_and_option_get_one_line(capsys):
    assert run(["audti"]) == 2
    assert run(["audit", "x.csv", "--sensitiv"]) == 2
    assert capsys.readouterr().err.count("\n") == 2


@pytest.mark.parametrize(
    ("arguments", "not_needed"),
    [
        (["--help"], {"numpy", "rich", "duckdb", "numba"}),
        (["audit", "TABLE", "-s", "age", "-p", "cholesterol"], {"numba", "scipy", "msgspec", "pandas"}),
    ],
)
def test_a_command_starts_without_what_it_does_not_need(table, arguments, not_needed):
    given = [str(table) if word == "TABLE" else word for word in arguments]
    code = (
        "import sys; from hartley.cli.program import run;"
        f"assert run({given!r}) == 0; loaded = {not_needed!r} & set(sys.modules);"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_stochastic_adds_the_contracts_keys(table, capsys):
    _, found = document(capsys, table, "-s", "age", "-p", "cholesterol", "--stochastic")
    assert found["stochastic"]["regime"] == "non-stochastic"
    assert found["stochastic"]["ldp_epsilon_nats"] is None
    assert found["stochastic"]["ldp_attainable"] is False
    assert list(found["stochastic"]["sibson_bits"]) == ["0", "0.5", "1", "2", "5", "inf"]
    assert run(["audit", str(table), "-s", "age", "-p", "cholesterol", "--stochastic"]) == 0
    assert "too thin for statistics" in " ".join(capsys.readouterr().out.split())


def test_the_next_call_has_the_options_that_read_text_as_numbers(tmp_path, capsys):
    path = tmp_path / "survey.csv"
    path.write_text("wages;height;sex\n" + "".join(f"{i % 7 or 'NA'};1,{i % 9};f\n" for i in range(40)))
    assert run(["audit", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.replace("\\", " ").split())
    assert said.endswith("--missing-word NA --decimal ,")


def test_of_a_long_cell_the_beginning_is_shown_and_json_has_all_of_it(tmp_path, capsys):
    path = tmp_path / "long.csv"
    path.write_text(f"note,age\n{'n' * 50_000},41\nb,41\nb,42\nb,43\n", encoding="utf-8")
    assert run(["audit", str(path), "-s", "age", "-p", "note"]) == 0
    shown = capsys.readouterr().out
    assert "(50,000 characters)" in " ".join(shown.split())
    assert shown.count("n") < 1000
    _, found = document(capsys, path, "-s", "age", "-p", "note")
    assert found["witnesses"]["narrowest"][0]["public"]["note"] == "n" * 50_000


def test_of_very_many_columns_few_are_laid_out_and_the_others_counted(tmp_path, capsys, monkeypatch):
    width = 260
    path = tmp_path / "wide.csv"
    lines = [",".join(f"c{place}" for place in range(width))]
    lines += [",".join(str(row * place % 7) for place in range(width)) for row in range(9)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    shell = import_module("hartley.cli.audit")
    sizes, laid_out = [], shell.grid

    def watched(columns, rows, **given):
        sizes.append((len(columns), len(rows)))
        return laid_out(columns, rows, **given)

    monkeypatch.setattr(shell, "grid", watched)
    assert run(["audit", str(path), "-s", "c3"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert max(columns for columns, _ in sizes) < 20
    assert max(rows for _, rows in sizes) == shell.MOST_ALONE
    assert f"And {width - 1 - shell.MOST_COLUMNS} more columns; --json shows all of them." in shown
    assert f"And {width - 1 - shell.MOST_ALONE} more columns; --json shows all of them." in shown


def test_empty_cells_of_a_secret_are_said_to_count_as_a_value(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("x,s\n" + "1,a\n2,b\n3,\n4,c\n" * 3, encoding="utf-8")
    release = ("release", str(table), str(tmp_path / "o.csv"), "--distinct-l", "3", "--overwrite")
    for call in (("audit", str(table)), release):
        assert run([*call, "-s", "s", "-p", "x"]) == 0
        said = capsys.readouterr().err
        assert "an empty cell of 's' counts as one of the values" in said
        assert "(--missing drop)" in said
        assert run([*call, "-s", "s", "-p", "x", "--missing", "drop"]) == 0
        assert "counts as one" not in capsys.readouterr().err


def test_the_release_that_is_suggested_asks_what_was_asked_of_the_audit(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + row % 120},{'fm'[row % 2]},{100 * (row % 29)},{'abcd'[row % 4]}" for row in range(240)]
    (tmp_path / "t.csv").write_text("\n".join(["age,sex,pay,state", *rows]) + "\n")

    def suggested(*asked: str) -> tuple[str, list[str]]:
        assert run(["audit", "t.csv", "-p", "age", "-p", "sex", *asked]) in (0, 3)
        said = capsys.readouterr().out.replace("\\\n", "")
        call = shlex.split(said[said.index("  hartley release") :])[1:]
        assert run([*call, "--overwrite"]) == 0
        capsys.readouterr()
        return " ".join(said.split()), call

    said, call = suggested("-s", "pay", "--tolerance", "pay=250")
    assert call[-4:] == ["--separated-l", "5", "--tolerance", "pay=250"]
    assert "at least 5 values of pay, further apart than the tolerance, possible for everyone:" in said
    said, call = suggested("-s", "pay", "--require", "distinct-l=7", "--require", "row-k=9")
    assert call[-4:] == ["--require", "distinct-l=7", "--require", "row-k=9"]
    assert "--distinct-l" not in call
    assert "To publish a version that keeps what is required:" in said
    said, call = suggested("-s", "pay", "-s", "state")
    assert "at least 3 values of pay and 3 values of state possible for everyone:" in said
    said, call = suggested("-s", "pay", "-s", "state", "--jointly", "--require", "row-k=9")
    assert call[-5:] == ["--distinct-l", "3", "--require", "row-k=9", "--jointly"]
    assert "3 combinations of pay and state possible for everyone, and keeps what is required:" in said


def test_of_several_columns_a_safe_table_keeps_what_each_has_left(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + row % 5},{'yn'[row // 5 % 2]},{'ab'[row // 10 % 2]}" for row in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["age,ill,kind", *rows]) + "\n")
    assert run(["audit", "t.csv", "-p", "age", "-s", "ill", "-s", "kind"]) == 0
    said = capsys.readouterr().out.replace("\\\n", "")
    call = shlex.split(said[said.index("  hartley release") :])[1:]
    assert call[-2:] == ["--distinct-l", "2"]
    assert run(call) == 0
