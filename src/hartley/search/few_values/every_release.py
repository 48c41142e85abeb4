"""Every release of a few public values that keeps what is required of rows, the cheapest first.

For what no block tells by itself, nor their components: what is left of persons with several rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.model import Partition
from hartley.model.arrays import Floats
from hartley.model.words import SLACK
from hartley.search.answer import Answer
from hartley.search.few_values.walk import FewValues, is_walked
from hartley.search.problem import Problem

MOST_LISTED_VALUES = 8
"""There are 4,140 partitions of 8 values, and 21,147 releases where all of them may be withheld."""


def every_release(
    question: Problem, most_cost: float = inf, largest: int | None = None
) -> list[Answer] | None:
    """List every release within a cost, and with no cluster of more values; ``None`` where they are too many.

    Of equal costs the one comes first that withholds fewest rows, and then the one of most clusters.

    >>> from hartley.examples import toy
    >>> from hartley.measures.utility import Resolution
    >>> found = every_release(Problem(joint=toy(), utility=Resolution(7)), most_cost=2)
    >>> len(found), found[0].partition.size, found[-1].partition.size
    (232, 7, 4)
    """
    if question.joint.public.size > MOST_LISTED_VALUES or not is_walked(question):
        return None
    few = FewValues(question, None, largest)
    costs = np.where(few.costs <= most_cost * (1 + SLACK), few.costs, inf)
    found = []
    for withheld, rows in few.withheld():
        gone = few.gone(withheld)
        allowed = np.where(np.isfinite(few.allowed(gone)), costs, inf)
        for clusters in _parted(few.full ^ gone, allowed):
            labels = np.zeros(few.size, dtype=np.int64)
            for number, mask in enumerate([*clusters, *([gone] if gone else [])]):
                labels[few.members[mask]] = number
            answer = Answer(
                partition=Partition(labels),
                cost=max((float(costs[mask]) for mask in clusters), default=few.cheapest),
                lower_bound_cost=None,
                withheld=np.flatnonzero(few.members[withheld]).astype(np.int64),
                withheld_rows=rows,
            )
            if overlap_partition(question.linked, answer.partition).size <= few.most:
                found.append(answer)
    return sorted(found, key=lambda one: (one.cost, one.withheld_rows, -one.partition.size))


def _parted(left: int, costs: Floats) -> Iterator[tuple[int, ...]]:
    """Yield the partitions of some values into blocks of finite cost."""
    if not left:
        yield ()
        return
    first = left & -left
    others = some = left ^ first
    while some >= 0:
        if costs[first | some] < inf:
            for rest in _parted(others ^ some, costs):
                yield (first | some, *rest)
        some = (some - 1) & others if some else -1
