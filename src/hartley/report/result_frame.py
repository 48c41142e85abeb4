"""Results as a data frame, of whichever library is there."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hartley.errors import InputError

if TYPE_CHECKING:
    from hartley.frontiers import Frontier
    from hartley.workflow import AuditResult
    from hartley.workflow.rivals.comparison import Comparison

LIBRARIES = ("pandas", "polars")


def result_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a data frame: of the library that is loaded already, or else of one that is installed.

    >>> result_frame([{"l": 1}, {"l": 2}]).shape
    (2, 1)
    """
    for name in sorted(LIBRARIES, key=lambda name: name not in sys.modules):
        try:
            library = import_module(name)
        except ImportError:
            continue
        columns = {
            name: [row.get(name) for row in rows] for name in dict.fromkeys(k for row in rows for k in row)
        }
        return library.DataFrame(columns)
    raise InputError("a data frame needs pandas or polars; install one of them")


def frontier_frame(frontier: Frontier) -> Any:
    """Return a frontier as a frame: one row for each point."""
    return result_frame([_plain(point.to_dict()) for point in frontier.points])


def audit_frame(result: AuditResult) -> Any:
    """Return an audit as a frame: one row for the public columns together, and one for each column alone."""
    return result_frame(
        [
            {
                "public": ", ".join(audit.public.columns),
                "sensitive": ", ".join(audit.sensitive.columns),
                "rows": audit.rows,
                "values": audit.public.values,
                "exposed_rows": audit.narrowest_rows if audit.distinct_l == 1 else 0,
                "distinct_l": audit.distinct_l,
                "row_k": audit.row_k,
                "components": audit.components,
                "l0_bits": audit.l0_bits,
                "istar_bits": audit.istar_bits,
                "i0_bits": audit.i0_bits,
            }
            for audit in (result.audit, *result.each)
        ]
    )


def comparison_frame(comparison: Comparison) -> Any:
    """Return a comparison as a frame: one row for each method."""
    return result_frame([_plain(row) for row in comparison.to_dict()["methods"]])


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what fits into a cell."""
    return {name: cell for name, cell in row.items() if not isinstance(cell, (dict, list))}
