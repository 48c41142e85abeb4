"""The different rows that are published, counted on a grid: a number for each label beside each kept cell.

Rows stream by as Arrow, and each adds one at its place. A hash table of rows costs an engine several
times as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Int64s
from hartley.releases.places import axis_for, places_for

if TYPE_CHECKING:
    from hartley.releases.rows import Column

MOST_CELLS = 1 << 24
"""Numbers that a grid may hold, of eight bytes each."""
AT_ONCE = 1 << 18
SIGNED = ("FLOAT", "DOUBLE")
"""Types in which equal cells need not be the same cell."""


def count_on_grid(
    connection: Any,
    rows: str,
    book: str,
    keys: Sequence[Column],
    untouched: Sequence[tuple[str, str]],
) -> tuple[Int64s, list[Any], Int64s] | None:
    """Count the rows of each cluster of a codebook beside each combination of untouched cells.

    ``untouched`` holds the SQL and the type of each such cell, over the rows ``q``. Gives the clusters, the
    columns of untouched cells as Arrow, and the counts, of what occurs; nothing where there is no
    room for a grid.
    """
    if any(kind in SIGNED for _, kind in untouched):
        return None
    places = places_for(connection, book, keys)
    if places is None:
        return None
    cluster_at = places.labels("cluster").to_numpy()
    size = int(cluster_at.max(initial=0)) + 1
    axes = []
    for sql, kind in untouched:
        axis = axis_for(connection, f"{rows} AS q", sql, kind)
        if axis is None or size * axis.size > MOST_CELLS:
            return None
        axes.append(axis)
        size *= axis.size
    asked = [*places.sql(keys), *(sql for sql, _ in untouched)]
    query = ", ".join(f"{sql} AS c{number}" for number, sql in enumerate(asked))
    reader = connection.sql(f"SELECT {query} FROM {rows} AS q").to_arrow_reader(AT_ONCE)
    counts = np.zeros(size, dtype=np.int64)
    for batch in reader:
        place = np.take(cluster_at, places.found(batch.columns[: len(keys)]).to_numpy())
        for axis, cells in zip(axes, batch.columns[len(keys) :], strict=True):
            place *= axis.size
            place += axis.places(cells).to_numpy()
        add_rows.for_size(len(place))(place, counts)
    left = np.flatnonzero(counts)
    found, kinds = counts[left], reader.schema.types[len(keys) :]
    columns = []
    for axis, kind in zip(reversed(axes), reversed(kinds), strict=True):
        left, code = np.divmod(left, axis.size)
        columns.append(axis.values(kind).take(code))
    return left, columns[::-1], found


@hot_loop
def add_rows(places, counts):  # type: ignore[no-untyped-def]
    """Count one more at each place."""
    for place in places:
        counts[place] += 1
