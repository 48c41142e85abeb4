"""Small tables for trees: from rows to the problem that the search is given, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from hartley.errors import UnreachableError
from hartley.model.alphabet import Alphabet
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import Requirement
from hartley.search.trees import CutTree, TreeColumn, TreeDemand, TreeProblem, grow_tree
from reference_trees import SHARES, Value, Want

Row = tuple[float, ...]


def column_names(count: int) -> tuple[str, ...]:
    """Return names for sensitive columns."""
    return tuple(f"s{at}" for at in range(count))


class SmallTable:
    """Public tuples of some rows; sensitive values are given anew for each tree."""

    def __init__(
        self,
        rows: Sequence[Row],
        kinds: Sequence[str] | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        self.rows = [tuple(row) for row in rows]
        self.tuples = sorted(set(self.rows))
        place = {row: at for at, row in enumerate(self.tuples)}
        self.tuple_of = [place[row] for row in self.rows]
        self.weights = None if weights is None else np.bincount(self.tuple_of, weights=weights)
        cells = np.array(self.tuples, dtype=np.float64)
        self.columns = tuple(
            TreeColumn.ordered(cells[:, j])
            if kinds is None or kinds[j] == "ordered"
            else TreeColumn.plain(cells[:, j].astype(np.int64))
            for j in range(cells.shape[1])
        )

    def problem(self, values: Sequence[Value], alphabet: Sequence[Value]) -> TreeProblem:
        """Return the problem for the sensitive values of the rows."""
        code_of = {value: code for code, value in enumerate(alphabet)}
        counts: list[Counter[int]] = [Counter() for _ in self.tuples]
        for at, value in zip(self.tuple_of, values, strict=True):
            counts[at][code_of[value]] += 1
        sizes = [len(count) for count in counts]
        return TreeProblem(
            self.columns,
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.array([code for count in counts for code in sorted(count)], dtype=np.int64),
            np.array([count[code] for count in counts for code in sorted(count)], dtype=np.int64),
            len(alphabet),
            self.weights,
        )

    def rows_of_classes(self, tree: CutTree) -> list[tuple[int, ...]]:
        """Return the rows of each class."""
        found: list[list[int]] = [[] for _ in range(tree.size)]
        for row, at in enumerate(self.tuple_of):
            found[int(tree.labels[at])].append(row)
        return [tuple(rows) for rows in found]

    def parts_of_failure(self, tree: CutTree, at: int, rows: Sequence[int]) -> list[list[int]]:
        """Return the parts of rows under a failed cut."""
        column, rank = int(tree.failures.column[at]), int(tree.failures.rank[at])
        ranks = self.columns[column].ranks
        form = int(tree.failures.form[at])
        parts: dict[int, list[int]] = {}
        for row in rows:
            here = int(ranks[self.tuple_of[row]])
            key = self.tuple_of[row] if form == 2 else int(here > rank) if form == 0 else int(here != rank)
            parts.setdefault(key, []).append(row)
        return [parts[key] for key in sorted(parts)]


def demand_of(
    wants: Sequence[Want], alphabet: Sequence[Value], views: Any = None, **options: Any
) -> TreeDemand:
    """Return requirements for the search; ``views`` names the column of each, or groups."""
    width = len(alphabet[0])
    names = column_names(width)
    labels = Alphabet.of_values([value if width > 1 else value[0] for value in alphabet], columns=names)
    given: list[Requirement] = []
    closeness: Closeness = NO_CLOSENESS
    for at, want in enumerate(wants):
        column = None if views is None else views[at]
        if want.name == "rows":
            given.append(Requirement("row-k", want.wanted))
        elif want.name == "separated":
            closeness = Closeness.of({names[0]: want.tolerance})
            given.append(Requirement("separated-l", want.wanted))
        elif want.name in SHARES:
            name = want.name.removeprefix("ordered ")
            second = int(want.tolerance) if name == "recursive-cl" else None
            given.append(Requirement(name, want.wanted, second=second))
        elif isinstance(column, dict):
            closeness = Closeness.of(groups={names[0]: column})
            given.append(Requirement("separated-l", want.wanted))
        else:
            given.append(Requirement("distinct-l", want.wanted, None if column is None else names[column]))
    return TreeDemand.of(given, labels, closeness, **options)


def grown(
    table: SmallTable, values: Sequence[Value], alphabet: Sequence[Value], demand: TreeDemand, **told: Any
) -> CutTree | None:
    """Grow the tree of a table; ``None`` where the table lacks what is required."""
    try:
        return grow_tree(table.problem(values, alphabet), demand, **told)
    except UnreachableError:
        return None
