"""What every cluster must hold.

Every tuple holds some codes. A demand has one or more counts, each over its own run of codes: a cluster's
count is the length of the chain that starts at its smallest code and goes on with the smallest one that is
far enough from the last. With no tolerance that is the number of different codes. A cluster is *enough* when
every count reaches what is wanted and its rows add up to ``row_k``. A larger cluster holds no less, so what
is enough stays enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError
from hartley.search.columns.loops.needs import Marks, Needs

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ClusterDemand:
    """What every cluster of public tuples must hold.

    >>> one_each = ClusterDemand.distinct(np.array([0, 1, 2, 3]), np.array([0, 1, 0]), wanted=2)
    >>> one_each.is_enough(np.array([0, 2])), one_each.is_enough(np.array([0, 1]))
    (False, True)
    """

    value_ptr: Places
    value_code: npt.NDArray[np.int32]
    """The codes of each tuple, sorted, one tuple after the other; all counts share one space of codes."""
    next_code: Places
    """The first code of the same count that is far enough from this one."""
    offsets: Places
    """Where the codes of each count begin, and the end."""
    wanted: Places
    rows: Places
    row_k: int = 1

    @classmethod
    def distinct(
        cls,
        value_ptr: npt.NDArray[np.integer],
        value_code: npt.NDArray[np.integer],
        wanted: int,
        rows: npt.NDArray[np.integer] | None = None,
        row_k: int = 1,
    ) -> ClusterDemand:
        """Build the demand that every cluster holds so many different codes, and so many rows."""
        width = int(value_code.max(initial=-1)) + 1
        return cls(
            value_ptr=np.asarray(value_ptr, dtype=np.int64),
            value_code=np.asarray(value_code, dtype=np.int32),
            next_code=np.arange(1, width + 1, dtype=np.int64),
            offsets=np.array([0, width], dtype=np.int64),
            wanted=np.array([wanted], dtype=np.int64),
            rows=np.ones(len(value_ptr) - 1, dtype=np.int64)
            if rows is None
            else np.asarray(rows, dtype=np.int64),
            row_k=row_k,
        )

    @property
    def size(self) -> int:
        """How many tuples there are."""
        return len(self.value_ptr) - 1

    @property
    def width(self) -> int:
        """How many codes there are."""
        return len(self.next_code)

    def at_level(self, level: int, count: int = 0) -> ClusterDemand:
        """Return the same demand with another number wanted of one count."""
        wanted = self.wanted.copy()
        wanted[count] = level
        return replace(self, wanted=wanted)

    def of_tuples(self, kept: npt.NDArray[np.integer]) -> ClusterDemand:
        """Return the demand on some of the tuples only."""
        lengths = np.diff(self.value_ptr)[kept]
        starts = np.repeat(self.value_ptr[:-1][kept] - (np.cumsum(lengths) - lengths), lengths)
        return replace(
            self,
            value_ptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            value_code=self.value_code[starts + np.arange(len(starts))],
            rows=self.rows[kept],
        )

    def is_enough(self, members: npt.NDArray[np.integer]) -> bool:
        """Tell whether a cluster of these tuples holds what is wanted."""
        return (
            bool(self.enough(np.zeros(len(members), dtype=np.int64), members)[0]) if len(members) else False
        )

    def enough(
        self, labels: npt.NDArray[np.integer], members: npt.NDArray[np.integer] | None = None
    ) -> npt.NDArray[np.bool_]:
        """Tell of every cluster whether it holds what is wanted."""
        members = np.arange(self.size) if members is None else np.asarray(members)
        size = int(labels.max(initial=-1)) + 1
        part = (
            self
            if len(members) == self.size and bool((np.diff(members) == 1).all())
            else self.of_tuples(members)
        )
        pairs = np.unique(
            np.repeat(labels, np.diff(part.value_ptr)).astype(np.int64) * max(self.width, 1) + part.value_code
        )
        owner, code = pairs // max(self.width, 1), pairs % max(self.width, 1)
        holds = np.bincount(labels, weights=part.rows, minlength=size) >= self.row_k
        for count in range(len(self.wanted)):
            first, last = self.offsets[count], self.offsets[count + 1]
            inside = (code >= first) & (code < last)
            holds &= self._lengths(owner[inside], code[inside], size) >= self.wanted[count]
        return holds

    def _lengths(self, owner: Places, code: Places, size: int) -> Places:
        """Return the length of the chain in every cluster, of codes that are sorted by cluster."""
        if not self.needs.tolerant:
            return np.bincount(owner, minlength=size)
        lengths = np.zeros(size, dtype=np.int64)
        last, least = -1, 0
        for one, value in zip(owner.tolist(), code.tolist(), strict=True):
            if one != last or value >= least:
                lengths[one] += 1
                last, least = one, int(self.next_code[value])
        return lengths

    @cached_property
    def needs(self) -> Needs:
        """The demand as the loops take it."""
        if len(self.offsets) != len(self.wanted) + 1 or len(self.rows) != self.size:
            raise InputError(
                "a demand needs a run of codes for each count and a number of rows for each tuple"
            )
        tolerant = bool((self.next_code != np.arange(1, self.width + 1)).any())
        # The loops look at the first count: where rows alone are asked for, it is one that wants nothing.
        offsets, wanted = (self.offsets, self.wanted) if len(self.wanted) else ([0, 0], [0])
        return Needs(
            ptr=np.asarray(self.value_ptr, dtype=np.int64),
            code=np.asarray(self.value_code, dtype=np.int32),
            next_code=np.asarray(self.next_code, dtype=np.int64),
            offsets=np.asarray(offsets, dtype=np.int64),
            count_of=np.repeat(np.arange(len(self.wanted)), np.diff(self.offsets)).astype(np.int64),
            wanted=np.asarray(wanted, dtype=np.int64),
            rows=np.asarray(self.rows, dtype=np.int64),
            row_k=int(self.row_k),
            plain=len(self.wanted) == 1 and not tolerant and self.row_k <= 1,
            tolerant=tolerant,
        )

    def marks(self) -> Marks:
        """Return fresh scratch paper for the loops."""
        return Marks(
            seen=np.zeros(max(self.width, 1), dtype=np.int64),
            kept=np.zeros(max(self.width, 1), dtype=np.int64),
            codes=np.zeros(max(self.width, 1), dtype=np.int64),
            tally=np.zeros(max(len(self.wanted), 1), dtype=np.int64),
            stamp=np.zeros(1, dtype=np.int64),
        )
