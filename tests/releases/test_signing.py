"""Keys that nobody else can read, and signatures that anybody can check."""

from __future__ import annotations

import base64
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from hartley import release
from hartley.errors import InputError, PolicyError, WriteError
from hartley.model.demand import Target
from hartley.releases.certificate import PAYLOAD_TYPE, Envelope
from hartley.releases.signing import SigningKey
from hartley.workflow.make_key import make_key
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.verify_release import verify, verify_published


def signed(folder: Path, **options: object) -> ReleaseResult:
    source = folder / "in.csv"
    source.write_text("x,s\n1,a\n2,b\n3,a\n4,b\n")
    if not (folder / "key").exists():
        make_key(folder / "key")
    asked = {"sensitive": "s", "public": "x", "require": Target("distinct_l", 2), "key": folder / "key"}
    return release(source, folder / "out.csv", **{**asked, **options})  # type: ignore[arg-type]


def test_a_key_is_its_owners_alone_and_never_overwritten(tmp_path: Path) -> None:
    made = make_key(tmp_path / "key")
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    content = made.key.read_bytes()
    assert b"PRIVATE KEY" in content
    assert b"PUBLIC KEY" in made.public_key.read_bytes()
    with pytest.raises(WriteError, match="never overwritten"):
        make_key(tmp_path / "key")
    assert made.key.read_bytes() == content
    made.key.unlink()
    with pytest.raises(WriteError, match=r"key\.pub' exists already"):
        make_key(tmp_path / "key")
    assert not made.key.exists()


def test_a_key_is_never_shown(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hartley", "key", str(tmp_path / "key"), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    secret = "".join((tmp_path / "key").read_text().splitlines()[1:-1])
    assert secret not in done.stdout + done.stderr
    assert set(json.loads(done.stdout)) == {"key", "public_key", "fingerprint"}
    assert secret not in repr(SigningKey.read(tmp_path / "key"))


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes here")
def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    made = make_key(tmp_path / "key")
    made.key.chmod(0o640)
    with pytest.raises(PolicyError, match="can be read by others"):
        SigningKey.read(made.key)


@pytest.mark.parametrize(
    "content", ["", "no key", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----"]
)
def test_what_is_no_key_is_one_clear_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(PolicyError, match="is no key"):
        SigningKey.read(path)
    with pytest.raises(PolicyError, match=r"no public key|private key"):
        signed_by(tmp_path, path)


def signed_by(folder: Path, key: Path) -> bool:
    made = signed(folder, key=None)
    return verify_published(made.output, certificate=made.certificate, public_key=key).holds


def test_a_signature_is_checked_without_any_secret(tmp_path: Path) -> None:
    made = signed(tmp_path)
    assert made.signature == tmp_path / "out.certificate.sig.json"
    (tmp_path / "key").unlink()
    made.policy.unlink()
    made.record.unlink()
    public = tmp_path / "key.pub"
    found = verify_published(made.output, certificate=made.certificate, public_key=public)
    assert found.holds
    assert any("takes the original" in said for said in found.not_checked)
    make_key(tmp_path / "other")
    by_other = verify_published(made.output, certificate=made.certificate, public_key=tmp_path / "other.pub")
    assert {check.name for check in by_other.failures} == {"name of the key", "signature"}


def test_the_envelope_is_what_other_tools_read(tmp_path: Path) -> None:
    made = signed(tmp_path)
    assert made.signature is not None
    envelope = json.loads(made.signature.read_bytes())
    assert envelope["payloadType"] == PAYLOAD_TYPE == "application/vnd.in-toto+json"
    payload = base64.b64decode(envelope["payload"])
    assert payload == made.certificate.read_bytes()
    kind = envelope["payloadType"].encode()
    text = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
    (signature,) = envelope["signatures"]
    public = load_pem_public_key((tmp_path / "key.pub").read_bytes())
    public.verify(base64.b64decode(signature["sig"]), text)  # type: ignore[union-attr, call-arg, arg-type]
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"][0]["name"] == "out.csv"
    assert statement["predicateType"].startswith("urn:hartley:")


def test_everything_is_checked_with_original_policy_record_and_key(tmp_path: Path) -> None:
    made = signed(tmp_path)
    found = verify(
        made.output,
        original=tmp_path / "in.csv",
        policy=made.policy,
        certificate=made.certificate,
        record=made.record,
        public_key=tmp_path / "key.pub",
    )
    assert found.holds
    assert {"signature", "commitment to the record", "requirement distinct-l"} <= {
        check.name for check in found.checks
    }
    assert found.optimality.proven


def test_without_a_key_the_certificate_says_that_it_is_unsigned(tmp_path: Path) -> None:
    made = signed(tmp_path, key=None)
    assert made.signature is None
    assert json.loads(made.certificate.read_bytes())["predicate"]["signature"] == "none"
    found = verify_published(made.output, certificate=made.certificate, public_key=tmp_path / "key.pub")
    assert {check.name for check in found.failures} == {"said to be signed", "signature"}


def test_a_signature_of_another_certificate_is_refused(tmp_path: Path) -> None:
    one = signed(tmp_path)
    assert one.signature is not None
    replayed = one.signature.read_bytes()
    two = signed(tmp_path, overwrite=True)
    assert two.signature is not None
    two.signature.write_bytes(replayed)
    found = verify_published(two.output, certificate=two.certificate, public_key=tmp_path / "key.pub")
    assert [check.name for check in found.failures] == ["signed bytes"]


def test_letters_of_base64_that_mean_the_same_are_refused(tmp_path: Path) -> None:
    made = signed(tmp_path)
    assert made.signature is not None
    text = made.signature.read_text()
    assert 'w=="' in text or 'A=="' in text or 'Q=="' in text or 'g=="' in text
    for letter, other in (("w", "x"), ("A", "B"), ("Q", "R"), ("g", "h")):
        with_other = text.replace(f'{letter}=="', f'{other}=="')
        if with_other != text:
            with pytest.raises(InputError, match="base64"):
                Envelope.read_json(with_other.encode())
