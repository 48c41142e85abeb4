"""Put a cell of the matrix to hartley as a user does, and hold the answer against the definitions."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import log2
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

import hartley
from hartley.errors import InputError, UnreachableError
from hartley.search.few_values import walk
from matrix.cells import Combination, Question, Table, draw_question, draw_table
from matrix.oracle import NEAR, Measured, Release, Truth, exact, in_order, is_missing

REFUSALS = (
    "shape=",
    "has no order; intervals need",
    "distortion needs positions",
)
"""What is said where a combination is refused as such; any other refusal is a wrong answer."""
SEARCHED = "was found"
"""What is said where a search for many values, which is not exact, has found nothing."""


def without_the_walk(set_to: Callable[[Any, str, int], None] = setattr) -> None:
    """Ask the searches for many values about tables of a few."""
    set_to(walk, "MOST_VALUES", 0)
    set_to(walk, "MOST_QUICK_VALUES", 0)


@dataclass
class Tally:
    """What came out of some cells."""

    may_miss: bool = False
    """Whether a search that is not exact may say that it has found nothing, or leave a point out: what is
    proven is proven of each point by itself, and between two of them one may be missing."""

    right: int = 0
    unproven: Counter[Combination] = field(default_factory=Counter)
    refused: dict[Combination, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    by_cause: Counter[str] = field(default_factory=Counter)

    @property
    def cells(self) -> int:
        """How many cells were looked at."""
        return self.right + len(self.wrong) + sum(1 for _ in self.refused)


def utility_of(question: Question, table: Table) -> dict[str, Any]:
    """Return the keywords of a search with its utility built."""
    fields = question.search_fields(table)
    codeword = fields.pop("codeword", None)
    if codeword == "table":
        words = [value[0] for value in table.values]
        far = {pair: float(distance) for pair, distance in table.distances}
        matrix = [
            [float("nan") if None in (one, other) else far.get((one, other), 0.0) for other in words]
            for one in words
        ]
        fields["utility"] = hartley.UtilityChoice(name="distortion", dissimilarity=matrix)
    elif codeword is not None:
        fields["utility"] = hartley.UtilityChoice(name="distortion", codeword=codeword)
    return fields


class Asking:
    """The questions about one table, which is opened once for each way of reading it."""

    def __init__(self, table: Table, folder: Path) -> None:
        self.source = pa.table({name: pa.array(cells) for name, cells in table.columns.items()})
        self.folder = folder
        self.table = table
        self.earlier: Path | None = None
        self._studies: dict[str, Any] = {}
        self._stack = ExitStack()
        self._files = 0
        if table.reader == "earlier":
            self._release_earlier()

    def __enter__(self) -> Asking:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _release_earlier(self) -> None:
        """Make the earlier release: pairs of neighbours by another cost."""
        output = self.folder / "earlier.csv"
        study = hartley.Study(self.source, sensitive=self.table.sensitive, public=self.table.public)
        rows = min(2, len(self.table.rows))
        made = study.release(
            output,
            require={"row_k": rows},
            utility="resolution",
            keep_order=True,
            labels="set",
            overwrite=True,
            exposure="accept",
        )
        with output.open(newline="") as opened:
            labels = ["|".join(line) for line in list(csv.reader(opened))[1:]]
        self.earlier = Path(made.policy)
        self.table = self.table.with_earlier(labels)

    def study(self, question: Question) -> Any:
        """Return the study of the question's roles."""
        fields = question.study_fields(self.table)
        if self.earlier is not None:
            fields["earlier"] = [self.earlier]
        key = repr(fields)
        if key not in self._studies:
            self._studies[key] = self._stack.enter_context(hartley.Study(self.source, **fields))
        return self._studies[key]

    def frontier(self, question: Question) -> Any:
        """Ask for the frontier."""
        return self.study(question).frontier(
            require=question.require or None, **utility_of(question, self.table)
        )

    def release(self, question: Question) -> tuple[Any, list[list[str]]]:
        """Ask for a release, and read its file."""
        self._files += 1
        output = self.folder / f"out{self._files}.csv"
        made = self.study(question).release(
            output,
            require=question.demand,
            keep_order=True,
            exposure="accept",
            **utility_of(question, self.table),
        )
        with output.open(newline="") as opened:
            return made, list(csv.reader(opened))

    def shown(self, question: Question) -> str:
        """Return the cell as it can be pasted."""
        fields = question.study_fields(self.table)
        if self.earlier is not None:
            fields["earlier"] = "the policy of release(row_k=2, utility='resolution', labels='set')"
        asked = question.search_fields(self.table)
        table = self.table.columns
        lines = [f"table = {table!r}", f"roles = {fields!r}", f"search = {asked!r}"]
        if self.table.distances and self.table.cost == "table":
            lines.append(f"distances = { {pair: int(far) for pair, far in self.table.distances}!r}")
        lines.append(
            f"require = {question.require!r}, cap = {question.cap!r}, call = {question.combination.call}"
        )
        if self.earlier is not None:
            lines.append(f"labels of the earlier release = {[row.earlier for row in self.table.rows]!r}")
        return "\n    ".join(lines)


def ask(asking: Asking, question: Question, tally: Tally) -> None:
    """Ask one question and note what is wrong with the answer."""
    one = question.combination
    truth = Truth(asking.table.rows, question.asked(asking.table))
    complaints: list[str]
    try:
        if one.call == "frontier":
            found = asking.frontier(question)
            complaints = check_frontier(truth, found, tally, one)
        else:
            made, cells = asking.release(question)
            complaints = check_release(truth, question, made, cells, tally)
    except UnreachableError as error:
        complaints = []
        if is_possible(truth, question):
            if tally.may_miss and SEARCHED in str(error):
                tally.by_cause["nothing found, and there is something"] += 1
            else:
                complaints = [f"refused as impossible, and it is possible ({error})"]
    except InputError as error:
        if any(known in str(error) for known in REFUSALS):
            tally.refused.setdefault(one, str(error))
            return
        complaints = [f"refused by no row of the table ({error})"]
    if complaints:
        for complaint in complaints[:1]:
            tally.by_cause[f"{one.call} {complaint.split('(')[0].strip()}"] += 1
        tally.wrong.append(f"{one}\n    {asking.shown(question)}\n    " + "\n    ".join(complaints))
    else:
        tally.right += 1


def is_possible(truth: Truth, question: Question) -> bool:
    """Tell whether some release is what is asked for."""
    if question.cap is None:
        return bool(truth.feasible)
    return truth.least_leakage(question.cap) is not None


def is_same(one: float, other: float) -> bool:
    """Tell whether two numbers are one, computed in two ways."""
    return abs(one - other) <= NEAR * max(1.0, abs(one), abs(other))


def cost_of(point: Any) -> float:
    """Return what the worst cluster of a point costs."""
    if point.codebooks is not None:
        return -float(point.utility)
    return float(point.largest_cluster if point.max_distortion is None else point.max_distortion)


def release_of(point: Any, joint: Any) -> Release:
    """Return the release of a point."""
    labels = [one if isinstance(one, tuple) else (one,) for one in joint.public.labels()]
    clusters: dict[int, set[Any]] = {}
    for place, label in enumerate(point.partition.labels.tolist()):
        clusters.setdefault(label, set()).add(labels[place])
    withheld = frozenset(labels[place] for place in point.withheld)
    return Release(tuple(frozenset(block) for block in clusters.values()), withheld)


def check_point(truth: Truth, point: Any, joint: Any) -> list[str]:
    """Hold a point's own figures against its partition."""
    if truth.asked.shape == "columns":
        return check_measures(truth, point, measured_codebooks(truth, point, joint))
    release = release_of(point, joint)
    allowed = any(
        set(one.clusters) == set(release.clusters) and one.withheld == release.withheld
        for one in truth.releases()
    )
    if not allowed:
        return [f"a partition that is not of the shape or the budget ({release})"]
    measured = truth.measure(release)
    if measured is None:
        return [f"a cluster that is not allowed ({release})"]
    return check_measures(truth, point, measured)


def measured_codebooks(truth: Truth, point: Any, joint: Any) -> Measured:
    """Measure codebooks by the label of every row; a kept column is one of them, and stays as it is."""
    names = [one if isinstance(one, tuple) else (one,) for one in joint.public.labels()]
    label = dict(zip(names, point.partition.labels.tolist(), strict=True))
    width = len(names[0])
    shown = tuple(label[(*row.x, row.kept)[:width]] for row in truth.rows)
    gone = frozenset(point.partition.labels[list(point.withheld)].tolist())
    return truth.measure_labels(Fraction(cost_of(point)), shown, gone)


def check_measures(truth: Truth, point: Any, measured: Measured) -> list[str]:
    """Hold a point's figures against what was measured."""
    found = []
    if not is_same(cost_of(point), float(measured.cost)):
        found.append(
            f"says another cost than its partition has ({cost_of(point)}, has {float(measured.cost)})"
        )
    leakage = measured.leakage(truth.asked.axis)
    if leakage is None:
        return [*found, f"a point of joint with I* > 0 ({measured.components} components)"]
    if not is_same(point.leakage_bits, log2(leakage)):
        found.append(
            f"says another leakage than its partition has (says {point.leakage_bits}, has {log2(leakage)})"
        )
    if not measured.holds:
        found.append(f"a point that does not meet the requirements ({point.partition})")
    is_plain = truth.asked.tolerance is None and truth.asked.groups is None
    if is_plain and point.components != measured.components:
        found.append(f"says another number of components ({point.components}, has {measured.components})")
    return found


def check_bounds(truth: Truth, point: Any) -> list[str]:
    """Hold the bounds of a point, and its proof, against all releases."""
    found: list[str] = []
    if truth.is_partial:
        return found
    cost, bits = cost_of(point), point.leakage_bits
    leakage, least = truth.least_leakage(cost), truth.least_cost(bits)
    best_bits = bits if leakage is None else log2(leakage)
    best_cost = cost if least is None else float(least)
    if point.lower_bound_bits is not None and point.lower_bound_bits > best_bits + NEAR:
        found.append(
            f"a bound on bits that is too high (says {point.lower_bound_bits}, {best_bits} is possible)"
        )
    if point.lower_bound_cost is not None and point.lower_bound_cost > best_cost + NEAR * max(1, best_cost):
        found.append(
            f"a bound on the cost that is too high (says {point.lower_bound_cost}, {best_cost} is possible)"
        )
    if point.proven_optimal and not (is_same(bits, best_bits) and is_same(cost, best_cost)):
        found.append(
            f"proven, and there is better (cost {cost}, bits {bits}; possible: {best_bits} bits within the "
            f"cost, or a cost of {best_cost})"
        )
    return found


def check_frontier(truth: Truth, result: Any, tally: Tally, one: Combination) -> list[str]:
    """Hold a frontier against all releases."""
    points = result.frontier.points
    found: list[str] = []
    for point in points:
        found += check_point(truth, point, result.joint) + check_bounds(truth, point)
    if not truth.feasible and not truth.is_partial:
        found.append("offers a release, and none is possible")
    pairs = [(cost_of(point), point.leakage_bits) for point in points]
    for before, after in pairwise(pairs):
        if is_same(before[0], after[0]) or is_same(before[1], after[1]):
            found.append(f"two points that are one level ({before}, {after})")
    if result.frontier.complete and all(point.proven_optimal for point in points) and not truth.is_partial:
        right = [(float(cost), log2(leakage)) for cost, leakage in truth.frontier]
        lacking = [
            pair
            for pair in right
            if not any(is_same(pair[0], other[0]) and is_same(pair[1], other[1]) for other in pairs)
        ]
        if lacking and tally.may_miss:
            tally.by_cause["a point that was not found between proven ones"] += 1
        elif lacking:
            found.append(f"all proven, and points are missing ({lacking})")
    else:
        tally.unproven[one] += 1
    return found


def check_release(
    truth: Truth, question: Question, made: Any, cells: list[list[str]], tally: Tally
) -> list[str]:
    """Hold a release, and its file, against all releases."""
    point, joint = made.point, made_joint(truth)
    found = check_point(truth, point, joint)
    cost, bits = cost_of(point), point.leakage_bits
    if truth.is_partial:
        return found
    if not is_possible(truth, question):
        return [*found, "releases, and nothing that meets what is asked is possible"]
    least = float(truth.frontier[0][0])
    if question.cap is None:
        if point.lower_bound_cost is not None and point.lower_bound_cost > least + NEAR * max(1, least):
            found.append(
                f"a bound on the cost that is too high (says {point.lower_bound_cost}, {least} is possible)"
            )
        if point.proven_optimal and not is_same(cost, least):
            found.append(f"proven, and there is better (cost {cost}, {least} is possible)")
        if not point.proven_optimal:
            tally.unproven[question.combination] += 1
            if not is_same(cost, least):
                tally.by_cause["release dearer than need be, unproven"] += 1
    else:
        best = truth.least_leakage(question.cap)
        assert best is not None
        if cost > question.cap + NEAR * max(1, question.cap):
            found.append(f"costs more than the cap (cost {cost}, cap {question.cap})")
        if point.proven_optimal and not is_same(bits, log2(best)):
            found.append(f"proven within a cap, and there is better ({bits} bits, {log2(best)} is possible)")
        if not point.proven_optimal:
            tally.unproven[question.combination] += 1
            if not is_same(bits, log2(best)):
                tally.by_cause["capped leaks more than need be, unproven"] += 1
    return found + check_file(truth, point, joint, cells)


def made_joint(truth: Truth) -> Any:
    """Return the public values of a release in the order of its partition."""
    is_kept = truth.asked.shape == "columns" and any(row.kept is not None for row in truth.rows)
    found = {(*row.x, row.kept) if is_kept else row.x for row in truth.rows}
    values = sorted(found, key=in_order)
    return SimpleNamespace(public=SimpleNamespace(labels=lambda: values))


def check_file(truth: Truth, point: Any, joint: Any, cells: list[list[str]]) -> list[str]:
    """Hold the cells of the released file against requirements, cost and cap."""
    names, lines = cells[0], cells[1:]
    places = [names.index(name) for name in ("x", "y")[: len(truth.values[0])]]
    shown: dict[tuple[str, ...], set[Any]] = {}
    for row, line in zip(truth.rows, lines, strict=True):
        shown.setdefault(tuple(line[place] for place in places), set()).add(row.x)
    withheld = release_of(point, joint).withheld
    release = Release(tuple(frozenset(block) for block in shown.values()), withheld)
    if truth.asked.shape == "columns":
        return []
    measured = truth.measure(release)
    if measured is None:
        return [f"the file shows a cluster that is not allowed ({release})"]
    found = []
    if not measured.holds:
        found.append(f"the file does not meet the requirements ({release})")
    if truth.asked.cost in ("midpoint", "member", "centroid"):
        for label, block in shown.items():
            for value in block:
                if label[0] == "" or is_missing(value) or value in withheld or not _is_number(label[0]):
                    continue
                moved = float(abs(exact(label[0]) - exact(value[0])))
                if moved > cost_of(point) + NEAR * max(1, moved):
                    found.append(
                        f"the file moves a value farther than the cost says ({moved}, {cost_of(point)})"
                    )
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def ask_all(
    random: Random, combinations: Iterable[Combination], tally: Tally, *, most: int = 5, per_table: int = 12
) -> None:
    """Ask all combinations, each of a random table; those of one cost and reader share some tables."""
    grouped: dict[tuple[str, str, bool, bool], list[Combination]] = {}
    for one in combinations:
        missing = one.withheld == "beside missing"
        grouped.setdefault((one.cost, one.reader, missing, one.requirement == "each"), []).append(one)
    for (cost, reader, missing, each), group in grouped.items():
        for start in range(0, len(group), per_table):
            columns = 2 if each else 1
            table = draw_table(random, cost, reader, missing=missing, columns=columns, most=most)
            with TemporaryDirectory() as folder, Asking(table, Path(folder)) as asking:
                for one in group[start : start + per_table]:
                    ask(asking, draw_question(random, asking.table, one), tally)
