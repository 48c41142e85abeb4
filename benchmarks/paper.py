"""CPU seconds of everything on the paper's real data.

    python benchmarks/paper.py FILE

FILE is the Hungarian heart table (columns age and chol).
"""

from __future__ import annotations

import sys

from meter import timed

from hartley import compare
from hartley.paper.reproduce import read_data, reproduce

if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    _, spent = timed(lambda: reproduce(read_data(sys.argv[1])))
    print(f"reproduce: {spent} (at most 60 s of CPU)")
    for utility, wanted in (("resolution", {"largest_cluster": 16}), ("distortion", {"distinct_l": 5})):
        asked = {"missing_at": -9, "utility": utility, "require": wanted}
        _, spent = timed(lambda asked=asked: compare(sys.argv[1], sensitive="age", public="chol", **asked))
        print(f"compare, {utility}: {spent} (at most 60 s of CPU)")
