"""A run of merges, from which any moment can be cut."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hartley.errors import InputError
from hartley.model.arrays import Ints, equal_arrays, frozen_array
from hartley.model.partition import Partition


@dataclass(frozen=True, eq=False)
class MergeTree:
    """A run of a greedy search: its merges in order, and which of them make up each step.

    A cluster is named by its place, the place of its first member. Merge ``i`` joins
    the clusters at places ``kept[i] < joined[i]``; the result stands at ``kept[i]``.
    Step ``t`` ends after ``ends[t]`` merges; step 0 is the untouched alphabet. Memory is
    linear in the number of values; a partition is built only when it is asked for.

    Parameters
    ----------
    size : int
        How many values the run started from.
    kept : numpy.ndarray
        The place of the earlier cluster of each merge, where the union stands.
    joined : numpy.ndarray
        The place of the later cluster of each merge.
    ends : numpy.ndarray
        How many merges are done at the end of each step, from step 0 on.
    complete : bool
        Whether the search came to its end; a run that was stopped is the beginning of the whole one.

    Raises
    ------
    InputError
        If the merges or steps cannot be those of a run.

    Examples
    --------
    >>> import hartley, numpy
    >>> run = hartley.MergeTree(4, numpy.array([0, 0]), numpy.array([2, 1]), numpy.array([0, 1, 2]))
    >>> run.steps, run.partition(1), run.partition(2)
    (2, Partition({0, 2}, {1}, {3}), Partition({0, 1, 2}, {3}))
    """

    size: int
    kept: Ints
    joined: Ints
    ends: Ints
    complete: bool = True

    def __post_init__(self) -> None:
        for name in ("kept", "joined", "ends"):
            object.__setattr__(self, name, frozen_array(np.asarray(getattr(self, name))))
        if self.kept.shape != self.joined.shape or len(self.kept) >= max(self.size, 1):
            raise InputError(f"{self.size} values allow at most {self.size - 1} merges, each of two clusters")
        if len(self.kept) and not (
            self.kept.min() >= 0 and self.joined.max() < self.size and bool((self.kept < self.joined).all())
        ):
            raise InputError("a merge joins a later cluster to an earlier one, both among the values")
        if (
            not len(self.ends)
            or self.ends[0] != 0
            or self.ends[-1] != len(self.kept)
            or bool((np.diff(self.ends) < 1).any())
        ):
            raise InputError("steps must start at no merge, hold at least one each, and end at the last")
        if len(self.joined) and np.bincount(self.joined).max() > 1:
            raise InputError("a cluster can be joined to another only once")

    @classmethod
    def of_merges(cls, size: int, kept: Ints, joined: Ints, *, complete: bool = True) -> MergeTree:
        """Build a run in which every merge is a step of its own."""
        return cls(size, kept, joined, np.arange(len(kept) + 1), complete)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MergeTree):
            return NotImplemented
        return (self.size, self.complete) == (other.size, other.complete) and all(
            equal_arrays(getattr(self, name), getattr(other, name)) for name in ("kept", "joined", "ends")
        )

    def __hash__(self) -> int:
        return hash((self.size, self.joined.tobytes()))

    def __repr__(self) -> str:
        stopped = "" if self.complete else ", stopped"
        return f"MergeTree({self.size} values, {len(self.kept)} merges in {self.steps} steps{stopped})"

    @property
    def steps(self) -> int:
        """How many steps the run has after step 0."""
        return len(self.ends) - 1

    @cached_property
    def merges(self) -> list[tuple[int, int]]:
        """The merges in order, as pairs of places."""
        return list(zip(self.kept.tolist(), self.joined.tolist(), strict=True))

    @property
    def end(self) -> Partition:
        """The partition that the run ends in."""
        return self.partition(self.steps)

    def partition(self, step: int) -> Partition:
        """Return the partition at the end of a step."""
        if not 0 <= step <= self.steps:
            raise InputError(f"no step {step}; the run has steps 0 to {self.steps}")
        done = int(self.ends[step])
        root = np.arange(self.size)
        root[self.joined[:done]] = self.kept[:done]
        # A cluster is joined only to an earlier one, so following the links ends.
        while True:
            further = root[root]
            if np.array_equal(further, root):
                return Partition(root)
            root = further
