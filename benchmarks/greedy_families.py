"""Tables on which a greedy search may stumble: who has which sensitive values, and where values lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hartley.model import JointRange


def several_of(width: int, most: int) -> Callable[[int], JointRange]:
    """Return tables in which each public value has two sensitive values of ``width``, or two to ``most``."""

    def make(size: int) -> JointRange:
        rng = np.random.default_rng(size + width)
        public = np.repeat(np.arange(size), rng.integers(2, most + 1, size))
        sensitive = np.unique(rng.integers(0, width, len(public)), return_inverse=True)[1]
        return JointRange.from_codes(public_codes=public, sensitive_codes=sensitive)

    return make


def zipf(size: int) -> JointRange:
    """Return a table in which few sensitive values have many public ones, and many have few."""
    rng = np.random.default_rng(size + 3)
    public = np.repeat(np.arange(size), 1 + (rng.random(size) < 0.5))
    sensitive = np.unique(np.minimum(rng.zipf(1.5, len(public)), 100_000), return_inverse=True)[1]
    return JointRange.from_codes(public_codes=public, sensitive_codes=sensitive)


def blocks(size: int) -> JointRange:
    """Return a table of twenty long blocks, each with one sensitive value."""
    return JointRange.from_codes(
        public_codes=np.arange(size), sensitive_codes=np.arange(size) // max(size // 20, 1)
    )


def equal_sets(size: int) -> JointRange:
    """Return a table in which all public values have the same two sensitive values."""
    return JointRange.from_codes(
        public_codes=np.repeat(np.arange(size), 2), sensitive_codes=np.tile([0, 1], size)
    )


def giant_component(size: int) -> JointRange:
    """Return a table in which all but fifty public values have one sensitive value."""
    sensitive = np.zeros(size, dtype=int)
    sensitive[:: size // 50] = 1 + np.arange(len(sensitive[:: size // 50]))
    return JointRange.from_codes(public_codes=np.arange(size), sensitive_codes=sensitive)


def linked(size: int) -> JointRange:
    """Return one component: each public value has a sensitive value of its own and a common one."""
    public = np.repeat(np.arange(size), 2)
    sensitive = np.stack((np.zeros(size, dtype=int), 1 + np.arange(size)), axis=1).ravel()
    return JointRange.from_codes(public_codes=public, sensitive_codes=sensitive)


def one_value(size: int) -> JointRange:
    """Return a table of one sensitive value."""
    return JointRange.from_codes(public_codes=np.arange(size), sensitive_codes=np.zeros(size, dtype=int))


def each_its_own(size: int) -> JointRange:
    """Return a table in which each public value has a sensitive value of its own."""
    return JointRange.from_codes(public_codes=np.arange(size), sensitive_codes=np.arange(size))


def every_block(size: int) -> JointRange:
    """Return components of few and of many public values, whose numbers of candidates differ widely."""
    rng = np.random.default_rng(size + 4)
    many = np.minimum(rng.zipf(1.6, size), 500)
    many = many[: int(np.searchsorted(np.cumsum(many), size)) + 1]
    block = np.repeat(np.arange(len(many)), many)[:size]
    width = np.minimum(rng.zipf(1.7, len(many)), 1000)
    # All have the first sensitive value of their block, and so many that follow.
    times = rng.integers(1, width[block] + 1)
    times[np.unique(block, return_index=True)[1]] = width
    offset = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    first = np.cumsum(width) - width
    public = np.repeat(rng.permutation(size), times)
    return JointRange.from_codes(public_codes=public, sensitive_codes=np.repeat(first[block], times) + offset)


TABLES: dict[str, Callable[[int], JointRange]] = {
    **{f"two of {width:,}": several_of(width, 2) for width in (100, 1_000, 10_000)},
    **{f"two or three of {width:,}": several_of(width, 3) for width in (100, 1_000, 10_000)},
    "Zipf": zipf,
    "long blocks": blocks,
    "all sets equal": equal_sets,
    "giant component": giant_component,
    "one component": linked,
    "one sensitive value": one_value,
    "each its own": each_its_own,
}


def scattered_points(size: int) -> np.ndarray:
    """Return different whole numbers, ascending."""
    rng = np.random.default_rng(size + 2)
    return np.sort(rng.choice(20 * size, size, replace=False)).astype(float)


POSITIONS: dict[str, Callable[[int], np.ndarray]] = {
    "scattered": scattered_points,
    "equal gaps": lambda size: np.arange(size, dtype=float),
    "a hundred places": lambda size: np.sort(np.arange(size) % 100).astype(float),
    "all equal": np.zeros,
}
