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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hartley import instances as instances  # said twice, so that strict type checkers find it
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
    from hartley.measures.by_column import ColumnLeft
    from hartley.measures.certain.robust_overlap import (
        ComponentHold,
        component_holds,
        overlap_components,
        robust_information,
    )
    from hartley.measures.overlap import (
        Bridge,
        ComponentSeparation,
        ConfusionChain,
        are_confusable,
        bridges,
        components,
        confusion,
        maximin_information,
        overlap_partition,
    )
    from hartley.measures.trajectory import Trajectory
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
    from hartley.measures.usefulness import Usefulness
    from hartley.measures.utility import (
        LineDistortion,
        OwnUtility,
        Resolution,
        Utility,
        released_information,
        utility_of,
    )
    from hartley.measures.utility.matrix import MatrixDistortion
    from hartley.measures.utility.several_columns import ColumnsDistortion
    from hartley.measures.verdicts import ToleranceMeasures
    from hartley.model import Alphabet, JointRange, MergeTree, Partition, meet
    from hartley.model.closeness import Closeness
    from hartley.model.requirement import Requirement, Verdict
    from hartley.model.target import Target
    from hartley.paper.reproduce import Reproduction, reproduce
    from hartley.releases.policy import Policy
    from hartley.search.greedy.runs import GreedyRun
    from hartley.tables import ReadOptions
    from hartley.verifier.verification import Verification
    from hartley.workflow.apply_policy import ApplyResult, apply
    from hartley.workflow.audit_table import AuditResult
    from hartley.workflow.find_frontier import FrontierResult
    from hartley.workflow.publication.write_release import ReleaseResult
    from hartley.workflow.request.utility_choice import UtilityChoice
    from hartley.workflow.rivals.comparison import Comparison
    from hartley.workflow.study import Study, audit, compare, frontier, greedy, release, solve
    from hartley.workflow.verify_release import verify
    from hartley.workflow.warehouse.count_in_warehouse import audit_counts, audit_statement
    from hartley.workflow.warehouse.export_codebook import ExportResult, export

_NAMES = {
    "hartley.errors": "ColumnError HartleyError InputError OptionError TableError UnreachableError",
    "hartley.frontiers": "Frontier Point",
    "hartley.measures.audit": "Audit",
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
    "hartley.model.target": "Target",
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
_HOME["measure"] = "hartley.measures.audit:audit"

__all__ = [
    "Alphabet",
    "ApplyResult",
    "Audit",
    "AuditResult",
    "Bridge",
    "Closeness",
    "ColumnError",
    "ColumnLeft",
    "ColumnsDistortion",
    "Comparison",
    "ComponentHold",
    "ComponentSeparation",
    "ConfusionChain",
    "ExportResult",
    "Frontier",
    "FrontierResult",
    "GreedyRun",
    "HartleyError",
    "InputError",
    "JointRange",
    "LineDistortion",
    "MatrixDistortion",
    "MergeTree",
    "OptionError",
    "OwnUtility",
    "Partition",
    "Point",
    "Policy",
    "ReadOptions",
    "ReleaseResult",
    "Reproduction",
    "Requirement",
    "Resolution",
    "Study",
    "TableError",
    "Target",
    "ToleranceMeasures",
    "Trajectory",
    "UnreachableError",
    "Usefulness",
    "Utility",
    "UtilityChoice",
    "Verdict",
    "Verification",
    "apply",
    "are_confusable",
    "audit",
    "audit_counts",
    "audit_statement",
    "bridges",
    "candidate_counts",
    "compare",
    "component_holds",
    "components",
    "conditional_entropy",
    "confusion",
    "distinct_l",
    "export",
    "frontier",
    "greedy",
    "hartley_entropy",
    "is_independent",
    "least_posterior_entropy",
    "max_uncertainty_reduction",
    "maximin_information",
    "measure",
    "meet",
    "min_uncertainty_reduction",
    "overlap_components",
    "overlap_partition",
    "release",
    "released_information",
    "reproduce",
    "robust_information",
    "row_k",
    "solve",
    "utility_of",
    "verify",
]
__version__ = "0.3.0"


def __getattr__(name: str) -> Any:
    if name == "instances":  # a module, loaded when it is first used like everything else
        return import_module("hartley.instances")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOME[name].partition(":")
    globals()[name] = found = getattr(import_module(module), attribute or name)
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__", "instances"]
