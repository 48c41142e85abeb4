"""Which values occur together: all that the non-stochastic measures need to know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from hartley.errors import InputError
from hartley.model.alphabet import Alphabet, Label
from hartley.model.arrays import Floats, Int64s, Ints, code_type, equal_arrays, frozen_array
from hartley.model.pair_sort import numbered_keys, rows_of_pairs
from hartley.model.partition import Partition

_ARRAYS = ("indptr", "indices", "rows", "observed_public", "observed_side")


@dataclass(frozen=True, eq=False)
class JointRange:
    r"""The pairs of public and sensitive values that occur, :math:`[\![S, X]\!]`.

    Kept as rows of *observations*. An observation is what a reader sees at once: a
    public value, together with a value of the side information where there is some.
    Observation ``i`` leaves the sensitive values ``indices[indptr[i]:indptr[i + 1]]``
    possible, in ascending order, each in ``rows`` rows of the table. Observations are
    sorted by public value, then by side value. Most callers build one with
    :meth:`from_pairs` or :meth:`from_codes`.

    Raises
    ------
    InputError
        If there is no pair, an observation has none, or the arrays do not fit each other.

    Examples
    --------
    >>> import hartley
    >>> joint = hartley.JointRange.from_pairs([("x1", "s1"), ("x1", "s2"), ("x2", "s1")])
    >>> joint.public.labels(), joint.sensitive.labels(), joint.pairs
    (['x1', 'x2'], ['s1', 's2'], 3)
    >>> joint.candidates(0).tolist()
    [0, 1]
    """

    sensitive: Alphabet
    """The sensitive values."""
    public: Alphabet
    """The public values."""
    indptr: Int64s
    """Where the pairs of each observation begin, and at the end how many pairs there are."""
    indices: Ints
    """The sensitive value of each pair."""
    rows: Ints
    """In how many rows of the table each pair occurs."""
    side: Alphabet | None = None
    """The values of the side information."""
    observed_public: Ints | None = None
    """The public value of each observation; ``None`` without side information, where it is its number."""
    observed_side: Ints | None = None
    """The side value of each observation; ``None`` without side information."""
    known_of_side: Ints | None = None
    """What the reader knows beforehand, for each side value, as a number; ``None``: all side information.

    Side values with the same number are told apart only by what is published beside the release: they refine
    what is seen, not what was known.
    """
    weights: Floats | None = None
    """The sum of the sampling weights of the rows of each public value, where they were read."""

    def __post_init__(self) -> None:
        for name in (*_ARRAYS, "known_of_side", "weights"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen_array(np.asarray(getattr(self, name))))
        if not self.pairs:
            raise InputError("a joint range needs at least one pair of values")
        if self.indptr[0] != 0 or self.indptr[-1] != self.pairs or bool((np.diff(self.indptr) < 1).any()):
            raise InputError("every observation needs at least one sensitive value")
        if len(self.rows) != self.pairs:
            raise InputError("every pair needs its number of rows")
        if self.side is None:
            if self.observations != self.public.size or self.observed_public is not None:
                raise InputError("without side information there is one observation for each public value")
        elif self.observed_public is None or self.observed_side is None:
            raise InputError("with side information every observation names its public and side value")
        if self.known_of_side is not None and (
            self.side is None or self.known_of_side.shape != (self.side.size,)
        ):
            raise InputError("what the reader knows is told for every side value")

    @classmethod
    def from_pairs(
        cls, pairs: Iterable[Sequence[Label]], *, positions: Mapping[Label, float] | None = None
    ) -> JointRange:
        """Build from (public, sensitive) pairs, or (public, sensitive, side) triples.

        Parameters
        ----------
        pairs : iterable of sequences
            One for each row of the table; a pair given again adds a row. Values keep the order in which
            they first appear; NaN is missing, as ``None`` is.
        positions : mapping, optional
            Where each public value lies on a line.

        Returns
        -------
        JointRange
            The pairs that occur, each with its number of rows.

        Raises
        ------
        InputError
            If there is no pair, the tuples differ in length, or a public value lacks its position.
        """
        given = [tuple(pair) for pair in pairs]
        if len({len(pair) for pair in given}) > 1 or (given and len(given[0]) not in (2, 3)):
            raise InputError("give pairs (public, sensitive), or triples (public, sensitive, side)")
        if not given:
            raise InputError("a joint range needs at least one pair of values")
        public, sensitive, *side = zip(*given, strict=True)
        return cls.from_values(
            public=public, sensitive=sensitive, side=side[0] if side else None, positions=positions
        )

    @classmethod
    def from_values(
        cls,
        *,
        public: Iterable[Label],
        sensitive: Iterable[Label],
        side: Iterable[Label] | None = None,
        positions: Mapping[Label, float] | None = None,
    ) -> JointRange:
        """Build from the public, sensitive and side values of the rows, each a sequence by itself.

        As :meth:`from_pairs`, whose pairs begin with the public value where the paper writes (s, x).

        >>> JointRange.from_values(sensitive=["s1", "s2", "s1"], public=["x1", "x1", "x2"])
        JointRange(2 public values, 2 sensitive values, 3 pairs)
        """
        codes: list[Ints] = []
        orders: list[list[Label]] = []
        for role in (public, sensitive) if side is None else (public, sensitive, side):
            number: dict[Label, int] = {}
            given = map(_missing_as_none, role)
            codes.append(np.array([number.setdefault(value, len(number)) for value in given]))
            orders.append(list(number))
        if len({len(one) for one in codes}) > 1:
            raise InputError("every row needs a value of each role")
        if not len(codes[0]):
            raise InputError("a joint range needs at least one pair of values")
        if positions is not None and not all(value in positions for value in orders[0]):
            raise InputError("positions must be given for every public value")
        place = None if positions is None else [positions[value] for value in orders[0]]
        return cls.from_codes(
            public_codes=codes[0],
            sensitive_codes=codes[1],
            side_codes=None if side is None else codes[2],
            public=_given_order(orders[0], "public", place),
            sensitive=_given_order(orders[1], "sensitive", None),
            side=None if side is None else _given_order(orders[2], "side", None),
        )

    @classmethod
    def from_frame(
        cls, frame: Any, *, public: str | Sequence[str], sensitive: str | Sequence[str], **fields: Any
    ) -> JointRange:
        """Build from a data frame, a file or any other table, with its columns by role.

        Parameters
        ----------
        frame
            A data frame of pandas, polars, Arrow or another library, or the path of a table.
        public, sensitive
            The columns of each role; several act as one joint value.
        **fields
            ``side`` (columns that the reader knows), ``missing``, ``missing_at``, ``options``, as of a
            :class:`~hartley.Study`.

        Returns
        -------
        JointRange
            Its values sorted: numbers ascending, then texts, then what is missing.

        Examples
        --------
        >>> import hartley, pyarrow
        >>> table = pyarrow.table({"age": [30, 41, 41], "chol": [181, 180, 181]})
        >>> hartley.JointRange.from_frame(table, public="chol", sensitive="age").public.labels()
        [180, 181]
        """
        import hartley  # whose front page knows what reads tables; a model does not

        return hartley.Study(frame, public=public, sensitive=sensitive, **fields).joint_range()

    @classmethod
    def from_codes(
        cls,
        *,
        public_codes: Ints,
        sensitive_codes: Ints,
        public: Alphabet | None = None,
        sensitive: Alphabet | None = None,
        side_codes: Ints | None = None,
        side: Alphabet | None = None,
        rows: Ints | None = None,
    ) -> JointRange:
        """Build from parallel arrays of codes; equal pairs are joined and their rows added.

        A code is the place of a value in its alphabet; without an alphabet the codes
        are the values. Every value of an alphabet must occur.

        Parameters
        ----------
        public_codes : numpy.ndarray
            The public value of each pair.
        sensitive_codes : numpy.ndarray
            The sensitive value of each pair.
        public : Alphabet, optional
            The public values; numbers if left out.
        sensitive : Alphabet, optional
            The sensitive values; numbers if left out.
        side_codes : numpy.ndarray, optional
            The side value of each pair.
        side : Alphabet, optional
            The side values; numbers if left out.
        rows : numpy.ndarray, optional
            In how many rows each pair occurs; once if left out.

        Returns
        -------
        JointRange
            The distinct pairs, sorted.

        Raises
        ------
        InputError
            If there is no pair, or a code has no value, or a value no code.
        """
        public_codes, sensitive_codes = np.asarray(public_codes), np.asarray(sensitive_codes)
        if not len(public_codes):
            raise InputError("a joint range needs at least one pair of values")
        public = public or Alphabet.numbered(int(public_codes.max()) + 1, "public")
        sensitive = sensitive or Alphabet.numbered(int(sensitive_codes.max()) + 1, "sensitive")
        _require_codes(public_codes, public, "public")
        _require_codes(sensitive_codes, sensitive, "sensitive")
        if side_codes is None:
            observed, observations = public_codes, None
        else:
            side_codes = np.asarray(side_codes)
            side = side or Alphabet.numbered(int(side_codes.max()) + 1, "side")
            _require_codes(side_codes, side, "side")
            observations, observed = numbered_keys(
                public_codes.astype(np.int64) * side.size + side_codes, public.size * side.size
            )
        size = public.size if observations is None else len(observations)
        indptr, indices, counts = rows_of_pairs(observed, sensitive_codes, rows, size, sensitive.size)
        if observations is None or side is None:
            return cls(sensitive, public, indptr, indices, counts)
        return cls(
            sensitive,
            public,
            indptr,
            indices,
            counts,
            side,
            (observations // side.size).astype(code_type(public.size)),
            (observations % side.size).astype(code_type(side.size)),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointRange):
            return NotImplemented
        return (
            self.sensitive == other.sensitive
            and self.public == other.public
            and self.side == other.side
            and all(
                equal_arrays(getattr(self, name), getattr(other, name))
                for name in (*_ARRAYS, "known_of_side", "weights")
            )
        )

    def __hash__(self) -> int:
        return hash((self.sensitive, self.public, self.pairs))

    def __repr__(self) -> str:
        side = "" if self.side is None else f", {self.side.size} side values"
        return (
            f"JointRange({self.public.size} public values, {self.sensitive.size} sensitive values{side}, "
            f"{self.pairs} pairs)"
        )

    @property
    def pairs(self) -> int:
        """How many distinct pairs occur (triples, with side information)."""
        return len(self.indices)

    @property
    def observations(self) -> int:
        """How many different things a reader can see."""
        return len(self.indptr) - 1

    @cached_property
    def row_count(self) -> int:
        """How many rows of the table there are."""
        return int(self.rows.sum(dtype=np.int64))

    @cached_property
    def public_of(self) -> Ints:
        """The public value of each observation."""
        if self.observed_public is None:
            return frozen_array(np.arange(self.observations, dtype=code_type(self.observations)))
        return self.observed_public

    @cached_property
    def observation_of(self) -> Ints:
        """The observation of each pair."""
        numbers = np.arange(self.observations, dtype=code_type(self.observations))
        return frozen_array(np.repeat(numbers, np.diff(self.indptr)))

    def candidates(self, observation: int) -> Ints:
        """Return the sensitive values that an observation leaves possible."""
        return self.indices[self.indptr[observation] : self.indptr[observation + 1]]

    def release(self, partition: Partition | None) -> JointRange:
        r"""Return the joint range after merges, :math:`[\![S, \hat X]\!]`: its public values are clusters.

        Parameters
        ----------
        partition : Partition or None
            Which public values share a released value; ``None`` for the table as it is.

        Returns
        -------
        JointRange
            What a reader of the release sees.

        Raises
        ------
        InputError
            If the partition is of another number of values.
        """
        if partition is None:
            return self
        partition.require_size(self.public.size)
        released = self._with_public(partition.labels, Alphabet.numbered(partition.size))
        if self.weights is not None:
            summed = np.bincount(partition.labels, weights=self.weights).astype(np.float64)
            released = replace(released, weights=summed)
        return released

    def partition(self, clusters: Iterable[Iterable[Label]]) -> Partition:
        """Return the partition with these clusters of public values, named by their labels.

        Values that no cluster names stay alone.

        >>> joint = JointRange.from_pairs([("x1", "s1"), ("x2", "s1"), ("x3", "s2")])
        >>> joint.partition([["x1", "x3"]]), joint.clusters(joint.partition([["x1", "x3"]]))
        (Partition({0, 2}, {1}), [['x1', 'x3'], ['x2']])
        """
        listed = list(clusters)
        if any(isinstance(cluster, str) for cluster in listed):
            raise InputError("clusters are lists of labels, and one of them is a text; write [['x1', 'x2']]")
        named = [[self.public.place(label) for label in cluster] for cluster in listed]
        if len(set(chain(*named))) < sum(map(len, named)):
            raise InputError("a value stands in one cluster only, and one was named twice")
        alone = set(range(self.public.size)).difference(*named)
        return Partition.from_clusters([*named, *([place] for place in sorted(alone))])

    def clusters(self, partition: Partition) -> list[list[Label]]:
        """Return the clusters of a partition by the labels of their public values."""
        partition.require_size(self.public.size)
        labels = self.public.labels()
        return [[labels[place] for place in cluster] for cluster in partition]

    def reordered(self, order: Int64s) -> JointRange:
        """Return the same pairs with the public values in another order.

        >>> joint = JointRange.from_pairs([("x1", "s1"), ("x2", "s1"), ("x3", "s2")])
        >>> joint.reordered(np.array([2, 0, 1])).public.labels()
        ['x3', 'x1', 'x2']
        """
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return self._with_public(place, self.public.take(order))

    def _with_public(self, code_of: Ints, public: Alphabet) -> JointRange:
        """Return the same pairs where each public value has another code, which several may share."""
        pair = self.observation_of
        found = JointRange.from_codes(
            public_codes=code_of[self.public_of][pair],
            sensitive_codes=self.indices,
            public=public,
            sensitive=self.sensitive,
            side_codes=None if self.observed_side is None else self.observed_side[pair],
            side=self.side,
            rows=self.rows,
        )
        return found if self.known_of_side is None else replace(found, known_of_side=self.known_of_side)

    def nameless(self) -> JointRange:
        """Return the same pairs with the sensitive values in an order that their names do not decide.

        It is that of a hash of where each value stands; values with the same hash stand in the same places.

        >>> one = JointRange.from_pairs([("x1", "s1"), ("x2", "s1"), ("x3", "s2")]).nameless()
        >>> other = JointRange.from_pairs([("x1", "t"), ("x2", "t"), ("x3", "a")]).nameless()
        >>> one.indices.tolist() == other.indices.tolist()
        True
        """
        pair = self.observation_of
        mixed = pair.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + self.rows.astype(np.uint64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        standing = np.zeros(self.sensitive.size, dtype=np.uint64)
        np.add.at(standing, self.indices, mixed)
        order = np.argsort(standing, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        codes = place[self.indices]
        sort = np.argsort(pair.astype(np.int64) * self.sensitive.size + codes)
        return replace(
            self,
            sensitive=self.sensitive.take(order),
            indices=codes[sort].astype(self.indices.dtype),
            rows=self.rows[sort],
        )

    def by_observation(self) -> JointRange:
        """Return the same pairs, with all that a reader sees at once in the place of a public value.

        >>> JointRange.from_pairs([("x", 1, "f"), ("x", 2, "m"), ("y", 2, "m")]).by_observation()
        JointRange(3 public values, 2 sensitive values, 3 pairs)
        """
        seen = Alphabet.numbered(self.observations)
        return JointRange(self.sensitive, seen, self.indptr, self.indices, self.rows)

    def knowing(self, columns: int) -> JointRange:
        """Return the same for a reader who knows only the first columns of the side information beforehand.

        The others are published beside the release: he sees them, and has learnt what they tell him.

        >>> joint = JointRange.from_pairs([("x", 1, "f"), ("y", 2, "f"), ("x", 3, "m")])
        >>> joint.knowing(0).known_of_side.tolist(), joint.knowing(1).known_of_side
        ([0, 0], None)
        """
        if self.side is None or columns >= len(self.side.coordinates):
            return replace(self, known_of_side=None)
        if columns == 0:
            return replace(self, known_of_side=np.zeros(self.side.size, dtype=np.int64))
        number: dict[Label, int] = {}
        known = Alphabet(self.side.coordinates[:columns]).labels()
        return replace(
            self, known_of_side=np.array([number.setdefault(label, len(number)) for label in known])
        )

    def without_side(self) -> JointRange:
        """Return the joint range of a reader who has no side information."""
        if self.side is None:
            return self
        pair = self.observation_of
        return JointRange.from_codes(
            public_codes=self.public_of[pair],
            sensitive_codes=self.indices,
            public=self.public,
            sensitive=self.sensitive,
            rows=self.rows,
        )

    @cached_property
    def reversed(self) -> JointRange:
        r"""The same pairs with the roles exchanged: :math:`[\![X | s]\!]` for each sensitive value."""
        plain = self.without_side()
        return JointRange.from_codes(
            public_codes=plain.indices,
            sensitive_codes=plain.observation_of,
            public=plain.sensitive,
            sensitive=plain.public,
            rows=plain.rows,
        )


def _missing_as_none(value: Label) -> Label:
    """Return one missing value for all NaNs, which are equal to nothing, not even to themselves."""
    if isinstance(value, tuple):
        return tuple(map(_missing_as_none, value))
    return None if isinstance(value, float) and value != value else value


def _given_order(values: list[Label], name: str, positions: list[float] | None) -> Alphabet:
    width = len(values[0]) if isinstance(values[0], tuple) else 1
    columns = [name] if width == 1 else [f"{name}{j + 1}" for j in range(width)]
    if width == 1 and isinstance(values[0], tuple):
        values = [value[0] for value in values]
    return Alphabet.of_values(values, columns, positions)


def _require_codes(codes: Ints, alphabet: Alphabet, role: str) -> None:
    if codes.min() < 0 or codes.max() >= alphabet.size:
        raise InputError(f"{role} codes must lie between 0 and {alphabet.size - 1}")
    seen = np.zeros(alphabet.size, dtype=bool)
    seen[codes] = True
    if not seen.all():
        raise InputError(f"{int((~seen).sum())} {role} values of the alphabet never occur")
