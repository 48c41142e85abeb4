"""What every released class must keep: ``distinct-l=5``, ``separated-l:age=3``, ``row-k=10``; or bits.

Each requirement is one class in a file of its own: its name, what a search counts, what an audit finds, its
sentence, its line for bad input.

Read ``requirement`` first, then ``distinct_l``, the shortest.
"""

from hartley.model.requirement.beta_likeness import BetaLikeness
from hartley.model.requirement.bits import CertainBits, WorstBits
from hartley.model.requirement.class_counts import ClassCounts
from hartley.model.requirement.disclosed import DisclosedPeople
from hartley.model.requirement.distinct_l import DistinctValues
from hartley.model.requirement.entropy_l import EntropyL
from hartley.model.requirement.guess_at_most import GuessAtMost
from hartley.model.requirement.recursive_cl import RecursiveCL
from hartley.model.requirement.requirement import (
    Requirement,
    Verdict,
    of_each_column,
    require_consistent,
    require_fitting,
    require_shape_for,
)
from hartley.model.requirement.row_k import SharedRows
from hartley.model.requirement.sentence_words import NOUNS
from hartley.model.requirement.separated_l import SeparatedValues
from hartley.model.requirement.shares import Shares
from hartley.model.requirement.t_closeness import TCloseness
from hartley.model.requirement.weight_k import SharedWeight

__all__ = [
    "NOUNS",
    "BetaLikeness",
    "CertainBits",
    "ClassCounts",
    "DisclosedPeople",
    "DistinctValues",
    "EntropyL",
    "GuessAtMost",
    "RecursiveCL",
    "Requirement",
    "SeparatedValues",
    "SharedRows",
    "SharedWeight",
    "Shares",
    "TCloseness",
    "Verdict",
    "WorstBits",
    "of_each_column",
    "require_consistent",
    "require_fitting",
    "require_shape_for",
]
