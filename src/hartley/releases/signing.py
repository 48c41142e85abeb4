"""Signing keys, and the signature of a certificate.

Keys are of Ed25519, in PEM. The private one stays in a file that its owner alone can read and is never
shown; the public one, beside it as ``FILE.pub``, is for everybody who wants to check a certificate.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hartley.documents import KEY
from hartley.errors import PolicyError
from hartley.operating_system import IS_WINDOWS
from hartley.releases.certificate import PAYLOAD_TYPE, Certificate, Envelope

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


@dataclass(frozen=True)
class SigningKey:
    """A private key; it shows its public part only."""

    _key: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def make(cls) -> SigningKey:
        """Draw a new key."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, path: str | Path) -> SigningKey:
        """Read a key from its file; refuse a file that others can read."""
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        with KEY.opened(path) as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            content = KEY.within_limit(stream, path)
        if not IS_WINDOWS and mode & 0o077:
            raise PolicyError(f"the key {str(path)!r} can be read by others; make it yours alone (chmod 600)")
        try:
            key = load_pem_private_key(content, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            raise PolicyError(
                f"{Path(path).name} is no key that hartley made; make one with: hartley key FILE"
            )
        return cls(key)

    @property
    def public(self) -> Ed25519PublicKey:
        """The public key."""
        return self._key.public_key()

    @property
    def public_pem(self) -> bytes:
        """The public key as the text of its file."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return self.public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    @property
    def fingerprint(self) -> str:
        """A short name of the key: the SHA-256 of its public part."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        public = self.public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return hashlib.sha256(public).hexdigest()

    def sign(self, certificate: Certificate) -> Envelope:
        """Sign a certificate, byte for byte."""
        payload = certificate.to_json()
        return Envelope.of(payload, self.fingerprint, self._key.sign(signed_bytes(payload)))

    @property
    def private_pem(self) -> bytes:
        """The key itself as the text of its file, which is its owner's alone."""
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def signed_bytes(payload: bytes) -> bytes:
    """Return what is really signed: the payload with its kind and the lengths of both (DSSE).

    >>> signed_bytes(b"{}")
    b'DSSEv1 28 application/vnd.in-toto+json 2 {}'
    """
    kind = PAYLOAD_TYPE.encode()
    return b" ".join([b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload])
