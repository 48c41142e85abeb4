"""Which sensitive values count as two: those that are more than a tolerance apart, or in different groups."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hartley.errors import PolicyError
from hartley.releases.policy import MeasuredColumn
from hartley.releases.verifier.tables.reread import as_kind

Place = tuple[Hashable, Fraction]
"""What must be equal for two values to be close, and where on a line each lies."""
_FIRST_DAY = dt.datetime(1, 1, 1)


@dataclass(frozen=True)
class Apartness:
    """Tolerances and groups of some sensitive columns."""

    columns: Sequence[MeasuredColumn]
    tolerance: Mapping[str, Fraction]
    groups: Mapping[str, Mapping[Hashable, str]]

    @classmethod
    def of(
        cls,
        columns: Sequence[MeasuredColumn],
        tolerance: Mapping[str, str],
        groups: Mapping[str, Mapping[str, str]],
    ) -> Apartness:
        """Read tolerances and groups as a policy has them."""
        try:
            limits = {name: Fraction(limit) for name, limit in tolerance.items()}
        except (ValueError, ZeroDivisionError):
            raise PolicyError("the policy is damaged: a tolerance is no number") from None
        kinds = {column.name: column.kind for column in columns}
        grouped = {
            name: {as_kind(cell, kinds[name]): group for cell, group in members.items()}
            for name, members in groups.items()
            if name in kinds
        }
        return cls(columns, {name: limit for name, limit in limits.items() if name in kinds}, grouped)

    def place(self, value: Sequence[Hashable]) -> Place:
        """Return where a sensitive value lies; a missing cell is apart from every other."""
        part: list[Hashable] = []
        at = Fraction(0)
        for column, cell in zip(self.columns, value, strict=True):
            if column.name in self.tolerance:
                part.append(cell is None)
                at = Fraction(0) if cell is None else _number(cell)
            elif column.name in self.groups and cell is not None:
                part.append(("group", self.groups[column.name].get(cell, (cell,))))
            else:
                part.append(cell)
        return tuple(part), at

    def count(self, places: Iterable[Place]) -> int:
        """Return the most values that are pairwise apart: along each line, take the first that is.

        >>> age = MeasuredColumn(name="age", kind="number")
        >>> apart = Apartness.of([age], {"age": "4"}, {})
        >>> apart.count(apart.place((number,)) for number in (41, 44, 45, 46, 50, None))
        3
        """
        limit = next(iter(self.tolerance.values()), Fraction(0))
        lines: dict[Hashable, set[Fraction]] = {}
        for part, at in places:
            lines.setdefault(part, set()).add(at)
        found = 0
        for line in lines.values():
            last: Fraction | None = None
            for at in sorted(line):
                if last is None or at - last > limit:
                    found, last = found + 1, at
        return found


def _number(cell: Any) -> Fraction:
    """Return where a cell lies: a number, or days, as tolerances are in."""
    if isinstance(cell, tuple):  # a moment, and nanoseconds
        return _number(cell[0]) + Fraction(cell[1], 86400 * 10**9)
    if isinstance(cell, dt.datetime):
        gap = cell.replace(tzinfo=None) - _FIRST_DAY
        return gap.days + Fraction(gap.seconds * 10**6 + gap.microseconds, 86400 * 10**6)
    return Fraction(cell.toordinal() if isinstance(cell, dt.date) else cell)
