r"""One mean from which every order follows.

The tilted mean of values :math:`v` with weights :math:`w` (which sum to one) is

.. math:: M_t = \frac1t \ln \sum_i w_i e^{t v_i}

and runs from the least value (:math:`t = -\infty`) through the plain average (:math:`t = 0`) to the
largest (:math:`t = \infty`). Rényi's divergence is the tilted mean of the logarithm of the lift,
Sibson's and Arimoto's information are tilted means of those divergences and entropies; so
the orders 0, 1 and infinity need no formula of their own, and nothing overflows.
"""

from __future__ import annotations

from math import inf, isnan

import numpy as np

from hartley.errors import OptionError
from hartley.model.arrays import Floats, Int64s

NEAR_AVERAGE = 1e-2
"""Largest exponent for which the sum is taken of its difference from one, which keeps all digits there."""


def require_order(order: float) -> float:
    """Return an order back if it is one: zero or more, infinity allowed."""
    if isnan(order) or order < 0:
        raise OptionError(f"no order {order:g}; an order is 0 or more, infinity allowed")
    return order


def order_name(order: float) -> str:
    """Name an order as it stands in JSON.

    >>> [order_name(order) for order in (0, 0.5, 1.0, inf)]
    ['0', '0.5', '1', 'inf']
    """
    return f"{order:g}"


def outer_tilt(order: float) -> float:
    r"""Return tilt :math:`(\alpha - 1) / \alpha` at which Sibson and Arimoto average over observations."""
    if order == 0:
        return -inf
    return 1.0 if order == inf else (order - 1) / order


def tilted_means(weights: Floats, values: Floats, tilt: float, starts: Int64s) -> Floats:
    """Return the tilted mean of each run of values; runs begin at ``starts``, weights sum to one in each.

    >>> tilted_means(np.array([0.5, 0.5, 1]), np.array([0.0, 1.0, 7.0]), 0.0, np.array([0, 2]))
    array([0.5, 7. ])
    """
    if tilt == inf:
        return np.maximum.reduceat(values, starts)
    if tilt == -inf:
        return np.minimum.reduceat(values, starts)
    if tilt == 0:
        return np.add.reduceat(weights * values, starts)
    exponents = tilt * values
    if float(np.abs(exponents).max()) <= NEAR_AVERAGE:
        return np.log1p(np.add.reduceat(weights * np.expm1(exponents), starts)) / tilt
    lengths = np.diff(np.concatenate((starts, [len(values)])))
    highest = np.maximum.reduceat(exponents, starts)
    sums = np.add.reduceat(weights * np.exp(exponents - np.repeat(highest, lengths)), starts)
    return (highest + np.log(sums)) / tilt


def tilted_mean(weights: Floats, values: Floats, tilt: float) -> float:
    """Return the tilted mean of all values.

    >>> half = np.array([0.5, 0.5])
    >>> [round(tilted_mean(half, np.array([0.0, 1.0]), t), 4) for t in (-inf, -1, 0, 1, inf)]
    [0.0, 0.3799, 0.5, 0.6201, 1.0]
    """
    return float(tilted_means(weights, values, tilt, np.zeros(1, dtype=np.int64))[0])
