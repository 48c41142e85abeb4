"""CPU seconds of everything on the paper's real data.

    python benchmarks/paper.py FILE

FILE is the Hungarian heart table (columns age and chol).
"""

from __future__ import annotations

import sys
from time import process_time

from hartley.model.target import Target
from hartley.paper.reproduce import read_data, reproduce
from hartley.workflow import compare

if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    started = process_time()
    reproduce(read_data(sys.argv[1]))
    print(f"reproduce: {process_time() - started:.1f} s of CPU (at most 60)")
    for utility, target in (("resolution", ("largest_cluster", 16)), ("distortion", ("distinct_l", 5))):
        started = process_time()
        compare(
            sys.argv[1],
            sensitive="age",
            public="chol",
            missing_at=-9,
            utility=utility,
            target=Target(*target),
        )
        print(f"compare, {utility}: {process_time() - started:.1f} s of CPU (at most 60)")
