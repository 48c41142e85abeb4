"""A frontier, a release and an empty requirement ask one question, so they have one answer."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest

import hartley
from hartley.errors import UnreachableError
from matrix.cells import Table, draw_table
from matrix.test_matrix import seed
from sample_sizes import sample


def told(point: Any) -> tuple[Any, ...]:
    """What a point says of itself, but for how it was found."""
    bounds = [point.lower_bound_cost, point.lower_bound_bits]
    numbers = [point.cost, point.leakage_bits, *(-1.0 if one is None else one for one in bounds)]
    return (*(round(float(one), 9) for one in numbers), point.proven_optimal, point.withheld_rows)


class Asked:
    """A random table with a random question."""

    def __init__(self, random: Random, folder: Path, most: int) -> None:
        reader = random.choice(("plain", "plain", "kept", "side"))
        self.cost = random.choice(("size", "midpoint", "member", "centroid"))
        is_missing = random.random() < 0.2
        self.table: Table = draw_table(random, self.cost, reader, missing=is_missing, columns=1, most=most)
        roles: dict[str, Any] = {"sensitive": "s", "public": "x"}
        if reader != "plain":
            roles |= {"keep": "k"} if reader == "kept" else {"side": "a"}
        if random.random() < 0.25:
            roles["tolerance"] = {"s": random.choice((0, 1))}
        self.search: dict[str, Any] = {"leakage": random.choice(("l0", "l0", "joint"))}
        if "tolerance" in roles:
            self.search["leakage"] = "l0"
        if self.cost == "size":
            self.search["utility"] = "resolution"
        else:
            self.search["utility"] = hartley.UtilityChoice(name="distortion", codeword=self.cost)
        if random.random() < 0.4:
            self.search["withhold"] = random.randint(1, 3)
        if reader == "plain" and random.random() < 0.3 and not isinstance(self.table.values[0][0], str):
            self.search["shape"] = "intervals"
        self.study = hartley.Study(
            pa.table({name: pa.array(cells) for name, cells in self.table.columns.items()}), **roles
        )
        self.roles, self.folder = roles, folder

    def frontier(self, **more: Any) -> Any:
        try:
            return self.study.frontier(**self.search, **more)
        except UnreachableError:
            return None

    def release(self, **demand: Any) -> Any:
        try:
            made = self.study.release(
                self.folder / "out.csv", require=demand, overwrite=True, exposure="accept", **self.search
            )
        except UnreachableError:
            return None
        return made.point

    def __str__(self) -> str:
        return f"{self.table.columns}\n{self.roles}\n{self.search}"


def check(random: Random, folder: Path, most: int) -> None:
    """Ask one question in several ways."""
    asked = Asked(random, folder, most)
    found = asked.frontier()
    again = asked.frontier(require=["row-k=1"])
    assert (found is None) == (again is None), asked
    if found is None:
        return
    assert [told(one) for one in found.points] == [told(one) for one in again.points], asked
    point = random.choice(found.points)
    cap = "largest_cluster" if asked.cost == "size" else "max_distortion"
    # Beside side information the least cost for some candidates need not be on the frontier of bits.
    is_counted = "side" not in asked.roles and "tolerance" not in asked.roles
    for name, number in (("distinct_l", point.distinct_l), (cap, point.cost)):
        if name == "distinct_l" and not is_counted:
            continue
        at, made = found.at(**{name: number}), asked.release(**{name: number})
        assert made is not None, f"{asked}\n{name}={number}"
        assert (made.cost, made.leakage_bits) == pytest.approx((at.cost, at.leakage_bits)), (
            f"{asked}\n{name}={number}"
        )
        assert made.proven_optimal == at.proven_optimal, f"{asked}\n{name}={number}"
        beside = asked.release(**{name: number, "row_k": 1})
        assert beside is not None, f"{asked}\n{name}={number}"
        assert told(beside) == told(made), f"{asked}\n{name}={number}"


@pytest.mark.parametrize(("cells", "most"), [(sample(25, 400), 5), (sample(8, 100), 8)])
def test_every_way_of_asking_has_one_answer(cells, most):
    drawn = seed()
    for number in range(cells):
        with TemporaryDirectory() as folder:
            try:
                check(Random(drawn + number), Path(folder), most)
            except AssertionError as error:
                raise AssertionError(f"HARTLEY_MATRIX_SEED={drawn + number}: {error}") from error
