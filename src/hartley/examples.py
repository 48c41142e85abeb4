"""The paper's running example, as data."""

from __future__ import annotations

from hartley.model import JointRange

TOY_PAIRS = (
    ("x1", "s1"),
    ("x1", "s2"),
    ("x2", "s1"),
    ("x3", "s3"),
    ("x4", "s3"),
    ("x5", "s4"),
    ("x6", "s5"),
    ("x7", "s6"),
)
"""The joint range of Example 1, as (public, sensitive) pairs."""


def toy(x7: float = 1.0) -> JointRange:
    """Give the joint range of Example 1, with the positions of Example 2.

    Example 4 moves the last value: ``toy(x7=4)``.

    >>> toy()
    JointRange(7 public values, 6 sensitive values, 8 pairs)
    """
    places = {"x1": 0.2, "x2": 0.1, "x3": 0.4, "x4": 0.3, "x5": 0.6, "x6": 1.5, "x7": x7}
    return JointRange.from_pairs(TOY_PAIRS, positions=places)
