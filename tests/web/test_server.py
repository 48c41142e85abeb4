"""The app as a process: what it leaves on disk and on command lines."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import IO, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from hartley.web.guard import HEADER
from planted_names import plant, ran, script


class App:
    """A running app, and a client of it."""

    def __init__(
        self,
        temporary: Path,
        *arguments: str,
        command: Sequence[str] = (sys.executable, "-m", "hartley"),
        folder: Path | None = None,
        said: IO[str] | None = None,
        **variables: str,
    ) -> None:
        self.process = subprocess.Popen(
            [*command, "serve", *arguments],
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            cwd=folder,
            env={**os.environ, "TMPDIR": str(temporary), **variables},
        )
        assert self.process.stdout is not None
        self.url = re.search(r"http://\S+", self.process.stdout.readline())[0]
        self.secret = ""

    def post(self, path: str, content: bytes, kind: str = "application/json") -> tuple[int, dict]:
        parts = urlsplit(self.url)
        headers = {"Origin": f"http://{parts.netloc}", "Content-Type": kind, HEADER: self.secret}
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        connection.request("POST", path, content, headers)
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    def enter(self, token: str | None = None) -> int:
        turned_in = {"token": token or self.url.split("#key=")[1]}
        status, found = self.post("/api/enter", json.dumps(turned_in).encode())
        self.secret = found.get("secret", "")
        return status

    def upload(self, content: bytes, name: str = "t.csv") -> tuple[int, dict]:
        return self.post(f"/api/upload?name={name}", content, "application/octet-stream")

    def end(self, how: int = signal.SIGINT) -> int:
        self.process.send_signal(how)
        try:
            return self.process.wait(30)
        finally:
            self.process.stdout.close()


@contextmanager
def running(temporary: Path, *arguments: str, **more: Any) -> Iterator[App]:
    app = App(temporary, *arguments, **more)
    try:
        yield app
    finally:
        if app.process.poll() is None:
            assert app.end() == 0


def uploads(temporary: Path) -> list[Path]:
    # A folder may go while we look: the worker of a killed app removes its own. os.walk passes over it.
    return [
        Path(where) / name
        for where, _, names in os.walk(temporary)
        for name in names
        if name.startswith("upload-")
    ]


def test_what_a_killed_app_has_left_the_next_start_removes(tmp_path):
    app = App(tmp_path, "--no-open")
    assert app.enter() == 200
    assert app.upload(b"age,name\n1,Ann\n2,Bob\n")[0] == 200
    assert len(uploads(tmp_path)) == 1
    app.end(signal.SIGKILL)
    assert len(uploads(tmp_path)) == 1
    with running(tmp_path, "--no-open") as other:
        assert uploads(tmp_path) == []
        assert other.enter() == 200
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_neither_the_app_nor_its_worker_runs_a_file_of_the_folder_it_is_started_in(tmp_path):
    folder = plant(tmp_path / "here")
    with running(tmp_path, "--no-open", "t.csv", command=[script("hartley")], folder=folder) as app:
        assert app.enter() == 200
        status, opened = app.post("/api/open", b'{"which": "given"}')
        assert status == 200
        asked = {"revision": opened["revision"], "sensitive": ["age"], "public": ["cholesterol"], "side": []}
        assert app.post("/api/audit", json.dumps(asked).encode())[0] == 200
        assert app.post("/api/search", json.dumps(asked).encode())[0] == 200
    assert ran(folder) == []


def test_ending_the_app_while_it_answers_prints_nothing(tmp_path):
    with (tmp_path / "said.txt").open("w+") as said:
        app = App(tmp_path, "--no-open", said=said)
        assert app.enter() == 200
        parts = urlsplit(app.url)
        headers = {"Origin": f"http://{parts.netloc}", HEADER: app.secret, "Content-Length": "1000"}
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        connection.request("POST", "/api/upload?name=t.csv", b"age", headers)  # the rest never comes
        sleep(0.5)
        assert app.end() == 0
        connection.close()
        said.seek(0)
        assert said.read() == ""


def test_two_apps_leave_each_other_alone(tmp_path):
    with running(tmp_path, "--no-open") as one:
        assert one.enter() == 200
        assert one.upload(b"age\n1\n2\n")[0] == 200
        with running(tmp_path, "--no-open"):
            assert len(uploads(tmp_path)) == 1
        assert len(uploads(tmp_path)) == 1


def test_no_key_is_on_the_browsers_command_line(tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    with running(tmp_path, BROWSER=f"{browser} %s") as app:
        app.process.stdout.readline()
        while not seen.exists():
            assert app.process.poll() is None
        (given,) = seen.read_text().split()
        assert given.startswith("file://")
        page = Path(url2pathname(urlsplit(given).path))
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
        (token,) = set(re.findall(r"#key=([\w-]+)", page.read_text()))
        assert app.url.split("#key=")[0] in page.read_text()
        assert token not in app.url
        # Each key once in the file, and the file only until it was used.
        assert app.enter(token) == 200
        assert not page.exists()
        assert app.enter(token) == 403
        assert app.enter() == 200


def packed(content: bytes) -> bytes:
    return gzip.compress(content, 9)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.xlsx"])
def test_the_limit_counts_what_is_unpacked(tmp_path, name):
    cells = b"age\n" + b"1\n" * 1_000_000
    if name.endswith(".gz"):
        content = packed(cells)
    else:
        import io
        import zipfile

        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/worksheets/sheet1.xml", cells)
        content = file.getvalue()
    assert len(content) < 10_000
    with running(tmp_path, "--no-open", "--upload-limit", "1") as app:
        app.enter()
        status, said = app.upload(content, name)
        assert status == 413
        assert said["error"] == "the file, unpacked, is larger than 1 MB, the most that is taken"
        assert uploads(tmp_path) == []
        assert app.upload(packed(b"age\n1\n2\n"), "t.csv.gz")[0] == 200
