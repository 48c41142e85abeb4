"""Codebooks judged row by row, and all of them enumerated: slow twins that share no code with the search."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from enough_instances import distinct_codes
from hartley.search.codebooks import ColumnSettings, PublicColumn
from hartley.search.enough import Enough

Labels = tuple[int, ...]


@dataclass(frozen=True)
class SmallTable:
    """Rows of a few public columns and one sensitive number, with what is wanted of every combination."""

    columns: tuple[tuple[object, ...], ...]
    sensitive: tuple[int, ...]
    wanted: int
    row_k: int = 0
    tolerance: float = 0.0

    @property
    def rows(self) -> int:
        return len(self.sensitive)

    def values(self, column: int) -> list[object]:
        """The distinct values, in the order of the search: numbers and texts rise, missing comes last."""
        found = set(self.columns[column])
        return sorted(found - {None}) + ([None] if None in found else [])

    def is_line(self, column: int) -> bool:
        return all(isinstance(value, (int, float)) for value in self.columns[column] if value is not None)

    def public_tuples(self) -> list[tuple[object, ...]]:
        return list(dict.fromkeys(zip(*self.columns, strict=True)))

    def search_input(
        self, settings: dict[int, ColumnSettings] | None = None
    ) -> tuple[list[PublicColumn], Enough]:
        tuples = self.public_tuples()
        place = {cells: number for number, cells in enumerate(tuples)}
        owner = [place[cells] for cells in zip(*self.columns, strict=True)]
        sensitive = sorted(set(self.sensitive))
        code = {value: number for number, value in enumerate(sensitive)}
        pairs = sorted({(t, code[s]) for t, s in zip(owner, self.sensitive, strict=True)})
        places = np.array(sensitive, dtype=float)
        demand = distinct_codes(
            np.searchsorted([t for t, _ in pairs], np.arange(len(tuples) + 1)),
            [s for _, s in pairs],
            self.wanted,
            np.bincount(owner),
            self.row_k,
            np.searchsorted(places, places + self.tolerance, side="right"),
        )
        said = settings or {}
        columns = [
            PublicColumn.of_cells(
                f"c{j}",
                [cells[j] for cells in tuples],
                said.get(j, ColumnSettings(borders="each" if self.is_line(j) else None)),
            )
            for j in range(len(self.columns))
        ]
        return columns, demand

    def is_enough(self, rows: list[int]) -> bool:
        if len(rows) < self.row_k:
            return False
        count, last = 0, -np.inf
        for value in sorted({self.sensitive[row] for row in rows}):
            if value - last > self.tolerance:
                count, last = count + 1, value
        return count >= self.wanted

    def width(self, column: int, labels: Labels, value: int) -> float:
        values = self.values(column)
        members = [values[v] for v in range(len(values)) if labels[v] == labels[value]]
        if not self.is_line(column):
            return (len(members) - 1) / max(len(values) - 1, 1)
        numbers = [member for member in members if member is not None]
        present = [v for v in values if v is not None]
        return (max(numbers) - min(numbers)) / ((max(present) - min(present)) or 1) if numbers else 0.0


@dataclass(frozen=True)
class Judged:
    """What codebooks withhold and lose, with a whole combination added where the withheld rows need it."""

    poor: frozenset[int]
    """Rows in combinations that are not enough."""
    loss: float | None
    """``None`` where budget, share or demand do not allow them."""
    is_topped_up: bool


def judge(
    table: SmallTable, node: tuple[Labels, ...], budget: int, share: float, weights: tuple[float, ...] = ()
) -> Judged:
    """Judge codebooks row by row; every set of whole combinations is tried for the top-up."""
    place = [
        {value: number for number, value in enumerate(table.values(j))} for j in range(len(table.columns))
    ]
    code = [[place[j][cell] for cell in table.columns[j]] for j in range(len(table.columns))]
    weight = weights or tuple(1 / len(node) for _ in node)
    cells: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row in range(table.rows):
        cells[tuple(node[j][code[j][row]] for j in range(len(node)))].append(row)
    kept = [rows for rows in cells.values() if table.is_enough(rows)]
    poor = frozenset(row for rows in cells.values() if not table.is_enough(rows) for row in rows)
    if len(poor) > budget:
        return Judged(poor, None, False)
    cost = [
        sum(w * table.width(j, node[j], code[j][row]) for j, w in enumerate(weight))
        for row in range(table.rows)
    ]
    additions: list[tuple[list[int], ...]] = [()]
    if poor and not table.is_enough(sorted(poor)):
        additions = [some for size in (1, 2) for some in combinations(kept, size)]
    best: float | None = None
    for some in additions:
        hidden = poor | {row for rows in some for row in rows}
        if len(hidden) > budget or (hidden and not table.is_enough(sorted(hidden))):
            continue
        if not all(_is_fair(node[j], code[j], hidden, share) for j in range(len(node))):
            continue
        loss = sum(1.0 if row in hidden else cost[row] for row in range(table.rows)) / table.rows
        best = loss if best is None else min(best, loss)
    return Judged(poor, best, additions != [()])


def _is_fair(labels: Labels, code: list[int], hidden: frozenset[int], share: float) -> bool:
    total = Counter(labels[value] for value in code)
    gone = Counter(labels[code[row]] for row in hidden)
    return all(gone[band] <= share * total[band] + 1e-9 for band in gone)


def codebooks_of(table: SmallTable, column: int) -> Iterator[Labels]:
    """Yield all codebooks of a column: runs of numbers, or any kept categories and the rest as other."""
    values = table.values(column)
    count = len(values) - (None in values)
    missing = (-1,) if None in values else ()
    if None in values:
        yield (0,) * len(values)
    if table.is_line(column):
        for cuts in product((0, 1), repeat=count - 1):
            yield tuple(int(v) for v in np.cumsum((0, *cuts))) + missing
        return
    seen = set()
    for kept in product((0, 1), repeat=count):
        labels = tuple(v + 1 if is_kept else 0 for v, is_kept in enumerate(kept))
        shape = tuple(labels.index(label) for label in labels)
        if shape not in seen:
            seen.add(shape)
            yield shape + missing


def all_products(table: SmallTable) -> list[tuple[Labels, ...]]:
    """Return every choice of one codebook for each column."""
    return list(product(*(list(codebooks_of(table, j)) for j in range(len(table.columns)))))


def refines(fine: Labels, coarse: Labels) -> bool:
    return len(set(zip(fine, coarse, strict=True))) == len(set(fine))


def random_table(
    random: np.random.Generator, columns: int = 0, most_values: int = 5, missing: float = 0.0, rows: int = 30
) -> SmallTable:
    """Draw a table of two or three columns of a few values."""
    width = columns or int(random.integers(2, 4))
    count = int(random.integers(8, rows + 1))
    drawn: list[tuple[object, ...]] = []
    for _ in range(width):
        size = int(random.integers(2, most_values + (width == 2)))
        code = random.choice(size, count, p=random.dirichlet(np.full(size, 2.0)))
        scale = int(random.choice([1, 3, 10]))
        cells: list[object] = [int(v) * scale for v in code]
        if random.random() < 0.35:
            cells = ["abcdefgh"[v] for v in code]
        drawn.append(tuple(None if random.random() < missing else cell for cell in cells))
    sensitive = random.integers(0, int(random.integers(3, 6)), count)
    return SmallTable(
        columns=tuple(drawn),
        sensitive=tuple(int(s) for s in sensitive),
        wanted=int(random.integers(2, 4)),
        row_k=int(random.choice([0, 0, 3])),
        tolerance=float(random.choice([0, 0, 1])),
    )
