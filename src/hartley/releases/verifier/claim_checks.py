"""The claims of a certificate, held one by one against what the verifier counted."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any

from hartley.releases.certificate import Certificate, ColumnClaim, Measures, to_plain
from hartley.releases.policy import Policy
from hartley.releases.verifier.reread import as_kind
from hartley.releases.verifier.row_checks import Book, RowCount

TOLERANCE = 1e-9
"""Bits and distances are equal up to this much."""
READERS = ("before", "after", "after_all", "together", "together_all")


@dataclass(frozen=True)
class ClaimCheck:
    """One thing that was checked."""

    name: str
    holds: bool
    reason: str
    """What was found instead, where it does not hold; no cell stands in it."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"name": self.name, "holds": self.holds, "reason": self.reason}


class Checks:
    """What was checked so far, and what could not be."""

    def __init__(self) -> None:
        self.done: list[ClaimCheck] = []
        self.left_out: list[str] = []

    def add(self, name: str, holds: bool, reason: str) -> bool:
        """Note a check; give whether it holds."""
        self.done.append(ClaimCheck(name, holds, "" if holds else reason))
        return holds


class Claims:
    """The numbers of a certificate, one by one."""

    def __init__(
        self,
        checks: Checks,
        certificate: Certificate,
        policy: Policy,
        earlier: Sequence[Policy],
        counted: RowCount,
    ) -> None:
        self.checks = checks
        self.earlier = earlier
        self.certificate = certificate
        self.policy = policy
        self.counted = counted
        self.book = Book.of(policy)
        self.sizes = Counter(self.book.cluster[value] for value in counted.values)

    def check(self) -> None:
        """Check every claim that can be counted."""
        certificate, counted = self.certificate, self.counted
        rows = counted.measures["after"]["rows"]
        self.checks.add("row count", certificate.rows == rows, f"{rows} rows were counted")
        self.checks.add(
            "rows left out",
            certificate.dropped_rows == counted.dropped,
            f"{counted.dropped} rows have a missing value and were to be left out",
        )
        for name in READERS:
            claimed = getattr(certificate, name)
            reason = _difference(claimed, counted.measures.get(name)) or self._other_columns(name, claimed)
            self.checks.add(name, not reason, reason)
        found = (len(self.sizes), max(self.sizes.values()))
        self.checks.add(
            "clusters",
            (certificate.clusters, certificate.largest_cluster) == found,
            f"there are {found[0]} clusters, the largest of {found[1]} values",
        )
        choices = self.policy.choices
        self.checks.add(
            "options",
            certificate.target == choices.target
            and certificate.rows_shuffled != choices.keep_order
            and certificate.search.leakage == choices.leakage
            and certificate.side_information == self.policy.side_names,
            "the certificate and the policy name different targets or side information",
        )
        self._check_columns()
        self._check_target()
        self.checks.left_out.append("whether the partition is optimal, which would take the search")

    def _other_columns(self, reader: str, claimed: Measures | None) -> str:
        """Say whether a claim is about other columns than its reader sees."""
        if claimed is None:
            return ""
        policy, is_all = self.policy, reader.endswith("_all")
        public = policy.public_names
        if reader != "before":
            public += policy.keep + (policy.harmless if is_all else ())
        if reader.startswith("together"):
            for number, one in enumerate(self.earlier, 1):
                public += (f"earlier release {number}", *one.shown_beside(policy.sensitive_names))
            public += tuple(name for one in self.earlier for name in one.harmless if is_all)
        side = policy.side_names or None
        named = (claimed.public.columns, claimed.sensitive.columns, claimed.side and claimed.side.columns)
        same = named == (public, policy.sensitive_names, side)
        return "" if same else "the claim names other columns than this reader sees"

    def _check_columns(self) -> None:
        claims = {claim.name: claim for claim in self.certificate.columns}
        same = tuple(claims) == self.policy.columns and all(
            claims[name].treatment == self.policy.treatment(name)
            and (
                name in self.policy.public_names
                or claims[name] == ColumnClaim(name=name, treatment=claims[name].treatment)
            )
            for name in self.policy.columns
        )
        if not self.checks.add(
            "treatment of columns", same, "the certificate names other columns or treatments"
        ):
            return
        for place, column in enumerate(self.policy.public):
            claim = claims[column.name]
            farthest, widest = self._spread(place)
            self.checks.add(
                f"distortion of {column.name}",
                claim.coding == column.coding
                and _same(claim.farthest, farthest)
                and _same(claim.widest, widest),
                f"cells lie up to {_shown(farthest)} from their label and {_shown(widest)} from each other",
            )

    def _spread(self, place: int) -> tuple[float | None, float | None]:
        column = self.policy.public[place]
        if column.kind in ("text", "boolean"):
            return None, None
        members: dict[int, list[Any]] = defaultdict(list)
        for value in self.counted.values:
            if value[place] is not None:
                members[self.book.cluster[value]].append(value[place])
        farthest: float | None = 0.0 if column.released_kind == column.kind else None
        widest = 0.0
        for cluster, cells in members.items():
            widest = max(widest, _distance(min(cells), max(cells)))
            label = as_kind(self.policy.clusters[cluster].label[place], column.released_kind)
            if farthest is None or label is None:
                farthest = None
            else:
                farthest = max(farthest, _distance(min(cells), label), _distance(label, max(cells)))
        return farthest, widest

    def _check_target(self) -> None:
        kind, number = self.certificate.target.get("kind"), self.certificate.target.get("number")
        reader = self.counted.measures.get("together") or self.counted.measures["after"]
        if not isinstance(number, (int, float)):
            self.checks.add("target", False, "the certificate names no target")
            return
        moved = self._moved()
        if kind == "max_distortion" and moved is None:
            self.checks.left_out.append(
                "the distortion, which is counted in distances that are not in the policy"
            )
            return
        bits = reader["istar_bits" if self.policy.choices.leakage == "istar" else "l0_bits"]
        largest = max(self.sizes.values())
        verdicts = {
            "distinct_l": (reader["distinct_l"] >= number, f"{reader['distinct_l']} candidates"),
            "max_leakage": (bits <= number + TOLERANCE, f"{bits:.6g} bits"),
            "largest_cluster": (largest <= number, f"{largest} values"),
            "max_distortion": ((moved or 0.0) <= number + TOLERANCE, _shown(moved)),
            "utility_weight": (True, ""),
        }
        holds, found = verdicts.get(str(kind), (False, "no such measure"))
        self.checks.add("target", holds, f"the target is {kind} {number:g}, and the release has {found}")

    def _moved(self) -> float | None:
        """Return how far a value of a single column may lie from its label, or from the middle of it."""
        if len(self.policy.public) != 1:
            return None
        farthest, widest = self._spread(0)
        if farthest is not None:
            return farthest
        return None if widest is None else widest / 2


def _distance(one: Hashable, other: Hashable) -> float:
    gap = abs(other - one)  # type: ignore[operator]
    return gap / dt.timedelta(days=1) if type(one) is dt.date else _number(gap)


def _number(gap: Any) -> float:
    return gap.total_seconds() if isinstance(gap, dt.timedelta) else float(gap)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=1e-9, abs_tol=TOLERANCE)


def _shown(number: float | None) -> str:
    return "an undefined distance" if number is None else f"{number:.6g}"


def _difference(claimed: Measures | None, counted: dict[str, Any] | None) -> str:
    """Say in what a claim differs from the count; nothing where they agree."""
    if claimed is None and counted is None:
        return ""
    if claimed is None or counted is None:
        return "it is claimed and cannot be counted, or it can be counted and is not claimed"
    plain = to_plain(claimed)
    for role in ("sensitive", "public", "side"):
        plain[role] = None if plain[role] is None else plain[role]["values"]
    for name, found in counted.items():
        wanted = plain[name]
        if not (_same(wanted, found) if isinstance(found, float) else wanted == found):
            return f"{name} is claimed to be {wanted} and is {found}"
    return ""
