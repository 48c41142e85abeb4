"""Swap search for tables too large to search at once: block by block of clusters.

Values dealt out evenly make every block of clusters a smaller table much like the whole, so what
the whole can reach each block can reach too, nearly always; and blocks need only their own memory.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.model import Partition
from hartley.search.effort import Effort
from hartley.search.optimal.candidate_sets import CandidateSets
from hartley.search.optimal.swap_search import MOST_CELLS, QUICK, SwapSearch, partition_of_places

Codes = npt.NDArray[np.int64]

MOVES = 1_000
"""Moves per place in each block."""


def searched_in_blocks(
    sets: CandidateSets,
    largest: int,
    places: Codes,
    wanted: int,
    effort: Effort,
    most_cells: int = MOST_CELLS // 4,
) -> Partition | None:
    """Search every block for clusters that keep ``wanted`` candidates; nothing where one has none.

    ``places`` holds the values dealt out, and goes on from one call to the next. A block has
    so many clusters that it keeps at most ``most_cells`` counts.
    """
    width = max(1, most_cells // sets.kinds)
    for first in range(0, len(places) // largest, width):
        block = slice(first * largest, (first + width) * largest)
        here = places[block]
        values = here[here < sets.size]
        part = taken(sets, values)
        inside = np.empty(len(here), dtype=np.int64)
        inside[here < sets.size] = np.arange(len(values))
        inside[here >= sets.size] = np.arange(len(values), len(here))
        search = SwapSearch(part, largest, inside, effort.seed + first)
        search.ask(np.array([wanted], dtype=np.int64))
        reached = search.run(MOVES * len(here), QUICK, effort)
        names = np.concatenate((values, here[here >= sets.size]))
        places[block] = names[search.places]
        if not reached:
            return None
    return partition_of_places(places, largest, sets.size)


def taken(sets: CandidateSets, values: Codes) -> CandidateSets:
    """Give some of the values, in this order, with all candidates."""
    counts = sets.counts[values]
    starts = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    entries = np.repeat(sets.starts[values] - starts[:-1], counts) + np.arange(starts[-1])
    return CandidateSets(starts, sets.candidates[entries], sets.side_of, sets.before)
