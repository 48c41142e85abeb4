"""What readers of a release see in each row: released labels, kept and harmless columns, earlier releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

import numpy as np

from hartley.errors import PolicyError, TableError, option, quoted
from hartley.model import Alphabet, Coordinate, JointRange
from hartley.model.arrays import Ints, code_type
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import Codebook
from hartley.releases.formats import Format
from hartley.releases.policy import Policy
from hartley.releases.writer.source_rows import Rows
from hartley.tables.engine import memory_bytes

_NUMBERS = count()
BYTES_A_ROW = 185
"""Memory that a search takes for each different row, as measured with a kept column."""
FEW_ROWS = 1_000_000
"""Different rows up to which any memory limit suffices."""


@dataclass(frozen=True)
class _Seen:
    """A column that a reader sees beside the released labels."""

    name: str
    sql: str


class Observed(Protocol):
    """What readers of a release see: all that search, measures and certificate need to know of the rows."""

    def before(self) -> JointRange:
        """Return the joint range of the table as it is, with the side information only."""

    def for_search(self) -> JointRange:
        """Return the joint range for the search: what else the reader sees is side information to it."""

    def reader(self, book: Codebook, *, harmless: bool = False, earlier: bool = False) -> JointRange:
        """Return the joint range of a reader of the release: every released column is public to him.

        Of the side information he is assumed to have, he learns nothing new.
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
        self._public = public
        self._sensitive = sensitive
        self._connection = rows.connection
        joins = [
            rows.keyed("hartley_x", public.columns, _cells(public), x=_places(public)),
            rows.keyed("hartley_s", sensitive.columns, _cells(sensitive), s=_places(sensitive)),
        ]
        cells = ["hartley_x.x AS x", "hartley_s.s AS s"]
        cells += [f"q.{rows.columns[name].value} AS a{place}" for place, name in enumerate(side)]
        self._side = [_Seen(name, f"a{place}") for place, name in enumerate(side)]
        self._kept: list[_Seen] = []
        self._harmless: list[_Seen] = []
        self._earlier_kept: list[_Seen] = []
        self._earlier_harmless: list[_Seen] = []

        def see(into: list[_Seen], name: str, sql: str) -> None:
            seen = _Seen(name, f"t{len(cells)}")
            cells.append(f"({sql})::VARCHAR AS {seen.sql}")
            into.append(seen)

        for name in keep:
            see(self._kept, name, rows.columns[name].untouched(format_))
        for name in harmless:
            see(self._harmless, name, rows.columns[name].untouched(format_))
        for number, policy in enumerate(earlier, 1):
            absent = _absent(rows, policy)
            joins.append(_earlier_join(rows, policy, f"hartley_e{number}", absent))
            # That a row is not in it is seen as well: some value of that row is missing.
            label = f"CASE WHEN {absent} THEN -1 ELSE hartley_e{number}.e END"
            see(self._earlier_kept, f"earlier release {number}", label)
            # What it kept is taken as the source has it: nothing it wrote can tell more rows apart.
            for name in policy.shown_beside(sensitive.columns):
                see(self._earlier_kept, name, _unless(absent, rows.columns[name].cell))
            for name in policy.harmless:
                see(self._earlier_harmless, name, _unless(absent, rows.columns[name].cell))
        # A name of its own: rows may be looked at in several ways at once.
        self._name = f"hartley_observed_{next(_NUMBERS)}"
        self._connection.execute(
            f"CREATE TEMP TABLE {self._name} AS SELECT {', '.join(cells)}, count(*) AS n "
            f"FROM {rows.sql} AS q{''.join(joins)} GROUP BY ALL"
        )
        self._require_room([*side, *keep, *harmless])

    def _require_room(self, beside: Sequence[str]) -> None:
        """Refuse more different rows than can be searched and measured in the memory that there is."""
        ((found, limit),) = self._connection.execute(
            f"SELECT count(*), current_setting('memory_limit') FROM {self._name}"
        ).fetchall()
        if found >= FEW_ROWS and found * BYTES_A_ROW > memory_bytes(limit):
            named = f" together with {quoted(beside, last=' and ')}" if beside else ""
            raise TableError(
                f"public and sensitive columns{named} make {found:,} different rows, and a release needs "
                f"about {found * BYTES_A_ROW / 1e9:.1f} GB of memory for them where there are "
                f"{memory_bytes(limit) / 1e9:.1f}; keep fewer columns or coarser ones, or give more "
                f"({option('memory_limit')})"
            )

    def before(self) -> JointRange:
        """Return the joint range of the table as it is, with the side information only."""
        return self._with_side(self._side)

    def for_search(self) -> JointRange:
        """Return the joint range for the search: what else the reader sees is side information to it."""
        return self._with_side([*self._side, *self._kept, *self._earlier_kept])

    def _with_side(self, seen: list[_Seen]) -> JointRange:
        x, s, n, (codes,) = self._fetch([seen])
        return JointRange.from_codes(
            public_codes=x,
            sensitive_codes=s,
            public=self._public,
            sensitive=self._sensitive,
            side_codes=codes if seen else None,
            side=self._alphabet(seen) if seen else None,
            rows=n,
        )

    def reader(self, book: Codebook, *, harmless: bool = False, earlier: bool = False) -> JointRange:
        """Return the joint range of a reader of the release: every released column is public to him.

        Of the side information he is assumed to have, he learns nothing new.
        """
        seen = list(self._kept)
        if harmless:
            seen += self._harmless
        if earlier:
            seen += self._earlier_kept
        if earlier and harmless:
            seen += self._earlier_harmless
        x, s, n, (shown, known) = self._fetch([seen, self._side])
        beside = self._alphabet(seen) if seen else None
        width = 1 if beside is None else beside.size
        codes, public = np.unique(
            book.partition.labels[x].astype(np.int64) * width + shown, return_inverse=True
        )
        return JointRange.from_codes(
            public_codes=public.astype(code_type(len(codes))),
            sensitive_codes=s,
            public=_released(book, codes // width, beside, codes % width),
            sensitive=self._sensitive,
            side_codes=known if self._side else None,
            side=self._alphabet(self._side) if self._side else None,
            rows=n,
        )

    def _fetch(self, groups: list[list[_Seen]]) -> tuple[Ints, Ints, Ints, list[Ints]]:
        joins, codes = [], []
        for place, group in enumerate(groups):
            codes.append(f"d{place}.code AS g{place}" if group else f"0 AS g{place}")
            if group:
                on = " AND ".join(f"o.{one.sql} IS NOT DISTINCT FROM d{place}.{one.sql}" for one in group)
                joins.append(f" JOIN ({_numbered(group, self._name)}) AS d{place} ON {on}")
        found = self._connection.execute(
            f"SELECT o.x, o.s, o.n, {', '.join(codes)} FROM {self._name} AS o{''.join(joins)}"
        ).fetchnumpy()
        arrays = {name: np.ma.getdata(array) for name, array in found.items()}
        return arrays["x"], arrays["s"], arrays["n"], [arrays[f"g{place}"] for place in range(len(groups))]

    def _alphabet(self, seen: list[_Seen]) -> Alphabet:
        cells = ", ".join(f"{column.sql}::VARCHAR AS {column.sql}" for column in seen)
        records = self._connection.execute(
            f"SELECT {cells} FROM ({_numbered(seen, self._name)}) ORDER BY code"
        ).fetchall()
        return Alphabet(
            tuple(_texts(column.name, [row[place] for row in records]) for place, column in enumerate(seen))
        )


def _numbered(seen: list[_Seen], table: str) -> str:
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
