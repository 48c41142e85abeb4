"""AnonyPyx, where it is installed: Mondrian with distinct l-diversity, as others use it.

Its partitioning is given one row for each row of the table, numbers as numbers and everything else as
categories. Rows with equal public values always end up in one class, so its classes are clusters of public
values. AnonyPyx cannot be interrupted, hence the limit on rows.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from hartley.errors import InputError
from hartley.measures.usefulness import cell_codes
from hartley.model import JointRange, Partition

MOST_ROWS = 60_000


def is_installed() -> bool:
    """Tell whether AnonyPyx and pandas are there."""
    return find_spec("anonypyx") is not None and find_spec("pandas") is not None


def anonypyx_partition(joint: JointRange, distinct_l: int) -> Partition:
    """Return the classes that AnonyPyx finds for a number of sensitive values in each."""
    if joint.side is not None:
        raise InputError("it knows no side information")
    if joint.row_count > MOST_ROWS:
        raise InputError(f"it is run on up to {MOST_ROWS:,} rows, and there are {joint.row_count:,}")
    pandas: Any = import_module("pandas")
    mondrian: Any = import_module("anonypyx.mondrian")
    models: Any = import_module("anonypyx.models")
    pair = np.repeat(np.arange(len(joint.rows)), joint.rows)
    value = joint.public_of[joint.observation_of[pair]]
    names = [f"public {place}" for place in range(len(joint.public.coordinates))]
    columns: dict[str, Any] = {}
    for name, column in zip(names, joint.public.coordinates, strict=True):
        positions = column.positions if column.kind in ("number", "date", "timestamp") else None
        if positions is None or bool(np.isnan(positions).any()):
            columns[name] = pandas.Categorical(cell_codes(column)[value])
        else:
            columns[name] = positions[value]
    frame = pandas.DataFrame({**columns, "sensitive": joint.indices[pair]})
    found = mondrian.Mondrian(frame, names).partition([models.DistinctLDiversity(distinct_l, "sensitive")])
    labels = np.zeros(joint.public.size, dtype=np.int64)
    for number, rows in enumerate(found):
        labels[value[np.asarray(rows)]] = number
    return Partition(labels)
