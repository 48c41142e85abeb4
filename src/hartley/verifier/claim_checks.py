"""What a certificate and a record say, held one by one against what the verifier counted.

Everything that a certificate says must follow from its policy, its file and its rows.
So must what was asked for, counted from the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hartley.releases.certificate import (
    RULES_ON_SHARES,
    Certificate,
    Promise,
    ReaderPromise,
    TreatedColumn,
    blind_statement,
    public_tree,
    transparent_statement,
)
from hartley.releases.policy import Policy, StatedRequirement
from hartley.releases.record import ColumnRecord, MeasuredRequirement, Measures, Record
from hartley.verifier.checks import TOLERANCE, Checks, are_same, is_same_distance, shown
from hartley.verifier.released_partition import ReleasedPartition
from hartley.verifier.row_checks import RowCounter

MEASURES = {"distinct-l": "distinct_l", "row-k": "row_k", "l0": "l0_bits", "istar": "istar_bits"}
AT_LEAST = ("distinct-l", "row-k")


def check_requirements(
    checks: Checks, policy: Policy, counted: RowCounter, partition: ReleasedPartition
) -> tuple[MeasuredRequirement, ...]:
    """Check everything that the policy asks for; return what was found."""
    found = []
    for asked in policy.requirements:
        is_weight = asked.name == "weight-k" and asked.column is not None
        is_known = asked.name in MEASURES or asked.name == "separated-l" or asked.name in RULES_ON_SHARES
        is_fitting = asked.column is None or asked.column in policy.sensitive_names
        if not is_weight and not (is_known and is_fitting):
            checks.add(f"requirement {_named(asked)}", False, "there is no way to count it")
            continue
        number: float
        if asked.name in RULES_ON_SHARES:
            number, holds = counted.shares(asked)
        elif is_weight:
            number = counted.weight(asked)
            holds = number >= asked.wanted * (1 - TOLERANCE)
        elif asked.name == "separated-l":
            number = counted.separated(asked.column)
            holds = number >= asked.wanted
        elif asked.name in ("l0", "istar") and (policy.choices.tolerance or policy.choices.groups):
            number = counted.bits_apart()[asked.name]
            holds = number <= asked.wanted + TOLERANCE
        else:
            number = counted.measured(asked.column)[MEASURES[asked.name]]
            holds = number >= asked.wanted if asked.name in AT_LEAST else number <= asked.wanted + TOLERANCE
        found.append(_measured(asked, number, holds))
        checks.add(
            f"requirement {_named(asked)}",
            holds,
            f"{shown(asked.wanted)} was asked for, and the release has {shown(number)}",
        )
    for cap in policy.caps:
        if cap.name == "largest-cluster":
            most: float | None = partition.largest
        else:
            most = partition.moved()
        if most is None:
            checks.left_out.append(f"{_named(cap)}, which is counted in distances that are not in the policy")
            continue
        holds = most <= cap.wanted + TOLERANCE
        found.append(_measured(cap, most, holds))
        checks.add(
            f"requirement {_named(cap)}",
            holds,
            f"{shown(cap.wanted)} was asked for, and the release has {shown(most)}",
        )
    if not policy.requirements:
        checks.left_out.append("any protection, because the policy asks for none")
    return tuple(found)


def _named(asked: StatedRequirement) -> str:
    return asked.name if asked.column is None else f"{asked.name}:{asked.column}"


def _measured(asked: StatedRequirement, found: float, holds: bool) -> MeasuredRequirement:
    return MeasuredRequirement(
        name=asked.name, column=asked.column, wanted=asked.wanted, found=found, holds=holds
    )


def check_certificate(
    checks: Checks,
    certificate: Certificate,
    policy: Policy,
    earlier: Sequence[Policy],
    *,
    rows: int | None,
    withheld: int,
) -> None:
    """Check everything that a certificate says but its hash, commitment and signature."""
    promise = certificate.predicate
    checks.add(
        "software",
        (promise.software.name, promise.software.version) == ("hartley", policy.hartley),
        "the certificate names other software than the policy",
    )
    checks.add("row count", promise.rows == rows, f"{rows} rows were counted")
    checks.add(
        "withheld rows", promise.rows_withheld == withheld, f"{withheld} rows were counted as withheld"
    )
    checks.add(
        "what counts as one",
        (promise.tolerance, promise.grouped) == (policy.choices.tolerance, tuple(policy.choices.groups)),
        "the certificate names other tolerances or groups than the policy",
    )
    checks.add(
        "treatment of rows",
        (promise.order, promise.missing, promise.formulas)
        == (
            "kept" if policy.choices.keep_order else "shuffled",
            policy.reading.missing,
            policy.choices.formulas,
        ),
        "the certificate says otherwise than the policy how rows were ordered, left out or defused",
    )
    checks.add(
        "treatment of columns",
        promise.columns == _treated(policy),
        "the certificate names other columns or treatments than the policy",
    )
    counted = max((reader.earlier_releases for reader in promise.readers), default=0)
    checks.add(
        "earlier releases",
        counted == len(earlier),
        f"the certificate counts {counted} earlier releases; give their policies",
    )
    checks.add(
        "promises to readers",
        promise.readers == _readers(policy, len(earlier)) and promise.caps == policy.caps,
        "the certificate promises something else than the policy asks for, or for other readers",
    )
    checks.add(
        "promise to a reader who knows the program",
        _is_promised_to(promise, policy, len(earlier)) and promise.tree == public_tree(policy),
        "the certificate promises something else to a reader who knows the program than the policy asks for",
    )
    checks.add("seal", certificate.is_sealed_by(policy), "the certificate was changed after it was made")


def _is_promised_to(promise: Promise, policy: Policy, earlier: int) -> bool:
    """Tell whether a certificate names its reader rightly, and tells that reader no more than is known."""
    if policy.choices.transparent is not msgspec.UNSET:
        is_said = promise.statement == transparent_statement(policy)
        return promise.reader == "knows-the-program" and is_said
    if promise.reader == "knows-the-program":
        return False
    if promise.statement is msgspec.UNSET:
        return True
    # Every value of one column that nobody sees can be any other, where only their number was asked for.
    treated = {one.name: one.treatment for one in promise.columns}
    asked = [one.name for reader in promise.readers for one in reader.requirements]
    is_hidden = [treated.get(name) for name in policy.sensitive_names] == ["sensitive, withheld"]
    is_counted = "distinct-l" in asked and set(asked) <= {"distinct-l", "row-k"}
    is_plain = not (promise.tolerance or promise.grouped or promise.caps or promise.order == "kept")
    is_blind = is_hidden and is_counted and is_plain and not any(one.knows for one in promise.readers)
    return is_blind and promise.statement == blind_statement(policy, earlier)


def _treated(policy: Policy) -> tuple[TreatedColumn, ...]:
    coding = {column.name: str(column.coding) for column in policy.public}
    return tuple(
        TreatedColumn(name=name, treatment=policy.treatment(name), coding=coding.get(name))
        for name in policy.columns
    )


def _readers(policy: Policy, earlier: int) -> tuple[ReaderPromise, ...]:
    """Return what each kind of reader must be promised; with harmless columns, nothing."""
    seen = {*policy.public_names, *policy.keep}
    counts = (0, earlier) if earlier else (0,)
    promised = [_reader(policy, seen, count, promised=True) for count in counts]
    if policy.harmless:
        promised.append(_reader(policy, seen | set(policy.harmless), earlier, promised=False))
    return tuple(promised)


def _reader(policy: Policy, seen: set[str], earlier: int, *, promised: bool) -> ReaderPromise:
    return ReaderPromise(
        sees=tuple(name for name in policy.columns if name in seen),
        knows=policy.side_names,
        earlier_releases=earlier,
        requirements=policy.requirements if promised else (),
    )


READERS = ("before", "after", "after_all", "together", "together_all")


@dataclass(frozen=True)
class RecordChecks:
    """The numbers of a record, one by one."""

    checks: Checks
    record: Record
    policy: Policy
    earlier: Sequence[Policy]
    measures: Mapping[str, Mapping[str, Any]]
    partition: ReleasedPartition

    def check(self, dropped: int, withheld: int, requirements: tuple[MeasuredRequirement, ...]) -> None:
        """Check each number of the record against the verifier's own count of it."""
        record, rows = self.record, self.measures["after"]["rows"]
        order = "kept" if self.policy.choices.keep_order else "shuffled"
        self._add(
            "rows",
            (record.rows, record.rows_withheld, record.order) == (rows, withheld, order),
            f"{rows} rows",
        )
        self._add("rows left out", record.dropped_rows == dropped, f"{dropped} rows lack a value")
        self._add("requirements", _agree(record.requirements, requirements), "other requirements were found")
        for name in READERS:
            if name == "before" and self.policy.lists_ends:
                self.checks.left_out.append("what was learnt before, of rows that stay where they are")
                continue
            claimed = getattr(record, name)
            reason = _difference(claimed, self.measures.get(name)) or self._other_columns(name, claimed)
            self._add(name, not reason, reason)
        self._check_columns()
        self._check_point()
        self._check_codebooks()
        if record.usefulness is not None:
            self.checks.left_out.append("how useful the release is, which the record says by other measures")
        if record.timings:
            self.checks.left_out.append("how long the release took")

    def _add(self, name: str, holds: bool, reason: str) -> None:
        self.checks.add(f"record: {name}", holds, reason)

    def _other_columns(self, reader: str, claimed: Measures | None) -> str:
        """Return why a claim is about other columns than its reader sees; no words where it is not."""
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
        policy = self.policy
        same = [column.name for column in self.record.columns] == list(policy.columns)
        if not self.checks.add(
            "record: treatment of columns",
            same and all(map(self._is_treated_so, self.record.columns)),
            "the record names other columns or treatments than the policy",
        ):
            return
        claims = {column.name: column for column in self.record.columns}
        for place, column in enumerate(policy.public):
            claim = claims[column.name]
            farthest, widest = self.partition.spread(place)
            self._add(
                f"moves of {column.name}",
                is_same_distance(claim.farthest, farthest) and is_same_distance(claim.widest, widest),
                f"cells lie up to {shown(farthest)} from their label and {shown(widest)} from each other",
            )

    def _is_treated_so(self, claim: ColumnRecord) -> bool:
        coding = {column.name: str(column.coding) for column in self.policy.public}.get(claim.name)
        is_moved = claim.farthest is not None or claim.widest is not None
        return (
            claim.treatment == self.policy.treatment(claim.name)
            and claim.coding == coding
            and (coding is not None or not is_moved)
        )

    def _check_point(self) -> None:
        point, choices, partition = self.record.point, self.policy.choices, self.partition
        self._add(
            "question",
            (point.leakage, point.utility, point.codeword, point.search)
            == (choices.leakage, choices.utility, choices.codeword, choices.search),
            "the record and the policy name different searches",
        )
        reader = self.measures.get("together") or self.measures["after"]
        bits = reader["istar_bits" if choices.leakage == "istar" else "l0_bits"]
        found = (reader["distinct_l"], reader["components"], partition.clusters, partition.largest)
        self._add(
            "point",
            are_same(point.leakage_bits, bits)
            and (point.distinct_l, point.components, point.clusters, point.largest_cluster) == found,
            f"there are {found[2]} clusters, the largest of {found[3]} values, which leak {bits:.6g} bits",
        )
        cost = None if choices.codeword is None else partition.line_cost(choices.codeword)
        # These shapes have a loss of their own, which the record gives no distance for.
        is_by_loss = choices.shape in ("columns", "tree")
        is_due = choices.utility == "distortion" and not is_by_loss and cost is not None
        if point.max_distortion is not None or is_due:
            worst = None if cost is None else float(cost)
            self._add(
                "distortion",
                choices.utility == "distortion" and is_same_distance(point.max_distortion, worst),
                f"the worst distance from a codeword is {shown(worst)}",
            )

    def _check_codebooks(self) -> None:
        claim, policy = self.record.codebooks, self.policy
        released = len(policy.clusters) - (policy.withheld is not None)
        is_by_column = policy.choices.shape == "columns"
        found = (released, len(policy.withheld_combinations)) if is_by_column else None
        claimed = None if claim is None else (claim.combinations, claim.withheld_combinations)
        self._add("combinations", claimed == found, "there are other combinations, or no codebooks by column")
        if claim is not None:
            self.checks.left_out.append(
                "what the search says of the codebooks: their loss, what is proven of it, and choice_bits"
            )


def _agree(claimed: Sequence[MeasuredRequirement], found: Sequence[MeasuredRequirement]) -> bool:
    return len(claimed) == len(found) and all(
        msgspec.structs.replace(one, found=0) == msgspec.structs.replace(other, found=0)
        and are_same(one.found, other.found)
        for one, other in zip(claimed, found, strict=True)
    )


def _difference(claimed: Measures | None, counted: Mapping[str, Any] | None) -> str:
    """Say in what a claim differs from the count; nothing where they agree."""
    if claimed is None and counted is None:
        return ""
    if claimed is None or counted is None:
        return "it is claimed and cannot be counted, or it can be counted and is not claimed"
    plain = msgspec.to_builtins(claimed)
    for role in ("sensitive", "public", "side"):
        plain[role] = None if plain[role] is None else plain[role]["values"]
    for name, found in counted.items():
        wanted = plain[name]
        if not (are_same(wanted, found) if isinstance(found, float) else wanted == found):
            return f"{name} is claimed to be {wanted} and is {found}"
    return ""
