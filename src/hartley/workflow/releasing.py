"""A release: the table, its policy and its certificate, written together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import hartley
from hartley.errors import OptionError, WriteError, quoted
from hartley.frontiers import LEAKAGES, SEARCHES, Leakage, Point, SearchName
from hartley.measures.audit import Audit
from hartley.measures.audit import audit as measure
from hartley.measures.utility import Codeword
from hartley.model import Alphabet, JointRange, Partition
from hartley.releases.certificate import Certificate, SearchClaim, file_sha256
from hartley.releases.claims import column_claims, measures_of
from hartley.releases.formats import ENDINGS, Format
from hartley.releases.labels import LABELS, Labels
from hartley.releases.observed import Observed, ObservedLabels, ObservedRows
from hartley.releases.policy import Choices, MeasuredColumn, Policy, Reading
from hartley.releases.publication import Publication
from hartley.releases.rows import Rows
from hartley.releases.verify import Verification, input_commitment, policy_commitment, verify_release
from hartley.releases.writing import cannot_write, require_free, staged
from hartley.search.effort import Effort
from hartley.tables import ReadOptions, Roles, Table, open_table
from hartley.workflow.auditing import Names, names
from hartley.workflow.effort import effort_within
from hartley.workflow.originals import for_verifier, original_file
from hartley.workflow.reaching import Demand, Reached, reach, require_reachable_kind
from hartley.workflow.target import Target
from hartley.workflow.utilities import UtilityChoice, codeword_of
from hartley.workflow.writing_back import database_for, new_table


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
        """Give the result as it stands in JSON."""
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
    options: ReadOptions | None = None,
) -> ReleaseResult:
    """Release a table so that the target holds, with its policy and certificate.

    The output holds the recoded public columns, and of the others only those in ``keep`` (the target
    holds for a reader of both) and ``harmless`` (left out of the target, measured all the same), and
    the sensitive ones where ``publish_sensitive`` says so. Nothing is written unless everything is.
    ``into`` names a new table that is filled with the release as well, in the database that the source
    is, or in ``into_database``. ``point`` is a point of a frontier of the same columns, found before: it
    is released, if it meets the target, and nothing is searched.
    """
    _require_choices(leakage, search, labels)
    places = _places(source, output, policy, certificate)
    _require_earlier_stay(places, earlier)
    format_ = Format.of(places["output"])
    database = database_for(into, into_database, source, places["output"])
    require_free(places, overwrite=overwrite)
    past = [one if isinstance(one, Policy) else Policy.read(one) for one in earlier]
    options = options or ReadOptions()
    table = open_table(source, options)
    try:
        plan = _Plan(
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
        seen = _Seen.of(plan)
        choice = utility if isinstance(utility, UtilityChoice) else UtilityChoice(name=utility)
        cost = choice.for_alphabet(seen.public)
        require_reachable_kind(target, cost)
        codeword = codeword_of(cost)
        demand = Demand(
            target=target,
            leakage=leakage,
            utility=cost,
            search=search,
            labels=labels or (codeword if codeword in get_args(Codeword) else "midpoint"),  # type: ignore[arg-type]
            is_seen_beside=bool(plan.keep or past),
            beside=_beside(plan),
        )
        reached = reach(
            seen.observed,
            demand,
            effort or effort_within(time_limit, seed=seed),
            decimals=seen.decimals,
            has_earlier=bool(past),
            point=point,
        )
        made = Policy.of(
            seen.public,
            reached.book,
            columns=table.column_names,
            sensitive=_measured(table, plan.roles.sensitive),
            side=_measured(table, plan.roles.side),
            keep=plan.keep,
            harmless=plan.harmless,
            untouched_kinds=_kinds(seen.rows, (*plan.keep, *plan.harmless)),
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
        original = for_verifier(source, options)
        return _write(
            original, places, plan, seen, demand, reached, made, overwrite=overwrite, into=(database, into)
        )
    finally:
        table.close()


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """Which columns go where."""

    table: Table
    roles: Roles
    keep: tuple[str, ...]
    harmless: tuple[str, ...]
    publish_sensitive: bool
    missing: Literal["value", "drop"]
    missing_at: float | None
    earlier: Sequence[Policy]
    format_: Format

    def __post_init__(self) -> None:
        self.table.require_columns((*self.roles.columns, *self.keep, *self.harmless))
        for role, named in (("--keep", self.keep), ("--harmless", self.harmless)):
            for other, taken in (
                ("public", self.roles.public),
                ("sensitive", self.roles.sensitive),
                ("kept", self.keep if role == "--harmless" else ()),
            ):
                both = [name for name in named if name in taken]
                if both:
                    raise OptionError(f"column {quoted(both)} is {other} already; leave it out of {role}")
            if len(set(named)) < len(named):
                raise OptionError(f"a column is named twice with {role}; name it once")
        both = [name for name in self.roles.public if name in self.roles.sensitive]
        if both and self.publish_sensitive:
            raise OptionError(
                f"column {quoted(both)} is public and sensitive: it is recoded, and not published as it is"
            )
        published = [*self.roles.public, *self.keep, *self.harmless]
        published += self.roles.sensitive if self.publish_sensitive else ()
        folded = [name.casefold() for name in dict.fromkeys(published)]
        if len(set(folded)) < len(folded):
            raise OptionError("two of the columns to publish differ only in upper and lower case; rename one")
        for policy in self.earlier:
            policy.require_columns(self.table.column_names, self.table.name)

    @property
    def needed(self) -> tuple[str, ...]:
        """Every column that is read."""
        past = [name for policy in self.earlier for name in policy.read_beside(self.roles.sensitive)]
        return (*self.roles.columns, *self.keep, *self.harmless, *past)


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """The rows, and what any reader sees of them."""

    rows: Rows
    observed: Observed
    public: Alphabet
    dropped_rows: int
    decimals: Mapping[str, int]

    @classmethod
    def of(cls, plan: _Plan) -> _Seen:
        """Read what search and measures need."""
        roles, drops = plan.roles, plan.missing == "drop"
        asked = roles
        if drops and plan.keep:
            # Rows without a kept value are left out as well.
            asked = Roles(
                sensitive=roles.sensitive,
                public=roles.public,
                side=tuple(dict.fromkeys((*roles.side, *plan.keep))),
            )
        read = plan.table.joint_range(asked, missing=plan.missing, missing_at=plan.missing_at)
        rows = Rows(plan.table, plan.needed, present=asked.columns if drops else ())
        observed: Observed
        if plan.keep or plan.harmless or plan.earlier:
            observed = ObservedRows(
                rows,
                read.joint.public,
                read.joint.sensitive,
                plan.format_,
                side=roles.side,
                keep=plan.keep,
                harmless=plan.harmless,
                earlier=plan.earlier,
            )
        else:
            observed = ObservedLabels(read.joint)
        found = {name: rows.columns[name].decimals for name in roles.public}
        return cls(
            rows=rows,
            observed=observed,
            public=read.joint.public,
            dropped_rows=read.dropped_rows,
            decimals={name: room for name, room in found.items() if room is not None},
        )


def _write(
    original: Any,
    places: dict[str, Path],
    plan: _Plan,
    seen: _Seen,
    demand: Demand,
    reached: Reached,
    policy: Policy,
    *,
    overwrite: bool,
    into: tuple[str | None, str | None],
) -> ReleaseResult:
    observed, book = seen.observed, reached.book
    before, after = measure(observed.before()), measure(observed.reader(book))
    after_all = measure(observed.reader(book, harmless=True)) if plan.harmless else after
    together = reached.audit if plan.earlier else None
    together_all = measure(observed.reader(book, harmless=True, earlier=True)) if plan.earlier else None
    with staged(places, overwrite=overwrite, private=("policy",)) as staging:
        try:
            Publication(seen.rows, policy).write(
                staging.path("output"), plan.format_, keep_order=policy.choices.keep_order
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
        )
        if not verification.holds:
            failed = verification.failures[0]
            raise WriteError(
                f"the verifier does not confirm the release ({failed.name}: {failed.reason}); "
                "nothing was written"
            )
        if into[0] is not None:
            plan.table.close()  # a reader of SQLite keeps writers out
        with new_table(*into, staging.path("output")) as database:
            # The files are whole without the table, so they come first; a table without them would not be.
            staging.publish()
            if database is not None:
                database.commit()
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
        input_sha256=file_sha256(source) if (source := original_file(original)) else None,
        output_sha256=output_sha256,
        columns=tuple((name, policy.treatment(name)) for name in policy.columns),
        coincided=book.coincided,
        target=demand.target,
        joint=reached.joint,
        partition=book.partition,
    )


def _search_claim(demand: Demand, reached: Reached) -> SearchClaim:
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


def _places(
    source: Any, output: str | Path, policy: str | Path | None, certificate: str | Path | None
) -> dict[str, Path]:
    out = Path(output)
    places = {"output": out, **default_names(out)}
    if policy is not None:
        places["policy"] = Path(policy)
    if certificate is not None:
        places["certificate"] = Path(certificate)
    if isinstance(source, (str, Path)):
        for place in places.values():
            if place.exists() and Path(source).exists() and place.samefile(source):
                raise OptionError(f"{str(place)!r} is the input itself; give the release another name")
    return places


def _require_earlier_stay(places: Mapping[str, Path], earlier: Sequence[Any]) -> None:
    """Refuse to replace an earlier policy: without it nobody can verify the new release."""
    for one in earlier:
        for place in places.values():
            is_file = isinstance(one, (str, Path)) and Path(one).exists()
            if is_file and place.exists() and place.samefile(one):
                raise OptionError(f"{str(place)!r} is an earlier policy; give the new files other names")


def default_names(output: Path) -> dict[str, Path]:
    """Name the policy and the certificate that go beside a release.

    >>> {role: path.name for role, path in default_names(Path("heart.csv.gz")).items()}
    {'policy': 'heart.policy.json', 'certificate': 'heart.certificate.json'}
    """
    stem = output.name
    for suffix in reversed(output.suffixes[-2:]):
        if suffix.lower() in (".gz", *ENDINGS):
            stem = stem.removesuffix(suffix)
    return {role: output.with_name(f"{stem}.{role}.json") for role in ("policy", "certificate")}


def _beside(plan: _Plan) -> str:
    parts = []
    if plan.keep:
        parts.append(f"column {quoted(plan.keep)} is kept")
    if plan.earlier:
        parts.append(
            f"{len(plan.earlier)} earlier release{'s are' if len(plan.earlier) > 1 else ' is'} known"
        )
    return f" ({' and '.join(parts)})" if parts else ""


def _measured(table: Table, named: Sequence[str]) -> tuple[MeasuredColumn, ...]:
    return tuple(MeasuredColumn(name=column.name, kind=column.kind) for column in table.typed_columns(named))


def _kinds(rows: Rows, named: Sequence[str]) -> dict[str, Any]:
    found = {name: rows.columns[name].typed for name in named}
    return {name: None if typed is None else typed.kind for name, typed in found.items()}
