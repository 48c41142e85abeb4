"""Weight-k: the rows that show the same stand for so many people."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.errors import OptionError
from hartley.model.closeness import Closeness
from hartley.model.requirement.requirement import Requirement


class SharedWeight(Requirement, kind="weight-k"):
    """The sampling weights of the rows of every class sum up to at least this; ``column`` holds them.

    Weights are public: whether a class keeps it is told from public values alone.
    """

    examples = ("weight-k:COL=1000",)
    least = 0
    is_whole = False
    needs = "a number from 0 on"
    takes_column = True
    is_monotone = False
    is_of_classes = True
    needs_tree = "is counted by trees of cuts alone"
    led_in = "Every released class stands for"

    def is_met_by(self, found: float) -> bool:
        """Tell whether a sum is enough; one of the same weights in another order may differ a little."""
        return found >= self.wanted * (1 - 1e-12)

    def require_fitting(self, sensitive: Sequence[str], closeness: Closeness) -> None:
        """Raise where no column of weights is named, or a sensitive one."""
        if self.column is None or self.column in sensitive:
            raise OptionError(
                f"the requirement {self.name} needs the column of weights, which is not sensitive; write "
                f"{self.examples[0]}"
            )

    def words(self, columns: Sequence[str], closeness: Closeness) -> str:
        """Say it."""
        return f"weights ({', '.join(columns)}) that sum up to at least {self.wanted:,g}"
