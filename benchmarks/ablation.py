"""What each optional method of the optimal searches buys: it is switched off, and proven levels are counted.

    python benchmarks/ablation.py [--data hungarian_heart.csv] [--seconds 3] [--only WORD]

Every frontier is searched once with everything and once without each method that its search uses. A level
counts as lost where the whole search proves it and the search without the method does not. Seconds are CPU
seconds of this process, loops compiled; a frontier is stopped after ``--seconds`` of them.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from optimality_distortion import paper_data, random_joint
from optimality_resolution import FAMILIES

from hartley.examples import clinic
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.model import JointRange
from hartley.model.words import CODEWORDS, ROUNDING, Leakage
from hartley.search.dispatch import searched_levels
from hartley.search.effort import Effort
from hartley.search.levels import Level

LEAKAGES: tuple[Leakage, ...] = ("l0", "istar", "joint")


@dataclass(frozen=True)
class Case:
    """One frontier to search."""

    family: str
    joint: JointRange
    leakage: Leakage
    utility: Utility


@dataclass(frozen=True)
class Method:
    """An optional method: what is put in place of which names, and the families whose searches use it."""

    name: str
    families: tuple[str, ...]
    off: tuple[tuple[str, Any], ...]

    @contextmanager
    def switched_off(self) -> Iterator[None]:
        """Have the searches do without it, inside."""
        with ExitStack() as stack:
            for name, instead in self.off:
                stack.enter_context(patch(f"hartley.search.{name}", instead))
            yield


def nothing(*_: object, **__: object) -> None:
    """Find nothing."""


def as_known(line: object, known: Any, *_: object) -> Any:
    """Add nothing to what is known of a line."""
    del line
    return known


SIZES, SIDE = "resolution", "resolution, side"
LINE, CENTROID, ANY = "line", "centroid", "any"
METHODS = (
    Method("matching", (SIZES,), (("resolution.one_size.MOST_VALUES", 0),)),
    Method("closed forms", (SIZES,), (("resolution.one_size.SizeSearch._closed_form", nothing),)),
    Method(
        "flow cut",
        (SIZES, SIDE),
        (("resolution.one_size.flow_cut", nothing), ("resolution.with_side.flow_cut", nothing)),
    ),
    Method(
        "prices of sizes",
        (SIZES, SIDE),
        (("resolution.one_size.size_prices", nothing), ("resolution.with_side.size_prices", nothing)),
    ),
    Method("prices of values", (SIZES,), (("resolution.one_size.value_prices", nothing),)),
    Method("packing", (SIZES,), (("resolution.one_size.packing", nothing),)),
    Method("long annealing", (SIZES,), (("resolution.one_size.LONG", ()),)),
    Method(
        "count bound",
        (LINE, CENTROID),
        (("distortion.least_cost.count_bounded", as_known), ("centroid.l0.count_bounded", as_known)),
    ),
    Method("two open clusters", (LINE,), (("distortion.least_cost.LONGEST_SWEEP", 0),)),
    Method("prices of windows", (LINE, CENTROID), (("distortion.istar.MOST_PRICE_STEPS", 0),)),
    Method("annealing", (LINE, CENTROID), (("distortion.istar.ANNEALING_STEPS", 0),)),
    Method("intervals of problem (3)", (LINE, CENTROID), (("distortion.joint.TARGETS", 0),)),
    Method("exchange in problem (3)", (LINE, CENTROID), (("distortion.joint.MOST_EXCHANGED", 0),)),
    Method("exchange in I*", (CENTROID,), (("distortion.istar.MOST_EXCHANGED", 0),)),
    Method("all subsets", (CENTROID,), (("centroid.l0.MOST_VALUES", 0),)),
    Method("subset sweep", (CENTROID,), (("centroid.l0._swept", as_known),)),
    Method("end bound", (CENTROID,), (("centroid.l0._bounded_by_ends", as_known),)),
    Method("tight end bound", (CENTROID,), (("centroid.l0._bounded_by_tight_ends", as_known),)),
    Method("two clusters", (CENTROID,), (("centroid.l0._paired", as_known),)),
    Method("peeling", (CENTROID,), (("centroid.l0.PLANS", ()),)),
    Method("local search", (ANY,), (("any_utility.STEPS_PER_LEVEL", 0),)),
)


def with_side(joint: JointRange, values: int, seed: int) -> JointRange:
    """Return a table with side information drawn for each pair."""
    source = np.random.default_rng(seed)
    side = np.unique(source.integers(0, values, joint.pairs), return_inverse=True)[1]
    return JointRange.from_codes(
        public_codes=joint.public_of[joint.observation_of], sensitive_codes=joint.indices, side_codes=side
    )


def line_tables(sizes: Sequence[int]) -> Iterator[tuple[JointRange, np.ndarray]]:
    """Draw tables on a line, as the benchmark of distortion does."""
    for size in sizes:
        for number, (values, density) in enumerate(
            ((size // 3, 0.1), (10, 0.3), (size // 2, 0.3), (25, 0.5))
        ):
            yield random_joint(size, min(values, size), density, 1000 * size + number)


def parts_table(size: int, seed: int) -> tuple[JointRange, np.ndarray]:
    """Draw a table of many components on a line, one sensitive value each, as the benchmark of I* does."""
    source = random.Random(size + seed)
    positions = np.array(sorted(source.sample(range(10 * size), size)), dtype=float)
    code: dict[int, int] = {}
    groups = int((0.5, 0.8, 0.95)[seed % 3] * size)
    codes = [code.setdefault(source.randrange(groups), len(code)) for _ in range(size)]
    return JointRange.from_codes(public_codes=np.arange(size), sensitive_codes=np.array(codes)), positions


def clinic_table(public: int, sensitive: int) -> tuple[JointRange, np.ndarray]:
    """Return two columns of the clinic, without the rows that miss one."""
    rows = [(row[public], row[sensitive]) for row in clinic()]
    pairs = sorted((x, s) for x, s in rows if x is not None and s is not None)
    joint = JointRange.from_pairs(pairs)
    return joint, np.array([float(label) for label in joint.public.labels()])


def cases(data: Path | None) -> Iterator[Case]:
    """Yield every frontier."""
    for family in FAMILIES:
        for size in (14, 30, 50, 100):
            joint = family.table(size, 0)
            yield Case(SIZES, joint, "l0", Resolution(size))
            if size <= 50:
                yield Case(SIZES, joint, "joint", Resolution(size))
        for size in (14, 40):
            beside = with_side(family.table(size, 1), 2, size)
            for leakage in LEAKAGES:
                yield Case(SIDE, beside, leakage, Resolution(size))
    lines = [*line_tables((14, 30, 60)), parts_table(30, 1), parts_table(60, 2), clinic_table(5, 0)]
    for joint, positions in lines:
        for codeword in CODEWORDS:
            for leakage in LEAKAGES:
                family = CENTROID if codeword == "centroid" else LINE
                yield Case(family, joint, leakage, LineDistortion(positions, codeword))
    if data is not None:
        joint = paper_data(data)
        yield Case(SIZES, joint, "l0", Resolution(joint.public.size))
        for codeword in CODEWORDS:
            family = CENTROID if codeword == "centroid" else LINE
            yield Case(family, joint, "l0", LineDistortion.of(joint.public, codeword))
    for joint, positions in line_tables((14, 30)):
        for leakage in LEAKAGES:
            beside = with_side(joint, 2, len(positions))
            yield Case(ANY, beside, leakage, LineDistortion(positions, "midpoint"))
            apart = np.abs(positions[:, None] - positions) ** 0.5
            yield Case(ANY, joint, leakage, MatrixDistortion(apart))


def searched(case: Case, seconds: float) -> tuple[tuple[Level, ...], float]:
    """Search one frontier within a limit of CPU seconds."""
    begin = time.process_time()
    effort = Effort(
        should_stop=lambda: time.process_time() - begin > seconds,
        remaining=lambda: seconds - (time.process_time() - begin),
    )
    try:
        levels = searched_levels(case.joint, case.leakage, case.utility, effort).levels
    except Exception as error:  # no release leaves one component
        if type(error).__name__ != "UnreachableError":
            raise
        levels = ()
    kept: list[Level] = []
    for level in sorted(levels, key=lambda level: (level.cost, level.leakage_bits)):
        if not kept or level.leakage_bits < kept[-1].leakage_bits - ROUNDING:
            kept.append(level)
    return tuple(kept), time.process_time() - begin


def is_lost(level: Level, others: Sequence[Level]) -> bool:
    """Tell whether a proven level is not among others, proven."""
    return level.proven_optimal and not any(
        other.proven_optimal
        and other.cost <= level.cost * (1 + 1e-9)
        and other.leakage_bits <= level.leakage_bits + ROUNDING
        for other in others
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the Hungarian heart data as CSV")
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU seconds for one frontier")
    parser.add_argument("--only", default="", help="methods whose name holds this word")
    options = parser.parse_args()
    frontiers = list(cases(options.data))
    for case in frontiers:  # loads or compiles the loops
        searched(case, 0.2)
    whole = [searched(case, options.seconds) for case in frontiers]
    print("| Without | Frontiers | Levels | Proven | Lost | Seconds |\n|---|---|---|---|---|---|", flush=True)

    def row(name: str, chosen: Sequence[int], found: Callable[[int], tuple[Sequence[Level], float]]) -> None:
        levels = proven = lost = 0
        spent = 0.0
        for place in chosen:
            mine, seconds = found(place)
            levels += len(mine)
            proven += sum(level.proven_optimal for level in mine)
            lost += sum(is_lost(level, mine) for level in whole[place][0])
            spent += seconds
        print(f"| {name} | {len(chosen)} | {levels} | {proven} | {lost} | {spent:.1f} |", flush=True)

    for family in (SIZES, SIDE, LINE, CENTROID, ANY):
        here = [place for place, case in enumerate(frontiers) if case.family == family]
        row(f"*nothing*: {family}", here, lambda place: whole[place])
    for method in METHODS:
        if options.only in method.name:
            for family in method.families:
                here = [place for place, case in enumerate(frontiers) if case.family == family]
                with method.switched_off():
                    row(f"{method.name}: {family}", here, lambda p: searched(frontiers[p], options.seconds))


if __name__ == "__main__":
    main()
