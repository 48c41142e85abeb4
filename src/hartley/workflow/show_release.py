"""What the page, the report and the figures show of a joint range, a partition and a written release.

They draw and word; every number of theirs is counted here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hartley.frontiers import Point
from hartley.measures.by_column import ColumnLeft, left_by_column
from hartley.measures.uncertainty import candidate_counts, row_counts
from hartley.measures.usefulness import Usefulness
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s
from hartley.releases.codebook import Codebook, shown_columns
from hartley.releases.point_labels import label_point
from hartley.releases.rows.reader import Reader
from hartley.tables import ReadOptions, open_table
from hartley.workflow.request.utility_choice import default_labels


@dataclass(frozen=True, eq=False)
class CodebookLines:
    """The label of each cluster, the candidates it leaves and the rows it stands in."""

    book: Codebook
    candidates: Int64s
    rows: Int64s

    @classmethod
    def of_point(cls, joint: JointRange, point: Point, codeword: str | None) -> CodebookLines:
        """Label a point as a release does by itself, and count what each label leaves."""
        book = _book(joint, point, codeword)
        released = joint.release(book.partition)
        candidates = np.full(book.partition.size, np.iinfo(np.int64).max)
        np.minimum.at(candidates, released.public_of, candidate_counts(released))
        rows = np.bincount(released.public_of, weights=row_counts(released)).astype(np.int64)
        return cls(book, candidates, rows)


def left_of_each(reader: Reader, partition: Partition) -> tuple[ColumnLeft, ...]:
    """Return what a reader of a release leaves possible of each sensitive column by itself."""
    return left_by_column(reader.sees(partition))


def usefulness_of(joint: JointRange, point: Point, codeword: str | None) -> Usefulness:
    """Return what is left of the public columns at a point of a frontier, with the labels of a release."""
    book = _book(joint, point, codeword)
    shown = shown_columns(joint.public, book)
    return Usefulness.of(joint.without_side(), book.partition, point.withheld, shown)


def _book(joint: JointRange, point: Point, codeword: str | None) -> Codebook:
    labels = default_labels(joint.public, point.shape, codeword)
    return label_point(joint.public, point, labels, limit=point.max_distortion)


def first_rows(
    path: Path, most: int, options: ReadOptions | None = None
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the names of the columns of a released file, and its first rows."""
    table = open_table(path, options or ReadOptions())
    try:
        names = list(table.column_names)
        return names, table.first_rows(names, most, typed=names)
    finally:
        table.close()
