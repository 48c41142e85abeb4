"""The stochastic measures beside dit's, on the sizes dit can do, and alone at a million pairs.

Run: ``python benchmarks/bridge.py [--largest PAIRS]``. Every row is measured in this one run: the
least of several repetitions, and the ratio of the two. dit is given its distribution ready made,
and so are we; neither's construction is counted.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from meter import forget_peak, peak_gigabytes

from hartley.measures.distinguishability import max_symmetric_difference
from hartley.measures.stochastic import (
    DEVIATIONS,
    JointDistribution,
    StochasticMeasures,
    arimoto_information,
    f_information,
    gacs_korner_information,
    ldp_epsilon,
    log_lift,
    max_renyi_divergence,
    maximal_alpha_leakage,
    maximal_correlation,
    maximal_leakage,
    maximal_realizable_leakage,
    mutual_information,
    renyi_divergence,
    sibson_information,
    worst_case_entropy_leakage,
)

GACS_KORNER_CELLS = 100
"""dit's Gács–Körner information walks a lattice; a table of 38 x 154 values took more than 3 GB."""


def random_distribution(seed: int, sensitive: int, public: int, pairs: int) -> JointDistribution:
    """Draw a connected-looking sparse table: every value occurs, the rest of the pairs at random."""
    rng = np.random.default_rng(seed)
    longest = max(sensitive, public)
    s = np.concatenate((np.arange(longest) % sensitive, rng.integers(sensitive, size=pairs - longest)))
    x = np.concatenate((np.arange(longest) % public, rng.integers(public, size=pairs - longest)))
    return JointDistribution.from_codes(x, s, rng.integers(1, 9, size=pairs).astype(float))


def fresh(distribution: JointDistribution) -> JointDistribution:
    """Copy a distribution so that nothing it remembers is reused."""
    return JointDistribution(
        distribution.sensitive_size, distribution.indptr, distribution.indices, distribution.probabilities
    )


def least_time(make: Callable[[], Any], run: Callable[[Any], Any], repetitions: int) -> tuple[float, Any]:
    """Give the least time of several runs, and what the last one gave."""
    best, value = inf, None
    for _ in range(repetitions):
        given = make()
        start = time.perf_counter()
        value = run(given)
        best = min(best, time.perf_counter() - start)
    return best, value


def beside_dit(sensitive: int, public: int, pairs: int) -> None:
    """Print our time, dit's time and the ratio for every measure both have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import dit
        import dit.divergences
        import dit.multivariate
        import dit.other
        import dit.shannon

    distribution = random_distribution(1, sensitive, public, pairs)
    table = np.zeros((distribution.sensitive_size, distribution.observations))
    table[distribution.indices, distribution.observation_of] = distribution.probabilities
    product = np.outer(table.sum(axis=1), table.sum(axis=0))
    cells = [(int(s), int(x)) for s, x in zip(*np.nonzero(table), strict=True)]
    theirs = dit.Distribution(cells, [float(table[cell]) for cell in cells])
    all_cells = [(s, x) for s in range(table.shape[0]) for x in range(table.shape[1])]
    independent = dit.Distribution(all_cells, [float(product[cell]) for cell in all_cells])
    rivals: dict[str, tuple[Callable[[JointDistribution], float], Callable[[Any], float]]] = {
        "mutual information": (mutual_information, lambda d: dit.shannon.mutual_information(d, [0], [1])),
        "Rényi divergence 2": (
            lambda _: renyi_divergence(table.ravel(), product.ravel(), 2),
            lambda d: dit.divergences.renyi_divergence(d, independent, 2),
        ),
        "Sibson 2": (
            lambda d: sibson_information(d, 2),
            lambda d: dit.other.sibson_mutual_information(d, [0], [1], 2),
        ),
        "maximal leakage": (maximal_leakage, lambda d: dit.other.maximal_leakage(d, [0], [1])),
        "Gács–Körner": (
            gacs_korner_information,
            lambda d: dit.multivariate.gk_common_information(d, [[0], [1]]),
        ),
        "maximal correlation": (
            maximal_correlation,
            lambda d: dit.divergences.maximum_correlation(d, [[0], [1]]),
        ),
    }
    if table.size > GACS_KORNER_CELLS:
        del rivals["Gács–Körner"]
    print(f"\n{sensitive} x {public} values, {distribution.pairs} pairs")
    print(f"{'measure':<22}{'hartley':>12}{'dit':>12}{'dit/hartley':>13}{'difference':>13}{'MB':>8}")
    for name, (ours, other) in rivals.items():
        mine, value = least_time(lambda: fresh(distribution), ours, 5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            its, theirs_value = least_time(lambda: theirs, other, 2)
        print(
            f"{name:<22}{mine * 1e3:>9.3f} ms{its * 1e3:>9.1f} ms{its / mine:>12.0f}x"
            f"{abs(value - theirs_value):>13.1e}{peak_gigabytes() * 1024:>8.0f}"
        )


def alone(pairs: int) -> None:
    """Print our times at a size at which a written-out table would not fit."""
    size = pairs // 10
    distribution = random_distribution(2, size, size, pairs)
    print(f"\nalone: {size} x {size} values, {distribution.pairs} pairs")
    measures: dict[str, Callable[[JointDistribution], Any]] = {
        "mutual information": mutual_information,
        "f-information (4)": lambda d: [f_information(d, deviation) for deviation in DEVIATIONS],
        "Sibson 1/2": lambda d: sibson_information(d, 0.5),
        "Arimoto 1/2": lambda d: arimoto_information(d, 0.5),
        "max Rényi 2": lambda d: max_renyi_divergence(d, 2),
        "maximal leakage": maximal_leakage,
        "realizable leakage": maximal_realizable_leakage,
        "worst-case entropy": worst_case_entropy_leakage,
        "LDP, log-lift": lambda d: (ldp_epsilon(d), log_lift(d)),
        "Gács–Körner": gacs_korner_information,
        "maximal correlation": maximal_correlation,
        "max α-leakage 2, 30 rounds": lambda d: maximal_alpha_leakage(d, 2, most_rounds=30),
        "max symmetric difference": lambda d: max_symmetric_difference(d.support),
        "everything (summary)": StochasticMeasures.of,
    }
    for name, measure in measures.items():
        forget_peak()
        taken, _ = least_time(lambda: fresh(distribution), measure, 1)
        print(f"{name:<28}{taken:>9.3f} s{peak_gigabytes() * 1024:>8.0f} MB")


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=1_000_000, help="pairs of the last table")
    options = parser.parse_args()
    gacs_korner_information(random_distribution(0, 3, 3, 9))
    for sensitive, public, pairs in ((6, 7, 20), (38, 154, 281), (60, 60, 1_000)):
        beside_dit(sensitive, public, pairs)
    alone(options.largest)


if __name__ == "__main__":
    main()
