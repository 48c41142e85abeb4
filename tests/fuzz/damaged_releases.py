"""Releases whose documents were tampered with, and sealed anew by somebody who holds the policy, or not."""

from __future__ import annotations

import copy
import hmac
import json
import re
import tempfile
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from fuzz.damaged_files import damage_bytes, whole
from fuzz.hostile_values import SCALARS, nested
from fuzz.program import call

CHOICES = (
    ("-p", "age", "--max-leakage", "1.5"),
    ("-p", "town", "--largest-cluster", "2", "--keep", "known"),
    ("-p", "visited", "--labels", "interval", "--largest-cluster", "3", "--side", "known"),
    ("-p", "age", "-p", "score", "--missing", "drop", "--largest-cluster", "3", "--harmless", "known"),
    ("-p", "score", "--publish-sensitive", "--max-distortion", "1", "--missing-at", "0.6"),
    ("-p", "age", "--max-leakage", "1.5", "--key", "mine"),
    ("-p", "age", "-p", "score", "--shape", "columns", "--row-k", "2"),
    ("-p", "age", "--shape", "intervals", "--borders", "5", "--row-k", "2", "--person", "secretnumber"),
    ("-p", "age", "--withhold", "2", "--withheld-label", "gone", "--labels", "interval", "--row-k", "2"),
    ("-p", "town", "--require", "distinct-l=2", "--require", "l0=2", "--missing-word", "Eutin"),
)
POLICY, CERTIFICATE, RECORD = "out.policy.json", "out.certificate.json", "out.record.json"
_NOT_ASCII = re.compile("[^\x00-\x7f]")


@cache
def whole_release(number: int) -> dict[str, bytes]:
    """Return the files of a release that is as it should be, by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "original.csv").write_bytes(whole(".csv", 4 if number < 6 else 5))
        for line in (
            ("key", "mine"),
            ("release", "original.csv", "out.csv", "-s", "secret", "--accept-exposure", *CHOICES[number]),
        ):
            outcome = call(line, folder)
            if outcome.code != 0:
                raise AssertionError(f"{' '.join(line)}: {outcome.complaint}")
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def write_release(source: Random, folder: Path) -> None:
    """Write a release into a folder, and damage its documents, its keys, or its table."""
    files = dict(whole_release(source.randrange(len(CHOICES))))
    policy, certificate = files[POLICY], files[CERTIFICATE]
    for name in source.sample(sorted(files), source.choice((0, 1, 1, 1, 2))):
        if not name.endswith(".json") or source.random() < 0.15:
            files[name] = damage_bytes(source, files[name])
        elif source.random() < 0.1:
            files[name] = _odd_text(source, files[name])
        else:
            files[name] = _tampered(source, files[name], policy)
            if name == RECORD and source.random() < 0.75:
                files[CERTIFICATE] = _committed(certificate, files[RECORD], policy)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _tampered(source: Random, content: bytes, policy: bytes) -> bytes:
    document = copy.deepcopy(json.loads(content))
    for _ in range(source.choice((1, 1, 2, 3))):
        holder, key = source.choice(list(_places(document)))
        how = source.random()
        if how < 0.15:
            del holder[key]
        elif how < 0.25 and isinstance(holder, list):
            holder.append(holder[key])
        elif how < 0.3 and isinstance(holder, dict):
            holder[str(key) + source.choice(("", "x", "\x00", "é"))] = source.choice(SCALARS)
        else:
            holder[key] = copy.deepcopy(source.choice(SCALARS))
        if not document:
            break
    if source.random() < 0.75:
        _seal(document, policy)
    return _written(document) if source.random() < 0.85 else json.dumps(document).encode()


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    keys = range(len(document)) if isinstance(document, list) else list(document)
    for key in keys:
        yield document, key
        if isinstance(document[key], (dict, list)):
            yield from _places(document[key])


def _seal(document: dict[str, Any], policy: bytes) -> None:
    """Put the checksum or seal right again."""
    if "checksum" in document:
        document["checksum"] = sha256(_written({**document, "checksum": ""})).hexdigest()
    predicate = document.get("predicate")
    if isinstance(predicate, dict) and "seal" in predicate:
        predicate["seal"] = ""
        predicate["seal"] = _code(policy, "certificate", _written(document))


def _committed(certificate: bytes, record: bytes, policy: bytes) -> bytes:
    """Return the certificate with its commitment to the record put right again."""
    document = json.loads(certificate)
    document["predicate"]["commitment"] = _code(policy, "record", record)
    _seal(document, policy)
    return _written(document)


def _code(policy: bytes, what: str, content: bytes) -> str:
    key = bytes.fromhex(json.loads(policy)["key"])
    return hmac.new(key, f"hartley {what}\n".encode() + content, "sha256").hexdigest()


def _written(document: Any) -> bytes:
    """Return the bytes of a document in the one way in which they are read, where there is one."""
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    try:
        written = msgspec.json.format(msgspec.json.encode(msgspec.json.decode(text)), indent=2)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return text.encode()
    return _NOT_ASCII.sub(_escaped, written.decode()).encode() + b"\n"


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


def _odd_text(source: Random, content: bytes) -> bytes:
    text = content.decode()
    deep = nested(source, source.choice((50, 900, 1001, 30_000, 100_000)))
    return source.choice(
        (
            deep.encode(),
            text.replace(":", f': {deep}, "x":', 1).encode(),
            text.replace("{", '{"format": "hartley policy", "format": 1, ', 1).encode(),
            text.encode("utf-16"),
            b"\xef\xbb\xbf" + content,
            content + content,
            content + b"\x00",
            re.sub(r'"version": \d+', '"version": ' + "9" * 500, text).encode(),
            re.sub(r'"version": \d+', '"version": 1e400', text).encode(),
            b"null",
            b"{}",
            b"[]",
            b"",
        )
    )
