"""What must be kept at the least cost, and the answer to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import log2

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.utility import LineDistortion, Utility
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Floats, Int64s
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import Requirement
from hartley.model.shapes.shape import ANY_SHAPE, Shape
from hartley.model.words import ObjectiveName
from hartley.search.by_size.categories import CategoryArrangement
from hartley.search.line.ordered_values import Band, LineAnswer

NOTHING: Int64s = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class DemandQuestion:
    """What must be kept, at the least cost."""

    joint: JointRange
    utility: Utility
    requirements: tuple[Requirement, ...]
    """Those that stay true when a cluster grows."""
    closeness: Closeness = NO_CLOSENESS
    shape: Shape = ANY_SHAPE
    budget: int = 0
    """The most rows whose public value may be withheld."""
    most_components: int | None = None
    """The most components that may be left; 1: nothing is known for certain. ``None``: any number."""
    arrangement: CategoryArrangement | None = None
    """What is known of the values of a column of text."""
    objective: ObjectiveName = "worst"
    """Over several columns, what is to be small."""

    @property
    def axis(self) -> str:
        """The requirement of which most is kept among answers of one cost."""
        return "distinct-l" if self.closeness.is_empty else "separated-l"

    @property
    def positions(self) -> Floats | None:
        """Where the public values lie along a line, if they do."""
        if isinstance(self.utility, LineDistortion):
            return self.utility.positions
        known = self.arrangement
        return self.joint.public.positions if known is None else known.positions

    @property
    def missing(self) -> Flags:
        """Of each public value, whether all its cells were missing before: it joins what is withheld."""
        gone: Flags = np.logical_and.reduce([one.missing for one in self.joint.public.coordinates])
        return gone

    @property
    def is_over_columns(self) -> bool:
        """Whether it has the search over several columns to answer it."""
        return (
            isinstance(self.utility, ColumnsDistortion)
            and self.utility.codeword == "midpoint"
            and self.joint.side is None
            and self.closeness.is_empty
            and not self.budget
        )

    def asking(self, requirement: Requirement) -> DemandQuestion:
        """Return the question with one more requirement, or more of one."""
        return replace(self, requirements=combined(self.requirements, [requirement]))


@dataclass(frozen=True, kw_only=True, eq=False)
class DemandAnswer:
    """The cheapest partition found that keeps a demand, and what is proven of it."""

    partition: Partition
    cost: float
    lower_bound_cost: float | None
    """No partition of the shape and budget asked for costs less; ``None`` where no bound is known."""
    any_bound: float | None = None
    """No partition of any shape within the budget costs less."""
    withheld: Int64s = field(default_factory=lambda: NOTHING)
    """Places of the public values that are withheld; they are one cluster."""
    withheld_rows: int = 0
    bands: tuple[Band, ...] = ()
    loss: float | None = None
    """The mean over rows of the relative width of their cluster, over several columns."""

    @property
    def is_proven(self) -> bool:
        """Whether nothing of the shape and budget asked for costs less."""
        return self.lower_bound_cost is not None and self.cost <= self.lower_bound_cost * (1 + 1e-12)


def combined(requirements: Iterable[Requirement], more: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return requirements that are counts with some more; of two of one count the greater stays."""
    found = {(one.name, one.column): one for one in requirements}
    for one in more:
        known = found.get((one.name, one.column))
        if known is None or one.wanted > known.wanted:
            # The count that was asked for last comes last.
            found.pop((one.name, one.column), None)
            found[one.name, one.column] = one
    return tuple(found.values())


def answer_of(found: LineAnswer) -> DemandAnswer:
    """Return what a search over one column has found, as the answer to a demand."""
    return DemandAnswer(
        partition=found.partition,
        cost=found.cost,
        lower_bound_cost=found.lower_bound,
        any_bound=found.any_bound,
        withheld=found.withheld,
        withheld_rows=found.withheld_rows,
        bands=found.bands,
    )


def too_many_components(most: int) -> UnreachableError:
    """Return the refusal where no release joins as many groups of sensitive values as is asked.

    >>> too_many_components(1)
    UnreachableError('no release leaves a single group of sensitive values (I* = 0)')
    """
    few = "a single group" if most == 1 else f"as few as {most} groups"
    return UnreachableError(f"no release leaves {few} of sensitive values (I* = {log2(most):.4g})")
