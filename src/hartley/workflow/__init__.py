"""Table in, results out: the only thing the shells call."""

from hartley.workflow.auditing import AuditResult, audit
from hartley.workflow.describing import ColumnDescription, TableDescription, describe
from hartley.workflow.frontiers import FrontierResult, frontier
from hartley.workflow.utilities import UtilityChoice

__all__ = [
    "AuditResult",
    "ColumnDescription",
    "FrontierResult",
    "TableDescription",
    "UtilityChoice",
    "audit",
    "describe",
    "frontier",
]
