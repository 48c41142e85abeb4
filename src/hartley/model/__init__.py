"""What things are: frozen values over NumPy arrays; no search, no files.

Read ``joint_range`` first (which values occur together), then ``partition`` (which of them share a released
value): nearly everything else speaks of these two.
"""

from hartley.model.alphabet import Alphabet, Coordinate, Kind, Label
from hartley.model.joint_range import JointRange
from hartley.model.merge_tree import MergeTree
from hartley.model.partition import Partition, meet
from hartley.model.range_summary import RangeSummary

__all__ = [
    "Alphabet",
    "Coordinate",
    "JointRange",
    "Kind",
    "Label",
    "MergeTree",
    "Partition",
    "RangeSummary",
    "meet",
]
