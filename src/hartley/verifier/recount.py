"""The measures once more, from counted rows.

This is the verifier's own arithmetic. It shares no code with the model, the measures or any
search, so that a mistake there cannot confirm itself here.

Sensitive values count as two where they are more than a tolerance apart, or in different groups.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any

import numpy as np

from hartley.errors import PolicyError
from hartley.releases.policy import MeasuredColumn
from hartley.verifier.tables.reread import SECONDS_A_DAY, as_kind, position
from hartley.verifier.tables.row_numbers import Combined, Int64s, Ints

Place = tuple[Hashable, Fraction]
"""What must be equal for two values to be close, and where on a line each lies."""


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

    @property
    def limit(self) -> Fraction:
        """How far apart two values on one line must be, more than that, to count as two."""
        return next(iter(self.tolerance.values()), Fraction(0))

    def place(self, value: Sequence[Hashable]) -> Place:
        """Return where a sensitive value lies; a missing cell is apart from every other."""
        part: list[Hashable] = []
        at = Fraction(0)
        for column, cell in zip(self.columns, value, strict=True):
            if column.name in self.tolerance:
                part.append(cell is None)
                at = Fraction(0) if cell is None else number_of(cell)
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
        lines: dict[Hashable, set[Fraction]] = {}
        for part, at in places:
            lines.setdefault(part, set()).add(at)
        found = 0
        for line in lines.values():
            last: Fraction | None = None
            for at in sorted(line):
                if last is None or at - last > self.limit:
                    found, last = found + 1, at
        return found

    def chain_of(self, places: Iterable[Place]) -> dict[Place, Place]:
        """Return for each place the first of its chain, in which each is close to the one before.

        >>> age = MeasuredColumn(name="age", kind="number")
        >>> apart = Apartness.of([age], {"age": "4"}, {})
        >>> found = apart.chain_of(apart.place((number,)) for number in (41, 44, 47, 60))
        >>> [int(first) for _, first in found.values()]
        [41, 41, 41, 60]
        """
        lines: dict[Hashable, set[Fraction]] = {}
        for part, at in places:
            lines.setdefault(part, set()).add(at)
        found: dict[Place, Place] = {}
        for part, line in lines.items():
            last = first = min(line)
            for at in sorted(line):
                first = at if at - last > self.limit else first
                found[part, at] = (part, first)
                last = at
        return found

    def bits(self, seen: Sequence[tuple[int, Sequence[Place]]]) -> dict[str, float]:
        """Return the bits that are revealed at worst and for certain, given what was known and what is left.

        >>> age = MeasuredColumn(name="age", kind="number")
        >>> apart = Apartness.of([age], {"age": "4"}, {})
        >>> apart.bits([(0, [apart.place((41,)), apart.place((44,))]), (0, [apart.place((60,))])])
        {'l0': 1.0, 'istar': 1.0}
        """
        before: dict[int, set[Place]] = {}
        for known, left in seen:
            before.setdefault(known, set()).update(left)
        possible = {known: self.count(places) for known, places in before.items()}
        worst = max(Fraction(possible[known], self.count(left)) for known, left in seen)
        first_of = self.chain_of(place for places in before.values() for place in places)
        groups: list[set[Place]] = []
        for chains in {frozenset(first_of[place] for place in left) for _, left in seen}:
            met = [group for group in groups if group & chains]
            groups = [group for group in groups if not group & chains]
            groups.append(set(chains).union(*met))
        return {"l0": log2(worst), "istar": log2(len(groups))}


def number_of(cell: Any) -> Fraction:
    """Return where a cell lies: a number, or days, as tolerances are in."""
    is_moment = isinstance(cell, (dt.datetime, tuple))
    return position(cell) / SECONDS_A_DAY if is_moment else position(cell)


MOST_NUMBERS = 1 << 62


class Recount:
    """What one reader learns, added up over parts of the rows; no two parts show him the same.

    >>> def numbers(*codes):
    ...     return Combined(np.array(codes), 4)
    >>> reader = Recount(has_side=False)
    >>> reader.add(numbers(0, 0, 1), numbers(1, 2, 3), numbers(0, 0, 0), np.array([2, 1, 1]))
    >>> found = reader.found()
    >>> found["distinct_l"], found["components"], found["l0_bits"] == log2(3), found["row_k"]
    (1, 2, True, 1)
    """

    def __init__(self, *, has_side: bool) -> None:
        self._has_side = has_side
        self._rows = self._pairs = self._seen = 0
        self._fewest_rows: int | None = None
        self._least = self._most = np.zeros(0, dtype=np.int64)
        """For each thing that he may know, the fewest and the most sensitive values that are left."""
        self._before: Int64s = np.zeros(0, dtype=np.int64)
        """What is possible before he sees anything: what he knows and a sensitive value, as one number."""
        self._leads_to: Int64s = np.zeros(0, dtype=np.int64)
        self._secrets = 0

    def add(self, seen: Combined, secret: Combined, known: Combined, rows: Int64s) -> None:
        """Take different rows: what he sees in each, its sensitive value, what he knew, how often it occurs.

        Sensitive values and what is known have the same numbers in every part.
        """
        if not len(rows):
            return
        if not self._secrets:
            self._secrets = secret.size
            self._leads_to = np.arange(secret.size)
            self._least = np.full(known.size, np.iinfo(np.int64).max)
            self._most = np.zeros(known.size, dtype=np.int64)
        observed = Combined.pair(seen, known)
        known_of: Ints | None = None
        if observed.size >= MOST_NUMBERS // secret.size:
            known_of = known.codes[observed.examples()]
            observed = observed.dense()
        where, what = np.divmod(Combined.pair(observed, secret).occurring(), secret.size)
        starts = np.flatnonzero(np.diff(where, prepend=-1))
        sizes = np.diff(starts, append=len(where))
        place = where[starts]
        knows = place % known.size if known_of is None else known_of[place]
        np.minimum.at(self._least, knows, sizes)
        np.maximum.at(self._most, knows, sizes)
        self._rows += int(rows.sum())
        self._pairs += len(where)
        self._seen += len(seen.occurring())
        fewest = int(observed.totals(rows)[1].min())
        self._fewest_rows = fewest if self._fewest_rows is None else min(fewest, self._fewest_rows)
        self._before = np.union1d(self._before, Combined.pair(known, secret).occurring())
        self._link(what[starts].repeat(sizes), what)

    def found(self) -> dict[str, Any]:
        """Return the measures; the keys are those of an audit."""
        secrets = np.unique(self._before % self._secrets)
        choices = np.bincount(self._before // self._secrets, minlength=len(self._least))
        occurs = self._most > 0
        prior = choices[occurs] if self._has_side else np.full(int(occurs.sum()), len(secrets))
        least, most = self._least[occurs], self._most[occurs]
        groups = int((self._leads_to[secrets] == secrets).sum())
        return {
            "rows": self._rows,
            "pairs": self._pairs,
            "sensitive": len(secrets),
            "public": self._seen,
            "side": int(occurs.sum()) if self._has_side else None,
            "h0_bits": log2(len(secrets)),
            "h0_given_public_bits": log2(most.max()),
            "b0_bits": log2(least.min()),
            "i0_bits": log2((prior / most).min()),
            "l0_bits": log2((prior / least).max()),
            "istar_bits": log2(groups),
            "components": groups,
            "distinct_l": int(least.min()),
            "row_k": self._fewest_rows,
            "independent": bool(((prior == least) & (prior == most)).all()),
        }

    def _link(self, first: Int64s, what: Int64s) -> None:
        """Put sensitive values that stand beside each other into one group.

        The first value of each set is linked to all others of it. In the end a value leads to the least
        of its group.
        """
        leads_to = self._leads_to
        links = Combined.pair(Combined(first, self._secrets), Combined(what, self._secrets))
        one, other = np.divmod(links.occurring(), self._secrets)
        while True:
            here, there = leads_to[one], leads_to[other]
            apart = here != there
            if not apart.any():
                break
            one, other, here, there = (side[apart] for side in (one, other, here, there))
            # Of two linked groups the one with the greater number leads to the other.
            np.minimum.at(leads_to, np.maximum(here, there), np.minimum(here, there))
            while not np.array_equal(further := leads_to[leads_to], leads_to):
                leads_to = further
        self._leads_to = leads_to
