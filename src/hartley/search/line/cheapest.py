"""The cheapest clusters of a line that are enough: of any shape, or intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from hartley.model import Partition
from hartley.search.answer import Answer, is_reached
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import OF_ROWS
from hartley.search.line.axis import LineAxis
from hartley.search.line.borders import Borders
from hartley.search.line.intervals import least_intervals
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.sweep import Sweep

Shape: TypeAlias = Literal["any", "intervals"]


def cheapest_clusters(
    values: OrderedValues,
    shape: Shape = "any",
    borders: Borders | None = None,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
    count: int | None = None,
) -> Answer:
    """Return the cheapest partition found that is enough everywhere, and the bound for the shape.

    Of partitions of one cost the one is returned that holds most of one count, where one is named, and of
    these the finest. Intervals are exact for their shape.

    >>> from hartley.measures.utility import LineDistortion
    >>> from hartley.model import JointRange
    >>> from hartley.model.requirement import Requirement
    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    >>> values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 2)])
    >>> cheapest_clusters(values).partition, cheapest_clusters(values, "intervals").partition
    (Partition({0, 2}, {1, 3}), Partition({0, 1, 2, 3}))
    """
    values.require_reachable()
    if shape == "intervals" or borders is not None:
        found = _intervals(values, borders, effort, count)
        return found if shape == "intervals" else replace(found, lower_bound_cost=found.any_bound)
    axis = LineAxis(values, OF_ROWS if count is None else count)
    axis.reaches_far = count is not None
    return axis.finer(Sweep(axis, effort, starts).best(axis.least), effort)


def _intervals(values: OrderedValues, borders: Borders | None, effort: Effort, count: int | None) -> Answer:
    """Return the cheapest intervals, and of those of one cost the ones that hold most of a count."""
    found = least_intervals(values, borders, effort)
    if count is None:
        return found
    low, high = int(values.whole.least[count]), values.most_of(count) + 1
    while high - low > 1 and not effort.should_stop():
        middle = (low + high) // 2
        more = least_intervals(values.asking(count, middle), borders, effort, found.any_bound)
        if is_reached(more.cost, found.cost):
            low, found = (
                middle,
                replace(more, lower_bound_cost=found.lower_bound_cost, any_bound=found.any_bound),
            )
        else:
            high = middle
    return found
