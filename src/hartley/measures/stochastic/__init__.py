"""The probabilistic measures of Section VI, one to a file: pure functions of a joint distribution.

Read ``distribution`` first: what all of them are functions of. ``summary`` puts them side by side, as an
audit shows them.
"""

from hartley.measures.stochastic.arimoto import arimoto_conditional_entropy, arimoto_information
from hartley.measures.stochastic.distribution import JointDistribution
from hartley.measures.stochastic.entropy import entropy
from hartley.measures.stochastic.f_information import (
    CHI2,
    DEVIATIONS,
    HELLINGER,
    KL,
    TOTAL_VARIATION,
    Deviation,
    f_information,
)
from hartley.measures.stochastic.gacs_korner import gacs_korner_information
from hartley.measures.stochastic.local_differential_privacy import ldp_epsilon
from hartley.measures.stochastic.log_lift import log_lift, log_lift_on_support
from hartley.measures.stochastic.max_renyi_divergence import max_renyi_divergence
from hartley.measures.stochastic.maximal_alpha_leakage import AlphaLeakage, maximal_alpha_leakage
from hartley.measures.stochastic.maximal_correlation import maximal_correlation, singular_values
from hartley.measures.stochastic.maximal_leakage import maximal_leakage
from hartley.measures.stochastic.maximal_realizable_leakage import maximal_realizable_leakage
from hartley.measures.stochastic.mutual_information import mutual_information
from hartley.measures.stochastic.renyi_divergence import posterior_divergences, renyi_divergence
from hartley.measures.stochastic.sampling import Regime, Sampling
from hartley.measures.stochastic.sibson import sibson_information
from hartley.measures.stochastic.summary import StochasticMeasures, StochasticSummary
from hartley.measures.stochastic.worst_case_entropy_leakage import worst_case_entropy_leakage
from hartley.measures.stochastic.wyner import wyner_information

__all__ = [
    "CHI2",
    "DEVIATIONS",
    "HELLINGER",
    "KL",
    "TOTAL_VARIATION",
    "AlphaLeakage",
    "Deviation",
    "JointDistribution",
    "Regime",
    "Sampling",
    "StochasticMeasures",
    "StochasticSummary",
    "arimoto_conditional_entropy",
    "arimoto_information",
    "entropy",
    "f_information",
    "gacs_korner_information",
    "ldp_epsilon",
    "log_lift",
    "log_lift_on_support",
    "max_renyi_divergence",
    "maximal_alpha_leakage",
    "maximal_correlation",
    "maximal_leakage",
    "maximal_realizable_leakage",
    "mutual_information",
    "posterior_divergences",
    "renyi_divergence",
    "sibson_information",
    "singular_values",
    "worst_case_entropy_leakage",
    "wyner_information",
]
