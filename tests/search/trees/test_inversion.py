"""Exhaustive inversion: all tables over the same public values, grouped by what is released.

A reader who knows everybody's public values and the program can do the same. What is left possible for each
row must keep what is required. Larger tables, by hand:

    PYTHONPATH=tests python tests/search/trees/test_inversion.py --all
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from hartley.search.trees import stem
from hartley.search.trees.loops import counts, growth, permission, room
from hartley.search.trees.prior import Reference
from reference_trees import SHARES, Value, Want, below, candidates
from tree_instances import SmallTable, demand_of, grown

LINE = [(1,), (2,), (4,), (5,), (8,), (9,), (12,), (14,), (17,), (20,)]
TIES = [(1,), (1,), (2,), (2,), (8,), (9,), (12,), (12,)]
PLANE = [(1, 1), (2, 5), (4, 2), (5, 9), (8, 3), (9, 9), (12, 1), (3, 7)]
GRID = [(float(i), float(j)) for i in range(5) for j in range(2)]


@dataclass(frozen=True)
class Setting:
    """Public values, sensitive values that may occur, requirements, and how the tree is grown."""

    name: str
    rows: Sequence[tuple[float, ...]]
    values: Sequence[Value]
    wants: Sequence[Want]
    views: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    kinds: Sequence[str] | None = None
    told: dict[str, Any] = field(default_factory=dict)
    """What the rule of cuts is told besides: a reference table, rows that are alike."""
    weights: Sequence[float] | None = None
    """Where given, the sampling weights of the rows; those of a class sum up to 4 at least."""
    multiset: Sequence[Value] | None = None
    """Where given, only tables with these sensitive values, in any order."""

    def tables(self) -> Iterable[tuple[Value, ...]]:
        """Yield the sensitive values of all rows, in every way."""
        if self.multiset is None:
            return product(self.values, repeat=len(self.rows))
        return sorted(set(permutations(self.multiset)))


def singles(letters: Sequence[Any]) -> list[Value]:
    """Return values of one sensitive column."""
    return [(letter,) for letter in letters]


def distinct(wanted: int, column: int | None = None) -> Want:
    """Return a requirement of so many different values."""
    return Want(
        "distinct", wanted, (lambda value: value) if column is None else (lambda value: value[column])
    )


def separated(wanted: int, tolerance: float) -> Want:
    """Return a requirement of so many values that are further apart than a tolerance."""
    return Want("separated", wanted, lambda value: value[0], tolerance)


def reference(rows: Sequence[tuple[int, int, float]]) -> Reference:
    """Return a reference table of one column: rank, sensitive value, rows."""
    ranks, values, counts = (np.array(column) for column in zip(*rows, strict=True))
    return Reference(ranks.reshape(-1, 1), np.arange(len(rows)), values, counts.astype(np.float64))


def settings(all_of_them: bool = False) -> Iterator[Setting]:
    """Yield the settings, small ones for every run."""
    pairs = [(a, b) for a in "ab" for b in "xy"]
    numbers = singles([1, 2, 3, 5])
    groups = {1: "p", 2: "p", 3: "q", 5: "r"}
    grouped = Want("distinct", 2, lambda value: groups[value[0]])
    more = 1 if all_of_them else 0
    for rule in ("gain", "middle"):
        how: dict[str, Any] = {"rule": rule, "trials": "once"}
        for size, letters, wanted in ((5, "abc", 2), (5, "abc", 3), (7, "ab", 2), (5, "abcd", 3)):
            yield Setting("line", LINE[: size + more], singles(letters), [distinct(wanted)], options=how)
        yield Setting("ties", TIES[: 7 + more], singles("ab"), [distinct(2)], options=how)
        yield Setting("plane", PLANE[: 5 + more], singles("abc"), [distinct(2)], options=how)
        yield Setting("plane of 3", PLANE[: 6 + more], singles("abc"), [distinct(3)], options=how)
        for k in (2, 3):
            yield Setting(
                f"rows {k}", LINE[: 6 + more], singles("ab"), [Want("rows", k), distinct(2)], options=how
            )
        yield Setting("joint", LINE[: 4 + more], pairs, [distinct(3)], options=how)
        each = [distinct(2, 0), distinct(2, 1)]
        yield Setting("each", LINE[: 5 + more], pairs, each, (0, 1), how)
        yield Setting("joint and each", LINE[: 5 + more], pairs, [distinct(3), each[0]], (None, 0), how)
        for wanted, tolerance in ((2, 0.0), (2, 1.0), (3, 1.0)):
            wants = [separated(wanted, tolerance)]
            yield Setting("separated", LINE[: 4 + more], numbers, wants, options=how)
        wants = [separated(2, 1.0), distinct(3)]
        yield Setting("separated and distinct", LINE[: 5 + more], numbers, wants, options=how)
        yield Setting("groups", LINE[: 4 + more], numbers, [grouped], (groups,), how)
        strict = {"rule": rule, "trials": "strict"}
        yield Setting("strict", LINE[: 6 + more], singles("ab"), [distinct(2)], options=strict)
        retry = {"rule": rule, "trials": "retry"}
        for rows in (LINE[:7], LINE[: 8 + more], GRID[:8], TIES):
            yield Setting("retry", rows, singles("ab"), [distinct(2)], options=retry)
        yield Setting("retry", GRID[: 6 + more], singles("abc"), [distinct(2)], options=retry)
        yield Setting("retry", PLANE[: 6 + more], singles("abc"), [distinct(3)], options=retry)
    rules = [
        Want("guess-at-most", 0.6),
        Want("guess-at-most", 0.75),
        Want("entropy-l", 1.9),
        Want("recursive-cl", 2.0, tolerance=2),
        Want("t-closeness", 0.3),
        Want("ordered t-closeness", 0.2, lambda value: value[0], alphabet=(1, 2, 3)),
        Want("beta-likeness", 0.7),
    ]
    for want in rules:
        letters = singles([1, 2, 3]) if want.name.startswith("ordered") else singles("abc")
        for rule, trials in (("gain", "once"), ("middle", "once"), ("middle", "retry")):
            how = {"rule": rule, "trials": trials}
            yield Setting(want.name, LINE[: 5 + more], letters, [want], options=how)
        how = {"rule": "middle", "trials": "retry"}
        yield Setting(f"{want.name} and 2", TIES[: 5 + more], letters, [want, distinct(2)], options=how)
        two = letters[:2]
        yield Setting(f"{want.name} of two", LINE[: 7 + more], two, [want], options=how)
    plain = ("plain", "ordered")
    yield Setting(
        "category",
        GRID[: 6 + 2 * more],
        singles("ab"),
        [distinct(2)],
        options={"trials": "retry"},
        kinds=plain,
    )
    for rule, trials in (("gain", "once"), ("middle", "once"), ("middle", "retry")):
        how = {"rule": rule, "trials": trials}
        weights = (1.5, 0.5, 3.0, 1.0, 2.0, 0.5, 4.0)
        yield Setting("weights", LINE[:7], singles("ab"), [distinct(2)], options=how, weights=weights)
    told: list[dict[str, Any]] = [
        {"alike": [np.array([True, True, True, False, False])]},
        {"reference": reference([(0, 0, 60), (1, 0, 40), (3, 1, 50), (4, 1, 50)])},
    ]
    for each in told:
        yield Setting("told", LINE[:5], singles("abc"), [distinct(2)], options={"trials": "retry"}, told=each)
    if all_of_them:
        for rule in ("gain", "middle"):
            for trials in ("once", "retry"):
                how = {"rule": rule, "trials": trials}
                yield Setting("line", LINE[:8], singles("abc"), [distinct(2)], options=how)
                yield Setting("line", LINE[:8], singles("abc"), [distinct(3)], options=how)
                yield Setting("line", LINE[:10], singles("ab"), [distinct(2)], options=how)
                yield Setting("grid", GRID, singles("ab"), [distinct(2)], options=how)
                yield Setting("grid", GRID[:8], singles("abc"), [distinct(2)], options=how)


def invert(setting: Setting) -> tuple[int, int, int]:
    """Return how many tables there are, how many leave too little, how many predictions were wrong.

    Predicted is what the theorem says: in a leaf every value of the class, in a class with one failed cut the
    candidates of its parts.
    """
    table = SmallTable(setting.rows, setting.kinds, setting.weights)
    demand = demand_of(setting.wants, setting.values, setting.views, **setting.options)
    if setting.weights is not None:
        demand = replace(demand, weight_k=4.0)
    releases: dict[Any, list[tuple[Value, ...]]] = defaultdict(list)
    said: dict[Any, list[tuple[tuple[int, ...], list[list[int]] | None]]] = {}
    for values in setting.tables():
        tree = grown(table, values, setting.values, demand, **setting.told)
        if tree is None:
            held = [want.of_table(values).holds(Counter(values)) for want in setting.wants]
            assert not all(held), "refused though it holds"
            continue
        classes = table.rows_of_classes(tree)
        if setting.weights is not None:
            assert min(sum(setting.weights[row] for row in rows) for rows in classes) >= 4
        output = tuple((rows, tuple(sorted(values[row] for row in rows))) for rows in classes)
        for want in setting.wants:
            of_table = want.of_table(values)
            assert all(of_table.holds(Counter(multiset)) for _, multiset in output), "a class lacks"
        releases[output].append(values)
        if output not in said:
            said[output] = []
            for number, rows in enumerate(classes):
                failed = [
                    at for at, node in enumerate(tree.failures.node) if node == tree.node_of_class[number]
                ]
                parts = table.parts_of_failure(tree, failed[0], rows) if failed else None
                said[output].append((rows, parts))
    bad, left = below(setting.wants, releases)
    wrong = 0
    # What rules on shares leave possible is built greedily: more may be possible than is counted.
    is_exact = not any(want.name in SHARES for want in setting.wants)
    if setting.options.get("trials") != "retry" and is_exact:
        for output, classes_said in said.items():
            for (rows, multiset), (_, parts) in zip(output, classes_said, strict=True):
                values_of = Counter(multiset)
                if parts is None:
                    wrong += any(left[output][row] != set(values_of) for row in rows)
                    continue
                found = candidates(setting.wants, values_of, [len(part) for part in parts])
                wrong += any(left[output][row] != found[at] for at, part in enumerate(parts) for row in part)
    return sum(map(len, releases.values())), bad, wrong


UNSAFE = Setting(
    "seven rows",
    LINE[:7],
    singles("abc"),
    [distinct(2)],
    options={"rule": "middle", "trials": "once"},
    multiset=singles("aaabbcc"),
)


@pytest.mark.parametrize("setting", list(settings()), ids=lambda setting: setting.name)
def test_every_row_keeps_what_is_required(setting: Setting) -> None:
    tables, bad, wrong = invert(setting)
    assert tables > 0
    assert bad == 0
    assert wrong == 0


def test_inversion_kills_a_verdict_that_is_always_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permission, "is_allowed", lambda wants, *given: min(given[2:]) >= wants.least)
    assert invert(UNSAFE)[1] > 0


@pytest.mark.parametrize(
    "want", [Want("guess-at-most", 0.9), Want("entropy-l", 1.2)], ids=lambda want: want.name
)
def test_inversion_kills_a_witness_that_is_always_found(want: Want, monkeypatch: pytest.MonkeyPatch) -> None:
    # The part of three rows can lack only as a, a, a, as below.
    setting = replace(UNSAFE, wants=[want])
    assert invert(setting)[1] == 0
    monkeypatch.setattr(counts, "has_witness", lambda *_: True)
    assert invert(setting)[1] > 0


def test_an_unsafe_cut_is_not_tried() -> None:
    # The part of three rows can lack only as a, a, a: whoever knows that it lacks knows three values.
    tables, bad, wrong = invert(UNSAFE)
    assert tables == 210
    assert (bad, wrong) == (0, 0)


def test_inversion_kills_a_choice_by_what_the_parts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without the test of room, cut after cut is tried until the parts of one hold.
    for module in (room, growth):
        monkeypatch.setattr(module, "room_in_sides", lambda *_: 1_000)
    how = {"rule": "middle", "trials": "retry"}
    _, bad, _ = invert(Setting("line", LINE[:8], singles("ab"), [distinct(2)], options=how))
    assert bad > 0


def _large_settings() -> list[Setting]:
    """Return the settings without weights and without what the rule is told, each but once."""
    found = {}
    for one in settings():
        how = {**one.options, "rule": "gain"}
        if one.weights is None and not one.told:
            found[repr((one.name, one.rows, one.values, how))] = replace(one, options=how)
    return list(found.values())


@pytest.mark.parametrize("most", [0, 5])
@pytest.mark.parametrize("setting", _large_settings(), ids=lambda setting: setting.name)
def test_every_row_keeps_it_where_cuts_are_told_from_counts(
    setting: Setting, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stem, "MOST_AT_ONCE", most)
    tables, bad, wrong = invert(setting)
    assert tables > 0
    assert (bad, wrong) == (0, 0)


def test_inversion_kills_a_cut_that_is_allowed_though_unsafe(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = replace(UNSAFE, options={"trials": "once"})
    monkeypatch.setattr(stem, "MOST_AT_ONCE", 0)
    assert invert(setting)[1:] == (0, 0)

    class Anything:
        @staticmethod
        def for_size(steps: int) -> Any:
            del steps
            return lambda *_: 0

    monkeypatch.setattr(stem, "first_allowed", Anything)
    assert invert(setting)[1] > 0


if __name__ == "__main__":
    total: Counter[str] = Counter()
    for each in settings("--all" in sys.argv):
        tables, bad, wrong = invert(each)
        total.update(settings=1, tables=tables, below=bad, predicted_otherwise=wrong)
        print(each.name, len(each.rows), len(each.values), each.options, tables, bad, wrong, flush=True)
    print(dict(total))
