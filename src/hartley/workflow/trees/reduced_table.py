"""A table too large to be held: cut where it is, and reduced to a few rows of each of its classes.

The tree of a very large table is told from counts and from the different rows of one box at a time, so the
rows stay in their engine. What is left of each class is what its label and the measures of a reader need: its
multiset of sensitive values, and tuples of public cells that have its least and greatest cell of
each column on a line, and all cells of other columns. All rows of a class stand with these tuples. Such a
table has as many rows as the original, is released as any other, and its release is that of the original.
"""

# ruff: noqa: S608 (names are quoted)

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hartley.errors import TableError, option
from hartley.measures.audit import Audit, audit_of_summary
from hartley.model.arrays import Flags, Int64s, Ints
from hartley.model.demand import Demand
from hartley.releases.rows.reader_view import BYTES_A_ROW
from hartley.scratch import scratch_folder
from hartley.search.codebooks import PublicColumn
from hartley.search.trees import CutTree, GrownElsewhere, TreeColumn, TreeDemand, TreeProblem
from hartley.search.trees.loops.layout import EVERY_TUPLE, ONE_VALUE, ORDERED
from hartley.search.trees.stem import BoxCounts, RankBox, StemClasses, grow_counted
from hartley.tables import ReadOptions, Roles, Table, open_table
from hartley.tables.counting.different_rows import (
    OF_SECRETS,
    OF_TUPLES,
    DifferentRows,
    require_placed,
)
from hartley.tables.engine import connect, literal, memory_of
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable
from hartley.workflow.trees.search_tree import tree_column


class CountedThere:
    """A table that is counted where its rows are, as the search of a tree sees it."""

    def __init__(self, rows: DifferentRows, columns: Sequence[TreeColumn]) -> None:
        self._rows, self.columns, self.values = rows, tuple(columns), rows.sensitive.size

    def look(self, boxes: Sequence[RankBox]) -> list[BoxCounts]:
        """Count the rows of some boxes, by one statement."""
        found = self._rows.look([(box.low, box.high) for box in boxes])
        what, cell, rows = (found[name].astype(np.int64) for name in ("what", "cell", "n"))
        order = np.lexsort((cell, what, found["box"]))
        places = found["box"][order].astype(np.int64) * (len(self.columns) + 2) + what[order] - OF_TUPLES
        starts = np.searchsorted(places, np.arange(len(boxes) * (len(self.columns) + 2) + 1))

        def counted(at: int, which: int) -> tuple[Int64s, Int64s]:
            place = at * (len(self.columns) + 2) + which - OF_TUPLES
            here = order[starts[place] : starts[place + 1]]
            return cell[here], rows[here]

        return [
            BoxCounts(
                int(counted(at, OF_TUPLES)[1].sum()),
                *counted(at, OF_SECRETS),
                tuple(counted(at, j) for j in range(len(self.columns))),
            )
            for at in range(len(boxes))
        ]

    def fetch(self, box: RankBox) -> TreeProblem:
        """Fetch the different rows of a box."""
        found = self._rows.fetch((box.low, box.high))
        ranks = [found[f"x{j}"].astype(np.int64) for j in range(len(self.columns))]
        order = np.lexsort((found["s"], *reversed(ranks)))
        ranks = [one[order] for one in ranks]
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = np.logical_or.reduce([one[1:] != one[:-1] for one in ranks])
        return TreeProblem(
            tuple(
                replace(column, ranks=one[is_new]) for column, one in zip(self.columns, ranks, strict=True)
            ),
            np.append(np.flatnonzero(is_new), len(order)),
            found["s"].astype(np.int64)[order],
            found["n"].astype(np.int64)[order],
            self.values,
        )


@dataclass
class _Few:
    """The tuples that stand for classes, and the rows that stand with them."""

    columns: Sequence[TreeColumn]
    places: Sequence[Int64s]
    """For each column the place of each rank among its values."""
    ranks: list[Int64s] = field(default_factory=list)
    of_class: list[Int64s] = field(default_factory=list)
    row_tuple: list[Int64s] = field(default_factory=list)
    row_secret: list[Int64s] = field(default_factory=list)
    row_count: list[Int64s] = field(default_factory=list)
    size: int = 0

    def take(self, one: StemClasses) -> None:
        """Take the classes of a box."""
        if one.problem is not None and one.tree is not None:
            self._take_held(one.problem, one.tree, one.first_class)
            return
        for part in one.parts:
            self._take_counted(part, one.first_class)

    def require_held(self, most: int) -> None:
        """Refuse classes that have too many different rows themselves."""
        found = sum(map(len, self.row_count))
        if found > most:
            raise TableError(
                f"the classes of the tree hold {found:,} different rows themselves, and {most:,} can be held "
                f"here: ask for larger classes, such as {option('row_k', '1000')}, or for more memory"
            )

    def _take_held(self, problem: TreeProblem, tree: CutTree, first_class: int) -> None:
        ranks = np.column_stack([column.ranks for column in problem.columns])
        places = [own[column.ranks] for own, column in zip(self.places, problem.columns, strict=True)]
        atom = _atoms(problem, tree)
        order = np.lexsort((*reversed(places), atom))
        first = order[np.append(True, np.diff(atom[order]) > 0)]
        chosen = np.zeros(problem.tuples, dtype=np.bool_)
        chosen[first] = True
        for column, of_rank in zip(problem.columns, self.places, strict=True):
            _choose(chosen, atom, column, of_rank)
        stands = np.where(chosen, np.arange(problem.tuples), first[atom])
        number = np.cumsum(chosen) - 1
        of_entry = np.repeat(number[stands], np.diff(problem.ptr))
        keys, back = np.unique(of_entry * problem.values + problem.code, return_inverse=True)
        counts = np.bincount(back, weights=problem.count).astype(np.int64)
        self._add(
            ranks[chosen],
            first_class + tree.labels[chosen],
            keys // problem.values,
            keys % problem.values,
            counts,
        )

    def _take_counted(self, part: BoxCounts, number: int) -> None:
        """Take a class of which no row was held: its cells stand side by side."""
        size = max(len(cells) for cells, _ in part.cells)
        ranks = np.column_stack([cells[np.arange(size) % len(cells)] for cells, _ in part.cells])
        # Each of the others has one row, the first has what is left.
        secrets = np.repeat(part.values, np.minimum(part.amounts, size))[: size - 1]
        left = part.amounts - np.bincount(np.searchsorted(part.values, secrets), minlength=len(part.values))
        here = left > 0
        self._add(
            ranks,
            np.full(size, number),
            np.concatenate([np.zeros(int(here.sum()), dtype=np.int64), np.arange(1, size)]),
            np.concatenate([part.values[here], secrets]),
            np.concatenate([left[here], np.ones(size - 1, dtype=np.int64)]),
        )

    def _add(
        self, ranks: Int64s, classes: Int64s, row_tuple: Ints, row_secret: Ints, row_count: Int64s
    ) -> None:
        self.ranks.append(ranks)
        self.of_class.append(classes)
        self.row_tuple.append(self.size + row_tuple.astype(np.int64))
        self.row_secret.append(row_secret.astype(np.int64))
        self.row_count.append(row_count)
        self.size += len(ranks)


def _choose(chosen: Flags, atom: Int64s, column: TreeColumn, place_of_rank: Int64s) -> None:
    """Choose a tuple for each cell of a column that an atom has; on a line for its ends and a missing one."""
    ranks = column.ranks
    if column.kind == ORDERED:
        # A missing cell has the lowest rank and the last place.
        last = len(place_of_rank) - 1
        is_missing = (ranks == 0) & (last > 0) & (place_of_rank[0] == last)
        order = np.lexsort((ranks, is_missing, atom))
        group = 2 * atom[order] + is_missing[order]
        is_new = np.append(True, np.diff(group) > 0)
        chosen[order[is_new]] = True
        chosen[order[np.append(is_new[1:], True)]] = True
        return
    keys = atom * column.cells + ranks
    chosen[np.unique(keys, return_index=True)[1]] = True


def _atoms(problem: TreeProblem, tree: CutTree) -> Int64s:
    """Return the atom of each tuple: its class, and the side of each cut that failed above it."""
    position, spans = _spans(tree, {int(node) for node in tree.failures.node})
    order = np.argsort(position[tree.labels], kind="stable")
    starts = np.searchsorted(position[tree.labels][order], np.arange(tree.size + 1))
    key = np.zeros(problem.tuples, dtype=np.int64)
    for at, node in enumerate(tree.failures.node.tolist()):
        low, high = spans[node]
        here = order[starts[low] : starts[high]]
        form = int(tree.failures.form[at])
        if form == EVERY_TUPLE:
            side = np.arange(len(here))
        else:
            ranks, rank = (
                problem.columns[int(tree.failures.column[at])].ranks[here],
                int(tree.failures.rank[at]),
            )
            side = (ranks == rank if form == ONE_VALUE else ranks <= rank).astype(np.int64)
        key[here] = np.unique(key[here] * (int(side.max()) + 1) + side, return_inverse=True)[1]
    atoms = np.unique(tree.labels * (int(key.max()) + 1) + key, return_inverse=True)[1]
    return np.asarray(atoms, dtype=np.int64)


def _spans(tree: CutTree, asked: set[int]) -> tuple[Int64s, dict[int, tuple[int, int]]]:
    """Return the place of each class from the left to the right, and the first and last below some nodes."""
    class_of = {int(node): at for at, node in enumerate(tree.node_of_class)}
    firsts = np.unique(tree.child[tree.child >= 0]).tolist()
    end_of = dict(zip(firsts, [*firsts, len(tree.child)][1:], strict=True))
    position = np.zeros(tree.size, dtype=np.int64)
    spans: dict[int, tuple[int, int]] = {}
    done = 0
    todo = [(node, False) for node in reversed(range(tree.roots))]
    begun: dict[int, int] = {}
    while todo:
        node, is_left = todo.pop()
        if is_left:
            spans[node] = begun.pop(node), done
            continue
        if node in asked:
            begun[node] = done
            todo.append((node, True))
        first = int(tree.child[node])
        if first < 0:
            position[class_of[node]] = done
            done += 1
        else:
            todo += [(child, False) for child in range(first, end_of[first])]
    return position, spans


@dataclass(frozen=True, eq=False)
class ReducedTable:
    """A few rows of each class in place of a table that is too large to be held."""

    table: Table
    path: Path
    """The same as a file."""
    grown: GrownElsewhere
    before: Audit
    public_values: int
    values_of: dict[str, int]
    """How many different values each public column has."""
    dropped_rows: int
    most_fetched: int
    """The most rows that any statement brought here."""


@contextmanager
def reduced_table(
    study: StudyTable,
    table: Table,
    demand: Demand,
    objective: Objective,
    rows: DifferentRows,
    progress: Callable[[int, int, str], None],
) -> Iterator[ReducedTable]:
    """Cut a table where it is, and reduce it; what is kept in the engine and on disk is gone afterwards."""
    roles = _roles(study)
    with TemporaryDirectory(dir=scratch_folder(), prefix="hartley-reduced-") as folder:
        rows.number()
        columns = [
            PublicColumn.of_coordinate(
                one.coordinate, objective.columns.settings(one.coordinate, keep=False, has_ranges=True)
            )
            for one in rows.columns
        ]
        trees = [tree_column(column) for column in columns]
        for column, made in zip(columns, trees, strict=True):
            require_placed(column.name, made.ranks)
        ranks = [made.ranks for made in trees]
        rows.rank(ranks)
        wanted = TreeDemand.of(
            [one for one in demand.requirements if not one.is_limit],
            rows.sensitive,
            study.closeness(rows.sensitive),
            trials=objective.transparent or "retry",
            known=objective.transparent_knows,
        )
        few = _Few(trees, [np.argsort(own) for own in ranks])
        there = CountedThere(rows, trees)
        tree = grow_counted(there, wanted, few.take, progress)
        few.require_held(table.most_held or memory_of(table.connection) // BYTES_A_ROW)
        grown = GrownElsewhere(tree, np.concatenate(few.ranks), np.concatenate(few.of_class))
        path = Path(folder) / "reduced.parquet"
        _write(path, table.column_names, roles, rows, few)
        summary = rows.summary()
        reduced = open_table(path, _options(study))
        try:
            yield ReducedTable(
                table=reduced,
                path=path,
                grown=grown,
                before=audit_of_summary(summary),
                public_values=summary.public_values,
                values_of={one.coordinate.name: len(one.places) for one in rows.columns},
                dropped_rows=rows.dropped_rows,
                most_fetched=rows.most_fetched,
            )
        finally:
            reduced.close()


def _roles(study: StudyTable) -> Roles:
    return Roles(sensitive=study.roles.sensitive, public=study.roles.public)


def _options(study: StudyTable) -> ReadOptions:
    """Return how the reduced table is read: its columns are declared as those of the original are."""
    given = study.reading
    return ReadOptions(text=given.text, number=given.number, memory_limit=given.memory_limit)


def _write(path: Path, names: Sequence[str], roles: Roles, rows: DifferentRows, few: _Few) -> None:
    """Write all rows of the reduced table; columns that are not measured are empty."""
    import pyarrow as pa

    ranks, of_tuple = np.concatenate(few.ranks), np.concatenate(few.row_tuple)
    arrays: dict[str, Any] = {}
    for j, (name, column) in enumerate(zip(roles.public, rows.columns, strict=True)):
        arrays[name] = column.native.take(pa.array(few.places[j][ranks[of_tuple, j]]))
    secrets = np.concatenate(few.row_secret)
    for name, native in zip(roles.sensitive, rows.natives, strict=True):
        arrays.setdefault(name, native.take(pa.array(secrets)))
    held = {f"v{place}": array for place, array in enumerate(arrays.values())}
    held["n"] = pa.array(np.concatenate(few.row_count))
    shown = {name: f"v{place}" for place, name in enumerate(arrays)}
    cells = ", ".join(f"{shown.get(name, 'NULL::INTEGER')} AS {_quoted(name)}" for name in names)
    connection = connect()
    try:
        connection.register("hartley_reduced", pa.table(held))
        connection.execute(
            f"COPY (SELECT {cells} FROM hartley_reduced, range(hartley_reduced.n)) "
            f"TO {literal(str(path))} (FORMAT parquet)"
        )
    finally:
        connection.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def rows_too_many(
    study: StudyTable, table: Table, destination: Destination, objective: Objective, demand: Demand
) -> DifferentRows | None:
    """Return the different rows of a table, kept where they are, if they are too many to be held here.

    Nothing where they are few enough, and where more is asked than a tree of them can be.
    """
    most = table.most_held or memory_of(table.connection) // BYTES_A_ROW
    if table.row_count <= most:
        return None
    if _others(study, destination, objective, demand):
        return None
    rows = table.different_rows(_roles(study))
    if rows is not None and rows.different <= most:
        rows.close()
        return None
    return rows


def _others(study: StudyTable, destination: Destination, objective: Objective, demand: Demand) -> bool:
    """Tell whether something is asked that is told from all rows at once."""
    is_told = objective.reference is not None or objective.facts
    is_arranged = study.missing == "drop" or study.missing_at is not None or destination.keep_order
    is_beside = study.keep or study.harmless or study.earlier or study.person
    is_limited = demand.cap or demand.max_leakage is not None or objective.budget.number
    required = [one.name for one in demand.requirements if not one.is_limit]
    given = (
        is_told,
        is_arranged,
        is_beside,
        is_limited,
        "weight-k" in required or not required,
        set(study.roles.public) & set(study.roles.sensitive),
        study.roles.side and not objective.transparent,
        not study.named_closeness.is_empty,
        objective.search == "greedy",
        destination.labels not in (None, "range", "interval"),
        len(study.roles.public) < 2,
    )
    return any(given)
