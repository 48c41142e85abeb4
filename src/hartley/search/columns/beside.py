"""Where to start beside side information: tuples that are seen beside the same side values."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hartley.model.arrays import Ints
from hartley.search.columns.prepared import compact
from hartley.search.enough import Enough


def seen_alike(demand: Enough) -> Ints:
    """Return the tuples that are seen beside the same side values, as clusters, joined until all are enough.

    Nothing is gained by joining tuples of which no two are seen beside the same: apart they are enough, too.
    """
    count = np.searchsorted(demand.offsets, demand.value_code, side="right") - 1
    owner = np.repeat(np.arange(demand.size), np.diff(demand.value_ptr))
    pairs = np.unique(owner * len(demand.wanted) + count)
    seen: dict[bytes, int] = {}
    starts = np.searchsorted(pairs // len(demand.wanted), np.arange(demand.size + 1))
    met = pairs % len(demand.wanted)
    labels = np.array(
        [seen.setdefault(met[begin:end].tobytes(), len(seen)) for begin, end in pairwise(starts.tolist())]
    )
    poor = ~demand.are_enough(labels, len(seen))
    if not poor.any():
        return compact(labels)
    # What is seen beside much joins first: it touches what the others are seen beside.
    widest = sorted(seen.items(), key=lambda one: (not poor[one[1]], -len(one[0]), one[1]))
    joined = poor[labels]
    for _, number in widest[int(poor.sum()) :]:
        if demand.is_enough(np.flatnonzero(joined)):
            break
        joined |= labels == number
    return compact(np.where(joined, len(seen), labels))
