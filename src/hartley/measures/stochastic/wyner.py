r"""Wyner's common information.

:math:`C(S; X) = \min_{S - W - X} I(S, X; W)` splits over components,
:math:`C = K + \sum_c p(c) C_c`. A component of a single row or column adds nothing; a small one is minimised
numerically, which gives an upper bound; a large one is bounded by its entropies.

To minimise, the distribution is written as a mixture of independent ones with as much entropy left inside
as can be found: :math:`p = \sum_w p(w)\, a_w \otimes b_w`, each :math:`a_w` over S and :math:`b_w` over X,
such that :math:`\sum_w p(w) (H(a_w) + H(b_w))` is large. Given a set of products, the best weights are a
linear program; its dual prices :math:`\Lambda(s, x)` say which product would improve it, and the
best product at given prices is found by going to and fro between :math:`a \propto e^{-\Lambda b}` and
:math:`b \propto e^{-\Lambda^{\mathsf T} a}` from many fixed starts. The mixture is exact at every moment,
so what is found is a bound; the starts are finitely many, so nothing says that it is the best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from hartley.measures.boolean_rank import RankBounds, candidate_sets, maximal_rectangles, members
from hartley.measures.overlap import overlap_partition
from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies
from hartley.measures.stochastic.entropy import entropy
from hartley.measures.stochastic.gacs_korner import gacs_korner_information
from hartley.measures.stochastic.mutual_information import mutual_information
from hartley.model.arrays import Floats

MOST_CELLS = 36
"""Components of more cells are bounded by their entropies instead of minimised."""


@of_frequencies
def wyner_information(distribution: JointDistribution) -> RankBounds:
    r"""Bits of a common cause that explains all dependence of S and X, :math:`C(S; X)`, between two bounds.

    ``high`` is reached by a common cause that was found, so it is always a true upper bound; on small
    alphabets it is the minimum as far as a numerical search can tell. ``low`` is the mutual information.
    The two are equal where every component has a single row or column or is independent.

    >>> both = wyner_information(JointDistribution.from_table([[1, 1], [1, 0]]))
    >>> round(both.high, 6)
    0.666667
    """
    common = gacs_korner_information(distribution)
    low = high = common
    for share, component in _components(distribution):
        part = _of_component(component)
        low, high = low + share * part.low, high + share * part.high
    return RankBounds(low, high)


def _components(distribution: JointDistribution) -> Iterator[tuple[float, JointDistribution]]:
    """Return probability of each component with more than one row and column, and its own distribution."""
    of_pair = overlap_partition(distribution.support).labels[distribution.indices]
    order = np.argsort(of_pair, kind="stable")
    ends = np.cumsum(np.bincount(of_pair))[:-1]
    for pairs in np.split(order, ends):
        observations, public_codes = np.unique(distribution.observation_of[pairs], return_inverse=True)
        values, sensitive_codes = np.unique(distribution.indices[pairs], return_inverse=True)
        if min(len(observations), len(values)) > 1:
            weights = distribution.probabilities[pairs]
            yield (float(weights.sum()), JointDistribution.from_codes(public_codes, sensitive_codes, weights))


def _of_component(distribution: JointDistribution) -> RankBounds:
    low = mutual_information(distribution)
    high = min(entropy(distribution.sensitive_probabilities), entropy(distribution.observation_probabilities))
    if low < 1e-15:
        return RankBounds(0.0, 0.0)
    if distribution.sensitive_size * distribution.observations <= MOST_CELLS:
        inside = entropy_inside_mixture(distribution)
        if inside is not None:
            high = min(high, entropy(distribution.probabilities) - inside / log(2))
    return RankBounds(min(low, high), high)


MOST_RECTANGLES = 200
MOST_ROUNDS = 150
STEPS = 60
"""Steps to and fro from each start."""
SMOOTHING = 0.5
"""How near to the best prices so far products are looked for."""
CLOSE_ENOUGH = 1e-9
"""Nats between what is found and what the prices allow at which the search ends."""
ENOUGH = 1e-10
"""An improvement, in nats, that is not worth another round."""


@dataclass(frozen=True)
class Products:
    """Independent distributions, one in each row of two matrices."""

    sensitive: Floats
    observations: Floats

    @property
    def cells(self) -> Floats:
        """The joint probabilities of every product."""
        return self.sensitive[:, :, None] * self.observations[:, None, :]

    @property
    def entropies(self) -> Floats:
        """The entropy of every product, in nats."""
        return _entropies(self.sensitive) + _entropies(self.observations)

    def gains(self, prices: Floats) -> Floats:
        """Return how much the entropy of every product exceeds what its cells cost."""
        return np.asarray(self.entropies - np.tensordot(self.cells, prices, axes=2))

    def joined(self, other: Products) -> Products:
        """Return the products of both."""
        return Products(
            np.vstack((self.sensitive, other.sensitive)), np.vstack((self.observations, other.observations))
        )

    def taken(self, chosen: npt.NDArray[np.intp]) -> Products:
        """Return some of the products."""
        return Products(self.sensitive[chosen], self.observations[chosen])


def entropy_inside_mixture(distribution: JointDistribution) -> float | None:
    """Return the most entropy, in nats, that some exact mixture was found to leave inside its products.

    ``None`` where the support has too many maximal rectangles to look at.
    """
    rectangles = maximal_rectangles(candidate_sets(distribution.support), MOST_RECTANGLES)
    if rectangles is None:
        return None
    table = np.zeros((distribution.sensitive_size, distribution.observations))
    table[distribution.indices, distribution.observation_of] = distribution.probabilities
    boxes = [_Box.of(table, members(box.sensitive), members(box.observations)) for box in rectangles]
    products = _first_products(table)
    inside, least, centre = -np.inf, np.inf, np.zeros(table.shape)
    for _ in range(MOST_ROUNDS):
        weights, prices = _best_weights(table, products)
        inside = max(inside, float(weights @ products.entropies) - _repair(table, products, weights))
        # The prices of a linear program jump from round to round; between them and the best
        # ones so far better products are found (Wentges' smoothing).
        smooth = prices if least == np.inf else (1 - SMOOTHING) * prices + SMOOTHING * centre
        new = _best_products(smooth, boxes)
        most = float((table * smooth).sum() + new.gains(smooth).max())
        if most < least:
            least, centre = most, smooth
        if least - inside <= CLOSE_ENOUGH:
            break
        if new.gains(prices).max() <= ENOUGH:
            new = _best_products(prices, boxes)
        useful = np.flatnonzero(new.gains(prices) > ENOUGH)
        if not len(useful):
            break
        products = products.joined(new.taken(useful))
    return inside


@dataclass(frozen=True)
class _Box:
    """A rectangle of the support, and distributions over its columns to start from."""

    rows: list[int]
    columns: list[int]
    starts: Floats

    @classmethod
    def of(cls, table: Floats, rows: list[int], columns: list[int]) -> _Box:
        """Start from the uniform distribution, from each row's, and near each corner."""
        inner, width = table[np.ix_(rows, columns)], len(columns)
        uniform = np.full((1, width), 1.0 / width)
        corners = 0.9 * np.eye(width) + 0.1 / width
        return cls(rows, columns, np.vstack((uniform, inner / inner.sum(axis=1, keepdims=True), corners)))


def _entropies(distributions: Floats) -> Floats:
    logs = np.log(np.where(distributions > 0, distributions, 1.0))
    return np.asarray(-(distributions * logs).sum(axis=1))


def _first_products(table: Floats) -> Products:
    """Return a product for each row, column and cell: each of the three sets is an exact mixture."""
    height, width = table.shape
    rows = Products(np.eye(height), table / table.sum(axis=1, keepdims=True))
    columns = Products((table / table.sum(axis=0)).T, np.eye(width))
    s, x = np.nonzero(table)
    return rows.joined(columns).joined(Products(np.eye(height)[s], np.eye(width)[x]))


def _best_weights(table: Floats, products: Products) -> tuple[Floats, Floats]:
    from scipy.optimize import linprog

    occurs = table > 0
    cells = products.cells[:, occurs].T
    result = linprog(-products.entropies, A_eq=cells, b_eq=table[occurs], method="highs-ds")
    prices = np.full(table.shape, 0.0)
    prices[occurs] = -result.eqlin.marginals
    return np.maximum(result.x, 0.0), prices


def _repair(table: Floats, products: Products, weights: Floats) -> float:
    """Return the entropy that is lost by making the mixture exact to the last digit, in nats.

    The mixture is shrunk until no cell has too much; what is missing is filled by single
    cells, which have no entropy.
    """
    mixture = np.tensordot(weights, products.cells, axes=1)
    used = mixture > 0
    share = min(1.0, float((table[used] / mixture[used]).min()))
    return (1.0 - share) * float(weights @ products.entropies)


def _best_products(prices: Floats, boxes: list[_Box]) -> Products:
    """Return, of every box, the different products that the starts lead to at these prices."""
    found: list[Products] = []
    for box in boxes:
        inner = prices[np.ix_(box.rows, box.columns)]
        b = box.starts
        for _ in range(STEPS):
            a = _softmax(-b @ inner.T)
            b = _softmax(-a @ inner)
        chosen = _different(a)
        sensitive = np.zeros((len(chosen), prices.shape[0]))
        observations = np.zeros((len(chosen), prices.shape[1]))
        sensitive[:, box.rows], observations[:, box.columns] = a[chosen], b[chosen]
        found.append(Products(sensitive, observations))
    return Products(
        np.vstack([one.sensitive for one in found]), np.vstack([one.observations for one in found])
    )


def _different(distributions: Floats) -> list[int]:
    """Keep, in order, those that are not nearly one kept before."""
    kept: list[int] = []
    for i in range(len(distributions)):
        if all(np.abs(distributions[i] - distributions[j]).max() > 1e-4 for j in kept):
            kept.append(i)
    return kept


def _softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
