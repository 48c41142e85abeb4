"""Whether what is claimed about a release is true: by everything there is, or by what is public."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from hartley.argument_kinds import checked
from hartley.documents import CODEBOOK
from hartley.errors import OptionError
from hartley.measures.verdicts import verdicts
from hartley.releases.apply import codebook_of, open_for, reading_of
from hartley.releases.certificate import Certificate, Envelope
from hartley.releases.policy import Policy
from hartley.releases.record import Record
from hartley.releases.writer.original_source import is_spark
from hartley.releases.writer.release_paths import default_names, signature_beside
from hartley.verifier.checks import ClaimCheck
from hartley.verifier.signature import read_public_key
from hartley.verifier.verification import (
    Documents,
    Verification,
    verify_public_values,
    verify_release,
    verify_signature,
)
from hartley.workflow.apply_policy import asked_by, closeness_of
from hartley.workflow.persons.linked_rows import LinkedRows
from hartley.workflow.publication.release_policy import original_of


class DocumentFields(TypedDict, total=False):
    """What a release is checked against."""

    certificate: str | Path | Certificate | None
    record: str | Path | Record | None
    public_key: str | Path | None
    require_signature: bool
    require_record: bool


@checked
def verify(
    released: str | Path,
    *,
    original: Any,
    policy: str | Path | Policy,
    earlier: Sequence[str | Path | Policy] = (),
    person: str | None = None,
    progress: Callable[[int, int, str], None] | None = None,
    **documents: Unpack[DocumentFields],
) -> Verification:
    """Count everything again from the files, and compare with what certificate and record claim.

    Parameters
    ----------
    released : str or Path
        The released file, or the folder that Spark wrote; where the original is in Spark, the rows of the
        folder are counted there, too.
    original
        The table it was made from: a path, a pattern, the URL of a database, or a data frame.
    policy : str, Path or Policy
        The policy of the release, or its file. What it asks for is checked in any case.
    earlier : sequence of str, Path or Policy
        Policies of the earlier releases that the certificate speaks of, in the same order.
    person : str, optional
        The column of the original that says whose row it is: what the policy asks for must then hold for a
        reader who can link the rows of one person.
    progress : callable, optional
        Told (done, total, what) now and then.
    **documents
        ``certificate``: what is promised, a file (its signature is looked for beside it) or a value;
        ``record``: what was measured, with the proofs, without which nothing is said to be proven;
        ``public_key``: the file with the public key of whoever must have signed the certificate;
        ``require_signature``, ``require_record``: whether it is a failure that there is none. Otherwise
        the answer says what was not there to be checked.

    Returns
    -------
    Verification
        Every check by name, whether all hold, what is proven, and what nobody could check.

    Raises
    ------
    PolicyError
        If a document is damaged, not as it was written, or made for something else.
    TableError
        If a file cannot be read.

    Examples
    --------
    >>> import hartley, pyarrow, tempfile
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = hartley.release(
    ...         table, f"{folder}/out.csv", sensitive="age", public="chol", require={"distinct_l": 2}
    ...     )
    ...     found = hartley.verify(
    ...         made.output,
    ...         original=table,
    ...         policy=made.policy,
    ...         certificate=made.certificate,
    ...         record=made.record,
    ...     )
    >>> found.holds
    True
    >>> found.optimality.proven[0]
    'no recoding that leaves 2 candidates everywhere has a largest move below 0.5'
    """
    book = policy if isinstance(policy, Policy) else Policy.read(policy)
    past = [one if isinstance(one, Policy) else Policy.read(one) for one in earlier]
    for one in past:
        one.require_known_past()
    found = verify_release(
        _released(released, original),
        original_of(original, reading_of(book), book),
        book,
        replace(_documents(**documents), codebook=_codebook_beside(released)),
        past,
        progress,
    )
    return (
        found
        if person is None
        else replace(found, checks=(*found.checks, *_of_persons(original, book, person, past)))
    )


def _codebook_beside(released: str | Path) -> bytes | None:
    """Read the public codebook that stands beside a release; nothing where there is none."""
    beside = default_names(Path(released))["codebook"]
    return CODEBOOK.read(beside) if beside.exists() else None


def _released(released: str | Path, original: Any) -> Any:
    """Return what the verifier takes as the release: a file, or a folder whose rows Spark counts."""
    if is_spark(original) and Path(released).is_dir():
        from hartley.releases.writer.released_folder import ReleasedFolder

        return ReleasedFolder(original.sparkSession, Path(released))
    return released


def _of_persons(
    original: Any, policy: Policy, person: str, earlier: Sequence[Policy]
) -> tuple[ClaimCheck, ...]:
    """Check what the policy asks for once more, for persons."""
    with closing(open_for(policy, original)) as table:
        linked = LinkedRows.of_policy(table, policy, person, earlier)
    linked.require_countable(asked_by(policy))
    seen = linked.seen(codebook_of(policy, linked.joint.public).partition)
    found = verdicts(seen, asked_by(policy), closeness_of(policy, seen.sensitive))
    return tuple(
        ClaimCheck(
            f"{one.name} of persons",
            one.holds,
            "" if one.holds else f"it is {one.found:g}, and {one.wanted:g} is required",
        )
        for one in found
    )


@checked
def verify_published(
    released: str | Path, *, certificate: str | Path, public_key: str | Path
) -> Verification:
    """Check without any secret that a file is the one whose certificate the holder of a key signed.

    Nothing is said about whether the certificate is true: that takes the original and the policy.
    """
    return verify_signature(released, _documents(certificate=certificate, public_key=public_key))


@checked
def verify_with_public_values(
    released: str | Path,
    *,
    public_values: Any,
    certificate: str | Path,
    public_key: str | Path | None = None,
    require_signature: bool = False,
) -> Verification:
    """Check a transparent release by its file, its certificate and everybody's public values alone.

    Every class holds what is promised, and every cut that failed on the way leaves everybody enough.
    """
    documents = _documents(
        certificate=certificate, public_key=public_key, require_signature=require_signature
    )
    return verify_public_values(released, public_values, documents)


def _documents(
    certificate: str | Path | Certificate | None = None,
    record: str | Path | Record | None = None,
    public_key: str | Path | None = None,
    require_signature: bool = False,
    require_record: bool = False,
) -> Documents:
    claims = certificate
    if claims is not None and not isinstance(claims, Certificate):
        claims = Certificate.read(claims)
    envelope = None
    if isinstance(certificate, str | Path):
        beside = signature_beside(Path(certificate))
        envelope = Envelope.read(beside) if beside.exists() else None
    if public_key is not None and not isinstance(certificate, str | Path):
        raise OptionError("a signature is of a certificate's file; give its path")
    return Documents(
        certificate=claims,
        record=record if record is None or isinstance(record, Record) else Record.read(record),
        envelope=envelope,
        key=None if public_key is None else read_public_key(public_key),
        require_signature=require_signature,
        require_record=require_record,
    )
