"""The rows of an original under a codebook, against the rows of a release; and what readers learn."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from hartley.errors import ColumnError, PolicyError
from hartley.releases.cell_keys import CellKeys
from hartley.releases.policy import Policy
from hartley.releases.recount import recount
from hartley.releases.rereading import Reread, as_kind

Value = tuple[Hashable, ...]
Meaning = Callable[[Any, str | None], Hashable]
"""What a cell means in a column of a kind."""
ABSENT = -1
"""Stands for the cluster of a row that an earlier release left out."""


@dataclass(frozen=True)
class Book:
    """A codebook as a dictionary, and the columns it reads."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    cluster: dict[Value, int]

    @classmethod
    def of(cls, policy: Policy) -> Book:
        """Read the codebook of a policy; refuse one that is no function."""
        kinds = tuple(column.kind for column in policy.public)
        cluster: dict[Value, int] = {}
        for number, one in enumerate(policy.clusters):
            for member in one.members:
                value = tuple(as_kind(text, kind) for text, kind in zip(member, kinds, strict=True))
                if cluster.setdefault(value, number) != number:
                    raise PolicyError("the codebook is no function: a value stands in two clusters")
        return cls(policy.public_names, kinds, cluster)

    def value(self, cells: dict[str, Any], meaning: Meaning) -> Value:
        """Give the public value of a row."""
        return tuple(meaning(cells[name], kind) for name, kind in zip(self.names, self.kinds, strict=True))


@dataclass
class RowCount:
    """What was counted in the rows of the original and of the release."""

    expected: Counter[Value] = field(default_factory=Counter)
    """The rows of the original under the codebook."""
    found: Counter[Value] = field(default_factory=Counter)
    """The rows of the release."""
    dropped: int = 0
    unmapped: int = 0
    """Rows of the original that the codebook does not map."""
    unmapped_earlier: int = 0
    is_spelt_once: bool = True
    values: set[Value] = field(default_factory=set)
    """The public values that occur."""
    measures: dict[str, dict[str, Any]] = field(default_factory=dict)


class RowCounter:
    """Counts one original and one release."""

    def __init__(self, policy: Policy, earlier: Sequence[Policy], source: Reread, out: Reread) -> None:
        self._policy = policy
        self._earlier = earlier
        self._source = source
        self._out = out
        self._keys = CellKeys(policy, source, out)
        self._book = Book.of(policy)
        self._earlier_books = [Book.of(one) for one in earlier]
        self._published = policy.published
        # The same cells come again and again.
        self._meaning: Meaning = lru_cache(maxsize=1 << 20, typed=True)(as_kind)
        self._views: dict[str, Counter[tuple[Hashable, Hashable, Hashable]]] = defaultdict(Counter)

    def count(self) -> RowCount:
        """Go through both tables."""
        result = RowCount()
        names = self._needed()
        for row, count in _totals(self._source.counted(names)).items():
            self._take(dict(zip(names, row, strict=True)), count, result)
        self._count_release(result)
        result.measures = {
            name: recount(((*key, count) for key, count in view.items()), has_side=bool(self._policy.side))
            for name, view in self._views.items()
        }
        if "after" in result.measures:
            # Without harmless columns the two readers see the same.
            result.measures.setdefault("after_all", result.measures["after"])
        return result

    def _needed(self) -> list[str]:
        wanted = [column.name for column in (*self._policy.sensitive, *self._policy.side)]
        for policy in (self._policy, *self._earlier):
            wanted += [*policy.public_names, *policy.keep, *policy.harmless]
        for policy in self._earlier:
            wanted += policy.read_beside(self._policy.sensitive_names)
        names = list(dict.fromkeys(wanted))
        for name in names:
            if name not in self._source.columns:
                raise ColumnError(
                    f"the policy was made for other columns: {self._source.name} has no column {name!r}"
                )
        return names

    def _take(self, cells: dict[str, Any], count: int, result: RowCount) -> None:
        policy, keys, meaning = self._policy, self._keys, self._meaning
        value = self._book.value(cells, meaning)
        secret = tuple(meaning(cells[column.name], column.kind) for column in policy.sensitive)
        known = tuple(meaning(cells[column.name], column.kind) for column in policy.side)
        if policy.reading.missing == "drop" and self._lacks(cells, value, secret, known):
            result.dropped += count
            return
        cluster = self._book.cluster.get(value)
        absent = [self._is_absent(one, cells) for one in self._earlier]
        past = [
            ABSENT if is_absent else book.cluster.get(book.value(cells, meaning))
            for book, is_absent in zip(self._earlier_books, absent, strict=True)
        ]
        if cluster is None or None in past:
            result.unmapped += count if cluster is None else 0
            result.unmapped_earlier += count if None in past else 0
            return
        result.values.add(value)
        result.expected[tuple(keys.expected(name, cells[name], cluster) for name in self._published)] += count
        kept = tuple(keys.untouched(name, cells[name]) for name in policy.keep)
        harmless = tuple(keys.untouched(name, cells[name]) for name in policy.harmless)
        views = self._views
        views["before"][value, secret, known] += count
        views["after"][(cluster, kept), secret, known] += count
        if harmless:
            views["after_all"][(cluster, kept, harmless), secret, known] += count
        if self._earlier:
            there = [one for one, is_absent in zip(self._earlier, absent, strict=True) if not is_absent]
            protected = policy.sensitive_names
            before = tuple(repr(cells[name]) for one in there for name in one.shown_beside(protected))
            aside = tuple(repr(cells[name]) for one in there for name in one.harmless)
            views["together"][(cluster, kept, *past, before), secret, known] += count
            views["together_all"][(cluster, kept, harmless, *past, before, aside), secret, known] += count

    def _is_absent(self, policy: Policy, cells: dict[str, Any]) -> bool:
        """Tell whether an earlier release left a row out because a value is missing."""
        if policy.reading.missing != "drop":
            return False
        kinds: dict[str, str | None] = {name: policy.untouched_kinds.get(name) for name in policy.keep}
        kinds.update({column.name: column.kind for column in (*policy.sensitive, *policy.side)})
        kinds.update({column.name: column.kind for column in policy.public})
        return any(self._meaning(cells[name], kind) is None for name, kind in kinds.items())

    def _lacks(self, cells: dict[str, Any], *roles: Value) -> bool:
        kinds = self._policy.untouched_kinds
        kept = tuple(as_kind(cells[name], kinds.get(name)) for name in self._policy.keep)
        return any(None in role for role in (*roles, kept))

    def _count_release(self, result: RowCount) -> None:
        names = list(self._policy.published)
        spellings: dict[tuple[str, Hashable], str] = {}
        for row, count in _totals(self._out.counted(names)).items():
            key = tuple(self._keys.found(name, cell) for name, cell in zip(names, row, strict=True))
            result.found[key] += count
            for name, one, cell in zip(names, key, row, strict=True):
                if spellings.setdefault((name, one), repr(cell)) != repr(cell):
                    result.is_spelt_once = False


def _totals(counted: Iterable[tuple[Iterable[Any], int]]) -> Counter[Value]:
    totals: Counter[Value] = Counter()
    for row, count in counted:
        totals[_hashable(row)] += count
    return totals


def _hashable(row: Iterable[Any]) -> Value:
    return tuple(map(_key, row))


def _key(cell: Any) -> Hashable:
    """Make equal cells equal keys: -0.0 is not 0.0 here, and NaN is itself."""
    if isinstance(cell, float):
        return _NAN if cell != cell else _Float(cell)
    return cell if isinstance(cell, Hashable) else repr(cell)


class _Float(float):
    """A float that tells -0.0 from 0.0 as a key."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and repr(float(self)) == repr(float(other))

    def __hash__(self) -> int:
        return hash(repr(float(self)))

    def __repr__(self) -> str:
        return repr(float(self))


_NAN = float("nan")
