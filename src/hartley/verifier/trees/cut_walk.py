"""Public values under cuts, and the multisets of sensitive values behind them: what walks have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from hartley.releases.policy import Policy
from hartley.verifier.checks import TOLERANCE
from hartley.verifier.row_checks import Multisets
from hartley.verifier.shares import rules_of
from hartley.verifier.tables.reread import as_kind
from hartley.verifier.tables.row_numbers import Ints
from hartley.verifier.trees.lack import views_of

LINES = ("number", "date", "timestamp")


class TreeError(Exception):
    """A tree that does not hold, in plain words."""


class CutWalk:
    """Cuts public values into parts, and tells whether these keep what is required."""

    def __init__(self, policy: Policy, found: Multisets) -> None:
        self.policy, self.found = policy, found
        total = np.bincount(found.secret, weights=found.rows, minlength=len(found.secrets))
        self.rules = rules_of(policy, found.secrets, dict(enumerate(map(int, total))))
        self.views = views_of(policy, found.secrets, self.rules)
        self.row_k = max((int(one.wanted) for one in policy.requirements if one.name == "row-k"), default=1)
        weights = [one.wanted for one in policy.requirements if one.name == "weight-k"]
        self.weight_k = max(weights, default=0.0) * (1 - TOLERANCE) if found.weights is not None else 0.0
        self.least = max([self.row_k, *(view.wanted for view in self.views)])
        order = np.argsort(found.value, kind="stable")
        self.starts = np.searchsorted(found.value[order], np.arange(len(found.public.cluster) + 1))
        self.secret, self.rows = found.secret[order], found.rows[order]
        self.rows_of = np.bincount(found.value, weights=found.rows, minlength=len(found.public.cluster))
        self.keys = [list(cells.keys) for cells in found.public.cells]

    def by_kept(self, kept: Collection[str]) -> list[list[int]]:
        """Return the public values in groups, one for each combination of cells of the kept columns."""
        places = [at for at, one in enumerate(self.policy.public) if one.name in kept]
        groups: dict[tuple[int, ...], list[int]] = {}
        for value in range(len(self.found.public.cluster)):
            key = tuple(int(self.found.public.cells[at].codes[value]) for at in places)
            groups.setdefault(key, []).append(value)
        return list(groups.values())

    def parts(self, cut: Any, values: Ints) -> list[Ints]:
        """Return the parts of some public values under a cut."""
        if cut.column is None:
            return [np.array([value]) for value in self._in_order(values)]
        names = [one.name for one in self.policy.public]
        if cut.column not in names:
            raise TreeError("a cut of the tree is of a column that is not public")
        at = names.index(cut.column)
        kind = self.policy.public[at].kind
        codes = self.found.public.cells[at].codes[values]
        here = set(codes.tolist())
        if kind in LINES:
            bound = None if cut.up_to is None else as_kind(cut.up_to, kind)
            left = {code for code in here if self._is_up_to(self.keys[at][code], bound)}
        else:
            listed = {as_kind(cell, kind) for cell in cut.cells}
            left = {code for code in here if self.keys[at][code] in listed}
        is_left = np.isin(codes, list(left))
        return [values[is_left], values[~is_left]]

    def _is_up_to(self, key: Any, bound: Any) -> bool:
        return key is None or (bound is not None and key <= bound)

    def _in_order(self, values: Ints) -> list[int]:
        """Return public values by their classes, in the order in which the tree names them."""
        return sorted(values.tolist(), key=lambda value: int(self.found.public.cluster[value]))

    def multiset(self, values: Ints) -> Counter[int]:
        """Return the rows of some public values by their sensitive value."""
        total: Counter[int] = Counter()
        for value in values.tolist():
            for at in range(self.starts[value], self.starts[value + 1]):
                total[int(self.secret[at])] += int(self.rows[at])
        return total

    def is_heavy(self, values: Ints) -> bool:
        """Tell whether the sampling weights of some public values are enough, where they are known."""
        return self.found.weights is None or bool(self.found.weights[values].sum() >= self.weight_k)

    def holds(self, multiset: Mapping[int, int]) -> bool:
        """Tell whether a multiset keeps what is required."""
        is_large = sum(multiset.values()) >= self.row_k
        return (
            is_large
            and all(view.count(multiset) >= view.wanted for view in self.views)
            and all(rule.holds(multiset) for rule in self.rules)
        )
