"""What every class of a tree must hold, laid out for loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.model.alphabet import Alphabet
from hartley.model.arrays import Floats, Int32s, Int64s, different
from hartley.model.closeness import NO_CLOSENESS, Closeness, SensitiveCodes
from hartley.model.requirement import (
    ClassCounts,
    Requirement,
    SharedWeight,
    Shares,
    require_consistent,
    require_fitting,
)
from hartley.search.trees.loops.layout import (
    APART,
    ENTROPY,
    GAIN,
    GAINED,
    MIDDLE,
    MOVED,
    ONCE,
    RETRY,
    SHARE,
    STRICT,
    TAIL,
    Tuples,
    Wants,
)

ROUNDED = 1 - 1e-12
MOST_FAILURES = 14
"""Cuts that may fail at one node; more than so many hardly ever help."""
RULES = {"gain": GAIN, "middle": MIDDLE}
RULES_ON_SHARES = {
    "share": SHARE,
    "gain": GAINED,
    "entropy": ENTROPY,
    "tail": TAIL,
    "apart": APART,
    "moved": MOVED,
}
TRIALS = {"strict": STRICT, "once": ONCE, "retry": RETRY}
"""Only cuts that cannot fail; one cut that may; others after one failed, where there is room."""


@dataclass(frozen=True)
class TreeDemand:
    """Requirements on values and rows, and which cuts may be tried.

    >>> demand = TreeDemand.of([Requirement("distinct-l", 2)], Alphabet.of_values(["a", "b", "c"]))
    >>> wants = demand.wants(np.ones(3))
    >>> wants.wanted.tolist(), wants.least
    ([2], 2)
    """

    requirements: tuple[Requirement, ...]
    codes: tuple[SensitiveCodes, ...]
    """The codes that each requirement on values counts."""
    wanted: tuple[int, ...]
    rules: tuple[Shares, ...]
    """Requirements on shares of values."""
    rule_codes: tuple[SensitiveCodes, ...]
    row_k: int
    weight_k: float
    trials: str
    known: int
    rule: str
    sensitive: Alphabet

    @classmethod
    def of(
        cls,
        requirements: Iterable[Requirement],
        sensitive: Alphabet,
        closeness: Closeness = NO_CLOSENESS,
        *,
        trials: str = "retry",
        known: int = 0,
        rule: str = "gain",
    ) -> TreeDemand:
        """Lay requirements out; refuse those that are not about single classes."""
        given = require_consistent(requirements)
        require_fitting(given, sensitive.columns, closeness)
        counts: dict[tuple[str, str | None], tuple[SensitiveCodes, int]] = {}
        rules = tuple(one for one in given if isinstance(one, Shares))
        row_k = 1
        # A rule on shares needs so many different values at least, which leaves room for later cuts.
        least = [Requirement("distinct-l", one.least_values, one.column) for one in rules]
        for one in (*given, *(needed for needed in least if needed.wanted > 1)):
            if isinstance(one, (Shares, SharedWeight)):
                continue
            if one.is_limit:
                raise OptionError(
                    f"{one.name} is of the whole release and cannot be asked of a tree; say how many values "
                    f"every class keeps, with {option('distinct_l')}"
                )
            counted = one.codes(sensitive, closeness)
            if counted is None:
                row_k = int(one.wanted)
            else:
                _, before = counts.get((one.name, one.column), (counted, 1))
                counts[one.name, one.column] = counted, max(before, int(one.wanted))
        if known:
            require_knowable(given, known)
        return cls(
            given,
            tuple(codes for codes, _ in counts.values()),
            tuple(wanted for _, wanted in counts.values()),
            rules,
            tuple(one.codes(sensitive, closeness) for one in rules),
            row_k,
            # A sum of the same weights in another order may differ by a last digit.
            max([one.wanted * ROUNDED for one in given if isinstance(one, SharedWeight)], default=0.0),
            trials,
            known,
            rule,
            sensitive,
        )

    def wants(self, rows: Floats) -> Wants:
        """Return the same for loops; ``rows`` of the whole table have each sensitive value."""
        widths = [each.width for each in self.codes]
        begin = np.zeros(len(widths) + 1, dtype=np.int64)
        np.cumsum(widths, out=begin[1:])
        size = len(self.codes[0].code_of) if self.codes else 1
        view: Int32s = np.zeros((len(self.codes), size), dtype=np.int32)
        following = np.zeros(int(begin[-1]), dtype=np.int64)
        for at, each in enumerate(self.codes):
            view[at] = each.code_of
            following[begin[at] : begin[at + 1]] = each.next_code
        plain = np.array([each.is_plain for each in self.codes], dtype=np.bool_)
        able = [at for at, each in enumerate(self.codes) if each.is_plain and self.wanted[at] > 1]
        return Wants(
            code_of=view,
            begin=begin,
            next=following,
            plain=plain,
            wanted=np.array(self.wanted, dtype=np.int64),
            row_k=self.row_k,
            weight_k=self.weight_k,
            least=max(self.row_k, *self.wanted, 1),
            trials=TRIALS["once" if self.known and self.trials == "retry" else self.trials],
            witness=able[0] if able else -1,
            known=self.known,
            rule=RULES[self.rule],
            most_failures=MOST_FAILURES,
            **self._shares(rows),
        )

    def lacking(self, rows: Floats, *, is_whole: bool) -> UnreachableError:
        """Say that the whole table lacks what is wanted, or a kept value; so many rows have each value."""
        if not is_whole:
            return UnreachableError(
                "the rows of some kept value lack what is required, so no class of them can keep it"
            )
        present = np.flatnonzero(rows)
        for one in self.requirements:
            names = " and ".join(self.sensitive.columns if one.column is None else (one.column,))
            codes = one.codes(self.sensitive)
            found = int(rows.sum()) if codes is None else len(different(codes.code_of[present]))
            if one.name in ("distinct-l", "row-k") and found < one.wanted:
                what = "rows" if codes is None else f"values of {names}"
                return UnreachableError(
                    f"the whole table has only {found} {what}, and {one.text} is required"
                )
        return UnreachableError("the table as a whole lacks what is required, so no class can keep it")

    def shares_hold(self, tuples: Tuples, ends: Int64s) -> bool:
        """Tell whether the rows of every root keep the requirements on shares."""
        root_of = np.repeat(np.repeat(np.arange(len(ends) - 1), np.diff(ends)), np.diff(tuples.ptr))
        for rule, codes in zip(self.rules, self.rule_codes, strict=True):
            counts = ClassCounts.of_entries(root_of, codes.code_of[tuples.code], tuples.amounts, codes.width)
            if not rule.is_met_by(rule.kept(counts, self.sensitive)):
                return False
        return True

    def _shares(self, rows: Floats) -> dict[str, Any]:
        """Return the rules on shares for loops."""
        begin = np.zeros(len(self.rules) + 1, dtype=np.int64)
        np.cumsum([codes.width for codes in self.rule_codes], out=begin[1:])
        whole = [
            np.bincount(codes.code_of, weights=rows, minlength=codes.width) / rows.sum()
            for codes in self.rule_codes
        ]
        return {
            "share_rule": np.array(
                [RULES_ON_SHARES[one.loop_rule(self.sensitive)] for one in self.rules], dtype=np.int64
            ),
            "share_wanted": np.array([one.wanted for one in self.rules], dtype=np.float64),
            "share_second": np.array([one.second or 0 for one in self.rules], dtype=np.int64),
            "share_code": np.array([codes.code_of for codes in self.rule_codes], dtype=np.int32).reshape(
                len(self.rules), len(rows)
            ),
            "share_begin": begin,
            "share_whole": np.concatenate([*whole, np.zeros(1)]),
        }


def require_knowable(requirements: tuple[Requirement, ...], known: int) -> None:
    """Raise where nothing is proved for a reader who knows some sensitive values (Theorem T3)."""
    here = option("transparent_knows")
    counts = [one for one in requirements if one.name not in ("row-k", "weight-k")]
    if len(counts) != 1 or counts[0].name != "distinct-l":
        raise OptionError(
            f"{here} is proved for one requirement distinct-l alone, beside row-k; ask for that"
        )
    if known >= counts[0].wanted:
        raise OptionError(
            f"{here} of {known} leaves nothing to promise with distinct-l {int(counts[0].wanted)}: at least "
            "one value more must be kept than the reader knows"
        )
