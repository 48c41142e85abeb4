"""A run that is stopped is the beginning of the whole run, and says that it was stopped."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count

import numpy as np
import pytest

import hartley
from greedy_instances import random_joint, random_positions
from hartley.errors import OptionError
from hartley.examples import toy
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.model import JointRange, MergeTree
from hartley.search.effort import Effort
from hartley.search.greedy import component_joining, joint_search, narrowest_first, recorder

Search = Callable[[JointRange, Utility, Effort], MergeTree]
SEARCHES: dict[str, Search] = {
    "narrowest first": narrowest_first,
    "component joining": component_joining,
    "joint": lambda joint, utility, effort: joint_search(joint, utility, 0.3, effort),
}


def stopping_after(questions: int) -> Effort:
    asked = count()
    return Effort(should_stop=lambda: next(asked) >= questions)


def utilities(rng: random.Random, size: int) -> list[Utility]:
    positions = np.array(random_positions(rng, size))
    distances = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(float)
    lines = [LineDistortion(positions, codeword) for codeword in ("midpoint", "centroid", "member")]
    return [Resolution(size), *lines, MatrixDistortion(distances)]


def slice_by(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Make every slice of so many steps, compiled or not."""
    for one in ("PLAIN_SLICE", "COMPILED_SLICE"):
        monkeypatch.setattr(recorder, one, steps)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("side", [False, True])
def test_a_stopped_run_is_the_beginning_of_the_whole_run(name, side, monkeypatch):
    search = SEARCHES[name]
    rng = random.Random(f"{name} {side}")
    cut = 0
    for _ in range(12):
        size = rng.randint(2, 14)
        joint = random_joint(rng, size, side=side)
        for utility in utilities(rng, size):
            slice_by(monkeypatch, 30_000)
            whole = search(joint, utility, Effort())
            assert whole.complete
            # Slices so short that a run has many ends to be cut at.
            slice_by(monkeypatch, rng.randint(1, 300))
            for questions in (0, 1, 2, 3, 5, 8, 13, 40):
                part = search(joint, utility, stopping_after(questions))
                assert part.merges == whole.merges[: len(part.merges)]
                assert part.ends.tolist() == whole.ends[: len(part.ends)].tolist()
                assert part.complete == (part == whole)
                cut += not part.complete
    assert cut > 100


@pytest.mark.parametrize("utility", ["resolution", "midpoint", "centroid", "member"])
@pytest.mark.parametrize("name", SEARCHES)
def test_slices_do_not_change_the_run(name, utility, monkeypatch):
    rng = random.Random(f"{name} {utility}")
    for _ in range(40):
        size = rng.randint(1, 25)
        joint = random_joint(rng, size)
        positions = np.array(random_positions(rng, size))
        measure = Resolution(size) if utility == "resolution" else LineDistortion(positions, utility)
        slice_by(monkeypatch, 10**9)
        at_once = SEARCHES[name](joint, measure, Effort())
        slice_by(monkeypatch, rng.choice([1, 20, 100, 500]))
        assert SEARCHES[name](joint, measure, Effort()) == at_once


def test_a_search_tells_how_far_it_is_between_two_slices(monkeypatch):
    slice_by(monkeypatch, 50)
    told: list[tuple[int, int]] = []
    effort = Effort(progress=lambda done, total, _: told.append((done, total)))
    run = narrowest_first(random_joint(random.Random(3), 30), Resolution(30), effort)
    assert len(told) > 3
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert max(done for done, _ in told) <= len(run.merges)
    assert {total for _, total in told} == {29}


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf")])
def test_a_run_is_not_asked_where_no_weight_would_stop_it(weight):
    run = hartley.greedy(toy(), "l0", "resolution")
    for asked in (run.stop, run.trace):
        with pytest.raises(OptionError, match="utility_weight needs a finite number from 0 on"):
            asked(weight)
