"""Whether a regression on the release says what it says on the original: the overlap of confidence intervals.

Least squares with a constant; a category enters by one column for each of its values but the first. The
overlap of two intervals is
the mean of what their intersection is of the one and of the other (Karr and others 2006): 1 where they are
the same,
below 0 where they lie apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hartley.errors import ColumnError, OptionError, option
from hartley.measures.likeness.binned_columns import SharedColumn
from hartley.model.arrays import Floats

CONFIDENCE = 0.95
MOST_TERMS = 200
CONSTANT = "(constant)"


@dataclass(frozen=True)
class Formula:
    """A column that is explained by others: ``wage ~ age + education``."""

    explained: str
    by: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Formula:
        """Read a formula; raise where it is none.

        >>> Formula.parse("wage ~ age + education")
        Formula(explained='wage', by=('age', 'education'))
        """
        left, tilde, right = text.partition("~")
        names = [part.strip() for part in right.split("+")]
        if not tilde or not left.strip() or not all(names) or re.search(r"[*:^()]", right):
            raise OptionError(
                f"cannot read {option('regress')} {text!r}; write a column, ~, and others with + between, as "
                "'wage ~ age + education'"
            )
        if len(set(names)) < len(names) or left.strip() in names:
            raise OptionError(f"{option('regress')} {text!r} names a column twice; name it once")
        return cls(left.strip(), tuple(names))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names."""
        return (self.explained, *self.by)

    def __str__(self) -> str:
        return f"{self.explained} ~ {' + '.join(self.by)}"


@dataclass(frozen=True)
class Coefficient:
    """One coefficient on the original and on the release."""

    term: str
    original: float
    released: float | None
    """``None`` where the release does not determine it."""
    overlap: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class RegressionLikeness:
    """A regression on both files."""

    formula: Formula
    coefficients: tuple[Coefficient, ...]
    left_out: tuple[int, int]
    """Rows of the original and of the release without a cell that is needed."""

    @property
    def mean_overlap(self) -> float | None:
        """The mean overlap of intervals, the constant left out; one that is not determined counts 0."""
        found = [one.overlap or 0.0 for one in self.coefficients if one.term != CONSTANT]
        return float(np.mean(found)) if found else None

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "formula": str(self.formula),
            "mean_overlap": self.mean_overlap,
            "coefficients": [one.to_dict() for one in self.coefficients],
            "left_out_rows": {"original": self.left_out[0], "released": self.left_out[1]},
        }


def regression_likeness(columns: Sequence[SharedColumn], formula: Formula) -> RegressionLikeness:
    """Fit a formula to both files and compare the confidence intervals of its coefficients."""
    by_name = {column.name: column for column in columns}
    for name in formula.columns:
        if name not in by_name:
            raise ColumnError.absent(name, list(by_name))
    if not by_name[formula.explained].is_number:
        raise ColumnError(f"column {formula.explained!r} holds no numbers; only numbers can be explained")
    terms = _terms(by_name, formula)
    if len(terms) > MOST_TERMS:
        raise OptionError(
            f"{option('regress')} '{formula}' has {len(terms)} terms; up to {MOST_TERMS} are fitted: leave "
            f"columns of "
            "many categories out"
        )
    one, gone = _fit(by_name, formula, terms, "original")
    other, lost = _fit(by_name, formula, terms, "released")
    if one is None:
        raise ColumnError(
            f"'{formula}' cannot be fitted to the original: columns say the same, or rows are too few"
        )
    found = []
    for place, (term, _) in enumerate(terms):
        if other is None:
            found.append(Coefficient(term, float(one[place, 0]), None, None))
            continue
        found.append(
            Coefficient(
                term, float(one[place, 0]), float(other[place, 0]), _overlap(one[place], other[place])
            )
        )
    return RegressionLikeness(formula, tuple(found), (gone, lost))


def _terms(columns: Mapping[str, SharedColumn], formula: Formula) -> list[tuple[str, tuple[str, int | None]]]:
    terms: list[tuple[str, tuple[str, int | None]]] = [(CONSTANT, ("", None))]
    for name in formula.by:
        column = columns[name]
        if column.is_number:
            terms.append((name, (name, None)))
            continue
        codes = np.unique(column.original.astype(np.int64)).tolist()
        # By numbers of categories, not their names: a result holds no cell.
        terms += [(f"{name}[{place}]", (name, code)) for place, code in enumerate(codes[1:], start=2)]
    return terms


def _fit(
    columns: Mapping[str, SharedColumn],
    formula: Formula,
    terms: Sequence[tuple[str, tuple[str, int | None]]],
    which: str,
) -> tuple[Floats | None, int]:
    """Return estimate and both ends of the interval of each term, and the rows left out."""
    explained: Floats = getattr(columns[formula.explained], which)
    design = np.ones((len(explained), len(terms)))
    for place, (_, (name, code)) in enumerate(terms):
        if name:
            cells: Floats = getattr(columns[name], which)
            design[:, place] = cells if code is None else cells == code
    whole = ~np.isnan(design).any(axis=1) & ~np.isnan(explained)
    design, explained = design[whole], explained[whole]
    left_out = int((~whole).sum())
    rows, width = design.shape
    if rows <= width:
        return None, left_out
    scale = np.maximum(np.abs(design).max(axis=0), 1e-300)
    solution, _, rank, _ = np.linalg.lstsq(design / scale, explained, rcond=1e-10)
    if rank < width:
        return None, left_out
    noise = explained - (design / scale) @ solution
    variance = float(noise @ noise) / (rows - width)
    spread = np.sqrt(np.maximum(variance * np.diag(np.linalg.inv((design / scale).T @ (design / scale))), 0))
    from scipy.special import stdtrit  # (the quantile of Student's t; slow to load)

    half = stdtrit(rows - width, (1 + CONFIDENCE) / 2) * spread
    found = np.stack([solution, solution - half, solution + half], axis=1) / scale[:, None]
    return found, left_out


def _overlap(one: Floats, other: Floats) -> float:
    """Return the overlap of two intervals (estimate, low, high)."""
    shared = min(one[2], other[2]) - max(one[1], other[1])
    widths = one[2] - one[1], other[2] - other[1]
    if min(widths) <= 0:
        return 1.0 if one[0] == other[0] else 0.0
    return float((shared / widths[0] + shared / widths[1]) / 2)
