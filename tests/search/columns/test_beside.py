"""Several columns beside side information: what is enough, and that no release collapses for it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hartley
from hartley.measures.uncertainty import candidate_counts, row_counts
from hartley.model import JointRange, Partition
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.columns.cells import CategoryCells, NumberCells
from hartley.search.columns.search import ColumnsSearch, seen_alike
from hartley.search.effort import UNLIMITED
from hartley.search.enough import Enough
from reference_every_partition import every_partition
from sample_sizes import sample

TABLES = sample(usual=12, long=400)
REQUIRED = [
    [Requirement("distinct-l", 2)],
    [Requirement("distinct-l", 2), Requirement("row-k", 3)],
    [Requirement("row-k", 3)],
    [Requirement("separated-l", 2)],
]


def drawn(rng, size: int, rows: int, sides: int = 2, secrets: int = 4) -> JointRange:
    """Draw rows of a public value, a sensitive value and a side value."""
    codes = np.column_stack(
        [np.append(np.arange(size), rng.integers(0, size, rows - size)), rng.integers(0, secrets, rows)]
    )
    side = rng.integers(0, sides, rows)
    return JointRange.from_codes(
        public_codes=codes[:, 0],
        sensitive_codes=np.unique(codes[:, 1], return_inverse=True)[1],
        side_codes=np.unique(side, return_inverse=True)[1],
    )


def is_kept(joint: JointRange, labels, requirements, apart: int) -> bool:
    """Whether everything that a reader sees keeps what is required, by the definitions."""
    released = joint.release(Partition(labels))
    for one in requirements:
        if one.name == "row-k" and row_counts(released).min() < one.wanted:
            return False
        if one.name == "distinct-l" and candidate_counts(released).min() < one.wanted:
            return False
        if one.name == "separated-l":
            for at in range(released.observations):
                held = sorted(released.candidates(at))
                chain, last = 0, -apart - 1
                for value in held:
                    if value - last > apart:
                        chain, last = chain + 1, value
                if chain < one.wanted:
                    return False
    return True


@pytest.mark.parametrize("required", REQUIRED)
def test_what_is_enough_is_what_the_reader_must_be_left_with(required):
    rng = np.random.default_rng(5)
    close = Closeness.of({"sensitive": 1}) if required[0].name == "separated-l" else Closeness()
    for _ in range(TABLES):
        joint = drawn(rng, 5, 16)
        try:
            enough = Enough.beside(joint, required, close)
        except hartley.errors.UnreachableError:
            assert not is_kept(joint, np.zeros(5, dtype=int), required, 1)
            continue
        assert is_kept(joint, np.zeros(5, dtype=int), required, 1)
        for labels in every_partition(5):
            held = enough.are_enough(labels.astype(np.int64), int(labels.max()) + 1)
            assert bool(held.all()) == is_kept(joint, labels, required, 1)


@pytest.mark.parametrize("objective", ["mean", "worst"])
@pytest.mark.parametrize("required", REQUIRED)
def test_every_cluster_that_is_found_is_enough_and_near_the_best(required, objective):
    rng = np.random.default_rng(6)
    close = Closeness.of({"sensitive": 1}) if required[0].name == "separated-l" else Closeness()
    ours = best = 0.0
    for _ in range(TABLES):
        joint = drawn(rng, 7, 30)
        try:
            enough = Enough.beside(joint, required, close)
        except hartley.errors.UnreachableError:
            continue
        columns = [NumberCells(rng.random(7)), CategoryCells(rng.integers(0, 3, 7))]
        found = ColumnsSearch(columns, enough, all_divisions_up_to=0, objective=objective).run(
            (), True, UNLIMITED
        )
        assert is_kept(joint, found.labels, required, 1)
        exact = ColumnsSearch(columns, enough, objective=objective).run((), True, UNLIMITED)
        assert is_kept(joint, exact.labels, required, 1)
        if objective == "mean":
            assert exact.loss <= found.loss + 1e-12
            ours, best = ours + found.loss, best + exact.loss
        else:
            assert (exact.worst, exact.loss) <= (found.worst + 1e-12, found.loss + 1e-12)
    assert ours <= 1.2 * best


def test_the_least_mean_of_few_tuples_is_that_of_all_partitions():
    rng = np.random.default_rng(7)
    for _ in range(TABLES):
        joint = drawn(rng, 6, 20)
        required = [Requirement("distinct-l", 2)]
        try:
            enough = Enough.beside(joint, required)
        except hartley.errors.UnreachableError:
            continue
        columns = [NumberCells(rng.random(6)), CategoryCells(rng.integers(0, 3, 6))]
        search = ColumnsSearch(columns, enough, objective="mean")
        found = search.run((), True, UNLIMITED)
        losses = [
            search.candidate(labels.astype(np.int32)).loss
            for labels in every_partition(6)
            if is_kept(joint, labels, required, 1)
        ]
        assert found.loss == pytest.approx(min(losses), abs=1e-12)


def test_loops_that_cut_and_polish_say_the_same_compiled():
    rng = np.random.default_rng(8)
    joint = drawn(rng, 300, 900, sides=3, secrets=8)
    enough = Enough.beside(joint, [Requirement("distinct-l", 3)])
    columns = [NumberCells(rng.random(300)), CategoryCells(rng.integers(0, 5, 300))]
    from hartley.search.columns import prepared as at_hand

    plain = ColumnsSearch(columns, enough, objective="mean").run((), True, UNLIMITED)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(at_hand, "STEPS_PER_TUPLE", 10**9)
        compiled = ColumnsSearch(columns, enough, objective="mean").run((), True, UNLIMITED)
    assert (plain.labels == compiled.labels).all()
    assert is_kept(joint, plain.labels, [Requirement("distinct-l", 3)], 0)


def test_tuples_that_are_seen_alike_start_together_and_poor_ones_are_joined():
    joint = JointRange.from_codes(
        public_codes=np.array([0, 1, 2, 3, 4]),
        sensitive_codes=np.array([0, 1, 0, 1, 0]),
        side_codes=np.array([0, 0, 1, 1, 1]),
    )
    assert seen_alike(Enough.beside(joint, [Requirement("distinct-l", 2)])).tolist() == [0, 0, 1, 1, 1]
    both = JointRange.from_codes(
        public_codes=np.array([0, 1, 2, 3, 4, 4]),
        sensitive_codes=np.array([0, 1, 0, 1, 0, 0]),
        side_codes=np.array([0, 0, 1, 1, 0, 1]),
    )
    demand = Enough.beside(both, [Requirement("distinct-l", 2)])
    labels = seen_alike(demand)
    assert demand.are_enough(labels, int(labels.max()) + 1).all()


@pytest.mark.parametrize("how", ["keep", "side"])
@pytest.mark.parametrize("objective", ["mean", "worst"])
def test_text_that_is_kept_or_known_does_not_merge_everybody(tmp_path, how, objective):
    rng = np.random.default_rng(9)
    rows = 60
    table = pa.table(
        {
            "age": rng.integers(20, 60, rows),
            # So many that some class has to mix them, whichever comes first.
            "town": rng.choice(list("abcdefghijkl"), rows),
            "sex": rng.choice(["f", "m"], rows),
            "pay": rng.integers(0, 30, rows),
        }
    )
    made = hartley.release(
        table,
        tmp_path / "o.csv",
        sensitive="pay",
        public=["age", "town"],
        **{how: "sex"},
        require={"distinct_l": 3},
        objective=objective,
        time_limit=15,
    )
    assert made.after.distinct_l >= 3
    assert made.verification.holds
    assert made.point.max_distortion == 1
    assert made.point.clusters > 8
    assert made.usefulness.loss < 0.3
