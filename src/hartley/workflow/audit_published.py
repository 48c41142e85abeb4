"""The audit of published tables of counts: what every count can be, and who is disclosed.

All tables count the same people. A cell is a combination of categories of all columns that the tables have;
every published number is a sum of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf, prod
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from hartley.errors import OptionError, TableError, option
from hartley.measures.against.count_ranges import CountSystem
from hartley.model.demand import Demand, Wanted
from hartley.model.requirement import Verdict
from hartley.tables.published_counts import PublishedTable, Rounding, read_counts

MOST_CELLS = 200_000
SMALL = 5
"""Groups of up to so many people less one are small, where nobody says."""


@dataclass(frozen=True, kw_only=True)
class CountRange:
    """A count that was not published as it is, and what it can be."""

    where: dict[str, str]
    least: int
    greatest: int | None
    """``None`` where nothing bounds it."""
    is_suppressed: bool
    """Whether a cell of a table was suppressed; otherwise it is rounded, or a cell that no table has."""
    is_bound: bool = False
    """Whether time ran out: the range holds, and may be wider than what the count can be."""

    @property
    def is_exact(self) -> bool:
        """Whether it can be one number only."""
        return self.least == self.greatest

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "where": self.where,
            "least": self.least,
            "greatest": self.greatest,
            "suppressed": self.is_suppressed,
            **({"bound": True} if self.is_bound else {}),
        }


@dataclass(frozen=True, kw_only=True)
class DisclosedGroup:
    """People all of whom are known to have one category."""

    group: dict[str, str]
    column: str
    category: str
    people: int
    """How many of them there are at least; 0 where only several groups together are known to have some."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"group": self.group, "column": self.column, "category": self.category, "people": self.people}


@dataclass(frozen=True, kw_only=True)
class CountsAudit:
    """What published tables of counts give away."""

    tables: tuple[str, ...]
    cells: int
    suppressed: int
    """Suppressed cells and margins of the tables."""
    ranges: tuple[CountRange, ...]
    """Every suppressed count, and every cell that lies between two numbers."""
    small: tuple[CountRange, ...]
    """Cells with at least one person for certain, and fewer than the threshold for certain."""
    disclosed: tuple[DisclosedGroup, ...]
    disclosed_people: int
    """The most people of one column whose category is known for certain, at least."""
    threshold: int
    requirements: tuple[Verdict, ...] = ()

    @property
    def undone(self) -> tuple[CountRange, ...]:
        """Suppressed counts that can be one number only."""
        return tuple(one for one in self.ranges if one.is_suppressed and one.is_exact)

    @property
    def bounds(self) -> int:
        """How many ranges may be wider than what the count can be, for time ran out."""
        return sum(one.is_bound for one in self.ranges)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "tables": list(self.tables),
            "cells": self.cells,
            "suppressed": self.suppressed,
            "undone": len(self.undone),
            "disclosed_people": self.disclosed_people,
            "threshold": self.threshold,
            "requirements": [one.to_dict() for one in self.requirements],
            "ranges": [one.to_dict() for one in self.ranges],
            "small": [one.to_dict() for one in self.small],
            "disclosed": [one.to_dict() for one in self.disclosed],
        }


def audit_published(
    paths: Sequence[str | Path],
    *,
    rounded: str | int | None = None,
    threshold: int = SMALL,
    require: Wanted = None,
) -> CountsAudit:
    """Find what every count of published tables can be, and whose categories they disclose.

    Counts may be ``rounded`` to a base (``5``, or ``"random:3"``); groups of fewer people than the
    ``threshold`` are small. What can be required is ``disclosed-at-most``.
    """
    if not paths:
        raise OptionError(f"name at least one table of counts ({option('published')})")
    if threshold < 1:
        raise OptionError(f"{option('threshold')} needs a whole number from 1 on, not {threshold}")
    rounding = Rounding.parse(rounded)
    wanted = Demand.of(require).requirements
    for one in wanted:
        if one.name != "disclosed-at-most" or one.column is not None:
            raise OptionError(f"of published counts only disclosed-at-most can be required, not {one.label}")
    tables = [read_counts(path, rounding) for path in paths]
    found = _CountedCells(tables).audit(threshold)
    return replace(found, requirements=tuple(one.verdict(found.disclosed_people) for one in wanted))


class _CountedCells:
    """The cells of all tables together, and the sums that were published."""

    def __init__(self, tables: Sequence[PublishedTable]) -> None:
        self.tables = tables
        self.columns = tuple(dict.fromkeys(name for table in tables for name in table.columns))
        self.categories: dict[str, dict[str, int]] = {name: {} for name in self.columns}
        for table in tables:
            for count in table.counts:
                for name, cell in count.where:
                    self.categories[name].setdefault(cell, len(self.categories[name]))
        for name, found in self.categories.items():
            if not found:
                raise TableError(f"column {name!r} has no category but totals; leave it out")
        self.shape = tuple(len(self.categories[name]) for name in self.columns)
        if prod(self.shape) > MOST_CELLS:
            raise TableError(
                f"the tables have {prod(self.shape):,} cells together; up to {MOST_CELLS:,} can be looked "
                "at: audit fewer tables or columns at a time"
            )
        self.size = prod(self.shape)
        numbers = np.arange(self.size).reshape(self.shape)
        rows, columns = [], []
        self.counts = [count for table in tables for count in table.counts]
        for row, count in enumerate(self.counts):
            held = self._cells_of(dict(count.where), numbers)
            rows.append(np.full(len(held), row))
            columns.append(held)
        entries = np.concatenate(rows), np.concatenate(columns)
        ones = np.ones(len(entries[0]))
        self.sums = csr_matrix((ones, entries), shape=(len(self.counts), self.size))

    def _cells_of(self, where: dict[str, str], numbers: Any) -> Any:
        chosen = tuple(
            self.categories[name][where[name]] if name in where else slice(None) for name in self.columns
        )
        return np.ravel(numbers[chosen])

    def audit(self, threshold: int) -> CountsAudit:
        low = np.array([count.low for count in self.counts], dtype=float)
        high = np.array([count.high for count in self.counts], dtype=float)
        margins = [
            row
            for row, count in enumerate(self.counts)
            if count.is_suppressed and self.sums.indptr[row + 1] - self.sums.indptr[row] > 1
        ]
        system = CountSystem(self.sums, low, high)
        least, greatest, exact = system.ranges()
        ranges, small = [], []
        suppressed_cells = {
            int(self.sums.indices[self.sums.indptr[row]])
            for row, count in enumerate(self.counts)
            if count.is_suppressed and self.sums.indptr[row + 1] - self.sums.indptr[row] == 1
        }
        names = [list(self.categories[name]) for name in self.columns]
        for cell, categories in enumerate(product(*names)):
            found = CountRange(
                where=dict(zip(self.columns, categories, strict=True)),
                least=int(least[cell]),
                greatest=None if greatest[cell] == inf else int(greatest[cell]),
                is_suppressed=cell in suppressed_cells,
                is_bound=not exact[cell],
            )
            if found.is_suppressed or not found.is_exact:
                ranges.append(found)
            if found.greatest is not None and found.least >= 1 and found.greatest < threshold:
                small.append(found)
        for row in margins:
            members = self.sums.indices[self.sums.indptr[row] : self.sums.indptr[row + 1]]
            fewest, most, is_exact = system.sum_range(members, least.astype(float), greatest)
            ranges.append(
                CountRange(
                    where=dict(self.counts[row].where),
                    least=fewest,
                    greatest=None if most == inf else round(most),
                    is_suppressed=True,
                    is_bound=not is_exact,
                )
            )
        disclosed, people = self._disclosed(system, least, greatest)
        return CountsAudit(
            tables=tuple(table.name for table in self.tables),
            cells=self.size,
            suppressed=sum(count.is_suppressed for count in self.counts),
            ranges=tuple(ranges),
            small=tuple(small),
            disclosed=tuple(disclosed),
            disclosed_people=max(people.values(), default=0),
            threshold=threshold,
        )

    def _disclosed(
        self, system: CountSystem, least: Any, greatest: Any
    ) -> tuple[list[DisclosedGroup], dict[str, int]]:
        """Find groups, by all columns but one, of which every member has one category of that one.

        Return with them how many people of each column are in such groups at least. That may be more than
        those of the groups one by one, where margins say only how many all of them have together.
        """
        found: list[DisclosedGroup] = []
        people: dict[str, int] = {}
        cells: Any = np.arange(self.size).reshape(self.shape)
        low, high = least.reshape(self.shape), greatest.reshape(self.shape)
        for axis, column in enumerate(self.columns):
            if self.shape[axis] < 2:
                continue
            others = [name for name in self.columns if name != column]
            alone = np.argwhere((high >= 1).sum(axis=axis) == 1)
            lines = [(*at[:axis], slice(None), *at[axis:]) for at in map(tuple, alone.tolist())]
            category = [int(np.argmax(high[line] >= 1)) for line in lines]
            fewest = [int(low[line][code]) for line, code in zip(lines, category, strict=True)]
            sure = np.array(
                [cells[line][code] for line, code in zip(lines, category, strict=True)], dtype=np.int64
            )
            people[column] = system.sum_range(sure, least.astype(float), greatest)[0] if len(sure) else 0
            there = 0 if people[column] > sum(fewest) else 1
            for at, code, number in zip(alone.tolist(), category, fewest, strict=True):
                if number >= there:
                    found.append(
                        DisclosedGroup(
                            group={
                                name: list(self.categories[name])[place]
                                for name, place in zip(others, at, strict=True)
                            },
                            column=column,
                            category=list(self.categories[column])[code],
                            people=number,
                        )
                    )
        return found, people
