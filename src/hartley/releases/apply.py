"""A codebook on new data: what was seen gets its label, what was not is refused, moved or suppressed.

On a table of Spark the join is made there, and no row leaves it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from functools import reduce
from math import isfinite
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.errors import OptionError, PolicyError, TableError, option
from hartley.model import Alphabet, Partition
from hartley.releases.cell_text import Cell, cell_text, parse_cell, values_of
from hartley.releases.codebook import Codebook
from hartley.releases.column_recoding import CellLabels
from hartley.releases.nearest import Nearest
from hartley.releases.policy import Policy, Unseen
from hartley.releases.rows.source_rows import Rows
from hartley.releases.writer.bare_columns import bare_frame, without_remains
from hartley.releases.writer.publication import Publication, UnseenValue
from hartley.tables import ReadOptions, Table, open_table
from hartley.tables.sources.frames import computed
from hartley.tables.sources.spark import fetched_few, plain_cell, plain_type

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


def reading_of(policy: Policy) -> ReadOptions:
    """Say how the original of a policy was read."""
    reading = policy.reading
    return ReadOptions(
        text=reading.text,
        number=reading.number,
        encoding=reading.encoding,
        delimiter=reading.delimiter,
        decimal=reading.decimal,
        dates=tuple(f"{name}={way}" for name, way in reading.date_formats.items()),
        missing_words=reading.missing_words,
        sheet=reading.sheet,
        query=reading.query,
    )


def _options_for(policy: Policy, columns: tuple[str, ...]) -> ReadOptions:
    """Say how new data is to be read so that its columns are of the policy's kinds."""
    kinds = {column.name: column.kind for column in policy.public}
    kinds |= {column.name: column.kind for column in (*policy.sensitive, *policy.side)}
    text = {name for name, kind in kinds.items() if kind == "text"} | set(policy.reading.text)
    number = {name for name, kind in kinds.items() if kind == "number"} | set(policy.reading.number)
    usual = reading_of(policy)
    return replace(
        usual,
        text=tuple(name for name in columns if name in text),
        number=tuple(name for name in columns if name in number),
        dates=tuple(one for one in usual.dates if one.rpartition("=")[0] in columns),
        sheet=None,
        query=None,
    )


def open_for(policy: Policy, source: Any) -> Table:
    """Open new data for a policy; refuse a table of other columns."""
    reading = policy.reading
    first = open_table(source, ReadOptions(encoding=reading.encoding, delimiter=reading.delimiter))
    policy.require_columns(first.column_names, first.name)
    options = _options_for(policy, first.column_names)
    if not first.source.is_delimited:
        options = replace(options, dates=())  # what has types has dates
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
        values_s, rows_s = "s" if len(values) != 1 else "", "s" if lost != 1 else ""
        raise PolicyError(
            f"the policy has never seen {len(values):,} public value{values_s}, in {lost:,} row{rows_s}; "
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
        columns=policy.public,
        partition=Partition(np.array(codes)),
        labels=tuple(numbers),
        coincided=0,
    )


def apply_to_frame(policy: Policy, frame: Any, unseen: Unseen) -> Any:
    """Release a frame by a codebook; the result is of the same library, rows in their order."""
    import narwhals as nw

    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise TableError("a policy is applied to a data frame; for a file there is hartley.apply") from None
    if wrapped.implementation.is_pyspark():
        return apply_in_spark(policy, frame, unseen)
    with computed(wrapped.implementation.name.lower()):
        eager = wrapped.collect() if isinstance(wrapped, nw.LazyFrame) else wrapped
    table = open_for(policy, eager.to_native())
    rows = Rows(table, policy.public_names)
    applied = apply_codebook(policy, rows, unseen)
    labels: Any = rows.connection.sql(applied.publication.recoded_natural()).to_arrow_table()
    shown = [file for name in policy.public_names for file in policy.in_file(name)]
    released = (
        eager.select(policy.published)
        .with_columns(
            _series(without_remains(labels.column(place).combine_chunks()), name, eager)
            for place, name in enumerate(shown)
        )
        .select(policy.file_columns)
    )
    table.close()
    bare = bare_frame(released)
    return _lazy_like(nw.from_native(bare), frame) if isinstance(wrapped, nw.LazyFrame) else bare


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


Entry = tuple[tuple[str | None, ...], tuple[str | None, ...]]
"""A value as text, and its label."""
LabelOf = Callable[[tuple[Any, ...]], tuple[str | None, ...] | None]
"""Finds a label for a value, if it gets one."""

NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")
TYPES = {
    "number": NUMBERS,
    "text": ("string", "char", "varchar"),
    "boolean": ("boolean",),
    "date": ("date",),
    "timestamp": ("timestamp", "timestamp_ntz"),
}
"""The types of Spark for each kind of values."""
KEY, LABEL, KNOWN = "__hartley_key_", "__hartley_label_", "__hartley_known"
"""Columns of the codebook beside those of the table."""


def apply_in_spark(policy: Policy, frame: Any, unseen: Unseen) -> Any:
    """Return the released frame: labels for public values, rows shuffled unless their order is to be kept.

    The codebook is sent to the workers; what comes back is one count, of rows that it does not map, and
    for ``nearest`` the distinct values of those.
    """
    from pyspark.sql import functions as f

    if unseen not in UNSEEN:
        raise OptionError.unknown("way to treat unseen values", unseen, UNSEEN)
    if policy.bounds_of:
        raise PolicyError(
            f"the policy was made with {option('labels', 'bounds')}, which rows in Spark do not get; apply "
            "it to a file"
        )
    policy.require_columns(frame.columns, "the table")
    types = {field.name: plain_type(field.dataType) for field in frame.schema.fields}
    given = {field.name: field.dataType for field in frame.schema.fields}
    names = policy.public_names
    # By place and not by name: Spark takes `a` and `A` for one, and a dot for a step into a structure.
    place_of = {name: f"c{place}" for place, name in enumerate(frame.columns)}
    placed = frame.toDF(*place_of.values())
    cells = [_value(plain_cell(f.col(place_of[name]), given[name]), types[name]) for name in names]
    entries = [(member, cluster.label) for cluster in policy.clusters for member in cluster.members]
    released = _joined(placed, cells, _codebook(policy, frame.sparkSession, types, entries))
    unknown = f.col(KNOWN).isNull()

    def with_labels(label_of: LabelOf) -> Any:
        """Return the rows with labels for values that were never seen, too."""
        with computed("pyspark"):
            strange = fetched_few(released.where(unknown).select(*cells).distinct(), names)
        entries.extend(_entries(policy, strange, label_of))
        return _joined(placed, cells, _codebook(policy, frame.sparkSession, types, entries))

    if policy.codebooks:
        released = with_labels(ColumnLabels(policy).label)
    with computed("pyspark"):
        unmapped = released.where(unknown).count() if unseen == "error" else 0
    if unmapped:
        raise PolicyError(
            f"{unmapped} rows hold public values that the policy never saw; "
            f"use {option('unseen', 'nearest')} or {option('unseen', 'suppress')}"
        )
    if unseen == "nearest":
        released = with_labels(Nearest(policy).label)
    if not policy.choices.keep_order:
        # The order of rows may tell something; a key that nobody has decides it anew.
        number = f.monotonically_increasing_id().cast("string")
        released = released.orderBy(f.sha2(f.concat(f.lit(secrets.token_hex(32)), number), 256))
    places = {name: place for place, name in enumerate(names)}
    return released.select(
        *(
            # What a column says about itself beside its cells is not released.
            (f.col(f"{LABEL}{places[name]}") if name in places else f.col(place_of[name])).alias(
                name, metadata={}
            )
            for name in policy.published
        )
    )


def _joined(frame: Any, cells: list[Any], book: Any) -> Any:
    """Put the codebook beside the rows; what it lacks has no label."""
    from pyspark.sql import functions as f

    same = [cell.eqNullSafe(book[f"{KEY}{place}"]) for place, cell in enumerate(cells)]
    return frame.join(f.broadcast(book), reduce(and_, same), "left")


def _entries(policy: Policy, strange: Any, label_of: LabelOf) -> list[Entry]:
    """Return, for each value that was never seen, the label it gets, if it gets one."""
    kinds = [column.kind for column in policy.public]
    found = []
    for row in zip(*(column.to_pylist() for column in strange.columns), strict=True):
        if any(isinstance(cell, float) and not isfinite(cell) for cell in row):
            raise PolicyError(f"an infinite number has no nearest one; use {option('unseen', 'suppress')}")
        member = tuple(map(cell_text, row))
        value = tuple(parse_cell(cell, kind) for cell, kind in zip(member, kinds, strict=True))
        label = label_of(value)
        if label is not None:
            found.append((member, label))
    return found


def _codebook(policy: Policy, session: Any, types: dict[str, Any], entries: Sequence[Entry]) -> Any:
    """Return the codebook as a frame, in the types of the columns; refuse what does not fit them."""
    import pyarrow as pa
    from pyspark.sql import functions as f
    from pyspark.sql.types import DoubleType, IntegralType

    texts: dict[str, Any] = {}
    cells, typed = [], f.lit(True)
    for place, column in enumerate(policy.public):
        own = types[column.name]
        keys, labels = [key[place] for key, _ in entries], [label[place] for _, label in entries]
        wanted, shown = [(own, key) for key in keys], own
        if column.released_kind != "text":
            is_whole = all(text is None or _keeps(own, text) for text in labels)
            # The middle of two whole numbers may be none.
            shown = DoubleType() if isinstance(own, IntegralType) and not is_whole else own
            wanted += [(shown, label) for label in labels]
        is_kind = own.typeName() in TYPES[column.kind]
        if not (is_kind and all(text is None or _keeps(kind, text) for kind, text in wanted)):
            raise _other_types()
        for mark, column_texts, kind in ((KEY, keys, own), (LABEL, labels, shown)):
            name = f"{mark}{place}"
            texts[name] = pa.array(column_texts, pa.string())
            if mark == LABEL and column.released_kind == "text":
                cells.append(f.col(name))
                continue
            typed = typed & (f.col(name).isNull() | f.col(name).try_cast(kind).isNotNull())
            cells.append(f.col(name).try_cast(kind).alias(name))
    book = session.createDataFrame(pa.table(texts))
    if book.where(~typed).limit(1).count():
        raise _other_types()
    return book.select(*cells, f.lit(True).alias(KNOWN))


def _other_types() -> PolicyError:
    return PolicyError(
        "the columns of this table cannot hold the policy's values exactly; "
        "give them the types of the table that the policy was made for"
    )


def _keeps(own: Any, text: str) -> bool:
    """Say whether a type of Spark could keep what a text says: it must not be rounded, nor lose its zone."""
    name: str = own.typeName()
    if name in ("timestamp", "timestamp_ntz"):
        return text.endswith("+00:00") == (name == "timestamp")
    if name not in NUMBERS:
        return True
    number = Decimal(text)
    if name == "double":
        return Decimal(repr(float(text))) == number
    if name == "float":
        return isfinite(float(text)) and _single(float(text)) == float(text)
    scale = int(own.scale) if name == "decimal" else 0
    return number == number.quantize(Decimal(1).scaleb(-scale), context=Context(prec=400))


def _single(number: float) -> float:
    """Return the nearest number of single precision."""
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def _value(cell: Any, own: Any) -> Any:
    """Make NaN missing, as everywhere."""
    from pyspark.sql import functions as f

    return f.when(~f.isnan(cell), cell) if own.typeName() in ("double", "float") else cell
