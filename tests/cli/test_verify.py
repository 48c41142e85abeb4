"""What `hartley verify` demands, what it says, and what it never passes over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hartley
from hartley.cli.program import run
from hartley.releases.policy import Policy

ROWS = "x,s,k\n" + "".join(f"{n},{'abcde'[n * 7 % 5]},{'uv'[n % 2]}\n" for n in range(20))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text(ROWS)
    return path


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(argument) for argument in arguments])
    found = capsys.readouterr()
    return code, " ".join(found.out.split()), found.err


def released(capsys: pytest.CaptureFixture[str], table: Path, *more: object) -> tuple[Path, list[object]]:
    out = table.with_name("out.csv")
    code, _, error = called(capsys, "release", table, out, "-s", "s", "-p", "x", "--distinct-l", 3, *more)
    assert code == 0, error
    return out, ["verify", out, "--original", table, "--policy", table.with_name("out.policy.json")]


def test_a_missing_certificate_is_exit_code_2(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, check = released(capsys, table)
    assert called(capsys, *check)[0] == 0
    out.with_name("out.certificate.json").unlink()
    code, _, error = called(capsys, *check)
    assert code == 2
    assert "no certificate" in error
    assert "--no-certificate" in error
    code, words, _ = called(capsys, *check, "--no-certificate")
    assert code == 0
    assert "without a certificate" in words


def test_what_the_policy_asks_for_is_checked_without_a_certificate(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # An identity codebook under a target of 3: with the certificate deleted this was "verified".
    out = table.with_name("out.csv")
    code, _, _ = called(capsys, "release", table, out, "-s", "s", "-p", "x", "--distinct-l", 1)
    assert code == 0
    path = table.with_name("out.policy.json")
    document = json.loads(path.read_bytes())
    document["choices"]["target"]["number"] = 3
    document["choices"]["requirements"][0]["wanted"] = 3
    document["checksum"] = ""
    import msgspec

    changed = msgspec.convert(document, Policy)
    path.write_bytes(msgspec.structs.replace(changed, checksum=changed.content_hash()).to_json())
    arguments = ["verify", out, "--original", table, "--policy", path, "--no-certificate", "--json"]
    assert run([str(argument) for argument in arguments]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["requirements"] == [
        {"name": "distinct-l", "column": None, "wanted": 3, "found": 1, "holds": False}
    ]


def test_a_kept_order_is_checked(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, check = released(capsys, table, "--keep-order", "--keep", "k")
    code, words, _ = called(capsys, *check)
    assert code == 0
    assert "order" in words.partition("Checked:")[2]
    header, *lines = out.read_text().splitlines(keepends=True)
    other = next(number for number, line in enumerate(lines) if line != lines[0])
    lines[0], lines[other] = lines[other], lines[0]
    out.write_text(header + "".join(lines))
    code, words, _ = called(capsys, *check, "--no-certificate")
    assert code == 3
    assert "not in the order of the original" in words


def test_the_public_check_says_what_it_proves_and_what_not(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = table.with_name("key")
    assert called(capsys, "key", key)[0] == 0
    out, _ = released(capsys, table, "--key", key)
    for name in ("in.csv", "out.policy.json", "out.record.json", "key"):
        table.with_name(name).unlink()
    code, words, _ = called(capsys, "verify", out, "--public-key", f"{key}.pub")
    assert code == 0
    assert "certified exactly this file" in words
    assert "Not checked: whether the promises are true" in words
    out.write_text(out.read_text() + "9\n")
    code, words, _ = called(capsys, "verify", out, "--public-key", f"{key}.pub")
    assert code == 3
    assert "DOES NOT HOLD" in words


def test_what_was_not_there_to_be_checked_is_said_and_can_be_required(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = table.with_name("key")
    assert called(capsys, "key", key)[0] == 0
    _, check = released(capsys, table, "--key", key)
    signed = [*check, "--public-key", f"{key}.pub", "--require-signature"]

    def answer(*arguments: object) -> tuple[int, bool, bool]:
        code = run([str(one) for one in arguments] + ["--json"])
        found = json.loads(capsys.readouterr().out)
        return code, found["signature_checked"], found["record_checked"]

    code, words, _ = called(capsys, *signed, "--require-record")
    assert code == 0
    assert "No signature" not in words
    assert "No record" not in words
    assert answer(*signed, "--require-record") == (0, True, True)
    code, words, _ = called(capsys, *check)
    assert code == 0
    assert "checks hold. No signature was checked. Checked:" in words

    table.with_name("out.certificate.sig.json").unlink()
    code, words, _ = called(capsys, *check)
    assert code == 0
    assert "No signature was checked." in words
    assert "says that it is signed, and no signature stands beside it" in words
    assert answer(*signed) == (3, False, True)
    code, words, _ = called(capsys, *check, "--require-signature")
    assert code == 3
    assert "none was checked, and one is required" in " ".join(words.split())

    table.with_name("out.record.json").unlink()
    code, words, _ = called(capsys, *check)
    assert code == 0
    assert "No signature was checked. No record was checked." in words
    assert answer(*check) == (0, False, False)
    code, words, _ = called(capsys, *check, "--require-record")
    assert code == 3
    assert "there is no record, and one is required" in words


def test_a_stranger_with_a_key_notices_that_the_signature_is_gone(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = table.with_name("key")
    assert called(capsys, "key", key)[0] == 0
    out, _ = released(capsys, table, "--key", key, "--transparent", "--publish-sensitive")
    known = table.with_name("known.csv")
    known.write_text("x\n" + "".join(f"{n}\n" for n in range(20)))
    check = ["verify", out, "--public-values", known]
    assert called(capsys, *check, "--public-key", f"{key}.pub", "--require-signature")[0] == 0
    code, words, _ = called(capsys, *check, "--require-signature")
    assert code == 3
    assert "none was checked, and one is required" in words
    table.with_name("out.certificate.sig.json").unlink()
    code, words, _ = called(capsys, *check, "--public-key", f"{key}.pub")
    assert code == 3
    assert "no signature stands beside the certificate" in words
    code, _, error = called(capsys, *check, "--require-record")
    assert code == 2
    assert "--require-record needs --original" in error


def test_python_requires_the_same(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = released(capsys, table)
    given = {"original": table, "policy": table.with_name("out.policy.json")}
    found = hartley.verify(out, **given, require_record=True)
    assert [check.name for check in found.failures] == ["record"]
    assert not found.record_checked
    assert hartley.verify(out, **given, record=table.with_name("out.record.json"), require_record=True).holds
    found = hartley.verify(out, **given, require_signature=True)
    assert [check.name for check in found.failures] == ["signature"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "give --original and --policy"),
        (["--original", "in.csv"], "go together"),
        (["--policy", "out.policy.json"], "go together"),
        (["--certificate", "x", "--no-certificate"], "contradict"),
        (["--public-key", "none.pub"], "no public key"),
        (["--public-key", "in.csv"], "is no public key"),
        (["--public-key", "in.csv", "--require-record"], "--require-record needs --original"),
        (["--require-signature"], "--public-key"),
    ],
)
def test_calls_that_cannot_be_answered_are_one_line(
    table: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
    message: str,
) -> None:
    released(capsys, table)
    monkeypatch.chdir(table.parent)
    code, _, error = called(capsys, "verify", "out.csv", *more)
    assert code == 2, error
    assert message in error
    assert error.count("\n") == 1


def test_what_is_proven_is_said_and_what_is_not_as_well(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, check = released(capsys, table)
    code, words, _ = called(capsys, *check)
    assert code == 0
    assert "Proven: no recoding that leaves 3 candidates everywhere has a largest move below" in words
    called(
        capsys,
        "release",
        table,
        table.with_name("out.csv"),
        "-s",
        "s",
        "-p",
        "x",
        "--distinct-l",
        3,
        "--search",
        "greedy",
        "--utility",
        "resolution",
        "--overwrite",
    )
    found = called(capsys, *check)
    assert found[0] == 0
    # Without the record nothing is said to be proven.
    table.with_name("out.record.json").unlink()
    code, words, _ = called(capsys, *check)
    assert code == 0
    assert "Not proven: whether a better partition exists, because no record was given" in words
    assert "Not checked: the record, which was not given" in words
