"""What must stand in a released table for a cell of the original, and what stands there, in comparable keys.

Text must stay the same text. Between files of different kinds a cell must be the same value;
that equal values are also written alike is checked apart.
Labels must be written exactly as the codebook has them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from decimal import Decimal
from typing import Any

from hartley.releases.policy import Policy
from hartley.verifier.tables.reread import Digits, RereadTable, as_kind

_KINDS_OF = {
    "json": ("number",),
    "parquet": ("number", "date", "timestamp"),
    "arrow": ("number", "date", "timestamp"),
}
"""The kinds of cells that a format does not write as text; truth values apart, which none of them does."""
_PLAIN_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:[.,][0-9]+)*|[.,][0-9]+)(?:[eE][-+]?[0-9]+)?%?")
"""A signed number as a spreadsheet reads it: no formula."""
_BETWEEN = ("under", "to", "and", "over", "or", "missing")
"""What stands between the numbers of a label in words."""


class CellKeys:
    """Keys of the cells of one original and one release of it."""

    def __init__(self, policy: Policy, source: RereadTable, out: RereadTable) -> None:
        self._policy = policy
        self._out = out
        self._is_json = out.format is not None and out.format.name == "json"
        self._source = source
        self._is_from_types = source.format is None or source.format.is_typed
        self._is_typed = out.format is not None and out.format.is_typed
        self._labels: dict[tuple[int, int], Hashable] = {}
        self._commas = policy.comma_labels
        self._defuses = policy.choices.defuses_formulas and out.is_text
        self._recoded = {column.name: place for place, column in enumerate(policy.public)}
        self._kinds: dict[str, str | None] = {**policy.untouched_kinds}
        self._kinds.update({column.name: column.kind for column in policy.sensitive})

    def published(self, name: str, cell: Any) -> Hashable:
        """Return the key of what must be published for a cell that is not recoded."""
        if self._defuses and isinstance(cell, str) and self._kinds.get(name) in (None, "text"):
            cell = _defused(cell)
        return self.untouched(name, cell)

    def label(self, place: int, cluster: int) -> Hashable:
        """Return the key of a label; of what is in no cluster, a key that no cell has."""
        if cluster < 0:
            return ("no label",)
        if (place, cluster) not in self._labels:
            self._labels[place, cluster] = self._label(place, cluster)
        return self._labels[place, cluster]

    def _label(self, place: int, cluster: int) -> Hashable:
        kind = self._policy.public[place].released_kind
        text = self._policy.clusters[cluster].label[place]
        if self._out.is_text:
            if text and self._policy.public[place].name in self._commas:
                text = _with_commas(text)
            is_run = self._defuses and kind == "text" and text is not None
            return self._cell_text(_defused(text) if is_run and text else text)
        if self._is_json:
            if text is not None and kind == "number":
                return "digits", text
            return {"true": True, "false": False}[text] if text is not None and kind == "boolean" else text
        return as_kind(text, kind)

    def untouched(self, name: str, cell: Any) -> Hashable:
        """Return the key of a cell that is published as it is."""
        kind = self._kinds.get(name)
        if self._source.has_text(name) and (
            self._out.is_text or (self._is_json and kind not in ("number", "boolean"))
        ):
            return self._cell_text(cell)
        if self._source.is_single(name) and isinstance(cell, float) and not self._is_typed:
            cell = _shortest(cell)
        if kind == "number" and self._keeps_signs(name):
            return _signed(cell)
        if kind == "text" and isinstance(cell, float):
            # Declared text, and published as it is: -0.0 is not 0.0, and NaN not missing.
            return repr(cell)
        return as_kind(cell, kind)

    def _keeps_signs(self, name: str) -> bool:
        """Tell whether -0.0 stays what it is: not where text of several files becomes a number."""
        is_read_as_text = self._source.format is None and self._source.has_text(name)
        return self._out.is_text or (self._is_from_types and not is_read_as_text)

    def found(self, name: str, cell: Any) -> Hashable:
        """Return the key of a cell of the release."""
        if name not in self._recoded:
            return self.untouched(name, cell) if self._is_of_its_kind(name, cell) else _odd(cell)
        kind = self._policy.public[self._recoded[name]].released_kind
        if self._out.is_text:
            return self._cell_text(cell)
        if self._is_json:
            if isinstance(cell, Digits):
                return "digits", str(cell)
            return _odd(cell) if kind == "number" and cell is not None else cell
        return as_kind(cell, kind)

    def _is_of_its_kind(self, name: str, cell: Any) -> bool:
        """Tell whether an untouched cell stands as a number or truth value where the file has those."""
        kind = self._kinds.get(name)
        if cell is None or self._out.format is None or self._out.format.name not in _KINDS_OF:
            return True
        if kind == "boolean":
            return isinstance(cell, bool)
        return kind not in _KINDS_OF[self._out.format.name] or type(cell) is not str

    def _cell_text(self, cell: Any) -> Hashable:
        # In a CSV file of one column a missing cell stands as a pair of quotes.
        text: Hashable = cell
        return "" if text is None and len(self._out.columns) == 1 else text


def _with_commas(text: str) -> str:
    """Return a label of numbers in words with decimal commas, and any other as it is."""
    words = text.split(" ")
    is_of_numbers = all(
        word in _BETWEEN or re.fullmatch(r"#[0-9]+|-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", word)
        for word in words
    )
    return text.replace(".", ",") if is_of_numbers else text


def _defused(text: str) -> str:
    """Return a text with a quote before it where a spreadsheet would take it for a formula."""
    first = text.lstrip("'")
    inside = first.lstrip("\t\n\v\f\r \u00a0\ufeff")
    if not inside or inside[0] not in "=+-@＝＋－＠" or not first.strip("-+=@ "):
        return text
    is_plain = _PLAIN_NUMBER.fullmatch(first.lstrip(" ")) is not None
    return text if is_plain else "'" + text


def _odd(cell: Any) -> Hashable:
    """Return a key that no value has."""
    return "not of its kind", repr(cell)


def _shortest(cell: float) -> float:
    """Return the number that a text file shows for a float of single precision."""
    import numpy as np

    return float(str(np.float32(cell)))


def _signed(cell: Any) -> Hashable:
    """Tell -0.0 from 0.0 and NaN from missing, as an untouched column of floats does."""
    if cell is None or isinstance(cell, bool):
        return cell
    try:
        number = Decimal(cell) if isinstance(cell, (str, int, Decimal)) else Decimal(repr(cell))
    except ArithmeticError:
        return _odd(cell)
    return "nan" if number.is_nan() else (number, number.is_signed())
