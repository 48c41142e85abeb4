"""One codebook for each column: whether the labels of a policy follow from them, and what is withheld."""

from __future__ import annotations

from typing import Any

from hartley.releases.column_recoding import ColumnRecoding
from hartley.releases.policy import Policy, Text
from hartley.releases.verifier.checks import Checks
from hartley.releases.verifier.tables.reread import as_kind

EVERYTHING = "all"
NO_LABEL = "no label"
"""Stands for the label of a cell that a codebook does not map; a tuple, so that no text is equal to it."""


def check_codebooks(checks: Checks, policy: Policy) -> None:
    """Check that every label is the combination of the columns' labels, and every combination is one."""
    if not policy.codebooks:
        return
    codings = {"kept": "unchanged", "bands": "bands", "groups": "groups", "all": "groups"}
    labels = {cluster.label for number, cluster in enumerate(policy.clusters) if number != policy.withheld}
    nothing = (None,) * len(policy.public)
    is_followed, withheld = True, set()
    for number, cluster in enumerate(policy.clusters):
        for member in cluster.members:
            found = _combination(policy, member)
            if number != policy.withheld:
                is_followed &= found == cluster.label
            elif found != nothing and policy.choices.shape == "columns":
                # Of intervals single values are withheld, whatever band they lie in.
                withheld.add(found)
    checks.add(
        "codebooks of the columns",
        is_followed
        and all(
            codings[one.form] == column.coding
            for one, column in zip(policy.codebooks, policy.public, strict=True)
        ),
        "the label of a value is not the combination of its labels in the codebooks of the columns",
    )
    checks.add(
        "withheld combinations",
        withheld == set(policy.withheld_combinations) and not withheld & labels,
        "other combinations are withheld than the policy lists, or some are released as well",
    )


def _combination(policy: Policy, member: tuple[Text, ...]) -> tuple[Any, ...]:
    return tuple(
        _label(codebook, column.kind, text)
        for codebook, column, text in zip(policy.codebooks, policy.public, member, strict=True)
    )


def _label(codebook: ColumnRecoding, kind: str, text: Text) -> Any:
    """Return what a codebook says of a cell, looked up without the code that made the release."""
    if codebook.form == "all":
        return EVERYTHING
    if text is None:
        return codebook.missing_label if codebook.has_missing else (NO_LABEL,)
    if codebook.form == "kept":
        return text
    if codebook.form == "bands":
        cell: Any = as_kind(text, kind)
        holding = [
            band.label
            for band in codebook.bands
            if (band.begin is None or as_kind(band.begin, kind) <= cell)
            and (band.end is None or cell < as_kind(band.end, kind))
        ]
        return holding[0] if len(holding) == 1 else (NO_LABEL,)
    named = [group.label for group in codebook.groups if text in group.values]
    begun = [prefix.label for prefix in codebook.prefixes if text.startswith(prefix.begins)]
    return (*named, *begun, codebook.other or (NO_LABEL,))[0]
