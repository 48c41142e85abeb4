"""What a release is made from: which files and columns go where, and the rows as any reader sees them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hartley.errors import OptionError, option, quoted
from hartley.model import Alphabet
from hartley.model.requirement import Requirement, SharedWeight
from hartley.releases.formats import Format
from hartley.releases.policy import MeasuredColumn, Policy
from hartley.releases.rows.reader_view import Observed, ObservedRows
from hartley.releases.rows.source_rows import Rows
from hartley.releases.signing import SigningKey
from hartley.releases.writer.database_table import database_for, require_no_table
from hartley.releases.writer.original_source import is_spark
from hartley.releases.writer.release_paths import release_places, require_earlier_stay
from hartley.releases.writer.released_folder import require_no_folder, stays_in_spark
from hartley.releases.writer.staging import require_free
from hartley.tables import Roles, Table
from hartley.workflow.publication.choose_point import ReleaseDemand
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable, names


@dataclass(frozen=True, kw_only=True)
class ReleaseFiles:
    """Where a release goes."""

    places: dict[str, Path]
    """The file of each part of the release, by its role."""
    format_: Format
    signer: SigningKey | None
    database: str | None
    """The database in which a new table is filled as well."""
    in_spark: bool
    """Whether the rows stay in Spark, which writes a folder."""

    @classmethod
    def require_free(cls, study: StudyTable, destination: Destination) -> ReleaseFiles:
        """Return where a release goes; raise where something stands there, before anything is read."""
        places = release_places(
            study.source, destination.output, destination.policy, destination.certificate, destination.key
        )
        signer = None if destination.key is None else SigningKey.read(destination.key)
        require_earlier_stay(places, study.earlier)
        format_, into = Format.of(places["output"]), destination.into
        database = None
        if into is not None or destination.into_database is not None:
            database = database_for(into, destination.into_database, study.source, places["output"])
        in_spark = is_spark(study.source) and stays_in_spark(format_, study.reading, into)
        if in_spark:
            require_no_folder(places["output"])
        require_free(places, overwrite=destination.overwrite)
        if database is not None:
            require_no_table(database, str(into))
        return cls(places=places, format_=format_, signer=signer, database=database, in_spark=in_spark)


@dataclass(frozen=True, kw_only=True)
class Plan:
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

    @classmethod
    def of(cls, study: StudyTable, table: Table, format_: Format) -> Plan:
        """Plan the release of a study."""
        return cls(
            table=table,
            roles=study.roles,
            keep=names(study.keep),
            harmless=names(study.harmless),
            publish_sensitive=study.publish_sensitive,
            missing=study.missing,
            missing_at=study.missing_at,
            earlier=study.policies,
            format_=format_,
        )

    def __post_init__(self) -> None:
        self.table.require_columns((*self.roles.columns, *self.keep, *self.harmless))
        for role, named in ((f"{option('keep')}", self.keep), (f"{option('harmless')}", self.harmless)):
            for other, taken in (
                ("public", self.roles.public),
                ("sensitive", self.roles.sensitive),
                ("kept", self.keep if role == f"{option('harmless')}" else ()),
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
        folded = [name.casefold() for name in self.published]
        if len(set(folded)) < len(folded):
            raise OptionError("two of the columns to publish differ only in upper and lower case; rename one")
        for policy in self.earlier:
            policy.require_columns(self.table.column_names, self.table.name)

    @property
    def published(self) -> tuple[str, ...]:
        """Every column that is in the release."""
        sensitive = self.roles.sensitive if self.publish_sensitive else ()
        return tuple(dict.fromkeys((*self.roles.public, *self.keep, *self.harmless, *sensitive)))

    @property
    def needed(self) -> tuple[str, ...]:
        """Every column that is read."""
        past = [name for policy in self.earlier for name in policy.read_beside(self.roles.sensitive)]
        return (*self.roles.columns, *self.keep, *self.harmless, *past)

    @property
    def beside(self) -> str:
        """Say, for messages, what the reader sees beside the labels."""
        parts = []
        if self.keep:
            parts.append(f"column {quoted(self.keep)} is kept")
        if self.earlier:
            parts.append(
                f"{len(self.earlier)} earlier release{'s are' if len(self.earlier) > 1 else ' is'} known"
            )
        return f" ({' and '.join(parts)})" if parts else ""

    def publishing_kept(self) -> Plan:
        """Return the plan in which kept columns are public ones, each with a codebook that keeps it."""
        roles = self.roles
        public = (*roles.public, *self.keep)
        return replace(self, roles=Roles(sensitive=roles.sensitive, public=public, side=roles.side), keep=())

    def measured(self, named: Sequence[str]) -> tuple[MeasuredColumn, ...]:
        """Return columns with the kind they are measured as."""
        return tuple(
            MeasuredColumn(name=column.name, kind=column.kind) for column in self.table.typed_columns(named)
        )


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The rows, and what any reader sees of them."""

    rows: Rows
    observed: Observed
    public: Alphabet
    dropped_rows: int

    @classmethod
    def of(cls, plan: Plan) -> Seen:
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
            observed = Observed(read.joint)
        return cls(
            rows=rows,
            observed=observed,
            public=read.joint.public,
            dropped_rows=read.dropped_rows,
        )

    def weighed(self, plan: Plan, requirements: Iterable[Requirement]) -> Seen:
        """Return the same with the sampling weights of each public value, where they are asked for."""
        column = next((one.column for one in requirements if isinstance(one, SharedWeight)), None)
        if column is None:
            return self
        joint = self.observed.for_search()
        roles = Roles(sensitive=(*plan.roles.sensitive, column), public=plan.roles.public)
        read = plan.table.joint_range(roles, missing=plan.missing, missing_at=plan.missing_at).joint
        coordinate = read.sensitive.coordinates[-1]
        weights = coordinate.positions if coordinate.kind == "number" else None
        # A cell that is missing is NaN, or its row was dropped.
        is_whole = weights is not None and read.row_count == joint.row_count
        if weights is None or not is_whole or not (weights >= 0).all():
            raise OptionError(f"weights are numbers from 0 on in every row; {column!r} has other cells")
        sums = np.add.reduceat(weights[read.indices] * read.rows, read.indptr[:-1])
        return replace(self, observed=Observed(replace(joint, weights=sums)))

    def kinds(self, named: Sequence[str]) -> dict[str, Any]:
        """Return the kinds of columns that are published untouched."""
        found = {name: self.rows.columns[name].typed for name in named}
        return {name: None if typed is None else typed.kind for name, typed in found.items()}


@dataclass(frozen=True, kw_only=True)
class ReleaseTask:
    """A release that is to be made: what was asked of which table, where it goes, and what readers see."""

    study: StudyTable
    destination: Destination
    objective: Objective
    files: ReleaseFiles
    plan: Plan
    seen: Seen
    asked: ReleaseDemand
    known_besides: tuple[str, ...] = ()
    """Columns that a reader who knows the program is promised nothing less for."""
