"""Random joint ranges and partitions, for properties that hold for all inputs."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hartley.model import JointRange, Partition


@st.composite
def joint_ranges(
    draw: st.DrawFn, *, max_public: int = 8, max_sensitive: int = 6, side: bool = False, min_public: int = 1
) -> JointRange:
    """Draw a joint range: every public value with some sensitive values, some pairs in several rows."""
    publics = draw(st.integers(min_public, max_public))
    sensitives = draw(st.integers(1, max_sensitive))
    sides = draw(st.integers(1, 3)) if side else 1
    triples: list[tuple[int, int, int]] = []
    for public in range(publics):
        cells = draw(
            st.lists(
                st.tuples(st.integers(0, sensitives - 1), st.integers(0, sides - 1)), min_size=1, max_size=6
            )
        )
        triples += [(public, sensitive, known) for sensitive, known in cells]
    codes = np.array(triples)
    return JointRange.from_codes(
        public_codes=codes[:, 0],
        sensitive_codes=_dense(codes[:, 1]),
        side_codes=_dense(codes[:, 2]) if side else None,
    )


@st.composite
def partitions(draw: st.DrawFn, size: int) -> Partition:
    """Draw a partition of this many values."""
    labels = draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size))
    return Partition(np.array(labels))


@st.composite
def joint_ranges_with_partition(
    draw: st.DrawFn, *, max_public: int = 8, max_sensitive: int = 6, side: bool = False
) -> tuple[JointRange, Partition]:
    """Draw a joint range and a partition of its public values."""
    joint = draw(joint_ranges(max_public=max_public, max_sensitive=max_sensitive, side=side))
    return joint, draw(partitions(joint.public.size))


def _dense(codes: np.ndarray) -> np.ndarray:
    return np.unique(codes, return_inverse=True)[1]
