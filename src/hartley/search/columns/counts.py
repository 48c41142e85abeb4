"""Bring counts nearer where they are off by more than on a plain Mondrian's partition.

The least mean loss may mix cells that come together seldom, and a count over two columns is then further off
than on wider classes that are full boxes. Random counts tell: where those on the partition that was found are
worse than on a plain Mondrian's, it is polished again with the rows that counts miss as part of the loss, at
several weights, and so is Mondrian's partition. The first that does better than Mondrian by a margin is
taken, if it loses at most a quarter more and no more than Mondrian's; where none does, that with the nearest
counts.
"""

from __future__ import annotations

import numpy as np

from hartley.measures.query_error import SHARE, CellColumn, CountQueries
from hartley.model import Partition
from hartley.model.arrays import Floats, Ints
from hartley.search.columns.boxes import split
from hartley.search.columns.cells import NUMBER
from hartley.search.columns.costs import relative_loss
from hartley.search.columns.loops.counts import Counts
from hartley.search.columns.loops.split import PUBLISHED
from hartley.search.columns.polish import Polisher
from hartley.search.columns.prepared import Prepared
from hartley.search.effort import Effort

MOST_TUPLES = 100_000
"""Tables of more tuples are left as they are: a further polish takes as long as the search."""
MOST_MORE = 1.25
"""The most that a partition with nearer counts may lose, over what was found."""
WEIGHTS = (0.1, 0.4), (1.0, 0.4, 0.2)
"""Weights of a row that counts miss, beside a row that loses a whole column: for what was found, rising from
little, and falling from much, which loses less in the end where most of the table is a full grid."""
WEIGHTS_OF_BOXES = (0.4, 0.1)
"""The same for Mondrian's partition."""
QUERIES, SEED = 400, 0
RANKS = (0.5, 0.6)
"""The counts that are compared: the median, and one above, for on panels about half of all are exact."""
MARGIN = 0.8
"""Other counts than those drawn here are to be no worse than Mondrian's, too."""


class NearerCounts:
    """The counts of one table, and how partitions do by them."""

    def __init__(self, prepared: Prepared, effort: Effort) -> None:
        self.prepared, self.effort = prepared, effort
        cells = prepared.cells
        self.columns = [
            CellColumn.of_places(cells.place[:, column], bool(cells.kind[column] == NUMBER))
            for column in range(prepared.columns)
        ]
        self.queries = CountQueries.of_cells(self.columns, prepared.needs.rows, SEED, QUERIES)

    def errors(self, labels: Ints) -> Floats:
        """Return how far counts are off on a partition, in the ranks that are compared."""
        found = self.queries.errors(Partition(labels))
        return np.quantile(found, RANKS) if len(found) else np.zeros(len(RANKS))

    def weighed(self, weight: float) -> Counts:
        """Return what counts ask for, as loops take it."""
        sizes = np.array([column.size for column in self.columns])
        is_line = np.array([column.ordered > 0 for column in self.columns])
        asked = np.maximum(1, np.where(is_line, np.floor(sizes * SHARE), np.ceil(sizes * SHARE)))
        paper = [np.zeros(len(sizes), dtype=np.int64) for _ in range(3)]
        return Counts(
            weight=weight,
            code=np.stack([column.codes.astype(np.int32) for column in self.columns], axis=1),
            width=np.where(is_line, asked, 0.0),
            chance=(asked - 1) / np.maximum(sizes - 1, 1),
            scale=sizes / asked,
            base=np.cumsum(sizes) - sizes,
            low=paper[0],
            high=paper[1],
            cells=paper[2],
            seen=np.zeros(int(sizes.sum()), dtype=np.int64),
            stamp=np.zeros(1, dtype=np.int64),
        )

    def loss(self, labels: Ints) -> float:
        """Return the mean loss of a partition."""
        return relative_loss(self.prepared.cells, labels, self.prepared.needs.rows)

    def best(self, found: Ints, mondrian: Ints, polisher: Polisher) -> Ints:
        """Return what was found, or a partition on which counts are off by less.

        ``mondrian`` is a partition of full boxes to start from.
        """
        whole = np.zeros(self.prepared.size, dtype=np.int32)
        plain = split(self.prepared, whole, PUBLISHED, self.effort, tie_cuts=False)
        error, wanted = self.errors(found), self.errors(plain)
        if (error <= wanted).all():
            return found
        most = max(self.loss(found), min(MOST_MORE * self.loss(found), self.loss(plain)))
        best = found
        starts = [(found, weights) for weights in WEIGHTS]
        for start, weights in (*starts, (mondrian, WEIGHTS_OF_BOXES)):
            labels = start
            for weight in weights:
                if self.effort.should_stop():
                    return best
                labels = polisher.polish_with_counts(labels, self.weighed(weight), self.effort)
                its = self.errors(labels)
                if self.loss(labels) <= most and its.sum() < error.sum():
                    best, error = labels, its
                if (error <= MARGIN * wanted).all():
                    return best
        return best
