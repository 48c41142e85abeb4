"""A codebook on new data: what was seen gets its label, what was not is refused, moved or suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.errors import OptionError, PolicyError, TableError, option
from hartley.model import Alphabet, Partition
from hartley.releases.cell_text import Cell, values_of
from hartley.releases.codebook import Codebook, CodedColumn
from hartley.releases.column_recoding import CellLabels
from hartley.releases.policy import Policy, Unseen
from hartley.releases.writer.publication import Publication, UnseenValue
from hartley.releases.writer.source_rows import Rows
from hartley.releases.writer.table_files import without_remains
from hartley.tables import ReadOptions, Table, open_table
from hartley.tables.sources.frames import computed

if TYPE_CHECKING:
    import narwhals as nw

UNSEEN: tuple[Unseen, ...] = ("error", "nearest", "suppress")


@dataclass(frozen=True)
class Applied:
    """New rows under a codebook."""

    publication: Publication
    unseen_values: int
    unseen_rows: int
    """Rows with a value that the codebook lacks; they were moved or suppressed."""
    unseen: tuple[UnseenValue, ...]


def read_options(policy: Policy, columns: tuple[str, ...], given: ReadOptions | None = None) -> ReadOptions:
    """Say how new data is to be read so that its columns are of the policy's kinds."""
    there = set(columns)
    kinds = {column.name: column.kind for column in policy.public}
    kinds.update({column.name: column.kind for column in (*policy.sensitive, *policy.side)})
    text = {name for name, kind in kinds.items() if kind == "text"} | set(policy.reading.text)
    number = {name for name, kind in kinds.items() if kind == "number"} | set(policy.reading.number)
    return ReadOptions(
        text=tuple(name for name in columns if name in text & there),
        number=tuple(name for name in columns if name in number & there),
        encoding=policy.reading.encoding if given is None else given.encoding,
        delimiter=policy.reading.delimiter if given is None else given.delimiter,
        decimal=policy.reading.decimal if given is None else given.decimal,
        missing_words=policy.reading.missing_words if given is None else given.missing_words,
    )


def open_for(policy: Policy, source: Any, given: ReadOptions | None = None) -> Table:
    """Open new data for a policy; refuse a table of other columns."""
    reading = policy.reading if given is None else given
    first = open_table(source, ReadOptions(encoding=reading.encoding, delimiter=reading.delimiter))
    policy.require_columns(first.column_names, first.name)
    options = read_options(policy, first.column_names, given)
    first.close()
    table = open_table(source, options)
    table.typed_columns(policy.public_names)
    return table


def apply_codebook(policy: Policy, rows: Rows, unseen: Unseen) -> Applied:
    """Join rows to the codebook of a policy; values that it lacks are treated as asked."""
    if unseen not in UNSEEN:
        raise OptionError.unknown("way to treat unseen values", unseen, UNSEEN)
    publication = Publication(rows, policy)
    lost = publication.unseen_rows()
    if not lost:
        return Applied(publication, 0, 0, ())
    values = publication.unseen_values()
    placed: tuple[UnseenValue, ...] = ()
    if policy.codebooks:
        by_column = ColumnLabels(policy)
        labels = [by_column.label(value) for value in values]
        placed = tuple(
            UnseenValue(value, label) for value, label in zip(values, labels, strict=True) if label
        )
        values = [value for value, label in zip(values, labels, strict=True) if label is None]
        publication = Publication(rows, policy, unseen=placed)
        lost = publication.unseen_rows()
        if not lost:
            return Applied(publication, 0, 0, placed)
    if unseen == "error":
        raise PolicyError(
            f"rows with public values that the policy has never seen: {lost} rows, {len(values)} values; "
            f"use {option('unseen', 'nearest')} or {option('unseen', 'suppress')}"
        )
    if unseen == "suppress":
        blank: tuple[str | None, ...] = (None,) * len(policy.public)
        found = tuple(UnseenValue(value, blank) for value in values)
    else:
        nearest = Nearest(policy)
        found = tuple(UnseenValue(value, nearest.label(value)) for value in values)
    everything = (*placed, *found)
    return Applied(Publication(rows, policy, unseen=everything), len(values), lost, everything)


class ColumnLabels:
    """Labels for values that were never seen, where each column has a codebook of its own.

    A combination that did not occur is withheld: nobody knows how many share it.
    """

    def __init__(self, policy: Policy) -> None:
        self._recoders = [
            CellLabels(codebook, column.kind)
            for codebook, column in zip(policy.codebooks, policy.public, strict=True)
        ]
        self._released = {cluster.label for cluster in policy.clusters}
        self._nothing: tuple[str | None, ...] = (None,) * len(policy.public)

    def label(self, value: Sequence[Cell]) -> tuple[str | None, ...] | None:
        """Return the label of a value; nothing where a column's codebook has none for its cell."""
        try:
            found = tuple(recoder.label(cell) for recoder, cell in zip(self._recoders, value, strict=True))
        except LookupError:
            return None
        return found if found in self._released else self._nothing


def codebook_of(policy: Policy, public: Alphabet, unseen: Sequence[UnseenValue] = ()) -> Codebook:
    """Return the codebook of a policy for the public values of a table, all of which it must map."""
    label_of = {value: policy.clusters[number].label for value, number in policy.entries()}
    label_of.update({one.cells: one.label for one in unseen})
    numbers: dict[tuple[str | None, ...], int] = {}
    codes = []
    for value in values_of(public):
        if value not in label_of:
            raise PolicyError("the policy is of other data: this table holds values that it never saw")
        codes.append(numbers.setdefault(label_of[value], len(numbers)))
    return Codebook(
        columns=tuple(CodedColumn(column.name, column.kind, column.coding) for column in policy.public),
        partition=Partition(np.array(codes)),
        labels=tuple(numbers),
        coincided=0,
    )


class Nearest:
    """The cluster of the nearest value that was seen.

    Numbers and dates are as far apart as they are, in units of the column's range; text,
    truth values and missing cells are equal or one range apart. A value's distance is that of its
    worst column; ties go to the earlier cluster.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._entries = policy.entries()
        self._measured = [column.kind in ("number", "date", "timestamp") for column in policy.public]
        self._ranges = [self._range(place) for place in range(len(policy.public))]

    def _range(self, place: int) -> float:
        if not self._measured[place]:
            return 1.0
        at = [_position(value[place]) for value, _ in self._entries if value[place] is not None]
        return (max(at) - min(at)) or 1.0 if at else 1.0

    def label(self, value: tuple[Cell, ...]) -> tuple[str | None, ...]:
        """Return the label of the nearest value; refuse where there is no distance to any."""
        best = min(
            ((self._distance(value, seen), number) for seen, number in self._entries), key=lambda pair: pair
        )
        distance, number = best
        if distance == float("inf"):
            raise PolicyError(
                "a public value that was never seen has no nearest one, because text and missing cells have "
                f"no distance; use {option('unseen', 'suppress')}"
            )
        return self._policy.clusters[number].label

    def _distance(self, one: tuple[Cell, ...], other: tuple[Cell, ...]) -> float:
        worst = 0.0
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            if a == b:
                continue
            if a is None or b is None or not self._measured[place]:
                return float("inf")
            worst = max(worst, abs(_position(a) - _position(b)) / self._ranges[place])
        return worst


def _position(cell: Cell) -> float:
    if hasattr(cell, "toordinal"):
        seconds = getattr(cell, "timestamp", None)
        if seconds is None:
            return float(cell.toordinal())
        import datetime as dt

        return float((cell if cell.tzinfo else cell.replace(tzinfo=dt.UTC)).timestamp())
    return float(cell)


def apply_to_frame(policy: Policy, frame: Any, unseen: Unseen) -> Any:
    """Release a frame by a codebook; the result is of the same library, rows in their order."""
    import narwhals as nw

    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise TableError("a policy is applied to a data frame; for a file there is hartley.apply") from None
    if wrapped.implementation.is_pyspark():
        from hartley.releases.apply_in_spark import apply_in_spark

        return apply_in_spark(policy, frame, unseen)
    with computed(wrapped.implementation.name.lower()):
        eager = wrapped.collect() if isinstance(wrapped, nw.LazyFrame) else wrapped
    table = open_for(policy, eager.to_native())
    rows = Rows(table, policy.public_names)
    applied = apply_codebook(policy, rows, unseen)
    labels: Any = rows.connection.sql(applied.publication.recoded_natural()).to_arrow_table()
    released = eager.select(policy.published).with_columns(
        _series(without_remains(labels.column(place).combine_chunks()), name, eager)
        for place, name in enumerate(policy.public_names)
    )
    table.close()
    if isinstance(wrapped, nw.LazyFrame):
        return _lazy_like(released, frame)
    native = released.to_native()
    # What a frame of Arrow says about itself names columns that are not released, or anything else.
    return native.replace_schema_metadata(None) if wrapped.implementation.is_pyarrow() else native


def _series(column: Any, name: str, like: nw.DataFrame[Any]) -> Any:
    """Return an Arrow column as a column of the frame's own library."""
    import narwhals as nw
    import pyarrow as pa

    made = nw.from_arrow(pa.table({name: column}), backend=like.implementation).get_column(name)
    if like.implementation.is_pandas_like():
        made = nw.maybe_set_index(made, index=nw.maybe_get_index(like))
    return made


def _lazy_like(released: nw.DataFrame[Any], frame: Any) -> Any:
    if type(frame).__module__.split(".")[0] in ("duckdb", "_duckdb"):
        import duckdb

        return duckdb.from_arrow(released.to_arrow())
    return released.lazy().to_native()
