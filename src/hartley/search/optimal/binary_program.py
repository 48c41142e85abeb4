"""Binary programs: least cost over choices of 0 and 1, by HiGHS (through SciPy).

Limits are counted in nodes, so that results do not depend on the machine's speed; the time limit only guards
against being stuck.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from hartley.search.effort import Effort
from hartley.search.optimal.line import Floats
from hartley.search.optimal.quiet_solver import solved

INFEASIBLE = 2
"""SciPy's word for a model without a solution."""
NODE_LIMIT = 400
SECONDS_LIMIT = 2.0
SOLVER_TOLERANCE = 1e-6
"""HiGHS lets a constraint or an objective be off by this much."""


def minimised(
    costs: Floats,
    rows: Sequence[Floats],
    lows: Sequence[float | Floats],
    effort: Effort,
    least: Floats | None = None,
    most: Floats | None = None,
) -> tuple[Floats, float] | Literal["impossible", "undecided"]:
    """Minimise over binary variables with rows bounded from below; give a solution and a proven bound.

    ``rows`` are blocks of rows, ``lows`` what each block, or each row of it, must reach.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    size = len(costs)
    # One matrix: a constraint object for each row costs more than the solver itself.
    reached = np.concatenate([np.broadcast_to(low, len(row)) for row, low in zip(rows, lows, strict=True)])

    def solve(seconds: float) -> Any:
        return milp(
            costs,
            constraints=LinearConstraint(csr_array(np.concatenate(rows)), reached, np.inf),
            integrality=np.ones(size),
            bounds=Bounds(
                np.zeros(size) if least is None else least, np.ones(size) if most is None else most
            ),
            options={"node_limit": NODE_LIMIT, "time_limit": seconds, "mip_rel_gap": 0.0},
        )

    result = solved(solve, SECONDS_LIMIT, effort)
    if result is None:
        return "undecided"
    if result.x is None:
        return "impossible" if result.status == INFEASIBLE else "undecided"
    return np.asarray(result.x), float(result.mip_dual_bound)
