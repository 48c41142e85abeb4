"""What a published table gives away for certain, and the recoding that gives away least.

>>> import hartley
>>> joint = hartley.JointRange.from_pairs([("a", 1), ("a", 2), ("b", 3)])
>>> hartley.measure(joint).distinct_l
1

The names below are the public surface; they are loaded when they are first used, so
that ``import hartley`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "hartley.errors": "ColumnError HartleyError InputError OptionError TableError UnreachableError",
    "hartley.frontiers": "Frontier Point",
    "hartley.measures.audit": "Audit measure",
    "hartley.measures.certain.robust_overlap": "ComponentHold component_holds overlap_components "
    "robust_information",
    "hartley.measures.by_column": "ColumnLeft",
    "hartley.measures.overlap": "Bridge ComponentSeparation ConfusionChain are_confusable bridges components "
    "confusion maximin_information overlap_partition",
    "hartley.measures.trajectory": "Trajectory",
    "hartley.measures.uncertainty": "candidate_counts conditional_entropy distinct_l hartley_entropy "
    "is_independent least_posterior_entropy max_uncertainty_reduction min_uncertainty_reduction row_k",
    "hartley.measures.usefulness": "Usefulness",
    "hartley.measures.utility": "LineDistortion OwnUtility Resolution Utility released_information "
    "utility_of",
    "hartley.measures.utility.matrix": "MatrixDistortion",
    "hartley.measures.utility.several_columns": "ColumnsDistortion",
    "hartley.measures.verdicts": "ToleranceMeasures",
    "hartley.model": "Alphabet JointRange MergeTree Partition meet",
    "hartley.model.closeness": "Closeness",
    "hartley.model.requirement": "Requirement Verdict",
    "hartley.model.demand": "Target",
    "hartley.paper.reproduce": "Reproduction reproduce",
    "hartley.releases.policy": "Policy",
    "hartley.tables": "ReadOptions",
    "hartley.verifier.verification": "Verification",
    "hartley.workflow.apply_policy": "ApplyResult apply",
    "hartley.workflow.audit_table": "AuditResult",
    "hartley.search.greedy.runs": "GreedyRun",
    "hartley.workflow.find_frontier": "FrontierResult",
    "hartley.workflow.publication.write_release": "ReleaseResult",
    "hartley.workflow.request.utility_choice": "UtilityChoice",
    "hartley.workflow.rivals.comparison": "Comparison",
    "hartley.workflow.study": "Study audit compare frontier greedy release solve",
    "hartley.workflow.verify_release": "verify",
    "hartley.workflow.warehouse.count_in_warehouse": "audit_counts audit_statement",
    "hartley.workflow.warehouse.export_codebook": "ExportResult export",
}
"""Where the names live; modules are loaded when a name is first used."""
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOME)
"""Type checkers read them in ``__init__.pyi``."""
__version__ = "0.3.0"


def __getattr__(name: str) -> Any:
    if name == "instances":  # a module, loaded when it is first used like everything else
        return import_module("hartley.instances")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__", "instances"]
