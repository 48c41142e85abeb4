"""What a published table gives away for certain, and the recoding that gives away least.

>>> import hartley
>>> joint = hartley.JointRange.from_pairs([("a", 1), ("a", 2), ("b", 3)])
>>> hartley.measure(joint).distinct_l
1

The names below are the public surface; they are loaded when they are first used, so
that ``import hartley`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hartley.lazy import done_by, lazy_names

if TYPE_CHECKING:
    from hartley.errors import (
        ColumnError,
        HartleyError,
        InputError,
        OptionError,
        TableError,
        UnreachableError,
    )
    from hartley.frontiers import Frontier, Point
    from hartley.measures.audit import Audit
    from hartley.measures.audit import audit as measure
    from hartley.measures.overlap import (
        are_confusable,
        bridges,
        components,
        confusion,
        maximin_information,
        overlap_partition,
    )
    from hartley.measures.uncertainty import (
        candidate_counts,
        conditional_entropy,
        distinct_l,
        hartley_entropy,
        is_independent,
        least_posterior_entropy,
        max_uncertainty_reduction,
        min_uncertainty_reduction,
        row_k,
    )
    from hartley.measures.utility import LineDistortion, Resolution, utility_of
    from hartley.measures.utility.matrix import MatrixDistortion
    from hartley.measures.utility.several_columns import ColumnsDistortion
    from hartley.model import Alphabet, JointRange, MergeTree, Partition, meet
    from hartley.paper.reproduce import reproduce
    from hartley.releases.policy import Policy
    from hartley.tables import ReadOptions
    from hartley.workflow import (
        AuditResult,
        FrontierResult,
        ReleaseResult,
        Study,
        Target,
        UtilityChoice,
        apply,
        audit,
        compare,
        frontier,
        release,
        verify,
    )
    from hartley.workflow.warehouse.count_in_warehouse import audit_counts, audit_statement
    from hartley.workflow.warehouse.export_codebook import ExportResult, export

_HOME = {
    "Alphabet": "hartley.model",
    "Audit": "hartley.measures.audit",
    "AuditResult": "hartley.workflow",
    "ColumnError": "hartley.errors",
    "ColumnsDistortion": "hartley.measures.utility.several_columns",
    "ExportResult": "hartley.workflow.warehouse.export_codebook",
    "Frontier": "hartley.frontiers",
    "FrontierResult": "hartley.workflow",
    "HartleyError": "hartley.errors",
    "InputError": "hartley.errors",
    "JointRange": "hartley.model",
    "LineDistortion": "hartley.measures.utility",
    "MatrixDistortion": "hartley.measures.utility.matrix",
    "MergeTree": "hartley.model",
    "OptionError": "hartley.errors",
    "Partition": "hartley.model",
    "Point": "hartley.frontiers",
    "Policy": "hartley.releases.policy",
    "ReadOptions": "hartley.tables",
    "ReleaseResult": "hartley.workflow",
    "Resolution": "hartley.measures.utility",
    "Study": "hartley.workflow",
    "TableError": "hartley.errors",
    "Target": "hartley.workflow",
    "UnreachableError": "hartley.errors",
    "UtilityChoice": "hartley.workflow",
    "apply": "hartley.workflow",
    "audit_counts": "hartley.workflow.warehouse.count_in_warehouse",
    "audit_statement": "hartley.workflow.warehouse.count_in_warehouse",
    "are_confusable": "hartley.measures.overlap",
    "audit": "hartley.workflow",
    "bridges": "hartley.measures.overlap",
    "candidate_counts": "hartley.measures.uncertainty",
    "compare": "hartley.workflow",
    "components": "hartley.measures.overlap",
    "conditional_entropy": "hartley.measures.uncertainty",
    "confusion": "hartley.measures.overlap",
    "distinct_l": "hartley.measures.uncertainty",
    "export": "hartley.workflow.warehouse.export_codebook",
    "frontier": "hartley.workflow",
    "hartley_entropy": "hartley.measures.uncertainty",
    "is_independent": "hartley.measures.uncertainty",
    "least_posterior_entropy": "hartley.measures.uncertainty",
    "max_uncertainty_reduction": "hartley.measures.uncertainty",
    "maximin_information": "hartley.measures.overlap",
    "measure": "hartley.measures.audit:audit",
    "meet": "hartley.model",
    "min_uncertainty_reduction": "hartley.measures.uncertainty",
    "overlap_partition": "hartley.measures.overlap",
    "release": "hartley.workflow",
    "reproduce": "hartley.paper.reproduce",
    "row_k": "hartley.measures.uncertainty",
    "utility_of": "hartley.measures.utility",
    "verify": "hartley.workflow",
}

__all__ = [
    "Alphabet",
    "Audit",
    "AuditResult",
    "ColumnError",
    "ColumnsDistortion",
    "ExportResult",
    "Frontier",
    "FrontierResult",
    "HartleyError",
    "InputError",
    "JointRange",
    "LineDistortion",
    "MatrixDistortion",
    "MergeTree",
    "OptionError",
    "Partition",
    "Point",
    "Policy",
    "ReadOptions",
    "ReleaseResult",
    "Resolution",
    "Study",
    "TableError",
    "Target",
    "UnreachableError",
    "UtilityChoice",
    "apply",
    "are_confusable",
    "audit",
    "audit_counts",
    "audit_statement",
    "bridges",
    "candidate_counts",
    "compare",
    "components",
    "conditional_entropy",
    "confusion",
    "distinct_l",
    "export",
    "frontier",
    "hartley_entropy",
    "is_independent",
    "least_posterior_entropy",
    "max_uncertainty_reduction",
    "maximin_information",
    "measure",
    "meet",
    "min_uncertainty_reduction",
    "overlap_partition",
    "release",
    "reproduce",
    "row_k",
    "utility_of",
    "verify",
]
__version__ = "0.3.0"

done_by(
    {
        "AuditResult.html": "hartley.report.notebook:audit_html",
        "AuditResult.to_frame": "hartley.report.notebook:audit_frame",
        "Comparison.to_frame": "hartley.report.notebook:comparison_frame",
        "Frontier.plot": "hartley.report.figures:frontier_figure",
        "Frontier.to_frame": "hartley.report.notebook:frontier_frame",
        "FrontierResult.html": "hartley.report.notebook:frontier_html",
        "Policy.apply": "hartley.releases.apply:apply_to_frame",
        "ReleaseResult.html": "hartley.report.notebook:release_html",
        "Study.html": "hartley.report.notebook:study_html",
        "Study.report": "hartley.report.study_report:write_report",
    }
)


__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
