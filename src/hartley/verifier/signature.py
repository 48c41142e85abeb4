"""Whether a certificate was signed by the holder of a key; needs the public key and no secret."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from hartley.documents import PUBLIC_KEY
from hartley.errors import PolicyError
from hartley.releases.certificate import PAYLOAD_TYPE, Envelope
from hartley.verifier.checks import Checks

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def read_public_key(path: str | Path) -> Ed25519PublicKey:
    """Read a public key from its file, or say in one line what is wrong with it."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    content = PUBLIC_KEY.read(path)
    if b"PRIVATE KEY" in content:
        raise PolicyError(f"{Path(path).name} is a private key; to check a signature give the .pub file")
    try:
        key = load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise PolicyError(f"{Path(path).name} is no public key of Ed25519; give the .pub file of the signer")
    return key


def check_signature(
    checks: Checks, certificate: bytes, envelope: Envelope | None, key: Ed25519PublicKey
) -> None:
    """Check that an envelope holds exactly this certificate, signed by the holder of this key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    if envelope is None:
        checks.add("signature", False, "no signature stands beside the certificate, and a key was given")
        return
    public = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    checks.add(
        "name of the key",
        envelope.signatures[0].keyid == hashlib.sha256(public).hexdigest(),
        "the signature names another key",
    )
    checks.add(
        "signed bytes",
        envelope.content == certificate,
        "the signature is of another certificate, or of other bytes of this one",
    )
    kind = PAYLOAD_TYPE.encode()
    # The encoding that DSSE signs: lengths come first, so that no two contents share one.
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(envelope.content), envelope.content)
    try:
        key.verify(envelope.signature, signed)
        is_signed = True
    except InvalidSignature:
        is_signed = False
    checks.add("signature", is_signed, "the signature is not by this key")
