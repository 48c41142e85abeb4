"""What a search ends in that merges whole subsets of clusters."""

from __future__ import annotations

from dataclasses import dataclass

from hartley.model import Partition


@dataclass(frozen=True, eq=False)
class SubsetRun:
    """The partitions a run of subset merges went through, the untouched one first."""

    partitions: tuple[Partition, ...]
    changes: tuple[float, ...]
    """By how much each step changed the Lagrangian; all negative."""

    @property
    def partition(self) -> Partition:
        """The partition the run ends in."""
        return self.partitions[-1]
