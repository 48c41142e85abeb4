"""The methods the paper compares with, each a search that ends in a partition.

Every method stands in its own file and knows no other. :data:`BASELINES` has them by name;
:func:`best_utility` and :func:`least_leakage` ask one of them for its best at a target.

Read ``registry`` first.
"""

from hartley.baselines.best_setting import (
    NotApplicable,
    best_utility,
    candidates_needed,
    least_leakage,
)
from hartley.baselines.generalisation import (
    Generalisation,
    datafly,
    literal_generalisation,
    local_recoding,
)
from hartley.baselines.hierarchy import Hierarchy
from hartley.baselines.registry import BASELINES, Case

__all__ = [
    "BASELINES",
    "Case",
    "Generalisation",
    "Hierarchy",
    "NotApplicable",
    "best_utility",
    "candidates_needed",
    "datafly",
    "least_leakage",
    "literal_generalisation",
    "local_recoding",
]
