"""The least worst cost over several columns, and among partitions with that cost the closest to the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hartley.errors import UnreachableError
from hartley.search.columns.blocks import blocks_first
from hartley.search.columns.boxes import peel, split
from hartley.search.columns.cells import Places
from hartley.search.columns.measures import cluster_sides, relative_loss
from hartley.search.columns.mend import mend
from hartley.search.columns.prepared import Prepared, compact
from hartley.search.columns.split_loops import GAP, MEDIAN, MIDDLE, ROWS
from hartley.search.effort import UNLIMITED, Effort

ROUNDS = 3


@dataclass(frozen=True)
class Candidate:
    labels: Places
    worst: float
    loss: float


def search_from(prepared: Prepared, labels: Places, rule: int, bound: float, effort: Effort) -> tuple[Places, float]:
    labels = peel(prepared, split(prepared, labels, rule, effort), effort)
    for _ in range(ROUNDS):
        mended = mend(prepared, labels, bound, effort)
        bound = max(bound, mended.bound)
        labels = peel(prepared, split(prepared, mended.labels, rule, effort), effort)
        if not mended.mends:
            break
    return labels, bound
