"""A transformer for scikit-learn that recodes its columns so that they give the target away least.

>>> import numpy as np
>>> from hartley.sklearn import Recoder
>>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array(["p", "p", "q", "q"])
>>> Recoder(target="distinct_l", amount=2).fit(X, y).audit_.distinct_l
2

Needs the extra ``hartley[sklearn]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from hartley.errors import ColumnError, HartleyError, PolicyError, UnreachableError
from hartley.model.demand import Demand, Target
from hartley.workflow.policy_fit import fit_policy
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable
from hartley.workflow.request.time_limit import SearchLimits


class Recoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Merges the values of X, all columns together, so that the sensitive values cannot be read off them.

    The sensitive value of each row is that of the columns of X that ``sensitive`` names (by name or place;
    they are dropped), or of what is handed to :meth:`fit` as ``sensitive`` (metadata that a pipeline may
    route), or else ``y``. It plays no part in :meth:`transform`.

    ``require`` says what every recoded value must keep, such as ``{"distinct_l": 5, "row_k": 10}``; without
    it ``target`` and ``amount`` do. Rows of new data whose values were not seen in :meth:`fit` go to the
    nearest cluster, and come out missing where there is none; ``unseen="suppress"`` makes all of them
    missing, ``unseen="error"`` refuses them. After fitting, ``policy_`` is the codebook as ``hartley apply``
    takes it, ``audit_`` what a reader of the recoded columns learns, and ``point_`` the frontier's point.
    """

    def __init__(
        self,
        *,
        sensitive: str | int | Sequence[str | int] | None = None,
        require: Any = None,
        target: str = "distinct_l",
        amount: float = 2,
        leakage: str = "l0",
        utility: str | None = None,
        search: str = "optimal",
        labels: str = "midpoint",
        unseen: str = "nearest",
        time_limit: float | None = None,
        seed: int = 0,
    ) -> None:
        self.sensitive = sensitive
        self.require = require
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
        tags.target_tags.required = self.sensitive is None
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: Any = None, sensitive: Any = None) -> Recoder:  # noqa: N803 (scikit-learn's name)
        """Search for the partition that meets what is required, and label it."""
        if y is None and sensitive is None and self.sensitive is None:
            raise ValueError("requires y to be passed, but the target y is None; or name sensitive columns")
        X, options = _side_by_side(X), {"dtype": None, "ensure_all_finite": "allow-nan"}  # noqa: N806
        if sensitive is None and self.sensitive is None:
            X, y = validate_data(self, X, y, multi_output=True, **options)  # noqa: N806
            secrets = np.asarray(y).reshape(len(X), -1)
        else:
            X = validate_data(self, X, **options)  # noqa: N806
            secrets = _of_rows(sensitive, len(X))
        try:
            hidden = self._places()
        except HartleyError as error:
            raise ValueError(str(error)) from error
        if hidden:
            secrets = X[:, hidden]
        self.kept_ = [place for place in range(X.shape[1]) if place not in hidden]
        if not self.kept_:
            raise ValueError("every column is sensitive; none is left to recode")
        try:
            self._fit(X[:, self.kept_], secrets)
        except HartleyError as error:
            of = f" (n_samples = {len(X)})" if isinstance(error, UnreachableError) else ""
            raise ValueError(f"{error}{of}") from error
        return self

    def _places(self) -> list[int]:
        """Return the places of the sensitive columns of X."""
        if self.sensitive is None:
            return []
        given = [self.sensitive] if isinstance(self.sensitive, (str, int)) else list(self.sensitive)
        names = list(getattr(self, "feature_names_in_", ()))
        found = []
        for one in given:
            if isinstance(one, str) and one not in names:
                raise ColumnError.absent(one, names)
            if not isinstance(one, str) and not 0 <= one < self.n_features_in_:
                raise ColumnError(f"no column {one}; there are {self.n_features_in_}")
            found.append(names.index(one) if isinstance(one, str) else int(one))
        return found

    def _names(self, sensitive: int) -> tuple[list[str], list[str]]:
        """Return public and sensitive names: those of the frame, or x0, x1 … and y0, y1 …, in order."""
        names = list(getattr(self, "feature_names_in_", ()))
        if len(set(names)) < self.n_features_in_:
            names = [f"x{place}" for place in range(self.n_features_in_)]
        public = [names[place] for place in self.kept_]
        if self.sensitive is not None:
            return public, [names[place] for place in self._places()]
        first = "y"
        while any(f"{first}{place}" in public for place in range(sensitive)):
            first = f"_{first}"
        return public, [f"{first}{place}" for place in range(sensitive)]

    def _fit(self, X: npt.NDArray[Any], secrets: npt.NDArray[Any]) -> None:  # noqa: N803
        import pyarrow as pa

        public, hidden = self._names(secrets.shape[1])
        columns = {name: _cells(X[:, place]) for place, name in enumerate(public)}
        columns.update({name: _cells(secrets[:, place]) for place, name in enumerate(hidden)})
        wanted = Target(self.target, self.amount) if self.require is None else self.require  # type: ignore[arg-type]
        fitted = fit_policy(
            StudyTable(pa.table(columns), sensitive=hidden, public=public),
            Demand.of(wanted),
            Objective(leakage=self.leakage, utility=self.utility, search=self.search),  # type: ignore[arg-type]
            SearchLimits(time_limit=self.time_limit, seed=self.seed),
            self.labels,  # type: ignore[arg-type]
        )
        self.policy_, self.audit_, self.point_ = fitted.policy, fitted.audit, fitted.point

    def transform(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803 (scikit-learn's name)
        """Put labels in the place of values; sensitive columns are left out."""
        import pyarrow as pa

        check_is_fitted(self)
        X = validate_data(  # noqa: N806
            self, _side_by_side(X), dtype=None, ensure_all_finite="allow-nan", reset=False
        )
        names = self.policy_.public_names
        frame = pa.table({name: _cells(X[:, at]) for name, at in zip(names, self.kept_, strict=True)})
        try:
            released = self._released(frame)
        except HartleyError as error:
            raise ValueError(str(error)) from error
        columns = [_values(column) for column in released.columns]
        if all(column.dtype.kind in "biuf" for column in columns):
            return np.column_stack(columns)
        return np.column_stack([column.astype(object) for column in columns])

    def _released(self, frame: Any) -> Any:
        try:
            return self.policy_.apply(frame, unseen=self.unseen)  # type: ignore[arg-type]
        except PolicyError:
            if self.unseen != "nearest":
                raise
            # What has no nearest cluster, as a new word, comes out missing.
            return self.policy_.apply(frame, unseen="suppress")

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return the names of the columns that come out: those that went in, less the sensitive ones."""
        check_is_fitted(self)
        names: npt.NDArray[Any] = _check_feature_names_in(self, input_features)[self.kept_]
        return names


def _side_by_side(X: Any) -> Any:  # noqa: N803 (scikit-learn's name)
    """Return a frame as one array can hold it: NumPy has no common type for dates and numbers but objects."""
    kinds = {getattr(dtype, "kind", "O") for dtype in getattr(X, "dtypes", ())}
    return X.astype(object) if "M" in kinds and len(kinds) > 1 else X


def _of_rows(sensitive: Any, rows: int) -> npt.NDArray[Any]:
    """Return what is handed over as sensitive with a row for every row of X; nothing gives no columns."""
    found = np.asarray([[]] * rows if sensitive is None else sensitive, dtype=object)
    if found.ndim not in (1, 2) or len(found) != rows:
        raise ValueError(f"sensitive needs a value for each of the {rows} rows of X, and has {found.shape}")
    return found.reshape(rows, -1)


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
