"""How many random inputs a test draws: fewer where a person waits, all of them in the long run by hand.

HARTLEY_TESTS says which: ``quick`` for the tests of some paths, ``long`` by hand; otherwise as in CI.
"""

from __future__ import annotations

import os


def sample(usual: int, long: int) -> int:
    """Return how many inputs are drawn here: usually, and in the long run."""
    kind = os.environ.get("HARTLEY_TESTS")
    if kind == "long":
        return long
    return max(2, usual // 5) if kind == "quick" else usual
