"""How large a part that lacks a requirement can be: the verifier's own arithmetic for cuts that may fail.

A multiset of sensitive values is seen as points on lines. Values of a view that differ lie on lines of their
own, unless a tolerance puts them on one. A set lacks l values that are apart iff l - 1 windows, each on one
line and no longer than the tolerance, cover it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hartley.releases.certificate import RULES_ON_SHARES
from hartley.releases.policy import Policy
from hartley.verifier.recount import Apartness, Place
from hartley.verifier.shares import ShareRule


@dataclass(frozen=True)
class View:
    """What one requirement counts of each sensitive value, and how much of it is wanted."""

    places: tuple[Place, ...]
    apart: Apartness
    wanted: int

    @property
    def limit(self) -> Fraction:
        """How far apart two places on one line must be, more than that, to count as two."""
        return self.apart.limit

    @property
    def is_plain(self) -> bool:
        """Whether no two different places are close."""
        return self.limit == 0 or len({line for line, _ in self.places}) == len(set(self.places))

    def count(self, secrets: Iterable[int]) -> int:
        """Return the most sensitive values that are pairwise apart."""
        return self.apart.count(self.places[one] for one in secrets)

    def totals(self, multiset: Mapping[int, int]) -> dict[Place, int]:
        """Return how many rows lie at each place."""
        rows: dict[Place, int] = {}
        for secret, count in multiset.items():
            rows[self.places[secret]] = rows.get(self.places[secret], 0) + count
        return rows

    def largest_lacking(self, multiset: Mapping[int, int]) -> tuple[int, dict[Place, tuple[int, int]]]:
        """Return the rows of the largest part that lacks this, and for each place two numbers.

        They are the rows of the largest lacking part that has a row of that place, and of the largest one
        that leaves at least one of its rows out.
        """
        rows = self.totals(multiset)
        points = sorted(rows, key=_order)
        windows, size = self.wanted - 1, len(points)
        if windows < 1:
            return 0, dict.fromkeys(points, (0, 0))
        ends = []
        for at, (line, place) in enumerate(points):
            end = at + 1
            while end < size and points[end][0] == line and points[end][1] - place <= self.limit:
                end += 1
            ends.append(end)
        before = [0]
        for point in points:
            before.append(before[-1] + rows[point])
        # after[k][i]: most rows of points i, i + 1, ... under k windows; upto[k][i]: of points 0 .. i - 1.
        after = [[0] * (size + 1) for _ in range(windows + 1)]
        upto = [[0] * (size + 1) for _ in range(windows + 1)]
        for k in range(1, windows + 1):
            for at in range(size - 1, -1, -1):
                taken = before[ends[at]] - before[at] + after[k - 1][ends[at]]
                after[k][at] = max(after[k][at + 1], taken)
            starts = 0
            for at in range(1, size + 1):
                while ends[starts] < at:
                    starts += 1
                taken = before[at] - before[starts] + upto[k - 1][starts]
                upto[k][at] = max(upto[k][at - 1], taken)
        top = after[windows][0]
        inside = [0] * size
        for at in range(size):
            best = max(upto[k][at] + after[windows - 1 - k][ends[at]] for k in range(windows))
            for covered in range(at, ends[at]):
                inside[covered] = max(inside[covered], best + before[ends[at]] - before[at])
        outside = [
            max(top - 1, max(upto[k][at] + after[windows - k][at + 1] for k in range(windows + 1)))
            for at in range(size)
        ]
        return top, {point: (inside[at], outside[at]) for at, point in enumerate(points)}


def _order(place: Place) -> tuple[str, Fraction]:
    return repr(place[0]), place[1]


def views_of(
    policy: Policy, secrets: Sequence[tuple[Hashable, ...]], rules: Sequence[ShareRule]
) -> list[View]:
    """Return what the requirements on sensitive values count.

    A rule on shares needs so many different values at least.
    """
    wanted: dict[tuple[str, str | None], int] = {}
    shares = iter(rules)
    for one in policy.requirements:
        if one.name in ("distinct-l", "separated-l"):
            wanted[one.name, one.column] = int(one.wanted)
    for one in policy.requirements:
        if one.name in RULES_ON_SHARES and (least := next(shares).least_values) > 1:
            key = ("distinct-l", one.column)
            wanted[key] = max(wanted.get(key, 1), least)
    views = []
    for (name, column), number in wanted.items():
        where = [at for at, one in enumerate(policy.sensitive) if column in (None, one.name)]
        columns = [policy.sensitive[at] for at in where]
        is_apart = name == "separated-l"
        apart = Apartness.of(
            columns,
            policy.choices.tolerance if is_apart else {},
            policy.choices.groups if is_apart else {},
        )
        places = tuple(apart.place([secret[at] for at in where]) for secret in secrets)
        views.append(View(places, apart, number))
    return views


def is_safe(
    views: Sequence[View],
    rules: Sequence[ShareRule],
    multiset: Mapping[int, int],
    parts: Sequence[int],
    knows: int,
) -> bool:
    """Tell whether a cut into parts of so many rows may be tried: sizes and the multiset alone decide."""
    found = [view.largest_lacking(multiset) for view in views]
    shares = [(rule, rule.counts(multiset)) for rule in rules]
    tops = [(rule, counts, rule.largest_lacking(counts)) for rule, counts in shares]
    if all(top < min(parts) for top, _ in found) and all(top < min(parts) for _, _, top in tops):
        return True
    if knows:
        counts = sorted(views[0].totals(multiset).values(), reverse=True)
        frequent = max(0, views[0].wanted - 2 - knows // 2)
        return sum(counts[:frequent]) >= max(parts) + knows + 1
    for at, mine in enumerate(parts):
        others = min(size for other, size in enumerate(parts) if other != at)
        left = [
            secret
            for secret in multiset
            if any(
                mine <= sizes[view.places[secret]][0] or others <= sizes[view.places[secret]][1]
                for view, (_, sizes) in zip(views, found, strict=True)
            )
            or any(
                (mine <= top and rule.has_witness(counts, secret, mine, is_inside=True))
                or (others <= top and rule.has_witness(counts, secret, others, is_inside=False))
                for rule, counts, top in tops
            )
        ]
        if len(left) < len(multiset) and not are_enough(views, rules, left):
            return False
    return True


def are_enough(views: Sequence[View], rules: Sequence[ShareRule], left: Sequence[int]) -> bool:
    """Tell whether some sensitive values are enough candidates."""
    return all(view.count(left) >= view.wanted for view in views) and all(
        rule.can_hold(left) for rule in rules
    )
