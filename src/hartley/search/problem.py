"""What is asked of a search (:class:`Problem`), and what is known of it afterwards (:class:`Answer`).

Everything that must be kept is a requirement, bits included: ``l0`` bits are a number of candidates,
``istar`` bits a number of components. ``leakage`` says which of them is the axis of a frontier: candidates
(``l0``), components (``istar``), or candidates where one component is left (``joint``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, log2
from typing import Any, Literal, TypeAlias

import numpy as np

from hartley.errors import UnreachableError, option
from hartley.measures.overlap import linked_range
from hartley.measures.separation import separated_values
from hartley.measures.utility import LineDistortion, Utility
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import JointRange
from hartley.model.arrays import Flags, Floats
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import Requirement
from hartley.model.shapes.shape import ANY_SHAPE, Shape
from hartley.model.words import MOST_BITS, SLACK, Leakage, ObjectiveName, Ties
from hartley.search.sizes.categories import CategoryArrangement

CostMeaning: TypeAlias = Literal["spans", "distances"]
"""What a cost over several columns is: half the part of a range that a class spans, or 1 where it mixes
categories; or what the distances say that were asked for."""
MANY_OBSERVATIONS = 2_000
"""Beside side information a search of more public and side values together may go on for hours."""
SECONDS_UNASKED = 60.0
"""How long a search may take where nobody said, if it could go on for ever."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What must be kept at the least cost, and what is kept small along a frontier."""

    joint: JointRange
    """Which values occur together, in how many rows, and what the reader sees or knows besides."""
    utility: Utility
    """What a cluster costs; the worst cluster counts."""
    leakage: Leakage = "l0"
    """Which requirement is the axis."""
    requirements: tuple[Requirement, ...] = ()
    """What every release must keep: counts of every cluster, and bits of the release."""
    closeness: Closeness = NO_CLOSENESS
    shape: Shape = ANY_SHAPE
    budget: int = 0
    """The most rows whose public value may be withheld."""
    arrangement: CategoryArrangement | None = None
    """What is known of the values of a single column of text."""
    objective: ObjectiveName = "worst"
    """Over several columns, what is to be small."""
    ties: Ties = "order"
    """Which of equally good merges a greedy search takes."""
    columns: Any = None
    """What is said about single columns, where each has a codebook of its own, or by a tree."""
    kept: tuple[str, ...] = ()
    """Public columns that are published as they are, where each has a codebook of its own, or by a tree."""
    transparent: Any = None
    """Which cuts of a tree are tried for a reader who knows the program."""
    transparent_knows: int = 0
    """How many sensitive values that reader may know."""
    prior: Any = None
    """What the cuts of a tree are chosen by besides the table: a reference table, and facts."""

    # What must be kept.

    @property
    def counts(self) -> tuple[Requirement, ...]:
        """The requirements of every cluster, as they were given."""
        return tuple(one for one in self.requirements if not one.is_limit)

    @property
    def limits(self) -> tuple[Requirement, ...]:
        """The requirements in bits."""
        return tuple(one for one in self.requirements if one.is_limit)

    @cached_property
    def held(self) -> tuple[Requirement, ...]:
        """What every cluster must keep: counts that some cluster may lack, and bits of L0 as counts.

        With a tolerance bits count the values that are apart. To a reader who knows something beforehand
        bits are counted from what that leaves, which no single count says.
        """
        counts = [one for one in self.counts if one.wanted > 1 or not one.is_monotone]
        bits = [one.wanted for one in self.limits if one.name == "l0"]
        if bits and not self.is_informed:
            share = 2 ** min(min(bits) + SLACK, MOST_BITS)
            counts = list(combined(counts, [Requirement(self.axis, ceil(self.levels / share))]))
        return tuple(counts)

    @property
    def candidates(self) -> int | None:
        """How many candidates are required, where nothing else is counted; ``None`` where something is."""
        others = [one for one in self.held if (one.name, one.column) != ("distinct-l", None)]
        if others or not self.closeness.is_empty or self.has_bits_beside:
            return None
        return int(max((one.wanted for one in self.held), default=1))

    @cached_property
    def is_informed(self) -> bool:
        """Whether the reader knows something beforehand; what is kept beside is seen, not known."""
        known = self.joint.known_of_side
        return self.joint.side is not None and (known is None or bool(known.any()))

    @property
    def has_bits_beside(self) -> bool:
        """Whether bits are limited that no count of candidates tells, because the reader knows something."""
        return self.is_informed and any(one.name == "l0" for one in self.limits)

    @property
    def most_components(self) -> int | None:
        """The most components that a release may leave; ``None``: any number."""
        most = [int(2 ** min(one.wanted + SLACK, MOST_BITS)) for one in self.limits if one.name == "istar"]
        return min([*most, 1] if self.leakage == "joint" else most, default=None)

    def asking(self, *more: Requirement) -> Problem:
        """Return the problem with more requirements, or more of one."""
        return replace(self, requirements=combined(self.requirements, more))

    def as_joint(self) -> Problem:
        """Return the problem in which nothing may be certain as one of the axis, where it is required so."""
        is_certain = any(one.name == "istar" and one.wanted == 0 for one in self.requirements)
        if self.leakage == "istar" or not is_certain or not self.closeness.is_empty:
            return self
        others = tuple(one for one in self.requirements if one.name != "istar")
        return replace(self, leakage="joint", requirements=others)

    # What kind of problem it is.

    @property
    def is_papers(self) -> bool:
        """Whether it is the paper's question: candidates alone count, every partition is allowed."""
        is_bare = not self.held and not self.limits and self.closeness.is_empty
        return is_bare and self.shape.is_any and not self.budget

    @property
    def is_plain(self) -> bool:
        """Whether it is the paper's question and not of several columns, which have a search of their own."""
        return self.is_papers and not (
            isinstance(self.utility, ColumnsDistortion) and self.joint.side is None
        )

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

    @property
    def is_polished(self) -> bool:
        """Whether the mean loss over several columns counts, alone or among equal worst classes."""
        return (
            isinstance(self.utility, ColumnsDistortion)
            and self.utility.codeword == "midpoint"
            and self.shape.is_any
        )

    @property
    def is_by_mean(self) -> bool:
        """Whether the mean loss over several columns is to be small, not the worst class."""
        return self.objective == "mean" and isinstance(self.utility, ColumnsDistortion)

    @property
    def cost_meaning(self) -> CostMeaning:
        """What a cost over several columns is."""
        spans = isinstance(self.utility, ColumnsDistortion) and self.utility.counts_spans
        return "spans" if spans else "distances"

    @property
    def default_seconds(self) -> float | None:
        """How long a search may take where nobody said; ``None``: until it is done.

        A search for codebooks counts what it looks at, so that it ends the same way on every machine.
        """
        if self.shape.name in ("columns", "tree"):
            return None
        is_long = self.joint.side is not None and self.joint.observations > MANY_OBSERVATIONS
        return SECONDS_UNASKED if is_long or isinstance(self.utility, ColumnsDistortion) else None

    # The axis of its frontier, and its values.

    @property
    def axis(self) -> str:
        """The requirement that a frontier goes through level by level."""
        return "distinct-l" if self.closeness.is_empty else "separated-l"

    @cached_property
    def levels(self) -> int:
        """How many levels the axis has: all that one cluster of everything leaves."""
        if self.closeness.is_empty:
            return self.joint.sensitive.size
        return separated_values(self.joint, self.closeness)

    @cached_property
    def linked(self) -> JointRange:
        """The table whose components count: where there is a tolerance, close values are linked."""
        return self.joint if self.closeness.is_empty else linked_range(self.joint, self.closeness)[0]

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

    def _values_of(self, requirement: Requirement) -> int:
        """Return how many different values the sensitive column of a requirement has."""
        secret = self.joint.sensitive
        named = [one for one in secret.coordinates if one.name == requirement.column]
        return len(set(named[0].cells)) if named else secret.size

    @contextmanager
    def explaining(self, asked: Iterable[Requirement] = ()) -> Iterator[None]:
        """Where nothing meets a target because a missing value stays alone, say so and name the options."""
        try:
            yield
        except UnreachableError as error:
            at = self.utility.positions if isinstance(self.utility, LineDistortion) else None
            has_no_place = self.joint.public.missing if at is None else np.isnan(at)
            if self.utility.name != "distortion" or not bool(has_no_place.any()):
                raise
            if any(
                one.name == "distinct-l" and one.wanted > self._values_of(one) for one in (*self.held, *asked)
            ):
                raise  # there are not so many values, whatever is merged
            raise UnreachableError(
                f"{error.message}. Empty cells cannot be merged with numbers: drop those rows "
                f"({option('missing', 'drop')}), place them ({option('missing_at')}), or keep values apart "
                f"instead of near ({option('utility', 'resolution')})"
            ) from None


def combined(requirements: Iterable[Requirement], more: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return requirements with some more; of two that count the same, the one that asks for more stays."""
    found = {(one.name, one.column): one for one in requirements}
    for one in more:
        known = found.get((one.name, one.column))
        if known is None or (one.wanted > known.wanted) == one.is_monotone:
            # The count that was asked for last comes last.
            found.pop((one.name, one.column), None)
            found[one.name, one.column] = one
    return tuple(found.values())


def too_many_components(most: int) -> UnreachableError:
    """Return the refusal where no release joins as many groups of sensitive values as is asked.

    >>> too_many_components(1)
    UnreachableError('no release leaves a single group of sensitive values (I* = 0)')
    """
    few = "a single group" if most == 1 else f"as few as {most} groups"
    return UnreachableError(f"no release leaves {few} of sensitive values (I* = {log2(most):.4g})")
