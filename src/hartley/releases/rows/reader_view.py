"""What readers of a release see in each row: released labels, kept and harmless columns, earlier releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Protocol

import numpy as np

from hartley.errors import PolicyError, TableError, option, quoted
from hartley.model import Alphabet, JointRange
from hartley.releases.codebook import Codebook
from hartley.releases.formats import Format
from hartley.releases.policy import Policy
from hartley.releases.rows.counted_rows import CountedRows, SeenColumn, released_values
from hartley.releases.rows.source_rows import Rows
from hartley.tables.engine import memory_bytes, with_less_memory

_NUMBERS = count()
BYTES_A_ROW = 185
"""Memory that a search takes for each different row, as measured with a kept column."""
FEW_ROWS = 1_000_000
"""Different rows up to which any memory limit suffices."""
SURELY = 1.25
"""Where so many times the memory would be needed by an estimate, different rows are not counted."""
SHARE_WHILE_COUNTING = 0.6
"""How much of a memory limit the engine gets while it counts different rows: the rest is for this process."""


@dataclass(frozen=True)
class SeenColumns:
    """All that readers see or know beside the released labels."""

    side: list[SeenColumn]
    kept: list[SeenColumn]
    harmless: list[SeenColumn]
    earlier_kept: list[SeenColumn]
    earlier_harmless: list[SeenColumn]

    @property
    def searched(self) -> list[SeenColumn]:
        """What is side information to a search."""
        return [*self.side, *self.kept, *self.earlier_kept]

    def read(self, *, harmless: bool, earlier: bool) -> list[SeenColumn]:
        """Return what a reader of the release sees beside the labels."""
        seen = list(self.kept)
        if harmless:
            seen += self.harmless
        if earlier:
            seen += self.earlier_kept
        if earlier and harmless:
            seen += self.earlier_harmless
        return seen


class Observed(Protocol):
    """What readers of a release see: all that search, measures and certificate need to know of the rows."""

    def before(self) -> JointRange:
        """Return the joint range of the table as it is, with the side information only."""

    def for_search(self) -> JointRange:
        """Return the joint range for the search: what else the reader sees is side information to it."""

    def reader(self, book: Codebook, *, harmless: bool = False, earlier: bool = False) -> JointRange:
        """Return the joint range of a reader of the release.

        Every released column is public to him. Of the side information he is assumed to have, he learns
        nothing new.
        """


class ObservedLabels:
    """Rows of which nothing is published but the labels: the joint range holds all there is to see."""

    def __init__(self, joint: JointRange) -> None:
        self._joint = joint

    def before(self) -> JointRange:
        """Return the joint range."""
        return self._joint

    def for_search(self) -> JointRange:
        """Return the joint range."""
        return self._joint

    def reader(self, book: Codebook, *, harmless: bool = False, earlier: bool = False) -> JointRange:
        """Return the joint range of labels and sensitive values."""
        del harmless, earlier
        shown = released_values(book, np.arange(book.partition.size), None, np.zeros(0, dtype=np.intp))
        return replace(self._joint.release(book.partition), public=shown, known_of_side=None)


class ObservedRows:
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
        self.public = public
        self.sensitive = sensitive
        self.connection = rows.connection
        joins = [
            rows.keyed("hartley_x", public.columns, _cells(public), x=_places(public)),
            rows.keyed("hartley_s", sensitive.columns, _cells(sensitive), s=_places(sensitive)),
        ]
        cells = ["hartley_x.x AS x", "hartley_s.s AS s"]
        cells += [f"q.{rows.columns[name].value} AS a{place}" for place, name in enumerate(side)]
        known = [SeenColumn(name, f"a{place}") for place, name in enumerate(side)]
        self.columns = columns = SeenColumns(known, [], [], [], [])

        def see(into: list[SeenColumn], name: str, sql: str) -> None:
            seen = SeenColumn(name, f"t{len(cells)}")
            cells.append(f"({sql})::VARCHAR AS {seen.sql}")
            into.append(seen)

        for name in keep:
            see(columns.kept, name, rows.columns[name].untouched(format_))
        for name in harmless:
            see(columns.harmless, name, rows.columns[name].untouched(format_))
        for number, policy in enumerate(earlier, 1):
            absent = _absent(rows, policy)
            joins.append(_earlier_join(rows, policy, f"hartley_e{number}", absent))
            # That a row is not in it is seen as well: some value of that row is missing.
            label = f"CASE WHEN {absent} THEN -1 ELSE hartley_e{number}.e END"
            see(columns.earlier_kept, f"earlier release {number}", label)
            # What it kept is taken as the source has it: nothing it wrote can tell more rows apart.
            for name in policy.shown_beside(sensitive.columns):
                see(columns.earlier_kept, name, _unless(absent, rows.columns[name].cell))
            for name in policy.harmless:
                see(columns.earlier_harmless, name, _unless(absent, rows.columns[name].cell))
        self._beside = [*side, *keep, *harmless]
        ((limit,),) = self.connection.execute("SELECT current_setting('memory_limit')").fetchall()
        self.memory = memory_bytes(limit)
        source = f"FROM {rows.sql} AS q{''.join(joins)}"
        self.sql = f"(SELECT {', '.join(cells)}, 1 AS n {source})"
        """The rows in the engine; where there is a table of them, each comes once, and ``n`` is how often."""
        self.different_rows = self._nearly(rows.most_rows, cells)
        self.is_counted = self.different_rows * BYTES_A_ROW <= SURELY * self.memory
        """Whether the different rows were counted; of those that are far too many the number is a guess."""
        if self.is_counted:
            self._count(cells, source)
        self._counted = CountedRows(self.connection, self.sql)

    def _nearly(self, most: int, cells: Sequence[str]) -> int:
        """Return about how many different rows there are, where they may be too many; otherwise 0."""
        if most < FEW_ROWS or most * BYTES_A_ROW <= SURELY * self.memory:
            return 0
        names = ", ".join(cell.rpartition(" AS ")[2] for cell in cells)
        ((found,),) = self.connection.execute(
            f"SELECT approx_count_distinct(hash({names})) FROM {self.sql}"
        ).fetchall()
        return int(found)

    def _count(self, cells: Sequence[str], source: str) -> None:
        # A name of its own: rows may be looked at in several ways at once.
        self.sql = f"hartley_observed_{next(_NUMBERS)}"
        with with_less_memory(self.connection, SHARE_WHILE_COUNTING):
            self.connection.execute(
                f"CREATE TEMP TABLE {self.sql} AS SELECT {', '.join(cells)}, count(*) AS n "
                f"{source} GROUP BY ALL"
            )
        ((found,),) = self.connection.execute(f"SELECT count(*) FROM {self.sql}").fetchall()
        self.different_rows = int(found)

    @property
    def is_too_large(self) -> bool:
        """Whether there are more different rows than can be searched and measured in the memory there is."""
        return self.different_rows >= FEW_ROWS and self.different_rows * BYTES_A_ROW > self.memory

    def refusal(self) -> TableError:
        """Return the refusal of more different rows than there is memory for."""
        named = f" together with {quoted(self._beside, last=' and ')}" if self._beside else ""
        found = f"{self.different_rows:,}"
        if not self.is_counted:
            found = f"about {round(self.different_rows, 1 - len(str(self.different_rows))):,}"
        return TableError(
            f"public and sensitive columns{named} make {found} different rows, and a release "
            f"needs about {self.different_rows * BYTES_A_ROW / 1e9:.1f} GB of memory for them where there "
            f"are {self.memory / 1e9:.1f}; keep fewer columns or coarser ones, or give more "
            f"({option('memory_limit')})"
        )

    def _require_room(self) -> None:
        if self.is_too_large:
            raise self.refusal()

    def before(self) -> JointRange:
        """Return the joint range of the table as it is, with the side information only."""
        self._require_room()
        return self._counted.public_range(self.columns.side, self.public, self.sensitive)

    def for_search(self) -> JointRange:
        """Return the joint range for the search: what else the reader sees is side information to it."""
        self._require_room()
        return self._counted.public_range(self.columns.searched, self.public, self.sensitive)

    def reader(self, book: Codebook, *, harmless: bool = False, earlier: bool = False) -> JointRange:
        """Return the joint range of a reader of the release: every released column is public to him.

        Of the side information he is assumed to have, he learns nothing new.
        """
        self._require_room()
        seen = self.columns.read(harmless=harmless, earlier=earlier)
        return self._counted.released_range(book, seen, self.columns.side, self.sensitive)


def _cells(alphabet: Alphabet) -> list[list[Any]]:
    """Return the cells of the values, column by column."""
    return [coordinate.cells for coordinate in alphabet.coordinates]


def _places(alphabet: Alphabet) -> tuple[str, list[Any]]:
    return "INTEGER", list(range(alphabet.size))


def _absent(rows: Rows, policy: Policy) -> str:
    """Return the SQL that tells whether a row was left out of an earlier release."""
    return " OR ".join(f"q.{rows.present(name)} IS NULL" for name in policy.never_missing) or "FALSE"


def _unless(absent: str, cell: str) -> str:
    return f"CASE WHEN {absent} THEN NULL ELSE q.{cell} END"


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
