"""Releases whose policy or certificate was tampered with, sealed anew or not."""

from __future__ import annotations

import copy
import hmac
import json
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from fuzz.damaged_files import damage_bytes, whole
from fuzz.hostile_values import SCALARS, nested
from fuzz.program import call

CHOICES = (
    ("-p", "age", "--max-leakage", "1.5"),
    ("-p", "town", "--largest-cluster", "2", "--keep", "known"),
    ("-p", "visited", "--labels", "interval", "--largest-cluster", "3", "--side", "known"),
    ("-p", "age", "-p", "score", "--missing", "drop", "--largest-cluster", "3", "--harmless", "known"),
    ("-p", "score", "--publish-sensitive", "--max-distortion", "1", "--missing-at", "0.6"),
)


@cache
def whole_release(number: int) -> dict[str, bytes]:
    """Return the files of a release that is as it should be, by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "original.csv").write_bytes(whole(".csv", 4))
        line = ("release", "original.csv", "out.csv", "-s", "secret", *CHOICES[number], "--search", "greedy")
        outcome = call(line, folder)
        if outcome.code != 0:
            raise AssertionError(f"{' '.join(line)}: {outcome.complaint}")
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def write_release(source: Random, folder: Path) -> None:
    """Write a release into a folder, and damage its policy, its certificate, or its table."""
    files = dict(whole_release(source.randrange(len(CHOICES))))
    policy = files["out.policy.json"]
    for name in source.sample(sorted(files), source.choice((0, 1, 1, 1, 2))):
        if not name.endswith(".json") or source.random() < 0.2:
            files[name] = damage_bytes(source, files[name])
        elif source.random() < 0.1:
            files[name] = _odd_text(source, files[name])
        else:
            files[name] = _tampered(source, files[name], policy)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    if source.random() < 0.05:
        shutil.copy(folder / source.choice(sorted(files)), folder / "again.json")


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
        if not isinstance(document, dict) or not document:
            break
    if source.random() < 0.75:
        _seal(document, policy)
    return json.dumps(document, ensure_ascii=source.random() < 0.5).encode("utf-8", "surrogatepass")


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    keys = range(len(document)) if isinstance(document, list) else list(document)
    for key in keys:
        yield document, key
        if isinstance(document[key], (dict, list)):
            yield from _places(document[key])


def _seal(document: dict[str, Any], policy: bytes) -> None:
    """Put the checksum or seal right again, as somebody would who holds the policy."""
    if "checksum" in document:
        document["checksum"] = sha256(_compact({**document, "checksum": ""})).hexdigest()
    if "seal" in document:
        key = bytes.fromhex(json.loads(policy)["key"])
        document["seal"] = hmac.new(key, _compact({**document, "seal": ""}), "sha256").hexdigest()


def _compact(document: dict[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


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
            text.replace('"version": 1', '"version": ' + "9" * 500).encode(),
            text.replace('"version": 1', '"version": 1e400').encode(),
            b"null",
            b"{}",
            b"[]",
            b"",
        )
    )
