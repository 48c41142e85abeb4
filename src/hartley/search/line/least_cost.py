r"""The least cost at which some partition of a line, of any shape, is enough everywhere.

Stages, the cheap before the dear, raise a bound and lower a cost until they meet; costs are in ticks. For
midpoint and member: the window bound from below, intervals by dynamic programming from above, and where
they do not meet, the sweep with two open clusters between them. The stages for centroids are in
:mod:`~hartley.search.line.centroid`.

Intervals are not always best: with sensitive values A, A, B, B at 1, 2, 3, 4 and two candidates wanted,
{1, 3}, {2, 4} span 2, intervals 3. They are never worse than twice the optimum (midpoint): drop
nested clusters, take disjoint spans by earliest end; every value left over lies within one span of the
last one taken. No polynomial method can promise less, unless P = NP.
"""

from __future__ import annotations

import numpy as np

from hartley.model.arrays import Ints
from hartley.search.answer import Answer
from hartley.search.effort import Effort
from hartley.search.line.borders import Borders
from hartley.search.line.bounds import STEPS, line_bound
from hartley.search.line.intervals import intervals_within, kept_rows
from hartley.search.line.loops import can_cut
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.sweeps.two_open_clusters import chain_within
from hartley.search.line.windows import least_passing

LONGEST_SWEEP = 400
"""Lines up to this many values are swept where bound and intervals do not meet."""
NARROW_STATES = 250
MOST_STATES = 2500
"""States that a narrow and a wide sweep keep at a time; more proves more and takes longer."""
WIDE_SWEEPS = 2
"""Wide sweeps for one demand, at most."""


def with_ranks(known: Answer, values: OrderedValues, cluster_of: Ints) -> Answer:
    """Return what is known with clusters of ranks, if they cost less and are enough."""
    partition = values.partition_of_ranks(cluster_of)
    if not values.whole.is_met_by(partition):
        return known
    return known.with_partition(values.ticks_of(partition), partition)


def by_intervals(values: OrderedValues, known: Answer, effort: Effort) -> Answer:
    """Bound the least cost by windows and by counting, and cut the line into the cheapest intervals."""
    known = known.with_bound(line_bound(values, effort, known.bound))
    if known.is_proven or effort.should_stop():
        return known
    windows, anywhere = values.windows, Borders.anywhere(values.positions)
    loop = can_cut.for_size(values.size * STEPS)
    # A cost that is known may be less than intervals have: nothing is sought above it.
    if not loop(windows.within(known.cost), values.latest, anywhere.allowed):
        return known
    least = least_passing(
        windows, lambda earliest: bool(loop(earliest, values.latest, anywhere.allowed)), known.bound, effort
    )
    if least.high >= known.cost:
        return known
    return with_ranks(known, values, intervals_within(values, anywhere, least.high, kept_rows(values)))


def by_sweeps(values: OrderedValues, known: Answer, effort: Effort) -> Answer:
    """Bisect between bound and partition with narrow sweeps; then ask wide ones just below the partition."""
    if values.size > LONGEST_SWEEP:
        return known
    low = known.bound
    middle = low
    while low < known.cost and not effort.should_stop():
        known, found = _swept(values, known, middle, NARROW_STATES, effort)
        if not found:
            # Not settled where the sweep was cut: a partition may still be found above, the bound stays.
            low = values.windows.next_cost(middle)
        middle = min(low + (known.cost - low) / 2, float(np.nextafter(known.cost, 0)))
    for _ in range(WIDE_SWEEPS):
        if known.is_proven or effort.should_stop():
            break
        known, found = _swept(values, known, float(np.nextafter(known.cost, 0)), MOST_STATES, effort)
        if not found:
            break
    return known


def _swept(
    values: OrderedValues, known: Answer, cost: float, most_states: int, effort: Effort
) -> tuple[Answer, bool]:
    """Ask one sweep about a cost; give what is known then, and whether it found a partition."""
    answer = chain_within(values, cost, most_states, effort)
    if answer.cluster_of is not None:
        return with_ranks(known, values, answer.cluster_of), True
    if answer.exhausted:
        known = known.with_bound(values.windows.next_cost(cost))
    return known, False
