"""Every set partition of a few values, measured: the truth that optimal searches are held against.

Written for this purpose alone, from the definitions, with sets as bit masks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from hartley.model import JointRange


@cache
def set_partitions(size: int) -> np.ndarray:
    """All partitions: row p, column x holds the mask of the cluster of x (Bell number of rows)."""
    grown: list[list[int]] = [[]]
    for _ in range(size):
        grown = [[*labels, label] for labels in grown for label in range(max(labels, default=-1) + 2)]
    labels = np.array(grown).reshape(-1, size)
    same = labels[:, :, np.newaxis] == labels[:, np.newaxis, :]
    return (same * (1 << np.arange(size))).sum(axis=2)


@dataclass(frozen=True)
class Truth:
    """All partitions of one table, by their measures."""

    largest: np.ndarray
    """Values in the largest cluster."""
    ratio: np.ndarray
    """Candidates before over candidates after, in the worst case: 2 to the power of L0."""
    parts: np.ndarray
    """Components left: 2 to the power of I*."""

    def least_ratio(self, largest: int) -> float:
        """The optimum of L0 under resolution."""
        return float(self.ratio[self.largest <= largest].min())

    def fewest_parts(self, largest: int) -> int:
        """The optimum of I* under resolution."""
        return int(self.parts[self.largest <= largest].min())

    def least_ratio_in_one_part(self, largest: int) -> float | None:
        """The optimum of problem (3) under resolution; nothing where no partition qualifies."""
        fitting = (self.largest <= largest) & (self.parts == 1)
        return float(self.ratio[fitting].min()) if fitting.any() else None


def truth(joint: JointRange) -> Truth:
    """Measure every partition of the public values."""
    size, sensitive = joint.public.size, joint.sensitive.size
    clusters = set_partitions(size)
    sides = 1 if joint.side is None else joint.side.size
    side_of = np.zeros(joint.observations, int) if joint.observed_side is None else joint.observed_side
    shown = np.zeros((sides, size), dtype=np.int64)
    for observation, (value, side) in enumerate(zip(joint.public_of, side_of, strict=True)):
        shown[side, value] = sum(1 << int(s) for s in joint.candidates(observation))
    # What every subset of values shows, for each side value.
    union = np.zeros((sides, 1 << size), dtype=np.int64)
    for subset in range(1, 1 << size):
        low = (subset & -subset).bit_length() - 1
        union[:, subset] = union[:, subset & (subset - 1)] | shown[:, low]
    before = np.bitwise_count(union[:, -1]).astype(float)
    after = np.bitwise_count(union[:, clusters])
    ratio = np.where(after > 0, before[:, None, None] / np.maximum(after, 1), 0).max(axis=(0, 2))
    # Components of the sensitive values: spread each one over everything it is confused with.
    linked = np.broadcast_to(1 << np.arange(sensitive), (len(clusters), sensitive)).copy()
    for side in range(sides):
        for value in range(size):
            seen = union[side, clusters[:, value]]
            for s in range(sensitive):
                linked[:, s] |= np.where(seen >> s & 1, seen, 0)
    for _ in range(max(1, int(np.ceil(np.log2(sensitive + 1))))):
        for s in range(sensitive):
            linked |= np.where(linked >> s & 1, linked[:, s : s + 1], 0)
    parts = ((linked & -linked) == (1 << np.arange(sensitive))).sum(axis=1)
    return Truth(np.bitwise_count(clusters).max(axis=1).astype(int), ratio, parts)


def random_table(rng: np.random.Generator, most_values: int = 8, sides: int = 0) -> JointRange:
    """A small table of any shape: sparse or dense, skewed or even, every value seen."""
    size = int(rng.integers(1, most_values + 1))
    sensitive = int(rng.integers(1, 9))
    density = rng.choice([0.0, 0.2, 0.5, 0.8])
    skew = rng.choice([1.0, 2.0])
    pairs = []
    for value in range(size):
        count = 1 + int((rng.random(sensitive - 1) < density).sum() * rng.random())
        shown = {int(sensitive * rng.random() ** skew) for _ in range(count)}
        pairs += [(value, s, int(rng.integers(sides)) if sides else 0) for s in shown]
    return JointRange.from_pairs([pair if sides else pair[:2] for pair in pairs])
