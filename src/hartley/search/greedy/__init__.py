"""The paper's three greedy searches; each gives a run of merges from which everything else is cut.

Read ``narrowest_first`` first, the shortest; ``runs`` is what all three give.
"""

from hartley.search.greedy.component_joining import component_joining
from hartley.search.greedy.joint_search import joint_search
from hartley.search.greedy.narrowest_first import narrowest_first

__all__ = ["component_joining", "joint_search", "narrowest_first"]
