"""What is printed survives closed pipes, narrow terminals, other encodings, and names from strangers."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from hartley.cli.program import run

STRANGE = "âge,ch[/]øl\n30,β☃\n31,\x1b[31mred\x07\n31,:smile:\n30,\u202ebackwards\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(STRANGE, encoding="utf-8")
    return path


def hartley(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **variables):
    return subprocess.run(
        [sys.executable, "-m", "hartley", *map(str, arguments)],
        stdout=stdout,
        stderr=stderr,
        env={**os.environ, **variables},
        timeout=120,
        check=False,
    )


def closed_pipe():
    """Give the writing end of a pipe whose reader has gone away."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reader_that_goes_away_does_not_change_what_a_gate_answers(table, form):
    writer = closed_pipe()
    done = hartley("audit", table, "-s", "âge", "--require", "distinct-l=5", *form, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (3, b"")


def test_help_that_nobody_reads_is_no_bug():
    writer = closed_pipe()
    done = hartley("audit", "--help", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_message_that_nobody_reads_keeps_its_exit_code(tmp_path):
    writer = closed_pipe()
    assert hartley("audit", tmp_path / "none.csv", "-s", "a", stderr=writer).returncode == 2
    os.close(writer)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_full_disk_gets_one_line_and_2(table, form):
    with open("/dev/full", "wb") as full:
        done = hartley("audit", table, "-s", "âge", *form, stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"hartley: cannot write the output: no space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="a shell that closes streams")
def test_closed_streams_are_no_bug(table):
    command = '"$0" -m hartley audit "$1" -s âge -p ch[/]øl --require distinct-l=1 >&- 2>&-'
    assert subprocess.run(["sh", "-c", command, sys.executable, str(table)], check=False).returncode == 0


def test_an_encoding_without_the_characters_loses_nothing(table):
    arguments = ("audit", table, "-s", "âge", "-p", "ch[/]øl")
    words = hartley(*arguments, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    document = hartley(*arguments, "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (words.returncode, document.returncode) == (0, 0)
    assert rb"\u03b2\u2603" in words.stdout
    found = json.loads(document.stdout.decode("ascii"))
    assert found["witnesses"]["narrowest"][0]["public"] == {"ch[/]øl": "\x1b[31mred\x07"}


@pytest.mark.parametrize("width", ["0", "1", "7"])
def test_no_terminal_is_too_narrow(table, capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    assert run(["audit", str(table), "-s", "âge", "--stochastic"]) == 0
    assert "whatch[/]ølrevealsaboutâge" in "".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "command", [["audit"], ["frontier", "--search", "greedy", "--trace"], ["audit", "--side", "ch[/]øl"]]
)
def test_names_and_cells_are_shown_as_they_are_and_steer_nothing(table, capsys, command):
    assert run([command[0], str(table), "-s", "âge", "-p", "ch[/]øl", *command[1:]]) == 0
    shown = capsys.readouterr().out
    assert "ch[/]øl" in shown
    assert not set("\x1b\x07\u202e") & set(shown)
    if "--side" not in command:
        assert r"\x1b[31mred\x07" in shown
        assert ":smile:" in shown
