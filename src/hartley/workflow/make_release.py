"""A release: the point that meets the target, and the policy that recodes the table by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from hartley.errors import OptionError
from hartley.frontiers import Point
from hartley.model import JointRange
from hartley.model.target import Target
from hartley.model.words import LEAKAGES, SEARCHES, Codeword, Leakage, SearchName
from hartley.releases.codebook import LABELS, Labels
from hartley.releases.formats import Format
from hartley.releases.policy import Choices, Policy, Reading
from hartley.releases.signing import SigningKey
from hartley.releases.writer.staging import require_free
from hartley.search.effort import UNLIMITED, Effort
from hartley.tables import ReadOptions, Roles, open_table
from hartley.workflow.audit_table import Names, names
from hartley.workflow.choose_point import ReleaseDemand, reach, require_reachable_kind
from hartley.workflow.original_source import for_verifier, require_publishable
from hartley.workflow.release_paths import release_places, require_earlier_stay
from hartley.workflow.release_plan import Plan, Seen
from hartley.workflow.time_limit import effort_within
from hartley.workflow.utility_choice import UtilityChoice, codeword_of
from hartley.workflow.write_release import ReleaseResult, write_release
from hartley.workflow.write_to_database import database_for, require_no_table


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
    key: str | Path | None = None,
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
    is, or in ``into_database``. ``key`` is a file with the key that signs the certificate. ``point`` is a
    point of a frontier of the same columns, found before: it is released, if it meets the target, and
    nothing is searched. What was proven about it is claimed where the frontier was of the same reader:
    ``found_in`` is the joint range of that frontier, needed where columns are kept or releases are
    earlier. ``progress`` is told (done, total, what) now and then; an ``effort`` has its own, and its own
    limit and seed.
    """
    _require_choices(leakage, search, labels)
    places = release_places(source, output, policy, certificate, key)
    signer = None if key is None else SigningKey.read(key)
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
        return write_release(
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
            key=signer,
        )
    finally:
        table.close()


def _require_choices(leakage: str, search: str, labels: str | None) -> None:
    if leakage not in LEAKAGES:
        raise OptionError.unknown("leakage", leakage, LEAKAGES)
    if search not in SEARCHES:
        raise OptionError.unknown("search", search, SEARCHES)
    if labels is not None and labels not in LABELS:
        raise OptionError.unknown("kind of labels", labels, LABELS)
