"""Random joint ranges with positions, of the kinds that make a greedy search stumble."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from hartley.model import JointRange

FAMILIES = ("uniform", "skewed", "functional", "blocky", "one component", "all equal")


def random_joint(rng: random.Random, size: int, side: bool = False) -> JointRange:
    """Sensitive values of each public value: spread, crowded, one each, in blocks, all linked, all equal."""
    family = rng.choice(FAMILIES)
    width = rng.randint(1, size + 3)
    triples: list[tuple[int, int, int]] = []
    for x in range(size):
        times = 1
        while family != "functional" and rng.random() < 0.35:
            times += 1
        for _ in range(times):
            if family == "blocky":
                s = x * width // (2 * size) + (rng.random() < 0.1)
            elif family == "skewed":
                s = int(width * rng.random() ** 3)
            elif family == "all equal":
                s = 0
            else:
                s = rng.randrange(width)
            triples.append((x, s, rng.randrange(2) if side else 0))
        if family == "one component":
            triples.append((x, width if x % 4 else width + 1, 0))
    table = np.array(triples)
    dense = [np.unique(table[:, column], return_inverse=True)[1] for column in (1, 2)]
    return JointRange.from_codes(
        public_codes=table[:, 0], sensitive_codes=dense[0], side_codes=dense[1] if side else None
    )


def separate_blocks(rng: random.Random, size: int) -> JointRange:
    """Return components of few or many public values, each with few or many candidates of its own."""
    pairs: list[tuple[int, int]] = []
    places = rng.sample(range(size), size)
    sensitive = 0
    while places:
        width = rng.choice([1, 1, 2, 3, rng.randint(1, 20)])
        block = [places.pop() for _ in range(min(len(places), rng.choice([1, 1, 2, 5, 12])))]
        for i, place in enumerate(block):
            others = rng.sample(range(width), rng.randint(1, width)) if i else range(width)
            pairs.extend((place, sensitive + value) for value in {0, *others})
        sensitive += width
    table = np.array(sorted(pairs))
    return JointRange.from_codes(public_codes=table[:, 0], sensitive_codes=table[:, 1])


def random_positions(rng: random.Random, size: int) -> list[float]:
    """Positions with ties, equal gaps, decimals, or huge ones of both signs; sorted or not; some missing."""
    draw: Callable[[], float] = rng.choice(
        [
            lambda: float(rng.randrange(4)),
            lambda: float(rng.randrange(size)),
            lambda: float(rng.randrange(-20 * size, 20 * size)),
            lambda: rng.randrange(10) * 0.1,
            lambda: rng.random() * 100 - 50,
            lambda: rng.gauss(0, 1) * 1e12,
            lambda: 1e15 + rng.randrange(size),
        ]
    )
    positions = [draw() for _ in range(size)]
    if rng.random() < 0.1:
        positions = [float(i) for i in range(size)]
    if rng.random() < 0.5:
        positions.sort()
    if rng.random() < 0.2:
        positions = [float("nan") if rng.random() < 0.2 else p for p in positions]
    return positions


def small_size(rng: random.Random, largest: int = 25) -> int:
    """A size from 1 to the largest, mostly small: the twins are slow, and most traps fit in few values."""
    return 1 + int(largest * rng.random() ** 2.5)
