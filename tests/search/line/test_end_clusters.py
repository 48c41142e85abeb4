"""What the cluster of an end costs at least, against every set of values that holds the end."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hartley.measures.utility import LineDistortion
from hartley.model import JointRange
from hartley.search.effort import Effort
from hartley.search.line.end_clusters import end_bound
from line_search import Line


def skewed_line(seed: int) -> Line:
    """A few values near the end with little to show, and some far away with much."""
    source = random.Random(seed)
    size = source.randint(6, 10)
    places = sorted(source.sample(range(60), size))
    pairs = [(float(x), s) for x in places for s in source.sample(range(9), source.choice((1, 1, 1, 2, 5)))]
    joint = JointRange.from_pairs(pairs, positions={x: x for x, _ in pairs})
    return Line(joint, LineDistortion.of(joint.public, "centroid"))


def crowded_line(seed: int) -> Line:
    """Many values at the end and halfway that show the same, and a few far away that show the rest."""
    source = random.Random(seed)
    near, middle = range(source.randint(4, 7)), range(source.randint(4, 6))
    places = [*near, *(source.randint(14, 17) + i / 8 for i in middle), *(60.0 + i for i in range(2))]
    pairs = [(8.0 * x, 0) for x in places[:-2]] + [(8.0 * x, 1 + i) for i, x in enumerate(places[-2:])]
    joint = JointRange.from_pairs(pairs, positions={x: x for x, _ in pairs})
    return Line(joint, LineDistortion.of(joint.public, "centroid"))


def long_numbers_line(seed: int, greatest: int) -> Line:
    """Whole numbers of any length, in twos and threes, so that means are seldom exact."""
    source = random.Random(f"{seed} {greatest}")
    places = sorted(source.randint(0, greatest) for _ in range(9))
    pairs = [(i, s) for i in range(9) for s in source.sample(range(6), source.choice((1, 1, 2)))]
    joint = JointRange.from_pairs(pairs, positions=dict(enumerate(places)))
    return Line(joint, LineDistortion.of(joint.public, "centroid"))


def least_at_the_end(line: Line, end: str, wanted: int) -> float:
    """The least radius of the sets that hold the end and enough."""
    ranks = np.arange(line.size) if end == "first" else np.arange(line.size)[::-1]
    distance = np.abs(line.positions[ranks] - line.positions[ranks[0]])
    member = (np.arange(1 << line.size)[:, None] >> np.arange(line.size)) & 1
    shows = np.zeros((line.size, line.joint.sensitive.size))
    for place, rank in enumerate(ranks.tolist()):
        shows[place, line.held(rank)] = 1
    member = member[(member[:, 0] == 1) & ((member @ shows > 0).sum(axis=1) >= wanted)]
    count, total, farthest = member.sum(axis=1), member @ distance, (member * distance).max(axis=1)
    return float((np.maximum(total, count * farthest - total) / count).min())


@pytest.mark.parametrize("end", ["first", "last"])
def test_the_end_costs_at_least_its_bound(end):
    for seed in range(15):
        line = skewed_line(seed)
        for wanted in range(2, line.most_candidates + 1):
            radius = least_at_the_end(line, end, wanted)
            found = float(line.positions[-1] - line.positions[0])
            assert end_bound(line.asking(wanted), end, 0.0, found, Effort()) <= radius


@pytest.mark.parametrize("greatest", [6, 10**4, 10**7, 10**10, 10**12])
def test_bounds_of_whole_numbers_hold_to_the_last_digit(greatest):
    """A solver's tolerance is lost in long numbers; a mean computed in another way is another number."""
    close = 0
    for seed in range(12):
        line = long_numbers_line(seed, greatest)
        for wanted in range(2, line.most_candidates + 1):
            radius = least_at_the_end(line, "first", wanted)
            found = float(line.positions[-1] - line.positions[0])
            bound = end_bound(line.asking(wanted), "first", 0.0, found, Effort())
            assert bound <= radius
            close += bound >= radius * (1 - 1e-5)
    assert close > 20


@pytest.mark.parametrize("questions", [1, 2, 100])
@pytest.mark.parametrize("draw", [skewed_line, crowded_line])
def test_a_bound_cut_short_still_holds(questions, draw):
    for seed in range(12):
        line = draw(seed)
        for wanted in range(2, line.most_candidates + 1):
            asked = iter(range(questions))
            stopped = Effort(should_stop=lambda asked=asked: next(asked, None) is None)
            radius = least_at_the_end(line, "first", wanted)
            found = float(line.positions[-1] - line.positions[0])
            assert end_bound(line.asking(wanted), "first", 0.0, found, stopped) <= radius
