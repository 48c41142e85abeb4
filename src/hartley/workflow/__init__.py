"""Table in, results out: the only thing the shells call."""

from hartley.workflow.auditing import AuditResult, audit

__all__ = ["AuditResult", "audit"]
