"""The certificate: what a release promises, safe to publish.

It is a Statement of in-toto about the released file. It says what was asked for and holds, how each column
was treated, and how to check the bytes. It says nothing that was measured on the original: no count where
a bound was asked for, nothing about the search or how far values moved, no cell, no label. A certificate is
therefore the same for every original that has the same release under the same codebook, and a reader who
works backwards from it learns nothing that the released rows do not tell.

The commitment and the seal are codes under a key that stays in the policy; without it they are noise. A
signature stands beside the certificate in an envelope (DSSE) whose payload is the certificate, byte for byte.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from hartley.documents import CERTIFICATE, SIGNATURE, DocumentKind
from hartley.errors import PolicyError
from hartley.releases.canonical import Document, StrictStruct, read_head, require_each_once
from hartley.releases.policy import MeasuredColumn, Policy, StatedRequirement
from hartley.releases.tree_document import TreeDocument

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:hartley:certificate:v2"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
BLOCK = 1 << 20

Order = Literal["shuffled", "kept"]


class TreatedColumn(StrictStruct, frozen=True, kw_only=True):
    """What became of one column of the original."""

    name: str
    treatment: str
    coding: str | None
    """How a recoded column is labelled."""


class ReaderPromise(StrictStruct, frozen=True, kw_only=True):
    """What holds for one kind of reader, as it was asked for."""

    sees: tuple[str, ...]
    """The columns of the release that this reader uses."""
    knows: tuple[str, ...]
    """Columns that this reader is assumed to know already."""
    earlier_releases: int
    """How many earlier releases of the same data this reader has as well."""
    requirements: tuple[StatedRequirement, ...]
    """What holds; where there is none, nothing is promised."""


class Digest(StrictStruct, frozen=True, kw_only=True):
    """The hash of a file."""

    sha256: str


class Subject(StrictStruct, frozen=True, kw_only=True):
    """The released file."""

    name: str
    digest: Digest


class Software(StrictStruct, frozen=True, kw_only=True):
    """What wrote the release."""

    name: str
    version: str


class PublicTree(StrictStruct, frozen=True, kw_only=True):
    """The tree behind a transparent release, as whoever knows the program and all public values has it."""

    public: tuple[MeasuredColumn, ...]
    sensitive: tuple[MeasuredColumn, ...]
    labels: tuple[tuple[str | None, ...], ...]
    """What stands in the public columns of each class, by the number of its cluster."""
    document: TreeDocument


class Promise(StrictStruct, frozen=True, kw_only=True):
    """Everything that is promised about a release."""

    software: Software
    rows: int
    rows_withheld: int
    """Rows whose public value was withheld."""
    order: Order
    missing: Literal["value", "drop"]
    """Whether a missing cell counts as a value, or its row was left out."""
    tolerance: dict[str, str]
    """How far apart two values of a sensitive column must be to count as two, where that was asked for."""
    grouped: tuple[str, ...]
    """Sensitive columns some of whose values count as one."""
    columns: tuple[TreatedColumn, ...]
    readers: tuple[ReaderPromise, ...]
    caps: tuple[StatedRequirement, ...]
    """What was asked for about the loss, such as how far a value may move; it protects nobody."""
    signature: Literal["none", "ed25519"]
    """Whether a signature stands beside the certificate. Without one anybody can write a certificate."""
    formulas: Literal["defused"] | msgspec.UnsetType = msgspec.UNSET
    """Whether cells that a spreadsheet would run have a quote before them; not written where not."""
    reader: Literal["public-values", "knows-the-program"] | msgspec.UnsetType = msgspec.UNSET
    """Whether the requirements hold for a reader of the file who knows public values, or for one who knows
    the program, its options and everybody's public values as well. Older certificates do not say."""
    statement: str | msgspec.UnsetType = msgspec.UNSET
    """What is promised to whoever knows the program, in plain words, with what is assumed; where nothing can
    be, it is not written."""
    tree: PublicTree | msgspec.UnsetType = msgspec.UNSET
    """The cuts that made the classes, where sensitive columns are published beside them."""
    commitment: str
    """A keyed commitment to the private record of the release."""
    seal: str = ""
    """A keyed code of all of this: the holder of the policy sees any later change."""


class Certificate(Document, frozen=True, kw_only=True):
    """A statement about a released file."""

    file: ClassVar[DocumentKind] = CERTIFICATE
    type_: str = msgspec.field(default=STATEMENT_TYPE, name="_type")
    subject: tuple[Subject, ...]
    predicate_type: str = msgspec.field(default=PREDICATE_TYPE, name="predicateType")
    predicate: Promise

    @classmethod
    def _require_kind(cls, content: bytes, name: str) -> None:
        head = read_head(content, _StatementHead, name, "a certificate")
        if head.type_ != STATEMENT_TYPE:
            raise PolicyError(f"{name} is no certificate; give the certificate file that the release wrote")
        if head.predicate_type != PREDICATE_TYPE:
            raise PolicyError(
                f"{name} is a certificate of another kind, {head.predicate_type!r}; this hartley reads "
                f"{PREDICATE_TYPE!r}"
            )

    def _require_sound(self, name: str, _written: bytes) -> None:
        require_each_once((column.name for column in self.predicate.columns), name)
        if len(self.subject) != 1:
            raise PolicyError(f"{name} is damaged: it must speak of one file")

    @property
    def output_sha256(self) -> str:
        """The hash of the released file."""
        return self.subject[0].digest.sha256

    @property
    def is_signed(self) -> bool:
        """Whether a signature is said to stand beside it."""
        return self.predicate.signature != "none"

    def sealed(self, policy: Policy) -> Certificate:
        """Return the certificate with the seal of the policy's key, which shows any later change."""
        # Through its JSON once, so that what is sealed here is what will be read.
        read = msgspec.json.decode(msgspec.json.encode(self), type=Certificate)
        return read._with_seal(read._seal(policy))

    def is_sealed_by(self, policy: Policy) -> bool:
        """Tell whether nothing was changed since a holder of the policy made it."""
        return hmac.compare_digest(self.predicate.seal.encode(), self._seal(policy).encode())

    def _seal(self, policy: Policy) -> str:
        return policy.commitment("certificate", self._with_seal("").to_json())

    def _with_seal(self, seal: str) -> Certificate:
        return msgspec.structs.replace(self, predicate=msgspec.structs.replace(self.predicate, seal=seal))


class _StatementHead(msgspec.Struct):
    type_: str = msgspec.field(name="_type")
    predicate_type: str = msgspec.field(name="predicateType")


class Signature(StrictStruct, frozen=True, kw_only=True):
    """One signature of an envelope."""

    keyid: str
    """Which key it is of: the SHA-256 of the public key."""
    sig: str


class Envelope(Document, frozen=True, kw_only=True):
    """A signed certificate (DSSE): the certificate byte for byte, and signatures of it."""

    file: ClassVar[DocumentKind] = SIGNATURE
    payload: str
    payload_type: str = msgspec.field(default=PAYLOAD_TYPE, name="payloadType")
    signatures: tuple[Signature, ...]

    @classmethod
    def of(cls, payload: bytes, keyid: str, signature: bytes) -> Envelope:
        """Put a signed payload into an envelope."""
        made = Signature(keyid=keyid, sig=base64.b64encode(signature).decode())
        return cls(payload=base64.b64encode(payload).decode(), signatures=(made,))

    def _require_sound(self, name: str, _written: bytes) -> None:
        if self.payload_type != PAYLOAD_TYPE:
            raise PolicyError(f"{name} is the signature of something else than a certificate")
        if len(self.signatures) != 1:
            raise PolicyError(f"{name} is damaged: it must hold one signature")
        _ = self.content, self.signature  # refused here where they cannot be read

    @property
    def content(self) -> bytes:
        """What was signed."""
        return _from_base64(self.payload)

    @property
    def signature(self) -> bytes:
        """The signature."""
        return _from_base64(self.signatures[0].sig)


def _from_base64(text: str) -> bytes:
    try:
        content = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        raise PolicyError("the signature is damaged: it is not base64") from None
    if base64.b64encode(content).decode() != text:
        raise PolicyError("the signature is damaged: the same content has other letters in base64")
    return content


RULES_ON_SHARES = ("guess-at-most", "entropy-l", "recursive-cl", "t-closeness", "beta-likeness")
"""Requirements on the shares of values in every class as it is published."""


def public_tree(policy: Policy) -> PublicTree | msgspec.UnsetType:
    """Return the tree of a transparent release; nothing of it where no sensitive column is published."""
    is_shown = policy.choices.transparent is not msgspec.UNSET and policy.publish_sensitive
    if policy.tree is msgspec.UNSET or not is_shown:
        return msgspec.UNSET
    return PublicTree(
        public=tuple(MeasuredColumn(name=one.name, kind=one.kind) for one in policy.public),
        sensitive=policy.sensitive,
        labels=tuple(one.label for one in policy.clusters),
        document=policy.tree,
    )


def transparent_statement(policy: Policy) -> str | msgspec.UnsetType:
    """Say what is promised to a reader who knows the program; nothing where nothing is."""
    choices = policy.choices
    if choices.transparent is msgspec.UNSET:
        return msgspec.UNSET
    known = choices.transparent_knows if isinstance(choices.transparent_knows, int) else 0
    left, shares = [], []
    for asked in policy.requirements:
        names = " and ".join(policy.sensitive_names if asked.column is None else (asked.column,))
        noun = "combinations" if asked.column is None and len(policy.sensitive_names) > 1 else "values"
        if asked.name == "distinct-l":
            left.append(f"at least {int(asked.wanted) - known} {noun} of {names}")
        elif asked.name == "separated-l":
            left.append(f"at least {int(asked.wanted)} {noun} of {names} that count as different")
        elif asked.name in RULES_ON_SHARES:
            second = f",{asked.second}" if isinstance(asked.second, int) else ""
            shares.append(f"{asked.name} {asked.wanted:g}{second} of {names}")
    if shares:
        left.append(f"values that can keep {' and '.join(shares)}, as every released class does,")
    if not left:
        return (
            "The classes were chosen without looking at any sensitive value. Nothing is promised about "
            "sensitive values, because none was asked for."
        )
    who = "nobody's sensitive value" if not known else f"the sensitive values of at most {known} rows"
    other = ", the reference table has none of these rows" if choices.reference is True else ""
    besides = "" if not choices.known_besides else f", their {', '.join(choices.known_besides)}"
    secrets = "columns" if len(policy.sensitive_names) > 1 else "column"
    return (
        f"Someone who knows everybody's public values{besides}, this program, these options and the released "
        f"file still has {' and '.join(left)} possible for every {'other ' if known else ''}row. Assumed: "
        f"the options were chosen without looking at the sensitive {secrets}, this is the only release of "
        f"these rows{other}, and the reader knows {who}."
    )


def blind_statement(policy: Policy, earlier: int) -> str | msgspec.UnsetType:
    """Say what labels alone leave to a reader who knows the program; nothing where nothing is known.

    Searches for numbers of candidates are blind to the names of sensitive values: with two of them exchanged
    they give the same labels. What looks at how values differ is not.
    """
    choices = policy.choices
    sees_names = (
        not set(policy.sensitive_names).isdisjoint(policy.published)
        or choices.tolerance
        or choices.groups
        or choices.shape == "tree"
    )
    is_more = earlier or policy.side or policy.harmless or policy.caps or choices.withhold
    is_told = choices.keep_order or policy.reading.missing == "drop" or len(policy.sensitive) > 1
    names = {one.name for one in policy.requirements}
    if sees_names or is_more or is_told or not {"distinct-l"} <= names <= {"distinct-l", "row-k"}:
        return msgspec.UNSET
    wanted = max(int(one.wanted) for one in policy.requirements if one.name == "distinct-l")
    secret = policy.sensitive_names[0]
    return (
        "Someone who knows everybody's public values, this program, these options and the released file "
        f"still has at least {wanted} values of {secret} possible for every row, because any two values of "
        f"{secret} can be exchanged in the original without changing a label. Assumed: the options were "
        "chosen without looking at the sensitive column, this is the only release of these rows, and the "
        f"reader knows nobody's sensitive value and not how often any value of {secret} occurs."
    )


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of the list of its files and their hashes."""
    if path.is_dir():
        parts = (part for part in path.iterdir() if not part.name.startswith(("_", ".")))
        return listing_sha256((part.name, file_sha256(part)) for part in parts)
    code = hashlib.sha256()
    for piece in blocks(path):
        code.update(piece)
    return code.hexdigest()


def listing_sha256(parts: Iterable[tuple[str, str]]) -> str:
    r"""Return the SHA-256 of a list of files: what ``sha256sum`` prints of them, in the order of their names.

    >>> listing_sha256([("b", "01"), ("a", "02")]) == hashlib.sha256(b"02  a\n01  b\n").hexdigest()
    True
    """
    lines = (f"{found}  {name}\n" for name, found in sorted(parts))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def blocks(path: Path) -> Iterator[bytes]:
    """Return the bytes of a file, block by block."""
    with path.open("rb") as stream:
        while piece := stream.read(BLOCK):
            yield piece
