"""What readers of a release see in each row: released labels, kept and harmless columns, earlier releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.errors import PolicyError, TableError, option, quoted
from hartley.model import Alphabet, Coordinate, JointRange
from hartley.model.arrays import Ints
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import Codebook
from hartley.releases.formats import Format
from hartley.releases.policy import Policy
from hartley.releases.rows.reader import SeenCells
from hartley.releases.rows.source_rows import Rows
from hartley.tables.engine import memory_bytes, with_less_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NUMBERS = count()
BYTES_A_ROW = 185
"""Memory that a search takes for each different row, as measured with a kept column."""
FEW_ROWS = 1_000_000
"""Different rows up to which any memory limit suffices."""
SURELY = 1.25
"""Where so many times the memory would be needed by an estimate, different rows are not counted."""
SHARE_WHILE_COUNTING = 0.6
"""How much of a memory limit the engine gets while it counts different rows: the rest is for this process."""


class Observed:
    """What readers of a release see: all that search, measures and certificate need to know of the rows."""

    def __init__(self, joint: JointRange) -> None:
        """Take rows of which nothing is published but the labels: there is no more to see than this."""
        self._whole: JointRange | None = joint
        pair = joint.observation_of
        self._values: tuple[Ints, Ints, Ints] = joint.public_of[pair], joint.indices, joint.rows
        """The public and the sensitive value of each different row, and how often it occurs."""
        self._alphabets = joint.public, joint.sensitive
        self._known: list[SeenCells] = []
        if joint.observed_side is not None and joint.side is not None:
            self._known = [SeenCells(joint.observed_side[pair], joint.side)]
        self._seen: Mapping[str, list[SeenCells]] = {}

    def before(self) -> JointRange:
        """Return the joint range of the table as it is, with the side information only."""
        if self._whole is None:
            self._whole = self._range(SeenCells(self._values[0], self._alphabets[0]), self._known)
        return self._whole

    def for_search(self) -> JointRange:
        """Return the joint range for the search: what else the reader sees is side information to it."""
        seen = self._shown("kept", "earlier")
        public = SeenCells(self._values[0], self._alphabets[0])
        return self._range(public, [*self._known, *seen]) if seen else self.before()

    def reader(self, book: Codebook, *, harmless: bool = False, earlier: bool = False) -> JointRange:
        """Return the joint range of a reader of the release: every released column is public to him.

        Of the side information he is assumed to have, he learns nothing new. ``harmless`` columns, and what
        ``earlier`` releases showed, are seen where there are any.
        """
        labels = [[cell_text(cell) for cell in label] for label in book.labels]
        columns = tuple(
            _texts(column.name, [label[place] for label in labels])
            for place, column in enumerate(book.columns)
        )
        groups = ["kept", *["harmless"] * harmless, *["earlier"] * earlier]
        groups += ["earlier harmless"] * (harmless and earlier)
        shown = self._shown(*groups)
        if not shown:
            released = self.before().release(book.partition)
            return replace(released, public=Alphabet(columns), known_of_side=None)
        labelled = SeenCells(book.partition.labels[self._values[0]], Alphabet(columns))
        return self._range(SeenCells.together([labelled, *shown]), self._known)

    def _shown(self, *groups: str) -> list[SeenCells]:
        return [one for group in groups for one in self._seen.get(group, ())]

    def _range(self, public: SeenCells, side: Sequence[SeenCells]) -> JointRange:
        known = SeenCells.together(side) if side else None
        return JointRange.from_codes(
            public_codes=public.codes,
            sensitive_codes=self._values[1],
            public=public.alphabet,
            sensitive=self._alphabets[1],
            side_codes=None if known is None else known.codes,
            side=None if known is None else known.alphabet,
            rows=self._values[2],
        )


class ObservedRows(Observed):
    """The rows of a table, counted by everything that any reader can see in them.

    The target must hold for a reader of the recoded and kept columns, and of what
    earlier releases showed; harmless columns are seen as well but only measured.
    """

    def __init__(
        self,
        rows: Rows,
        public: Alphabet,
        sensitive: Alphabet,
        format_: Format,
        *,
        side: Sequence[str] = (),
        keep: Sequence[str] = (),
        harmless: Sequence[str] = (),
        earlier: Sequence[Policy] = (),
    ) -> None:
        joins = [
            rows.keyed("hartley_x", public.columns, _cells(public), x=_places(public)),
            rows.keyed("hartley_s", sensitive.columns, _cells(sensitive), s=_places(sensitive)),
        ]
        seen: dict[str, list[tuple[str, str]]] = {
            "side": [(name, f"q.{rows.columns[name].value}") for name in side],
            "kept": [(name, f"({rows.columns[name].untouched(format_)})::VARCHAR") for name in keep],
            "harmless": [(name, f"({rows.columns[name].untouched(format_)})::VARCHAR") for name in harmless],
            "earlier": [],
            "earlier harmless": [],
        }
        for number, policy in enumerate(earlier, 1):
            left_out = [f"q.{rows.present(name)} IS NULL" for name in policy.never_missing]
            absent = " OR ".join(left_out) or "FALSE"
            joins.append(_earlier_join(rows, policy, f"hartley_e{number}", absent))
            # That a row is not in it is seen as well: some value of that row is missing.
            label = f"(CASE WHEN {absent} THEN -1 ELSE hartley_e{number}.e END)::VARCHAR"
            seen["earlier"].append((f"earlier release {number}", label))
            # What it kept is taken as the source has it: nothing it wrote can tell more rows apart.
            for group, names in (
                ("earlier", policy.shown_beside(sensitive.columns)),
                ("earlier harmless", policy.harmless),
            ):
                own = [(name, f"q.{rows.columns[name].cell}") for name in names]
                seen[group] += [
                    (name, f"(CASE WHEN {absent} THEN NULL ELSE {cell} END)::VARCHAR") for name, cell in own
                ]
        cells = [sql for columns in seen.values() for _, sql in columns]
        table = _counted(
            rows,
            ["hartley_x.x AS x", "hartley_s.s AS s", *(f"{sql} AS c{at}" for at, sql in enumerate(cells))],
            f"FROM {rows.sql} AS q{''.join(joins)}",
            [*side, *keep, *harmless],
        )
        self._whole, self._alphabets = None, (public, sensitive)
        self._values, codes = _fetched(rows.connection, table, len(cells))
        fetched = iter(
            SeenCells(codes[at], Alphabet((_different(rows.connection, table, f"c{at}", name),)))
            for at, name in enumerate(name for columns in seen.values() for name, _ in columns)
        )
        self._seen = {group: [next(fetched) for _ in columns] for group, columns in seen.items()}
        self._known = self._shown("side")


def _counted(rows: Rows, cells: Sequence[str], source: str, beside: Sequence[str]) -> str:
    """Make the table of different rows and how often each occurs; refuse more than there is memory for."""
    connection = rows.connection
    ((limit,),) = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    memory = memory_bytes(limit)
    if rows.most_rows >= FEW_ROWS and rows.most_rows * BYTES_A_ROW > SURELY * memory:
        every = ", ".join(cell.rpartition(" AS ")[2] for cell in cells)
        ((nearly,),) = connection.execute(
            f"SELECT approx_count_distinct(hash({every})) FROM (SELECT {', '.join(cells)} {source})"
        ).fetchall()
        if nearly * BYTES_A_ROW > SURELY * memory:
            raise _too_many(nearly, f"about {round(nearly, 1 - len(str(nearly))):,}", memory, beside)
    # A name of its own: rows may be looked at in several ways at once.
    table = f"hartley_observed_{next(_NUMBERS)}"
    with with_less_memory(connection, SHARE_WHILE_COUNTING):
        connection.execute(
            f"CREATE TEMP TABLE {table} AS SELECT {', '.join(cells)}, count(*) AS n {source} GROUP BY ALL"
        )
    ((found,),) = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    if found >= FEW_ROWS and found * BYTES_A_ROW > memory:
        raise _too_many(found, f"{found:,}", memory, beside)
    return table


def _too_many(rows: int, shown: str, memory: int, beside: Sequence[str]) -> TableError:
    named = f" together with {quoted(beside, last=' and ')}" if beside else ""
    return TableError(
        f"public and sensitive columns{named} make {shown} different rows, and a release "
        f"needs about {rows * BYTES_A_ROW / 1e9:.1f} GB of memory for them where there "
        f"are {memory / 1e9:.1f}; keep fewer columns or coarser ones, or give more "
        f"({option('memory_limit')})"
    )


def _fetched(
    connection: DuckDBPyConnection, table: str, columns: int
) -> tuple[tuple[Ints, Ints, Ints], list[Ints]]:
    """Return public and sensitive codes, numbers of rows, and the number of the cell in each column."""
    codes = [f"d{at}.code AS g{at}" for at in range(columns)]
    joins = [
        f" JOIN ({_numbered(table, f'c{at}')}) AS d{at} ON o.c{at} IS NOT DISTINCT FROM d{at}.c{at}"
        for at in range(columns)
    ]
    found = connection.execute(
        f"SELECT {', '.join(['o.x', 'o.s', 'o.n', *codes])} FROM {table} AS o{''.join(joins)}"
    ).fetchnumpy()
    x, s, n, *numbers = (np.ma.getdata(array) for array in found.values())
    return (x, s, n), numbers


def _different(connection: DuckDBPyConnection, table: str, column: str, name: str) -> Coordinate:
    """Return the different cells of a column as text, in the order of their numbers."""
    query = f"SELECT {column}::VARCHAR FROM ({_numbered(table, column)}) ORDER BY code"
    return _texts(name, [cell for (cell,) in connection.execute(query).fetchall()])


def _numbered(table: str, column: str) -> str:
    """Return the query for the different cells of a column, each with its number in their order."""
    return (
        f"SELECT {column}, (row_number() OVER (ORDER BY {column} NULLS LAST) - 1)::INTEGER AS code "
        f"FROM (SELECT DISTINCT {column} FROM {table})"
    )


def _texts(name: str, cells: list[str | None]) -> Coordinate:
    values = np.empty(len(cells), dtype=object)
    values[:] = ["" if cell is None else cell for cell in cells]
    return Coordinate(name, "text", values, np.array([cell is None for cell in cells], dtype=bool))


def _cells(alphabet: Alphabet) -> list[list[Any]]:
    """Return the cells of the values, column by column."""
    return [coordinate.cells for coordinate in alphabet.coordinates]


def _places(alphabet: Alphabet) -> tuple[str, range]:
    return "INTEGER", range(alphabet.size)


def _earlier_join(rows: Rows, policy: Policy, table: str, absent: str) -> str:
    for column in policy.public:
        typed = rows.columns[column.name].typed
        if typed is None or typed.kind != column.kind:
            raise PolicyError(
                f"the earlier policy has {column.name!r} as a {column.kind}, and this table has not"
            )
    join = rows.keyed(
        table, policy.public_names, policy.member_cells(), e=("INTEGER", policy.member_clusters())
    )
    if lost := rows.unmatched(join, table, "e", unless=absent):
        raise PolicyError(
            f"the earlier policy is of other data: {lost} rows of this table hold values it never saw"
        )
    return join
