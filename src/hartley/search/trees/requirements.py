"""What every class of a tree must hold, laid out for loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hartley.errors import OptionError, option
from hartley.model.alphabet import Alphabet
from hartley.model.arrays import Int32s
from hartley.model.closeness import NO_CLOSENESS, Closeness, SensitiveCodes, plain_codes
from hartley.model.requirement import Requirement, require_consistent, require_fitting
from hartley.search.trees.loops.layout import GAIN, MIDDLE, ONCE, RETRY, STRICT, Wants

MOST_FAILURES = 8
"""Cuts that may fail at one node; more than so many hardly ever help."""
RULES = {"gain": GAIN, "middle": MIDDLE}
TRIALS = {"strict": STRICT, "once": ONCE, "retry": RETRY}
"""Only cuts that cannot fail; one cut that may; others after one failed, where there is room."""


@dataclass(frozen=True)
class TreeDemand:
    """Requirements on values and rows, and which cuts may be tried.

    >>> demand = TreeDemand.of([Requirement("distinct-l", 2)], Alphabet.of_values(["a", "b", "c"]))
    >>> demand.wants.wanted.tolist(), demand.wants.least
    ([2], 2)
    """

    requirements: tuple[Requirement, ...]
    codes: tuple[SensitiveCodes, ...]
    """The codes that each requirement on values counts."""
    wanted: tuple[int, ...]
    row_k: int
    trials: str
    known: int
    rule: str

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
        codes: list[SensitiveCodes] = []
        wanted: list[int] = []
        row_k = 1
        for one in given:
            if one.name == "row-k":
                row_k = int(one.wanted)
            elif one.name in ("distinct-l", "separated-l"):
                counted = closeness.codes if one.name == "separated-l" else plain_codes
                codes.append(counted(sensitive, one.column))
                wanted.append(int(one.wanted))
            else:
                raise OptionError(
                    f"{one.name} is of the whole release and cannot be asked of a tree; say how many values "
                    f"every class keeps, with {option('distinct_l')}"
                )
        if known:
            require_knowable(given, known)
        return cls(given, tuple(codes), tuple(wanted), row_k, trials, known, rule)

    @property
    def wants(self) -> Wants:
        """The same for loops."""
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
            weight_k=0.0,
            least=max(self.row_k, *self.wanted, 1),
            trials=TRIALS["once" if self.known and self.trials == "retry" else self.trials],
            witness=able[0] if able else -1,
            known=self.known,
            rule=RULES[self.rule],
            most_failures=MOST_FAILURES,
        )


def require_knowable(requirements: tuple[Requirement, ...], known: int) -> None:
    """Raise where nothing is proved for a reader who knows some sensitive values."""
    here = option("transparent_knows")
    counts = [one for one in requirements if one.name != "row-k"]
    if len(counts) != 1 or counts[0].name != "distinct-l":
        raise OptionError(
            f"{here} is proved for one requirement distinct-l alone, beside row-k; ask for that"
        )
    if known >= counts[0].wanted:
        raise OptionError(
            f"{here} of {known} leaves nothing to promise with distinct-l {int(counts[0].wanted)}: at least "
            "one value more must be kept than the reader knows"
        )
