"""What a release may claim: taken from audits and codebooks, without a cell or a witness."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from hartley.measures.audit import Audit
from hartley.model import Alphabet
from hartley.releases.certificate import ColumnClaim, Measures
from hartley.releases.codebook import Codebook
from hartley.releases.policy import Policy
from hartley.releases.ticks import scale_of


def measures_of(audit: Audit) -> Measures:
    """Take what may be published from an audit: its numbers, and none of its witnesses."""
    shown = audit.to_dict()
    return msgspec.convert({name: shown[name] for name in Measures.__struct_fields__}, Measures)


def column_claims(policy: Policy, public: Alphabet, book: Codebook) -> tuple[ColumnClaim, ...]:
    """Say what became of every column of the original."""
    claims = []
    for name in policy.columns:
        treatment = policy.treatment(name)
        if treatment != "recoded":
            claims.append(ColumnClaim(name=name, treatment=treatment))
            continue
        place = policy.public_names.index(name)
        farthest, widest = _spread(public, book, place)
        claims.append(
            ColumnClaim(
                name=name,
                treatment=treatment,
                coding=policy.public[place].coding,
                farthest=farthest,
                widest=widest,
            )
        )
    return tuple(claims)


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
        if not ticks:
            continue
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
