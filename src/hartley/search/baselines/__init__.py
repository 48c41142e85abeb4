"""The methods the paper compares with, each a search that ends in a partition.

Every method stands in its own file and knows no other. :data:`BASELINES` has them by name;
:func:`best_utility` and :func:`least_leakage` ask one of them for its best at a target.
"""

from hartley.search.baselines.best_setting import (
    Answer,
    BaselineAnswer,
    NotApplicable,
    best_utility,
    least_leakage,
)
from hartley.search.baselines.bottleneck import agglomerative_bottleneck
from hartley.search.baselines.class_counts import Count
from hartley.search.baselines.datafly import datafly
from hartley.search.baselines.demands import DistinctL, MaxLeakage, PrivacyDemand, Required
from hartley.search.baselines.dendrogram import dendrogram
from hartley.search.baselines.funnel import privacy_funnel
from hartley.search.baselines.generalisation import Generalisation
from hartley.search.baselines.hierarchy import Hierarchy
from hartley.search.baselines.iac.clustering import iac_mdsf
from hartley.search.baselines.iac.overlap import iac_overlap
from hartley.search.baselines.iac.subsets import SubsetRun
from hartley.search.baselines.literal import literal_generalisation
from hartley.search.baselines.local_recoding import local_recoding
from hartley.search.baselines.mondrian import mondrian
from hartley.search.baselines.pair_merging import InformationRun
from hartley.search.baselines.pairwise import pairwise_agglomeration
from hartley.search.baselines.registry import BASELINES, Baseline, Case

__all__ = [
    "BASELINES",
    "Answer",
    "Baseline",
    "BaselineAnswer",
    "Case",
    "Count",
    "DistinctL",
    "Generalisation",
    "Hierarchy",
    "InformationRun",
    "MaxLeakage",
    "NotApplicable",
    "PrivacyDemand",
    "Required",
    "SubsetRun",
    "agglomerative_bottleneck",
    "best_utility",
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
