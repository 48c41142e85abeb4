"""Several releases of the same data: what a reader of all of them learns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hartley.errors import OptionError, option
from hartley.measures.audit import Audit
from hartley.measures.audit import audit as measure
from hartley.model import Partition
from hartley.releases.apply import codebook_of
from hartley.releases.codebook import codebook
from hartley.releases.formats import Format
from hartley.releases.policy import Policy
from hartley.releases.writer.reader_view import ObservedRows
from hartley.releases.writer.source_rows import Rows
from hartley.tables import ReadOptions, Roles, open_table
from hartley.workflow.audit_table import Names, names


def audit_releases(
    source: Any,
    *,
    sensitive: Names,
    earlier: Sequence[str | Path | Policy],
    public: Names = (),
    side: Names = (),
    missing: Literal["value", "drop"] = "value",
    options: ReadOptions | None = None,
) -> Audit:
    """Measure what a reader of all these releases of a table learns, in the worst case.

    Such a reader sees every codeword of a row, and every column that a release kept or called
    harmless: the common refinement of the partitions. ``public`` names columns that the reader
    sees besides, as they are.
    """
    if not earlier:
        raise OptionError(f"name at least one earlier policy ({option('earlier')})")
    policies = [one if isinstance(one, Policy) else Policy.read(one) for one in earlier]
    table = open_table(source, options or ReadOptions())
    try:
        for policy in policies:
            policy.require_columns(table.column_names, table.name)
        first = policies[0]
        shown = names(public) or first.public_names
        roles = Roles(sensitive=names(sensitive), public=shown, side=names(side))
        joint = table.joint_range(roles, missing=missing).joint
        keep: tuple[str, ...] = ()
        harmless: tuple[str, ...] = ()
        beside = policies
        if names(public):
            book = codebook(joint.public, Partition.singletons(joint.public.size))
        elif first.never_missing and missing == "value":
            # Some rows may not be in the first one, so it is seen beside a label that tells nothing.
            nothing = Partition(np.zeros(joint.public.size, dtype=np.intp))
            book = codebook(joint.public, nothing, "member")
        else:
            book = codebook_of(first, joint.public)
            beside, keep, harmless = policies[1:], first.shown_beside(roles.sensitive), first.harmless
        needed = [*roles.columns]
        for policy in policies:
            needed += policy.read_beside(roles.sensitive)
        rows = Rows(table, needed, present=roles.columns if missing == "drop" else ())
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
        return measure(observed.reader(book, harmless=True, earlier=True))
    finally:
        table.close()
