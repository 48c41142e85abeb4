"""Documents are regular files of a size that such a document can have; anything else is one line, at once."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hartley
from hartley import documents
from hartley.documents import DocumentKind
from hartley.errors import HartleyError, TableError
from hartley.tables.text_files import read_unpacked

KINDS = [one for one in vars(documents).values() if isinstance(one, DocumentKind)]
TABLE = "age,chol,town\n30,180,a\n41,180,b\n30,214,a\n41,214,b\n"
ASKED = ("-s", "age", "-p", "chol")
OF_TEXT = ("-s", "age", "-p", "town", "-p", "chol", "--shape", "columns", "--distinct-l", "2")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    hartley.release(
        tmp_path / "t.csv", tmp_path / "out.csv", sensitive="age", public="chol", require={"distinct_l": 2}
    )
    return tmp_path


CALLS = (
    ("apply", "odd", "t.csv", "new.csv"),
    ("export", "odd", "--to", "csv"),
    ("audit", "--counts", "odd"),
    ("audit", "t.csv", *ASKED, "--earlier", "odd"),
    ("audit", "t.csv", *ASKED, "--groups", "age=odd"),
    ("audit", "odd.csv", *ASKED),
    ("release", "t.csv", "new.csv", *ASKED, "--distinct-l", "2", "--key", "odd"),
    *(("release", "t.csv", "new.csv", *OF_TEXT, f"--{one}", "town=odd") for one in ("order", "hierarchy")),
    ("compare", "t.csv", *ASKED, "--hierarchy", "chol=odd"),
    *(
        ("verify", "out.csv", "--original", "t.csv", "--policy", "out.policy.json", f"--{one}", "odd")
        for one in ("certificate", "record", "public-key", "earlier")
    ),
    ("verify", "out.csv", "--original", "t.csv", "--policy", "odd"),
    ("verify", "out.csv", "--original", "odd.csv", "--policy", "out.policy.json"),
    ("verify", "odd.csv", "--original", "t.csv", "--policy", "out.policy.json", "--no-certificate"),
    ("reproduce", "--data", "odd"),
)
RUN_ALL = """
import contextlib, io, json, sys
from hartley.cli.program import run
for arguments in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = run(arguments)
    print(json.dumps([arguments, code, said.getvalue().splitlines()]))
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes and devices")
def test_no_command_reads_from_a_pipe_or_a_device(folder: Path) -> None:
    """In a process with an end: what reads from them would never come back."""
    for ending in ("", ".csv"):
        os.mkfifo(folder / f"pipe{ending}")
        (folder / f"zero{ending}").symlink_to("/dev/zero")
    calls = [[word.replace("odd", odd) for word in call] for call in CALLS for odd in ("pipe", "zero")]
    ended = subprocess.run(
        [sys.executable, "-c", RUN_ALL, json.dumps(calls)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    lines = ended.stdout.splitlines()
    assert len(lines) == len(calls)
    for line in lines:
        arguments, code, said = json.loads(line)
        assert (code, len(said)) == (2, 1), (arguments, said)
        assert "a pipe or a device" in said[0], (arguments, said)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_is_larger_than_such_a_document_can_be_is_refused_unread(
    kind: DocumentKind, tmp_path: Path
) -> None:
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, 2**40)
    with pytest.raises(HartleyError) as caught:
        kind.read(path)
    size = f"{kind.most:,}".replace(",000,000,000", " GB").replace(",000,000", " MB").replace(",000", " kB")
    assert f"is larger than {size}, and no {kind.name} is" in str(caught.value)


def test_a_document_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    """Files of the system say that they are empty, and others grow."""
    kind = DocumentKind("note", 1000, "give a note")
    path = tmp_path / "note"
    path.write_bytes(b"")
    with kind.opened(path) as stream:
        path.write_bytes(b"x" * 1001)
        with pytest.raises(HartleyError, match="larger than 1 kB"):
            kind.within_limit(stream, path)
    path.write_bytes(b"x" * 1000)
    assert kind.read(path) == b"x" * 1000


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path: Path) -> None:
    kind = DocumentKind("note", 10_000, "give a note", refusal=TableError)
    path = tmp_path / "note.gz"
    path.write_bytes(gzip.compress(bytes(10_001)))
    with pytest.raises(TableError, match="larger than 10 kB"):
        read_unpacked(path, kind)
    path.write_bytes(gzip.compress(bytes(10_000)))
    assert len(read_unpacked(path, kind)) == 10_000


def test_a_cell_that_is_too_long_for_a_file_of_values_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from hartley.cli.program import run

    (folder / "groups.csv").write_text(f"value,group\n30,{'x' * 200_000}\n41,b\n")
    assert run(["audit", str(folder / "t.csv"), *ASKED, "--groups", f"age={folder / 'groups.csv'}"]) == 2
    assert "line 2 cannot be read" in capsys.readouterr().err


def test_a_release_of_many_classes_is_no_larger_than_its_documents_can_be():
    million_classes = 600 * 10**6
    assert million_classes <= documents.CERTIFICATE.most
    assert documents.CERTIFICATE.most * 4 / 3 <= documents.SIGNATURE.most
