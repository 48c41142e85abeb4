"""Exhaustive inversion of codebooks by levels: what all tables with the same release leave possible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any

import pytest

from hartley.errors import UnreachableError
from hartley.search.codebooks import PublicColumn
from hartley.search.codebooks.column import ColumnSettings
from hartley.search.trees import levels
from hartley.search.trees.levels import LevelPath, walk_levels
from reference_trees import Value, Want, below, candidates
from tree_instances import SmallTable, demand_of

LINE = [(1,), (2,), (4,), (5,), (8,), (9,), (12,), (14,)]
TIES = [(1,), (1,), (2,), (2,), (8,), (9,), (12,), (12,)]
GRID = [(i, j) for i in (1, 2, 4, 7) for j in (1, 2)]


def values_of(letters: str | list[int]) -> list[Value]:
    return [(letter,) for letter in letters]


@dataclass(frozen=True)
class Setting:
    """Public values, sensitive values that may occur, requirements."""

    rows: list[tuple[int, ...]]
    values: list[Value]
    wants: list[Want]
    trials: str = "retry"
    options: dict[str, Any] = field(default_factory=dict)
    keep: int | None = None
    """The place of a column that is published as it is."""
    multiset: str = ""
    """Where given, only tables with these sensitive values, in any order."""

    def tables(self) -> Iterable[tuple[Value, ...]]:
        if not self.multiset:
            return product(self.values, repeat=len(self.rows))
        return sorted(set(permutations(values_of(self.multiset))))


def distinct(wanted: int, column: int | None = None) -> Want:
    return Want("distinct", wanted, (lambda v: v) if column is None else (lambda v: v[column]))


PAIRS = [(a, b) for a in "ab" for b in "xy"]
NUMBERS = values_of([1, 2, 3, 5])
APART = Want("separated", 2, lambda value: value[0], 1.0)
SETTINGS = [
    *(Setting(LINE[:size], values_of("ab"), [distinct(2)]) for size in (5, 6, 7, 8)),
    Setting(LINE[:5], values_of("abc"), [distinct(2)]),
    Setting(LINE[:6], values_of("abc"), [distinct(3)]),
    Setting(LINE[:7], values_of("ab"), [distinct(2)], "strict"),
    Setting(TIES, values_of("ab"), [distinct(2)]),
    Setting(TIES[:5], values_of("abc"), [distinct(2)]),
    Setting(GRID, values_of("ab"), [distinct(2)]),
    Setting(GRID[:6], values_of("abc"), [distinct(2)]),
    Setting([*GRID[:4], *GRID[:4]], values_of("ab"), [distinct(2)]),
    Setting(GRID, values_of("ab"), [distinct(2)], keep=1),
    Setting(LINE[:7], values_of("ab"), [distinct(2), Want("rows", 3)]),
    Setting(LINE[:4], PAIRS, [distinct(2, 0), distinct(2, 1)], options={"views": (0, 1)}),
    Setting(LINE[:4], PAIRS, [distinct(3)]),
    Setting(LINE[:5], NUMBERS, [APART]),
    Setting(LINE[:5], NUMBERS, [APART, distinct(3)]),
]


UNSAFE = Setting(LINE[:7], values_of("abc"), [distinct(2)], multiset="aaabbcc")
"""The part of three rows can lack only as a, a, a."""


def walked(setting: Setting, values: tuple[Value, ...], table: SmallTable) -> LevelPath | None:
    """Walk the path of one table; nothing where the table lacks what is required."""
    settings = [ColumnSettings(borders="each", keep=j == setting.keep) for j in range(len(table.tuples[0]))]
    columns = [
        PublicColumn.of_cells(f"x{j}", [row[j] for row in table.tuples], said)
        for j, said in enumerate(settings)
    ]
    demand = demand_of(setting.wants, setting.values, **setting.options, trials=setting.trials)
    try:
        return walk_levels(columns, table.problem(values, setting.values), demand)
    except UnreachableError:
        return None


def invert(setting: Setting) -> tuple[int, int, int, int]:
    """Return how many tables there are, how many leave too little, wrong predictions, and failed levels."""
    table = SmallTable(setting.rows)
    releases: dict[Any, list[tuple[Value, ...]]] = defaultdict(list)
    paths: dict[Any, LevelPath] = {}
    for values in setting.tables():
        path = walked(setting, values, table)
        if path is None:
            continue
        classes: dict[int, list[int]] = {}
        for row, at in enumerate(table.tuple_of):
            classes.setdefault(int(path.classes[at]), []).append(row)
        output = tuple((tuple(rows), tuple(sorted(values[row] for row in rows))) for rows in classes.values())
        assert all(want.holds(Counter(multiset)) for _, multiset in output for want in setting.wants)
        releases[output].append(values)
        paths.setdefault(output, path)
    bad, left = below(setting.wants, releases)
    wrong = failed = 0
    for output, path in paths.items():
        failed += path.failed is not None
        for rows, multiset in output:
            if path.failed is None:
                wrong += any(left[output][row] != set(multiset) for row in rows)
        able = [] if path.failed is None else lacking_classes(setting, table, path, output)
        for rows, multiset in output:
            if len(able) > 1 or (able and able[0][0] != rows):
                wrong += any(left[output][row] != set(multiset) for row in rows)
        if len(able) == 1:
            rows, multiset, parts = able[0]
            found = candidates(setting.wants, Counter(multiset), [len(part) for part in parts])
            wrong += any(left[output][row] != found[at] for at, part in enumerate(parts) for row in part)
    return sum(map(len, releases.values())), bad, wrong, failed


def lacking_classes(setting: Setting, table: SmallTable, path: LevelPath, output: Any) -> list[Any]:
    """Return the classes of which the failed level has a cell that can lack something, by the definitions."""
    assert path.failed is not None
    cells = sorted({row[path.failed.column] for row in table.rows})
    inside = set(cells[path.failed.first : path.failed.end])
    found = []
    for rows, multiset in output:
        parts = [
            [row for row in rows if (table.rows[row][path.failed.column] in inside) == side]
            for side in (True, False)
        ]
        parts = [part for part in parts if part]
        if len(parts) > 1 and any(
            candidates(setting.wants, Counter(multiset), [len(part) for part in parts])
        ):
            found.append((rows, multiset, parts))
    return found


@pytest.mark.parametrize("setting", [*SETTINGS, UNSAFE], ids=range(len(SETTINGS) + 1))
def test_every_row_keeps_what_is_required(setting: Setting) -> None:
    tables, bad, wrong, _ = invert(setting)
    assert tables > 0
    assert (bad, wrong) == (0, 0)


def test_some_levels_fail() -> None:
    assert invert(SETTINGS[2])[3] > 0


def test_inversion_kills_a_verdict_that_is_always_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    class Always:
        def for_size(self, _: int) -> Any:
            return lambda *_: True

    monkeypatch.setattr(levels, "may_fail", Always())
    assert invert(UNSAFE)[1] > 0
