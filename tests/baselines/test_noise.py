from __future__ import annotations

import json
from itertools import pairwise
from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from hartley.baselines.noise import NoiseCloseness, NoisyRelease, optimal_noise
from hartley.errors import InputError, OptionError
from hartley.examples import toy
from hartley.measures.stochastic import JointDistribution, mutual_information
from hartley.model import JointRange, Partition
from hartley.search.effort import Effort
from strategies import joint_ranges_with_partition

PAIRS = Partition.from_clusters([[0, 1], [2, 3], [4, 5, 6]])
weights = st.sampled_from((0.0, 0.1, 0.5, 1.0, 2.5, 20.0))


def objective_by_definition(found: NoisyRelease, channel: np.ndarray) -> float:
    """F in nats, from dense tables."""
    prior = JointDistribution.of(found.joint)
    table = np.zeros((prior.sensitive_size, prior.observations))
    table[prior.indices, prior.observation_of] = prior.probabilities
    public = table.sum(axis=0)
    leak = mutual_information(JointDistribution.from_table(table @ channel)) * log(2)
    return leak + found.purpose.weight * float((public[:, None] * channel * found.purpose.distances).sum())


@settings(deadline=None, max_examples=60)
@given(joint_ranges_with_partition(), weights)
def test_the_objective_never_rises_and_is_what_it_says(
    both: tuple[JointRange, Partition], weight: float
) -> None:
    joint, partition = both
    found = optimal_noise(joint, partition, NoiseCloseness.to_own_cluster(partition, weight))
    assert all(later <= earlier for earlier, later in pairwise(found.objectives))
    assert found.objective == pytest.approx(objective_by_definition(found, found.channel), abs=1e-6)
    assert np.allclose(found.channel.sum(axis=1), 1)
    assert (found.channel >= 0).all()


@settings(deadline=None, max_examples=40)
@given(joint_ranges_with_partition(), weights)
def test_closeness_is_never_worse_than_the_partition_or_pure_noise(
    both: tuple[JointRange, Partition], weight: float
) -> None:
    joint, partition = both
    found = optimal_noise(joint, partition, NoiseCloseness.to_own_cluster(partition, weight))
    own = np.eye(partition.size)[partition.labels]
    noise = np.full_like(own, 1 / partition.size)
    for other in (own, noise):
        assert found.objective <= objective_by_definition(found, other) + min(found.gap_nats, 1e-3) + 1e-9


@pytest.mark.parametrize("weight", [0.3, 1.0, 3.0])
def test_the_gap_brackets_what_a_second_optimiser_finds(weight: float) -> None:
    found = optimal_noise(toy(), PAIRS, NoiseCloseness.to_own_cluster(PAIRS, weight))

    def value(logits: np.ndarray) -> float:
        raised = np.exp(logits.reshape(7, 3) - logits.reshape(7, 3).max(axis=1, keepdims=True))
        return objective_by_definition(found, raised / raised.sum(axis=1, keepdims=True))

    other = minimize(value, np.eye(3)[PAIRS.labels].ravel(), method="BFGS", options={"gtol": 1e-8}).fun
    assert found.objective <= other + 1e-6
    assert other >= found.objective - found.gap_nats - 1e-9


def test_little_weight_gives_noise_and_much_weight_the_partition() -> None:
    loose = optimal_noise(toy(), PAIRS, NoiseCloseness.to_own_cluster(PAIRS, 0.0))
    assert loose.after.stochastic.mutual_information_bits == pytest.approx(0, abs=1e-6)
    tight = optimal_noise(toy(), PAIRS, NoiseCloseness.to_own_cluster(PAIRS, 60.0))
    assert np.array_equal(tight.channel, np.eye(3)[PAIRS.labels])
    assert tight.after == tight.before


def test_noise_lowers_the_average_and_clears_what_was_certain() -> None:
    found = optimal_noise(toy(), PAIRS, NoiseCloseness.to_own_cluster(PAIRS, 1.0))
    assert found.before.l0_bits > 0
    assert found.after.l0_bits == 0
    assert found.after.istar_bits == 0
    assert found.after.stochastic.mutual_information_bits < found.before.stochastic.mutual_information_bits
    assert found.after.stochastic.ldp_epsilon_nats < inf


def test_closeness_on_a_line_measures_to_the_middle_of_a_cluster() -> None:
    purpose = NoiseCloseness.on_line(toy(), PAIRS, 1.0)
    # Example 2 places x1, x2 at 0.2 and 0.1, x5, x6, x7 at 0.6, 1.5 and 1.
    assert purpose.distances[0].tolist() == pytest.approx([0.05, 0.15, 0.85])


def test_the_same_input_gives_the_same_map() -> None:
    purpose = NoiseCloseness.on_line(toy(), PAIRS, 2.0)
    one, other = optimal_noise(toy(), PAIRS, purpose), optimal_noise(toy(), PAIRS, purpose)
    assert np.array_equal(one.channel, other.channel)
    assert one.objectives == other.objectives


def test_it_stops_when_asked_and_says_so() -> None:
    told: list[int] = []
    effort = Effort(should_stop=lambda: len(told) >= 3, progress=lambda *news: told.append(news[0]))
    found = optimal_noise(toy(), PAIRS, NoiseCloseness.to_own_cluster(PAIRS, 0.5), effort)
    assert told == [0, 1, 2]
    assert not found.complete
    assert len(found.objectives) == 4


def test_both_judgements_are_plain_json() -> None:
    text = json.dumps(
        optimal_noise(toy(), PAIRS, NoiseCloseness.to_own_cluster(PAIRS, 1.0)).to_dict(), allow_nan=False
    )
    assert set(json.loads(text)) == {
        "clusters", "objective_nats", "gap_nats", "rounds", "complete", "before", "after"
    }  # fmt: skip


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(OptionError, match="a weight is a finite number"):
        NoiseCloseness(np.zeros((7, 3)), -1.0)
    with pytest.raises(InputError, match="does not fit"):
        optimal_noise(toy(), Partition.whole(3), NoiseCloseness(np.zeros((7, 1)), 1.0))
    with pytest.raises(InputError, match="distances are needed"):
        optimal_noise(toy(), PAIRS, NoiseCloseness.to_own_cluster(Partition.whole(7), 1.0))
    with pytest.raises(InputError, match="finite numbers"):
        NoiseCloseness(np.array([[inf]]), 1.0)
    with pytest.raises(InputError, match="position"):
        NoiseCloseness.on_line(JointRange.from_pairs([("a", 1), ("b", 2)]), Partition.whole(2), 1.0)
    beside = JointRange.from_pairs([("a", 1, "u"), ("b", 2, "u")])
    with pytest.raises(InputError, match="side"):
        optimal_noise(beside, Partition.whole(2), NoiseCloseness(np.zeros((2, 1)), 1.0))
