"""A transformer for scikit-learn that recodes its columns so that they give the target away least.

>>> import numpy as np
>>> from hartley.sklearn import Recoder
>>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array(["p", "p", "q", "q"])
>>> Recoder(target="distinct_l", amount=2).fit(X, y).audit_.distinct_l
2

Needs the extra ``hartley[sklearn]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from hartley.errors import HartleyError
from hartley.workflow import Demand, Objective, SearchLimits, StudyTable, Target, fit_policy


class Recoder(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Merges the values of X, all columns together, so that ``y`` cannot be read off them.

    ``y`` is the sensitive value of each row; it plays no part in :meth:`transform`. Rows of new data
    whose values were not seen in :meth:`fit` are an error, go to the nearest cluster, or come out
    missing, as ``unseen`` says. After fitting, ``policy_`` is the codebook as ``hartley apply``
    takes it, ``audit_`` what a reader of the recoded columns learns, and ``point_`` the point of the
    frontier.
    """

    def __init__(
        self,
        *,
        target: str = "distinct_l",
        amount: float = 2,
        leakage: str = "l0",
        utility: str | None = None,
        search: str = "optimal",
        labels: str = "midpoint",
        unseen: str = "error",
        time_limit: float | None = None,
        seed: int = 0,
    ) -> None:
        self.target = target
        self.amount = amount
        self.leakage = leakage
        self.utility = utility
        self.search = search
        self.labels = labels
        self.unseen = unseen
        self.time_limit = time_limit
        self.seed = seed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: Any) -> Recoder:  # noqa: N803 (scikit-learn's name)
        """Search for the partition that meets the target, and label it."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan", multi_output=True)  # noqa: N806
        secrets = np.asarray(y).reshape(len(X), -1)
        try:
            self._fit(X, secrets)
        except HartleyError as error:
            raise ValueError(str(error)) from error
        return self

    def _fit(self, X: npt.NDArray[Any], secrets: npt.NDArray[Any]) -> None:  # noqa: N803
        import pyarrow as pa

        public = [f"x{place}" for place in range(X.shape[1])]
        hidden = [f"y{place}" for place in range(secrets.shape[1])]
        columns = {name: _cells(X[:, place]) for place, name in enumerate(public)}
        columns.update({name: _cells(secrets[:, place]) for place, name in enumerate(hidden)})
        fitted = fit_policy(
            StudyTable(pa.table(columns), sensitive=hidden, public=public),
            Demand.of(Target(self.target, self.amount)),  # type: ignore[arg-type]
            Objective(leakage=self.leakage, utility=self.utility, search=self.search),  # type: ignore[arg-type]
            SearchLimits(time_limit=self.time_limit, seed=self.seed),
            self.labels,  # type: ignore[arg-type]
        )
        self.policy_, self.audit_, self.point_ = fitted.policy, fitted.audit, fitted.point

    def transform(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803 (scikit-learn's name)
        """Put labels in the place of values."""
        import pyarrow as pa

        check_is_fitted(self)
        X = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=False)  # noqa: N806
        frame = pa.table({f"x{place}": _cells(X[:, place]) for place in range(X.shape[1])})
        try:
            released = self.policy_.apply(frame, unseen=self.unseen)  # type: ignore[arg-type]
        except HartleyError as error:
            raise ValueError(str(error)) from error
        columns = [_values(column) for column in released.columns]
        if all(column.dtype.kind in "biuf" for column in columns):
            return np.column_stack(columns)
        return np.column_stack([column.astype(object) for column in columns])


def _cells(column: npt.NDArray[Any]) -> list[Any]:
    """Return the cells as Python values, with NaN for missing as ``None``."""
    return [None if cell is None or cell != cell else cell for cell in column.tolist()]


def _values(column: Any) -> npt.NDArray[Any]:
    cells = column.to_pylist()
    present = [cell for cell in cells if cell is not None]
    if len(present) < len(cells) and all(type(cell) in (int, float) for cell in present):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
    found = np.array(cells)
    return found if found.dtype.kind in "biuf" else np.array(cells, dtype=object)
