"""The methods the paper compares with, each a search that ends in a partition.

Every method stands in its own file and knows no other. :data:`BASELINES` has them by name;
:func:`best_utility` and :func:`least_leakage` ask one of them for its best at a target.

Read ``registry`` first.
"""

from hartley.search.baselines.best_setting import (
    Answer,
    BaselineAnswer,
    NotApplicable,
    best_utility,
    candidates_needed,
    least_leakage,
)
from hartley.search.baselines.dendrogram import dendrogram
from hartley.search.baselines.generalisation import (
    Generalisation,
    datafly,
    literal_generalisation,
    local_recoding,
)
from hartley.search.baselines.hierarchy import Hierarchy
from hartley.search.baselines.iac_clustering import iac_mdsf
from hartley.search.baselines.iac_overlap import iac_overlap
from hartley.search.baselines.mondrian import mondrian
from hartley.search.baselines.pair_merging import (
    agglomerative_bottleneck,
    pairwise_agglomeration,
    privacy_funnel,
)
from hartley.search.baselines.registry import BASELINES, Baseline, Case
from hartley.search.baselines.subsets import SubsetRun

__all__ = [
    "BASELINES",
    "Answer",
    "Baseline",
    "BaselineAnswer",
    "Case",
    "Generalisation",
    "Hierarchy",
    "NotApplicable",
    "SubsetRun",
    "agglomerative_bottleneck",
    "best_utility",
    "candidates_needed",
    "datafly",
    "dendrogram",
    "iac_mdsf",
    "iac_overlap",
    "least_leakage",
    "literal_generalisation",
    "local_recoding",
    "mondrian",
    "pairwise_agglomeration",
    "privacy_funnel",
]
