"""Joint ranges by name, 200 of them with known optima: to hold one method against another.

A name is ``family-values-seed``, such as ``line-30-7``. The same name gives the same joint range on every
machine and under every version: it is drawn from Python's own random source by ``random()`` alone, whose
sequence is guaranteed. Public values have positions on a line, at most two decimals.

===========  ==========================================================================
line         one to three sensitive values near each other, as age is near pulse
sparse       one to three sensitive values anywhere
dense        three to six sensitive values anywhere
skewed       a few sensitive values are common, most are rare
functional   one sensitive value for each public value
===========  ==========================================================================
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random

from hartley.errors import InputError
from hartley.model import JointRange
from hartley.model.words import leakage_named

FAMILIES = ("line", "sparse", "dense", "skewed", "functional")
FROZEN_SIZES = (8, 10, 20, 30)
"""Public values of the instances with known optima."""
FROZEN_SEEDS = range(10)
MOST_VALUES = 1_000_000


@dataclass(frozen=True)
class Instance:
    """A joint range with a name, and its known optima.

    >>> found = load("line-8-0")
    >>> found.joint
    JointRange(8 public values, 6 sensitive values, 15 pairs)
    >>> found.optimum("l0", "size")
    {1: 1.0, 2: 2.0, 3: 2.0, 4: 3.0, 5: 4.0, 6: 8.0}
    """

    name: str
    joint: JointRange
    known: Mapping[str, Mapping[str, float]]
    """The least cost of every level, by question."""

    def optimum(self, leakage: str, utility: str) -> dict[int, float]:
        """Return the least worst cost for every level that can be reached.

        A level is the fewest candidates of a released value (``l0``), or the most components (``istar``); a
        cost is the number of values in the largest cluster (``size``), or the distortion in the unit of the
        positions (``midpoint``, ``centroid``).

        Raises
        ------
        InputError
            Where it is not known.
        """
        question = f"{leakage_named(leakage)} {utility}"
        if question not in self.known:
            has = f"{self.name} knows {', '.join(self.known)}" if self.known else f"{self.name} is not frozen"
            raise InputError(f"no optimum is known of {leakage} and {utility}: {has}")
        return {int(level): cost for level, cost in self.known[question].items()}


def names() -> tuple[str, ...]:
    """Return the names of the instances with known optima.

    >>> len(names()), names()[0]
    (200, 'line-8-0')
    """
    return tuple(
        f"{family}-{size}-{seed}" for family in FAMILIES for size in FROZEN_SIZES for seed in FROZEN_SEEDS
    )


def load(name: str) -> Instance:
    """Return the instance of a name, with what is known of its optima; any size and seed will do.

    >>> load("dense-50-12345").known
    {}
    """
    family, _, rest = str(name).partition("-")
    size, _, seed = rest.partition("-")
    if family not in FAMILIES or not (size.isdecimal() and seed.isdecimal()):
        raise InputError(
            f"no instance {name!r}; a name is family-values-seed with a family of {', '.join(FAMILIES)}"
        )
    if not 2 <= int(size) <= MOST_VALUES:
        raise InputError(f"an instance has 2 to {MOST_VALUES} public values, not {size}")
    return Instance(name, _drawn(family, int(size), int(seed)), _optima().get(name, {}))


@cache
def _optima() -> dict[str, dict[str, dict[str, float]]]:
    read: dict[str, dict[str, dict[str, float]]] = json.loads(
        files("hartley").joinpath("instances.json").read_text("utf-8")
    )
    return read


def _drawn(family: str, size: int, seed: int) -> JointRange:
    source = Random(f"{family}-{size}-{seed}")  # noqa: S311 (an example, not a secret)

    def whole(least: int, most: int) -> int:
        return least + int(source.random() * (most - least + 1))

    secrets = max(3, round(0.75 * size) if size <= 10 else round(2.5 * size**0.5))
    pairs: list[tuple[int, int]] = []
    positions: dict[int, float] = {}
    place = 0
    for value in range(size):
        place += whole(1, 1000)
        positions[value] = place / 100
        if family == "line":
            centre = value * secrets / size
            drawn = [int(centre + 6 * (source.random() - 0.5)) for _ in range(whole(1, 3))]
        elif family == "skewed":
            drawn = [int(secrets * source.random() ** 3) for _ in range(whole(1, 3))]
        else:
            count = {"sparse": whole(1, 3), "dense": whole(3, 6), "functional": 1}[family]
            drawn = [whole(0, secrets - 1) for _ in range(count)]
        pairs += [(value, min(max(one, 0), secrets - 1)) for one in drawn]
    return JointRange.from_pairs(pairs, positions=positions)
