"""A sample of the matrix: all is right, or refused in one line."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

import hartley
from matrix.cells import CALLS, combinations
from matrix.runner import Tally, ask_all, without_the_walk
from sample_sizes import sample


def seed() -> int:
    """Return the seed to run again, or one of the code as it stands.

    Every change of the code draws other cells, in CI too; of the same code a run is as red as the one before.
    """
    given = os.environ.get("HARTLEY_MATRIX_SEED")
    if given is not None:
        return int(given)
    code = sha256()
    for path in sorted(Path(hartley.__file__).parent.rglob("*.py")):
        code.update(path.read_bytes())
    return int.from_bytes(code.digest()[:4], "big")


def hold(call: str, cells: int, most: int, *, searched: bool = False) -> None:
    """Ask so many combinations of a call, and fail with every cell that is wrong.

    ``searched``: by the searches for many values, which may say that they found nothing.
    """
    drawn = seed()
    random = Random(drawn)
    chosen = [one for one in combinations() if one.call == call]
    tally = Tally(may_miss=searched)
    ask_all(random, random.choices(chosen, k=cells), tally, most=most)
    print(f"HARTLEY_MATRIX_SEED={drawn}: {tally.right} right, {len(tally.refused)} refused")
    wrong = "\n".join(tally.wrong[:5])
    assert not tally.wrong, f"HARTLEY_MATRIX_SEED={drawn}: {len(tally.wrong)} wrong cells\n{wrong}"


CALL = pytest.mark.parametrize("call", CALLS)


@CALL
def test_answers_are_those_of_the_definitions(call):
    hold(call, sample(600, 20_000), most=5)


@CALL
def test_answers_of_the_searches_for_many_values_are_those_of_the_definitions(call, monkeypatch):
    without_the_walk(monkeypatch.setattr)
    hold(call, sample(400, 10_000), most=5, searched=True)


@CALL
def test_answers_of_more_values_are_those_of_the_definitions(call):
    hold(call, sample(30, 2_000), most=6)
