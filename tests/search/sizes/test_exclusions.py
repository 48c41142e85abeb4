"""What is excluded under resolution does not exist, and some of what does not exist is excluded."""

from __future__ import annotations

import numpy as np

from hartley.model import JointRange
from hartley.model.requirement import Requirement
from hartley.search.effort import UNLIMITED
from hartley.search.enough import Enough
from hartley.search.sizes.cut_bound import CandidateSets, CutBound
from hartley.search.sizes.matching import pair_up
from hartley.search.sizes.price_bound import is_excluded_by_sizes, is_excluded_by_values
from reference_optimal_resolution import random_table, truth


def exclusions(joint: JointRange, largest: int, wanted: int) -> dict[str, bool]:
    """Everything the searches can say against so many candidates."""
    enough = Enough.of(joint, [Requirement("distinct-l", wanted)])
    sets = CandidateSets.of(enough)
    return {
        "cut": CutBound.of(sets).most(largest) < wanted,
        "prices of sizes": is_excluded_by_sizes(sets, largest, wanted, UNLIMITED),
        "prices of values": is_excluded_by_values(sets, largest, wanted, UNLIMITED),
        "pairs": largest == 2 and pair_up(enough) == "impossible",
    }


def test_nothing_that_exists_is_excluded_and_every_reason_excludes_something() -> None:
    rng = np.random.default_rng(0)
    seen: dict[str, int] = {}
    for _ in range(250):
        joint = random_table(rng, 6)
        known = truth(joint)
        for largest in range(1, joint.public.size + 1):
            best = round(joint.sensitive.size / known.least_ratio(largest))
            assert not any(exclusions(joint, largest, best).values())
            if best < joint.sensitive.size:
                for reason, is_excluded in exclusions(joint, largest, best + 1).items():
                    seen[reason] = seen.get(reason, 0) + is_excluded
    assert min(seen.values()) > 50
