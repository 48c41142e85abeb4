"""Table in, results out: the only thing the shells call. Each is loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hartley.lazy import lazy_names

if TYPE_CHECKING:
    from hartley.model.target import Target
    from hartley.workflow.apply_policy import apply
    from hartley.workflow.audit_table import AuditResult
    from hartley.workflow.describe_table import ColumnDescription, TableDescription, describe
    from hartley.workflow.find_frontier import FrontierResult
    from hartley.workflow.publication.write_release import ReleaseResult
    from hartley.workflow.request.utility_choice import UtilityChoice
    from hartley.workflow.study import Study, audit, compare, frontier, release
    from hartley.workflow.verify_release import verify

__all__ = [
    "AuditResult",
    "ColumnDescription",
    "FrontierResult",
    "ReleaseResult",
    "Study",
    "TableDescription",
    "Target",
    "UtilityChoice",
    "apply",
    "audit",
    "compare",
    "describe",
    "frontier",
    "release",
    "verify",
]

__getattr__ = lazy_names(
    __name__,
    {
        "AuditResult": "hartley.workflow.audit_table",
        "ColumnDescription": "hartley.workflow.describe_table",
        "FrontierResult": "hartley.workflow.find_frontier",
        "ReleaseResult": "hartley.workflow.publication.write_release",
        "TableDescription": "hartley.workflow.describe_table",
        "Target": "hartley.model.target",
        "UtilityChoice": "hartley.workflow.request.utility_choice",
        "apply": "hartley.workflow.apply_policy",
        "audit": "hartley.workflow.study",
        "describe": "hartley.workflow.describe_table",
        "frontier": "hartley.workflow.study",
        "release": "hartley.workflow.study",
        "Study": "hartley.workflow.study",
        "compare": "hartley.workflow.study",
        "verify": "hartley.workflow.verify_release",
    },
)
