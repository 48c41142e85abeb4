"""What once ended in a bug, a dead process or endless memory, and is one line now."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hartley.cli.program import run
from hartley.releases.certificate import Certificate
from hartley.releases.policy import Policy

ROLES = ("-s", "secret", "-p", "age")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("age,secret\n" + "".join(f"{20 + n % 4},s{n % 3}\n" for n in range(12)), encoding="utf-8")
    return path


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 2) -> str:
    """Return the one line of a call that is refused."""
    found = run([str(argument) for argument in arguments])
    complaint = capsys.readouterr().err
    assert found == code, complaint
    assert complaint.startswith("hartley: ")
    assert complaint.count("\n") == 1, complaint
    assert "internal error" not in complaint
    return complaint


def test_half_a_character_stands_in_no_argument(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "an argument holds half a character, which stands in no name and no path"
    assert said in refusal(capsys, "report", table, *ROLES, "-o", "\ud800.html")
    assert said in refusal(capsys, "audit", table, "-s", "\udfff")


def arrow_file(path: Path, secret: pa.Array) -> bytes:
    table = pa.table({"age": pa.array([1, 2, 2, 3]), "secret": secret})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path.read_bytes()


def test_arrow_offsets_that_lead_out_of_the_file_are_damage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.arrow"
    content = arrow_file(path, pa.array(["ab", "cd", "ef", "gh"]))
    offsets = np.array([0, 2, 4, 6, 8], np.int32).tobytes()
    assert content.count(offsets) == 1
    path.write_bytes(
        content.replace(offsets, np.array([0, 2**30, 2**30, 2**30, 2**30 + 8], np.int32).tobytes())
    )
    assert "damaged" in refusal(capsys, "audit", path, *ROLES)


def test_arrow_texts_that_are_not_utf8_are_damage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.arrow"
    path.write_bytes(
        arrow_file(path, pa.array(["abcd", "efgh", "abcd", "efgh"])).replace(b"efgh", b"\xff\xfegh")
    )
    complaint = refusal(capsys, "audit", path, *ROLES)
    assert "damaged" in complaint or "UTF-8" in complaint


def test_arrow_indices_beyond_their_dictionary_are_damage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.arrow"
    indices = pa.array([0, 1, 0, 1], pa.int32())
    content = arrow_file(path, pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"])))
    stored = np.array([0, 1, 0, 1], np.int32).tobytes()
    assert content.count(stored) >= 1
    path.write_bytes(content.replace(stored, np.array([0, 1, 0, 2**30], np.int32).tobytes()))
    assert "damaged" in refusal(capsys, "audit", path, *ROLES)


def test_a_damaged_column_that_is_not_used_does_no_harm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.arrow"
    table = pa.table({"age": [1, 2, 2], "other": ["abcd", "abcd", "abcd"], "secret": ["x", "y", "z"]})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    path.write_bytes(path.read_bytes().replace(b"abcdabcdabcd", b"abcd\xff\xff\xff\xffabcd"))
    assert run(["audit", str(path), *ROLES, "--json"]) == 0
    assert refusal(capsys, "audit", path, "-s", "secret", "-p", "other")


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
def test_a_parquet_file_with_a_damaged_body_is_told_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], compression: str
) -> None:
    path = tmp_path / "t.parquet"
    secret = [f"s{n % 50}" for n in range(400)]
    pq.write_table(pa.table({"age": list(range(400)), "secret": secret}), path, compression=compression)
    content = path.read_bytes()
    path.write_bytes(content[:4] + bytes(300) + content[304:])
    for command in (
        ["audit", path],
        ["frontier", path],
        ["release", path, tmp_path / "o.csv", "--distinct-l", 2],
    ):
        assert "damaged" in refusal(capsys, *command, *ROLES)


def test_a_sheet_with_one_cell_far_away_is_refused_before_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.xlsx"
    book = openpyxl.Workbook()
    for row in (["age", "secret"], [1, "a"], [2, "b"]):
        book.active.append(row)
    book.active["XFD1048576"] = "far"
    book.save(path)
    assert "row 1,048,576 and column 16,384" in refusal(capsys, "audit", path, *ROLES)


def test_a_sheet_that_is_wide_and_short_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.xlsx"
    book = openpyxl.Workbook()
    for row in (["age", "secret"], [1, "a"], [2, "b"]):
        book.active.append(row)
    book.active["AAA1"] = "last"
    for place in range(3, 703):
        book.active.cell(1, place, f"c{place}")
    book.save(path)
    assert run(["audit", str(path), *ROLES, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 2


@pytest.mark.parametrize("size", ["999999999TB", "9" * 30 + "TB", "9" * 400 + "GB"])
def test_a_memory_limit_beyond_any_machine_is_refused(
    table: Path, capsys: pytest.CaptureFixture[str], size: str
) -> None:
    assert "memory limit" in refusal(capsys, "audit", table, *ROLES, "--memory-limit", size)


@pytest.mark.parametrize("leakage", ["l0", "istar"])
@pytest.mark.parametrize("bits", ["64.5", "1100", "1e308"])
def test_more_bits_than_any_table_has_are_refused(
    table: Path, capsys: pytest.CaptureFixture[str], leakage: str, bits: str
) -> None:
    release = ("release", table, table.with_name("out.csv"), *ROLES, "--leakage", leakage)
    assert "--max-leakage needs at most 64 bits" in refusal(capsys, *release, "--max-leakage", bits)
    assert f"{leakage} needs at most 64 bits" in refusal(capsys, *release, "--require", f"{leakage}={bits}")
    assert not table.with_name("out.csv").exists()


def test_as_many_bits_as_a_table_may_have_are_a_target_that_all_meet(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = table.with_name("out.csv")
    assert run(["release", str(table), str(out), *ROLES, "--max-leakage", "64", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["point"]["clusters"] == 4


@pytest.mark.parametrize("option", ["--largest-cluster", "--distinct-l"])
def test_whole_numbers_beyond_any_table_are_refused(
    table: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    out = table.with_name("out.csv")
    assert option in refusal(capsys, "release", table, out, *ROLES, option, "1" + "0" * 400)


def test_where_every_row_may_be_withheld_there_is_a_frontier(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.csv"
    path.write_text("town,secret\nKiel,a\n", encoding="utf-8")
    asked = ("-s", "secret", "-p", "town", "--withhold", "100%", "--json")
    for leakage in ("l0", "istar", "joint"):
        assert run(["frontier", str(path), *asked, "--leakage", leakage]) == 0
        assert [point["utility"] for point in json.loads(capsys.readouterr().out)["points"]] == [0.0]


def released(table: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Path]:
    out = table.with_name("out.csv")
    assert run(["release", str(table), str(out), *ROLES, "--distinct-l", "2"]) == 0
    capsys.readouterr()
    return out, table.with_name("out.policy.json")


def rewritten(policy: Path, change: dict[str, object]) -> None:
    """Change how the policy says that the table is read, and put its checksum right."""
    found = Policy.read(policy)
    found = msgspec.structs.replace(found, reading=msgspec.structs.replace(found.reading, **change))
    policy.write_bytes(msgspec.structs.replace(found, checksum=found.content_hash()).to_json())


@pytest.mark.parametrize("encoding", ["klingon", "hex", "rot13", "undefined", "", "é" * 50])
def test_a_policy_with_an_unknown_encoding_is_refused(
    table: Path, capsys: pytest.CaptureFixture[str], encoding: str
) -> None:
    out, policy = released(table, capsys)
    rewritten(policy, {"encoding": encoding})
    refusal(capsys, "verify", out, "--original", table, "--policy", policy)
    refusal(capsys, "apply", policy, table, table.with_name("again.csv"))


def test_the_name_of_a_table_that_cannot_be_written_is_refused(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, policy = released(table, capsys)
    out = table.with_name("recoding.sql")
    export = ("export", policy, "--to", "sql", "-o", out, "--table", "\udcff")
    assert "no character" in refusal(capsys, *export)
    assert not out.exists()


def test_a_checksum_that_is_not_ascii_is_damage(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, policy = released(table, capsys)
    policy.write_bytes(msgspec.structs.replace(Policy.read(policy), checksum="é" * 64).to_json())
    assert "checksum" in refusal(capsys, "apply", policy, table, table.with_name("again.csv"))


@pytest.mark.parametrize("seal", ["é" * 64, "", "\x00", "🙂"])
def test_a_seal_that_is_not_ascii_is_no_seal(
    table: Path, capsys: pytest.CaptureFixture[str], seal: str
) -> None:
    out, policy = released(table, capsys)
    path = table.with_name("out.certificate.json")
    path.write_bytes(Certificate.read(path)._with_seal(seal).to_json())
    assert run(["verify", str(out), "--original", str(table), "--policy", str(policy)]) == 3
    assert "internal error" not in capsys.readouterr().err


@pytest.mark.parametrize("depth", [900, 5_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_json_that_is_nested_too_deep_is_refused(
    table: Path, capsys: pytest.CaptureFixture[str], depth: int, opening: str, closing: str
) -> None:
    deep = opening * depth + "1" + closing * depth
    lines = table.with_name("t.jsonl")
    lines.write_text(deep + "\n", encoding="utf-8")
    refusal(capsys, "audit", lines, *ROLES)
    lines.write_text(f'{{"age": {deep}, "secret": 1}}\n', encoding="utf-8")
    refusal(capsys, "audit", lines, *ROLES)
    policy = table.with_name("deep.json")
    policy.write_text(deep, encoding="utf-8")
    refusal(capsys, "apply", policy, table, table.with_name("out.csv"))
    policy.write_text(f'{{"format": "hartley policy", "version": 1, "key": {deep}}}', encoding="utf-8")
    refusal(capsys, "apply", policy, table, table.with_name("out.csv"))


def test_a_report_without_the_package_that_fills_it_in_says_what_to_install(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    out = table.with_name("page.html")
    assert "pip install 'hartley[web]'" in refusal(capsys, "report", table, "-o", out, *ROLES)
    assert not out.exists()


@pytest.mark.parametrize("name", ["t\x00.csv", "x" * 300 + ".csv"])
def test_names_that_no_file_has_are_refused(
    table: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = table.with_name(name)
    refusal(capsys, "audit", path, *ROLES)
    refusal(capsys, "release", table, path, *ROLES, "--distinct-l", 2)
    refusal(capsys, "audit", table, *ROLES, "--earlier", path)
    refusal(capsys, "report", table, "-o", path, *ROLES)


def test_a_line_break_in_a_name_is_none_in_a_message(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = table.with_name("t\n\x1b[31m.csv")
    assert r"t\n\x1b[31m.csv" in refusal(capsys, "report", table, "-o", out, *ROLES)
    refusal(capsys, "audit", out, *ROLES)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
@pytest.mark.parametrize(("column", "code"), [("absent", 2), ("secret", 3)])
def test_where_stderr_is_full_the_exit_code_stays(table: Path, column: str, code: int) -> None:
    command = [sys.executable, "-m", "hartley", "release", str(table), str(table.with_name("o.csv"))]
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = subprocess.run(
            [*command, "-s", column, "-p", "age", "--distinct-l", "9"], stderr=full, check=False
        )
    assert ended.returncode == code


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="address space cannot be limited here")
@pytest.mark.parametrize("kilobytes", [60_000, 300_000, 1_000_000])
def test_too_little_address_space_is_one_clear_line(table: Path, kilobytes: int) -> None:
    call = f'ulimit -v {kilobytes}; "$0" -m hartley audit "$1" -s secret -p age'
    ended = subprocess.run(
        ["sh", "-c", call, sys.executable, str(table)], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.fullmatch(r"hartley: this process may use .* GB; raise the limit \(ulimit -v\)\n", ended.stderr)


SIGNALLED = """
import os, signal, sys
from hartley.cli import main, release
from hartley.releases.writer.staging import Staging
place, name, number = (sys.argv.pop(1) for _ in range(3))
place = {"printing": release, "commit": Staging}[place]
# Who started the tests may have it ignored, as nohup does.
signal.signal(int(number), signal.default_int_handler if int(number) == signal.SIGINT else signal.SIG_DFL)
act = getattr(place, name)
def signalled(*given):
    act(*given)
    os.kill(os.getpid(), int(number))
setattr(place, name, signalled)
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal to send")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", 1)])
@pytest.mark.parametrize(("place", "name"), [("commit", "_commit"), ("printing", "show")])
def test_a_signal_after_the_commit_is_too_late_or_says_what_was_written(
    table: Path, place: str, name: str, number: int
) -> None:
    asked = ["release", str(table), str(table.with_name("out.csv")), *ROLES, "--distinct-l", "2"]
    ended = subprocess.run(
        [sys.executable, "-c", SIGNALLED, place, name, str(int(number)), *asked],
        capture_output=True,
        text=True,
        check=False,
    )
    assert table.with_name("out.csv").is_file()
    assert "nothing was written" not in ended.stderr
    if place == "commit":
        assert (ended.returncode, "interrupted" in ended.stderr) == (0, False)
    else:
        assert ended.returncode == 128 + number
        assert ended.stderr.splitlines()[-1].startswith(
            "hartley: interrupted; but out.csv, out.policy.json, "
        )


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal to send")
def test_a_program_asked_to_end_while_it_compiles_ends_as_always(tmp_path: Path) -> None:
    table = tmp_path / "large.csv"
    table.write_text("x,s\n" + "".join(f"{x},{x * 7 % 1009}\n" for x in range(40_000)), encoding="utf-8")
    asked = ("-s", "s", "-p", "x", "--utility", "resolution", "--distinct-l", "3", "--accept-identifier", "x")
    program = subprocess.Popen(
        [sys.executable, "-m", "hartley", "release", str(table), str(tmp_path / "out.csv"), *asked],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "compiled")},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stderr is not None
    assert program.stderr.readline().startswith("compiling")
    program.send_signal(signal.SIGTERM)
    _, complaint = program.communicate(timeout=300)
    assert program.returncode == 128 + signal.SIGTERM
    assert complaint.strip() == "hartley: interrupted; nothing was written"
    assert {path.name for path in tmp_path.iterdir()} <= {"large.csv", "compiled"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--distinct-l 2 --shape intervals --borders fortnight", "give a step above 0, or choose 'day'"),
        ("--distinct-l abc", "'abc' is not a number"),
        ("--distinct-l 2 --seed 1e9", "'1e9' is not a whole number"),
        ("", "what every released value must keep, such as --distinct-l 5"),
    ],
)
def test_what_is_no_number_is_refused_in_plain_words(
    table: Path, capsys: pytest.CaptureFixture[str], options: str, said: str
) -> None:
    out = table.with_name("out.csv")
    assert said in refusal(capsys, "release", table, out, *ROLES, *options.split())
    assert not out.exists()


def test_several_columns_name_what_can_be_reached(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text("age,sex,secret\n1,f,a\n2,m,b\n3,f,c\n4,m,a\n", encoding="utf-8")
    call = ("release", table, table.with_name("out.csv"), *ROLES, "-p", "sex", "--distinct-l", "8")
    assert "no release can meet distinct-l=8 (at most 3), however coarse" in refusal(capsys, *call, code=3)
