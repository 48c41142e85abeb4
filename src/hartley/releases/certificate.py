"""The certificate: what is claimed about a release, safe to publish.

It holds counts and bits, names of columns, the hash of the released file, and commitments that
say nothing without the key in the policy. It holds no cell, no label and no witness: which value
is the most telling one is for the curator alone. There is no plain hash of the input, which for
a small table would let anybody try out guesses of cells.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from hartley.errors import PolicyError
from hartley.releases.policy import Policy, read_head, same_text

FORMAT = "hartley certificate"
VERSION = 1
BLOCK = 1 << 20


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class RoleSize(_Strict, frozen=True, kw_only=True):
    """The columns of a role and how many different values they take together."""

    columns: tuple[str, ...]
    values: int


class Measures(_Strict, frozen=True, kw_only=True):
    """An audit without its witnesses."""

    rows: int
    pairs: int
    sensitive: RoleSize
    public: RoleSize
    side: RoleSize | None
    h0_bits: float
    h0_given_public_bits: float
    b0_bits: float
    i0_bits: float
    l0_bits: float
    istar_bits: float
    components: int
    distinct_l: int
    row_k: int
    independent: bool


class ColumnClaim(_Strict, frozen=True, kw_only=True):
    """What became of one column of the original."""

    name: str
    treatment: str
    coding: str | None = None
    """How a recoded column is labelled."""
    farthest: float | None = None
    """Greatest distance between a true and a released cell, in the column's unit, days or seconds."""
    widest: float | None = None
    """Greatest spread of the cells that share a label."""


class SearchClaim(_Strict, frozen=True, kw_only=True):
    """Where the partition comes from, and what is known about better ones."""

    name: str
    leakage: str
    utility: str
    codeword: str | None
    max_distortion: float | None
    """As the search counts it: over several columns in units of their scales."""
    leakage_bits: float
    """The leakage that was searched for: kept columns and earlier releases count as known to the reader."""
    lower_bound_bits: float | None
    proven_optimal: bool
    gap_bits: float | None


class Certificate(_Strict, frozen=True, kw_only=True):
    """Everything that is claimed about a release."""

    format: str = FORMAT
    version: int = VERSION
    hartley: str
    rows: int
    dropped_rows: int
    """Rows of the original that were left out because a value is missing, where that was asked for."""
    rows_shuffled: bool
    output_sha256: str
    input_commitment: str
    policy_commitment: str
    earlier_commitments: tuple[str, ...]
    columns: tuple[ColumnClaim, ...]
    clusters: int
    largest_cluster: int
    target: dict[str, str | int | float]
    search: SearchClaim
    side_information: tuple[str, ...]
    """Columns that the reader was assumed to know already."""
    before: Measures
    after: Measures
    """What a reader of the recoded and kept columns learns."""
    after_all: Measures
    """What a reader of every published column learns, the sensitive ones aside."""
    together: Measures | None
    """As ``after``, for a reader who also has the earlier releases."""
    together_all: Measures | None
    """As ``after_all``, for a reader who also has the earlier releases."""
    seal: str = ""

    @classmethod
    def read(cls, path: str | Path) -> Certificate:
        """Read a certificate file, or say in one line what is wrong with it."""
        path = Path(path)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise PolicyError(f"no certificate {str(path)!r}; give the file that the release wrote") from None
        except OSError as error:
            reason = (error.strerror or "input error").lower()
            raise PolicyError(f"the certificate {str(path)!r} cannot be read: {reason}") from None
        except ValueError:
            raise PolicyError(f"no certificate {str(path)!r}; give the file that the release wrote") from None
        return cls.read_json(content, path.name)

    @classmethod
    def read_json(cls, content: bytes, name: str = "the certificate") -> Certificate:
        """Read a certificate from its JSON text."""
        head = read_head(content, name, "a certificate")
        if head.format != FORMAT:
            raise PolicyError(f"{name} is no certificate; give the certificate file that the release wrote")
        if head.version != VERSION:
            raise PolicyError(
                f"{name} is a certificate of version {head.version}; this hartley reads version {VERSION}"
            )
        try:
            return msgspec.json.decode(content, type=cls, strict=True)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise PolicyError(f"{name} is damaged: it does not have the shape of a certificate") from None

    def to_json(self) -> bytes:
        """Return the text of the certificate file."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def sealed(self, policy: Policy) -> Certificate:
        """Return the certificate with the seal of the policy's key, which shows any later change."""
        # Through its JSON once, so that what is sealed here is what will be read.
        read = msgspec.json.decode(msgspec.json.encode(self), type=Certificate)
        return msgspec.structs.replace(read, seal=read._seal(policy))

    def is_sealed_by(self, policy: Policy) -> bool:
        """Tell whether nothing was changed since the holder of the policy made it."""
        return same_text(self.seal, self._seal(policy))

    def _seal(self, policy: Policy) -> str:
        return policy.commitment(msgspec.json.encode(msgspec.structs.replace(self, seal="")))


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    code = hashlib.sha256()
    for piece in blocks(path):
        code.update(piece)
    return code.hexdigest()


def blocks(path: Path) -> Iterator[bytes]:
    """Return the bytes of a file, block by block."""
    with path.open("rb") as stream:
        while piece := stream.read(BLOCK):
            yield piece


def to_plain(document: msgspec.Struct) -> dict[str, Any]:
    """Return a document as plain dictionaries and lists."""
    plain: dict[str, Any] = msgspec.to_builtins(document)
    return plain
