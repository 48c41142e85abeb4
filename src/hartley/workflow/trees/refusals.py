"""What cannot be asked together with a promise to a reader who knows the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hartley.errors import OptionError, option
from hartley.tables import Roles, Table
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable, names
from hartley.workflow.request.time_limit import SearchLimits


def without_side(study: StudyTable, objective: Objective) -> StudyTable:
    """Return the study for a reader who knows the program and everybody's public values, side columns too.

    What that reader knows of everybody is never used against the rule of cuts: of the arrangements that a
    release leaves possible none depends on it (Theorem T1). So side columns change nothing.
    They are refused where they are no columns, or sensitive, all the same.
    """
    if not objective.transparent:
        return study
    _require_not_sensitive(study)
    if not study.side:
        return study
    if study.joint is None:
        with study.opened() as table:
            table.require_columns(names(study.side))
    return replace(study, side=())


def require_transparent(
    study: StudyTable, objective: Objective, destination: Destination, limits: SearchLimits
) -> None:
    """Refuse of a tree, or for that reader, what would let anybody work backwards, or is not proved."""
    here = option("transparent") if objective.transparent else option("shape", "tree")
    if study.person is not None:
        raise OptionError(
            f"{here} is not proved for {option('person')}: rows of one person in several classes tell more "
            "together; leave it out, or give a table with one row for each person"
        )
    if not objective.transparent:
        return
    _require_not_sensitive(study)
    refused = {
        "keep_order": (destination.keep_order, "the order of the rows tells whose row is which"),
        "harmless": (
            bool(study.harmless),
            "a column beside the sensitive one tells rows apart; keep it instead",
        ),
        "earlier": (bool(study.earlier), "it is proved for the only release of these rows"),
        "time_limit": (limits.time_limit is not None, "when a search ends may depend on sensitive values"),
    }
    for name, (is_given, why) in refused.items():
        if is_given:
            raise OptionError(f"{here} goes without {option(name)}: {why}")


def require_no_empty_secrets(table: Table, sensitive: Sequence[str]) -> None:
    """Refuse to leave rows out whose sensitive cell is empty: whoever knows the people sees who is gone."""
    roles = Roles(sensitive=tuple(sensitive), public=tuple(sensitive))
    if table.joint_range(roles, missing="drop").dropped_rows:
        raise OptionError(
            f"{option('transparent')} goes without {option('missing', 'drop')} where sensitive cells are "
            "empty: a reader who knows everybody's public values sees whose row is left out; count empty "
            "cells as a value"
        )


def _require_not_sensitive(study: StudyTable) -> None:
    here = option("transparent")
    for role, what in (("public", "public values"), ("keep", "kept values"), ("side", "side columns")):
        if not set(names(study.sensitive)).isdisjoint(names(getattr(study, role))):
            raise OptionError(
                f"{here} is for a reader who knows everybody's {what}, and one of {option(role)} is "
                f"sensitive; leave {here} out, or name the column as sensitive alone"
            )
