"""What a release says about itself: the public certificate, and the private record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec
import numpy as np

import hartley
from hartley.measures.audit import Audit
from hartley.measures.uncertainty import prior_counts
from hartley.measures.utility import LineDistortion, Utility
from hartley.model import Alphabet, JointRange
from hartley.model.alphabet import EXACT
from hartley.model.requirement import Verdict
from hartley.releases.certificate import (
    Certificate,
    Digest,
    Promise,
    ReaderPromise,
    Software,
    Subject,
    TreatedColumn,
)
from hartley.releases.codebook import Codebook
from hartley.releases.policy import Policy, StatedRequirement
from hartley.releases.record import (
    ColumnRecord,
    Commitments,
    MeasuredRequirement,
    Measures,
    PointRecord,
    Proof,
    Record,
)
from hartley.releases.ticks import scale_of
from hartley.releases.verifier.proofs.optimality import goal_asked, is_optimal
from hartley.releases.verifier.proofs.problem import Goal, cluster_cost
from hartley.releases.verifier.verification import record_commitment
from hartley.releases.writer.proofs import Prover, exact_positions


def certificate_of(policy: Policy, record: Record, *, name: str, earlier: int, signed: bool) -> Certificate:
    """State what a release promises: what was asked for, and nothing that was measured on the original."""
    coding = {column.name: column.coding for column in policy.public}
    promise = Promise(
        software=Software(name="hartley", version=hartley.__version__),
        rows=record.rows,
        rows_withheld=record.rows_withheld,
        order=record.order,
        missing=policy.reading.missing,
        columns=tuple(
            TreatedColumn(name=column, treatment=policy.treatment(column), coding=coding.get(column))
            for column in policy.columns
        ),
        readers=tuple(_promises(policy, earlier)),
        caps=policy.caps,
        signature="ed25519" if signed else "none",
        commitment=record_commitment(policy, record),
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
class Audits:
    """What each kind of reader learns."""

    before: Audit
    after: Audit
    after_all: Audit
    together: Audit | None = None
    together_all: Audit | None = None

    def measures(self) -> dict[str, Measures | None]:
        """Return their numbers, by reader."""
        readers = ("before", "after", "after_all", "together", "together_all")
        audits = {name: getattr(self, name) for name in readers}
        return {name: None if audit is None else measures_of(audit) for name, audit in audits.items()}


def record_of(
    released: Released,
    audits: Audits,
    *,
    output_sha256: str,
    dropped_rows: int,
    commitments: Commitments,
    usefulness: Mapping[str, Any] | None = None,
    timings: Mapping[str, float] | None = None,
) -> Record:
    """Write down everything that was measured about a release, with what can be proven about it."""
    point, proofs = released.point()
    return Record(
        hartley=hartley.__version__,
        output_sha256=output_sha256,
        rows=audits.after.rows,
        rows_withheld=released.policy.choices.withheld_rows,
        dropped_rows=dropped_rows,
        order="kept" if released.policy.choices.keep_order else "shuffled",
        columns=column_records(released.policy, released.public, released.book),
        requirements=released.requirements(),
        **audits.measures(),  # type: ignore[arg-type]
        point=point,
        proofs=proofs,
        commitments=commitments,
        usefulness=None if usefulness is None else dict(usefulness),
        timings=dict(timings or {}),
    )


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
    """What the reader is left with of each requirement."""

    def requirements(self) -> tuple[MeasuredRequirement, ...]:
        """Return what was asked for and what was found."""
        found = []
        for asked in (*self.policy.requirements, *self.policy.caps):
            number = self._found(asked)
            if number is not None:
                at_least = asked.name in ("distinct-l", "separated-l", "row-k")
                holds = number >= asked.wanted if at_least else number <= asked.wanted + 1e-9
                found.append(
                    MeasuredRequirement(
                        name=asked.name, column=asked.column, wanted=asked.wanted, found=number, holds=holds
                    )
                )
        return tuple(found)

    def _found(self, asked: StatedRequirement) -> int | float | None:
        if asked.name == "largest-cluster":
            return int(self.book.partition.sizes.max())
        if asked.name == "max-distortion":
            return self._moved()
        for verdict in self.verdicts:
            if (verdict.name, verdict.column) == (asked.name, asked.column):
                return verdict.found
        audit = self.audit
        measures: dict[str, int | float] = {
            "distinct-l": audit.distinct_l,
            "row-k": audit.row_k,
            "l0": audit.l0_bits,
            "istar": audit.istar_bits,
        }
        return measures[asked.name]

    def _moved(self) -> float | None:
        """Return how far a value of a single column lies from its label, or from the middle of it."""
        if len(self.public.coordinates) != 1:
            return None
        farthest, widest = _spread(self.public, self.book, 0)
        if farthest is not None:
            return farthest
        return None if widest is None else widest / 2

    def _line_cost(self) -> float:
        """Return the worst distance from a codeword, exactly where the positions are not whole numbers."""
        assert isinstance(self.utility, LineDistortion)  # noqa: S101 (asked only on a line)
        positions = self.utility.positions
        placed = positions[~np.isnan(positions)]
        farthest = float(np.abs(placed).max(initial=0.0)) * (len(placed) + 1)
        kept = [number for number, label in enumerate(self.book.labels) if label[0] is not None]
        if farthest < EXACT and bool((placed == np.rint(placed)).all()):
            return float(self.utility.costs(self.book.partition)[kept].max(initial=0.0))
        exact = exact_positions(self.public)
        costs = [
            cluster_cost(self.utility.codeword, [exact[place] for place in cluster])
            for number, cluster in enumerate(self.book.partition.clusters())
            if number in set(kept)
        ]
        return float(max((cost for cost in costs if cost is not None), default=0.0))

    def point(self) -> tuple[PointRecord, tuple[Proof, ...]]:
        """Return the released partition with what can be proven about it."""
        choices, partition = self.policy.choices, self.book.partition
        is_line = isinstance(self.utility, LineDistortion)
        cost = self._line_cost() if is_line else float(partition.sizes.max())
        point = PointRecord(
            leakage=choices.leakage,
            utility=choices.utility,
            codeword=choices.codeword,
            search=choices.search,
            leakage_bits=self.audit.istar_bits if choices.leakage == "istar" else self.audit.l0_bits,
            distinct_l=self.audit.distinct_l,
            components=self.audit.components,
            clusters=partition.size,
            largest_cluster=int(partition.sizes.max()),
            max_distortion=cost if is_line else None,
            lower_bound_bits=None,
            lower_bound_cost=None,
            proven_optimal=False,
        )
        prover = None
        if self.policy.is_plain:
            prover = Prover.of(self.joint, self.utility, int(prior_counts(self.before).min()))
        if prover is None:
            return point, ()
        goal = goal_asked(prover.problem, self.policy, point)
        better = None if point.leakage_bits == 0 else _better(choices.leakage, point)
        proofs, bounds = prover.prove(goal, better, choices.leakage, cost)
        bounded = msgspec.structs.replace(
            point,
            lower_bound_bits=bounds.bits,
            lower_bound_cost=bounds.cost,
            proven_optimal=is_optimal(point, bounds, cost),
        )
        return bounded, proofs


def _better(leakage: str, point: PointRecord) -> Goal:
    """Return the goal of leaking less than the released partition does."""
    if leakage == "istar":
        return Goal(components=point.components - 1)
    return Goal(distinct_l=point.distinct_l + 1, components=1 if leakage == "joint" else None)


def measures_of(audit: Audit) -> Measures:
    """Take the numbers of an audit, and none of its witnesses."""
    shown = audit.to_dict()
    return msgspec.convert({name: shown[name] for name in Measures.__struct_fields__}, Measures)


def column_records(policy: Policy, public: Alphabet, book: Codebook) -> tuple[ColumnRecord, ...]:
    """Say what became of every column of the original."""
    records = []
    for name in policy.columns:
        treatment = policy.treatment(name)
        if treatment != "recoded":
            records.append(ColumnRecord(name=name, treatment=treatment))
            continue
        place = policy.public_names.index(name)
        farthest, widest = _spread(public, book, place)
        records.append(
            ColumnRecord(
                name=name,
                treatment=treatment,
                coding=policy.public[place].coding,
                farthest=farthest,
                widest=widest,
            )
        )
    return tuple(records)


def _spread(public: Alphabet, book: Codebook, column: int) -> tuple[float | None, float | None]:
    coordinate = public.coordinates[column]
    scale = scale_of(coordinate)
    if scale is None:
        return None, None
    is_text = book.columns[column].released_kind == "text"
    farthest: float | None = None if is_text else 0.0
    widest = 0
    for label, cluster in zip(book.labels, book.partition.clusters(), strict=True):
        ticks = [tick for place in cluster if (tick := scale.ticks[place]) is not None]
        if not ticks or all(cell is None for cell in label):
            continue  # nothing there, or withheld
        widest = max(widest, max(ticks) - min(ticks))
        if farthest is None:
            continue
        if label[column] is None:
            farthest = None
            continue
        at = scale.tick(label[column])
        reach = max(at - min(ticks), max(ticks) - at)
        farthest = max(farthest, float(Decimal(reach) / scale.per_unit))
    return farthest, scale.distance(widest)
