"""How many people of an original have their sensitive value read off from a released file.

A reader knows a person's public values and looks up the released rows whose labels may stand for them. What
these rows
say of the sensitive column is what the reader learns. Of a file of plain values, synthetic or not, these are
the
counts of the field, each as a share of the people:

* *disclosed rightly* is DiSCO (disclosive in synthetic, correct in original), the same with the original in
  place of the file is DiO, and *found* is iS (Raab, Nowok and Dibben 2024, the R package synthpop);
* *singled out* is RepU, the replicated uniques;
* *unique rows matched* are SDNist's unique exact matches; its K-DiSCO is the mean of DiSCO over every column
as
  target and every pair of the others as what is known.

The likeliest guess is the commonest value among the rows that were found; equally common ones go by how
common they
are in the whole file, then by their order. Whoever is not found is guessed to have the commonest value of
the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from hartley.measures.against.row_tuples import RowTuples, fitting_pairs
from hartley.model.arrays import Flags, Int64s
from hartley.model.label_fit import LabelFit

MOST_STEPS = 200_000_000
"""Rows times sets of columns beyond which K-DiSCO is not computed."""


@dataclass(frozen=True, eq=False)
class SensitiveLabels:
    """What the sensitive cells of the file mean among the values of the original."""

    code_of_label: Int64s
    """The value that each label stands for; from ``values`` on where that is none of the original."""
    is_wide: Flags
    """Whether a label stands for several values."""
    values: int

    @classmethod
    def of(cls, fit: LabelFit) -> SensitiveLabels:
        """Take what labels may stand for; a label of one value is that value."""
        counts, one = fit.values_of_labels()
        codes = np.where(counts == 1, one, fit.values + np.arange(fit.labels))
        return cls(codes, counts > 1, fit.values)

    @classmethod
    def plain(cls, values: int) -> SensitiveLabels:
        """Take the values of the original themselves."""
        return cls(np.arange(values), np.zeros(values, dtype=np.bool_), values)

    @property
    def size(self) -> int:
        """How many codes there may be."""
        return self.values + len(self.code_of_label)

    @property
    def is_plain(self) -> bool:
        """Whether labels are the values themselves, in their order."""
        return bool(np.array_equal(self.code_of_label, np.arange(len(self.code_of_label))))

    @property
    def wide_codes(self) -> Flags:
        """Of each code whether it stands for several values."""
        wide = np.zeros(self.size, dtype=np.bool_)
        wide[self.code_of_label[self.is_wide]] = True
        return wide


@dataclass(frozen=True, eq=False)
class ReadOff:
    """What a reader of the file learns from each different combination of public values of the original."""

    rows: Int64s
    """Released rows that fit it."""
    candidates: Int64s
    """Different sensitive values in these rows; 0 where there are none."""
    guess: Int64s
    """The likeliest of them; the commonest of the file where there are none."""
    guess_is_wide: Flags

    @property
    def is_certain(self) -> Flags:
        """Where one value only is left."""
        found: Flags = (self.candidates == 1) & ~self.guess_is_wide
        return found


def read_off(
    people: RowTuples, released: RowTuples, fits: Sequence[LabelFit], sensitive: SensitiveLabels
) -> ReadOff:
    """Look up every combination of public values in the file.

    ``people`` are the different public values of the original; the last column of ``released`` is the
    sensitive label.
    """
    told = _TellingRows(released, sensitive)
    rows = np.zeros(people.size, dtype=np.int64)
    candidates = np.zeros(people.size, dtype=np.int64)
    guess = np.full(people.size, told.commonest, dtype=np.int64)
    for person, row in fitting_pairs(people, told.seen, fits):
        _look_up(person, row, told, rows, candidates, guess)
    return ReadOff(rows, candidates, guess, sensitive.wide_codes[guess])


class _TellingRows:
    """The released rows, with the sensitive values beside each."""

    def __init__(self, released: RowTuples, sensitive: SensitiveLabels) -> None:
        pairs = released
        if not sensitive.is_plain:
            codes = sensitive.code_of_label[released.columns[-1]]
            pairs = RowTuples.of(
                (*released.columns[:-1], codes), (*released.sizes[:-1], sensitive.size), released.counts
            )
        self.width = sensitive.size
        self.seen, self.owner = pairs.head(len(released.columns) - 1)
        self.codes, self.counts = pairs.columns[-1], pairs.counts
        self.totals = np.bincount(self.codes, weights=self.counts, minlength=self.width).astype(np.int64)
        self.commonest = int(np.lexsort((np.arange(self.width), -self.totals))[0]) if self.width else 0
        self.rank = np.empty(self.width, dtype=np.int64)
        self.rank[np.lexsort((np.arange(self.width), -self.totals))] = np.arange(self.width)
        self.indptr = np.zeros(self.seen.size + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.owner, minlength=self.seen.size), out=self.indptr[1:])
        self.candidates = np.diff(self.indptr)
        self.guess = likeliest(self.owner, self.codes, self.counts, self.rank, self.seen.size)


def likeliest(owner: Int64s, codes: Int64s, counts: Int64s, rank: Int64s, owners: int) -> Int64s:
    """Return the code of the highest count of each owner, of equal ones that of the least rank.

    >>> likeliest(np.array([0, 0, 1]), np.array([4, 2, 3]), np.array([5, 5, 1]), np.arange(5), 2).tolist()
    [2, 3]
    """
    most = np.zeros(owners, dtype=np.int64)
    np.maximum.at(most, owner, counts)
    is_most = counts == most[owner]
    least = np.full(owners, len(rank), dtype=np.int64)
    np.minimum.at(least, owner[is_most], rank[codes[is_most]])
    by_rank = np.argsort(rank)
    return by_rank[np.minimum(least, len(rank) - 1)]


def _look_up(
    person: Int64s, row: Int64s, told: _TellingRows, rows: Int64s, candidates: Int64s, guess: Int64s
) -> None:
    """Fill in what one block of pairs says."""
    if not len(person):
        return
    first = int(person[0])
    matched = np.bincount(person - first)
    rows[first : first + len(matched)] += np.bincount(person - first, weights=told.seen.counts[row]).astype(
        np.int64
    )
    is_alone = matched[person - first] == 1
    one, its = person[is_alone], row[is_alone]
    candidates[one], guess[one] = told.candidates[its], told.guess[its]
    if is_alone.all():
        return
    person, row = person[~is_alone], row[~is_alone]
    times = told.candidates[row]
    offset = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    at = np.repeat(told.indptr[row], times) + offset
    several, owner = np.unique(person, return_inverse=True)
    pairs = RowTuples.of(
        (np.repeat(owner, times), told.codes[at]), (len(several), told.width), told.counts[at]
    )
    of, codes = pairs.columns
    candidates[several] = np.bincount(of, minlength=len(several))
    guess[several] = likeliest(of, codes, pairs.counts, told.rank, len(several))


@dataclass(frozen=True, kw_only=True)
class ColumnDisclosure:
    """What a file gives away about one sensitive column of the people of the original."""

    column: str
    disclosed_right: int
    """People of whom the file leaves one value possible, and it is theirs (DiSCO)."""
    disclosed_wrong: int
    """People of whom the file leaves one value possible, and it is not theirs."""
    guessed_right: int
    """People whose value is the likeliest by the file."""
    guessed_right_by_marginals: int
    """People who have the commonest value of the original."""
    disclosed_in_original: int
    """People of whom the original itself, with the same public columns, leaves one value possible (DiO)."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return dict(vars(self))


def column_disclosure(
    column: str, people: RowTuples, released: RowTuples, fits: Sequence[LabelFit], sensitive: SensitiveLabels
) -> tuple[ColumnDisclosure, ReadOff]:
    """Count the people whose value of one sensitive column, the last one of both, is read off.

    >>> plain = LabelFit.of_pairs([0, 1], [0, 1], values=2, labels=2)
    >>> people = RowTuples.of([np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])], [2, 2])
    >>> file = RowTuples.of([np.array([0, 1]), np.array([0, 1])], [2, 2])
    >>> found, _ = column_disclosure("s", people, file, [plain], SensitiveLabels.of(plain))
    >>> found.disclosed_right, found.disclosed_wrong, found.guessed_right, found.disclosed_in_original
    (3, 1, 3, 2)
    """
    width = len(people.columns) - 1
    public, person = people.head(width)
    found = read_off(public, released, fits, sensitive)
    own, rows = people.columns[-1], people.counts
    is_certain = found.is_certain[person]
    is_guessed = (found.guess[person] == own) & ~found.guess_is_wide[person]
    candidates = np.bincount(person, minlength=public.size)
    totals = np.bincount(own, weights=rows, minlength=1)
    return ColumnDisclosure(
        column=column,
        disclosed_right=int(rows[is_certain & is_guessed].sum()),
        disclosed_wrong=int(rows[is_certain & ~is_guessed].sum()),
        guessed_right=int(rows[is_guessed].sum()),
        guessed_right_by_marginals=int(totals.max()),
        disclosed_in_original=int(rows[candidates[person] == 1].sum()),
    ), found


def k_disco(people: RowTuples, released: RowTuples, fits: Sequence[LabelFit], k: int = 2) -> float | None:
    """Return the mean share of people disclosed rightly, over every column and every ``k`` others.

    ``None`` where there are too few columns, or rows and columns are so many that it would take long.
    """
    columns = range(len(people.columns))
    sets = [
        (known, target)
        for target in columns
        for known in combinations([one for one in columns if one != target], k)
    ]
    if not sets or len(sets) * (people.size + released.size) > MOST_STEPS:
        return None
    shares = []
    for known, target in sets:
        chosen = (*known, target)
        ours, theirs = (
            RowTuples.of(
                [one.columns[place] for place in chosen], [one.sizes[place] for place in chosen], one.counts
            )
            for one in (people, released)
        )
        found, _ = column_disclosure(
            "", ours, theirs, [fits[place] for place in known], SensitiveLabels.of(fits[target])
        )
        shares.append(found.disclosed_right / max(int(people.counts.sum()), 1))
    return float(np.mean(shares))
