"""The audit of a table as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hartley.errors import ColumnError, OptionError, option
from hartley.measures.audit import Audit, audit_of_summary, measure
from hartley.measures.by_column import ColumnLeft, guess_to_dict, left_by_column
from hartley.measures.verdicts import ToleranceMeasures, verdicts
from hartley.model import JointRange, Partition
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.demand import Demand, Wanted
from hartley.model.requirement import Requirement, Verdict, require_fitting
from hartley.tables import RangeRead, Roles, SummaryRead, Table
from hartley.tables.looks.identifiers import count_values, identifier_columns, note_persons
from hartley.tables.looks.possible_answers import note_alike_secrets, note_empty_secrets
from hartley.workflow.request.study_table import StudyTable

if TYPE_CHECKING:
    from hartley.measures.certain.robust_overlap import RobustOverlap
    from hartley.measures.stochastic.summary import StochasticSummary
    from hartley.workflow.against.audit_against import Against
    from hartley.workflow.persons.linked_rows import Persons


def is_counted(requirement: Requirement) -> bool:
    """Tell whether the counts of an audit answer a requirement, without the pairs."""
    return requirement.column is None and requirement.audited_as is not None


@dataclass(frozen=True, kw_only=True)
class AuditResult:
    """An audit of a table, and whether it meets what was required.

    Examples
    --------
    >>> import hartley, pyarrow
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> found = hartley.audit(table, sensitive="age", public="chol", require={"distinct_l": 2})
    >>> found.distinct_l, found.l0_bits == found.audit.l0_bits, found.holds
    (1, True, False)
    """

    audit: Audit
    """All measures, for a reader of the public columns together; ``result.distinct_l`` is shorter."""
    each: tuple[Audit, ...]
    """Each public column alone, worst first; empty where the public columns were named."""
    dropped_rows: int
    """Rows left out because a value was missing, where that was asked for."""
    requirements: tuple[Verdict, ...]
    """What was required, what was found, and whether it holds."""
    separation: ToleranceMeasures | None
    """What is kept of sensitive values that are more than a tolerance apart; ``None`` without one."""
    stochastic: StochasticSummary | None
    """What statistics say, with the row frequencies as probabilities; ``None`` where it was not asked for."""
    identifiers: Mapping[str, str] = field(default_factory=dict)
    """Public and sensitive columns that look like they name people, each with the reason."""
    closeness: Closeness = NO_CLOSENESS
    """Which sensitive values count as one."""
    by_sensitive: Sequence[ColumnLeft] = ()
    """What is left of each sensitive column by itself; empty where a large table was counted only."""
    jointly: bool = False
    """Whether several sensitive columns count as one joint value."""
    joint: JointRange | None = field(default=None, repr=False, compare=False)
    """The joint range that was measured; ``None`` where a large table was counted only."""
    overlap: RobustOverlap | None = None
    """What stays told apart when small overlaps do not count; ``None`` where it was not asked for."""
    persons: Persons | None = None
    """Whose rows a reader can link; all measures are of persons then. ``None`` where it was not asked for."""
    against: Against | None = None
    """What the table gives away about the people of its original; ``None`` where none was named."""

    @property
    def holds(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.holds for verdict in self.requirements)

    def __getattr__(self, name: str) -> Any:
        """Return a measure of the audit by its name, as ``found.distinct_l``."""
        if name.startswith("_") or name == "audit":
            raise AttributeError(name)
        return getattr(self.audit, name)

    def __dir__(self) -> list[str]:
        """Name the measures of the audit, too."""
        return sorted({*super().__dir__(), *dir(self.audit)})

    def __repr__(self) -> str:
        held = "" if not self.requirements else f", requirements {'hold' if self.holds else 'do not hold'}"
        return f"AuditResult({self.audit!r}{held})"

    def _repr_html_(self) -> str:
        from hartley.report.notebook import audit_html

        return audit_html(self)

    def to_frame(self) -> Any:
        """Return the audit, and each column alone, as a data frame: pandas or polars, whichever is there."""
        from hartley.report.notebook import audit_frame

        return audit_frame(self)

    def to_dict(self, *, disclosive: bool = False) -> dict[str, Any]:
        """Return the result as it stands in JSON; sensitive values appear only when disclosive."""
        shown = {
            **self.audit.to_dict(disclosive=disclosive),
            "dropped_rows": self.dropped_rows,
            "each": [audit.to_dict(disclosive=disclosive) for audit in self.each],
            "requirements": [verdict.to_dict() for verdict in self.requirements],
            "likeliest_guess": guess_to_dict(self.by_sensitive),
            "by_sensitive": [one.to_dict() for one in self.by_sensitive],
            "identifiers": [{"column": name, "reason": why} for name, why in self.identifiers.items()],
        }
        if self.separation is not None:
            shown |= self.separation.to_dict()
            shown["least_spread"] = self.separation.least_spread
        if self.persons is not None:
            shown["persons"] = self.persons.to_dict()
        if self.against is not None:
            shown["against"] = self.against.to_dict()
        if self.overlap is not None:
            shown["overlap"] = self.overlap.to_dict()
        if self.stochastic is not None:
            shown["stochastic"] = self.stochastic.to_dict()
        return shown


def audit_table(
    study: StudyTable,
    require: Wanted = None,
    *,
    each: bool = False,
    stochastic: bool = False,
    overlap: int | None = None,
) -> AuditResult:
    """Measure what a reader of the public columns learns about the sensitive ones."""
    requirements = required(study, require, each=each)
    if overlap is None:
        return _audited(study, requirements, stochastic=stochastic, needs_pairs=False)
    from hartley.measures.certain.robust_overlap import RobustOverlap

    found = _audited(study, requirements, stochastic=stochastic, needs_pairs=True)
    assert found.joint is not None  # noqa: S101 (asked for)
    return replace(found, overlap=RobustOverlap.of(found.joint, overlap))


def _audited(
    study: StudyTable, requirements: tuple[Requirement, ...], *, stochastic: bool, needs_pairs: bool
) -> AuditResult:
    if study.earlier and stochastic:
        raise OptionError(f"{option('stochastic')} is of a table as it is; leave out {option('earlier')}")
    if study.joint is not None:
        statistics = _statistics(study.joint) if stochastic else None
        return result_of(study, study.joint, measure(study.joint), (), 0, requirements, statistics)
    if study.person is not None:
        return _audit_of_persons(study, requirements, stochastic=stochastic)
    with study.opened() as table:
        if study.earlier:
            joint, dropped_rows = joint_of_releases(study, table)
            return result_of(study, joint, measure(joint), (), dropped_rows, requirements)
        roles, alone = choose_roles(table, study.roles_given)
        are_counted = all(map(is_counted, requirements))
        needs_pairs |= stochastic or study.is_tolerant or not are_counted or len(study.sensitive) > 1
        joint_range = None
        if needs_pairs:
            read = table.joint_range(roles, missing=study.missing)
            joint_range, found, dropped_rows = read.joint, measure(read.joint), read.dropped_rows
            counted = table.several_counts(alone, missing=study.missing)
        else:
            counted = table.several_counts([roles, *alone], missing=study.missing)
            first = next(counted)
            found, dropped_rows = _measured(first)
            joint_range = first.joint if isinstance(first, RangeRead) else None
        others = [_measured(one)[0] for one in counted]
        columns = tuple(sorted(others, key=_worst_first))
        identifiers = _identifiers(table, found, columns)
        note_persons(table, *study.roles_given)
    statistics = _statistics(joint_range) if stochastic and joint_range is not None else None
    result = result_of(study, joint_range, found, columns, dropped_rows, requirements, statistics)
    return replace(result, identifiers=identifiers)


def _identifiers(table: Table, found: Audit, each: tuple[Audit, ...]) -> dict[str, str]:
    """Name columns that look like they name people, with the reasons."""
    values: dict[str, int | None] = {
        one.public.columns[0]: one.public.values for one in (found, *each) if len(one.public.columns) == 1
    }
    uncounted = [name for name in found.public.columns if name not in values]
    if uncounted and not table.source.is_remote:
        values |= count_values(table, uncounted)
    named = {name: values[name] for name in found.public.columns if name in values}
    return identifier_columns(table, dict.fromkeys(found.sensitive.columns) | named)


def _audit_of_persons(
    study: StudyTable, requirements: tuple[Requirement, ...], *, stochastic: bool
) -> AuditResult:
    """Measure what a reader learns who can link the rows of one person."""
    from hartley.workflow.persons.linked_rows import LinkedRows

    if study.earlier or stochastic:
        beside = option("earlier" if study.earlier else "stochastic")
        raise OptionError(f"{option('person')} is not measured together with {beside}")
    with study.opened() as table:
        table.require_columns((study.person or "",))
        sensitive, public, side = study.roles_given
        roles, alone = choose_roles(table, (sensitive, public, (*side, study.person or "")))
        roles, *each = (replace(one, side=side) for one in (roles, *alone))
        read = table.joint_range(roles, missing=study.missing)
        linked = LinkedRows.read(
            table, roles, study.person or "", missing=study.missing, rows=read.joint.row_count
        )
        linked.require_countable(requirements)
        identifiers = identifier_columns(table, dict.fromkeys((*roles.public, *roles.sensitive)))
        others = [
            LinkedRows.read(table, one, study.person or "", missing=study.missing).audit() for one in each
        ]
    result = result_of(
        study,
        linked.seen(),
        linked.audit(),
        tuple(sorted(others, key=_worst_first)),
        read.dropped_rows,
        requirements,
    )
    return replace(result, by_sensitive=linked.left(), persons=linked.told, identifiers=identifiers)


def required(study: StudyTable, wanted: Wanted, *, each: bool = False) -> tuple[Requirement, ...]:
    """Return the requirements that were given, of each sensitive column by itself where that is asked."""
    demand = Demand.of(wanted)
    if demand.cap is not None or demand.utility_weight is not None or demand.max_leakage is not None:
        raise OptionError("an audit takes requirements, and no cap on what may be lost")
    return study.by_column(demand.requirements, each=each)


def result_of(
    study: StudyTable,
    joint: JointRange | None,
    found: Audit,
    each: tuple[Audit, ...],
    dropped_rows: int,
    requirements: tuple[Requirement, ...],
    statistics: StochasticSummary | None = None,
) -> AuditResult:
    """Put an audit together: what is required, each sensitive column by itself, what is close."""
    separation, closeness = None, NO_CLOSENESS
    if joint is None:
        held = tuple(verdict_of(one, found) for one in requirements)
    else:
        note_empty_secrets(joint.sensitive)
        note_alike_secrets(joint.sensitive, study.groups)
        closeness = study.closeness(joint.sensitive)
        require_fitting(requirements, joint.sensitive.columns, closeness)
        held = verdicts(joint, requirements, closeness)
        separation = None if closeness.is_empty else ToleranceMeasures.of(joint, closeness)
    return AuditResult(
        by_sensitive=() if joint is None else left_by_column(joint),
        jointly=study.jointly,
        audit=found,
        each=each,
        dropped_rows=dropped_rows,
        requirements=held,
        separation=separation,
        closeness=closeness,
        stochastic=statistics,
        joint=joint,
    )


def verdict_of(requirement: Requirement, found: Audit) -> Verdict:
    """Hold a requirement against the counts of an audit, without looking at the pairs again."""
    require_fitting((requirement,), found.sensitive.columns)
    return requirement.verdict(getattr(found, requirement.audited_as or ""))


def _statistics(joint: JointRange) -> StochasticSummary:
    from hartley.measures.stochastic.summary import StochasticSummary

    return StochasticSummary.of(joint)


def choose_roles(
    table: Table, given: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
) -> tuple[Roles, list[Roles]]:
    """Return the roles to audit, and, where no public column is named, those of each column alone."""
    sensitive, public, side = given
    if public:
        return Roles(sensitive=sensitive, public=public, side=side), []
    table.require_columns((*sensitive, *side))
    others = tuple(column.name for column in table.columns if column.name not in (*sensitive, *side))
    if not others:
        raise ColumnError(f"no column is left to publish; name one with {option('public')}")
    together = Roles(sensitive=sensitive, public=others, side=side)
    if len(others) == 1:
        return together, []
    return together, [Roles(sensitive=sensitive, public=(name,), side=side) for name in others]


def _measured(counted: SummaryRead | RangeRead) -> tuple[Audit, int]:
    """Return the audit, and how many rows were left out."""
    if isinstance(counted, RangeRead):
        return measure(counted.joint), counted.dropped_rows
    return audit_of_summary(counted.summary), counted.dropped_rows


def _worst_first(audit: Audit) -> tuple[float, float, float, tuple[str, ...]]:
    return (-audit.l0_bits, -audit.istar_bits, -audit.narrowest_rows / audit.rows, audit.public.columns)


def joint_of_releases(study: StudyTable, table: Table) -> tuple[JointRange, int]:
    """Return what a reader of all earlier releases of a table sees, and how many rows were left out.

    Such a reader sees every codeword of a row, and every column that a release kept or called
    harmless: the common refinement of the partitions. Public columns of the study are seen
    besides, as they are.
    """
    from hartley.releases.apply import codebook_of
    from hartley.releases.codebook import codebook
    from hartley.releases.formats import Format
    from hartley.releases.rows.reader_view import ObservedRows
    from hartley.releases.rows.source_rows import Rows

    policies = list(study.policies)
    for policy in policies:
        policy.require_columns(table.column_names, table.name)
    first = policies[0]
    shown = tuple(study.public) or first.public_names
    roles = Roles(sensitive=tuple(study.sensitive), public=shown, side=tuple(study.side))
    joint = table.joint_range(roles, missing=study.missing).joint
    keep: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    beside = policies
    if tuple(study.public):
        book = codebook(joint.public, Partition.singletons(joint.public.size))
    elif first.never_missing and study.missing == "value":
        # Some rows may not be in the first one, so it is seen beside a label that tells nothing.
        book = codebook(joint.public, Partition.whole(joint.public.size), "member")
    else:
        book = codebook_of(first, joint.public)
        beside, keep, harmless = policies[1:], first.shown_beside(roles.sensitive), first.harmless
    needed = [*roles.columns]
    for policy in policies:
        needed += policy.read_beside(roles.sensitive)
    rows = Rows(table, needed, present=roles.columns if study.missing == "drop" else ())
    observed = ObservedRows(
        rows,
        joint.public,
        joint.sensitive,
        Format("csv", ",", False),
        side=roles.side,
        keep=keep,
        harmless=harmless,
        earlier=beside,
    )
    joint = observed.reader(book, harmless=True, earlier=True)
    every = joint.row_count if study.missing == "value" else table.row_count
    return joint, every - joint.row_count
