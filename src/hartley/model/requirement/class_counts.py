"""How many rows of each class have each code: what requirements on shares of values are measured on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Floats, Int64s, Ints
from hartley.model.closeness import SensitiveCodes
from hartley.model.joint_range import JointRange


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The rows of classes by codes, class after class, and of the whole table.

    >>> joint = JointRange.from_pairs([("x", 1), ("x", 1), ("x", 2), ("y", 2)])
    >>> counts = ClassCounts.of(joint, SensitiveCodes(np.arange(2), np.array([1, 2])))
    >>> counts.share.round(2).tolist(), counts.whole.tolist()
    ([0.67, 0.33, 1.0], [0.5, 0.5])
    """

    starts: Int64s
    """Where the codes of each class begin."""
    code: Int64s
    rows: Int64s
    """Rows of the class with this code, at least 1."""
    whole: Floats
    """The share of the rows of the whole table that has each code."""

    @classmethod
    def of(cls, joint: JointRange, codes: SensitiveCodes) -> ClassCounts:
        """Count the rows of every observation of a table or a release."""
        return cls.of_entries(joint.observation_of, codes.code_of[joint.indices], joint.rows, codes.width)

    @classmethod
    def of_entries(cls, class_of: Ints, code_of: Int64s, amounts: Ints, width: int) -> ClassCounts:
        """Count rows that have a class and one of ``width`` codes; every class has a row."""
        found, place = np.unique(class_of.astype(np.int64) * width + code_of, return_inverse=True)
        rows = np.bincount(place, weights=amounts).astype(np.int64)
        starts = np.flatnonzero(np.diff(found // width, prepend=-1))
        whole = np.bincount(code_of, weights=amounts, minlength=width)
        return cls(starts.astype(np.int64), found % width, rows, whole / whole.sum())

    @property
    def totals(self) -> Int64s:
        """The rows of each class."""
        return np.asarray(np.add.reduceat(self.rows, self.starts))

    @property
    def class_of(self) -> Int64s:
        """The class of each entry."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.rows)))

    @property
    def share(self) -> Floats:
        """The share of the rows of its class that each entry has."""
        return np.asarray(self.rows / self.totals[self.class_of])
