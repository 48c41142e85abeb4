"""Who reads a release: sees the released values, and what is published beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hartley.measures.audit import Audit, measure
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.model import Alphabet, Coordinate, JointRange, Partition
from hartley.model.arrays import Ints, code_type
from hartley.model.pair_sort import numbered_keys


class SeenCells(NamedTuple):
    """What is seen or known of each different row in one column or several, by its number in an alphabet."""

    codes: Ints
    alphabet: Alphabet

    @classmethod
    def together(cls, parts: Sequence[SeenCells]) -> SeenCells:
        """Return what is seen in several columns together: the combinations that occur.

        Cells are only looked up for the combinations of all columns, of which there may be one for each row.
        """
        if len(parts) == 1:
            return parts[0]
        codes, size = parts[0].codes, parts[0].alphabet.size
        for part in parts[1:]:
            width = part.alphabet.size
            keys, codes = numbered_keys(codes.astype(np.int64) * width + part.codes, size * width)
            size = len(keys)
            codes = codes.astype(code_type(size), copy=False)
        example = np.empty(size, dtype=np.intp)
        example[codes] = np.arange(len(codes))
        taken = (part.alphabet.take(part.codes[example].astype(np.intp)) for part in parts)
        return cls(codes, Alphabet(tuple(one for cells in taken for one in cells.coordinates)))


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
        labels = partition.labels[self.joint.public_of]
        seen = self._seen(labels, self.joint.public.take(partition.firsts))
        shown = np.empty(seen.alphabet.size, dtype=labels.dtype)
        shown[seen.codes] = labels
        return shown

    def sees(self, partition: Partition | None = None) -> JointRange:
        """Return the joint range of this reader: everything published is public to him."""
        joint = self.joint
        if not self.beside or joint.observed_side is None:
            return joint.release(partition)
        # A cluster goes by the name of its first value: the measures need to tell clusters apart, no more.
        public = self._seen(
            joint.public_of if partition is None else partition.labels[joint.public_of],
            joint.public if partition is None else joint.public.take(partition.firsts),
        )
        known, pair = self._known, joint.observation_of
        return JointRange.from_codes(
            public_codes=public.codes[pair],
            sensitive_codes=joint.indices,
            public=public.alphabet,
            sensitive=joint.sensitive,
            side_codes=None if known is None else known.codes[joint.observed_side][pair],
            side=None if known is None else known.alphabet,
            rows=joint.rows,
        )

    def _seen(self, labels: Ints, released: Alphabet) -> SeenCells:
        """Return what he sees of each observation: its released value, and what stands beside it."""
        assert self.joint.observed_side is not None  # noqa: S101 (asked only where something is beside)
        shown = SeenCells(self._shown.codes[self.joint.observed_side], self._shown.alphabet)
        return SeenCells.together([SeenCells(labels, released), shown])

    def audit(self, partition: Partition | None = None) -> Audit:
        """Measure what this reader learns of the table as it is, or of a release."""
        return measure(self.sees(partition))

    def l0_bits(self, partition: Partition | None = None) -> float:
        """Return the most bits that this reader learns from what one row shows."""
        return max_uncertainty_reduction(self.sees(partition))

    @cached_property
    def _shown(self) -> SeenCells:
        return _part(self._side[self.known :])

    @cached_property
    def _known(self) -> SeenCells | None:
        return _part(self._side[: self.known]) if self.known else None

    @property
    def _side(self) -> tuple[Coordinate, ...]:
        return () if self.joint.side is None else self.joint.side.coordinates


def _part(columns: tuple[Coordinate, ...]) -> SeenCells:
    """Return some columns of the side information as values of their own, for each value of the whole."""
    kept = Alphabet(columns)
    number: dict[object, int] = {}
    codes = np.array([number.setdefault(label, len(number)) for label in kept.labels()])
    return SeenCells(codes, kept.take(np.unique(codes, return_index=True)[1].astype(np.intp)))
