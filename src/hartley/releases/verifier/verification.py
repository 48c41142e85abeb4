"""The verifier: believes nobody, and counts everything again from the files.

It reads the original, the released table, the policy and the certificate by readers of its own,
maps every row of the original by the codebook, and compares. It uses nothing of the search, the
measures or the writer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hartley.errors import TableError
from hartley.releases.certificate import Certificate, blocks
from hartley.releases.policy import Policy
from hartley.releases.verifier.claim_checks import Checks, ClaimCheck, Claims
from hartley.releases.verifier.reread import RereadTable
from hartley.releases.verifier.row_checks import RowCount, RowCounter
from hartley.releases.verifier.tally import RowTally, tally


@dataclass(frozen=True)
class Verification:
    """Whether what is claimed about a release is true, and what was checked."""

    checks: tuple[ClaimCheck, ...]
    measures: dict[str, dict[str, Any]]
    """The verifier's own counts, for every reader it counted for."""
    not_checked: tuple[str, ...]
    """What the certificate says and the verifier cannot know."""

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
            "measures": self.measures,
            "not_checked": list(self.not_checked),
        }


def verify_release(
    released: str | Path,
    original: Any,
    policy: Policy,
    certificate: Certificate | None,
    earlier: Sequence[Policy] = (),
    progress: Callable[[int, int, str], None] | None = None,
) -> Verification:
    """Check a release against its original, its policy, and what its certificate claims.

    ``progress`` is told (done, total, what) now and then.
    """
    if not Path(released).is_file():
        raise TableError(f"no file {str(released)!r}; give the released table")
    checks = Checks()
    out = RereadTable(released)
    source = RereadTable(original, policy.reading)
    checks.add(
        "columns of the original",
        source.columns == list(policy.columns),
        "the original has other columns than the policy was made for",
    )
    counted: RowCount | None = None
    if checks.add(
        "columns",
        out.columns == list(policy.published),
        "the released table has other columns than the policy",
    ):
        counted = RowCounter(policy, earlier, source, out, progress).count()
        _check_rows(checks, counted)
    if certificate is not None:
        _check_hashes(checks, certificate, policy, earlier, Path(released), original)
        if counted is not None and counted.measures:
            Claims(checks, certificate, policy, earlier, counted).check()
    measures = {} if counted is None else counted.measures
    return Verification(tuple(checks.done), measures, tuple(checks.left_out))


def _check_rows(checks: Checks, counted: RowCount) -> None:
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
    lacking, extra = counted.expected - counted.found, counted.found - counted.expected
    checks.add(
        "rows",
        not lacking and not extra,
        f"{lacking.total()} rows of the original under the codebook are not in the release, and "
        f"{extra.total()} of its rows are not from there",
    )
    checks.add(
        "one spelling",
        counted.is_spelt_once,
        "equal values are written in different ways, which tells rows apart",
    )


def _check_hashes(
    checks: Checks,
    certificate: Certificate,
    policy: Policy,
    earlier: Sequence[Policy],
    released: Path,
    original: Any,
) -> None:
    code = hashlib.sha256()
    for piece in blocks(released):
        code.update(piece)
    checks.add(
        "hash of the release",
        code.hexdigest() == certificate.output_sha256,
        "the released file is not the one that was certified",
    )
    checks.add(
        "commitment to the original",
        input_commitment(policy, original) == certificate.input_commitment,
        "the original is not the one that was released",
    )
    checks.add(
        "commitment to the policy",
        policy_commitment(policy, policy) == certificate.policy_commitment,
        "the policy is not the one of this certificate",
    )
    checks.add(
        "commitments to earlier releases",
        tuple(policy_commitment(policy, one) for one in earlier) == certificate.earlier_commitments,
        f"the certificate counts {len(certificate.earlier_commitments)} earlier releases; "
        f"give their policies in the same order",
    )
    checks.add("seal", certificate.is_sealed_by(policy), "the certificate was changed after it was made")


def input_commitment(policy: Policy, original: Any) -> str:
    """Return the keyed commitment to the original: to the bytes of a file, or to the rows of another table.

    Of a table that is no file, the columns that were read are committed to; the others may hold anything.
    """
    if isinstance(original, (str, Path)):
        return policy.commitment(blocks(Path(original)))
    read = (*policy.public_names, *policy.sensitive_names, *policy.side_names)
    names = list(dict.fromkeys((*read, *policy.keep, *policy.harmless)))
    return policy.commitment(_row_bytes(tally(RereadTable(original, policy.reading), names)))


def _row_bytes(found: RowTally) -> Iterator[bytes]:
    # Rows of a database have no order of their own, so none is committed to.
    yield repr(list(found.columns)).encode()
    texts = [list(map(repr, column.keys)) for column in found.columns.values()]
    codes = [column.codes.tolist() for column in found.columns.values()]
    rows = ([text[code] for code in of_column] for text, of_column in zip(texts, codes, strict=True))
    for *cells, count in sorted(zip(*rows, map(str, found.counts.tolist()), strict=True)):
        yield ", ".join((*cells, count)).encode()
        yield b"\n"


def policy_commitment(policy: Policy, other: Policy) -> str:
    """Return the commitment, under the key of one policy, to the content of another or its own."""
    return policy.commitment(other.checksum.encode())
