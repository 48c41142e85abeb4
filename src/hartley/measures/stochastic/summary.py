"""All stochastic measures of one table side by side, as an audit shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, isfinite
from typing import Any

from hartley.measures.distinguishability import max_symmetric_difference
from hartley.measures.stochastic.arimoto import arimoto_information
from hartley.measures.stochastic.distribution import JointDistribution
from hartley.measures.stochastic.f_information import DEVIATIONS, f_information
from hartley.measures.stochastic.gacs_korner import gacs_korner_information
from hartley.measures.stochastic.local_differential_privacy import ldp_epsilon
from hartley.measures.stochastic.log_lift import log_lift
from hartley.measures.stochastic.max_renyi_divergence import max_renyi_divergence
from hartley.measures.stochastic.maximal_alpha_leakage import AlphaLeakage, maximal_alpha_leakage
from hartley.measures.stochastic.maximal_correlation import maximal_correlation
from hartley.measures.stochastic.maximal_leakage import maximal_leakage
from hartley.measures.stochastic.maximal_realizable_leakage import maximal_realizable_leakage
from hartley.measures.stochastic.mutual_information import mutual_information
from hartley.measures.stochastic.sampling import Sampling
from hartley.measures.stochastic.sibson import sibson_information
from hartley.measures.stochastic.tilted_mean import order_name
from hartley.measures.stochastic.worst_case_entropy_leakage import worst_case_entropy_leakage
from hartley.model import JointRange, Partition

ORDERS = (0.0, 0.5, 1.0, 2.0, 5.0, inf)
ALPHA_ORDERS = (1.0, 1.5, 2.0, 5.0, inf)
SUMMARY_TOLERANCE_BITS = 1e-9
SUMMARY_STEPS = 50_000_000
"""Pairs that the iterative measures may visit; large tables get a wider gap instead of a long wait."""


@dataclass(frozen=True, kw_only=True)
class StochasticMeasures:
    """What a reader who knows the distribution learns; infinite where nothing bounds it."""

    mutual_information_bits: float
    gacs_korner_bits: float
    maximal_leakage_bits: float
    maximal_realizable_leakage_bits: float
    worst_case_entropy_leakage_bits: float
    sibson_bits: tuple[tuple[float, float], ...]
    """(order, bits) for each order."""
    arimoto_bits: tuple[tuple[float, float], ...]
    max_renyi_bits: tuple[tuple[float, float], ...]
    max_alpha_leakage: tuple[AlphaLeakage, ...]
    f_information: tuple[tuple[str, float], ...]
    ldp_epsilon_nats: float
    log_lift_nats: float
    hgr_maximal_correlation: float
    max_symmetric_difference: int

    @classmethod
    def of(cls, distribution: JointDistribution) -> StochasticMeasures:
        """Measure a distribution.

        >>> StochasticMeasures.of(JointDistribution.from_table([[1, 0], [0, 1]])).mutual_information_bits
        1.0
        """
        rounds = max(30, SUMMARY_STEPS // distribution.pairs)
        return cls(
            mutual_information_bits=mutual_information(distribution),
            gacs_korner_bits=gacs_korner_information(distribution),
            maximal_leakage_bits=maximal_leakage(distribution),
            maximal_realizable_leakage_bits=maximal_realizable_leakage(distribution),
            worst_case_entropy_leakage_bits=worst_case_entropy_leakage(distribution),
            sibson_bits=tuple((order, sibson_information(distribution, order)) for order in ORDERS),
            arimoto_bits=tuple((order, arimoto_information(distribution, order)) for order in ORDERS),
            max_renyi_bits=tuple((order, max_renyi_divergence(distribution, order)) for order in ORDERS),
            max_alpha_leakage=tuple(
                maximal_alpha_leakage(
                    distribution, order, tolerance_bits=SUMMARY_TOLERANCE_BITS, most_rounds=min(rounds, 2_000)
                )
                for order in ALPHA_ORDERS
            ),
            f_information=tuple(
                (deviation.name, f_information(distribution, deviation)) for deviation in DEVIATIONS
            ),
            ldp_epsilon_nats=ldp_epsilon(distribution),
            log_lift_nats=log_lift(distribution),
            hgr_maximal_correlation=maximal_correlation(distribution),
            max_symmetric_difference=int(max_symmetric_difference(distribution.support).amount),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as they stand in JSON: ``null`` and a flag for what is infinite."""
        return {
            "mutual_information_bits": self.mutual_information_bits,
            "gacs_korner_bits": self.gacs_korner_bits,
            "maximal_leakage_bits": self.maximal_leakage_bits,
            "maximal_realizable_leakage_bits": self.maximal_realizable_leakage_bits,
            "worst_case_entropy_leakage_bits": self.worst_case_entropy_leakage_bits,
            "sibson_bits": _by_order(self.sibson_bits),
            "arimoto_bits": _by_order(self.arimoto_bits),
            "max_renyi_bits": _by_order(self.max_renyi_bits),
            "max_alpha_leakage_bits": {
                order_name(found.order): found.bits for found in self.max_alpha_leakage
            },
            "max_alpha_leakage_gap_bits": {
                order_name(found.order): found.gap_bits for found in self.max_alpha_leakage
            },
            "f_information": dict(self.f_information),
            "ldp_epsilon_nats": _or_null(self.ldp_epsilon_nats),
            "ldp_attainable": isfinite(self.ldp_epsilon_nats),
            "log_lift_nats": _or_null(self.log_lift_nats),
            "log_lift_finite": isfinite(self.log_lift_nats),
            "hgr_maximal_correlation": self.hgr_maximal_correlation,
            "max_symmetric_difference": self.max_symmetric_difference,
        }


@dataclass(frozen=True)
class StochasticSummary:
    """Whether a table can carry statistics, and what they say."""

    sampling: Sampling
    measures: StochasticMeasures

    @classmethod
    def of(cls, joint: JointRange, partition: Partition | None = None) -> StochasticSummary:
        """Measure a table, or its release, with its row frequencies as probabilities.

        >>> from hartley.examples import toy
        >>> summary = StochasticSummary.of(toy())
        >>> summary.measures.mutual_information_bits, summary.sampling.regime
        (2.25, 'non-stochastic')
        """
        released = joint.release(partition)
        return cls(Sampling.of(released), StochasticMeasures.of(JointDistribution.of(released)))

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as it stands in JSON under ``stochastic``."""
        return {
            "rows_per_pair": self.sampling.rows_per_pair,
            "coverage": self.sampling.coverage,
            "regime": self.sampling.regime,
            **self.measures.to_dict(),
        }

    def plain_words(self) -> dict[str, str]:
        """Return a sentence for each number, by its key in :meth:`to_dict`, on what it means for a person."""
        return {key: SENTENCES[key](value) for key, value in self.to_dict().items() if key in SENTENCES}


def _by_order(values: tuple[tuple[float, float], ...]) -> dict[str, float]:
    return {order_name(order): bits for order, bits in values}


def _or_null(value: float) -> float | None:
    return value if isfinite(value) else None


REGIMES = {
    "non-stochastic": (
        "The table is too thin for statistics: trust which values occur together (L0, I*), not how often."
    ),
    "transitional": (
        "The table is between thin and full: read both kinds of measures, and decide by the worse one."
    ),
    "stochastic": "The table is full enough for its frequencies to stand for probabilities.",
}


def _times(bits: float) -> str:
    """Say a number of bits as a factor."""
    factor = 2.0**bits
    return f"{factor:.3g} times" if factor < 1e6 else f"2^{bits:.1f} times"


SENTENCES: dict[str, Callable[[Any], str]] = {
    "rows_per_pair": lambda value: (
        f"Each combination of values that occurs was seen in {value:.3g} rows on average."
    ),
    "coverage": lambda value: (
        f"About {1 - value:.1%} of new people would show a combination that this table has never seen, "
        "and that its frequencies call impossible."
    ),
    "regime": REGIMES.__getitem__,
    "mutual_information_bits": lambda value: (
        f"On average a released value tells {value:.3g} bits about a person's sensitive value."
    ),
    "gacs_korner_bits": lambda value: (
        f"On average {value:.3g} bits about a person are given away beyond any doubt."
        if value
        else "Nothing about a person is given away beyond any doubt."
    ),
    "maximal_leakage_bits": lambda value: (
        f"Whatever a reader wants to guess about a person, the release makes the guess right at most "
        f"{_times(value)} as often."
    ),
    "maximal_realizable_leakage_bits": lambda value: (
        f"For the person hit worst, one sensitive value becomes {_times(value)} as likely as before."
    ),
    "worst_case_entropy_leakage_bits": lambda value: (
        f"For the most telling released value, {value:.3g} bits of doubt about the person are gone."
    ),
    "sibson_bits": lambda values: (
        f"From the least that any released value tells ({values['0']:.3g} bits) over the average "
        f"({values['1']:.3g}) to the most that any guess can gain ({values['inf']:.3g})."
    ),
    "arimoto_bits": lambda values: (
        f"Counting only which values remain possible, every released value tells at least {values['0']:.3g} "
        f"bits; for one guess at the likeliest value, a reader is right {_times(values['inf'])} as often."
    ),
    "max_renyi_bits": lambda values: (
        "The switch from worst case to statistics: at order 0 only what the most telling released "
        f"value rules out counts ({values['0']:.3g} bits), and as the order grows how likely the rest "
        f"becomes counts more and more ({values['1']:.3g} at order 1, {values['inf']:.3g} at the end)."
    ),
    "max_alpha_leakage_bits": lambda values: (
        f"From an average reader ({values['1']:.3g} bits) to one who is content with a single lucky guess "
        f"({values['inf']:.3g} bits), whatever about the person the reader is after."
    ),
    "max_alpha_leakage_gap_bits": lambda values: (
        f"The tuned leakages are found to within {max(values.values()):.1g} bits."
    ),
    "f_information": lambda values: (
        "A reader who bets whether a released and a sensitive value belong to the same person wins "
        f"{50 + 50 * values['tv']:.3g} % of even bets instead of 50 %."
    ),
    "ldp_epsilon_nats": lambda value: (
        "No differential privacy at all: some released value rules a sensitive value out."
        if value is None
        else f"Any two sensitive values show as the same released value with chances that differ at most "
        f"{exp(value):.3g} times (epsilon {value:.3g})."
    ),
    "log_lift_nats": lambda value: (
        "Some released value takes the belief in a sensitive value down to nothing."
        if value is None
        else f"No released value makes a sensitive value over {exp(value):.3g} times likelier or unlikelier."
    ),
    "hgr_maximal_correlation": lambda value: (
        "Something about a person can be read off the released value without error (correlation 1)."
        if value == 1
        else f"Scores of the released and the sensitive value can correlate up to {value:.3g}, no more."
    ),
    "max_symmetric_difference": lambda value: (
        f"There are two sensitive values that {value} released values tell apart."
    ),
}
"""What each number means for the person whose data it is, by its key in JSON."""
