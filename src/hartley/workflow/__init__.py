"""Table in, results out: the only thing the shells call."""

from hartley.workflow.auditing import AuditResult, audit
from hartley.workflow.describing import ColumnDescription, TableDescription, describe

__all__ = ["AuditResult", "ColumnDescription", "TableDescription", "audit", "describe"]
