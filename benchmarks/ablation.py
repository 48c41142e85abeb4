"""What each optional method of the optimal searches buys: it is switched off, and proven levels are counted.

    python benchmarks/ablation.py [--data hungarian_heart.csv] [--seconds 1] [--family NAME] [--only WORDS]

Every frontier is searched once with everything and once without each method that its search uses. A level
is *lost* where the whole search proves it and the search without the method does not, and *worse* where the
search without it holds nothing as good, proven or not. Seconds are CPU seconds of this process, loops
compiled; a frontier is stopped after ``--seconds`` of them. MB is the most memory held so far.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import sweeps
from meter import compile_loops, peak_gigabytes
from optimality_distortion import paper_data, random_joint
from optimality_resolution import FAMILIES

from hartley.examples import clinic
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.model import JointRange
from hartley.model.words import CODEWORDS, ROUNDING, Leakage
from hartley.search.answer import Answer
from hartley.search.effort import Effort

LEAKAGES: tuple[Leakage, ...] = ("l0", "istar", "joint")
NAMES: dict[Leakage, str] = {"l0": "L0", "istar": "I*", "joint": "problem (3)"}
WARM_UP = 0.2
"""CPU seconds of a first search, which is not counted."""


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
    leakages: tuple[Leakage, ...]
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


def fails(*_: object, **__: object) -> bool:
    """Do not reach what is wanted."""
    return False


def nothing_known(values: object, clusters: int, known: float = 0.0, *_: object) -> float:
    """Raise no bound."""
    del values, clusters
    return known


def as_known(line: object, known: Any, *_: object) -> Any:
    """Add nothing to what is known of a line."""
    del line
    return known


def as_broken(links: object, cut: object, broken: Any, found: Any, *_: object) -> tuple[Any, Any]:
    """Leave breaks as they are."""
    del links, cut
    return broken, found


SIZES, SIDE = "resolution", "resolution, side"
LINE, CENTROID, ANY = "line", "centroid", "any"
FAMILIES_OF_SEARCH = (SIZES, SIDE, LINE, CENTROID, ANY)
CANDIDATES: tuple[Leakage, ...] = ("l0", "joint")
CERTAIN: tuple[Leakage, ...] = ("istar", "joint")
METHODS = (
    Method("matching", (SIZES,), CANDIDATES, (("sizes.search.MOST_VALUES", 0),)),
    Method("deals", (SIZES,), CANDIDATES, (("sizes.search.SizeSearch._dealt", nothing),)),
    Method("prices of sizes", (SIZES, SIDE), CANDIDATES, (("sizes.search.is_excluded_by_sizes", fails),)),
    Method("prices of values", (SIZES,), CANDIDATES, (("sizes.search.is_excluded_by_values", fails),)),
    Method("long annealing", (SIZES,), CANDIDATES, (("sizes.search.LONG", ()),)),
    Method(
        "long annealing",
        (SIDE,),
        CANDIDATES,
        (("sizes.search.LONG_BESIDE", ()), ("sizes.search.DEALS", 0)),
    ),
    Method(
        "swaps that join",
        (SIZES, SIDE),
        CERTAIN,
        (("sizes.search.JOINING_TRIES", 0), ("sizes.frontier.JOINING_TRIES", 0)),
    ),
    Method("count bound", (LINE, CENTROID), CANDIDATES, (("line.bounds.counting_bound", nothing_known),)),
    Method("two open clusters", (LINE,), CANDIDATES, (("line.least_cost.LONGEST_SWEEP", 0),)),
    Method("wide sweeps", (LINE,), CANDIDATES, (("line.least_cost.WIDE_SWEEPS", 0),)),
    Method("prices of windows", (LINE, CENTROID), CERTAIN, (("line.components.fewest.MOST_PRICE_STEPS", 0),)),
    Method(
        "sparing links",
        (LINE, CENTROID),
        CERTAIN,
        (("line.components.forest_bound._spared", as_broken),),
    ),
    Method(
        "intervals of problem (3)", (LINE, CENTROID), ("joint",), (("line.components.connected.TARGETS", 0),)
    ),
    Method("subset sweep", (CENTROID,), CANDIDATES, (("line.centroid._swept", as_known),)),
    Method("end bound", (CENTROID,), CANDIDATES, (("line.centroid._bounded_by_ends", as_known),)),
    Method("two clusters", (CENTROID,), CANDIDATES, (("line.centroid._paired", as_known),)),
    Method("peeling", (CENTROID,), CANDIDATES, (("line.centroid.PLANS", ()),)),
    Method("local search", (ANY,), LEAKAGES, (("any_utility.STEPS_PER_WALK", 0),)),
    Method("lower costs", (ANY,), LEAKAGES, (("any_utility.TRIES", 0),)),
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
        for size, seed in product((14, 30, 60), (0, 1)):
            joint = family.table(size, seed)
            yield Case(SIZES, joint, "l0", Resolution(size))
            if size <= 30:
                yield Case(SIZES, joint, "joint", Resolution(size))
        for size in (14, 30):
            beside = with_side(family.table(size, 1), 2, size)
            for leakage in LEAKAGES:
                yield Case(SIDE, beside, leakage, Resolution(size))
    lines = [*line_tables((14, 40)), parts_table(30, 1), parts_table(60, 2), clinic_table(5, 0)]
    for joint, positions in lines:
        for codeword in CODEWORDS:
            for leakage in LEAKAGES:
                name = CENTROID if codeword == "centroid" else LINE
                yield Case(name, joint, leakage, LineDistortion(positions, codeword))
    if data is not None:
        joint = paper_data(data)
        yield Case(SIZES, joint, "l0", Resolution(joint.public.size))
        for codeword in CODEWORDS:
            name = CENTROID if codeword == "centroid" else LINE
            yield Case(name, joint, "l0", LineDistortion.of(joint.public, codeword))
    for joint, positions in line_tables((14, 30)):
        for leakage in LEAKAGES:
            beside = with_side(joint, 2, len(positions))
            yield Case(ANY, beside, leakage, LineDistortion(positions, "midpoint"))
            apart = np.abs(positions[:, None] - positions) ** 0.5
            yield Case(ANY, joint, leakage, MatrixDistortion(apart))


def within(seconds: float) -> Effort:
    """Return an effort that ends after so many CPU seconds from now."""
    begin = time.process_time()
    return Effort(
        should_stop=lambda: time.process_time() - begin > seconds,
        remaining=lambda: seconds - (time.process_time() - begin),
    )


def searched(case: Case, seconds: float) -> tuple[tuple[Answer, ...], float]:
    """Search one frontier within a limit of CPU seconds."""
    begin = time.process_time()
    try:
        levels = sweeps.levels(case.joint, case.utility, case.leakage, within(seconds))
    except Exception as error:  # no release leaves one component
        if type(error).__name__ != "UnreachableError":
            raise
        levels = ()
    kept: list[Answer] = []
    for level in sorted(levels, key=lambda level: (level.cost, level.leakage_bits)):
        if not kept or level.leakage_bits < kept[-1].leakage_bits - ROUNDING:
            kept.append(level)
    return tuple(kept), time.process_time() - begin


def is_matched(level: Answer, others: Sequence[Answer], *, proven: bool) -> bool:
    """Tell whether others hold one as good as a level, and where it is asked, proven."""
    return any(
        (other.proven_optimal or not proven)
        and other.cost <= level.cost * (1 + 1e-9)
        and other.leakage_bits <= level.leakage_bits + ROUNDING
        for other in others
    )


class Ablation:
    """Frontiers searched with everything, each once, beside searches without a method."""

    def __init__(self, frontiers: Sequence[Case], seconds: float) -> None:
        self.frontiers = frontiers
        self.seconds = seconds
        self.whole: dict[int, tuple[tuple[Answer, ...], float]] = {}

    def with_everything(self, place: int) -> tuple[tuple[Answer, ...], float]:
        """Search a frontier with everything, once; a first short search loads or compiles the loops."""
        if place not in self.whole:
            searched(self.frontiers[place], min(self.seconds, WARM_UP))
            self.whole[place] = searched(self.frontiers[place], self.seconds)
        return self.whole[place]

    def row(self, method: Method, family: str, leakage: Leakage) -> str | None:
        """Return the line of the table for one method, family and leakage."""
        places = [
            place
            for place, case in enumerate(self.frontiers)
            if case.family == family and case.leakage == leakage
        ]
        if not places:
            return None
        proven = still_proven = lost = worse = 0
        before = after = 0.0
        for place in places:
            whole, seconds = self.with_everything(place)
            with method.switched_off():
                mine, without = searched(self.frontiers[place], self.seconds)
            before, after = before + seconds, after + without
            proven += sum(level.proven_optimal for level in whole)
            still_proven += sum(level.proven_optimal for level in mine)
            lost += sum(level.proven_optimal and not is_matched(level, mine, proven=True) for level in whole)
            worse += sum(not is_matched(level, mine, proven=False) for level in whole)
        cells = (
            method.name,
            f"{family}, {NAMES[leakage]}",
            len(places),
            proven,
            still_proven,
            lost,
            worse,
            f"{before:.2f}",
            f"{after:.2f}",
            f"{peak_gigabytes() * 1024:.0f}",
        )
        return "| " + " | ".join(map(str, cells)) + " |"


def is_chosen(method: Method, words: str) -> bool:
    """Tell whether a method's name holds one of the words."""
    return any(word in method.name for word in words.split(","))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every so many-th frontier")
    parser.add_argument("--data", type=Path, help="the Hungarian heart data as CSV")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds for one frontier")
    parser.add_argument("--family", default="", choices=("", *FAMILIES_OF_SEARCH), help="only this family")
    parser.add_argument(
        "--only", default="", help="only methods whose name holds one of these words, with commas between"
    )
    options = parser.parse_args()
    compile_loops()
    ablation = Ablation(list(cases(options.data))[:: options.every], options.seconds)
    print("| Without | Where | Frontiers | Proven | Proven without | Lost | Worse | s | s without | MB |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for family in FAMILIES_OF_SEARCH:
        for method in METHODS:
            if family not in method.families or options.family not in ("", family):
                continue
            for leakage in method.leakages:
                line = ablation.row(method, family, leakage) if is_chosen(method, options.only) else None
                if line is not None:
                    print(line, flush=True)


if __name__ == "__main__":
    main()
