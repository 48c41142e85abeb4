"""Slow twins of transparent trees, written from the definitions.

A table is a list of public tuples and a list of sensitive tuples. Of requirements, ``distinct`` and
``separated`` count values of the view, ``rows`` counts rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import log
from typing import Any

Value = tuple[Any, ...]
Multiset = Counter[Value]
SHARES = ("guess-at-most", "entropy-l", "recursive-cl", "beta-likeness", "t-closeness", "ordered t-closeness")


@dataclass(frozen=True)
class Want:
    """One requirement, as the specification says it."""

    name: str
    wanted: float
    view: Callable[[Value], Any] = lambda value: value
    tolerance: float = 0.0
    whole: tuple[tuple[Any, int], ...] = ()
    """How many rows of the whole table have each value of the view, ascending."""
    alphabet: tuple[Any, ...] = ()
    """Values that count on a line though no row has them."""

    def of_table(self, values: Iterable[Value]) -> Want:
        """Return the same requirement for classes of this table."""
        counts = Counter(map(self.view, values))
        counts.update(dict.fromkeys(self.alphabet, 0))
        return replace(self, whole=tuple(sorted(counts.items())))

    def holds_set(self, values: Iterable[Value]) -> bool:
        """Tell whether a set of sensitive values holds it; rows cannot be told from a set.

        A set holds a requirement on shares if rows with values of it, in any shares, can hold it.
        """
        if self.name == "rows":
            return True
        seen = {self.view(value) for value in values}
        if self.name in SHARES:
            return self.can_hold(seen)
        if self.name == "distinct":
            return len(seen) >= self.wanted
        count, last = 0, None
        for value in sorted(seen):
            if last is None or value - last > self.tolerance:
                count, last = count + 1, value
        return count >= self.wanted

    def holds(self, values: Multiset) -> bool:
        """Tell whether a multiset holds it."""
        if self.name in SHARES:
            return self.holds_shares(values)
        return sum(values.values()) >= self.wanted if self.name == "rows" else self.holds_set(values)

    def can_hold(self, seen: set[Any]) -> bool:
        """Tell whether some shares of these values hold it."""
        rows = sum(count for _, count in self.whole)
        known = [(value, count / rows) for value, count in self.whole]
        mass = sum(share for value, share in known if value in seen)
        if self.name == "guess-at-most":
            return len(seen) * self.wanted >= 1 - 1e-9
        if self.name == "entropy-l":
            return len(seen) >= self.wanted - 1e-9
        if self.name == "recursive-cl":
            return len(seen) >= self.tolerance
        if self.name == "beta-likeness":
            return mass * (1 + self.wanted) >= 1 - 1e-9
        if self.name == "t-closeness":
            return mass >= 1 - self.wanted - 1e-9
        order = {value: at for at, (value, _) in enumerate(known)}
        away = sum(share * min(abs(order[value] - order[other]) for other in seen) for value, share in known)
        return away / max(len(known) - 1, 1) <= self.wanted + 1e-9

    def holds_shares(self, values: Multiset) -> bool:
        """Tell whether the shares of a multiset hold it, by the definitions."""
        counts: Counter[Any] = Counter()
        for value, count in values.items():
            counts[self.view(value)] += count
        rows, table = sum(counts.values()), sum(count for _, count in self.whole)
        shares = {value: (counts[value] / rows, count / table) for value, count in self.whole}
        ranked = sorted(counts.values(), reverse=True)
        if self.name == "guess-at-most":
            return ranked[0] / rows <= self.wanted + 1e-9
        if self.name == "entropy-l":
            return -sum(c / rows * log(c / rows) for c in ranked) >= log(self.wanted) - 1e-9
        if self.name == "recursive-cl":
            return ranked[0] < self.wanted * sum(ranked[int(self.tolerance) - 1 :])
        if self.name == "beta-likeness":
            return all(mine <= (1 + self.wanted + 1e-9) * whole for mine, whole in shares.values())
        if self.name == "t-closeness":
            return sum(abs(mine - whole) for mine, whole in shares.values()) / 2 <= self.wanted + 1e-9
        total = ahead = 0.0
        for mine, whole in shares.values():
            ahead += mine - whole
            total += abs(ahead)
        return total / max(len(shares) - 1, 1) <= self.wanted + 1e-9


def holds(wants: Sequence[Want], values: Multiset) -> bool:
    """Tell whether a multiset holds every requirement."""
    return all(want.holds(values) for want in wants)


def sub_multisets(values: Multiset, size: int) -> Iterator[Multiset]:
    """Yield every multiset of so many rows that can be taken from another."""
    names = sorted(values)
    for taken in product(*(range(min(values[name], size) + 1) for name in names)):
        if sum(taken) == size:
            yield Counter({name: count for name, count in zip(names, taken, strict=True) if count})


def arrangements(values: Multiset, sizes: Sequence[int]) -> Iterator[list[Multiset]]:
    """Yield every way to give parts of these sizes their multisets."""
    if len(sizes) == 1:
        yield [values]
        return
    for mine in sub_multisets(values, sizes[0]):
        for others in arrangements(values - mine, sizes[1:]):
            yield [mine, *others]


def candidates(wants: Sequence[Want], values: Multiset, sizes: Sequence[int]) -> list[set[Value]]:
    """Return for each part the values that a row of it may have while some part lacks something."""
    found: list[set[Value]] = [set() for _ in sizes]
    for parts in arrangements(values, sizes):
        if not all(holds(wants, part) for part in parts):
            for at, part in enumerate(parts):
                found[at] |= set(part)
    return found


def is_safe(wants: Sequence[Want], values: Multiset, sizes: Sequence[int]) -> bool:
    """Tell whether a cut into parts of these sizes is certain or safe."""
    found = candidates(wants, values, sizes)
    return not any(found) or all(want.holds_set(part) for part in found for want in wants)


def below(
    wants: Sequence[Want], releases: dict[Any, list[tuple[Value, ...]]]
) -> tuple[int, dict[Any, list[set[Value]]]]:
    """Invert a program: ``releases`` holds the tables behind each output.

    Return how many tables leave some row with too few candidates, and the candidates of every row.
    """
    bad, left = 0, {}
    for output, tables in releases.items():
        possible = [set(column) for column in zip(*tables, strict=True)]
        left[output] = possible
        of_table = [want.of_table(tables[0]) for want in wants]
        if not all(want.holds_set(values) for values in possible for want in of_table):
            bad += len(tables)
    return bad, left
