"""Writing a run down while it happens, and carrying a compiled loop on in slices.

A compiled loop cannot ask whether to stop. So it keeps all it knows in arrays, returns after about as many
elementary steps as it is allowed, and goes on from there when it is called again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hartley.hot_loops import HotLoop
from hartley.model import MergeTree
from hartley.search.effort import Effort


class Recorder:
    """The merges so far, and where the steps end; tells the effort's listener how far the search is."""

    def __init__(self, size: int, effort: Effort, what: str) -> None:
        self._size, self._effort, self._what = size, effort, what
        self._kept: list[int] = []
        self._joined: list[int] = []
        self._ends = [0]
        self._stopped = False

    def merge(self, kept: int, joined: int) -> None:
        """Write a merge down."""
        self._kept.append(kept)
        self._joined.append(joined)
        if len(self._kept) % 64 == 0:
            self._effort.progress(len(self._kept), self._size - 1, self._what)

    def end_step(self) -> None:
        """End a step."""
        self._ends.append(len(self._kept))

    def must_stop(self) -> bool:
        """Tell whether the search must end now; to be asked before every longer piece of work."""
        self._stopped = self._stopped or self._effort.should_stop()
        return self._stopped

    @property
    def moved(self) -> bool:
        """Whether the present step has merged anything."""
        return len(self._kept) > self._ends[-1]

    def tree(self) -> MergeTree:
        """Return the run; of one that was stopped, the steps that were finished."""
        done = self._ends[-1]
        merges = np.array(self._kept[:done], dtype=np.int64), np.array(self._joined[:done], dtype=np.int64)
        return MergeTree(self._size, *merges, np.array(self._ends), complete=not self._stopped)


def merge_best_pairs(
    record: Recorder,
    size: int,
    best_with: Callable[[int], tuple[float, ...] | None],
    merge: Callable[[int, int], None],
) -> MergeTree:
    """Merge the best of all pairs of clusters, every merge a step, until no pair is allowed.

    ``best_with`` returns the rank of the best pair of a cluster with a later one, which ends in the places of
    the two; the least rank is merged. Every merge asks all clusters.
    """
    live = list(range(size))
    while True:
        best: tuple[float, ...] | None = None
        for place in live:
            if record.must_stop():
                return record.tree()
            rank = best_with(place)
            if rank is not None and (best is None or rank < best):
                best = rank
        if best is None:
            return record.tree()
        kept, joined = int(best[-2]), int(best[-1])
        merge(kept, joined)
        live.remove(joined)
        record.merge(kept, joined)
        record.end_step()


COMPILED_SLICE, PLAIN_SLICE = 2_000_000, 30_000
"""Elementary steps of a slice, compiled and interpreted: about a twentieth of a second."""


def run_in_slices(
    loop: HotLoop[..., bool],
    steps: int,
    state: tuple[Any, ...],
    effort: Effort,
    report: Callable[[], tuple[int, int, str]],
) -> bool:
    """Call ``loop(budget, *state)`` until it is over; tell whether it came to its end or was stopped.

    ``steps`` is about how many elementary steps the whole takes; ``report`` gives what to tell the
    effort's listener.
    """
    if effort.should_stop():
        return False
    advance = loop.for_size(steps)
    budget = COMPILED_SLICE if loop.is_compiled(advance) else PLAIN_SLICE
    if advance is loop.plain:
        advance = loop.interpreted
    while not advance(budget, *state):
        effort.progress(*report())
        if effort.should_stop():
            return False
    return True
