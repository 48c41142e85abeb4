"""What a release says about itself: the public certificate, and the private record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property

import msgspec
import numpy as np

import hartley
from hartley.measures.audit import Audit
from hartley.measures.utility import Utility
from hartley.model import Alphabet, JointRange
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement, Verdict
from hartley.releases.cell_text import cell_text
from hartley.releases.certificate import (
    Certificate,
    Digest,
    Promise,
    ReaderPromise,
    Software,
    Subject,
    TreatedColumn,
    blind_statement,
    public_tree,
    transparent_statement,
)
from hartley.releases.codebook import Codebook
from hartley.releases.policy import Policy, StatedRequirement
from hartley.releases.record import (
    ColumnRecord,
    MeasuredRequirement,
    Record,
)
from hartley.releases.ticks import Scale, scale_of


def certificate_of(policy: Policy, record: Record, *, name: str, earlier: int, signed: bool) -> Certificate:
    """State what a release promises: what was asked for, and nothing that was measured on the original."""
    coding = {column.name: column.coding for column in policy.public}
    is_transparent = policy.choices.transparent is not msgspec.UNSET
    promise = Promise(
        software=Software(name="hartley", version=hartley.__version__),
        rows=record.rows,
        rows_withheld=record.rows_withheld,
        order=record.order,
        missing=policy.reading.missing,
        tolerance=policy.choices.tolerance,
        grouped=tuple(policy.choices.groups),
        columns=tuple(
            TreatedColumn(name=column, treatment=policy.treatment(column), coding=coding.get(column))
            for column in policy.columns
        ),
        readers=tuple(_promises(policy, earlier)),
        caps=policy.caps,
        signature="ed25519" if signed else "none",
        formulas=policy.choices.formulas,
        reader="knows-the-program" if is_transparent else "public-values",
        statement=transparent_statement(policy) if is_transparent else blind_statement(policy, earlier),
        tree=public_tree(policy),
        commitment=policy.commitment("record", record.to_json()),
    )
    subject = Subject(name=name, digest=Digest(sha256=record.output_sha256))
    return Certificate(subject=(subject,), predicate=promise).sealed(policy)


def _promises(policy: Policy, earlier: int) -> list[ReaderPromise]:
    """Return what holds for each kind of reader.

    What holds for a reader who has earlier releases as well holds for one who has not: seeing less leaves
    more possible. Of harmless columns the curator says that they tell nothing, and nothing is promised.
    """
    readers = [((*policy.public_names, *policy.keep), count, policy.requirements) for count in {0, earlier}]
    readers.sort(key=lambda reader: reader[1])
    if policy.harmless:
        readers.append(((*policy.public_names, *policy.keep, *policy.harmless), earlier, ()))
    return [
        ReaderPromise(
            sees=tuple(column for column in policy.columns if column in sees),
            knows=policy.side_names,
            earlier_releases=count,
            requirements=requirements,
        )
        for sees, count, requirements in readers
    ]


@dataclass(frozen=True, kw_only=True)
class Released:
    """The released partition, and what the reader for whom the requirements are learns from it."""

    policy: Policy
    public: Alphabet
    book: Codebook
    utility: Utility
    joint: JointRange
    """What the search saw."""
    before: JointRange
    """What a reader knows beforehand: the side information alone."""
    audit: Audit
    verdicts: Sequence[Verdict]
    """What that reader is left with of each requirement that was searched for."""
    bits: Mapping[str, float]
    """What is revealed to that reader at worst and for certain, counted with the tolerance."""

    def requirements(self) -> tuple[MeasuredRequirement, ...]:
        """Return what was asked for and what was found."""
        found = []
        for asked in (*self.policy.requirements, *self.policy.caps):
            number = self._found(asked)
            if number is not None:
                is_cap = asked.name not in Requirement.kinds
                holds = number <= asked.wanted + 1e-9 if is_cap else requirement_of(asked).is_met_by(number)
                found.append(
                    MeasuredRequirement(
                        name=asked.name, column=asked.column, wanted=asked.wanted, found=number, holds=holds
                    )
                )
        return tuple(found)

    def _found(self, asked: StatedRequirement) -> int | float | None:
        if asked.name == "largest-cluster":
            return self.largest
        if asked.name == "max-distortion":
            return self._moved()
        for verdict in self.verdicts:
            if (verdict.name, verdict.column) == (asked.name, asked.column):
                return verdict.found
        return self.bits.get(asked.name, self.audit.distinct_l)

    @property
    def largest(self) -> int:
        """How many values the largest cluster has that is not withheld."""
        sizes = self.book.partition.sizes
        withheld = self.policy.withheld
        return int((sizes if withheld is None else np.delete(sizes, withheld)).max(initial=0))

    def _moved(self) -> float | None:
        """Return how far a value of a single column lies from its label, or from the middle of it."""
        if len(self.public.coordinates) != 1:
            return None
        farthest, widest = self._spread(0)
        if farthest is not None:
            return farthest
        return None if widest is None else widest / 2

    def columns(self) -> tuple[ColumnRecord, ...]:
        """Say what became of every column of the original."""
        records = []
        for name in self.policy.columns:
            treatment = self.policy.treatment(name)
            if treatment != "recoded":
                records.append(ColumnRecord(name=name, treatment=treatment))
                continue
            place = self.policy.public_names.index(name)
            farthest, widest = self._spread(place)
            coding = self.policy.public[place].coding
            records.append(
                ColumnRecord(name=name, treatment=treatment, coding=coding, farthest=farthest, widest=widest)
            )
        return tuple(records)

    @cached_property
    def line(self) -> Scale | None:
        """The scale of the first public column; those of several columns are made one after the other."""
        return scale_of(self.public.coordinates[0])

    def _spread(self, column: int) -> tuple[float | None, float | None]:
        """Return how far cells of a column lie from their labels, and how wide its clusters are, at most."""
        scale = scale_of(self.public.coordinates[column]) if column else self.line
        if scale is None:
            return None, None
        is_text = self.book.columns[column].released_kind == "text"
        farthest = None if is_text else Decimal(0)
        widest = 0
        for number, low, high in scale.ends(self.book.partition):
            if number == self.policy.withheld:
                continue
            widest = max(widest, high - low)
            label = self.book.labels[number][column]
            if farthest is None or label is None:
                farthest = None
                continue
            at = scale.tick(label)
            farthest = max(farthest, at - low, high - at)
        return None if farthest is None else float(farthest / scale.per_unit), scale.distance(widest)


def requirement_of(asked: StatedRequirement) -> Requirement:
    """Return a requirement as a policy states it."""
    second = asked.second if isinstance(asked.second, int) else None
    return Requirement(asked.name, asked.wanted, asked.column, second)


def stated_requirements(demand: Demand, leakage: str) -> tuple[StatedRequirement, ...]:
    """State what is asked of a release as a policy and a certificate have it."""
    asked = [
        StatedRequirement(
            name=one.name,
            column=one.column,
            wanted=one.wanted,
            second=msgspec.UNSET if one.second is None else one.second,
        )
        for one in demand.requirements
    ]
    if demand.max_leakage is not None:
        asked.append(
            StatedRequirement(name="istar" if leakage == "istar" else "l0", wanted=demand.max_leakage)
        )
    if leakage == "joint":
        asked = [one for one in asked if one.name != "istar"]
        asked.append(StatedRequirement(name="istar", wanted=0))
    if demand.cap is not None:
        cap = demand.cap
        asked.append(StatedRequirement(name=cap.kind.replace("_", "-"), wanted=cap.number))
    return tuple(asked)


def decimal_text(exact: Fraction) -> str:
    """Return a number as decimal digits; as a ratio where they have no end.

    >>> decimal_text(Fraction(9, 2)), decimal_text(Fraction(4)), decimal_text(Fraction(1, 3))
    ('4.5', '4', '1/3')
    """
    with localcontext() as context:
        context.prec = 1000
        digits = Decimal(exact.numerator) / Decimal(exact.denominator)
    return cell_text(digits) or "0" if Fraction(digits) == exact else str(exact)


def withheld_cluster(book: Codebook, withheld: Sequence[int]) -> int | None:
    """Return the number of the cluster of the public values that are withheld; nothing where none is."""
    return int(book.partition.labels[withheld[0]]) if len(withheld) else None
