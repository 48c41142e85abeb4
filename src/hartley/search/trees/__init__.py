"""Trees of cuts: classes that stay safe against a reader who knows how they were made.

Read ``tree`` first: how a class is cut, and when a cut that failed may be told.
"""

from hartley.search.trees.columns import TreeColumn
from hartley.search.trees.requirements import TreeDemand
from hartley.search.trees.stem import GrownElsewhere, grow_tree
from hartley.search.trees.tree import Cuts, CutTree, TreeProblem

__all__ = ["CutTree", "Cuts", "GrownElsewhere", "TreeColumn", "TreeDemand", "TreeProblem", "grow_tree"]
