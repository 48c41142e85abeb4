"""A key pair for signing certificates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hartley.argument_kinds import checked
from hartley.errors import OptionError
from hartley.releases.signing import SigningKey


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
    key = SigningKey.make()
    public = key.write(path)
    return MadeKey(key=Path(path), public_key=public, fingerprint=key.fingerprint)
