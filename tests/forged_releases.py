"""Releases to tamper with: their files, every field changed in turn, and everything resealed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from hartley import release
from hartley.errors import HartleyError
from hartley.model.demand import Target
from hartley.releases.certificate import Certificate, Envelope
from hartley.releases.policy import Policy
from hartley.releases.record import Record
from hartley.releases.signing import SigningKey
from hartley.verifier.verification import (
    Documents,
    policy_commitment,
    record_commitment,
    verify_release,
    verify_signature,
)

ROLES = ("original", "output", "policy", "certificate", "record", "signature")
DOCUMENTS = {"policy": Policy, "certificate": Certificate, "record": Record, "signature": Envelope}


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
        (folder / "key").touch(0o600)
        (folder / "key").write_bytes(self.key.private_pem)

    def made(self, seed: int, wanted: Target | dict[str, float], **options: Any) -> Files:
        random = Random(seed)
        rows = [
            f"{random.randint(0, 12)},{random.choice('abcde')},{random.choice('uv')}\n" for _ in range(18)
        ]
        source = self.folder / "in.csv"
        source.write_text("x,s,k\n" + "".join(rows))
        roles = {"sensitive": "s", "public": "x"}
        result = release(
            source,
            self.folder / "out.csv",
            require=wanted,
            key=self.folder / "key",
            overwrite=True,
            **{**roles, **options},
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


def changed(files: Files, role: str, content: bytes | None) -> Files:
    return replace(files, **{role: content})


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


def same_claims(one: Files, other: Files) -> bool:
    return (one.policy, one.record, one.certificate) == (other.policy, other.record, other.certificate)
