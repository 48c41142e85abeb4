"""The commands release, apply and verify: their JSON, words and exit codes, and their end by force."""

from __future__ import annotations

import csv
import json
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hartley.cli import program
from hartley.cli.program import run
from hartley.examples import CLINIC_COLUMNS, clinic
from sample_sizes import sample

ASKED = ("-s", "age", "-p", "cholesterol", "--search", "greedy")
AUDIT_KEYS = {"rows", "pairs", "sensitive", "public", "side", "l0_bits", "istar_bits", "distinct_l", "row_k"}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([CLINIC_COLUMNS, *clinic(120)])
    return path


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def document(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> dict[str, Any]:
    found, out, err = called(capsys, *arguments, "--json")
    assert found == code, err
    return json.loads(out)


def test_release_prints_the_contracts_document(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = table.with_name("released.csv")
    found = document(capsys, "release", table, out, *ASKED, "--distinct-l", 3)
    keys = {
        "output",
        "rows",
        "point",
        "before",
        "after",
        "after_all",
        "verified",
        "sha256",
        "policy",
        "certificate",
        "record",
    }
    assert keys <= set(found)
    assert found["rows"] == 120
    assert found["verified"] is True
    assert set(found["after"]) >= AUDIT_KEYS
    assert found["before"]["distinct_l"] == 1
    assert found["after"]["distinct_l"] >= 3
    assert set(found["sha256"]) == {"input", "output"}
    for name in ("output", "policy", "certificate", "record"):
        assert Path(found[name]).is_file()
    assert stat.S_IMODE(Path(found["policy"]).stat().st_mode) == 0o600
    assert found["sha256"]["input"] not in Path(found["certificate"]).read_text()
    checked = document(capsys, "verify", out, "--original", table, "--policy", found["policy"])
    assert checked["verified"] is True
    assert checked["certificate"] == found["certificate"]
    applied = document(capsys, "apply", found["policy"], table, table.with_name("again.csv"))
    assert applied["target_holds"] is True


def test_plain_words_name_the_files_and_keep_the_secret(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = table.with_name("released.csv")
    code, words, _ = called(capsys, "release", table, out, *ASKED, "--distinct-l", 2, "--keep", "sex")
    assert code == 0
    for text in ("read again from disk", "recoded", "kept", "Keep secret", "Publish"):
        assert text in words
    policy = table.with_name("released.policy.json")
    code, words, _ = called(capsys, "verify", out, "--original", table, "--policy", policy)
    assert code == 0
    assert "what the certificate says holds" in " ".join(words.split())
    code, words, _ = called(capsys, "apply", policy, table, table.with_name("again.csv"))
    assert code == 0
    assert "remain possible" in words


def test_an_unreachable_target_says_what_can_be_reached(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = table.with_name("released.csv")
    code, _, error = called(capsys, "release", table, out, *ASKED, "--distinct-l", 5000)
    assert code == 3
    assert "the most that can be reached is" in error
    assert error.count("\n") == 1
    assert [path.name for path in table.parent.iterdir()] == ["clinic.csv"]


def test_a_false_release_is_exit_code_3_with_the_reason(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = table.with_name("released.csv")
    made = document(capsys, "release", table, out, *ASKED, "--distinct-l", 2)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:-1]))
    found = document(capsys, "verify", out, "--original", table, "--policy", made["policy"], code=3)
    assert found["verified"] is False
    assert any(reason.startswith("rows: 1 rows of the original") for reason in found["reasons"])
    code, words, _ = called(capsys, "verify", out, "--original", table, "--policy", made["policy"])
    assert code == 3
    assert "DOES NOT HOLD" in words


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((), "a release needs a target"),
        (("--largest-cluster", 2, "--max-distortion", 1), "not both --largest-cluster and --max-distortion"),
        (("--distinct-l", 2, "--utility-weight", 1), "leave the other targets out"),
        (("--distinct-l", 0), "from 1 on"),
        (("--distinct-l", 2.5), "whole number"),
        (("--max-leakage", "nan"), "finite number"),
        (("--max-leakage", -1), "from 0 on"),
        (("--distinct-l", 2, "--keep", "weight"), "no column 'weight'"),
        (("--distinct-l", 2, "--keep", "age"), "is sensitive already"),
        (("--distinct-l", 2, "--earlier", "nothing.json"), "no policy"),
        (("--distinct-l", 2, "--labels", "mean"), "mean"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(
    table: Path, capsys: pytest.CaptureFixture[str], more: tuple[object, ...], message: str
) -> None:
    code, _, error = called(capsys, "release", table, table.with_name("out.csv"), *ASKED, *more)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1
    assert [path.name for path in table.parent.iterdir()] == ["clinic.csv"]


def test_bad_files_are_one_line_and_exit_code_2(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = table.parent
    out = folder / "out.csv"
    made = document(capsys, "release", table, out, *ASKED, "--distinct-l", 2)
    policy = json.loads(Path(made["policy"]).read_bytes())
    bad = folder / "bad.json"
    other = folder / "other.csv"
    other.write_text("a,b\n1,2\n")
    cases: list[tuple[str, tuple[object, ...], str]] = [
        (
            json.dumps({**policy, "version": 3}),
            ("apply", bad, table, folder / "x.csv"),
            "policy of version 3",
        ),
        ("{", ("apply", bad, table, folder / "x.csv"), "damaged"),
        ("[1, 2]", ("apply", bad, table, folder / "x.csv"), "damaged"),
        ('{"format": "other", "version": 1}', ("apply", bad, table, folder / "x.csv"), "is no policy"),
        (
            json.dumps({**policy, "key": "00"}),
            ("apply", bad, table, folder / "x.csv"),
            "not as it was written",
        ),
        (
            json.dumps({**policy, "key": "00"}, indent=2) + "\n",
            ("apply", bad, table, folder / "x.csv"),
            "checksum",
        ),
        ("", ("apply", made["policy"], other, folder / "x.csv"), "made for other columns"),
        ("", ("apply", folder / "none.json", table, folder / "x.csv"), "no policy"),
        ("", ("release", table, table, *ASKED, "--distinct-l", 2, "--overwrite"), "is the input itself"),
        ("", ("release", table, folder / "x.doc", *ASKED, "--distinct-l", 2), "unknown kind of file"),
        ("", ("release", table, folder, *ASKED, "--distinct-l", 2), "unknown kind of file"),
        ("", ("release", table, folder / "no" / "x.csv", *ASKED, "--distinct-l", 2), "no folder"),
        ("", ("release", table, out, *ASKED, "--distinct-l", 2), "exists already"),
        ("", ("release", folder / "no.csv", folder / "x.csv", *ASKED, "--distinct-l", 2), "no file"),
        ("", ("verify", folder / "no.csv", "--original", table, "--policy", made["policy"]), "no file"),
        (
            "{}",
            ("verify", out, "--original", table, "--policy", made["policy"], "--certificate", bad),
            "damaged",
        ),
    ]
    for content, arguments, message in cases:
        bad.write_text(content)
        code, _, error = called(capsys, *arguments)
        assert code == 2, (arguments, error)
        assert message in error
        assert error.count("\n") == 1
    assert not (folder / "x.csv").exists()


def test_messages_hold_no_cell(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = document(capsys, "release", table, table.with_name("out.csv"), *ASKED, "--distinct-l", 2)
    new = table.with_name("new.csv")
    new.write_text("age,cholesterol\n51,987654\n")
    code, _, error = called(capsys, "apply", made["policy"], new, table.with_name("x.csv"))
    assert code == 2
    assert "987654" not in error


def test_earlier_releases_in_all_three_steps(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = table.parent
    first = document(capsys, "release", table, folder / "1.csv", *ASKED, "--distinct-l", 2)
    more = ("--earlier", first["policy"])
    second = document(
        capsys, "release", table, folder / "2.csv", "-s", "age", "-p", "pulse", "--distinct-l", 2, *more
    )
    assert second["together"]["distinct_l"] >= 2
    checked = ("verify", folder / "2.csv", "--original", table, "--policy", second["policy"])
    assert document(capsys, *checked, *more)["verified"] is True
    assert document(capsys, *checked, code=3)["verified"] is False


def test_a_full_disk_is_one_line_and_nothing_is_left(table: Path) -> None:
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300)); "
        "from hartley.cli.program import run; sys.exit(run(sys.argv[1:]))"
    )
    arguments = ["release", str(table), str(table.with_name("out.csv")), *ASKED, "--distinct-l", "2"]
    ended = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2, ended.stderr
    assert "nothing was changed" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert [path.name for path in table.parent.iterdir()] == ["clinic.csv"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 300


KILLS = sample(usual=15, long=60)
KILLER = """
import os, random, signal, sys, time
from pathlib import Path
import duckdb, pyarrow.parquet, narwhals, pandas
from hartley.cli import release, verify
from hartley.cli.program import run
from hartley.search import greedy
import hartley.tables.sources.csv, hartley.workflow.make_release

folder, table, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
names = ["out.csv", "out.policy.json", "out.certificate.json", "out.record.json"]
names += ["out.codebook.csv", "out.codebook.html", "out.codebook.json"]
asked = ["-s", "age", "-p", "cholesterol", "--search", "greedy", "--distinct-l", "2"]


def forked(arguments):
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        os._exit(run(arguments))
    return child


def ended(arguments):
    return os.waitstatus_to_exitcode(os.waitpid(forked(arguments), 0)[1])


def contents():
    return [(folder / name).read_bytes() if (folder / name).exists() else None for name in names]


policy = str(folder / "out.policy.json")
checked = ["verify", str(folder / "out.csv"), "--original", table, "--policy", policy]
start = time.monotonic()
assert ended(["release", table, str(folder / "out.csv"), *asked]) == 0
whole = time.monotonic() - start
seen = {"old": 0, "new": 0, "nothing": 0}
source = random.Random(7)
for number in range(times):
    # Every other time there are old files to be kept or replaced.
    if number % 2:
        for name in names:
            (folder / name).unlink()
    before = contents()
    child = forked(["release", table, str(folder / "out.csv"), *asked, "--overwrite"])
    time.sleep(whole * source.choice([source.random(), 0.6 + 0.6 * source.random()]))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    after = contents()
    assert all(after) or not any(after), "some of the three files"
    if not any(after):
        seen["nothing"] += 1
    else:
        seen["old" if after == before else "new"] += 1
        assert ended(checked) == 0, "files that do not belong together"
    assert ended(["release", table, str(folder / "out.csv"), *asked, "--overwrite"]) == 0
    left = sorted(path.name for path in folder.iterdir())
    assert left == sorted(names), left
    assert ended(checked) == 0
print(seen["old"], seen["new"], seen["nothing"])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_kills_leave_all_files_or_none_and_nothing_after_the_next_run(table: Path) -> None:
    folder = table.parent / "released"
    folder.mkdir()
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", KILLER, str(folder), str(table), str(KILLS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert sum(map(int, ended.stdout.split())) == KILLS


def test_an_interrupt_writes_nothing(table: Path) -> None:
    script = (
        "import os, signal, sys, hartley.releases.writer.publication as p; write = p.Publication.write\n"
        "def interrupted(*given, **more):\n"
        "    write(*given, **more)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "p.Publication.write = interrupted\n"
        "from hartley.cli.program import run; sys.exit(run(sys.argv[1:]))"
    )
    arguments = ["release", str(table), str(table.with_name("out.csv")), *ASKED, "--distinct-l", "2"]
    ended = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode in (130, -signal.SIGINT)
    assert [path.name for path in table.parent.iterdir()] == ["clinic.csv"]


def test_a_release_can_be_drawn(tmp_path):
    import csv

    from hartley.cli.program import run
    from hartley.examples import CLINIC_COLUMNS, clinic

    table = tmp_path / "clinic.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([CLINIC_COLUMNS, *clinic()])
    asked = ["-s", "age", "-p", "cholesterol", "--keep", "sex", "--distinct-l", "2", "--search", "greedy"]
    picture = tmp_path / "candidates.svg"
    assert run(["release", str(table), str(tmp_path / "out.csv"), *asked, "--plot", str(picture)]) == 0
    assert "How many values of age remain possible" in picture.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "error", [RuntimeError("Query interrupted"), OSError("INTERRUPT Error: Interrupted!")]
)
def test_ctrl_c_as_the_engine_words_it_is_an_interruption(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**_: Any) -> None:
        raise error

    monkeypatch.setattr(program.program, "main", interrupted)
    assert program.run(["release"]) == program.INTERRUPTED
    assert capsys.readouterr().err == "hartley: interrupted; nothing was written\n"
