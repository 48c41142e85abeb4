"""Counts on a release, against a reader who goes through the rows one by one."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from hartley.measures.query_error import CountQueries
from hartley.model import Alphabet, JointRange, Partition


def table(source: Random) -> tuple[JointRange, list[tuple[float | None, str]]]:
    values: list[tuple[float | None, str]] = [(float(a), b) for a in range(6) for b in "xyz"]
    if source.random() < 0.5:
        values.append((None, "x"))
    source.shuffle(values)
    values = values[: source.randint(4, len(values))]
    codes = [*range(len(values)), *(source.randrange(len(values)) for _ in range(60))]
    joint = JointRange.from_codes(
        public_codes=np.array(codes),
        sensitive_codes=np.array([source.randint(0, 3) for _ in codes]),
        public=Alphabet.of_values(values, columns=("a", "b")),
    )
    return joint, values


def test_of_two_numbers_one_is_asked_for():
    joint = JointRange.from_codes(
        public_codes=np.repeat([0, 1], 30),
        sensitive_codes=np.arange(60) % 3,
        public=Alphabet.of_values([(0.0, 0.0), (1.0, 1.0)], columns=("a", "b")),
    )
    # Every question that can be answered asks for half of the rows; nothing is left that tells them apart.
    assert CountQueries.draw(joint, seed=1, queries=20).median_error(Partition([0, 0])) == 0.5


@pytest.mark.parametrize("seed", range(30))
def test_errors_are_what_a_reader_of_the_rows_finds(seed):
    source = Random(seed)
    joint, values = table(source)
    labels = np.array([source.randint(0, 3) for _ in values])
    partition = Partition(labels)
    withheld = tuple(np.flatnonzero(labels == 3).tolist()) if seed % 2 else ()
    queries = CountQueries.draw(joint, seed=seed, queries=20)
    numbers = sorted({a for a, _ in values if a is not None})
    words = list(dict.fromkeys(b for _, b in values))
    rows = queries.rows

    def may_be(column: int, place: int) -> set[int]:
        """Return the cells, by their codes, that a reader takes the class of a value to stand for."""
        inside = [values[m][column] for m in np.flatnonzero(labels == labels[place])]
        if place in withheld:
            return set(range(queries.columns[column].size))
        if column == 1:
            return {words.index(cell) for cell in inside}
        here = [numbers.index(cell) for cell in inside if cell is not None]
        cells = set(range(min(here), max(here) + 1)) if here else set()
        return cells | ({len(numbers)} if None in inside else set())

    assert len(queries.queries) > 0
    for query, error in zip(queries.queries, queries.errors(partition, withheld), strict=True):
        truth = guess = 0.0
        for place, (number, word) in enumerate(values):
            cells = [len(numbers) if number is None else numbers.index(number), words.index(word)]
            truth += rows[place] * all(asked[cells[column]] for column, asked in query.asked)
            share = 1.0
            for column, asked in query.asked:
                possible = may_be(column, place)
                share *= sum(bool(asked[cell]) for cell in possible) / len(possible)
            guess += rows[place] * share
        assert query.answer == truth
        assert error == pytest.approx(abs(guess - truth) / truth)


def test_nothing_merged_means_no_error_and_the_same_seed_the_same_counts():
    joint, values = table(Random(1))
    drawn, again = CountQueries.draw(joint, seed=4), CountQueries.draw(joint, seed=4)
    assert drawn.median_error(Partition.singletons(len(values))) == 0
    whole = Partition.whole(len(values))
    assert drawn.median_error(whole) == again.median_error(whole) > 0
