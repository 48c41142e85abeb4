"""A certificate against its policy, its file and its rows: everything it says must follow from them."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.releases.certificate import Certificate, ReaderPromise, TreatedColumn
from hartley.releases.policy import Policy
from hartley.releases.verifier.checks import Checks


def check_certificate(
    checks: Checks,
    certificate: Certificate,
    policy: Policy,
    earlier: Sequence[Policy],
    *,
    rows: int | None,
    withheld: int,
) -> None:
    """Check everything that a certificate says but its hash, commitment and signature."""
    promise = certificate.predicate
    checks.add(
        "software",
        (promise.software.name, promise.software.version) == ("hartley", policy.hartley),
        "the certificate names other software than the policy",
    )
    checks.add("row count", promise.rows == rows, f"{rows} rows were counted")
    checks.add(
        "withheld rows", promise.rows_withheld == withheld, f"{withheld} rows were counted as withheld"
    )
    checks.add(
        "what counts as one",
        (promise.tolerance, promise.grouped) == (policy.choices.tolerance, tuple(policy.choices.groups)),
        "the certificate names other tolerances or groups than the policy",
    )
    checks.add(
        "treatment of rows",
        (promise.order, promise.missing, promise.formulas)
        == (
            "kept" if policy.choices.keep_order else "shuffled",
            policy.reading.missing,
            policy.choices.formulas,
        ),
        "the certificate says otherwise than the policy how rows were ordered, left out or defused",
    )
    checks.add(
        "treatment of columns",
        promise.columns == _treated(policy),
        "the certificate names other columns or treatments than the policy",
    )
    counted = max((reader.earlier_releases for reader in promise.readers), default=0)
    checks.add(
        "earlier releases",
        counted == len(earlier),
        f"the certificate counts {counted} earlier releases; give their policies",
    )
    checks.add(
        "promises to readers",
        promise.readers == _readers(policy, len(earlier)) and promise.caps == policy.caps,
        "the certificate promises something else than the policy asks for, or for other readers",
    )
    checks.add("seal", certificate.is_sealed_by(policy), "the certificate was changed after it was made")


def _treated(policy: Policy) -> tuple[TreatedColumn, ...]:
    coding = {column.name: str(column.coding) for column in policy.public}
    return tuple(
        TreatedColumn(name=name, treatment=policy.treatment(name), coding=coding.get(name))
        for name in policy.columns
    )


def _readers(policy: Policy, earlier: int) -> tuple[ReaderPromise, ...]:
    """Return what each kind of reader must be promised; with harmless columns, nothing."""
    seen = {*policy.public_names, *policy.keep}
    counts = (0, earlier) if earlier else (0,)
    promised = [_reader(policy, seen, count, promised=True) for count in counts]
    if policy.harmless:
        promised.append(_reader(policy, seen | set(policy.harmless), earlier, promised=False))
    return tuple(promised)


def _reader(policy: Policy, seen: set[str], earlier: int, *, promised: bool) -> ReaderPromise:
    return ReaderPromise(
        sees=tuple(name for name in policy.columns if name in seen),
        knows=policy.side_names,
        earlier_releases=earlier,
        requirements=policy.requirements if promised else (),
    )
