"""Row-k: so many rows show the same."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.model.closeness import Closeness
from hartley.model.requirement.requirement import Requirement
from hartley.model.words import numeral


class SharedRows(Requirement, kind="row-k"):
    """At least so many rows in every class; what they hold does not matter."""

    examples = ("row-k=5",)
    audited_as = "row_k"
    led_in = "Every released value is shared by"

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it."""
        return f"at least {numeral(self.wanted)} {'row' if self.wanted == 1 else 'rows'}"
