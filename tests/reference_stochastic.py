"""The stochastic measures written for reading: dense tables, and the formulas as they are printed.

Each returns bits unless it says nats. Orders 0, 1 and infinity have formulas of their own here,
while the package derives them from one mean; the two must agree.
"""

from __future__ import annotations

from math import inf

import numpy as np


def plain_sibson(table: np.ndarray, order: float) -> float:
    prior, public = table.sum(axis=1), table.sum(axis=0)
    channel = table / prior[:, None]
    if order == 0:
        return float(-np.log2(((table > 0) * prior[:, None]).sum(axis=0).max()))
    if order == 1:
        return plain_mutual_information(table)
    if order == inf:
        return float(np.log2(channel.max(axis=0).sum()))
    del public
    inner = (prior[:, None] * channel**order).sum(axis=0)
    return float(order / (order - 1) * np.log2((inner ** (1 / order)).sum()))


def plain_arimoto(table: np.ndarray, order: float) -> float:
    prior = table.sum(axis=1)
    if order == 0:
        return float(np.log2(len(prior)) - np.log2((table > 0).sum(axis=0).max()))
    if order == 1:
        return plain_mutual_information(table)
    if order == inf:
        return float(np.log2(table.max(axis=0).sum() / prior.max()))
    norms = ((table**order).sum(axis=0) ** (1 / order)).sum()
    entropy = np.log2((prior**order).sum()) / (1 - order)
    return float(entropy - order / (1 - order) * np.log2(norms))


def plain_renyi(one: np.ndarray, other: np.ndarray, order: float) -> float:
    if order == 0:
        mass = other[one > 0].sum()
        return float(-np.log2(mass)) if mass > 0 else inf
    if order >= 1 and ((one > 0) & (other == 0)).any():
        return inf
    both = (one > 0) & (other > 0)
    if not both.any():
        return inf
    p, q = one[both], other[both]
    if order == 1:
        return float((p * np.log2(p / q)).sum())
    if order == inf:
        return float(np.log2((p / q).max()))
    return float(np.log2((p**order * q ** (1 - order)).sum()) / (order - 1))


def plain_mutual_information(table: np.ndarray) -> float:
    return plain_renyi(table.ravel(), np.outer(table.sum(axis=1), table.sum(axis=0)).ravel(), 1)


def plain_f_information(table: np.ndarray, f: object, at_zero: float) -> float:
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    total = 0.0
    for p, q in zip(table.ravel(), expected.ravel(), strict=True):
        total += q * (at_zero if p == 0 else f(p / q))
    return total


def plain_ldp(table: np.ndarray) -> float:
    """In nats."""
    channel = table / table.sum(axis=1, keepdims=True)
    return inf if (channel == 0).any() else float(np.log(channel.max(axis=0) / channel.min(axis=0)).max())
