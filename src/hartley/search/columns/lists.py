"""Arrays as lists: what the loops of this package take where they run as written.

The interpreter reads a number from a list several times as fast as from an array, and reckons with it as
much faster. A loop that is handed lists comes to the same result.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np

T = TypeVar("T", bound=tuple[Any, ...])


def as_lists(values: T) -> T:
    """Return a named tuple whose arrays are lists (of lists where they have two dimensions)."""
    fields = cast("Any", values)._asdict()
    lists = {name: value.tolist() for name, value in fields.items() if isinstance(value, np.ndarray)}
    return cast("T", cast("Any", values)._replace(**lists))
