"""What is left of the use of a file, computed from its cells and those of its original.

A label that stands for several values (a band, a set, anything) is replaced, row by row, by one of them,
drawn with the frequency that they have in the original: what an analyst would do who had to fill it in. The
draws have a fixed seed. Random counts take each label for its values in equal parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hartley.measures.likeness.binned_columns import SharedColumn
from hartley.measures.likeness.marginals import shares_in_common
from hartley.measures.likeness.propensity import Propensity, propensity
from hartley.measures.likeness.regression import Formula, RegressionLikeness, regression_likeness
from hartley.measures.query_error import CountQueries
from hartley.model.arrays import Flags, Floats, Int64s
from hartley.model.label_fit import LabelFit
from hartley.tables.counting.column_codes import ColumnCodes
from hartley.tables.labels.fits import written
from hartley.workflow.against.held_files import HeldFiles

SEED = 1


@dataclass(frozen=True, kw_only=True)
class FileUsefulness:
    """What is left of the use of a file."""

    ncp: float
    """The part of a column's range that a label spans, averaged over rows and public columns; 0 untouched."""
    query_error: float | None
    """The median relative error of random counts over two public columns."""
    two_way: float | None
    """The share that marginals of two columns have in common with the original's, on average."""
    three_way: float | None
    worst_three_way: float | None
    propensity: Propensity
    regressions: tuple[RegressionLikeness, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "ncp": self.ncp,
            "query_error": self.query_error,
            "two_way_marginals": self.two_way,
            "three_way_marginals": self.three_way,
            "worst_three_way_marginal": self.worst_three_way,
            **self.propensity.to_dict(),
            "regressions": [one.to_dict() for one in self.regressions],
        }


def file_usefulness(held: HeldFiles, formulas: Sequence[Formula] = ()) -> FileUsefulness:
    """Measure what is left of the use of a file, by all columns that have roles and are in both files.

    Formulas may name other columns of both files.
    """
    source = np.random.default_rng(SEED)
    columns = [_shared_column(held, name, source) for name in held.shared]
    two, three = (list(shares_in_common(columns, ways).values()) for ways in (2, 3))
    explained = [*columns, *(_shared_column(held, name, source) for name in held.others)]
    return FileUsefulness(
        ncp=float(np.mean([_relative_width(held, name) for name in held.public])),
        query_error=_query_error(held),
        two_way=float(np.mean(two)) if two else None,
        three_way=float(np.mean(three)) if three else None,
        worst_three_way=min(three) if three else None,
        propensity=propensity(columns),
        regressions=tuple(regression_likeness(explained, formula) for formula in formulas),
    )


def _shared_column(held: HeldFiles, name: str, source: np.random.Generator) -> SharedColumn:
    original, released = held.original[name], held.released[name]
    fit = held.fits[name].fit
    drawn = drawn_values(original, released, fit, source)
    is_number = original.values.kind not in ("text", "boolean")
    if not is_number:
        categories = [written(cell) for cell in original.values.cells]
        # What the original does not hold are categories of their own.
        own = np.where(drawn >= 0, drawn, len(categories) + released.codes)
        return SharedColumn(name, False, original.codes.astype(float), own.astype(float), tuple(categories))
    places = original.values.positions
    assert places is not None  # noqa: S101 (a number, a date or a moment)
    cells: Floats = np.where(drawn >= 0, places[np.maximum(drawn, 0)], np.nan)
    strange = drawn < 0
    if strange.any():
        cells[strange] = _own_positions(original, released)[released.codes[strange]]
    return SharedColumn(name, True, places[original.codes], cells)


def drawn_values(
    original: ColumnCodes, released: ColumnCodes, fit: LabelFit, source: np.random.Generator
) -> Int64s:
    """Return for each released row a value that its label may stand for; -1 where there is none."""
    frequency = np.bincount(original.codes, minlength=fit.values).astype(float)
    owner = np.repeat(np.arange(fit.values), np.diff(fit.indptr))
    order = np.argsort(fit.indices, kind="stable")
    labels, values = fit.indices[order], owner[order]
    weight = np.cumsum(frequency[values])
    starts = np.searchsorted(labels, np.arange(fit.labels))
    stops = np.searchsorted(labels, np.arange(fit.labels), side="right")
    padded = np.concatenate([[0.0], weight])
    low, high = padded[starts][released.codes], padded[stops][released.codes]
    at = np.searchsorted(weight, low + source.random(len(low)) * (high - low), side="right")
    is_there = (stops > starts)[released.codes]
    found: Int64s = np.full(len(low), -1, dtype=np.int64)
    found[is_there] = values[np.minimum(at, stops[released.codes] - 1)[is_there]]
    return found


def _own_positions(original: ColumnCodes, released: ColumnCodes) -> Floats:
    """Return where the cells of a released column lie on the line of the original; NaN where they do not."""
    if released.values.kind != original.values.kind:
        return np.full(len(released.values.values), np.nan)
    return np.array([original.values.position_of(cell) for cell in released.values.cells])


def _query_error(held: HeldFiles) -> float | None:
    """Return how far random counts on the file are off, by share of its rows, in the median."""
    people, rows = held.people(held.public), held.rows(held.public)
    coordinates = [
        held.original[name].values.take(people.columns[place]) for place, name in enumerate(held.public)
    ]
    queries = CountQueries.of_columns(coordinates, people.counts, SEED)
    cells_of_values = []
    for place, name in enumerate(held.public):
        cells = np.zeros(len(held.original[name].values.values), dtype=np.int64)
        cells[people.columns[place]] = queries.columns[place].codes
        cells_of_values.append(cells)
    scale = float(people.counts.sum()) / float(rows.counts.sum())
    errors = []
    for query in queries.queries:
        guess = rows.counts * scale
        for place, asked in query.asked:
            shares = _asked_shares(held, held.public[place], asked[cells_of_values[place]])
            guess = guess * shares[rows.columns[place]]
        errors.append(abs(float(guess.sum()) - query.answer) / query.answer)
    return float(np.median(errors)) if errors else None


def _asked_shares(held: HeldFiles, name: str, asked: Flags) -> Floats:
    """Return which share of the values of each label is asked for; a strange number counts as the nearest."""
    original, released, fit = held.original[name], held.released[name], held.fits[name].fit
    counts, _ = fit.values_of_labels()
    inside = np.bincount(fit.indices, weights=np.repeat(asked, np.diff(fit.indptr)), minlength=fit.labels)
    shares: Floats = inside / np.maximum(counts, 1)
    places = original.values.positions
    if places is not None and original.values.kind not in ("text", "boolean") and bool((counts == 0).any()):
        order = np.argsort(places)[: int((~np.isnan(places)).sum())]
        at = _own_positions(original, released)[counts == 0]
        after = np.clip(np.searchsorted(places[order], at), 1, max(len(order) - 1, 1)) % len(order)
        is_before = at - places[order[after - 1]] < places[order[after]] - at
        shares[counts == 0] = asked[order[np.where(is_before, after - 1, after)]] & ~np.isnan(at)
    return shares


def _relative_width(held: HeldFiles, name: str) -> float:
    """Return the mean over rows of what a label spans of the range of its column."""
    original, released = held.original[name], held.released[name]
    fit = held.fits[name].fit
    counts, _ = fit.values_of_labels()
    is_number = original.values.kind not in ("text", "boolean")
    if not is_number:
        width = np.maximum(counts - 1, 0) / max(fit.values - 1, 1)
        return float(width[released.codes].mean())
    places = original.values.positions
    assert places is not None  # noqa: S101 (a number, a date or a moment)
    owner = np.repeat(np.arange(fit.values), np.diff(fit.indptr))
    low, high = np.full(fit.labels, np.inf), np.full(fit.labels, -np.inf)
    np.fmin.at(low, fit.indices, places[owner])
    np.fmax.at(high, fit.indices, places[owner])
    extent = float(np.nanmax(places) - np.nanmin(places)) if not np.isnan(places).all() else 0.0
    width = np.where(high >= low, high - low, 0.0) / extent if extent else np.zeros(fit.labels)
    return float(width[released.codes].mean())
