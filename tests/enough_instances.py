"""Random tables with numbers to be kept apart, and slow twins of what is enough, from the definitions."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from hartley.model import Alphabet, JointRange
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.enough import Enough

Rows = list[tuple[float, int | None]]
"""Rows of (public, sensitive)."""


def random_rows(rng: random.Random, size: int, sensitive: int, *, missing: bool = False) -> Rows:
    """Public numbers in order, each with one or more sensitive numbers, some of them in several rows."""
    spread = rng.choice((2, 4, 10))
    publics = sorted(rng.sample(range(spread * size), size))
    values = rng.sample(range(sensitive * rng.choice((1, 2, 3))), sensitive)
    more = rng.choice((0.0, 0.35, 0.6))
    rows: Rows = []
    for x in publics:
        rows.append((float(x), rng.choice(values)))
        while rng.random() < more:
            rows.append((float(x), rng.choice(values)))
    if missing and rng.random() < 0.3:
        rows.append((rows[0][0], None))
    return rows


def joint_of(rows: Iterable[tuple[float, int | None]]) -> JointRange:
    """The joint range with public values in ascending order."""
    return JointRange.from_pairs(sorted(rows, key=lambda row: row[0]))


def joint_of_two(rng: random.Random, size: int) -> JointRange:
    """A joint range with two sensitive columns, a number x and a kind."""
    rows = []
    for x in sorted(rng.sample(range(4 * size), size)):
        rows += [(x, (rng.randrange(6), rng.choice("abc"))) for _ in range(rng.choice((1, 1, 2, 3)))]
    publics = sorted({row[0] for row in rows})
    sensitives = sorted({row[1] for row in rows})
    return JointRange.from_codes(
        public_codes=[publics.index(row[0]) for row in rows],
        sensitive_codes=[sensitives.index(row[1]) for row in rows],
        public=Alphabet.of_values(publics, ("public",)),
        sensitive=Alphabet.of_values(sensitives, ("x", "kind")),
    )


def distinct_codes(value_ptr, value_code, wanted, rows=None, row_k=1, next_code=None) -> Enough:
    """The demand for so many codes, apart by ``next_code`` if it is given, and so many rows."""
    width = int(np.max(value_code, initial=-1)) + 1
    return Enough(
        value_ptr=np.asarray(value_ptr, dtype=np.int64),
        value_code=np.asarray(value_code, dtype=np.int32),
        next_code=np.arange(1, width + 1) if next_code is None else next_code,
        offsets=np.array([0, width]),
        wanted=np.array([wanted]),
        rows=np.ones(len(value_ptr) - 1, dtype=np.int64) if rows is None else rows,
        row_k=row_k,
    )


def most_apart(values: Iterable[int | None], tolerance: float) -> int:
    """The most values that are pairwise more than the tolerance apart, by trying all subsets."""
    different = list(set(values))

    def apart(one: int | None, other: int | None) -> bool:
        return one is None or other is None or abs(one - other) > tolerance

    for count in range(len(different), 0, -1):
        for chosen in combinations(different, count):
            if all(apart(*pair) for pair in combinations(chosen, 2)):
                return count
    return 0


def spaced(values: Iterable[int | None], tolerance: float) -> int:
    """The same by the rule from the left, for one column."""
    different = set(values)
    count = int(None in different)
    last = None
    for value in sorted(different - {None}):
        if last is None or value - last > tolerance:
            count, last = count + 1, value
    return count


def random_requirements(rng: random.Random, joint: JointRange) -> tuple[list[Requirement], Closeness, int]:
    """One to three requirements on one sensitive column, a tolerance, and that tolerance as a number."""
    tolerance = rng.choice((0, 1, 1, 2, 3, 4))
    most = max(1, joint.sensitive.size)
    drawn = [
        Requirement("separated-l", rng.randint(1, max(1, min(4, most)))),
        Requirement("distinct-l", rng.randint(1, max(1, min(5, most)))),
        Requirement("row-k", rng.randint(1, 5)),
    ]
    return rng.sample(drawn, rng.randint(1, 3)), Closeness.of({"sensitive": tolerance}), tolerance


def holds(requirements: Sequence[Requirement], values: Sequence[int | None], tolerance: float) -> bool:
    """Tell from the rows of a cluster, one sensitive value for each, whether it meets the requirements."""
    found = {
        "separated-l": lambda: spaced(values, tolerance),
        "distinct-l": lambda: len(set(values)),
        "row-k": lambda: len(values),
    }
    return all(found[item.name]() >= item.wanted for item in requirements)
