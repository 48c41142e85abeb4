"""Different rows in the engine, each with how often it occurs, read as joint ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hartley.model import Alphabet, Coordinate, JointRange
from hartley.model.arrays import Int64s, Ints, code_type
from hartley.model.pair_sort import numbered_keys
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import Codebook

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class SeenColumn:
    """A column that a reader sees beside the released labels."""

    name: str
    sql: str


class CountedRows:
    """Different rows in the engine, each with how often it occurs."""

    def __init__(self, connection: DuckDBPyConnection, sql: str) -> None:
        self._connection = connection
        self._sql = sql

    def public_range(self, beside: list[SeenColumn], public: Alphabet, sensitive: Alphabet) -> JointRange:
        """Return the joint range of public values, with columns beside them as side information."""
        x, s, n, (codes,) = self._fetch([beside])
        return JointRange.from_codes(
            public_codes=x,
            sensitive_codes=s,
            public=public,
            sensitive=sensitive,
            side_codes=codes if beside else None,
            side=self._alphabet(beside) if beside else None,
            rows=n,
        )

    def released_range(
        self, book: Codebook, seen: list[SeenColumn], side: list[SeenColumn], sensitive: Alphabet
    ) -> JointRange:
        """Return the joint range of labels and of what is seen beside them, with side information."""
        x, s, n, (shown, known) = self._fetch([seen, side])
        beside = self._alphabet(seen) if seen else None
        width = 1 if beside is None else beside.size
        key: Int64s = book.partition.labels[x].astype(np.int64)
        key *= width
        key += shown
        codes, public = numbered_keys(key, book.partition.size * width)
        return JointRange.from_codes(
            public_codes=public.astype(code_type(len(codes)), copy=False),
            sensitive_codes=s,
            public=released_values(book, codes // width, beside, codes % width),
            sensitive=sensitive,
            side_codes=known if side else None,
            side=self._alphabet(side) if side else None,
            rows=n,
        )

    def _fetch(self, groups: list[list[SeenColumn]]) -> tuple[Ints, Ints, Ints, list[Ints]]:
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


def _numbered(seen: list[SeenColumn], table: str) -> str:
    """Return the query for the different cells of some columns, each with its number in their order."""
    names = ", ".join(column.sql for column in seen)
    order = ", ".join(f"{column.sql} NULLS LAST" for column in seen)
    return (
        f"SELECT {names}, (row_number() OVER (ORDER BY {order}) - 1)::INTEGER AS code "
        f"FROM (SELECT DISTINCT {names} FROM {table})"
    )


def released_values(book: Codebook, clusters: Ints, beside: Alphabet | None, places: Ints) -> Alphabet:
    """Return the labels of clusters as values, with what is seen beside each of them."""
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
