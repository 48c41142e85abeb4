"""What every released class must keep: ``distinct-l=5``, ``separated-l:age=3``, ``row-k=10``; or bits.

Each requirement is one class in a file of its own: its name, what a search counts, what an audit finds, its
sentence, its line for bad input.

Read ``requirement`` first, then ``distinct_l``, the shortest.
"""

from hartley.model.requirement import (  # noqa: F401 (each makes its name known)
    beta_likeness,
    bits,
    distinct_l,
    entropy_l,
    guess_at_most,
    recursive_cl,
    row_k,
    separated_l,
    t_closeness,
)
from hartley.model.requirement.class_counts import ClassCounts
from hartley.model.requirement.disclosed import DisclosedPeople
from hartley.model.requirement.requirement import (
    Requirement,
    Verdict,
    of_each_column,
    require_consistent,
    require_fitting,
    require_shape_for,
)
from hartley.model.requirement.shares import Shares
from hartley.model.requirement.weight_k import SharedWeight

__all__ = [
    "ClassCounts",
    "DisclosedPeople",
    "Requirement",
    "SharedWeight",
    "Shares",
    "Verdict",
    "of_each_column",
    "require_consistent",
    "require_fitting",
    "require_shape_for",
]
