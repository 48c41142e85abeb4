"""Several releases of the same data: what a reader of all of them learns."""

from __future__ import annotations

import numpy as np

from hartley.model import JointRange, Partition
from hartley.releases.apply import codebook_of
from hartley.releases.codebook import codebook
from hartley.releases.formats import Format
from hartley.releases.writer.reader_view import ObservedRows
from hartley.releases.writer.source_rows import Rows
from hartley.tables import Roles, Table
from hartley.workflow.request.study_table import StudyTable


def joint_of_releases(study: StudyTable, table: Table) -> tuple[JointRange, int]:
    """Return what a reader of all earlier releases of a table sees, and how many rows were left out.

    Such a reader sees every codeword of a row, and every column that a release kept or called
    harmless: the common refinement of the partitions. Public columns of the study are seen
    besides, as they are.
    """
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
        nothing = Partition(np.zeros(joint.public.size, dtype=np.intp))
        book = codebook(joint.public, nothing, "member")
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
