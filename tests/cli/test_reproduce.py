from __future__ import annotations

import json

import pytest

from hartley.cli.program import run


def test_without_data_the_toy_is_reproduced_and_a_sentence_says_what_is_missing(capsys):
    assert run(["reproduce"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "65 values: 48 as printed, 17 misprints whose corrected value holds." in shown
    assert "Give UCI's processed.hungarian.data with --data" in shown
    assert "What cannot be reproduced from the text" in shown


def test_the_json_is_one_document(capsys):
    assert run(["reproduce", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["holds"] is True
    assert found["experiment"] is None
    by_key = {check["key"]: check for check in found["checks"]}
    assert by_key["fig1.u1.1"]["printed"] == "1.282"
    assert by_key["fig1.u1.1"]["corrected"] == "1.2182"
    assert by_key["fig1.u1.1"]["verdict"] == "misprint, corrected value holds"
    assert by_key["1.istar"]["verdict"] == "as printed"


def test_a_folder_gets_tables_and_figures(tmp_path, capsys):
    pytest.importorskip("altair")
    folder = tmp_path / "new" / "paper"
    assert run(["reproduce", "-o", str(folder)]) == 0
    capsys.readouterr()
    assert sorted(path.name for path in folder.iterdir()) == [
        "convergence_algorithm_1.svg",
        "convergence_algorithm_2.svg",
        "frontier_toy.svg",
        "reproduction.json",
        "reproduction.md",
    ]
    assert json.loads((folder / "reproduction.json").read_text("utf-8"))["holds"] is True
    assert (folder / "frontier_toy.svg").read_text("utf-8").startswith("<svg")


def test_a_value_that_differs_is_answered_with_no(monkeypatch, capsys):
    from hartley.paper import reproduce as reproducing
    from hartley.paper.printed_values import TOY, Printed

    wrong = tuple(Printed("1.istar", "Example 1", "I*", "3") if v.key == "1.istar" else v for v in TOY)
    monkeypatch.setattr(reproducing, "TOY", wrong)
    assert run(["reproduce"]) == 3
    assert "1 that differ from both" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--data", "nowhere.csv"], "no file of the paper's data 'nowhere.csv'"),
        (["--data", "x", "--download"], "not both"),
        (["--download"], "there is no terminal to ask on"),
    ],
)
def test_a_wrong_call_is_answered_in_one_line(capsys, monkeypatch, arguments, said):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert run(["reproduce", *arguments]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert len(shown.err.strip().splitlines()) == 1


def test_another_table_is_refused(tmp_path, capsys):
    other = tmp_path / "other.csv"
    other.write_text("age,chol\n30,180\n", encoding="utf-8")
    assert run(["reproduce", "--data", str(other)]) == 2
    assert "for another table use hartley compare" in capsys.readouterr().err


def test_a_no_fetches_nothing(monkeypatch, capsys):
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return "n\n"

    def never(*_: object, **__: object):
        raise AssertionError("the network was used without a yes")

    monkeypatch.setattr("hartley.paper.heart_data.urlopen", never)
    monkeypatch.setattr("hartley.cli.reproduce.sys.stdin", Terminal())
    assert run(["reproduce", "--download"]) == 0
    shown = capsys.readouterr()
    assert "nothing was fetched" in shown.err
    assert "was not run" in shown.out


def test_a_folder_that_cannot_be_made_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert run(["reproduce", "-o", str(tmp_path / "file" / "under")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_the_frontier_can_be_drawn(tmp_path):
    from hartley.cli.program import run

    picture = tmp_path / "toy.svg"
    assert run(["reproduce", "--plot", str(picture)]) == 0
    assert picture.read_text(encoding="utf-8").startswith("<svg")
