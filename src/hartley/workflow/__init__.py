"""Table in, results out: the only thing the shells call. Each is loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hartley.lazy_names import lazy_names

if TYPE_CHECKING:
    from hartley.workflow.applying import apply
    from hartley.workflow.auditing import AuditResult, audit
    from hartley.workflow.describing import ColumnDescription, TableDescription, describe
    from hartley.workflow.frontiers import FrontierResult, frontier
    from hartley.workflow.releasing import ReleaseResult, release
    from hartley.workflow.target import Target
    from hartley.workflow.utilities import UtilityChoice
    from hartley.workflow.verifying import verify

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
        "AuditResult": "hartley.workflow.auditing",
        "ColumnDescription": "hartley.workflow.describing",
        "FrontierResult": "hartley.workflow.frontiers",
        "ReleaseResult": "hartley.workflow.releasing",
        "TableDescription": "hartley.workflow.describing",
        "Target": "hartley.workflow.target",
        "UtilityChoice": "hartley.workflow.utilities",
        "apply": "hartley.workflow.applying",
        "audit": "hartley.workflow.auditing",
        "describe": "hartley.workflow.describing",
        "frontier": "hartley.workflow.frontiers",
        "release": "hartley.workflow.releasing",
        "verify": "hartley.workflow.verifying",
    },
)
