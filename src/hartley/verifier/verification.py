"""The verifier: believes nobody, and counts everything again from the files.

It reads the original, the released table, the policy, the certificate and the record by readers of its
own, maps every row of the original by the codebook, and compares. It uses nothing of the search, the
measures or the writer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hartley.documents import kind_of_no_file
from hartley.errors import TableError
from hartley.releases.certificate import Certificate, Envelope, blocks, file_sha256
from hartley.releases.formats import Format
from hartley.releases.policy import Policy, Reading
from hartley.releases.record import Record
from hartley.verifier.checks import Checks, ClaimCheck
from hartley.verifier.claim_checks import RecordChecks, check_certificate, check_requirements
from hartley.verifier.policy_labels import check_codebooks
from hartley.verifier.proofs.optimality import Optimality, check_optimality
from hartley.verifier.public_codebook import check_public_codebook
from hartley.verifier.released_partition import ReleasedPartition
from hartley.verifier.row_checks import RowCount, RowCounter
from hartley.verifier.row_sequence import is_in_order
from hartley.verifier.signature import check_signature
from hartley.verifier.tables.joined_bounds import JoinedBounds, members_within
from hartley.verifier.tables.reread import RereadTable
from hartley.verifier.tally import RowTally, tally
from hartley.verifier.trees.public_check import check_public_tree
from hartley.verifier.trees.tree_walk import check_tree

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


@dataclass(frozen=True)
class Verification:
    """Whether what is claimed about a release is true, and what was checked.

    Examples
    --------
    >>> import hartley, pyarrow, tempfile
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = hartley.release(table, f"{folder}/out.csv", sensitive="age", public="chol", distinct_l=2)
    ...     checked = hartley.verify(made.output, original=table, policy=made.policy)
    >>> checked.holds, checked.failures
    (True, ())
    """

    checks: tuple[ClaimCheck, ...]
    """Every check by its name, and why it fails where it does."""
    measures: dict[str, dict[str, Any]]
    """The verifier's own counts, for every reader it counted for."""
    not_checked: tuple[str, ...]
    """What the documents say and the verifier cannot know."""
    requirements: tuple[dict[str, Any], ...] = ()
    """What was asked for, what was found, and whether it holds."""
    optimality: Optimality = field(default_factory=Optimality)
    """What is proven about better partitions."""
    signature_checked: bool = False
    """Whether there was a signature, and a public key to check it by."""
    record_checked: bool = False
    """Whether there was a record to check."""
    unchecked_requirements: str = ""
    """Which requirements could not be checked; no words where all were, or none was meant to be."""

    @property
    def holds(self) -> bool:
        """Whether everything holds."""
        return all(check.holds for check in self.checks)

    @property
    def failures(self) -> tuple[ClaimCheck, ...]:
        """What does not hold."""
        return tuple(check for check in self.checks if not check.holds)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "verified": self.holds,
            "reasons": [f"{check.name}: {check.reason}" for check in self.failures],
            "checks": [check.to_dict() for check in self.checks],
            "requirements": list(self.requirements),
            "measures": self.measures,
            "optimality": self.optimality.to_dict(),
            "not_checked": list(self.not_checked),
            "signature_checked": self.signature_checked,
            "record_checked": self.record_checked,
        }


@dataclass(frozen=True, kw_only=True)
class Documents:
    """What stands beside a release and claims something about it."""

    certificate: Certificate | None = None
    record: Record | None = None
    envelope: Envelope | None = None
    codebook: bytes | None = None
    """The public codebook as CSV."""
    key: Ed25519PublicKey | None = None
    """The public key that must have signed the certificate."""
    require_signature: bool = False
    """Whether a signature that cannot be checked fails the check."""
    require_record: bool = False
    """Whether a record that is not there fails the check."""

    @property
    def has_signature(self) -> bool:
        """Whether there is a signature, and a public key to check it by."""
        return self.envelope is not None and self.key is not None


def verify_release(
    released: Any,
    original: Any,
    policy: Policy,
    documents: Documents,
    earlier: Sequence[Policy] = (),
    progress: Callable[[int, int, str], None] | None = None,
) -> Verification:
    """Check a release against its original, its policy, and what its certificate and record claim.

    ``released`` is a file, or a folder that stays in Spark and counts its own rows and hash.
    What the policy asks for is checked in any case. ``progress`` is told (done, total, what) now and then.
    """
    released_hash = released.sha256 if hasattr(released, "sha256") else partial(file_sha256, _file(released))
    checks = Checks()
    written = _written(policy, released)
    out = JoinedBounds(released, written, policy) if policy.bounds_of else RereadTable(released, written)
    source = RereadTable(original, policy.reading)
    checks.add(
        "columns of the original",
        source.columns == list(policy.columns),
        "the original has other columns than the policy was made for",
    )
    counted: RowCount | None = None
    requirements: tuple[dict[str, Any], ...] = ()
    optimality = Optimality()
    if checks.add(
        "columns",
        out.columns == list(policy.published),
        "the released table has other columns than the policy",
    ):
        counter = RowCounter(policy, earlier, source, out, progress)
        counted = counter.count()
        is_whole = _check_rows(checks, counted)
        if isinstance(out, JoinedBounds):
            checks.add("bounds", not out.has_others, "a row has bounds that no label of the policy has")
            checks.add("values within bounds", members_within(policy), "a value lies outside its bounds")
        if documents.codebook is not None:
            check_public_codebook(checks, documents.codebook, policy, out)
        if policy.choices.keep_order:
            _check_order(checks, counter, is_whole)
    if counted is not None and counted.values is not None:
        checks.add(
            "withheld values",
            counted.withheld <= policy.choices.withhold,
            f"{counted.withheld} rows are withheld, and {policy.choices.withhold} may be",
        )
        check_codebooks(checks, policy)
        partition = ReleasedPartition(policy, counted.values)
        found = check_requirements(checks, policy, counter, partition)
        if policy.tree is not msgspec.UNSET or policy.choices.transparent is not msgspec.UNSET:
            check_tree(checks, policy, counter.multisets())
        requirements = tuple(one.to_dict() for one in found)
        if documents.record is not None:
            RecordChecks(checks, documents.record, policy, earlier, counted.measures, partition).check(
                counted.dropped, counted.withheld, found
            )
            optimality = check_optimality(checks, documents.record, policy, partition, counter.situations)
    elif counted is not None:
        checks.add("requirements", False, "no row of the original is left, and nothing can be counted")
    _check_documents(checks, documents, policy, earlier, released_hash, original, counted)
    measures = {} if counted is None else counted.measures
    return Verification(
        tuple(checks.done),
        measures,
        tuple(checks.left_out),
        requirements,
        optimality,
        signature_checked=documents.has_signature,
        record_checked=documents.record is not None,
    )


def verify_signature(released: str | Path, documents: Documents) -> Verification:
    """Check what anybody can check: that this is the file that the holder of a key certified."""
    checks, certificate = _certified(_file(released), documents)
    _check_signature(checks, documents, certificate)
    checks.left_out += [
        "whether the promises are true, which takes the original and the policy",
        "who holds the key, and whether to trust them",
    ]
    return Verification(
        tuple(checks.done), {}, tuple(checks.left_out), signature_checked=documents.has_signature
    )


def verify_public_values(released: str | Path, public_values: Any, documents: Documents) -> Verification:
    """Check what whoever has the public values of everybody can check of a transparent release."""
    path = _file(released)
    checks, certificate = _certified(path, documents)
    unchecked = check_public_tree(checks, certificate.predicate, path, public_values)
    _check_signature(checks, documents, certificate)
    checks.left_out += [
        "whether the sensitive values are those of the original",
        "whether a public value is the right one of its class, or its label true of it: cuts tell the class",
        "whether cuts were chosen from public values and multisets alone: for that, run the program again",
    ]
    return Verification(
        tuple(checks.done),
        {},
        tuple(checks.left_out),
        signature_checked=documents.has_signature,
        unchecked_requirements=unchecked,
    )


def _certified(path: Path, documents: Documents) -> tuple[Checks, Certificate]:
    """Check that a file is the one that its certificate speaks of."""
    certificate = documents.certificate
    assert certificate is not None  # noqa: S101 (the caller has read it)
    checks = Checks()
    checks.add(
        "hash of the release",
        file_sha256(path) == certificate.output_sha256,
        "the released file is not the one that was certified",
    )
    return checks, certificate


def _file(released: str | Path) -> Path:
    path = Path(released)
    if path.is_dir() and Format.of(path).name != "parquet":
        raise TableError(f"{str(released)!r} is a folder; give the released table")
    if not path.exists():
        raise TableError(f"no file {str(released)!r}; give the released table")
    if kind_of_no_file(path.stat().st_mode) not in (None, "a folder"):
        raise TableError(f"{str(released)!r} is no file but a pipe or a device; give the released table")
    return path


def _written(policy: Policy, released: Any) -> Reading | None:
    """Say how a released CSV file is to be read: a column has numbers, or its cells stand as they are."""
    if not isinstance(released, (str, Path)) or Format.of(Path(released)).name != "csv":
        return None
    form, numbers = policy.choices.form, policy.published_numbers
    return Reading(
        text=tuple(name for name in policy.file_columns if name not in numbers),
        number=numbers,
        encoding=form.encoding,
        delimiter=form.delimiter if Format.of(Path(released)).delimiter == "," else None,
        decimal=form.decimal,
    )


def _check_rows(checks: Checks, counted: RowCount) -> bool:
    checks.add(
        "codebook",
        counted.unmapped == 0,
        f"{counted.unmapped} rows of the original hold values that the codebook does not map",
    )
    checks.add(
        "earlier codebooks",
        counted.unmapped_earlier == 0,
        f"{counted.unmapped_earlier} rows of the original hold values that an earlier policy does not map",
    )
    is_whole = checks.add(
        "rows",
        not counted.lacking and not counted.extra,
        f"{counted.lacking} rows of the original under the codebook are not in the release, and "
        f"{counted.extra} of its rows are not from there",
    )
    checks.add(
        "one spelling",
        counted.is_spelt_once,
        "equal values are written in different ways, which tells rows apart",
    )
    return is_whole


def _check_order(checks: Checks, counter: RowCounter, is_whole: bool) -> None:
    if not counter.source.has_order:
        checks.left_out.append("the order of the rows, because the original has none of its own")
    elif is_whole:
        checks.add(
            "order",
            is_in_order(counter),
            "the rows of the release are not in the order of the original, which was to be kept",
        )


def _check_documents(
    checks: Checks,
    documents: Documents,
    policy: Policy,
    earlier: Sequence[Policy],
    released_hash: Callable[[], str],
    original: Any,
    counted: RowCount | None,
) -> None:
    certificate, record = documents.certificate, documents.record
    hashes = [one.output_sha256 for one in (certificate, record) if one is not None]
    if hashes:
        found = released_hash()
        checks.add(
            "hash of the release",
            all(one == found for one in hashes),
            "the released file is not the one that was certified",
        )
    if certificate is not None:
        rows = None if counted is None or not counted.measures else counted.measures["after"]["rows"]
        withheld = 0 if counted is None else counted.withheld
        check_certificate(checks, certificate, policy, earlier, rows=rows, withheld=withheld)
    _check_signature(checks, documents, certificate)
    if certificate is not None and record is not None:
        checks.add(
            "commitment to the record",
            record_commitment(policy, record) == certificate.predicate.commitment,
            "the record is not the one of this certificate",
        )
    if record is not None:
        _check_commitments(checks, record, policy, earlier, original)
    elif documents.require_record:
        checks.add("record", False, "there is no record, and one is required")
    elif certificate is not None:
        checks.left_out.append("the record, which was not given: nothing it says is confirmed")


def _check_signature(checks: Checks, documents: Documents, certificate: Certificate | None) -> None:
    """Check what there is of a signature; where one is required, one that cannot be checked fails."""
    is_there = documents.key is not None or documents.envelope is not None
    if certificate is not None and is_there:
        _check_signed(checks, documents, certificate)
    elif certificate is not None and certificate.is_signed:
        checks.left_out.append(
            "the signature: the certificate says that it is signed, and no signature stands beside it"
        )
    if documents.require_signature and documents.key is None:
        checks.add(
            "signature", False, "none was checked, and one is required; that takes the signer's public key"
        )


def _check_signed(checks: Checks, documents: Documents, certificate: Certificate) -> None:
    checks.add(
        "said to be signed",
        certificate.is_signed,
        "the certificate says that it is not signed",
    )
    if documents.key is not None:
        check_signature(checks, certificate.to_json(), documents.envelope, documents.key)
    elif documents.envelope is not None:
        checks.add(
            "signed bytes",
            documents.envelope.content == certificate.to_json(),
            "the signature is of another certificate, or of other bytes of this one",
        )
        checks.left_out.append("who signed the certificate, because no public key was given")


def _check_commitments(
    checks: Checks, record: Record, policy: Policy, earlier: Sequence[Policy], original: Any
) -> None:
    made = record.commitments
    checks.add(
        "commitment to the original",
        input_commitment(policy, original) == made.original,
        "the original is not the one that was released",
    )
    checks.add(
        "commitment to the policy",
        policy_commitment(policy, policy) == made.policy,
        "the policy is not the one of this record",
    )
    checks.add(
        "commitments to earlier releases",
        tuple(policy_commitment(policy, one) for one in earlier) == made.earlier,
        f"the release counts {len(made.earlier)} earlier releases; give their policies in the same order",
    )
    checks.add(
        "software of the record",
        record.hartley == policy.hartley,
        "record and policy are of different versions",
    )


_AT_ONCE = 1 << 18
"""Rows that are written as text at once."""


def input_commitment(policy: Policy, original: Any) -> str:
    """Return the keyed commitment to the original: to the bytes of a file, or to the rows of another table.

    Of a table that is no file, the columns that were read are committed to; the others may hold anything.
    """
    if isinstance(original, (str, Path)):
        return policy.commitment("file", blocks(Path(original)))
    read = (*policy.public_names, *policy.sensitive_names, *policy.side_names)
    names = list(dict.fromkeys((*read, *policy.keep, *policy.harmless)))
    return policy.commitment("rows", _row_bytes(tally(RereadTable(original, policy.reading), names)))


def _row_bytes(found: RowTally) -> Iterator[bytes]:
    """Return the different rows as text, one to a line, each with how often it occurs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    yield repr(list(found.columns)).encode()
    columns = [column.reprs().take(pa.array(column.codes)) for column in found.columns.values()]
    columns.append(pa.array(found.counts).cast(pa.string()))
    # Rows of a database have no order of their own, so none is committed to.
    names = [str(place) for place in range(len(columns))]
    order = pc.sort_indices(pa.table(columns, names), sort_keys=[(name, "ascending") for name in names])
    for start in range(0, len(order), _AT_ONCE):
        here = order.slice(start, _AT_ONCE)
        lines = pc.binary_join_element_wise(*(column.take(here) for column in columns), ", ")
        yield "\n".join([*lines.to_pylist(), ""]).encode()


def policy_commitment(policy: Policy, other: Policy) -> str:
    """Return the commitment, under the key of one policy, to the content of another or its own."""
    return policy.commitment("policy", other.checksum.encode())


def record_commitment(policy: Policy, record: Record) -> str:
    """Return the commitment, under the key of a policy, to a record."""
    return policy.commitment("record", record.to_json())
