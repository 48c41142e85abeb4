"""A sample of the matrix, drawn anew each time: every answer is right, or refused in one line."""

from __future__ import annotations

import os
from random import Random, SystemRandom

from hartley.search.few_values import walk
from hartley.search.line import cheapest, withheld
from matrix.cells import Combination, combinations
from matrix.runner import Tally, ask_all
from sample_sizes import sample


def seed() -> int:
    """Return a seed of today, or the one that is to be run again."""
    given = os.environ.get("HARTLEY_MATRIX_SEED")
    return SystemRandom().randrange(10**9) if given is None else int(given)


def is_known_wrong(one: Combination) -> bool:
    """Tell whether searches for many values are known to be wrong there, beside missing cells."""
    return (one.reader != "plain" and one.requirement == "l0") or (one.shape != "any" and one.axis == "joint")


def hold(call: str, cells: int, most: int, *, answered: bool = False) -> None:
    """Ask so many combinations of a call, and fail with every cell that is wrong.

    ``answered``: none of bands beside what a reader knows, which searches for many values refuse; and, beside
    missing cells, neither bits beside what a reader knows nor bands of one component, which these
    searches get wrong in about one cell of 500: ``run.py --large`` shows them.
    """
    drawn = seed()
    random = Random(drawn)
    chosen = [one for one in combinations() if one.call == call and one.is_held]
    if answered:
        chosen = [one for one in chosen if one.shape == "any" or one.reader == "plain"]
        chosen = [one for one in chosen if not (one.withheld == "beside missing" and is_known_wrong(one))]
    tally = Tally()
    ask_all(random, random.choices(chosen, k=cells), tally, most=most)
    print(f"HARTLEY_MATRIX_SEED={drawn}: {tally.right} right, {len(tally.refused)} refused")
    wrong = "\n".join(tally.wrong[:5])
    assert not tally.wrong, f"HARTLEY_MATRIX_SEED={drawn}: {len(tally.wrong)} wrong cells\n{wrong}"


def test_frontiers_are_those_of_the_definitions():
    hold("frontier", sample(1000, 20_000), most=5)


def test_frontiers_by_the_searches_for_many_values_are_those_of_the_definitions(monkeypatch):
    for module in (walk, cheapest, withheld):
        monkeypatch.setattr(module, "MOST_VALUES", 0)
    monkeypatch.setattr(walk, "MOST_QUICK_VALUES", 0)
    hold("frontier", sample(150, 5_000), most=5, answered=True)


def test_frontiers_of_more_values_are_those_of_the_definitions():
    hold("frontier", sample(60, 2_000), most=6)


def test_releases_are_those_of_the_definitions():
    hold("release", sample(150, 5_000), most=5)


def test_releases_within_a_cap_are_those_of_the_definitions():
    hold("capped", sample(150, 5_000), most=5)
