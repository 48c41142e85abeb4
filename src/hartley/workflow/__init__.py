"""Table in, results out: the only thing the shells call. Each is loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hartley.lazy import lazy_names

if TYPE_CHECKING:
    from hartley.model.target import Target
    from hartley.workflow.apply_policy import apply
    from hartley.workflow.audit_table import AuditResult, audit
    from hartley.workflow.describe_table import ColumnDescription, TableDescription, describe
    from hartley.workflow.find_frontier import FrontierResult, frontier
    from hartley.workflow.make_release import release
    from hartley.workflow.publication.write_release import ReleaseResult
    from hartley.workflow.request.utility_choice import UtilityChoice
    from hartley.workflow.verify_release import verify

__all__ = [
    "AuditResult",
    "ColumnDescription",
    "FrontierResult",
    "ReleaseResult",
    "TableDescription",
    "Target",
    "UtilityChoice",
    "apply",
    "audit",
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
        "audit": "hartley.workflow.audit_table",
        "describe": "hartley.workflow.describe_table",
        "frontier": "hartley.workflow.find_frontier",
        "release": "hartley.workflow.make_release",
        "verify": "hartley.workflow.verify_release",
    },
)
