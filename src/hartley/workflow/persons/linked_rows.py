"""The rows of a table with the person of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hartley.errors import OptionError, TableError, option
from hartley.measures.audit import Audit, Role
from hartley.measures.audit import audit as measure
from hartley.measures.person_range import person_range, require_one_value_each
from hartley.model import JointRange, Partition
from hartley.releases.policy import Policy
from hartley.tables import Roles, Table
from hartley.workflow.request.study_table import Missing


@dataclass(frozen=True)
class Persons:
    """How many persons a table has, and how many different public values the one with most of them."""

    column: str
    persons: int
    most_values: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"column": self.column, "persons": self.persons, "most_values": self.most_values}


@dataclass(frozen=True)
class LinkedRows:
    """The public and sensitive value of each row, and whose row it is."""

    column: str
    joint: JointRange
    """With the person as side information."""

    @classmethod
    def read(
        cls, table: Table, roles: Roles, person: str, *, missing: Missing = "value", rows: int | None = None
    ) -> LinkedRows:
        """Read them; refuse what has no meaning for persons."""
        if person in (*roles.public, *roles.sensitive):
            role = "public" if person in roles.public else "sensitive"
            raise OptionError(
                f"column {person!r} is {role} and cannot say whose row it is; give {option('person')} another"
            )
        if roles.side:
            raise OptionError(f"{option('person')} is not measured together with {option('side')}")
        linked = Roles(sensitive=roles.sensitive, public=roles.public, side=(person,))
        joint = table.joint_range(linked, missing=missing).joint
        if rows is not None and joint.row_count != rows:
            raise TableError("some rows have no person; leave them out, or name another column")
        require_one_value_each(joint)
        return cls(person, joint)

    @classmethod
    def of_policy(cls, table: Table, policy: Policy, person: str) -> LinkedRows:
        """Read the rows that a policy is about."""
        if policy.keep or policy.side:
            told = option("keep" if policy.keep else "side")
            raise OptionError(f"{option('person')} is not measured together with {told}")
        roles = Roles(sensitive=policy.sensitive_names, public=policy.public_names)
        table.require_columns((person,))
        rows = table.joint_range(roles, missing=policy.reading.missing).joint.row_count
        return cls.read(table, roles, person, missing=policy.reading.missing, rows=rows)

    def seen(self, partition: Partition | None = None) -> JointRange:
        """Return what a reader sees of persons, after a release by a partition."""
        return person_range(self.joint.release(partition))

    def audit(self) -> Audit:
        """Return what the reader learns of persons; what he sees are sets of public values."""
        found = measure(self.seen())
        return replace(found, public=Role(self.joint.public.columns, found.public.values))

    @property
    def told(self) -> Persons:
        """How many there are."""
        assert self.joint.observed_side is not None  # noqa: S101 (read with the person)
        counts = np.bincount(self.joint.observed_side)
        return Persons(self.column, len(counts), int(counts.max()))
