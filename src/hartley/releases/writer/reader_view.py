"""What readers of a release see in each row: released labels, kept and harmless columns, earlier releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hartley.errors import PolicyError, TableError, option, quoted
from hartley.model import Alphabet, Coordinate, JointRange
from hartley.model.arrays import Int64s, Ints, code_type
from hartley.model.pair_sort import numbered_keys
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import Codebook
from hartley.releases.formats import Format
from hartley.releases.policy import Policy
from hartley.releases.writer.source_rows import Rows
from hartley.tables.engine import memory_bytes, with_less_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NUMBERS = count()
BYTES_A_ROW = 185
"""Memory that a search takes for each different row, as measured with a kept column."""
FEW_ROWS = 1_000_000
"""Different rows up to which any memory limit suffices."""


ENGINES_SHARE = 0.6
"""How much of a memory limit the engine gets while it counts different rows: the rest is for this process."""


@dataclass(frozen=True)
class SeenColumn:
    """A column that a reader sees beside the released labels."""

    name: str
    sql: str


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


@dataclass(frozen=True)
class RangePart:
    """A part of a joint range: no value that a reader sees stands in another part as well."""

    joint: JointRange
    public_places: Ints
    """Where the public values of the part stand among all; of what a reader sees, they are counted anew."""
    sensitive_places: Ints
    """Where the sensitive values of the part stand among all."""


class Observed(Protocol):
    """What readers of a release see: all that search, measures and certificate need to know of the rows."""

    def before(self) -> JointRange:
        """Return the joint range of the table as it is, with the side information only."""

    def for_search(self) -> JointRange:
        """Return the joint range for the search: what else the reader sees is side information to it."""

    def reader_parts(
        self, book: Codebook, *, harmless: bool = False, earlier: bool = False
    ) -> Iterator[RangePart]:
        """Return the joint range of a reader of the release, in parts that fit into memory; mostly one.

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
        joint = self._joint
        pair = joint.observation_of
        return JointRange.from_codes(
            public_codes=book.partition.labels[joint.public_of][pair],
            sensitive_codes=joint.indices,
            public=_released(book, np.arange(book.partition.size), None, np.zeros(0, dtype=np.intp)),
            sensitive=joint.sensitive,
            side_codes=None if joint.observed_side is None else joint.observed_side[pair],
            side=joint.side,
            rows=joint.rows,
        )

    def reader_parts(
        self, book: Codebook, *, harmless: bool = False, earlier: bool = False
    ) -> Iterator[RangePart]:
        """Return the joint range of labels and sensitive values, as the only part."""
        yield whole_part(self.reader(book, harmless=harmless, earlier=earlier))


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
        # A name of its own: rows may be looked at in several ways at once.
        self.name = f"hartley_observed_{next(_NUMBERS)}"
        with with_less_memory(self.connection, ENGINES_SHARE):
            self.connection.execute(
                f"CREATE TEMP TABLE {self.name} AS SELECT {', '.join(cells)}, count(*) AS n "
                f"FROM {rows.sql} AS q{''.join(joins)} GROUP BY ALL"
            )
        self._counted = CountedRows(self.connection, self.name)
        ((found, limit),) = self.connection.execute(
            f"SELECT count(*), current_setting('memory_limit') FROM {self.name}"
        ).fetchall()
        self.different_rows, self.memory = int(found), memory_bytes(limit)
        self._beside = [*side, *keep, *harmless]

    @property
    def is_too_large(self) -> bool:
        """Whether there are more different rows than can be searched and measured in the memory there is."""
        return self.different_rows >= FEW_ROWS and self.different_rows * BYTES_A_ROW > self.memory

    def refusal(self, more: str = "") -> TableError:
        """Return the refusal of more different rows than there is memory for."""
        named = f" together with {quoted(self._beside, last=' and ')}" if self._beside else ""
        return TableError(
            f"public and sensitive columns{named} make {self.different_rows:,} different rows, and a release "
            f"needs about {self.different_rows * BYTES_A_ROW / 1e9:.1f} GB of memory for them where there "
            f"are {self.memory / 1e9:.1f}{more}; keep fewer columns or coarser ones, or give more "
            f"({option('memory_limit')})"
        )

    def _require_room(self) -> None:
        if self.is_too_large:
            raise self.refusal()

    def before(self) -> JointRange:
        """Return the joint range of the table as it is, with the side information only."""
        self._require_room()
        return self._counted.public_range(self.columns.side, self.public, self.sensitive).joint

    def for_search(self) -> JointRange:
        """Return the joint range for the search: what else the reader sees is side information to it."""
        self._require_room()
        return self._counted.public_range(self.columns.searched, self.public, self.sensitive).joint

    def reader(self, book: Codebook, *, harmless: bool = False, earlier: bool = False) -> JointRange:
        """Return the joint range of a reader of the release: every released column is public to him.

        Of the side information he is assumed to have, he learns nothing new.
        """
        self._require_room()
        seen = self.columns.read(harmless=harmless, earlier=earlier)
        return self._counted.released_range(book, seen, self.columns.side, self.sensitive).joint

    def reader_parts(
        self, book: Codebook, *, harmless: bool = False, earlier: bool = False
    ) -> Iterator[RangePart]:
        """Return the same as the only part."""
        yield whole_part(self.reader(book, harmless=harmless, earlier=earlier))


class CountedRows:
    """Different rows in the engine, each with how often it occurs."""

    def __init__(self, connection: DuckDBPyConnection, sql: str) -> None:
        self._connection = connection
        self._sql = sql

    def public_range(
        self, beside: list[SeenColumn], public: Alphabet, sensitive: Alphabet, *, is_named: bool = True
    ) -> RangePart:
        """Return the joint range of public values, with columns beside them as side information.

        Where they are not to be named, values of the side information are numbers.
        """
        x, s, n, (codes,) = self.fetch([beside])
        x, public, public_places = _occurring(x, public)
        s, sensitive, sensitive_places = _occurring(s, sensitive)
        joint = JointRange.from_codes(
            public_codes=x,
            sensitive_codes=s,
            public=public,
            sensitive=sensitive,
            side_codes=codes if beside else None,
            side=self._alphabet(beside) if beside and is_named else None,
            rows=n,
        )
        return RangePart(joint, public_places, sensitive_places)

    def released_range(
        self, book: Codebook, seen: list[SeenColumn], side: list[SeenColumn], sensitive: Alphabet
    ) -> RangePart:
        """Return the joint range of labels and of what is seen beside them, with side information."""
        x, s, n, (shown, known) = self.fetch([seen, side])
        s, sensitive, sensitive_places = _occurring(s, sensitive)
        beside = self._alphabet(seen) if seen else None
        width = 1 if beside is None else beside.size
        key: Int64s = book.partition.labels[x].astype(np.int64)
        key *= width
        key += shown
        codes, public = numbered_keys(key, book.partition.size * width)
        joint = JointRange.from_codes(
            public_codes=public.astype(code_type(len(codes)), copy=False),
            sensitive_codes=s,
            public=_released(book, codes // width, beside, codes % width),
            sensitive=sensitive,
            side_codes=known if side else None,
            side=self._alphabet(side) if side else None,
            rows=n,
        )
        return RangePart(joint, np.arange(len(codes)), sensitive_places)

    def fetch(self, groups: list[list[SeenColumn]]) -> tuple[Ints, Ints, Ints, list[Ints]]:
        """Return public and sensitive codes, numbers of rows, and the codes of groups of columns."""
        joins, codes = [], []
        for place, group in enumerate(groups):
            codes.append(f"d{place}.code AS g{place}" if group else f"0 AS g{place}")
            if group:
                on = " AND ".join(f"o.{one.sql} IS NOT DISTINCT FROM d{place}.{one.sql}" for one in group)
                joins.append(f" JOIN ({_numbered(group, self._sql)}) AS d{place} ON {on}")
        found = self._connection.execute(
            f"SELECT {', '.join(['o.x', 'o.s', 'o.n', *codes])} FROM {self._sql} AS o{''.join(joins)}"
        ).fetchnumpy()
        arrays = {name: np.ma.getdata(array) for name, array in found.items()}
        return arrays["x"], arrays["s"], arrays["n"], [arrays[f"g{place}"] for place in range(len(groups))]

    def _alphabet(self, seen: list[SeenColumn]) -> Alphabet:
        cells = ", ".join(f"{column.sql}::VARCHAR AS {column.sql}" for column in seen)
        records = self._connection.execute(
            f"SELECT {cells} FROM ({_numbered(seen, self._sql)}) ORDER BY code"
        ).fetchall()
        return Alphabet(
            tuple(_texts(column.name, [row[place] for row in records]) for place, column in enumerate(seen))
        )


def whole_part(joint: JointRange) -> RangePart:
    """Return a joint range as the only part of itself."""
    return RangePart(joint, np.arange(joint.public.size), np.arange(joint.sensitive.size))


def _occurring(codes: Ints, alphabet: Alphabet) -> tuple[Ints, Alphabet, Ints]:
    """Return codes of the values that occur, these values, and their places among all."""
    occurs = np.zeros(alphabet.size, dtype=np.bool_)
    occurs[codes] = True
    if occurs.all():
        return codes, alphabet, np.arange(alphabet.size)
    places = np.flatnonzero(occurs)
    number = np.cumsum(occurs, dtype=codes.dtype) - codes.dtype.type(1)
    return number[codes], alphabet.take(places), places


def _numbered(seen: list[SeenColumn], table: str) -> str:
    """Return the query for the different cells of some columns, each with its number in their order."""
    names = ", ".join(column.sql for column in seen)
    order = ", ".join(f"{column.sql} NULLS LAST" for column in seen)
    return (
        f"SELECT {names}, (row_number() OVER (ORDER BY {order}) - 1)::INTEGER AS code "
        f"FROM (SELECT DISTINCT {names} FROM {table})"
    )


def _released(book: Codebook, clusters: Ints, beside: Alphabet | None, places: Ints) -> Alphabet:
    labels = [[cell_text(cell) for cell in label] for label in book.labels]
    coordinates = [
        _texts(column.name, [labels[cluster][place] for cluster in clusters.tolist()])
        for place, column in enumerate(book.columns)
    ]
    if beside is not None:
        coordinates += beside.take(places.astype(np.intp)).coordinates
    return Alphabet(tuple(coordinates))


def _texts(name: str, cells: list[str | None]) -> Coordinate:
    values = np.empty(len(cells), dtype=object)
    values[:] = ["" if cell is None else cell for cell in cells]
    return Coordinate(name, "text", values, np.array([cell is None for cell in cells], dtype=bool))


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
