"""Under a limit of time the cheap methods come first on every level, and more time only makes it better."""

from __future__ import annotations

from itertools import count, pairwise

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.measures.utility import LineDistortion, Resolution
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search import any_utility
from hartley.search.codebooks import CodebookProblem, PublicColumn, codebooks_by_demand
from hartley.search.columns.cells import NumberCells
from hartley.search.columns.search import search_columns
from hartley.search.columns.withheld import withhold_tuples
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.line.components import fewest
from hartley.search.sweep import Sweep
from paper_levels import candidate_search, connected_search, searched_levels, size_search

LEAKAGES = ("l0", "istar", "joint")
LIMITS = (3, 10, 30, 100)
"""Questions that a clock answers with no, in place of seconds."""


def table(seed: int, size: int = 18, *, has_side: bool = False) -> tuple[JointRange, np.ndarray]:
    """Draw a table of one to three sensitive values each, and positions on a line."""
    rng = np.random.default_rng(seed)
    public = np.repeat(np.arange(size), rng.integers(1, 4, size))
    sensitive = np.unique(rng.integers(0, 9, len(public)), return_inverse=True)[1]
    drawn = np.unique(np.stack([public, sensitive]), axis=1)
    side = np.unique(rng.integers(0, 2, drawn.shape[1]), return_inverse=True)[1] if has_side else None
    positions = np.sort(rng.choice(10 * size, size, replace=False)).astype(float)
    return JointRange.from_codes(public_codes=drawn[0], sensitive_codes=drawn[1], side_codes=side), positions


def utilities(positions: np.ndarray) -> dict[str, object]:
    return {
        "resolution": Resolution(len(positions)),
        "midpoint": LineDistortion(positions, "midpoint"),
        "centroid": LineDistortion(positions, "centroid"),
        "any": MatrixDistortion(np.abs(positions[:, None] - positions) ** 0.5),
    }


def stopping_after(questions: int) -> Effort:
    asked = count()
    return Effort(should_stop=lambda: next(asked) >= questions)


@pytest.mark.parametrize("has_side", [False, True])
@pytest.mark.parametrize("name", ["resolution", "midpoint", "centroid", "any"])
@pytest.mark.parametrize("leakage", LEAKAGES)
def test_a_longer_limit_never_gives_a_worse_frontier(leakage, name, has_side):
    for seed in range(1):
        drawn, positions = table(seed, has_side=has_side)
        utility = utilities(positions)[name]
        starts = [Partition(np.arange(len(positions)) // 3)]
        found = []
        for limit in LIMITS:
            try:
                found.append(searched_levels(drawn, leakage, utility, stopping_after(limit), starts).levels)
            except UnreachableError:
                assert leakage == "joint"
                return
        for shorter, longer in pairwise(found):
            for level in shorter:
                assert any(
                    other.cost <= level.cost * (1 + 1e-9) and other.leakage_bits <= level.leakage_bits + 1e-9
                    for other in longer
                ), (seed, level)


def recorded(search: Sweep, stop_at: int | None = None) -> list[int]:
    """Have a search tell the stages it comes to, in order; it stops as one is reached."""
    met: list[int] = []
    search.stages = tuple(
        lambda line, known, effort, number=number, stage=stage: (
            met.append(number) or stage(line, known, effort)
        )
        for number, stage in enumerate(search.stages)
    )
    search.effort = Effort(should_stop=lambda: stop_at is not None and stop_at in met)
    return met


@pytest.mark.parametrize("codeword", ["midpoint", "centroid", "member"])
@pytest.mark.parametrize("made", [candidate_search, connected_search])
def test_every_number_of_candidates_comes_through_one_stage_before_any_comes_to_the_next(made, codeword):
    drawn, positions = table(4)
    search = made(drawn, LineDistortion(positions, codeword), UNLIMITED, ())
    met = recorded(search)
    search.run()
    assert met == sorted(met)
    assert len(set(met)) > 1


@pytest.mark.parametrize("codeword", ["midpoint", "centroid", "member"])
@pytest.mark.parametrize("made", [candidate_search, connected_search])
def test_a_search_stopped_at_its_first_dear_method_has_the_cheap_answer_of_every_level(made, codeword):
    drawn, positions = table(4)
    utility = LineDistortion(positions, codeword)
    cheap = made(drawn, utility, UNLIMITED, ())
    cheap.stages = cheap.stages[:1]
    cheap.run()
    stopped = made(drawn, utility, UNLIMITED, ())
    recorded(stopped, stop_at=1)
    assert not stopped.run()
    for number in range(1, stopped.axis.most + 1):
        assert stopped.known(number).cost <= cheap.known(number).cost
        assert stopped.known(number).bound >= cheap.known(number).bound


@pytest.mark.parametrize("one_component", [False, True])
@pytest.mark.parametrize("has_side", [False, True])
def test_all_levels_are_glanced_at_before_any_is_searched_at_length(has_side, one_component):
    drawn, _ = table(2, has_side=has_side)
    search = size_search(drawn, UNLIMITED, (), one_component=one_component)
    met = recorded(search)
    search.run()
    assert met == sorted(met)
    assert met.count(0) > 2


def test_every_distortion_and_every_level_gets_a_part_of_the_steps_before_any_gets_all(monkeypatch):
    _, positions = table(3)
    drawn = JointRange.from_codes(public_codes=np.arange(18), sensitive_codes=np.arange(18) % 9)
    shares: list[int] = []
    look, walk = fewest.ComponentAxis.look, any_utility.AnyAxis.walk

    def looked(self, cost, known, share, effort):
        shares.append(share)
        return look(self, cost, known, share, effort)

    def walked(self, cost, goal, share, effort):
        shares.append(share)
        return walk(self, cost, goal, share, effort)

    monkeypatch.setattr(fewest.ComponentAxis, "look", looked)
    monkeypatch.setattr(any_utility.AnyAxis, "walk", walked)
    for name in ("midpoint", "any"):
        shares.clear()
        searched_levels(drawn, "istar", utilities(positions)[name])
        assert shares == sorted(shares, reverse=True)
        # On a line what is cheap often proves all.
        assert len(set(shares)) == 2 or (name == "midpoint" and shares[0] > 1)


class Clock:
    """A clock that goes on by a second with every question."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    def remaining(self) -> float:
        self.left -= 1
        return self.left

    @property
    def effort(self) -> Effort:
        return Effort(should_stop=lambda: self.remaining() <= 0, remaining=lambda: self.left)


def test_a_share_of_an_effort_ends_with_its_part_of_the_time():
    left = [12.0]
    whole = Effort(should_stop=lambda: left[0] <= 0, remaining=lambda: left[0])
    part = whole.share(3)
    assert (part.remaining(), part.should_stop()) == (4.0, False)
    left[0] = 8.0
    assert (part.remaining(), part.should_stop(), whole.should_stop()) == (0.0, True, False)
    assert UNLIMITED.share(5) is UNLIMITED
    assert whole.share(1) is whole


def test_codebooks_for_ever_stronger_demands_each_get_a_share_of_the_time():
    random = np.random.default_rng(3)
    columns = tuple(PublicColumn.of_cells(f"c{j}", random.integers(0, 9, 80)) for j in range(3))
    drawn = JointRange.from_codes(public_codes=np.arange(80), sensitive_codes=np.arange(80) % 7)
    problems = [
        CodebookProblem(columns, Enough.of(drawn, [Requirement("distinct-l", level)]))
        for level in range(1, 8)
    ]
    losses = []
    for seconds in (1, 40, 400, 4000):
        clock = Clock(seconds)
        found = codebooks_by_demand(problems, effort=clock.effort)
        assert found[-1] is not None
        assert clock.left > -150 * len(problems)  # little is asked once the time is over
        # What no search had time for is as good as what a stronger demand has.
        known = [one.loss if one is not None else np.inf for one in found]
        losses.append(np.minimum.accumulate(known[::-1])[::-1])
    for shorter, longer in pairwise(losses):
        assert (longer <= shorter + 1e-12).all()
    assert losses[-1][0] < losses[0][0]


def test_withheld_tuples_without_time_have_a_bound_that_holds():
    random = np.random.default_rng(4)
    columns = [NumberCells(random.random(600)), NumberCells(random.random(600))]
    drawn = JointRange.from_codes(public_codes=np.arange(600), sensitive_codes=np.arange(600) % 9)
    enough = Enough.of(drawn, [Requirement("distinct-l", 4)])
    base = search_columns(columns, enough, effort=Effort(should_stop=lambda: True))
    hurried = withhold_tuples(columns, enough, 12, base, effort=Effort(should_stop=lambda: True))
    patient = withhold_tuples(columns, enough, 12, base, effort=UNLIMITED)
    assert hurried.bound <= patient.bound <= patient.worst <= hurried.worst
