"""A key pair for signing certificates."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from hartley.argument_kinds import checked
from hartley.errors import OptionError, WriteError
from hartley.releases.signing import SigningKey
from hartley.releases.writer.staging import recover, staged


@dataclass(frozen=True, kw_only=True)
class MadeKey:
    """Where a key pair is; the private key itself is never shown."""

    key: Path
    public_key: Path
    fingerprint: str

    def to_dict(self) -> dict[str, str]:
        """Return it as it stands in JSON."""
        return {"key": str(self.key), "public_key": str(self.public_key), "fingerprint": self.fingerprint}


@checked
def make_key(path: str | Path) -> MadeKey:
    """Make a key to sign with, readable by its owner only, and the public key beside it."""
    if not Path(path).name or "\x00" in str(path):
        raise OptionError(f"{str(path)!r} is no name of a file; give the path of the key")
    made = {"key": Path(path), "public": Path(f"{path}.pub")}
    key = SigningKey.make()
    recover(made["key"].parent)
    for place in made.values():
        if os.path.lexists(place):
            raise WriteError(
                f"{str(place)!r} exists already, and a key is never overwritten; give another name"
            )
    with staged(made, private=("key",)) as staging:
        staging.path("key").write_bytes(key.private_pem)
        staging.path("public").write_bytes(key.public_pem)
        staging.publish()
    return MadeKey(key=made["key"], public_key=made["public"], fingerprint=key.fingerprint)
