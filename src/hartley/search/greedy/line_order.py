"""Public values as they lie on the line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hartley.measures.utility import LineDistortion
from hartley.search.kernels.line_slots import CENTROID, MEMBER, MIDPOINT

CODES = {"midpoint": MIDPOINT, "centroid": CENTROID, "member": MEMBER}


@dataclass(frozen=True, eq=False)
class LineOrder:
    """The values that have a position, from the lowest up, then those that have none."""

    places: npt.NDArray[np.int64]
    """The place in the alphabet of each value in line order."""
    positions: npt.NDArray[np.float64]
    """The positions of those that have one, ascending."""
    codeword: int
    is_exact: bool
    """Whether sums of positions are exact: they are integers, small enough."""

    @classmethod
    def of(cls, utility: LineDistortion) -> LineOrder:
        """Sort the values of a utility by position, equal ones by place, those without one last."""
        places = np.argsort(utility.positions, kind="stable")
        positions = utility.positions[places]
        positions = np.ascontiguousarray(positions[: int(np.searchsorted(positions, np.inf, side="right"))])
        exact = bool(
            (positions == np.rint(positions)).all()
            and len(positions) * float(np.abs(positions).max(initial=0.0)) < 2.0**53
        )
        return cls(places.astype(np.int64), positions, CODES[utility.codeword], exact)
