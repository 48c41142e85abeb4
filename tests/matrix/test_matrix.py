"""A sample of the matrix: all is right, or refused in one line."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from random import Random

import hartley
from matrix.cells import combinations
from matrix.runner import Tally, ask_all, without_the_walk
from sample_sizes import sample

SEED_OF_CI = 28
"""No change is red in CI by an unlucky draw; whoever runs the tests, or `run.py`, draws others."""


def seed() -> int:
    """Return the seed to run again, or one of the code as it stands; in CI always the same."""
    given = os.environ.get("HARTLEY_MATRIX_SEED")
    if given is not None or os.environ.get("HARTLEY_TESTS") == "ci":
        return int(given or SEED_OF_CI)
    code = sha256()
    for path in sorted(Path(hartley.__file__).parent.rglob("*.py")):
        code.update(path.read_bytes())
    return int.from_bytes(code.digest()[:4], "big")


def hold(call: str, cells: int, most: int, *, searched: bool = False) -> None:
    """Ask so many combinations of a call, and fail with every cell that is wrong.

    ``searched``: none of bands beside what a reader knows, which searches for many values refuse; and those
    may say that they found nothing.
    """
    drawn = seed()
    random = Random(drawn)
    chosen = [one for one in combinations() if one.call == call and one.is_held]
    if searched:
        chosen = [one for one in chosen if one.shape == "any" or one.reader == "plain"]
    tally = Tally(may_miss=searched)
    ask_all(random, random.choices(chosen, k=cells), tally, most=most)
    print(f"HARTLEY_MATRIX_SEED={drawn}: {tally.right} right, {len(tally.refused)} refused")
    wrong = "\n".join(tally.wrong[:5])
    assert not tally.wrong, f"HARTLEY_MATRIX_SEED={drawn}: {len(tally.wrong)} wrong cells\n{wrong}"


def test_frontiers_are_those_of_the_definitions():
    hold("frontier", sample(400, 20_000), most=5)


def test_frontiers_by_the_searches_for_many_values_are_those_of_the_definitions(monkeypatch):
    without_the_walk(monkeypatch.setattr)
    hold("frontier", sample(80, 5_000), most=5, searched=True)


def test_frontiers_of_more_values_are_those_of_the_definitions():
    hold("frontier", sample(30, 2_000), most=6)


def test_releases_are_those_of_the_definitions():
    hold("release", sample(70, 5_000), most=5)


def test_releases_within_a_cap_are_those_of_the_definitions():
    hold("capped", sample(70, 5_000), most=5)
