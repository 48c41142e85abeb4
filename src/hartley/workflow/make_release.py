"""A release: the table, its policy and its certificate, written together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import hartley
from hartley.errors import OptionError, WriteError
from hartley.frontiers import Point
from hartley.measures.audit import Audit
from hartley.measures.audit import audit as measure
from hartley.measures.uncertainty import row_counts
from hartley.model import JointRange, Partition
from hartley.model.target import Target
from hartley.model.words import LEAKAGES, SEARCHES, Codeword, Leakage, SearchName
from hartley.releases.certificate import Certificate, SearchClaim, file_sha256
from hartley.releases.codebook import LABELS, Labels
from hartley.releases.formats import Format
from hartley.releases.policy import Choices, Policy, Reading
from hartley.releases.verifier.verification import (
    Verification,
    input_commitment,
    policy_commitment,
    verify_release,
)
from hartley.releases.writer.claims import column_claims, measures_of
from hartley.releases.writer.publication import Publication
from hartley.releases.writer.staging import cannot_write, require_free, staged
from hartley.search.effort import UNLIMITED, Effort
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.interrupts import undisturbed
from hartley.workflow.audit_table import Names, names
from hartley.workflow.choose_point import ChosenPoint, ReleaseDemand, reach, require_reachable_kind
from hartley.workflow.original_source import doubt_about, for_verifier, original_file, require_publishable
from hartley.workflow.release_paths import release_places, require_earlier_stay
from hartley.workflow.release_plan import Plan, Seen
from hartley.workflow.time_limit import effort_within
from hartley.workflow.utility_choice import UtilityChoice, codeword_of
from hartley.workflow.write_to_database import database_for, new_table, require_no_table


@dataclass(frozen=True, kw_only=True)
class ReleaseResult:
    """What was released, what it was before and is now, and where the files are."""

    output: Path
    policy: Path
    certificate: Path
    rows: int
    dropped_rows: int
    point: Point
    before: Audit
    after: Audit
    """What a reader of the recoded and kept columns learns."""
    after_all: Audit
    """What a reader of every published column learns, the sensitive ones aside."""
    together: Audit | None
    """As ``after``, for a reader who also has the earlier releases."""
    together_all: Audit | None
    verification: Verification
    input_sha256: str | None
    """For the curator: the certificate holds a keyed commitment instead. ``None`` for a frame."""
    output_sha256: str
    columns: tuple[tuple[str, str], ...]
    """Every column of the table, and how it was treated."""
    coincided: int
    """Clusters that were lost because labels had to coincide."""
    target: Target
    joint: JointRange = field(repr=False, compare=False)
    """What the search saw: the public values, and beside them what the reader sees or knows."""
    partition: Partition = field(repr=False, compare=False)
    """The public values that share a label."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as it stands in JSON."""
        return {
            "output": str(self.output),
            "rows": self.rows,
            "dropped_rows": self.dropped_rows,
            "target": self.target.to_dict(),
            "point": self.point.to_dict(),
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "after_all": self.after_all.to_dict(),
            "together": None if self.together is None else self.together.to_dict(),
            "together_all": None if self.together_all is None else self.together_all.to_dict(),
            "verified": self.verification.holds,
            "sha256": {"input": self.input_sha256, "output": self.output_sha256},
            "policy": str(self.policy),
            "certificate": str(self.certificate),
            "columns": [{"name": name, "treatment": treatment} for name, treatment in self.columns],
        }


def release(
    source: Any,
    output: str | Path,
    *,
    target: Target,
    point: Point | None = None,
    found_in: JointRange | None = None,
    sensitive: Names,
    public: Names,
    side: Names = (),
    keep: Names = (),
    harmless: Names = (),
    publish_sensitive: bool = False,
    leakage: Leakage = "l0",
    utility: UtilityChoice | Literal["resolution", "distortion"] | None = None,
    search: SearchName = "optimal",
    labels: Labels | None = None,
    missing: Literal["value", "drop"] = "value",
    missing_at: float | None = None,
    earlier: Sequence[str | Path | Policy] = (),
    policy: str | Path | None = None,
    certificate: str | Path | None = None,
    into: str | None = None,
    into_database: str | None = None,
    keep_order: bool = False,
    overwrite: bool = False,
    time_limit: float | None = None,
    seed: int = 0,
    effort: Effort | None = None,
    progress: Callable[[int, int, str], None] = UNLIMITED.progress,
    options: ReadOptions | None = None,
) -> ReleaseResult:
    """Release a table so that the target holds, with its policy and certificate.

    The output holds the recoded public columns, and of the others only those in ``keep`` (the target
    holds for a reader of both) and ``harmless`` (left out of the target, measured all the same), and
    the sensitive ones where ``publish_sensitive`` says so. Nothing is written unless everything is.
    ``into`` names a new table that is filled with the release as well, in the database that the source
    is, or in ``into_database``. ``point`` is a point of a frontier of the same columns, found before: it
    is released, if it meets the target, and nothing is searched. What was proven about it is claimed
    where the frontier was of the same reader: ``found_in`` is the joint range of that frontier, needed where
    columns are kept or releases are earlier. ``progress`` is told (done, total, what) now and then; an
    ``effort`` has its own, and its own limit and seed.
    """
    _require_choices(leakage, search, labels)
    places = release_places(source, output, policy, certificate)
    require_earlier_stay(places, earlier)
    format_ = Format.of(places["output"])
    database = database_for(into, into_database, source, places["output"])
    require_free(places, overwrite=overwrite)
    require_no_table(database, into)
    past = [one if isinstance(one, Policy) else Policy.read(one) for one in earlier]
    options = options or ReadOptions()
    table = open_table(source, options)
    try:
        plan = Plan(
            table=table,
            roles=Roles(sensitive=names(sensitive), public=names(public), side=names(side)),
            keep=names(keep),
            harmless=names(harmless),
            publish_sensitive=publish_sensitive,
            missing=missing,
            missing_at=missing_at,
            earlier=past,
            format_=format_,
        )
        require_publishable(source, table, plan.published)
        seen = Seen.of(plan)
        choice = utility if isinstance(utility, UtilityChoice) else UtilityChoice(name=utility)
        cost = choice.for_alphabet(seen.public)
        require_reachable_kind(target, cost)
        codeword = codeword_of(cost)
        demand = ReleaseDemand(
            target=target,
            leakage=leakage,
            utility=cost,
            search=search,
            labels=labels or (codeword if codeword in get_args(Codeword) else "midpoint"),  # type: ignore[arg-type]
            is_seen_beside=bool(plan.keep or past),
            beside=plan.beside,
        )
        effort = effort or effort_within(time_limit, seed=seed, progress=progress)
        reached = reach(
            seen.observed,
            demand,
            effort,
            decimals=seen.decimals,
            has_earlier=bool(past),
            point=point,
            found_in=found_in,
        )
        made = Policy.of(
            seen.public,
            reached.book,
            columns=table.column_names,
            sensitive=plan.measured(plan.roles.sensitive),
            side=plan.measured(plan.roles.side),
            keep=plan.keep,
            harmless=plan.harmless,
            untouched_kinds=seen.kinds((*plan.keep, *plan.harmless)),
            publish_sensitive=publish_sensitive,
            reading=Reading(
                text=options.text,
                number=options.number,
                encoding=options.encoding,
                delimiter=options.delimiter,
                sheet=options.sheet,
                query=options.query,
                missing=missing,
            ),
            choices=Choices(
                target=target.to_dict(),
                leakage=leakage,
                utility=cost.name,
                codeword=codeword,
                search=search,
                labels=demand.labels,
                missing_at=missing_at,
                keep_order=keep_order,
            ),
        )
        return _write(
            for_verifier(source, options),
            places,
            plan,
            seen,
            demand,
            reached,
            made,
            overwrite=overwrite,
            into=(database, into),
            progress=effort.progress,
        )
    finally:
        table.close()


def _write(
    original: Any,
    places: dict[str, Path],
    plan: Plan,
    seen: Seen,
    demand: ReleaseDemand,
    reached: ChosenPoint,
    policy: Policy,
    *,
    overwrite: bool,
    into: tuple[str | None, str | None],
    progress: Callable[[int, int, str], None],
) -> ReleaseResult:
    observed, book = seen.observed, reached.book
    before, after = measure(observed.before()), measure(observed.reader(book))
    after_all = measure(observed.reader(book, harmless=True)) if plan.harmless else after
    together = reached.audit if plan.earlier else None
    together_all = measure(observed.reader(book, harmless=True, earlier=True)) if plan.earlier else None
    with staged(places, overwrite=overwrite, private=("policy",)) as staging:
        try:
            Publication(seen.rows, policy).write(
                staging.path("output"),
                plan.format_,
                keep_order=policy.choices.keep_order,
                cluster_rows=row_counts(observed.before().without_side(), book.partition),
            )
            staging.path("policy").write_bytes(policy.to_json())
            output_sha256 = file_sha256(staging.path("output"))
            certificate = Certificate(
                hartley=hartley.__version__,
                rows=after.rows,
                dropped_rows=seen.dropped_rows,
                rows_shuffled=not policy.choices.keep_order,
                output_sha256=output_sha256,
                input_commitment=input_commitment(policy, original),
                policy_commitment=policy_commitment(policy, policy),
                earlier_commitments=tuple(policy_commitment(policy, one) for one in plan.earlier),
                columns=column_claims(policy, seen.public, book),
                clusters=book.partition.size,
                largest_cluster=int(book.partition.sizes.max()),
                target=policy.choices.target,
                search=_search_claim(demand, reached),
                side_information=plan.roles.side,
                before=measures_of(before),
                after=measures_of(after),
                after_all=measures_of(after_all),
                together=None if together is None else measures_of(together),
                together_all=None if together_all is None else measures_of(together_all),
            ).sealed(policy)
            staging.path("certificate").write_bytes(certificate.to_json())
        except OSError as error:
            raise cannot_write(places["output"].parent, error) from None
        # Nothing is published that the verifier, with the files as they are on disk, does not confirm.
        verification = verify_release(
            staging.path("output"),
            original,
            Policy.read(staging.path("policy")),
            Certificate.read(staging.path("certificate")),
            plan.earlier,
            progress,
        )
        if not verification.holds:
            failed = verification.failures[0]
            raise WriteError(
                f"the verifier does not confirm the release ({failed.name}: {failed.reason}); "
                f"nothing was written{doubt_about(original)}"
            )
        if into[0] is not None:
            plan.table.close()  # a reader of SQLite keeps writers out
        input_sha256 = file_sha256(source) if (source := original_file(original)) else None
        with new_table(*into, staging.path("output")) as commit, undisturbed():
            # The files are whole without the table, so they come first; a table without them would not be.
            staging.publish()
            commit()
    return ReleaseResult(
        output=places["output"],
        policy=places["policy"],
        certificate=places["certificate"],
        rows=after.rows,
        dropped_rows=seen.dropped_rows,
        point=reached.point,
        before=before,
        after=after,
        after_all=after_all,
        together=together,
        together_all=together_all,
        verification=verification,
        input_sha256=input_sha256,
        output_sha256=output_sha256,
        columns=tuple((name, policy.treatment(name)) for name in policy.columns),
        coincided=book.coincided,
        target=demand.target,
        joint=reached.joint,
        partition=book.partition,
    )


def _search_claim(demand: ReleaseDemand, reached: ChosenPoint) -> SearchClaim:
    point = reached.point
    bound = point.lower_bound_bits
    return SearchClaim(
        name=demand.search,
        leakage=demand.leakage,
        utility=demand.utility.name,
        codeword=codeword_of(demand.utility),
        max_distortion=point.max_distortion,
        leakage_bits=point.leakage_bits,
        lower_bound_bits=bound,
        # Where labels coincide the release is another partition, about which nothing was proven.
        proven_optimal=point.proven_optimal and not reached.book.coincided,
        gap_bits=None if bound is None else max(0.0, point.leakage_bits - bound),
    )


def _require_choices(leakage: str, search: str, labels: str | None) -> None:
    if leakage not in LEAKAGES:
        raise OptionError.unknown("leakage", leakage, LEAKAGES)
    if search not in SEARCHES:
        raise OptionError.unknown("search", search, SEARCHES)
    if labels is not None and labels not in LABELS:
        raise OptionError.unknown("kind of labels", labels, LABELS)
