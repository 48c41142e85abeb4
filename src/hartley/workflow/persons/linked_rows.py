"""The rows of a table with the person of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hartley.errors import OptionError, TableError, option
from hartley.measures.audit import Audit, Role, measure
from hartley.measures.by_column import ColumnLeft, left_by_column
from hartley.measures.person_range import (
    SETS,
    changing_persons,
    fewest_of_all_rows,
    fewest_persons,
    person_range,
    persons_of_observations,
    require_persons,
)
from hartley.measures.uncertainty import candidate_counts
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.arrays import different
from hartley.model.requirement.requirement import Requirement
from hartley.releases.formats import Format
from hartley.releases.policy import Policy
from hartley.releases.rows.reader import Reader
from hartley.releases.rows.reader_view import ObservedRows
from hartley.releases.rows.source_rows import Rows
from hartley.tables import Roles, Table
from hartley.workflow.request.study_table import Missing


@dataclass(frozen=True)
class Persons:
    """How many persons a table has, and how many different public values the one with most of them."""

    column: str
    persons: int
    most_values: int
    all_rows_l: int
    """Fewest sensitive values that all rows of a person leave possible; others with the same rows may have
    fewer among them, which is what is measured."""

    changing: int = 0
    """Persons whose sensitive value changes from row to row; what is measured is the value of each row."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "changing": self.changing,
            "column": self.column,
            "persons": self.persons,
            "most_values": self.most_values,
            "all_rows_l": self.all_rows_l,
        }


@dataclass(frozen=True)
class Beside:
    """What is seen or known of each row beside its public value."""

    columns: tuple[str, ...]
    earlier: tuple[Policy, ...] = ()
    """Earlier releases, whose labels are seen as well."""
    format_: Format = Format("csv", ",", False)  # noqa: RUF009 (a frozen value)
    """The format in which kept columns are published: what differs in it is told apart."""


def require_own_column(person: str, roles: Mapping[str, Sequence[str]]) -> None:
    """Refuse a column of persons that has another role."""
    for role, columns in roles.items():
        if person in columns:
            raise OptionError(
                f"column {person!r} is {role} and cannot say whose row it is; give {option('person')} another"
            )


@dataclass(frozen=True)
class LinkedRows:
    """The public and sensitive value of each row, and whose row it is."""

    column: str
    joint: JointRange
    """With the person as the first side column; the others are seen beside the public value."""

    @classmethod
    def read(
        cls, table: Table, roles: Roles, person: str, *, missing: Missing = "value", rows: int | None = None
    ) -> LinkedRows:
        """Read them; refuse what has no meaning for persons."""
        require_own_column(person, {"public": roles.public, "sensitive": roles.sensitive})
        if roles.side:
            raise OptionError(
                f"{option('person')} is not measured together with {option('side')} here: what a reader "
                "knows beforehand differs from row to row; name the column among the public ones"
            )
        linked = Roles(sensitive=roles.sensitive, public=roles.public, side=(person,))
        joint = table.joint_range(linked, missing=missing).joint
        return cls._of(person, joint, rows)

    @classmethod
    def read_beside(
        cls, rows: Rows, alphabets: tuple[Alphabet, Alphabet], person: str, beside: Beside
    ) -> LinkedRows:
        """Read rows of which more is seen or known than the public value."""
        require_own_column(person, {"side or published": beside.columns})
        observed = ObservedRows(
            rows, *alphabets, beside.format_, side=(person,), keep=beside.columns, earlier=beside.earlier
        )
        return cls._of(person, observed.for_search(), rows.count())

    @classmethod
    def _of(cls, person: str, joint: JointRange, rows: int | None) -> LinkedRows:
        if rows is not None and joint.row_count != rows:
            raise TableError("some rows have no person; leave them out, or name another column")
        found = cls(person, joint)
        require_persons(found.seen_rows())
        return found

    @classmethod
    def of_policy(
        cls, table: Table, policy: Policy, person: str, earlier: Sequence[Policy] = ()
    ) -> LinkedRows:
        """Read the rows that a policy is about."""
        roles = Roles(sensitive=policy.sensitive_names, public=policy.public_names)
        table.require_columns((person,))
        missing = policy.reading.missing
        beside = (*policy.side_names, *policy.keep)
        if not beside and not earlier:
            rows = table.joint_range(roles, missing=missing).joint.row_count
            return cls.read(table, roles, person, missing=missing, rows=rows)
        require_own_column(person, {"public": roles.public, "sensitive": roles.sensitive})
        asked = replace(roles, side=beside) if missing == "drop" else roles
        joint = table.joint_range(asked, missing=missing).joint
        past = [name for one in earlier for name in one.read_beside(roles.sensitive)]
        needed = (*roles.columns, *beside, *past, person)
        kept = Rows(table, needed, present=asked.columns if missing == "drop" else ())
        return cls.read_beside(kept, (joint.public, joint.sensitive), person, Beside(beside, tuple(earlier)))

    def seen(self, partition: Partition | None = None) -> JointRange:
        """Return what a reader sees of persons, after a release by a partition."""
        return person_range(self.seen_rows(partition))

    def seen_rows(self, partition: Partition | None = None) -> JointRange:
        """Return what a reader sees of each row, with the person as side information."""
        return Reader(joint=self.joint, known=1).sees(partition)

    def audit(self, partition: Partition | None = None) -> Audit:
        """Return what the reader learns of persons; what he sees are sets of public or released values."""
        seen = self.seen(partition)
        found = measure(seen)
        rows = self.seen_rows(partition)
        sets, persons = persons_of_observations(rows)
        kept = candidate_counts(seen)
        narrowest = np.flatnonzero(kept == kept.min()).tolist()
        return replace(
            found,
            public=Role(self.joint.public.columns, found.public.values),
            rows=rows.side.size if rows.side is not None else found.rows,
            row_k=fewest_persons(rows),
            narrowest_rows=len(different(np.concatenate([persons[one] for one in narrowest]))),
            narrowest=tuple(
                replace(
                    one,
                    rows=len(persons[at]),
                    public={SETS: _set_named(rows.public, sets[at])} if SETS in one.public else one.public,
                )
                for one, at in zip(found.narrowest, narrowest[: len(found.narrowest)], strict=True)
            ),
        )

    def left(self, partition: Partition | None = None) -> tuple[ColumnLeft, ...]:
        """Return what is left to persons of each sensitive column by itself."""
        return left_by_column(self.seen(partition), persons_of_observations(self.seen_rows(partition))[1])

    def require_countable(self, requirements: Sequence[Requirement]) -> None:
        """Refuse to count the rows of persons whose sensitive value changes: they are values, not persons."""
        changing = changing_persons(self.seen_rows())
        if changing and any(one.name == "row-k" for one in requirements):
            raise OptionError(
                f"the sensitive value of {changing:,} persons changes from row to row, and "
                f"{option('row_k')} counts persons only where each has one value; leave it out, or keep one "
                "row of each person"
            )

    @property
    def told(self) -> Persons:
        """How many there are."""
        seen = self.seen_rows()
        assert seen.observed_side is not None  # noqa: S101 (read with the person)
        counts = np.bincount(seen.observed_side)
        least = fewest_of_all_rows(seen)
        return Persons(self.column, len(counts), int(counts.max()), least, changing_persons(seen))


def _set_named(public: Alphabet, values: Sequence[int]) -> str:
    """Name the public values that stand in the rows of a person, one after the other."""
    labels = (public.label(value) for value in values)
    rows = (label if isinstance(label, tuple) else (label,) for label in labels)
    return "; ".join(", ".join("missing" if cell is None else str(cell) for cell in row) for row in rows)
