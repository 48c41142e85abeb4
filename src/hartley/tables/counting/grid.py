"""Counting on a grid: a cell for each public value beside each sensitive one, marked as rows stream by.

A mark costs one write; a hash table of pairs costs an engine several times as much, in time and memory. So
where the values of the roles are few enough for a byte for each combination, nothing is grouped at all:
codes come by in batches, and what stays is the grid, and the number of rows of each observation.

Where the pairs themselves are wanted, DuckDB groups the rows: it was measured to be as fast or faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from hartley.model import RangeSummary
from hartley.model.arrays import Flags, Int64s, Ints, different, totals_of
from hartley.model.range_summary import MOST_LISTED, MOST_NARROWEST, NarrowObservation, Span
from hartley.tables.counting.first_look import FirstLook
from hartley.tables.counting.sql_summary import SummaryRead
from hartley.tables.counting.value_codes import CodedRole, CodedRows, coded_rows
from hartley.tables.engine import batches, memory_bytes
from hartley.tables.roles import Roles

MOST_CELLS = 1 << 28
"""Bytes that a grid may take."""
SMALL_GRID = 1 << 22
CELLS_PER_ROW = 32
"""A grid that is emptier than this costs more to look through than its rows to sort."""
BLOCK = 1 << 24


def grid_room(records: int, memory_limit: str | None) -> int:
    """Say how many cells a grid may have for so many records.

    >>> grid_room(100_000_000, None), grid_room(10, None), grid_room(10**9, "64MB")
    (268435456, 4194304, 16000000)
    """
    room = min(MOST_CELLS, max(SMALL_GRID, CELLS_PER_ROW * records))
    return room if memory_limit is None else min(room, memory_bytes(memory_limit) // 4)


def read_on_grid(look: FirstLook, room: int) -> SummaryRead | None:
    """Count what an audit of the roles needs on a grid; nothing where there is no room for its cells."""
    if look.cells_at_least() > room:
        return None
    with coded_rows(look) as rows:
        if prod(role.size for role in rows.roles.values()) > room:
            return None
        for role in rows.roles.values():
            role.require_measurable()
        grid = Grid(rows.roles["public"], rows.roles["sensitive"], rows.roles.get("side"))
        grid.mark(rows)
        return SummaryRead(grid.summary(look.roles), look.dropped_rows)


class Grid:
    """Which observations occur with which sensitive codes, and in how many rows."""

    def __init__(self, public: CodedRole, sensitive: CodedRole, side: CodedRole | None) -> None:
        self._public, self._sensitive, self._side = public, sensitive, side
        self._sides = 1 if side is None else side.size
        self._width = sensitive.size
        observations = public.size * self._sides
        self._seen = np.zeros(observations * self._width, dtype=bool)
        self._rows = np.zeros(observations, dtype=np.int64)

    def mark(self, rows: CodedRows) -> None:
        """Let the rows stream by."""
        side = "" if self._side is None else f" * {self._sides} + {self._side.sql}"
        query = f"SELECT ({self._public.sql}{side})::INTEGER AS o, {self._sensitive.sql}::INTEGER AS s"
        if rows.look.is_counted:
            query += ", n::BIGINT AS n"
        for batch in batches(rows.look.connection, f"{query} FROM {rows.source}", rows.look.records):
            observed = batch["o"]
            place = observed.astype(np.int64)
            place *= self._width
            place += batch["s"]
            self._seen[place] = True
            if "n" in batch:
                np.add.at(self._rows, observed, batch["n"])
            else:
                self._rows += np.bincount(observed, minlength=len(self._rows))

    def summary(self, roles: Roles) -> RangeSummary:
        """Count what an audit needs."""
        seen = self._seen.reshape(-1, self._width)
        observed = np.flatnonzero(self._rows)
        counts = np.count_nonzero(seen, axis=1)[observed]
        rows = self._rows[observed]
        anchors = seen.argmax(axis=1)[observed]
        by_side = seen.reshape(-1, self._sides, self._width).any(axis=0)
        sides = observed % self._sides
        priors = np.count_nonzero(by_side, axis=1)[sides]
        numbers = np.flatnonzero(by_side.any(axis=0))
        sensitive, places = self._sensitive.sorted(numbers)
        place_of = np.zeros(self._width, dtype=np.int64)
        place_of[numbers] = places
        link_anchors, linked = _links(seen, observed, anchors)
        narrowest = np.flatnonzero(counts == counts.min())
        size = sensitive.size
        return RangeSummary(
            rows=int(rows.sum()),
            pairs=int(counts.sum()),
            sensitive=sensitive,
            public_columns=roles.public,
            public_values=len(different(observed // self._sides)),
            side_columns=roles.side or None,
            side_values=0 if self._side is None else len(different(sides)),
            observations=len(observed),
            spans=tuple(
                Span(int(prior), int(counts[priors == prior].min()), int(counts[priors == prior].max()))
                for prior in different(priors)
            ),
            row_k=int(rows.min()),
            narrowest_count=len(narrowest),
            narrowest_rows=int(rows[narrowest].sum()),
            narrowest=self._narrowest(observed, rows, counts, narrowest[:MOST_NARROWEST], place_of),
            anchors=place_of[link_anchors],
            linked=place_of[linked],
            anchored_observations=np.bincount(place_of[anchors], minlength=size),
            anchored_rows=totals_of(place_of[anchors], rows, size),
        )

    def _narrowest(
        self,
        observed: Ints,
        rows: Ints,
        counts: Ints,
        first: Ints,
        place_of: Int64s,
    ) -> tuple[NarrowObservation, ...]:
        seen = self._seen.reshape(-1, self._width)
        public = self._public.cells(observed[first] // self._sides)
        side = None if self._side is None else self._side.cells(observed[first] % self._sides)
        return tuple(
            NarrowObservation(
                public=public.cells(place),
                side=None if side is None else side.cells(place),
                candidates=int(counts[one]),
                rows=int(rows[one]),
                listed=tuple(map(int, place_of[np.flatnonzero(seen[observed[one]])[:MOST_LISTED]])),
            )
            for place, one in enumerate(first)
        )


def _links(seen: Flags, observed: Ints, anchors: Ints) -> tuple[Ints, Ints]:
    """Return links, enough to decide the components: anchors, and codes that occur with them.

    What has been joined already needs no further link.
    """
    group = np.arange(seen.shape[1])
    found_anchors: list[Ints] = [np.empty(0, dtype=np.int64)]
    found: list[Ints] = [np.empty(0, dtype=np.int64)]
    for anchor, together in _unions(seen, observed, anchors):
        codes = np.flatnonzero(together)
        apart, first = np.unique(group[codes], return_index=True)
        if len(apart) > 1:
            found.append(codes[first])
            found_anchors.append(np.full(len(first), anchor))
            group[np.isin(group, apart)] = group[anchor]
    return np.concatenate(found_anchors), np.concatenate(found)


def _unions(seen: Flags, observed: Ints, anchors: Ints) -> Iterator[tuple[int, Flags]]:
    """Return each anchor with all that occurs in an observation anchored there."""
    order = np.argsort(anchors, kind="stable")
    values, starts = np.unique(anchors[order], return_index=True)
    step = max(1, BLOCK // seen.shape[1])
    for anchor, members in zip(values.tolist(), np.split(observed[order], starts[1:]), strict=True):
        together = np.zeros(seen.shape[1], dtype=bool)
        for start in range(0, len(members), step):
            together |= seen[members[start : start + step]].any(axis=0)
        yield anchor, together
