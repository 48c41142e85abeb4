"""A study as a file: what was typed is saved, and the file says it again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from hartley.cli import study_file
from hartley.cli.manual import MOST_LINES
from hartley.cli.program import COMMANDS, run
from hartley.workflow.request.declared_options import examples_of

TABLE = "age,chol,sex\n" + "".join(f"{30 + i % 11},{180 + 7 * i},{'mf'[i % 2]}\n" for i in range(40))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clinic.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path


def test_a_saved_study_makes_the_same_release_again(folder: Path) -> None:
    (folder / "studies").mkdir()
    asked = ["-s", "age", "-p", "chol", "--distinct-l", "3", "--withhold", "5%", "--labels", "midpoint"]
    saved = "studies/hartley.toml"
    assert run(["release", "clinic.csv", "out.csv", *asked, "--save-study", saved]) == 0
    said = (folder / saved).read_text(encoding="utf-8")
    assert 'table = "../clinic.csv"' in said
    assert "[requirements]\ndistinct-l = 3\n" in said
    first = sorted((folder / "out.csv").read_bytes().splitlines())
    assert run(["release", "--study", saved, "--overwrite"]) == 0
    assert sorted((folder / "out.csv").read_bytes().splitlines()) == first
    # What is typed replaces what the file says, and the table is meant from the folder of the file.
    assert run(["release", "--study", saved, "clinic.csv", "wide.csv", "--distinct-l", "9"]) == 0
    assert sorted((folder / "wide.csv").read_bytes().splitlines()) != first
    os.chdir(folder / "studies")
    assert run(["audit", "--study", "hartley.toml"]) == 0


def test_lists_tables_and_switches_are_options(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "s.toml").write_text(
        'table = "clinic.csv"\nout = "o.csv"\n[columns]\nsensitive = ["age"]\npublic = ["chol", "sex"]\n'
        '[requirements]\nrequire = ["row-k=4"]\ntolerance = {age = 2}\n'
        "[output]\noverwrite = true\nas_it_is = 1\n",
        encoding="utf-8",
    )
    assert run(["release", "--study", "s.toml"]) == 2
    assert "unknown key 'as_it_is'" in capsys.readouterr().err
    text = (folder / "s.toml").read_text(encoding="utf-8").replace("as_it_is = 1\n", "transparent = true\n")
    (folder / "s.toml").write_text(text, encoding="utf-8")
    assert run(["release", "--study", "s.toml"]) == 2
    assert "'transparent' in [output]; it belongs in [shape]" in capsys.readouterr().err
    (folder / "s.toml").write_text(text.replace("transparent = true\n", ""), encoding="utf-8")
    assert run(["release", "--study", "s.toml", "--json"]) == 0
    assert '"row-k' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("distinct-k = 3", "did you mean 'distinct-l'?"),
        ("distinct-l = [3, 4]", "needs one value, not a list"),
        ("distinct-l = true", "needs a value, not true"),
        ("overwrite = 3", "is true or false"),
        ("columns = 3", "'columns' is a section"),
        ("sensitive = [", "is not a study in TOML"),
        ("sensitive = [[1]]", "needs text or a number"),
        ("study = 'x'", "unknown key 'study'"),
    ],
)
def test_a_file_that_says_nonsense_is_refused_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str, said: str
) -> None:
    (folder / "s.toml").write_text(content, encoding="utf-8")
    assert run(["release", "clinic.csv", "o.csv", "-p", "chol", "--study", "s.toml"]) == 2
    refusal = capsys.readouterr().err
    assert said in refusal
    assert refusal.count("\n") == 1
    assert not (folder / "o.csv").exists()


def test_studies_are_not_overwritten_and_come_from_files(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "s.toml").write_text("", encoding="utf-8")
    assert run(["audit", "clinic.csv", "--save-study", "s.toml"]) == 2
    assert run(["audit", "clinic.csv", "--save-study", "absent/s.toml"]) == 2
    assert run(["audit", "clinic.csv", "--study", "absent.toml"]) == 2
    assert run(["audit", "clinic.csv", "-s", "absent", "-p", "chol", "--save-study", "new.toml"]) == 2
    assert not (folder / "new.toml").exists()
    assert capsys.readouterr().err.count("\n") == 4


def calls() -> Iterator[str]:
    for name in COMMANDS:
        for call, _ in examples_of(name):
            yield call.replace("\\\n", " ").partition(" > ")[0].removeprefix("hartley ")
    yield "audit clinic.csv --against before.csv --hierarchy town=towns.csv --counts counts.csv"
    yield "audit --published counts.csv --published /tmp/more.csv"
    yield "release clinic.csv o.csv -p town --order size=auto --order town=towns.txt --reference last.csv"
    yield "release clinic.csv o.csv -s age --plot p.svg --earlier a.policy.json --transparent"
    yield "compare clinic.csv -s age --release other.csv --hierarchy town=towns.csv --plot p.svg"
    yield "verify o.csv --public-values v.csv --original clinic.csv --policy o.policy.json"
    yield "export o.policy.json --to sql --table patients"
    yield "serve clinic.csv --no-open"


@pytest.mark.parametrize("call", [*calls()])
def test_every_command_is_called_the_same_by_the_file_it_saved(folder: Path, call: str) -> None:
    name, *words = shlex.split(call)
    command = import_module(f"hartley.cli.{name}").command
    if isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    (folder / "studies").mkdir()
    typed = command.make_context(name, list(words))
    study_file.save(typed, "studies/s.toml")
    read = command.make_context(name, ["--study", "studies/s.toml"])
    assert read.params == typed.params
    if "clinic.csv" in words:
        assert 'table = "../clinic.csv"' in (folder / "studies/s.toml").read_text() or name == "verify"


def test_the_file_of_a_study_is_no_table_of_a_statement(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "s.toml").write_text(
        'table = "clinic.csv"\n[columns]\nsensitive = ["age"]\npublic = ["chol"]\n', encoding="utf-8"
    )
    assert run(["sql", "audit", "--study", "s.toml"]) == 0
    said = capsys.readouterr().out
    assert "source_table" in said
    assert "clinic" not in said


def test_a_page_comes_from_a_study_and_names_the_command_without_it(folder: Path) -> None:
    asked = ["report", "clinic.csv", "-s", "age", "-p", "chol", "--distinct-l", "3"]
    assert run([*asked, "-o", "page.html", "--save-study", "s.toml"]) == 0
    assert run(["report", "--study", "s.toml", "-o", "again.html"]) == 0
    for name in ("page.html", "again.html"):
        page = (folder / name).read_text(encoding="utf-8")
        assert "--distinct-l 3" in page
        assert "study" not in page


@pytest.mark.parametrize("written", ['"sex=order.txt"', '["sex"]', "[3]"])
def test_a_column_with_a_file_is_a_pair_in_every_spelling(folder: Path, written: str) -> None:
    (folder / "in").mkdir()
    (folder / "in" / "order.txt").write_text("f\nm\n", encoding="utf-8")
    (folder / "in" / "s.toml").write_text(f"order = {written}\n", encoding="utf-8")
    asked = [
        "-s",
        "age",
        "-p",
        "chol",
        "-p",
        "sex",
        "--shape",
        "columns",
        "--row-k",
        "2",
        "--time-limit",
        "1",
    ]
    code = run(["release", "clinic.csv", "o.csv", *asked, "--study", "in/s.toml"])
    assert code == (0 if "order" in written else 2)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_first_help_is_short_and_names_the_whole(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    short = capsys.readouterr().out
    assert short.count("\n") <= MOST_LINES
    command = import_module(f"hartley.cli.{name}").command
    assert short.splitlines()[-1].startswith(f"More: hartley {name} ")
    assert short.endswith("--help-all\n")
    if not isinstance(command, click.Group):
        assert run([name, "--help-all"]) == 0
        whole = capsys.readouterr().out
        assert all(max(one.opts, key=len) in whole for one in command.params if one.opts[0].startswith("-"))
