"""The audit of a table as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hartley.errors import ColumnError, OptionError, option
from hartley.measures.audit import Audit, audit_of_summary
from hartley.measures.audit import audit as measure
from hartley.measures.requirement import Requirement, Verdict
from hartley.model import JointRange
from hartley.tables import ReadOptions, Roles, Table, open_table

if TYPE_CHECKING:
    from hartley.measures.stochastic.summary import StochasticSummary

Names = str | Sequence[str]


@dataclass(frozen=True, kw_only=True)
class AuditResult:
    """An audit of a table, and whether it meets what was required."""

    audit: Audit
    each: tuple[Audit, ...]
    """Each public column alone, worst first; empty where the public columns were named."""
    dropped_rows: int
    """Rows left out because a value was missing, where that was asked for."""
    requirements: tuple[Verdict, ...]
    stochastic: StochasticSummary | None
    """What statistics say, with the row frequencies as probabilities; ``None`` where it was not asked for."""

    @property
    def holds(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.holds for verdict in self.requirements)

    def to_dict(self, *, disclosive: bool = False) -> dict[str, Any]:
        """Return the result as it stands in JSON; sensitive values appear only when disclosive."""
        shown = {
            **self.audit.to_dict(disclosive=disclosive),
            "dropped_rows": self.dropped_rows,
            "each": [audit.to_dict(disclosive=disclosive) for audit in self.each],
            "requirements": [verdict.to_dict() for verdict in self.requirements],
        }
        if self.stochastic is not None:
            shown["stochastic"] = self.stochastic.to_dict()
        return shown


def audit(
    source: Any,
    *,
    sensitive: Names,
    public: Names = (),
    side: Names = (),
    missing: Literal["value", "drop"] = "value",
    require: str | Requirement | Sequence[str | Requirement] = (),
    stochastic: bool = False,
    earlier: Sequence[Any] = (),
    options: ReadOptions | None = None,
) -> AuditResult:
    """Measure what a reader of the public columns learns about the sensitive ones.

    ``source`` is a path, a pattern, the URL of a database, or a data frame. Without
    ``public`` all other columns are taken together, and each one alone. ``stochastic`` adds what
    statistics say, with the row frequencies as probabilities. ``earlier`` are policies of releases of
    the same data (paths or values): the audit is then of a reader of all of them, and of ``public``
    besides, as it is.
    """
    wanted = (require,) if isinstance(require, (str, Requirement)) else require
    requirements = [item if isinstance(item, Requirement) else Requirement.parse(item) for item in wanted]
    if earlier:
        if stochastic:
            raise OptionError(f"{option('stochastic')} is of a table as it is; leave out {option('earlier')}")
        found, dropped_rows = _of_releases(
            source,
            sensitive=sensitive,
            public=public,
            side=side,
            missing=missing,
            earlier=earlier,
            options=options,
        )
        return AuditResult(
            audit=found,
            each=(),
            dropped_rows=dropped_rows,
            requirements=tuple(requirement.check(found) for requirement in requirements),
            stochastic=None,
        )
    table = open_table(source, options or ReadOptions())
    roles, alone = choose_roles(table, names(sensitive), names(public), names(side))
    statistics = None
    if stochastic:
        read = table.joint_range(roles, missing=missing)
        found, dropped_rows = measure(read.joint), read.dropped_rows
        statistics = _statistics(read.joint)
    else:
        found, dropped_rows = _measure(table, roles, missing)
    return AuditResult(
        audit=found,
        each=tuple(sorted((_measure(table, one, missing)[0] for one in alone), key=_worst_first)),
        dropped_rows=dropped_rows,
        requirements=tuple(requirement.check(found) for requirement in requirements),
        stochastic=statistics,
    )


def _of_releases(
    source: Any,
    *,
    sensitive: Names,
    public: Names,
    side: Names,
    missing: Literal["value", "drop"],
    earlier: Sequence[Any],
    options: ReadOptions | None,
) -> tuple[Audit, int]:
    """Audit what a reader of several releases learns; give it, and how many rows were left out."""
    from hartley.workflow.composition import audit_releases

    found = audit_releases(
        source,
        sensitive=sensitive,
        public=public,
        side=side,
        missing=missing,
        earlier=earlier,
        options=options,
    )
    rows = found.rows if missing == "value" else open_table(source, options or ReadOptions()).row_count
    return found, rows - found.rows


def _statistics(joint: JointRange) -> StochasticSummary:
    from hartley.measures.stochastic.summary import StochasticSummary

    return StochasticSummary.of(joint)


def names(given: Names) -> tuple[str, ...]:
    """Take one name or several."""
    found = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in found):
        raise OptionError("columns are given by their names, as text")
    return found


def choose_roles(
    table: Table, sensitive: tuple[str, ...], public: tuple[str, ...], side: tuple[str, ...]
) -> tuple[Roles, list[Roles]]:
    """Return the roles to audit, and, where no public column is named, those of each column alone."""
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


def _measure(table: Table, roles: Roles, missing: Literal["value", "drop"]) -> tuple[Audit, int]:
    """Return the audit, and how many rows were left out."""
    counted = table.range_summary(roles, missing=missing)
    if counted is None:
        read = table.joint_range(roles, missing=missing)
        return measure(read.joint), read.dropped_rows
    return audit_of_summary(counted.summary), counted.dropped_rows


def _worst_first(audit: Audit) -> tuple[float, float, float, tuple[str, ...]]:
    return (-audit.l0_bits, -audit.istar_bits, -audit.narrowest_rows / audit.rows, audit.public.columns)
