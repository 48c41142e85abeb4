"""Slow twins of transparent trees, written from the definitions.

A table is a list of public tuples and a list of sensitive tuples. Of requirements, ``distinct`` and
``separated`` count values of the view, ``rows`` counts rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

Value = tuple[Any, ...]
Multiset = Counter[Value]


@dataclass(frozen=True)
class Want:
    """One requirement, as the specification says it."""

    name: str
    wanted: int
    view: Callable[[Value], Any] = lambda value: value
    tolerance: float = 0.0

    def holds_set(self, values: Iterable[Value]) -> bool:
        """Tell whether a set of sensitive values holds it; rows cannot be told from a set."""
        if self.name == "rows":
            return True
        seen = {self.view(value) for value in values}
        if self.name == "distinct":
            return len(seen) >= self.wanted
        count, last = 0, None
        for value in sorted(seen):
            if last is None or value - last > self.tolerance:
                count, last = count + 1, value
        return count >= self.wanted

    def holds(self, values: Multiset) -> bool:
        """Tell whether a multiset holds it."""
        return sum(values.values()) >= self.wanted if self.name == "rows" else self.holds_set(values)


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
        if not all(want.holds_set(values) for values in possible for want in wants):
            bad += len(tables)
    return bad, left
