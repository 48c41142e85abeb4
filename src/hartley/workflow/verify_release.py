"""Whether what is claimed about a release is true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hartley.releases.certificate import Certificate
from hartley.releases.policy import Policy
from hartley.releases.verifier.verification import Verification, verify_release
from hartley.tables import ReadOptions
from hartley.workflow.publication.original_source import for_verifier

__all__ = ["Verification", "verify"]


def verify(
    released: str | Path,
    *,
    original: Any,
    policy: str | Path | Policy,
    certificate: str | Path | Certificate | None = None,
    earlier: Sequence[str | Path | Policy] = (),
    progress: Callable[[int, int, str], None] | None = None,
) -> Verification:
    """Count everything again from the files, and compare with what the certificate claims.

    Without a certificate only rows and codebook are checked, and the measures counted. ``progress`` is told
    (done, total, what) now and then.
    """
    claims = certificate
    if claims is not None and not isinstance(claims, Certificate):
        claims = Certificate.read(claims)
    book = policy if isinstance(policy, Policy) else Policy.read(policy)
    reading = book.reading
    options = ReadOptions(
        text=reading.text,
        number=reading.number,
        encoding=reading.encoding,
        delimiter=reading.delimiter,
        sheet=reading.sheet,
        query=reading.query,
    )
    return verify_release(
        released,
        for_verifier(original, options),
        book,
        claims,
        [one if isinstance(one, Policy) else Policy.read(one) for one in earlier],
        progress,
    )
