r"""What is left of the public values after merging: resolution and distortion.

Both utilities are decided by the worst cluster: a cost of each cluster, and a falling function of the worst
cost. A search needs no more than that.

Read ``cost`` first.
"""

from hartley.measures.utility.cost import Resolution, Utility, released_information, utility_of
from hartley.measures.utility.line import LineDistortion
from hartley.measures.utility.own import OwnUtility

__all__ = ["LineDistortion", "OwnUtility", "Resolution", "Utility", "released_information", "utility_of"]
