"""Who reads a release: sees the released values, and what is published beside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.model import Alphabet, Coordinate, JointRange, Partition
from hartley.model.arrays import Ints, code_type


@dataclass(frozen=True, kw_only=True)
class Reader:
    """The reader of a release in which some of the side information is published.

    To a search, kept columns and earlier releases are side information: it counts what the released
    values add to them. The reader learns from both together, counted from what was only known.

    >>> from math import log2
    >>> joint = JointRange.from_pairs([("a", 1, "f"), ("b", 2, "f"), ("c", 3, "m"), ("d", 4, "m")])
    >>> whole = Partition.whole(4)
    >>> max_uncertainty_reduction(joint, whole), Reader(joint=joint, known=0).l0_bits(whole)
    (0.0, 1.0)
    """

    joint: JointRange
    """What the search saw."""
    known: int
    """How many columns of the side information, the first ones, are known to the reader but not published."""

    @property
    def beside(self) -> tuple[str, ...]:
        """The columns that are published beside the released values, or were in earlier releases."""
        return () if self.joint.side is None else self.joint.side.columns[self.known :]

    def clusters_seen(self, partition: Partition) -> Ints:
        """Return, for each value that this reader sees, the cluster that it shows."""
        if not self.beside:
            return np.arange(partition.size)
        return self._codes(partition.labels)[0] // self._shown.alphabet.size

    def sees(self, partition: Partition | None = None) -> JointRange:
        """Return the joint range of this reader: everything published is public to him."""
        joint = self.joint
        if not self.beside or joint.observed_side is None:
            return joint.release(partition)
        labels = np.arange(joint.public.size) if partition is None else partition.labels
        # A cluster goes by the name of its first value: the measures need to tell clusters apart, no more.
        released = joint.public if partition is None else joint.public.take(partition.firsts)
        shown, known = self._shown, self._known
        width = shown.alphabet.size
        codes, public = self._codes(labels)
        beside = shown.alphabet.take((codes % width).astype(np.intp)).coordinates
        pair = joint.observation_of
        return JointRange.from_codes(
            public_codes=cast("Ints", public.astype(code_type(len(codes))))[pair],
            sensitive_codes=joint.indices,
            public=Alphabet((*released.take((codes // width).astype(np.intp)).coordinates, *beside)),
            sensitive=joint.sensitive,
            side_codes=None if known is None else known.of_side[joint.observed_side][pair],
            side=None if known is None else known.alphabet,
            rows=joint.rows,
        )

    def _codes(self, labels: Ints) -> tuple[Ints, npt.NDArray[np.intp]]:
        """Return the values that he sees, as one number of cluster and side value, and those of each row."""
        joint, shown = self.joint, self._shown
        assert joint.observed_side is not None  # noqa: S101 (asked only where something is beside)
        beside = shown.of_side[joint.observed_side]
        seen = labels[joint.public_of].astype(np.int64) * shown.alphabet.size + beside
        codes, public = np.unique(seen, return_inverse=True)
        return codes, public

    def l0_bits(self, partition: Partition | None = None) -> float:
        """Return the most bits that this reader learns from what one row shows."""
        return max_uncertainty_reduction(self.sees(partition))

    @cached_property
    def _shown(self) -> _SideColumns:
        return _part(self._side[self.known :])

    @cached_property
    def _known(self) -> _SideColumns | None:
        return _part(self._side[: self.known]) if self.known else None

    @property
    def _side(self) -> tuple[Coordinate, ...]:
        return () if self.joint.side is None else self.joint.side.coordinates


@dataclass(frozen=True)
class _SideColumns:
    """Some columns of the side information, as values of their own."""

    of_side: Ints
    """Its value for each value of the whole."""
    alphabet: Alphabet


def _part(columns: tuple[Coordinate, ...]) -> _SideColumns:
    kept = Alphabet(columns)
    number: dict[object, int] = {}
    of_side = np.array([number.setdefault(label, len(number)) for label in kept.labels()])
    return _SideColumns(of_side, kept.take(np.unique(of_side, return_index=True)[1].astype(np.intp)))
