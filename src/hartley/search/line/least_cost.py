"""The least cost of a partition of one ordered column that is enough everywhere, and what is proven of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.answer import NOTHING, LineAnswer
from hartley.search.line.borders import Borders
from hartley.search.line.intervals import least_intervals
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.withheld_exhaustive import MOST_VALUES, exhaustive_withheld

Shape: TypeAlias = Literal["any", "intervals"]


def least_cost(
    values: OrderedValues,
    shape: Shape = "any",
    borders: Borders | None = None,
    effort: Effort = UNLIMITED,
) -> LineAnswer:
    """Return the cheapest partition found that is enough everywhere, and the bound for the shape.

    Intervals are exact for their shape. For any shape, all partitions of up to twelve values are looked at;
    of more values intervals are returned, which the bound often proves to be best and which never cost more
    than twice the optimum (midpoint).

    >>> from hartley.measures.utility import LineDistortion
    >>> from hartley.model import JointRange
    >>> from hartley.model.requirement import Requirement
    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    >>> values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 2)])
    >>> least_cost(values).partition, least_cost(values, "intervals").partition
    (Partition({0, 2}, {1, 3}), Partition({0, 1, 2, 3}))
    """
    if shape == "any" and borders is None and 0 < values.size <= MOST_VALUES:
        values.require_reachable()
        return exhaustive_withheld(values, 0, NOTHING, _nothing)
    found = least_intervals(values, borders, effort)
    if shape == "any":
        return replace(found, lower_bound=found.any_bound)
    return found


def _nothing(withheld: npt.NDArray[np.int64]) -> bool:
    return not len(withheld)
