"""Print CPU seconds and growth of the greedy searches, beside the naive twins and well-known clusterings.

    python benchmarks/greedy.py [--quick] [--largest 1000000]

All in one run on one machine, so that only the ratios and exponents matter. The rivals (SciPy linkage,
fastcluster, scikit-learn with chain connectivity, genieclust) cluster the same points by complete
linkage or their own rule; they know nothing of sensitive values, and are there to show what clustering
so many points costs. Missing ones are skipped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from math import log
from pathlib import Path

import numpy as np
from greedy_families import POSITIONS, TABLES, every_block, scattered_points
from meter import compile_loops, cost

from hartley.frontiers import frontier_of_runs
from hartley.measures.trajectory import trajectory
from hartley.measures.utility import LineDistortion, Resolution
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Alphabet, JointRange
from hartley.search.greedy import component_joining, joint_search, narrowest_first

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
LIMIT = 40.0
"""A method is not asked for a size at which it would take longer than this, in CPU seconds."""
ALL_PAIRS = 20_000
"""Methods that keep the distances of all pairs are not asked for more points than this."""


def overlapping(size: int) -> JointRange:
    """Each public value with one to three of few sensitive values: work for Algorithm 1."""
    rng = np.random.default_rng(size)
    times = 1 + (rng.random(size) < 0.4) + (rng.random(size) < 0.2)
    public = np.repeat(np.arange(size), times)
    sensitive = np.unique(rng.integers(0, max(50, size // 1000), len(public)), return_inverse=True)[1]
    return JointRange.from_codes(public_codes=public, sensitive_codes=sensitive)


def scattered(size: int) -> JointRange:
    """Each public value with one of many sensitive values: many components, work for Algorithm 2."""
    rng = np.random.default_rng(size + 1)
    sensitive = np.unique(rng.integers(0, size // 2, size), return_inverse=True)[1]
    return JointRange.from_codes(public_codes=np.arange(size), sensitive_codes=sensitive)


def forecast(taken: list[tuple[int, float]], size: int) -> float:
    """Guess the seconds at the next size from the growth so far."""
    if not taken:
        return 0.0
    growth = 1.0
    if len(taken) > 1 and taken[-2][1] > 0.001:
        growth = max(growth, log(taken[-1][1] / taken[-2][1]) / log(taken[-1][0] / taken[-2][0]))
    return float(taken[-1][1] * (size / taken[-1][0]) ** growth)


def table(title: str, rows: dict[str, Callable[[int], Callable[[], object]]], sizes: list[int]) -> None:
    """Print a line for each method: its CPU seconds at every size, its growth, its memory."""
    heads = "".join(f"{size:>10,}" for size in sizes)
    print(f"\n{title}\n{'n':>40}{heads}   exponent  GB at most", flush=True)
    for name, prepare in rows.items():
        taken: list[tuple[int, float]] = []
        most = 0.0
        for size in sizes:
            if forecast(taken, size) > LIMIT:
                break
            try:
                spent = cost(prepare(size))
            except (ImportError, MemoryError) as missing:
                print(f"{name:>40}  at {size:,} left out: {missing}", flush=True)
                break
            taken.append((size, spent.seconds))
            most = max(most, spent.gigabytes)
        slopes = [pair for pair in taken if pair[1] >= 1e-3][-2:]
        growth = "         -"
        if len(slopes) > 1:
            growth = f"{log(slopes[1][1] / slopes[0][1]) / log(slopes[1][0] / slopes[0][0]):10.2f}"
        cells = "".join(f"{second:10.3f}" for _, second in taken)
        print(f"{name:>40}{cells}{' ' * 10 * (len(sizes) - len(taken))} {growth}{most:12.2f}", flush=True)


def searches() -> dict[str, Callable[[int], Callable[[], object]]]:
    """Give Algorithms 1 and 2 under every utility."""

    def prepare(search: str, utility: str) -> Callable[[int], Callable[[], object]]:
        def at(size: int) -> Callable[[], object]:
            joint = overlapping(size) if search == "L0" else scattered(size)
            run = narrowest_first if search == "L0" else component_joining
            measure = Resolution(size) if utility == "U1" else LineDistortion(scattered_points(size), utility)  # type: ignore[arg-type]
            return lambda: run(joint, measure)

        return at

    return {
        f"{search}, {'U1' if utility == 'U1' else 'U2 ' + utility}": prepare(search, utility)
        for search in ("L0", "I*")
        for utility in ("U1", "centroid", "midpoint", "member")
    }


def families() -> dict[str, Callable[[int], Callable[[], object]]]:
    """Give tables on which a careless search turns quadratic, under both searches and every utility."""
    rows: dict[str, Callable[[int], Callable[[], object]]] = {}
    for search, run in (("L0", narrowest_first), ("I*", component_joining)):
        for name, make in TABLES.items():

            def by_size(size: int, make=make, run=run) -> Callable[[], object]:  # type: ignore[no-untyped-def]
                joint, measure = make(size), Resolution(size)
                return lambda: run(joint, measure)

            rows[f"{search}, {name}"] = by_size
        for place, lie in POSITIONS.items():
            for name, make in TABLES.items():

                def on_line(size: int, make=make, run=run, lie=lie) -> Callable[[], object]:  # type: ignore[no-untyped-def]
                    joint, measure = make(size), LineDistortion(lie(size), "centroid")
                    return lambda: run(joint, measure)

                rows[f"{search} {place}, {name}"] = on_line
    return rows


def whole_frontier() -> dict[str, Callable[[int], Callable[[], object]]]:
    """Give what comes after the longest run."""

    def at(size: int) -> Callable[[], object]:
        joint, measure = scattered(size), LineDistortion(scattered_points(size), "centroid")
        run = component_joining(joint, measure)
        return lambda: frontier_of_runs([(run, trajectory(joint, run, measure))], measure, "istar")

    return {"measures and frontier of I*, U2": at}


def problem_3() -> dict[str, Callable[[int], Callable[[], object]]]:
    """Give the joint search under resolution, which does not look at all pairs, on tables of every kind."""

    def at(make: Callable[[int], JointRange], weight: float) -> Callable[[int], Callable[[], object]]:
        def prepare(size: int) -> Callable[[], object]:
            joint = make(size)
            return lambda: joint_search(joint, Resolution(size), weight)

        return prepare

    return {
        f"problem (3), {name}, weight {weight}": at(make, weight)
        for name, make in {"scattered": scattered, "blocks of every kind": every_block, **TABLES}.items()
        for weight in (0.0, 0.3)
    }


def problem_3_of_all_pairs() -> dict[str, Callable[[int], Callable[[], object]]]:
    """Give the joint search on a line, which keeps a table of all pairs."""

    def at(size: int) -> Callable[[], object]:
        joint, measure = scattered(size), LineDistortion(scattered_points(size), "centroid")
        return lambda: joint_search(joint, measure, 0.3)

    return {"problem (3), U2 centroid": at}


def several_columns() -> dict[str, Callable[[int], Callable[[], object]]]:
    """Give distortion over three columns, one of categories."""

    def at(search: Callable[..., object], combination: str) -> Callable[[int], Callable[[], object]]:
        def prepare(size: int) -> Callable[[], object]:
            rng = np.random.default_rng(size)
            ages = rng.integers(0, 10 * size, size).tolist()
            rows = [(age, f"{i % 40:02d}", float(i)) for i, age in enumerate(ages)]
            public = Alphabet.of_values(rows, columns=("age", "ward", "day"))
            measure = ColumnsDistortion.of(public, combination=combination)  # type: ignore[arg-type]
            joint = scattered(size) if search is component_joining else overlapping(size)
            return lambda: search(joint, measure)

        return prepare

    return {
        f"{name}, three columns by {combination}": at(search, combination)
        for name, search in (("L0", narrowest_first), ("I*", component_joining))
        for combination in ("max", "sum")
    }


def twins() -> dict[str, Callable[[int], Callable[[], object]]]:
    """Give the naive searches of the tests."""
    import reference

    def at(search: str, utility: str) -> Callable[[int], Callable[[], object]]:
        def prepare(size: int) -> Callable[[], object]:
            joint = (overlapping if search == "L0" else scattered)(size)
            places = scattered_points(size).tolist()
            twin = reference.narrowest_first if search == "L0" else reference.component_joining
            cost = reference.size_cost if utility == "U1" else reference.line_cost(places, "centroid")
            return lambda: twin(joint, cost, places)

        return prepare

    return {f"naive twin, {s}, {u}": at(s, u) for s in ("L0", "I*") for u in ("U1", "U2")}


def require_room(size: int) -> None:
    """Refuse sizes at which the distances of all pairs would not fit."""
    if size > ALL_PAIRS:
        raise MemoryError(f"the distances of all pairs of {size:,} points")


def rivals() -> dict[str, Callable[[int], Callable[[], object]]]:
    """Give hierarchical clusterings of the same points."""

    def scipy(size: int) -> Callable[[], object]:
        from scipy.cluster.hierarchy import linkage

        require_room(size)
        return lambda: linkage(scattered_points(size)[:, None], "complete")

    def fastcluster(size: int) -> Callable[[], object]:
        import fastcluster as rival

        require_room(size)
        return lambda: rival.linkage(scattered_points(size)[:, None], "complete")

    def scikit(size: int) -> Callable[[], object]:
        from scipy.sparse import diags_array
        from sklearn.cluster import AgglomerativeClustering

        chain = diags_array([np.ones(size - 1), np.ones(size - 1)], offsets=[-1, 1]).tocsr()
        model = AgglomerativeClustering(n_clusters=1, linkage="complete", connectivity=chain)
        return lambda: model.fit(scattered_points(size)[:, None])

    def genie(size: int) -> Callable[[], object]:
        from genieclust import Genie

        # It refuses points with a single coordinate.
        plane = np.column_stack((scattered_points(size), np.zeros(size)))
        return lambda: Genie(n_clusters=2).fit(plane)

    return {
        "SciPy linkage, complete": scipy,
        "fastcluster, complete": fastcluster,
        "scikit-learn, chain, complete": scikit,
        "genieclust": genie,
    }


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="up to 100,000 values, no rivals")
    parser.add_argument("--largest", type=float, default=1e6)
    given = parser.parse_args()
    largest = 1e5 if given.quick else given.largest
    sizes = [size for size in (1_000, 10_000, 100_000, 1_000_000) if size <= largest]
    compile_loops()  # growth is then that of one program
    others = (whole_frontier(), problem_3(), problem_3_of_all_pairs())
    for prepare in [*searches().values(), *(each for rows in others for each in rows.values())]:
        prepare(500)()  # compiles
    table("Greedy searches, CPU seconds", searches(), sizes)
    table("Tables of every kind, resolution and distortion of the centroid", families(), sizes)
    table("All measures of all steps, and the frontier", whole_frontier(), sizes)
    table("Problem (3), resolution", problem_3(), sizes)
    few = [300, 1_000, 3_000] if given.quick else [1_000, 3_000, 10_000]
    table("Problem (3), all pairs", problem_3_of_all_pairs(), few)
    table("Several columns", several_columns(), [300, 1_000] if given.quick else [1_000, 2_500, 5_000])
    table("Naive twins", twins(), [30, 100] if given.quick else [30, 100, 300])
    if not given.quick:
        table("Other people's clusterings of the same points", rivals(), [1_000, 10_000, 100_000, 1_000_000])


if __name__ == "__main__":
    main()
