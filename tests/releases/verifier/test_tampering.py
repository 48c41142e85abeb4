"""Thousands of changes to the files of a release: each is caught, or is listed here as without meaning.

Whoever changes bytes has no key. Whoever reseals holds the policy, and so the key of commitments and
seal, but not the signing key. Without a signature a holder of the policy can make a new, true release; what
they cannot make is a false one that verifies.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from hartley.errors import HartleyError
from hartley.model.target import Target
from hartley.releases.certificate import Certificate, Envelope
from hartley.releases.policy import Policy
from hartley.releases.record import Record
from hartley.releases.signing import SigningKey
from hartley.releases.verifier.verification import (
    Documents,
    policy_commitment,
    record_commitment,
    verify_release,
    verify_signature,
)
from hartley.workflow import release

ROLES = ("original", "output", "policy", "certificate", "record", "signature")
DOCUMENTS = {"policy": Policy, "certificate": Certificate, "record": Record, "signature": Envelope}

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


@dataclass(frozen=True)
class Files:
    """The files of one release, by their roles."""

    original: bytes
    output: bytes
    policy: bytes
    certificate: bytes
    record: bytes
    signature: bytes | None


class Workshop:
    """Checks sets of files, as `verify` would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = SigningKey.make()
        self.checked = 0
        self.key.write(folder / "key")

    def made(self, seed: int, target: Target, **options: Any) -> Files:
        random = Random(seed)
        rows = [
            f"{random.randint(0, 12)},{random.choice('abcde')},{random.choice('uv')}\n" for _ in range(18)
        ]
        source = self.folder / "in.csv"
        source.write_text("x,s,k\n" + "".join(rows))
        result = release(
            source,
            self.folder / "out.csv",
            require=target,
            sensitive="s",
            public="x",
            key=self.folder / "key",
            overwrite=True,
            **options,
        )
        assert result.signature is not None
        names = ("output", "policy", "certificate", "record", "signature")
        return Files(source.read_bytes(), *(getattr(result, name).read_bytes() for name in names))

    def holds(self, files: Files, *, with_key: bool = True) -> bool:
        """Tell whether everything is confirmed; a document that is refused is not."""
        self.checked += 1
        try:
            policy = Policy.read_json(files.policy)
            documents = self._documents(files, with_key=with_key)
            record = Record.read_json(files.record)
            return verify_release(
                self._written("out.csv", files.output),
                self._written("in.csv", files.original),
                policy,
                replace(documents, record=record),
            ).holds
        except HartleyError:
            return False

    def holds_in_public(self, files: Files) -> bool:
        """Tell whether what anybody can check is confirmed."""
        self.checked += 1
        try:
            documents = self._documents(files, with_key=True)
            return verify_signature(self._written("out.csv", files.output), documents).holds
        except HartleyError:
            return False

    def _documents(self, files: Files, *, with_key: bool) -> Documents:
        signature = None if files.signature is None else Envelope.read_json(files.signature)
        return Documents(
            certificate=Certificate.read_json(files.certificate),
            envelope=signature,
            key=self.key.public if with_key else None,
        )

    def _written(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
        return path


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("tampering"))


@pytest.fixture(scope="module")
def files(workshop: Workshop) -> Files:
    return workshop.made(1, Target("distinct_l", 2), keep="k", keep_order=True)


def changed(files: Files, role: str, content: bytes | None) -> Files:
    return replace(files, **{role: content})


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


def leaves(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(document, dict) and document:
        for key, value in document.items():
            yield from leaves(value, (*path, key))
    elif isinstance(document, list) and document:
        for place, value in enumerate(document):
            yield from leaves(value, (*path, place))
    else:
        yield path


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def other_values(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, value - 1, 0, value + 0.5, None]
    if isinstance(value, float):
        return [value + 1, value / 2 + 0.25, 0.0, None]
    if isinstance(value, str):
        return [value + "x", "", value[1:] + value[:1], None]
    if value is None:
        return [1, 0.5, "x", [], ["0"], {"x": 1}]
    return [["x"], [1], {"x": 1}, None]


def forgeries(content: bytes) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Give the document with one field changed, once for each field and each other value."""
    document = json.loads(content)
    for path in leaves(document):
        value = at(document, path)
        for other in other_values(value):
            if other == value and type(other) is type(value):
                continue
            copy = json.loads(content)
            at(copy, path[:-1])[path[-1]] = other
            yield path, copy


def as_written(kind: Any, document: Any) -> bytes | None:
    """Write a forged document as its maker would; nothing where it has not even the shape."""
    try:
        return bytes(msgspec.convert(document, kind).to_json())
    except (msgspec.ValidationError, ValueError):
        return None


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


def resealed(files: Files, policy: Policy, record: Record, certificate: Certificate) -> Files:
    """Give the files with everything made anew that the holder of the policy can make."""
    policy = msgspec.structs.replace(policy, checksum="")
    policy = msgspec.structs.replace(policy, checksum=policy.content_hash())
    promise = certificate.predicate
    if promise.signature != "none":
        promise = msgspec.structs.replace(promise, signature="none")
    commitments = msgspec.structs.replace(record.commitments, policy=policy_commitment(policy, policy))
    record = msgspec.structs.replace(record, commitments=commitments)
    promise = msgspec.structs.replace(promise, commitment=record_commitment(policy, record))
    sealed = msgspec.structs.replace(certificate, predicate=promise).sealed(policy)
    return Files(files.original, files.output, policy.to_json(), sealed.to_json(), record.to_json(), None)


@pytest.mark.parametrize("role", ["policy", "certificate", "record"])
def test_false_claims_are_caught_though_they_are_resealed(
    workshop: Workshop, files: Files, role: str
) -> None:
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
        assert not workshop.holds(whole, with_key=True), path
        if same_claims(whole, resealed(files, **honest)):
            continue  # what was forged is what resealing makes anew
        if workshop.holds(whole, with_key=False):
            meaningless.add((role, *path))
        done += 1
    assert {path for path in meaningless if not is_listed(path)} == set()
    assert done >= 20


def same_claims(one: Files, other: Files) -> bool:
    return (one.policy, one.record, one.certificate) == (other.policy, other.record, other.certificate)


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


def test_there_were_at_least_three_thousand_changes(workshop: Workshop) -> None:
    assert workshop.checked >= 3000 or workshop.checked < 100, workshop.checked
