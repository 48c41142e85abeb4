"""Thousands of changes to the files of a release: each is caught, or is listed here as without meaning.

Whoever changes bytes has no key. Whoever reseals holds the policy, and so the key of commitments and
seal, but not the signing key. Without a signature a holder of the policy can make a new, true release; what
they cannot make is a false one that verifies.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from math import prod
from random import Random
from typing import Any

import msgspec
import pytest

from forged_releases import (
    DOCUMENTS,
    ROLES,
    Files,
    Workshop,
    as_written,
    changed,
    forgeries,
    resealed,
    same_claims,
)
from hartley.model.demand import Target
from hartley.releases.certificate import Certificate, Envelope
from hartley.releases.record import CodebooksRecord
from hartley.releases.signing import SigningKey
from hartley.tables import ReadOptions

WITHOUT_MEANING = {
    # What the holder of the policy can change, with everything resealed, without making a claim false.
    ("record", "usefulness"): "no one counts it again; verify says so",
    ("record", "timings"): "no one can check how long it took; verify says so",
    ("record", "proofs"): "a proof that states less and still holds, where the bounds it gives stay the same",
    ("certificate", "subject", 0, "name"): "the file is known by its hash, and may be renamed",
    ("policy", "choices", "target"): "what says less than the requirements, which are all checked",
    ("policy", "choices", "labels"): "how labels were chosen; the labels themselves are checked",
    ("policy", "reading", "sheet"): "there are no sheets in a text file",
    ("policy", "reading", "query"): "there is no query of a text file",
    ("policy", "reading", "number"): "the kinds of the columns say how cells are read",
    ("policy", "reading", "text"): "the kinds of the columns say how cells are read",
    ("policy", "untouched_kinds", "k"): "a kept column is compared as text in a text file",
    ("policy", "choices", "missing_at"): "no public cell is missing here",
    ("policy", "choices", "shape"): "what was asked of clusters; the clusters and the proofs are checked",
    ("policy", "choices", "withheld_label"): "nothing is withheld here",
    ("policy", "reading", "missing_words"): "no cell here is such a word",
}


LEAST_CHANGES = {
    "test_changed_bytes_are_caught": 220,
    "test_changed_bytes_are_caught_by_anybody": 180,
    "test_forged_fields_are_caught": 30,
    "test_false_claims_are_caught_though_they_are_resealed": 120,
    "test_false_claims_about_richer_releases_are_caught": 60,
    "test_files_of_different_releases_do_not_go_together": 230,
}
"""How many changes each case of a test checks at least; every case is held to it."""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("tampering"))


@pytest.fixture(autouse=True)
def enough_changes(request: pytest.FixtureRequest, workshop: Workshop) -> Iterator[None]:
    """Hold every test to the number of changes that it is to check, on whichever worker it runs."""
    before = workshop.checked
    yield
    assert workshop.checked - before >= LEAST_CHANGES.get(request.function.__name__, 0)


@pytest.fixture(scope="module")
def files(workshop: Workshop) -> Files:
    return workshop.made(1, Target("distinct_l", 2), keep="k", keep_order=True)


def damaged(random: Random, content: bytes) -> bytes:
    """Change a byte, lose some, insert some, or exchange two lines."""
    place = random.randrange(len(content))
    way = random.randrange(4)
    if way == 0:
        other = random.choice([byte for byte in range(256) if byte != content[place]])
        return content[:place] + bytes([other]) + content[place + 1 :]
    if way == 1:
        return content[:place] + content[place + random.randint(1, 3) :]
    if way == 2:
        return content[:place] + bytes([random.choice(content)]) * random.randint(1, 3) + content[place:]
    lines = content.splitlines(keepends=True)
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def test_what_was_not_changed_is_confirmed(workshop: Workshop, files: Files) -> None:
    assert workshop.holds(files)
    assert workshop.holds(files, with_key=False)
    assert workshop.holds_in_public(files)


@pytest.mark.parametrize("role", ROLES)
def test_changed_bytes_are_caught(workshop: Workshop, files: Files, role: str) -> None:
    content = getattr(files, role)
    random = Random(role)
    for _ in range(250):
        other = damaged(random, content)
        if other != content:
            assert not workshop.holds(changed(files, role, other)), other


@pytest.mark.parametrize("role", ["output", "certificate", "signature"])
def test_changed_bytes_are_caught_by_anybody(workshop: Workshop, files: Files, role: str) -> None:
    content = getattr(files, role)
    random = Random(f"public {role}")
    for _ in range(200):
        other = damaged(random, content)
        if other != content:
            assert not workshop.holds_in_public(changed(files, role, other)), other


@pytest.mark.parametrize("role", DOCUMENTS)
def test_forged_fields_are_caught(workshop: Workshop, files: Files, role: str) -> None:
    done = 0
    for path, document in forgeries(getattr(files, role)):
        forged = as_written(DOCUMENTS[role], document)
        if forged is None:
            forged = json.dumps(document, indent=2).encode() + b"\n"
        elif forged == getattr(files, role):
            continue
        assert not workshop.holds(changed(files, role, forged)), path
        if role in ("certificate", "signature"):
            assert not workshop.holds_in_public(changed(files, role, forged)), path
        done += 1
    assert done >= 15


@pytest.mark.parametrize("role", DOCUMENTS)
def test_keys_that_stand_twice_are_caught(workshop: Workshop, files: Files, role: str) -> None:
    lines = getattr(files, role).splitlines(keepends=True)
    keyed = [number for number, line in enumerate(lines) if b'": ' in line]
    for number in keyed:
        line = lines[number].rstrip(b",\n{[") + b",\n"
        if lines[number].rstrip().endswith((b"{", b"[")):
            line = lines[number].rstrip(b"{[\n ") + b" null,\n"
        twice = b"".join([*lines[:number], line, *lines[number:]])
        assert not workshop.holds(changed(files, role, twice)), line


@pytest.mark.parametrize("role", ["policy", "certificate", "record"])
def test_false_claims_are_caught_though_they_are_resealed(
    workshop: Workshop, files: Files, role: str
) -> None:
    done, meaningless = unnoticed(workshop, files, role)
    assert {path for path in meaningless if not is_listed(path)} == set()
    assert done >= 20


RICHER: dict[str, tuple[dict[str, float], dict[str, Any]]] = {
    "codebooks of columns": ({"row_k": 3}, {"public": ["x", "k"], "shape": "columns"}),
    "bands with withheld rows": (
        {"distinct_l": 2, "row_k": 3},
        {"shape": "intervals", "borders": 5, "withhold": 3, "withheld_label": "gone", "labels": "interval"},
    ),
    "bits, and a word for missing cells": (
        {"distinct_l": 2, "l0": 1.5},
        {"options": ReadOptions(missing_words=("7",)), "missing": "drop", "side": "k"},
    ),
}
"""Releases with fields that the plain one does not have."""
MEANT: dict[str, set[tuple[Any, ...]]] = {
    "bands with withheld rows": {("policy", "choices", "withheld_label")},
    "bits, and a word for missing cells": {("policy", "reading", "missing_words")},
}
"""What has a meaning there though it has none in the plain release."""
WITHOUT_MEANING_THERE = {
    ("policy", "choices", "withhold"): "how many rows may be withheld; those that are, are counted",
    **{
        ("policy", "codebooks", place, name): "no cell here is missing, and the codebook names all"
        for place in (0, 1)
        for name in ("has_missing", "missing_label", "other")
    },
    **{
        (
            "record",
            "codebooks",
            name,
        ): "what the search says of the codebooks; verify says that it is not checked"
        for name in CodebooksRecord.__struct_fields__
        if name not in ("combinations", "withheld_combinations")
    },
}


@pytest.mark.parametrize("role", ["policy", "certificate", "record"])
@pytest.mark.parametrize("kind", RICHER)
def test_false_claims_about_richer_releases_are_caught(workshop: Workshop, kind: str, role: str) -> None:
    wanted, options = RICHER[kind]
    files = workshop.made(3, wanted, **options)
    done, meaningless = unnoticed(workshop, files, role, is_key_asked_for=False)
    known = {*WITHOUT_MEANING, *WITHOUT_MEANING_THERE} - MEANT.get(kind, set())
    assert {path for path in meaningless if not any(path[: len(one)] == one for one in known)} == set()
    assert done >= 20


def unnoticed(
    workshop: Workshop, files: Files, role: str, *, is_key_asked_for: bool = True
) -> tuple[int, set[tuple[Any, ...]]]:
    """Forge every field of a document and reseal everything; give how many, and which were not noticed."""
    honest = {
        name: DOCUMENTS[name].read_json(getattr(files, name)) for name in ("policy", "certificate", "record")
    }
    assert workshop.holds(resealed(files, **honest), with_key=False)
    assert not workshop.holds(resealed(files, **honest), with_key=True)  # the signature was stripped
    done, meaningless = 0, set()
    for path, document in forgeries(getattr(files, role)):
        try:
            forged = msgspec.convert(document, DOCUMENTS[role])
        except (msgspec.ValidationError, ValueError):
            continue
        if forged == honest[role]:
            continue
        try:
            whole = resealed(files, **{**honest, role: forged})
        except ValueError:
            continue  # with such a key nothing can be sealed
        assert not is_key_asked_for or not workshop.holds(whole, with_key=True), path
        if same_claims(whole, resealed(files, **honest)):
            continue  # what was forged is what resealing makes anew
        if workshop.holds(whole, with_key=False):
            meaningless.add((role, *path))
        done += 1
    return done, meaningless


def is_listed(path: tuple[Any, ...]) -> bool:
    return any(path[: len(known)] == known for known in WITHOUT_MEANING)


def test_files_of_different_releases_do_not_go_together(workshop: Workshop, files: Files) -> None:
    others = [
        files,
        workshop.made(1, Target("distinct_l", 3), keep="k", keep_order=True),  # of the same table
        workshop.made(2, Target("distinct_l", 2), keep="k", keep_order=True),  # of another one
    ]
    for one in others:
        assert workshop.holds(one)
    mixed = 0
    for choice in itertools.product(range(len(others)), repeat=5):
        roles = dict(zip(ROLES[1:], choice, strict=True))
        # The same release made again has the same table; its documents are still others.
        documents = {roles["policy"], roles["certificate"], roles["record"], roles["signature"]}
        if len(documents) == 1 and others[roles["output"]].output == others[roles["policy"]].output:
            continue
        # Whatever the original, documents of different releases never agree.
        original = others[roles["output"]].original
        mix = Files(original, *(getattr(others[number], role) for role, number in roles.items()))
        assert not workshop.holds(mix), roles
        mixed += 1
    assert mixed > 200


@pytest.mark.parametrize(
    "strip",
    [
        lambda files: changed(files, "signature", None),
        lambda files: changed(files, "signature", b"{}\n"),
        lambda files: changed(files, "record", b"{}\n"),
        lambda files: changed(files, "certificate", b"{}\n"),
        lambda files: changed(files, "policy", b""),
        lambda files: changed(files, "output", files.output.split(b"\n")[0] + b"\n"),
    ],
)
def test_what_is_stripped_is_missed(
    workshop: Workshop, files: Files, strip: Callable[[Files], Files]
) -> None:
    assert not workshop.holds(strip(files))


def test_another_signer_is_not_the_one_asked_for(workshop: Workshop, files: Files) -> None:
    certificate = Certificate.read_json(files.certificate)
    other = SigningKey.make().sign(certificate)
    claimed = msgspec.structs.replace(
        other.signatures[0], keyid=Envelope.read_json(files.signature or b"").signatures[0].keyid
    )
    for envelope in (other, msgspec.structs.replace(other, signatures=(claimed,))):
        assert not workshop.holds_in_public(changed(files, "signature", envelope.to_json()))


def test_there_are_at_least_three_thousand_changes() -> None:
    assert sum(cases(globals()[test]) * least for test, least in LEAST_CHANGES.items()) >= 3000


def cases(test: Any) -> int:
    """Return how many cases a test has."""
    marks = getattr(test, "pytestmark", ())
    return prod(len(mark.args[1]) for mark in marks if mark.name == "parametrize")
