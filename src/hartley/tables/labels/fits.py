"""Which labels of a released column may stand for which values of the original one.

Where both columns have one kind, equal cells are equal values. Otherwise, and where a label is no value, it
is read by :mod:`~hartley.tables.labels.forms`, or by a file of groups. A missing cell of a release, or a word
for one such as ``NA`` that is no value of the column, stands for a missing cell, or for anything where the
original has none in that column: then it was withheld.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hartley.model import Coordinate
from hartley.model.alphabet import Label
from hartley.model.arrays import Int64s
from hartley.model.label_fit import LabelFit
from hartley.tables.labels.forms import Form, LabelRead, LabelSpan, pattern_of, read_label, split_set
from hartley.tables.text_dialect import MISSING_WORDS

Groups = Mapping[str, frozenset[str]]
"""Of each group of a column the values that it holds, as written; an empty text is a missing cell."""

_COMMA = re.compile(r"(?<=\d),(?=\d)")
NAMING = ("value", "set", "prefix", "group")
"""Forms of labels that name their values one by one, so that ``other`` does not stand for these."""


@dataclass(frozen=True)
class ColumnFit:
    """A released column beside the original one."""

    fit: LabelFit
    forms: dict[Form, int]
    """How many different cells of the release were read in each way."""
    unknown: int
    """Different numbers, dates or truth values of the release that the original does not hold."""
    unread: tuple[str, ...]
    """Labels that cannot be read, as they are written."""

    @property
    def names_values(self) -> bool:
        """Whether a cell of the release is a value of the original, or names some."""
        return any(form in self.forms for form in NAMING)

    @property
    def unread_patterns(self) -> list[str]:
        """The first five shapes of what cannot be read, without letters and digits."""
        return list(dict.fromkeys(map(pattern_of, self.unread)))[:5]


def column_fit(
    original: Coordinate, released: Coordinate, groups: Groups | None = None, decimal: str = "."
) -> ColumnFit:
    """Find which cells of a released column may stand for which values of the original column.

    The values of both are different from each other, those of the original in their order, missing last.
    Labels of numbers have the ``decimal`` mark of the files, or points.

    >>> from hartley.model import Alphabet
    >>> ages = Alphabet.of_values([19, 20, 31], ("age",)).coordinates[0]
    >>> bands = Alphabet.of_values(["19-29", "30-39"], ("age",)).coordinates[0]
    >>> [column_fit(ages, bands).fit.labels_of(place).tolist() for place in range(3)]
    [[0], [0], [1]]
    """
    if groups is None and original.kind == released.kind and original.kind != "text":
        found = _of_numbers(original, released)
        if found is not None:
            return found
    reader = _Reader(original, groups or {}, decimal)
    places: list[int] = []
    labels: list[int] = []
    exact = np.full(len(original.values), -1, dtype=np.int64)
    forms: Counter[Form] = Counter()
    unknown = 0
    unread = []
    same_kind = released.kind == original.kind
    reads = [reader.read(cell, same_kind=same_kind) for cell in released.cells]
    named = {place for form, fitting in reads if form in NAMING for place in fitting}
    for label, (form, fitting) in enumerate(reads):
        held = [place for place in fitting if form != "rest" or place not in named]
        if form is None or (form == "rest" and not held):
            unread.append(written(released.cells[label]))
            continue
        forms[form] += 1
        unknown += form == "value" and not held
        if form in ("value", "missing") and len(held) == 1:
            exact[held[0]] = label
        places += held
        labels += [label] * len(held)
    fit = LabelFit.of_pairs(
        places, labels, values=len(original.values), labels=len(released.values), exact=exact
    )
    return ColumnFit(fit, dict(forms), unknown, tuple(unread))


def _of_numbers(original: Coordinate, released: Coordinate) -> ColumnFit | None:
    """Compare two columns of one kind at once; nothing where cells are no plain numbers."""
    kinds = original.values.dtype.kind + released.values.dtype.kind
    if not set(kinds) <= set("biuf"):
        return None
    there, here = np.flatnonzero(~released.missing), np.flatnonzero(~original.missing)
    values, cells = original.values[here], released.values[there]
    if set(kinds) == {"i", "f"}:  # a float may be no whole number that it looks like
        big = [len(one) and float(np.abs(one).max()) > 2**53 for one in (values, cells)]
        if any(big):
            return None
    order = np.argsort(values, kind="stable")
    at = np.minimum(np.searchsorted(values[order], cells), max(len(values) - 1, 0))
    equal = values[order][at] == cells if len(values) else np.zeros(len(cells), dtype=np.bool_)
    exact = np.full(len(original.values), -1, dtype=np.int64)
    exact[here[order[at[equal]]]] = there[equal]
    places, labels = [here[order[at[equal]]]], [there[equal]]
    forms: dict[Form, int] = {"value": len(there)}
    if released.missing.any():
        gone = int(np.flatnonzero(released.missing)[0])
        was_missing = np.flatnonzero(original.missing)
        if len(was_missing):
            exact[was_missing] = gone
        fitting = was_missing if len(was_missing) else np.arange(len(original.values))
        places.append(fitting)
        labels.append(np.full(len(fitting), gone))
        forms["missing" if len(was_missing) else "anything"] = 1
    fit = LabelFit.of_pairs(
        np.concatenate(places),
        np.concatenate(labels),
        values=len(original.values),
        labels=len(released.values),
        exact=exact,
    )
    return ColumnFit(fit, forms, int((~equal).sum()), ())


class _Reader:
    """An original column, asked which of its values a label may stand for."""

    def __init__(self, original: Coordinate, groups: Groups, decimal: str) -> None:
        self.kind = original.kind
        self.groups = groups
        self.has_commas = decimal == "," and self.kind == "number"
        self.cells = original.cells
        self.missing = [place for place, cell in enumerate(self.cells) if cell is None]
        self.places = {cell: place for place, cell in enumerate(self.cells) if cell is not None}
        self.texts = {written(cell): place for cell, place in self.places.items()}
        self.sorted_texts = sorted(self.texts)
        self.origin = 0.0
        self.line: Int64s | None = None
        positions = original.positions if self.kind in ("number", "date", "timestamp") else None
        if positions is not None:
            here = np.flatnonzero(~np.isnan(positions))
            self.line = here[np.argsort(positions[here], kind="stable")]
            self.positions = positions[self.line]
            self.origin = float(original.origin) if self.kind == "number" else 0.0

    def read(self, cell: Label, *, same_kind: bool) -> tuple[Form | None, Iterable[int]]:
        """Return how a cell of the release is read, and the values that it may stand for."""
        text = "" if cell is None else written(cell)
        members = self.groups.get(text, {text})
        if members != {text}:
            held = [self.texts[one] for one in members if one in self.texts]
            return "group", {*held, *(self.missing if "" in members or text.endswith(" or missing") else ())}
        if self.has_commas and not same_kind and not text.startswith(("[", "(", "{")):
            text = _COMMA.sub(".", text)
        if cell is None or (text in ("", *MISSING_WORDS) and text not in self.texts):
            return ("missing", self.missing) if self.missing else ("anything", range(len(self.cells)))
        if same_kind and cell in self.places:
            return "value", [self.places[cell]]
        if text in self.texts:
            return "value", [self.texts[text]]
        if same_kind and self.kind != "text":
            return "value", ()
        number = self._number(text)
        if number is not None:
            return "value", number
        found = read_label(text, self.kind)
        if found is None:
            return None, ()
        fitting = self._fitting(found)
        if fitting is None:
            return None, ()
        return found.form, {*fitting, *(self.missing if found.with_missing else ())}

    def _number(self, text: str) -> tuple[int, ...] | None:
        """Return the value that a text names as a number; nothing where it is no number."""
        if self.kind != "number":
            return None
        try:
            number = float(text)
        except ValueError:
            return None
        if number != number or number in (float("inf"), float("-inf")):
            return None
        place = self.places.get(number)
        return () if place is None else (place,)

    def _fitting(self, found: LabelRead) -> Iterable[int] | None:
        if found.form == "anything":
            return range(len(self.cells))
        if found.form == "rest":
            return self.texts.values()
        if found.form == "prefix":
            return self._prefixed(found)
        if found.form == "set":
            return self._members(found)
        return None if found.span is None or self.line is None else self._between(found.span)

    def _prefixed(self, found: LabelRead) -> list[int] | None:
        start = bisect_left(self.sorted_texts, found.prefix)
        held = []
        for text in self.sorted_texts[start:]:
            if not text.startswith(found.prefix):
                break
            held.append(text)
        long = [text for text in held if len(text) == found.length]
        return [self.texts[text] for text in long or held] or None

    def _members(self, found: LabelRead) -> list[int] | None:
        if self.kind in ("text", "boolean"):
            members = split_set(found.text, self.texts)
            return None if members is None else [self.texts[one] for one in members if one in self.texts]
        held: list[int] = []
        for member in found.members:
            if member in self.texts:
                held.append(self.texts[member])
            elif member != "missing":
                number = self._number(member)
                if number is None:
                    return None
                held += number
        return held

    def _between(self, span: LabelSpan) -> list[int]:
        assert self.line is not None  # noqa: S101
        low, high = span.low - self.origin, span.high - self.origin
        start = np.searchsorted(self.positions, low, "right" if span.without_low else "left")
        stop = np.searchsorted(self.positions, high, "left" if span.without_high else "right")
        found: list[int] = self.line[start:stop].tolist()
        return found


def written(cell: Label) -> str:
    """Return a cell as text: whole numbers without decimals, truth values in small letters."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)
