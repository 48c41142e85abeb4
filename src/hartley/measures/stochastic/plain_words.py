"""What each stochastic number means for the person whose data it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp
from typing import Any

REGIMES = {
    "non-stochastic": (
        "The table is too thin for statistics: trust which values occur together (L0, I*), not how often."
    ),
    "transitional": (
        "The table is between thin and full: read both kinds of measures, and decide by the worse one."
    ),
    "stochastic": "The table is full enough for its frequencies to stand for probabilities.",
}


def plain_words(numbers: Mapping[str, Any]) -> dict[str, str]:
    """Return a sentence for each number of a summary, by its key.

    >>> plain_words({"gacs_korner_bits": 0.0})["gacs_korner_bits"]
    'Nothing about a person is given away beyond any doubt.'
    """
    return {key: SENTENCES[key](value) for key, value in numbers.items() if key in SENTENCES}


def _times(bits: float) -> str:
    """Say a number of bits as a factor."""
    factor = 2.0**bits
    return f"{factor:.3g} times" if factor < 1e6 else f"2^{bits:.1f} times"


def _rows_per_pair(value: float) -> str:
    return f"Each combination of values that occurs was seen in {value:.3g} rows on average."


def _coverage(value: float) -> str:
    return (
        f"About {1 - value:.1%} of new people would show a combination that this table has never seen, "
        "and that its frequencies call impossible."
    )


def _mutual_information(value: float) -> str:
    return f"On average a released value tells {value:.3g} bits about a person's sensitive value."


def _gacs_korner(value: float) -> str:
    if value == 0:
        return "Nothing about a person is given away beyond any doubt."
    return f"On average {value:.3g} bits about a person are given away beyond any doubt."


def _maximal_leakage(value: float) -> str:
    return (
        f"Whatever a reader wants to guess about a person, the release makes the guess right at most "
        f"{_times(value)} as often."
    )


def _maximal_realizable_leakage(value: float) -> str:
    return f"For the person hit worst, one sensitive value becomes {_times(value)} as likely as before."


def _worst_case_entropy_leakage(value: float) -> str:
    return f"For the most telling released value, {value:.3g} bits of doubt about the person are gone."


def _sibson(values: Mapping[str, float]) -> str:
    return (
        f"From the least that any released value tells ({values['0']:.3g} bits) over the average "
        f"({values['1']:.3g}) to the most that any guess can gain ({values['inf']:.3g})."
    )


def _arimoto(values: Mapping[str, float]) -> str:
    return (
        f"Counting only which values remain possible, every released value tells at least {values['0']:.3g} "
        f"bits; for one guess at the likeliest value, a reader is right {_times(values['inf'])} as often."
    )


def _max_renyi(values: Mapping[str, float]) -> str:
    return (
        "The switch from worst case to statistics: at order 0 only what the most telling released "
        f"value rules out counts ({values['0']:.3g} bits), and as the order grows how likely the rest "
        f"becomes counts more and more ({values['1']:.3g} at order 1, {values['inf']:.3g} at the end)."
    )


def _max_alpha_leakage(values: Mapping[str, float]) -> str:
    return (
        f"From an average reader ({values['1']:.3g} bits) to one who is content with a single lucky guess "
        f"({values['inf']:.3g} bits), whatever about the person the reader is after."
    )


def _max_alpha_leakage_gap(values: Mapping[str, float]) -> str:
    return f"The tuned leakages are found to within {max(values.values()):.1g} bits."


def _f_information(values: Mapping[str, float]) -> str:
    return (
        "A reader who bets whether a released and a sensitive value belong to the same person wins "
        f"{50 + 50 * values['tv']:.3g} % of even bets instead of 50 %."
    )


def _ldp_epsilon(value: float | None) -> str:
    if value is None:
        return "No differential privacy at all: some released value rules a sensitive value out."
    return (
        f"Any two sensitive values show as the same released value with chances that differ at most "
        f"{exp(value):.3g} times (epsilon {value:.3g})."
    )


def _log_lift(value: float | None) -> str:
    if value is None:
        return "Some released value takes the belief in a sensitive value down to nothing."
    return f"No released value makes a sensitive value over {exp(value):.3g} times likelier or unlikelier."


def _maximal_correlation(value: float) -> str:
    if value == 1:
        return "Something about a person can be read off the released value without error (correlation 1)."
    return f"Scores of the released and the sensitive value can correlate up to {value:.3g}, no more."


def _max_symmetric_difference(value: int) -> str:
    return f"There are two sensitive values that {value} released values tell apart."


SENTENCES: dict[str, Callable[[Any], str]] = {
    "rows_per_pair": _rows_per_pair,
    "coverage": _coverage,
    "regime": REGIMES.__getitem__,
    "mutual_information_bits": _mutual_information,
    "gacs_korner_bits": _gacs_korner,
    "maximal_leakage_bits": _maximal_leakage,
    "maximal_realizable_leakage_bits": _maximal_realizable_leakage,
    "worst_case_entropy_leakage_bits": _worst_case_entropy_leakage,
    "sibson_bits": _sibson,
    "arimoto_bits": _arimoto,
    "max_renyi_bits": _max_renyi,
    "max_alpha_leakage_bits": _max_alpha_leakage,
    "max_alpha_leakage_gap_bits": _max_alpha_leakage_gap,
    "f_information": _f_information,
    "ldp_epsilon_nats": _ldp_epsilon,
    "log_lift_nats": _log_lift,
    "hgr_maximal_correlation": _maximal_correlation,
    "max_symmetric_difference": _max_symmetric_difference,
}
