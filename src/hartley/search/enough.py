"""Which sets of public values are enough to be a cluster, under any number of requirements at once.

A requirement that stays true when a cluster grows is *monotone*. All that the theorems about clusters need is
that a set which holds one that is enough is enough itself (Theorem M1). So everything that is known for the
number of candidates holds word for word for rows, for values that are apart by a tolerance, for groups, for
single columns, and for any of these together.

With side information this is not so: a value that joins may be seen with a side value that the others are not
seen with, and leave few candidates there. What is wanted is then wanted of every side value that the set is
seen with (:meth:`Enough.beside`): sets that are enough still join to one that is (Theorem M2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError, UnreachableError
from hartley.measures.uncertainty import rows_of_values
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Ints, Places, code_type, different, frozen_array
from hartley.model.closeness import NO_CLOSENESS, Closeness, SensitiveCodes, plain_codes
from hartley.model.requirement import Requirement, require_consistent, require_fitting
from hartley.model.words import MOST_BITS, SLACK
from hartley.search.enough_loops import (
    cells_of_codes,
    chain_lengths,
    fewest_held,
    latest_distinct_starts,
    latest_separated_starts,
    plain_counts,
)

OF_ROWS = -1
"""Stands for the number of rows where counts are numbered."""


@dataclass(frozen=True, eq=False)
class Enough:
    """What a cluster must hold, laid out for loops.

    Several counts share one space of codes: count ``c`` has the codes from ``offsets[c]`` up to
    ``offsets[c + 1]``. A set is enough if it has ``row_k`` rows and if, for every count, the chain
    of the codes it holds is as long as wanted: the smallest code ``s``, then the smallest one from
    ``next_code[s]`` on, and so forth.

    >>> joint = JointRange.from_pairs([(1, 41), (2, 42), (3, 45), (3, 41)])
    >>> close = Closeness.of({"sensitive": 2})
    >>> enough = Enough.of(joint, [Requirement("separated-l", 2), Requirement("row-k", 3)], close)
    >>> enough.is_enough([2]), enough.is_enough([0, 1]), enough.is_enough([1, 2])
    (False, False, True)
    """

    value_ptr: Places
    """Public value ``x`` holds the codes ``value_code[value_ptr[x]:value_ptr[x + 1]]``, ascending."""
    value_code: Ints
    next_code: Places
    """For each code the first one of its count that is apart from it; where the count ends, if none is."""
    offsets: Places
    wanted: Places
    """How long the chain of each count must be."""
    rows: Places
    """The rows of each public value."""
    row_k: int = 0
    requirements: tuple[Requirement, ...] = ()
    count_of: tuple[int, ...] = ()
    """The count that decides each requirement; ``OF_ROWS`` for the rows."""
    is_beside: bool = False
    """Whether a count, which is then of one side value, is wanted only of sets that hold a code of it."""

    def __post_init__(self) -> None:
        for name in ("value_ptr", "value_code", "next_code", "offsets", "wanted", "rows"):
            object.__setattr__(self, name, frozen_array(np.asarray(getattr(self, name))))
        if len(self.value_ptr) != len(self.rows) + 1 or len(self.offsets) != len(self.wanted) + 1:
            raise InputError("a demand needs the rows of every value and a number wanted of each count")

    @classmethod
    def of(
        cls, joint: JointRange, requirements: Iterable[Requirement], closeness: Closeness = NO_CLOSENESS
    ) -> Enough:
        """Lay requirements out for a table without side information.

        A limit on the bits of ``l0`` is a number of candidates; one on ``istar`` is of no single cluster, and
        is refused.
        """
        if joint.side is not None:
            raise InputError(
                "with side information a larger cluster may leave fewer candidates, so this search cannot "
                "be used; use the search for any utility"
            )
        given = require_consistent(requirements)
        require_fitting(given, joint.sensitive.columns, closeness)
        counts: dict[tuple[str, str | None], tuple[SensitiveCodes, int]] = {}
        row_k = 0
        keys: list[tuple[str, str | None] | None] = []
        for requirement in given:
            codes = requirement.codes(joint.sensitive, closeness)
            if requirement.is_monotone and codes is None:
                row_k = int(requirement.wanted)
                keys.append(None)
                continue
            if requirement.name == "istar":
                raise InputError("a limit on istar cannot be told from one cluster alone")
            wanted = int(requirement.wanted)
            if requirement.name == "l0":
                wanted = ceil(joint.sensitive.size / 2 ** min(requirement.wanted + SLACK, MOST_BITS))
            key = ("distinct-l" if codes is None else requirement.name, requirement.column)
            if key not in counts:
                counts[key] = codes or plain_codes(joint.sensitive, key[1]), wanted
            counts[key] = counts[key][0], max(counts[key][1], wanted)
            keys.append(key)
        order = list(counts)
        return cls._laid_out(
            joint,
            [codes for codes, _ in counts.values()],
            [wanted for _, wanted in counts.values()],
            row_k,
            given,
            tuple(OF_ROWS if key is None else order.index(key) for key in keys),
        )

    @classmethod
    def beside(
        cls, joint: JointRange, requirements: Iterable[Requirement], closeness: Closeness = NO_CLOSENESS
    ) -> Enough:
        """Lay requirements out for a reader who sees a side value beside each cluster.

        Every side value has counts of its own, and one for its rows where a number of rows is required: each
        row, up to that number, is a code.

        >>> joint = JointRange.from_codes(
        ...     public_codes=np.array([0, 1, 2, 3]),
        ...     sensitive_codes=np.array([0, 1, 0, 1]),
        ...     side_codes=np.array([0, 0, 1, 1]),
        ... )
        >>> enough = Enough.beside(joint, [Requirement("distinct-l", 2)])
        >>> enough.are_enough(np.array([0, 0, 1, 1]), 2), enough.is_enough([0, 1, 2])
        (array([ True,  True]), False)
        """
        side, observed = joint.observed_side, joint.by_observation()
        if joint.side is None or side is None:
            return cls.of(joint, requirements, closeness)
        seen = cls.of(observed, requirements, closeness)
        sides, width = joint.side.size, seen.width
        reachable = seen.counts_of_clusters(side.astype(np.int64), sides).min(axis=0)
        seen.require_found(seen.found_by(reachable))
        held = np.diff(seen.value_ptr)
        owner = np.repeat(joint.public_of.astype(np.int64), held)
        code = seen.value_code + np.repeat(side.astype(np.int64), held) * width
        begins = (np.arange(sides)[:, None] * width + seen.offsets[:-1]).ravel()
        offsets: list[Places] = [begins, np.array([sides * width])]
        next_code = [(np.arange(sides)[:, None] * width + seen.next_code).ravel()]
        wanted = [np.tile(seen.wanted, sides)]
        if seen.row_k > 1:
            order = np.argsort(side, kind="stable")
            rows = np.minimum(seen.rows[order], seen.row_k)
            codes = sides * width + np.arange(int(rows.sum()))
            owner = np.append(owner, np.repeat(joint.public_of[order], rows))
            code = np.append(code, codes)
            of_side = np.bincount(side[order], weights=rows, minlength=sides).astype(np.int64)
            offsets.append(sides * width + np.cumsum(of_side))
            next_code.append(codes + 1)
            wanted.append(np.full(sides, seen.row_k))
        order = np.lexsort((code, owner))
        value_ptr = np.zeros(joint.public.size + 1, dtype=np.int64)
        np.cumsum(np.bincount(owner, minlength=joint.public.size), out=value_ptr[1:])
        every_next = np.concatenate(next_code).astype(np.int64)
        return cls(
            value_ptr,
            code[order].astype(code_type(len(every_next))),
            every_next,
            np.concatenate(offsets).astype(np.int64),
            np.concatenate(wanted).astype(np.int64),
            rows_of_values(joint),
            is_beside=True,
        )

    @classmethod
    def _laid_out(
        cls,
        joint: JointRange,
        codes: Sequence[SensitiveCodes],
        wanted: Sequence[int],
        row_k: int,
        requirements: tuple[Requirement, ...],
        count_of: tuple[int, ...],
    ) -> Enough:
        offsets = np.zeros(len(codes) + 1, dtype=np.int64)
        np.cumsum([each.width for each in codes], out=offsets[1:])
        width = int(offsets[-1])
        next_code = [each.next_code + begin for each, begin in zip(codes, offsets[:-1], strict=True)]
        value_ptr, value_code = _codes_of_values(joint, codes, offsets)
        return cls(
            value_ptr,
            value_code.astype(code_type(width)),
            np.concatenate([np.zeros(0, dtype=np.int64), *next_code]),
            offsets,
            np.array(wanted, dtype=np.int64),
            rows_of_values(joint),
            row_k,
            requirements,
            count_of,
        )

    @property
    def size(self) -> int:
        """How many public values there are."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """How many codes there are, of all counts together."""
        return len(self.next_code)

    @cached_property
    def is_plain(self) -> Flags:
        """Whether every two codes of each count are apart."""
        return plain_counts(self.next_code, self.offsets)

    def take(self, places: Ints) -> Enough:
        """Return the same demand on some of the public values, in the order given."""
        begins = self.value_ptr[places]
        counts = self.value_ptr[np.asarray(places) + 1] - begins
        value_ptr = np.zeros(len(places) + 1, dtype=np.int64)
        np.cumsum(counts, out=value_ptr[1:])
        shift = np.repeat(begins - value_ptr[:-1], counts)
        value_code = self.value_code[np.arange(value_ptr[-1]) + shift]
        return replace(self, value_ptr=value_ptr, value_code=value_code, rows=self.rows[places])

    def asking(self, count: int, wanted: int) -> Enough:
        """Return the same with another number wanted of one count."""
        if count == OF_ROWS:
            return replace(self, row_k=wanted)
        changed = self.wanted.copy()
        changed[count] = wanted
        return replace(self, wanted=changed)

    def counts_of_clusters(self, labels: Ints, clusters: int) -> Places:
        """Return what each cluster holds: a row for each, a column for each count, then one for the rows.

        Values with a negative label are in no cluster.
        """
        found = np.zeros((clusters, len(self.wanted) + 1), dtype=np.int64)
        inside = labels >= 0
        found[:, -1] = np.bincount(labels[inside], weights=self.rows[inside], minlength=clusters)
        if self.width:
            cluster = np.repeat(labels.astype(np.int64), np.diff(self.value_ptr))
            keys = cluster * self.width + self.value_code
            keys = different(keys[cluster >= 0])
            owner, code = keys // self.width, keys % self.width
            if self.is_plain.all():
                counts = len(self.wanted)
                count = np.searchsorted(self.offsets, code, side="right") - 1
                held = np.bincount(owner * counts + count, minlength=clusters * counts)
                found[:, :-1] = held.reshape(clusters, counts)
            else:
                loop = chain_lengths.for_size(len(keys))
                loop(owner, code, self.next_code, self.offsets, found)
        return found

    def counts_of(self, members: Sequence[int] | Ints) -> Places:
        """Return what one set holds: each count, then the rows."""
        held = self.take(np.asarray(members, dtype=np.int64))
        counts: Places = held.counts_of_clusters(np.zeros(held.size, dtype=np.int64), 1)[0]
        return counts

    @cached_property
    def all_held(self) -> Places:
        """What everything together holds of each count, then its rows."""
        return self.counts_of(np.arange(self.size))

    def is_enough(self, members: Sequence[int] | Ints) -> bool:
        """Tell whether a set of public values may be a cluster."""
        held = self.take(np.asarray(members, dtype=np.int64))
        return bool(held.are_enough(np.zeros(held.size, dtype=np.int64), 1)[0])

    @cached_property
    def least(self) -> Places:
        """What is wanted of each count, then of the rows."""
        return frozen_array(np.append(self.wanted, self.row_k))

    @property
    def fewest_rows(self) -> int:
        """How many rows a set has at least that is enough; fewer cannot be withheld."""
        return max(1, int(self.least.max(initial=1)))

    def are_enough(self, labels: Ints, clusters: int) -> npt.NDArray[np.bool_]:
        """Tell for each cluster whether it is enough."""
        if not self.is_beside:
            return np.asarray((self.counts_of_clusters(labels, clusters) >= self.least).all(axis=1))
        # Clusters times side values may be very many; those that meet are not.
        keys = np.repeat(labels.astype(np.int64), np.diff(self.value_ptr)) * self.width + self.value_code
        keys = different(keys[keys >= 0])
        code = keys % self.width
        count = np.searchsorted(self.offsets, code, side="right") - 1
        met, place = np.unique(keys // self.width * len(self.wanted) + count, return_inverse=True)
        length = np.zeros((len(met), 2), dtype=np.int64)
        loop = chain_lengths.for_size(len(keys))
        loop(place.astype(np.int64), code, self.next_code, np.array([0, self.width]), length)
        enough = np.ones(clusters, dtype=np.bool_)
        enough[(met // len(self.wanted))[length[:, 0] < self.wanted[met % len(self.wanted)]]] = False
        return enough

    def is_met_by(self, partition: Partition) -> bool:
        """Tell whether every cluster of a partition is enough."""
        if self._is_each_enough:
            return True
        if self.is_beside or not self.is_plain.all():
            return bool(self.are_enough(partition.labels, partition.size).all())
        rows = np.bincount(partition.labels, weights=self.rows, minlength=partition.size)
        return bool(rows.min() >= self.row_k) and all(
            self.reached_by(partition, count) >= wanted for count, wanted in enumerate(self.wanted.tolist())
        )

    @cached_property
    def _is_each_enough(self) -> bool:
        """Whether every public value is enough by itself; a set that holds one is enough, too."""
        return bool(self.are_enough(np.arange(self.size), self.size).all())

    def reached_by(self, partition: Partition, count: int) -> int:
        """Return the least that a cluster of a partition holds of one count."""
        if count == OF_ROWS or not self.is_plain[count]:
            return int(self.counts_of_clusters(partition.labels, partition.size)[:, count].min())
        first, end = self.offsets[count : count + 2].tolist()
        order = np.argsort(partition.labels, kind="stable")
        loop = fewest_held.for_size(len(self.value_code))
        return int(loop(order, partition.sizes, self.value_ptr, self.value_code, first, end))

    def latest_starts(self) -> Places:
        """Return, for each last value of a window of neighbours, the latest start that is enough, or -1.

        What several requirements allow is the earliest of what each of them allows.
        """
        latest = _latest_by_rows(self.rows, self.row_k)
        for count in range(len(self.wanted)):
            np.minimum(latest, self._latest_by_count(count), out=latest)
        return latest

    def _latest_by_count(self, count: int) -> Places:
        alone = self.of_count(count)
        steps, wanted = 8 * (len(alone.value_code) + alone.size), int(alone.wanted[0])
        if alone.is_plain[0]:
            plain = latest_distinct_starts.for_size(steps)
            return plain(alone.value_ptr, alone.value_code, alone.width, wanted)
        cell_of, begins = cells_of_codes(alone.next_code)
        loop = latest_separated_starts.for_size(steps)
        return loop(alone.value_ptr, alone.value_code, cell_of, begins, alone.next_code, wanted)

    def of_count(self, count: int) -> Enough:
        """Return the demand of one count alone, without the others and the rows."""
        begin, end = int(self.offsets[count]), int(self.offsets[count + 1])
        value_ptr, value_code = self.value_ptr, self.value_code
        if len(self.wanted) > 1:
            inside = (value_code >= begin) & (value_code < end)
            value_ptr = np.concatenate(([0], np.cumsum(inside)))[value_ptr]
            value_code = value_code[inside] - begin
        return Enough(
            value_ptr,
            value_code,
            self.next_code[begin:end] - begin,
            np.array([0, end - begin]),
            self.wanted[count : count + 1],
            self.rows,
            0,
        )

    def found_by(self, counts: Places) -> list[int]:
        """Return, for each requirement, what some counts come to."""
        return [int(counts[count]) for count in self.count_of]

    def best_reachable(self, apart: Sequence[Sequence[int]] = ()) -> list[int]:
        """Return, for each requirement, the most that any partition reaches, whatever the others ask.

        One cluster of everything holds most of everything at once. ``apart`` are sets that must stay clusters
        of their own.
        """
        labels = np.zeros(self.size, dtype=np.int64)
        for number, members in enumerate(apart):
            labels[list(members)] = number + 1
        present = np.unique(labels, return_inverse=True)[1]
        return self.found_by(self.counts_of_clusters(present, int(present.max()) + 1).min(axis=0))

    def require_reachable(self, apart: Sequence[Sequence[int]] = ()) -> None:
        """Raise where no partition is enough, with the most that can be reached of each requirement."""
        self.require_found(self.best_reachable(apart))

    def require_found(self, best: Sequence[int]) -> None:
        """Raise where the most that can be reached of some requirement is less than is wanted of it."""
        wanted = [int(self.least[count]) for count in self.count_of]
        missed = [
            f"{requirement.text} (at most {_reached(requirement, found)})"
            for requirement, found, want in zip(self.requirements, best, wanted, strict=True)
            if found < want
        ]
        if missed:
            raise UnreachableError(f"no release can meet {' and '.join(missed)}, however coarse")


def _latest_by_rows(rows: Places, row_k: int) -> Places:
    """Return the latest start of a window that has so many rows, or -1."""
    size = len(rows)
    if row_k <= 1:
        return np.arange(size, dtype=np.int64)
    before = np.concatenate(([0], np.cumsum(rows)))
    return np.minimum(np.searchsorted(before, before[1:] - row_k, side="right") - 1, np.arange(size))


def _reached(requirement: Requirement, found: int) -> str:
    return f"{found} candidates" if requirement.name == "l0" else str(found)


def _codes_of_values(
    joint: JointRange, codes: Sequence[SensitiveCodes], offsets: Places
) -> tuple[Places, Places]:
    """Return the codes of all counts of each public value, without doubles, in ascending order."""
    size, width = joint.public.size, int(offsets[-1])
    public = joint.public_of[joint.observation_of].astype(np.int64)
    if len(codes) == 1 and codes[0].width == joint.sensitive.size and _is_identity(codes[0]):
        return joint.indptr.astype(np.int64), joint.indices.astype(np.int64)
    keys = [
        public * width + begin + each.code_of[joint.indices]
        for each, begin in zip(codes, offsets[:-1], strict=True)
    ]
    found = different(np.concatenate([np.zeros(0, dtype=np.int64), *keys]))
    value_ptr = np.zeros(size + 1, dtype=np.int64)
    if width:
        np.cumsum(np.bincount(found // width, minlength=size), out=value_ptr[1:])
        found = found % width
    return value_ptr, found


def _is_identity(codes: SensitiveCodes) -> bool:
    return bool((codes.code_of == np.arange(len(codes.code_of))).all())
