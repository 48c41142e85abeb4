"""Cells of the matrix: a small random table, one combination of options, and the call that asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from matrix.oracle import Asked, Cell, Row, Value, Wanted, in_order, is_missing

COSTS = ("size", "midpoint", "member", "centroid", "table", "columns")
SHAPES = ("any", "intervals", "borders", "columns")
READERS = ("plain", "side", "kept", "earlier", "person")
WITHHELD = ("none", "some", "beside missing")
REQUIREMENTS = ("nothing", "l", "k", "separated", "each", "l0", "istar", "l and k", "groups")
AXES = ("l0", "istar", "joint")
CALLS = ("frontier", "release", "capped")
"""A frontier; a release; a release within a cap on the cost."""


@dataclass(frozen=True)
class Combination:
    """One combination of options."""

    cost: str
    shape: str
    reader: str
    withheld: str
    requirement: str
    axis: str
    call: str

    def __str__(self) -> str:
        return " × ".join(
            (self.call, self.cost, self.shape, self.reader, self.withheld, self.requirement, self.axis)
        )

    @property
    def is_sensible(self) -> bool:
        """Whether the call asks for anything at all."""
        if self.call == "release" and self.requirement == "nothing":
            return False
        return not (self.reader == "person" and self.call == "frontier")


def combinations() -> Iterator[Combination]:
    """Yield all combinations."""
    for one in product(COSTS, SHAPES, READERS, WITHHELD, REQUIREMENTS, AXES, CALLS):
        combination = Combination(*one)
        if combination.is_sensible:
            yield combination


@dataclass(frozen=True)
class Table:
    """A small table, for any question with the same cost and reader."""

    rows: tuple[Row, ...]
    cost: str
    reader: str
    distances: tuple[tuple[tuple[Cell, Cell], Fraction], ...] = ()

    @property
    def columns(self) -> dict[str, list[Cell]]:
        """The columns of the table, by name."""
        found: dict[str, list[Cell]] = {
            name: [row.x[place] for row in self.rows] for place, name in enumerate(self.public)
        }
        for place, name in enumerate(self.sensitive):
            found[name] = [row.s[place] for row in self.rows]
        others = {"k": "kept", "a": "side", "p": "person"}
        for name, field in others.items():
            cells: list[Cell] = [getattr(row, field) for row in self.rows]
            if any(cell is not None for cell in cells):
                found[name] = cells
        return found

    @property
    def public(self) -> tuple[str, ...]:
        """The public columns."""
        return ("x", "y")[: len(self.rows[0].x)]

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return ("s", "t")[: len(self.rows[0].s)]

    @property
    def values(self) -> list[Value]:
        """The public values in their order."""
        return sorted({row.x for row in self.rows}, key=in_order)

    def with_earlier(self, labels: list[str]) -> Table:
        """Return the table with the labels of an earlier release."""
        rows = tuple(replace(row, earlier=label) for row, label in zip(self.rows, labels, strict=True))
        return replace(self, rows=rows)


@dataclass(frozen=True)
class Question:
    """A combination with its numbers, for one table."""

    combination: Combination
    budget: int
    wanted: tuple[Wanted, ...]
    step: int
    tolerance: int | None
    groups: tuple[tuple[Cell, str], ...]
    cap: float | None

    def asked(self, table: Table) -> Asked:
        """Return the question as the definitions take it."""
        one = self.combination
        return Asked(
            cost="widths" if one.shape == "columns" else one.cost,
            shape=one.shape,
            step=Fraction(self.step),
            budget=self.budget,
            wanted=self.wanted,
            axis=one.axis,
            tolerance=None if self.tolerance is None else Fraction(self.tolerance),
            groups=dict(self.groups) or None,
            distances=dict(table.distances),
            has_side=one.reader == "side",
        )

    def study_fields(self, table: Table) -> dict[str, Any]:
        """Return the roles of the columns, as keywords of a study."""
        fields: dict[str, Any] = {"sensitive": table.sensitive, "public": table.public}
        named = {"side": "a", "kept": "k", "person": "p"}
        if self.combination.reader in named:
            role = "keep" if self.combination.reader == "kept" else self.combination.reader
            fields[role] = named[self.combination.reader]
        if self.tolerance is not None:
            fields["tolerance"] = {"s": self.tolerance}
        if self.groups:
            fields["groups"] = {"s": dict(self.groups)}
        return fields

    def search_fields(self, table: Table) -> dict[str, Any]:
        """Return what is searched, as keywords; the utility as what a table of dissimilarities is made of."""
        one = self.combination
        fields: dict[str, Any] = {"leakage": one.axis, "shape": one.shape}
        if one.shape == "borders":
            fields |= {"shape": "intervals", "borders": self.step}
        if one.shape == "columns":
            numbers = [
                name
                for place, name in enumerate(table.public)
                if not any(isinstance(row.x[place], str) for row in table.rows)
            ]
            fields["borders"] = dict.fromkeys(numbers, "each")
        elif one.cost == "size":
            fields["utility"] = "resolution"
        if one.cost not in ("size", "columns") and (one.cost != "midpoint" or one.shape != "columns"):
            fields["codeword"] = one.cost
        if self.budget:
            fields["withhold"] = self.budget
        return fields

    @property
    def require(self) -> list[str]:
        """The requirements as they are typed."""
        return [
            f"{one.name}{'' if one.column is None else ':' + 'st'[one.column]}={one.number:g}"
            for one in self.wanted
        ]

    @property
    def demand(self) -> dict[str, float]:
        """What a release must keep, and its cap, by name."""
        named = {
            f"{one.name.replace('-', '_')}{'' if one.column is None else ':' + 'st'[one.column]}": one.number
            for one in self.wanted
        }
        if self.cap is not None:
            named["largest_cluster" if self.combination.cost == "size" else "max_distortion"] = self.cap
        return named


def draw_table(random: Random, cost: str, reader: str, *, missing: bool, columns: int, most: int) -> Table:
    """Draw a table of a few public values, one to three rows each."""
    size = random.randint(2, most)
    if cost == "columns":
        others: tuple[Cell, ...] = random.choice((("u", "v"), (0, 10, 40)))
        every: list[Value] = [(60 * x, y) for x in range(4) for y in others]
        values = random.sample(every, size)
    elif cost == "table" or (cost == "size" and random.random() < 0.3):
        values = [(word,) for word in random.sample("bcdefghi", size)]
    else:
        spread = random.choice((range(8), (-7, -3, 0, 1, 2, 8, 15, 21), (0, 1, 3, 4, 5, 9, 10, 16)))
        values = [(60 * place,) for place in random.sample(list(spread), size)]
        if random.random() < 0.2:
            values = [(one[0] / 100,) for one in values]  # type: ignore[operator]
    if missing:
        values[-1] = (None,) * len(values[0])
    kinds, rows = random.randint(2, 4), []
    for value in values:
        for _ in range(random.choice((1, 1, 2, 3))):
            secret: tuple[Cell, ...] = (random.randint(1, kinds),)
            if columns == 2:
                secret = (*secret, random.choice("mno"))
            rows.append(
                Row(
                    value,
                    secret,
                    kept=random.choice("pq") if reader == "kept" else None,
                    side=random.choice("fg") if reader == "side" else None,
                )
            )
    if reader == "person":
        rows = _with_persons(random, rows)
    random.shuffle(rows)
    words = [value[0] for value in values if not is_missing(value)]
    pairs = [(one, other) for one in words for other in words if one != other] if cost == "table" else []
    far = {frozenset(pair): Fraction(random.randint(1, 6)) for pair in pairs}
    return Table(tuple(rows), cost, reader, tuple((pair, far[frozenset(pair)]) for pair in pairs))


def _with_persons(random: Random, rows: list[Row]) -> list[Row]:
    """Say whose row each is; a person has one sensitive value."""
    secret: dict[str, tuple[Cell, ...]] = {}
    found = []
    for row in rows:
        person = random.choice(("ann", "bob", "dan", "eve", "zoe"))
        found.append(replace(row, person=person, s=secret.setdefault(person, row.s)))
    return found


def draw_question(random: Random, table: Table, one: Combination) -> Question:
    """Draw the numbers of a combination."""
    counts = [sum(row.x == value for row in table.rows) for value in table.values]
    budget = 0 if one.withheld == "none" else random.randint(1, min(4, max(1, sum(counts) - 1)))
    kinds = len({row.s for row in table.rows})
    few = random.randint(2, max(2, min(3, kinds)))
    wanted: list[Wanted] = []
    tolerance, groups = None, ()
    if one.requirement in ("l", "l and k"):
        wanted.append(Wanted("distinct-l", few))
    if one.requirement in ("k", "l and k"):
        wanted.append(Wanted("row-k", random.randint(1, 4)))
    if one.requirement == "separated":
        tolerance = random.choice((0, 1, 1, 2))
        wanted.append(Wanted("separated-l", random.randint(1, 2)))
    if one.requirement == "groups":
        labels: list[Cell] = sorted({row.s[0] for row in table.rows}, key=str)
        groups = tuple((label, random.choice("UVW")) for label in labels)
        wanted.append(Wanted("separated-l", random.randint(1, 2)))
    if one.requirement == "each":
        wanted += [
            Wanted("distinct-l", random.randint(1, 2), column) for column in range(len(table.sensitive))
        ]
    if one.requirement == "l0":
        wanted.append(Wanted("l0", random.choice((0, 0.5, 0.6, 1, 1.2))))
    if one.requirement == "istar":
        wanted.append(Wanted("istar", random.choice((0, 0, 1, 1.6))))
    if one.requirement in ("l0", "istar") and len(table.sensitive) == 1:
        tolerance = random.choice((None, None, 0, 1))
    cap: float | None = None
    if one.call == "capped":
        if one.cost == "size":
            cap = random.randint(1, len(table.values))
        else:
            unit = 1 if one.cost == "table" else 0.5 if one.cost == "columns" else 30
            cap = random.randint(0, 8) * unit if one.cost != "columns" else random.choice((0, 0.25, 0.5, 1))
    step = random.choice((60, 120, 180, 240))
    return Question(one, budget, tuple(wanted), step, tolerance, groups, cap)
