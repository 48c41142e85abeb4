"""The record: everything that was measured about a release, for its curator alone.

It holds the counts before and after, the point with what is proven about it, and the proofs. A
reader of the release who also had the counts could exclude candidates, so the record stays
beside the policy. Every number in it is counted again by the verifier or follows from a proof that it checks;
what no one can check (how long it took, how useful the release is by measures of its own) is kept apart and
said to be so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import msgspec

from hartley.documents import RECORD, DocumentKind
from hartley.releases.canonical import StrictStruct, VersionedDocument, require_each_once
from hartley.releases.certificate import Order
from hartley.releases.policy import Text

FORMAT = "hartley record"
VERSION = 1


class RoleSize(StrictStruct, frozen=True, kw_only=True):
    """The columns of a role and how many different values they take together."""

    columns: tuple[str, ...]
    values: int


class Measures(StrictStruct, frozen=True, kw_only=True):
    """An audit without its witnesses."""

    rows: int
    pairs: int
    sensitive: RoleSize
    public: RoleSize
    side: RoleSize | None
    h0_bits: float
    h0_given_public_bits: float
    b0_bits: float
    i0_bits: float
    l0_bits: float
    istar_bits: float
    components: int
    distinct_l: int
    row_k: int
    independent: bool

    @classmethod
    def of(cls, shown: Mapping[str, Any]) -> Measures:
        """Take the numbers of an audit as it stands in JSON, and none of its witnesses."""
        return msgspec.convert({name: shown[name] for name in cls.__struct_fields__}, cls)


class MeasuredRequirement(StrictStruct, frozen=True, kw_only=True):
    """What was asked for, and what was found."""

    name: str
    column: str | None
    wanted: int | float
    found: int | float
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


class ColumnRecord(StrictStruct, frozen=True, kw_only=True):
    """What became of one column of the original, and how far its cells moved."""

    name: str
    treatment: str
    coding: str | None = None
    farthest: float | None = None
    """Greatest distance between a true and a released cell, in the column's unit, days or seconds."""
    widest: float | None = None
    """Greatest spread of the cells that share a label."""


class PointRecord(StrictStruct, frozen=True, kw_only=True):
    """The released partition among all others, as far as it is proven."""

    leakage: str
    """What was kept small: ``l0``, ``istar`` or ``joint``."""
    utility: str
    """What was kept large: ``resolution`` (the cost is the largest cluster) or ``distortion``."""
    codeword: str | None
    search: str
    leakage_bits: float
    distinct_l: int
    components: int
    clusters: int
    largest_cluster: int
    max_distortion: float | None
    """As the search counts it; nothing where that takes distances which are not in the policy."""
    lower_bound_bits: float | None
    """No partition of this cost or less leaks less; nothing where costs are not counted by the verifier."""
    lower_bound_cost: float | None
    """No partition that keeps the requirement costs less; nothing where the verifier counts no costs."""
    proven_optimal: bool
    """Whether both bounds are met."""


class Proof(StrictStruct, frozen=True, kw_only=True):
    """Why partitions that leave enough must cost something.

    It states that a partition which leaves ``distinct_l`` candidates everywhere (or at most ``components``
    groups that are told apart for certain) costs at least ``cost``. How that is checked depends on the kind:

    ``union``: not even all values together leave so many, so nothing does at any cost.
    ``window``: every stretch of the line around ``value`` with so many candidates costs at least that.
    ``counting``: the candidates do not suffice for more than ``clusters`` clusters, so one is that large.
    ``forest``: each value ties one group to one cluster, and so few ties leave more groups.
    ``exhaustion``: there are so few values that every partition can be looked at again.
    """

    kind: Literal["union", "window", "counting", "forest", "exhaustion"]
    distinct_l: int | None = None
    components: int | None = None
    cost: float | None
    """What it costs at least; nothing where no partition reaches that at any cost."""
    value: tuple[Text, ...] | None = None
    """A public value, as the policy writes it."""
    clusters: int | None = None


class Commitments(StrictStruct, frozen=True, kw_only=True):
    """Codes, under the key in the policy, of what this release was made from."""

    original: str
    policy: str
    earlier: tuple[str, ...]


class CodebooksRecord(StrictStruct, frozen=True, kw_only=True):
    """One codebook for each column: how many combinations there are, and what the search says of them."""

    combinations: int
    """Combinations that are released, what is withheld aside."""
    withheld_combinations: int
    loss: float
    """Mean relative width of a row's bands; a withheld row counts as fully lost."""
    worst_width: float
    ladder_loss: float | None
    """The loss of the best node of the ladders."""
    proven_optimal_ladder: bool
    maximal: bool
    column_wise_optimal: bool | None
    lower_bound: float
    choice_bits: float
    """What the choice of these codebooks among all that could have been chosen can carry at most."""
    choice_means: str
    """What that number bounds, and what it does not."""


class Record(VersionedDocument, frozen=True, kw_only=True):
    """Everything that was measured about a release."""

    file: ClassVar[DocumentKind] = RECORD
    version_here: ClassVar[int] = VERSION
    format: str = FORMAT
    version: int = VERSION
    hartley: str
    output_sha256: str
    rows: int
    rows_withheld: int
    dropped_rows: int
    """Rows of the original that were left out because a value is missing, where that was asked for."""
    order: Order
    columns: tuple[ColumnRecord, ...]
    requirements: tuple[MeasuredRequirement, ...]
    before: Measures
    after: Measures
    """What a reader of the recoded and kept columns learns."""
    after_all: Measures
    """What a reader of every published column learns, the sensitive ones aside."""
    together: Measures | None
    """As ``after``, for a reader who also has the earlier releases."""
    together_all: Measures | None
    """As ``after_all``, for a reader who also has the earlier releases."""
    point: PointRecord
    proofs: tuple[Proof, ...]
    commitments: Commitments
    codebooks: CodebooksRecord | None = None
    """How the codebooks of the columns were found; nothing where the columns have one together."""
    usefulness: dict[str, Any] | None
    """What the release is still good for, as it was measured; the verifier does not count it again."""
    timings: dict[str, float]
    """Seconds that the steps took; nobody can check them."""

    def _require_sound(self, name: str, _written: bytes) -> None:
        require_each_once((column.name for column in self.columns), name)
