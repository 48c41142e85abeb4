"""Table in, results out: the only thing the shells call. Each name is loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hartley.lazy import lazy_names

if TYPE_CHECKING:
    from hartley.frontiers import Frontier, Point
    from hartley.measures.audit import Audit
    from hartley.model.demand import Demand
    from hartley.model.requirement import Requirement, Verdict
    from hartley.model.shapes.shape import Shape
    from hartley.model.target import TARGET_KINDS, Target
    from hartley.releases.policy import Policy
    from hartley.releases.writer.staging import cannot_write, require_free, write_files
    from hartley.search.effort import Effort
    from hartley.tables import ReadOptions
    from hartley.tables.engine import on_progress
    from hartley.tables.estimate import estimate
    from hartley.tables.locations import is_database, shown_source, without_passwords
    from hartley.tables.sources.excel import sheet_names
    from hartley.tables.sources.source import required as optional_package
    from hartley.tables.text_files import open_bytes, packing
    from hartley.workflow.apply_policy import apply
    from hartley.workflow.audit_table import AuditResult
    from hartley.workflow.describe_table import ColumnDescription, TableDescription, describe
    from hartley.workflow.find_frontier import FrontierResult
    from hartley.workflow.policy_fit import fit_policy
    from hartley.workflow.publication.write_release import ReleaseResult
    from hartley.workflow.request.objective import Objective
    from hartley.workflow.request.study_table import StudyTable
    from hartley.workflow.request.time_limit import SearchLimits, effort_within
    from hartley.workflow.request.utility_choice import UtilityChoice
    from hartley.workflow.study import Study, audit, compare, frontier, release
    from hartley.workflow.verify_release import verify

_HOME = {
    "packing": "hartley.tables.text_files",
    "open_bytes": "hartley.tables.text_files",
    "optional_package": "hartley.tables.sources.source:required",
    "without_passwords": "hartley.tables.locations",
    "sheet_names": "hartley.tables.sources.excel",
    "on_progress": "hartley.tables.engine",
    "estimate": "hartley.tables.estimate",
    "cannot_write": "hartley.releases.writer.staging",
    "require_free": "hartley.releases.writer.staging",
    "write_files": "hartley.releases.writer.staging",
    "Audit": "hartley.measures.audit",
    "AuditResult": "hartley.workflow.audit_table",
    "ColumnDescription": "hartley.workflow.describe_table",
    "Demand": "hartley.model.demand",
    "Effort": "hartley.search.effort",
    "Frontier": "hartley.frontiers",
    "FrontierResult": "hartley.workflow.find_frontier",
    "Objective": "hartley.workflow.request.objective",
    "Point": "hartley.frontiers",
    "Policy": "hartley.releases.policy",
    "ReadOptions": "hartley.tables",
    "ReleaseResult": "hartley.workflow.publication.write_release",
    "Requirement": "hartley.model.requirement",
    "SearchLimits": "hartley.workflow.request.time_limit",
    "Shape": "hartley.model.shapes.shape",
    "Study": "hartley.workflow.study",
    "StudyTable": "hartley.workflow.request.study_table",
    "TARGET_KINDS": "hartley.model.target",
    "TableDescription": "hartley.workflow.describe_table",
    "Target": "hartley.model.target",
    "UtilityChoice": "hartley.workflow.request.utility_choice",
    "Verdict": "hartley.model.requirement",
    "apply": "hartley.workflow.apply_policy",
    "audit": "hartley.workflow.study",
    "compare": "hartley.workflow.study",
    "describe": "hartley.workflow.describe_table",
    "effort_within": "hartley.workflow.request.time_limit",
    "fit_policy": "hartley.workflow.policy_fit",
    "frontier": "hartley.workflow.study",
    "is_database": "hartley.tables.locations",
    "release": "hartley.workflow.study",
    "shown_source": "hartley.tables.locations",
    "verify": "hartley.workflow.verify_release",
}

__all__ = [
    "TARGET_KINDS",
    "Audit",
    "AuditResult",
    "ColumnDescription",
    "Demand",
    "Effort",
    "Frontier",
    "FrontierResult",
    "Objective",
    "Point",
    "Policy",
    "ReadOptions",
    "ReleaseResult",
    "Requirement",
    "SearchLimits",
    "Shape",
    "Study",
    "StudyTable",
    "TableDescription",
    "Target",
    "UtilityChoice",
    "Verdict",
    "apply",
    "audit",
    "cannot_write",
    "compare",
    "describe",
    "effort_within",
    "estimate",
    "fit_policy",
    "frontier",
    "is_database",
    "on_progress",
    "open_bytes",
    "optional_package",
    "packing",
    "release",
    "require_free",
    "sheet_names",
    "shown_source",
    "verify",
    "without_passwords",
    "write_files",
]

__getattr__ = lazy_names(__name__, _HOME)
