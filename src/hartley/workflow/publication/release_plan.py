"""What a release is made from: where it goes, which columns it has, what readers see of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hartley.errors import OptionError, option, quoted
from hartley.model import Alphabet, JointRange
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement, SharedWeight, require_fitting, require_shape_for
from hartley.model.words import Labels
from hartley.releases.codebook import Groups
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
from hartley.search.problem import Problem
from hartley.tables import RangeRead, Roles, Table
from hartley.workflow.codebooks.arranged_column import ArrangedColumn
from hartley.workflow.request.column_choices import groups_said
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.objective import Budget, Objective
from hartley.workflow.request.study_table import StudyTable, names
from hartley.workflow.request.utility_choice import codeword_of, default_labels
from hartley.workflow.trees.prior import TreePrior
from hartley.workflow.trees.reduced_table import ReducedTable
from hartley.workflow.trees.refusals import without_side


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
            destination.output, destination.policy, destination.certificate, destination.key
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
        require_free(places, overwrite=destination.overwrite, source=study.source)
        if database is not None:
            require_no_table(database, str(into))
        return cls(places=places, format_=format_, signer=signer, database=database, in_spark=in_spark)


@dataclass(frozen=True, kw_only=True)
class ReleasePlan:
    """What is asked of which table: columns of the release, rows as any reader sees them, the question.

    Rows are read when they are first asked for.
    """

    study: StudyTable
    """The roles of columns as the reader for whom the release must hold has them."""
    table: Table
    objective: Objective
    demand: Demand
    format_: Format
    words: Labels | None = None
    """What a cluster is to be called; ``None``: as is usual for its columns."""
    known_besides: tuple[str, ...] = ()
    """Columns that a reader who knows the program is promised nothing less for."""
    reduced: ReducedTable | None = None
    """A few rows of each class, where the table is too large to be held."""

    @classmethod
    def of(
        cls,
        study: StudyTable,
        table: Table,
        objective: Objective,
        demand: Demand,
        format_: Format,
        words: Labels | None = None,
        reduced: ReducedTable | None = None,
    ) -> ReleasePlan:
        """Plan a release; to a reader who knows everybody's public values side columns change nothing."""
        return cls(
            study=without_side(study, objective) if objective.transparent else study,
            table=table if reduced is None else reduced.table,
            objective=objective,
            demand=demand,
            format_=format_,
            words=words,
            known_besides=study.roles.side if objective.transparent else (),
            reduced=reduced,
        )

    def __post_init__(self) -> None:
        roles, keep, harmless = self.study.roles, names(self.study.keep), self.harmless
        self.table.require_columns((*roles.columns, *keep, *harmless))
        for role, named in ((f"{option('keep')}", keep), (f"{option('harmless')}", harmless)):
            for other, taken in (
                ("public", roles.public),
                ("sensitive", roles.sensitive),
                ("kept", keep if role == f"{option('harmless')}" else ()),
            ):
                both = [name for name in named if name in taken]
                if both:
                    raise OptionError(f"column {quoted(both)} is {other} already; leave it out of {role}")
            if len(set(named)) < len(named):
                raise OptionError(f"a column is named twice with {role}; name it once")
        both = [name for name in roles.public if name in roles.sensitive]
        if both and self.study.publish_sensitive:
            raise OptionError(
                f"column {quoted(both)} is public and sensitive: it is recoded, and not published as it is"
            )
        folded = [name.casefold() for name in self.published]
        if len(set(folded)) < len(folded):
            raise OptionError("two of the columns to publish differ only in upper and lower case; rename one")
        weighed = next((one for one in self.demand.requirements if isinstance(one, SharedWeight)), None)
        if weighed is not None and harmless:
            raise OptionError(
                f"{weighed.text} counts the weights of recoded values, not of rows beside them; leave "
                f"{option('harmless')} out, or keep the column ({option('keep')})"
            )
        for policy in self.earlier:
            policy.require_columns(self.table.column_names, self.table.name)

    # Which columns go where.

    @property
    def has_kept_codebooks(self) -> bool:
        """Whether kept columns are public ones, each with a codebook that keeps it."""
        return self.objective.clusters.name in ("columns", "tree")

    @cached_property
    def roles(self) -> Roles:
        """The columns that are measured."""
        roles = self.study.roles
        kept = names(self.study.keep) if self.has_kept_codebooks else ()
        return replace(roles, public=(*roles.public, *kept))

    @property
    def keep(self) -> tuple[str, ...]:
        """Columns that are published unchanged beside the recoded ones, and counted."""
        return () if self.has_kept_codebooks else names(self.study.keep)

    @property
    def harmless(self) -> tuple[str, ...]:
        """Columns that are published unchanged and not counted."""
        return names(self.study.harmless)

    @cached_property
    def earlier(self) -> tuple[Policy, ...]:
        """The policies of earlier releases, whose labels are seen as well."""
        return self.study.policies

    @property
    def published(self) -> tuple[str, ...]:
        """Every column that is in the release."""
        sensitive = self.roles.sensitive if self.study.publish_sensitive else ()
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

    def measured(self, named: Sequence[str]) -> tuple[MeasuredColumn, ...]:
        """Return columns with the kind they are measured as."""
        return tuple(
            MeasuredColumn(name=column.name, kind=column.kind) for column in self.table.typed_columns(named)
        )

    def kinds(self, named: Sequence[str]) -> dict[str, Any]:
        """Return the kinds of columns that are published untouched."""
        found = {name: self.rows.columns[name].typed for name in named}
        return {name: None if typed is None else typed.kind for name, typed in found.items()}

    # What any reader sees of the rows.

    @cached_property
    def read(self) -> RangeRead:
        """Which public and sensitive values occur together, without what is published beside."""
        return self._read(self._present)

    @cached_property
    def _present(self) -> Roles:
        """The columns that are counted, or without whose cells a row is left out: kept ones as well."""
        roles = self.roles
        beside = self.keep if self.study.missing == "drop" else ()
        return replace(roles, side=tuple(dict.fromkeys((*roles.side, *beside))))

    def _read(self, roles: Roles) -> RangeRead:
        return self.table.joint_range(roles, missing=self.study.missing, missing_at=self.study.missing_at)

    @property
    def public(self) -> Alphabet:
        """The public values."""
        return self.read.joint.public

    @cached_property
    def rows(self) -> Rows:
        """The rows themselves, in the engine."""
        drops = self.study.missing == "drop"
        return Rows(self.table, self.needed, present=self._present.columns if drops else ())

    @property
    def _is_alone(self) -> bool:
        """Whether readers see the labels and nothing else."""
        return not (self.keep or self.harmless or self.earlier)

    @property
    def _weights(self) -> str | None:
        """The column of sampling weights, where they are asked for."""
        return next((one.column for one in self.demand.requirements if isinstance(one, SharedWeight)), None)

    @cached_property
    def observed(self) -> Observed:
        """What readers see in each row: the released value, and what is published beside it."""
        if self._is_alone:
            found = Observed(self.read.joint)
        else:
            found = ObservedRows(
                self.rows,
                self.public,
                self.read.joint.sensitive,
                self.format_,
                side=self.roles.side,
                keep=self.keep,
                harmless=self.harmless,
                earlier=self.earlier,
            )
        column = self._weights
        return found if column is None else Observed(self._weighed(found.for_search(), column))

    def _weighed(self, joint: JointRange, column: str) -> JointRange:
        """Return a joint range with the sampling weights of each public value."""
        sensitive = (*self.roles.sensitive, column)
        read = self._read(Roles(sensitive=sensitive, public=self.roles.public)).joint
        coordinate = read.sensitive.coordinates[-1]
        weights = coordinate.positions if coordinate.kind == "number" else None
        # A cell that is missing is NaN, or its row was dropped.
        is_whole = weights is not None and read.row_count == joint.row_count
        if weights is None or not is_whole or not (weights >= 0).all():
            raise OptionError(f"weights are numbers from 0 on in every row; {column!r} has other cells")
        return replace(joint, weights=np.add.reduceat(weights[read.indices] * read.rows, read.indptr[:-1]))

    # What is asked of a search.

    @cached_property
    def joint(self) -> JointRange:
        """What a search sees: what stands beside the labels is side information to it."""
        is_read = self._is_alone and self._weights is None
        joint = self.read.joint if is_read else self.observed.for_search()
        return joint.knowing(len(self.roles.side))

    @cached_property
    def question(self) -> Problem:
        """The question that the release answers."""
        return asked_question(
            self.study, self.objective, self.joint, self.demand.requirements, labels=self.words
        )

    @cached_property
    def labels(self) -> Labels:
        """What a cluster is called."""
        question = self.question
        usual = default_labels(self.public, question.shape.name, codeword_of(question.utility))
        return self.words or usual

    @property
    def groups(self) -> Mapping[str, Groups]:
        """The ever wider groups of the values of text columns, which name what is merged."""
        if self.question.shape.name not in ("any", "tree") or self.words == "set":
            return {}
        return groups_said(self.objective.columns, self.public)


def asked_question(
    study: StudyTable,
    objective: Objective,
    joint: JointRange,
    requirements: Iterable[Requirement] = (),
    budget: Budget | None = None,
    labels: Labels | None = None,
) -> Problem:
    """Return the question that a study and an objective ask of a joint range.

    Where ``labels`` are given, what they cost is counted.
    """
    closeness = study.closeness(joint.sensitive)
    utility = objective.utility_for(joint.public, labels)
    if utility.name == "resolution":
        # Ties between clusters of one size are broken by codes of sensitive values: names must not decide.
        joint = joint.nameless()
    given = tuple(requirements)
    is_by_column = objective.clusters.name in ("columns", "tree")
    is_intervals = objective.clusters.name == "intervals"
    require_fitting(given, joint.sensitive.columns, closeness)
    require_shape_for(given, objective.clusters.name)
    return Problem(
        joint=joint,
        leakage=objective.leakage,
        prior=TreePrior.of(study, objective.reference, objective.facts) if objective.is_told else None,
        utility=utility,
        requirements=given,
        closeness=closeness,
        shape=objective.clusters,
        budget=(budget or objective.budget).rows_of(joint.row_count),
        columns=objective.columns if is_by_column else None,
        arrangement=ArrangedColumn.of(objective.columns, joint.public) if is_intervals else None,
        kept=names(study.keep) if is_by_column else (),
        objective=objective.objective,
        transparent=objective.transparent,
        transparent_knows=objective.transparent_knows,
        ties=objective.ties,
    )
