"""A CSV release has the delimiter, decimal mark and encoding of its input, and is verified as such."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from collections import Counter
from pathlib import Path

import msgspec
import pytest

import hartley
from hartley.cli.program import run
from hartley.errors import OptionError, PolicyError, WriteError
from hartley.releases.policy import Policy, TextForm

HEADER = ["Größe", "Stadt", "Gewicht", "Maß", "Diagnose"]
ROWS = [
    [
        f"{150 + number % 40},{number % 2 * 5}",
        ("Köln", "Süd; West")[number % 2],
        f"-{number % 7},25",
        "1.5",
        cell,
    ]
    for number, cell in enumerate(["Grippe", "Übelkeit", "Röteln"] * 40)
]


def german(folder: Path, encoding: str = "cp1252", mark: str = ";") -> Path:
    path = folder / "de.csv"
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=mark).writerows([HEADER, *ROWS])
    return path


def released(path: Path, out: Path, encoding: str = "cp1252", **more: object) -> hartley.ReleaseResult:
    return hartley.release(
        path, out, sensitive="Diagnose", public="Größe", keep=["Stadt", "Maß"], harmless="Gewicht",
        require={"distinct_l": 2}, exposure="accept",
        options=hartley.ReadOptions(encoding=encoding, decimal=","), **more,
    )  # fmt: skip


def cells(content: bytes, encoding: str, mark: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(encoding)), delimiter=mark))


def verified(made: hartley.ReleaseResult, path: Path) -> hartley.Verification:
    return hartley.verify(
        made.output, original=path, policy=made.policy, certificate=made.certificate, record=made.record
    )


@pytest.mark.parametrize("keep_order", [True, False])
def test_a_german_file_stays_one(tmp_path: Path, keep_order: bool) -> None:
    path = german(tmp_path)
    made = released(path, tmp_path / "out.csv", keep_order=keep_order)
    header, *rows = cells(made.output.read_bytes(), "cp1252", ";")
    assert header == HEADER[:4]
    # What is not recoded stands there as it stood, a text with a point as well.
    assert Counter(tuple(row[1:]) for row in rows) == Counter(tuple(row[1:4]) for row in ROWS)
    assert all("." not in row[0] for row in rows)
    assert any("," in row[0] for row in rows)
    assert made.verification.holds
    assert verified(made, path).holds


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"-3,25", b"-3.25"), (b"-3,25", b"-4,25"), (b"1.5", b"1,5"), ("Köln".encode("cp1252"), b"Koln")],
)
def test_a_changed_cell_is_found(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = german(tmp_path)
    made = released(path, tmp_path / "out.csv")
    content = made.output.read_bytes()
    assert old in content
    made.output.write_bytes(content.replace(old, new, 1))
    assert {"rows", "hash of the release"} <= {check.name for check in verified(made, path).failures}


def test_it_can_be_written_in_the_usual_way(tmp_path: Path) -> None:
    path = german(tmp_path)
    made = released(path, tmp_path / "out.csv", like_input="no")
    _, *rows = cells(made.output.read_bytes(), "utf-8", ",")
    assert {row[2] for row in rows} == {f"-{number}.25" for number in range(7)}
    assert Policy.read(made.policy).choices.text_form is msgspec.UNSET
    assert verified(made, path).holds


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
def test_a_byte_order_mark_on_request(tmp_path: Path, name: str) -> None:
    path = german(tmp_path)
    made = released(path, tmp_path / name, like_input="bom")
    content = made.output.read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    assert content.startswith(codecs.BOM_UTF8)
    assert cells(content, "utf-8-sig", ";")[0] == HEADER[:4]
    assert verified(made, path).holds


def test_a_byte_order_mark_of_the_input_stays(tmp_path: Path) -> None:
    path = german(tmp_path, "utf-8-sig")
    made = released(path, tmp_path / "out.csv", "utf-8")
    assert made.output.read_bytes().startswith(codecs.BOM_UTF8 + "Größe;".encode())
    assert verified(made, path).holds


def test_other_encodings_and_names(tmp_path: Path) -> None:
    path = german(tmp_path, "utf-16")
    made = released(path, tmp_path / "out.tsv", "utf-16")  # the name says that it has tabs
    assert cells(made.output.read_bytes(), "utf-16", "\t")[0] == HEADER[:4]
    assert verified(made, path).holds
    plain = released(path, tmp_path / "other.jsonl", "utf-16")
    assert '"Gewicht":-3.25' in plain.output.read_text(encoding="utf-8")
    assert verified(plain, path).holds


def test_a_decimal_comma_between_commas_is_in_quotes(tmp_path: Path) -> None:
    path = german(tmp_path, "utf-8", ",")
    made = released(path, tmp_path / "out.csv", "utf-8")
    assert b'"-3,25"' in made.output.read_bytes()
    assert verified(made, path).holds


def test_apply_writes_as_the_release_was_written(tmp_path: Path) -> None:
    path = german(tmp_path)
    made = released(path, tmp_path / "out.csv")
    again = hartley.apply(made.policy, path, tmp_path / "again.csv")
    assert sorted(again.output.read_bytes().splitlines()) == sorted(made.output.read_bytes().splitlines())
    assert hartley.verify(again.output, original=path, policy=made.policy).holds


def test_it_is_held_against_its_original_by_the_options_of_the_original(tmp_path: Path) -> None:
    path = german(tmp_path)
    made = released(path, tmp_path / "out.csv")
    found = hartley.audit(
        made.output,
        sensitive="Diagnose",
        public="Größe",
        options=hartley.ReadOptions(encoding="cp1252", decimal=","),
        against=path,
    )
    assert found.against is not None
    assert found.against.people == len(ROWS)
    assert found.against.disclosed_right == 0


def test_letters_that_the_encoding_lacks_are_refused(tmp_path: Path) -> None:
    path = german(tmp_path)
    policy = Policy.read(released(path, tmp_path / "out.csv").policy)
    cyrillic = msgspec.structs.replace(policy.choices, text_form=TextForm(encoding="cp1251"))
    there = set(tmp_path.iterdir())
    with pytest.raises(WriteError, match="letters that cp1251, the encoding of the input, lacks"):
        hartley.apply(msgspec.structs.replace(policy, choices=cyrillic), path, tmp_path / "again.csv")
    assert set(tmp_path.iterdir()) == there


def test_wrong_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = german(tmp_path)
    with pytest.raises(OptionError, match="byte order mark"):
        released(path, tmp_path / "out.parquet", like_input="bom")
    with pytest.raises(OptionError, match="maybe"):
        released(path, tmp_path / "out.csv", like_input="maybe")
    call = [
        "release",
        str(path),
        str(tmp_path / "o.csv"),
        "-s",
        "Diagnose",
        "-p",
        "Größe",
        "--distinct-l",
        "2",
    ]
    assert run([*call, "--like-input", "maybe"]) == 2
    assert "'--like-input'" in capsys.readouterr().err


@pytest.mark.parametrize("form", [TextForm(delimiter="ab"), TextForm(encoding="hex"), TextForm(encoding="x")])
def test_a_policy_with_a_form_that_no_file_has_is_refused(tmp_path: Path, form: TextForm) -> None:
    made = released(german(tmp_path), tmp_path / "out.csv")
    policy = Policy.read(made.policy)
    policy = msgspec.structs.replace(policy, choices=msgspec.structs.replace(policy.choices, text_form=form))
    policy = msgspec.structs.replace(policy, checksum=policy.content_hash())
    with pytest.raises(PolicyError, match="damaged"):
        Policy.read_json(policy.to_json())


def weights(folder: Path) -> Path:
    """Write a table in which 3,2 needs no other value; -0,4 begins as a formula does."""
    path = folder / "weights.csv"
    rows = enumerate(["-0,4", "0,6", "0,8", "3,2", "3,2", "3,2"] * 4)
    lines = [f"{cell};{('A1.5', 'B', 'C')[number % 3]};{number // 6 % 2}" for number, cell in rows]
    path.write_text("\n".join(["Gewicht;Diagnose;Stufe", *lines]) + "\n", encoding="utf-8")
    return path


def in_words(path: Path, out: Path, **more: object) -> hartley.ReleaseResult:
    return hartley.release(
        path, out, sensitive="Diagnose", public="Gewicht", labels="range", require={"distinct_l": 3},
        options=hartley.ReadOptions(decimal=","), **more,
    )  # fmt: skip


def test_labels_in_words_have_the_decimal_comma(tmp_path: Path) -> None:
    path = weights(tmp_path)
    made = in_words(path, tmp_path / "out.csv", keep="Stufe", publish_sensitive=True, defuse_formulas=True)
    _, *rows = cells(made.output.read_bytes(), "utf-8", ";")
    shown = {row[0] for row in rows}
    assert shown == {"'-0,4 to 0,8", "3,2"}
    assert {row[1] for row in rows} == {"A1.5", "B", "C"}
    assert shown == {row[3] for row in cells(made.codebook.read_bytes(), "utf-8", ",")[1:] if row[3]}
    assert {one.label for one in Policy.read(made.policy).clusters} == {("-0.4 to 0.8",), ("3.2",)}
    assert verified(made, path).holds
    again = hartley.apply(made.policy, path, tmp_path / "again.csv")
    assert sorted(again.output.read_bytes().splitlines()) == sorted(made.output.read_bytes().splitlines())
    made.output.write_bytes(made.output.read_bytes().replace(b"3,2;", b"3.2;", 1))
    assert "rows" in {check.name for check in verified(made, path).failures}


def test_labels_with_the_decimal_comma_are_held_against_the_original(tmp_path: Path) -> None:
    path = weights(tmp_path)
    out = in_words(path, tmp_path / "out.csv").output
    # A header of one name has no mark between cells that readers could find.
    assert set(out.read_text(encoding="utf-8").splitlines()[1:]) == {'"-0,4 to 0,8"', '"3,2"'}
    found = hartley.audit(
        out, sensitive="Diagnose", public="Gewicht", options=hartley.ReadOptions(decimal=","), against=path
    )
    assert found.against is not None
    assert (found.against.found, found.against.disclosed_right) == (24, 0)
    assert [one["form"] for one in found.against.labels[0]["read_as"]] == ["band", "value"]


def test_a_column_with_a_label_that_was_named_with_a_comma_keeps_its_labels(tmp_path: Path) -> None:
    policy = Policy.read(in_words(weights(tmp_path), tmp_path / "out.csv").policy)
    assert policy.comma_labels == ("Gewicht",)
    named = tuple(
        msgspec.structs.replace(one, label=("0,5",) if one.label == ("3.2",) else one.label)
        for one in policy.clusters
    )
    assert msgspec.structs.replace(policy, clusters=named).comma_labels == ()
