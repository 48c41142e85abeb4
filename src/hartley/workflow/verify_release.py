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

    Parameters
    ----------
    released : str or Path
        The released file.
    original
        The table it was made from: a path, a pattern, the URL of a database, or a data frame.
    policy : str, Path or Policy
        The policy of the release, or its file.
    certificate : str, Path or Certificate, optional
        What is claimed; without it only rows and codebook are checked, and the measures counted.
    earlier : sequence of str, Path or Policy
        Policies of the earlier releases that the certificate speaks of, in the same order.
    progress : callable, optional
        Told (done, total, what) now and then.

    Returns
    -------
    Verification
        Every check by name, and whether all hold.

    Raises
    ------
    PolicyError
        If the policy or the certificate is damaged, or made for something else.
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
    ...         made.output, original=table, policy=made.policy, certificate=made.certificate
    ...     )
    >>> found.holds
    True
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
