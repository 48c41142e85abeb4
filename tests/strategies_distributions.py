"""Random joint distributions, for properties that hold for all inputs."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hartley.measures.stochastic import JointDistribution
from hartley.model import Partition


@st.composite
def tables(
    draw: st.DrawFn, *, max_sensitive: int = 6, max_public: int = 6, max_weight: int = 9, full: bool = False
) -> np.ndarray:
    """Draw a table of small integer weights without empty rows or columns; many cells zero unless full."""
    height = draw(st.integers(1, max_sensitive))
    width = draw(st.integers(1, max_public))
    weights = st.integers(1, max_weight) if full else st.one_of(st.just(0), st.integers(0, max_weight))
    cells = draw(st.lists(weights, min_size=height * width, max_size=height * width))
    table = np.array(cells).reshape(height, width)
    for row in range(height):
        if not table[row].any():
            table[row, row % width] = 1
    for column in range(width):
        if not table[:, column].any():
            table[column % height, column] = 1
    return table


@st.composite
def distributions(draw: st.DrawFn, **bounds: int | bool) -> JointDistribution:
    """Draw a joint distribution with small integer weights."""
    return JointDistribution.from_table(draw(tables(**bounds)))


@st.composite
def uniform_distributions(draw: st.DrawFn) -> JointDistribution:
    """Draw a joint distribution under which all sensitive values are equally likely."""
    table = draw(tables()).astype(float)
    return JointDistribution.from_table(table / table.sum(axis=1, keepdims=True))


@st.composite
def merged_distributions(draw: st.DrawFn) -> tuple[JointDistribution, JointDistribution]:
    """Draw a joint distribution, and the same after a merge of observations."""
    distribution = draw(distributions())
    size = distribution.observations
    labels = draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size))
    return distribution, distribution.release(Partition(np.array(labels)))


def written_out(distribution: JointDistribution) -> np.ndarray:
    """Give the whole table of probabilities, a row for each sensitive value."""
    table = np.zeros((distribution.sensitive_size, distribution.observations))
    table[distribution.indices, distribution.observation_of] = distribution.probabilities
    return table
