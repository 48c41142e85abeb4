"""What every released combination must keep, as arrays that compiled loops can count with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hartley.errors import InputError
from hartley.model.arrays import Int64s, Ints, frozen_array


@dataclass(frozen=True, eq=False, kw_only=True)
class CellDemand:
    """Which sets of public tuples are enough.

    All counts share one space of codes, in which count c occupies ``offsets[c]`` up to ``offsets[c + 1]``.
    A set is enough if its rows sum to ``row_k`` and if, for every count, the chain that begins with its
    smallest code and goes on with the smallest one from ``next_code`` of the last is ``wanted`` long.
    """

    value_ptr: Int64s
    """Where the codes of each tuple begin in ``value_code``, and where the last ends."""
    value_code: Ints
    """The codes each tuple holds, sorted."""
    next_code: Int64s
    """The first code of the same count that is far enough from this one; where none is, the count's end."""
    offsets: Int64s
    wanted: Int64s
    rows: Int64s
    """How many rows hold each tuple."""
    row_k: int = 0

    def __post_init__(self) -> None:
        for name in ("value_ptr", "value_code", "next_code", "offsets", "wanted", "rows"):
            object.__setattr__(self, name, frozen_array(np.asarray(getattr(self, name))))
        if len(self.value_ptr) != len(self.rows) + 1 or len(self.offsets) != len(self.wanted) + 1:
            raise InputError("a demand needs the rows of every tuple and one wanted number for each count")

    @property
    def tuples(self) -> int:
        """How many public tuples there are."""
        return len(self.rows)

    @property
    def fewest_rows(self) -> int:
        """How many rows a set has at least that is enough; fewer cannot be withheld."""
        return max(int(self.wanted.max(initial=0)), int(self.row_k), 1)

    @classmethod
    def of_pairs(
        cls,
        tuples: Ints,
        codes: Ints,
        rows: Int64s,
        *,
        distinct_l: int,
        row_k: int = 0,
        tolerance: Any = None,
    ) -> CellDemand:
        """Build the demand for ``distinct_l`` sensitive values from the pairs of tuple and value that occur.

        With ``tolerance``, a pair of the values' rising positions and a distance, values count only if
        they are more than that distance apart.
        """
        order = np.lexsort((codes, tuples))
        width = int(codes.max(initial=-1)) + 1
        following = np.arange(1, width + 1)
        if tolerance is not None:
            positions, distance = tolerance
            following = np.searchsorted(positions, np.asarray(positions) + distance, side="right")
        return cls(
            value_ptr=np.r_[0, np.cumsum(np.bincount(tuples, minlength=len(rows)))].astype(np.int64),
            value_code=codes[order].astype(np.int32),
            next_code=following.astype(np.int64),
            offsets=np.array([0, width], dtype=np.int64),
            wanted=np.array([distinct_l], dtype=np.int64),
            rows=np.asarray(rows, dtype=np.int64),
            row_k=row_k,
        )
