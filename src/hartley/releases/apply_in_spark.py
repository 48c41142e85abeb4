"""A codebook on a table of Spark: the join is made there, and no row leaves it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from functools import reduce
from math import isfinite
from operator import and_
from typing import Any

from hartley.errors import OptionError, PolicyError, option
from hartley.releases.apply import UNSEEN, ColumnLabels
from hartley.releases.cell_text import cell_text, parse_cell
from hartley.releases.nearest import Nearest
from hartley.releases.policy import Policy, Unseen
from hartley.tables.sources.frames import computed
from hartley.tables.sources.spark import fetched_few, plain_cell, plain_type

Entry = tuple[tuple[str | None, ...], tuple[str | None, ...]]
"""A value as text, and its label."""

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
    if policy.codebooks:
        with computed("pyspark"):
            strange = fetched_few(released.where(unknown).select(*cells).distinct(), names)
        entries += _entries(policy, strange, ColumnLabels(policy).label)
        released = _joined(placed, cells, _codebook(policy, frame.sparkSession, types, entries))
    with computed("pyspark"):
        unmapped = released.where(unknown).count() if unseen == "error" else 0
    if unmapped:
        raise PolicyError(
            f"{unmapped} rows hold public values that the policy never saw; "
            f"use {option('unseen', 'nearest')} or {option('unseen', 'suppress')}"
        )
    if unseen == "nearest":
        with computed("pyspark"):
            strange = fetched_few(released.where(unknown).select(*cells).distinct(), names)
        entries += _entries(policy, strange, Nearest(policy).label)
        released = _joined(placed, cells, _codebook(policy, frame.sparkSession, types, entries))
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


def _entries(
    policy: Policy, strange: Any, label_of: Callable[[tuple[Any, ...]], tuple[str | None, ...] | None]
) -> list[Entry]:
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

    texts: dict[str, Any] = {}
    cells, typed = [], f.lit(True)
    for place, column in enumerate(policy.public):
        own = types[column.name]
        keys, labels = [key[place] for key, _ in entries], [label[place] for _, label in entries]
        wanted = keys if column.released_kind == "text" else keys + labels
        is_kind = own.typeName() in TYPES[column.kind]
        if not (is_kind and all(text is None or _keeps(own, text) for text in wanted)):
            raise _other_types()
        for mark, column_texts in ((KEY, keys), (LABEL, labels)):
            name = f"{mark}{place}"
            texts[name] = pa.array(column_texts, pa.string())
            if mark == LABEL and column.released_kind == "text":
                cells.append(f.col(name))
                continue
            typed = typed & (f.col(name).isNull() | f.col(name).try_cast(own).isNotNull())
            cells.append(f.col(name).try_cast(own).alias(name))
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
    import numpy as np

    with np.errstate(over="ignore"):
        return float(np.float32(number))


def _value(cell: Any, own: Any) -> Any:
    """Make NaN missing, as everywhere."""
    from pyspark.sql import functions as f

    return f.when(~f.isnan(cell), cell) if own.typeName() in ("double", "float") else cell
