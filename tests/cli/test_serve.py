"""How the app is started: on this machine alone, with a key, and with clear refusals."""

from __future__ import annotations

import socket

import pytest

from hartley.cli.program import run


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])  # noqa: S104
def test_an_address_that_no_browser_can_open_is_refused(capsys, host):
    assert run(["serve", "--no-open", "--host", host]) == 2
    assert "no address that a browser can open" in capsys.readouterr().err


def test_a_table_that_is_not_there_is_refused_at_once(capsys):
    assert run(["serve", "--no-open", "nothing.csv"]) == 2
    assert "no file 'nothing.csv'" in capsys.readouterr().err


def test_a_port_in_use_is_named(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["serve", "--no-open", "--port", str(port)]) == 2
    assert "choose another --port" in capsys.readouterr().err


def test_the_web_packages_are_named_where_they_are_missing(capsys, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert run(["serve", "--no-open"]) == 2
    assert "pip install 'hartley[web]'" in capsys.readouterr().err
