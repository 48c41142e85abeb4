"""Requirements on the shares of values in a class, by the verifier's own arithmetic.

A rule is given how many rows have each number of a value. For trees it also tells how large a part that lacks
it can be, and which values can stand in, or be left out of, such a part.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp, inf, log

from hartley.releases.certificate import RULES_ON_SHARES
from hartley.releases.policy import Policy, StatedRequirement
from hartley.verifier.checks import TOLERANCE
from hartley.verifier.recount import number_of

Counts = Mapping[int, int]


@dataclass(frozen=True)
class ShareRule:
    """One such requirement, over numbers of values from 0 on."""

    name: str
    wanted: float
    second: int
    whole: tuple[float, ...]
    """The share of each number in the whole table."""
    is_line: bool
    """Whether the numbers stand along a line."""
    number_of: tuple[int, ...]
    """The number of each sensitive value."""

    @classmethod
    def of(
        cls, policy: Policy, asked: StatedRequirement, secrets: Sequence[tuple[Hashable, ...]], rows: Counts
    ) -> ShareRule:
        """Return what is asked of sensitive values, of which the whole table has so many rows each."""
        where = [at for at, one in enumerate(policy.sensitive) if asked.column in (None, one.name)]
        cells = [tuple(secret[at] for at in where) for secret in secrets]
        is_line = (
            asked.name == "t-closeness"
            and len(where) == 1
            and policy.sensitive[where[0]].kind in ("number", "date", "timestamp")
            and all(cell is not None for (cell,) in cells)
        )
        different = dict.fromkeys(cells)
        ordered = sorted(different, key=lambda one: number_of(one[0])) if is_line else list(different)
        numbers = {one: at for at, one in enumerate(ordered)}
        total = [0] * len(ordered)
        for at, one in enumerate(cells):
            total[numbers[one]] += rows.get(at, 0)
        return cls(
            asked.name,
            asked.wanted,
            asked.second if isinstance(asked.second, int) else 0,
            tuple(count / sum(total) for count in total),
            is_line,
            tuple(numbers[one] for one in cells),
        )

    def counts(self, multiset: Counts) -> dict[int, int]:
        """Return the rows of each number."""
        found: dict[int, int] = {}
        for secret, rows in multiset.items():
            number = self.number_of[secret]
            found[number] = found.get(number, 0) + rows
        return found

    def measure(self, counts: Counts) -> float:
        """Return how much a class keeps of it."""
        rows = sum(counts.values())
        ranked = sorted(counts.values(), reverse=True)
        if self.name == "guess-at-most":
            return ranked[0] / rows
        if self.name == "entropy-l":
            return exp(-sum(count / rows * log(count / rows) for count in ranked if count))
        if self.name == "recursive-cl":
            tail = sum(ranked[self.second - 1 :])
            return ranked[0] / tail if tail else inf
        if self.name == "beta-likeness":
            return max(count / rows / self.whole[at] - 1 for at, count in counts.items())
        if not self.is_line:
            return sum(max(0.0, count / rows - self.whole[at]) for at, count in counts.items())
        moved = ahead = 0.0
        for at, share in enumerate(self.whole):
            ahead += counts.get(at, 0) / rows - share
            moved += abs(ahead)
        return moved / max(len(self.whole) - 1, 1)

    def is_met_by(self, found: float) -> bool:
        """Tell whether what a class keeps is enough."""
        if self.name == "entropy-l":
            return found >= self.wanted - TOLERANCE
        return found < self.wanted if self.name == "recursive-cl" else found <= self.wanted + TOLERANCE

    def worst(self, found: Iterable[float]) -> float:
        """Return the worst of what classes keep."""
        return min(found) if self.name == "entropy-l" else max(found)

    def holds(self, multiset: Counts) -> bool:
        """Tell whether a class holds it."""
        return self.is_met_by(self.measure(self.counts(multiset)))

    @property
    def least_values(self) -> int:
        """Fewer different values lack it whatever their shares."""
        if self.name == "guess-at-most":
            return ceil(1 / self.wanted - TOLERANCE)
        if self.name == "entropy-l":
            return ceil(self.wanted - TOLERANCE)
        return self.second if self.name == "recursive-cl" else 1

    def can_hold(self, secrets: Iterable[int]) -> bool:
        """Tell whether rows with some of these values can hold it, in any shares."""
        seen = {self.number_of[secret] for secret in secrets}
        mass = sum(self.whole[at] for at in seen)
        if self.name == "beta-likeness":
            return mass * (1 + self.wanted) >= 1 - TOLERANCE
        if self.name != "t-closeness":
            return len(seen) >= self.least_values
        if not self.is_line:
            return mass >= 1 - self.wanted - TOLERANCE
        away = sum(
            share * min((abs(at - other) for other in seen), default=len(self.whole))
            for at, share in enumerate(self.whole)
        )
        return away / max(len(self.whole) - 1, 1) <= self.wanted + TOLERANCE

    def largest_lacking(self, counts: Counts) -> int:
        """Return a size above which no part of these rows can lack the requirement."""
        low, high = 0, sum(counts.values())
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._may_lack(counts, middle) else (low, middle - 1)
        return low

    def _may_lack(self, counts: Counts, part: int) -> bool:
        if self.name in ("entropy-l", "recursive-cl"):
            return self._lacks(self._filled(counts, part, self._order(counts)))
        if self.name != "t-closeness":
            return any(self._is_over(at, min(rows, part), part) for at, rows in counts.items())
        if not self.is_line:
            over = sum(max(0.0, min(rows, part) / part - self.whole[at]) for at, rows in counts.items())
            return over > self.wanted + TOLERANCE
        node, below, expected, moved = sum(counts.values()), 0, 0.0, 0.0
        for at, share in enumerate(self.whole):
            below += counts.get(at, 0)
            expected += share
            most = min(below, part) / part - expected
            least = expected - max(0, part - (node - below)) / part
            moved += max(most, least, 0.0)
        return moved / max(len(self.whole) - 1, 1) > self.wanted + TOLERANCE

    def has_witness(self, counts: Counts, secret: int, part: int, *, is_inside: bool) -> bool:
        """Tell whether a part of so many rows that lacks it can be filled with a value, or without a row."""
        mine = self.number_of[secret]
        if not is_inside:
            counts = {at: rows - (at == mine) for at, rows in counts.items()}
        if self.name in ("guess-at-most", "beta-likeness"):
            return any(
                self._is_over(at, min(rows, part - (is_inside and at != mine)), part)
                for at, rows in counts.items()
            )
        order = self._order(counts if is_inside else {**counts, mine: counts[mine] + 1})
        for each in (order, order[::-1]) if self.is_line else (order,):
            for first in (1, counts[mine]) if is_inside else (0,):
                if self._lacks(self._filled(counts, part, each, {mine: min(first, part)})):
                    return True
        return False

    def _is_over(self, at: int, rows: int, part: int) -> bool:
        limit = self.wanted if self.name == "guess-at-most" else (1 + self.wanted) * self.whole[at]
        return rows > (limit + TOLERANCE) * part

    def _lacks(self, counts: Counts) -> bool:
        return not self.is_met_by(self.measure({at: rows for at, rows in counts.items() if rows}))

    def _order(self, counts: Counts) -> list[int]:
        """Return numbers in the order in which they fill a part that shall lack."""
        if self.is_line:
            return sorted(counts)
        weigh = self.whole if self.name == "t-closeness" else [1.0] * len(self.whole)
        return sorted(counts, key=lambda at: (-counts[at] / weigh[at], -counts[at], at))

    def _filled(
        self, counts: Counts, part: int, order: Iterable[int], begun: Counts | None = None
    ) -> dict[int, int]:
        """Return a part of so many rows, filled in an order after what it has begun with."""
        filled = dict(begun or {})
        left = part - sum(filled.values())
        for at in order:
            taken = max(0, min(counts[at] - filled.get(at, 0), left))
            filled[at] = filled.get(at, 0) + taken
            left -= taken
        return filled


def rules_of(policy: Policy, secrets: Sequence[tuple[Hashable, ...]], rows: Counts) -> list[ShareRule]:
    """Return the rules on shares that a policy asks for, of a table with so many rows of each value."""
    on_shares = [one for one in policy.requirements if one.name in RULES_ON_SHARES]
    return [ShareRule.of(policy, one, secrets, rows) for one in on_shares]
